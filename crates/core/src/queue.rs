//! A queue of jobs that one task processes on behalf of all callers, first in, first out.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Debug)]
pub struct Queue<J> {
    state: Mutex<State<J>>,
}

#[derive(Debug)]
pub struct State<J> {
    pub waiting: VecDeque<J>,
    pub is_served: bool,
}

impl<J> Default for Queue<J> {
    fn default() -> Self {
        Self { state: Mutex::new(State { waiting: VecDeque::new(), is_served: false }) }
    }
}

impl<J> Queue<J> {
    /// Adds a job. Returns true if no task serves the queue yet, so that the caller has to start one.
    pub fn push(&self, job: J) -> bool {
        let mut state = self.state();
        state.waiting.push_back(job);
        !std::mem::replace(&mut state.is_served, true)
    }

    pub fn take(&self, max: usize) -> Vec<J> {
        let mut state = self.state();
        let max = max.min(state.waiting.len());
        state.waiting.drain(..max).collect()
    }

    /// Takes jobs; if none are left, the queue is marked as not served.
    pub fn take_or_finish(&self, max: usize) -> Vec<J> {
        let mut state = self.state();
        state.is_served = !state.waiting.is_empty();
        let max = max.min(state.waiting.len());
        state.waiting.drain(..max).collect()
    }

    pub fn state(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Guard held while a task serves a queue. If that task panics, the waiting jobs are dropped and the queue is marked as
/// not served.
#[derive(Debug)]
pub struct Service<'a, J>(pub &'a Queue<J>);

impl<J> Drop for Service<'_, J> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            *self.0.state() = State { waiting: VecDeque::new(), is_served: false };
        }
    }
}
