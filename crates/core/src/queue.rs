//! What waits for one task that serves all, in the order in which it came.

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
    /// Whether nobody serves the queue yet, so that the caller has to see to it.
    pub fn push(&self, job: J) -> bool {
        let mut state = self.state();
        state.waiting.push_back(job);
        !std::mem::replace(&mut state.is_served, true)
    }

    pub fn take(&self, most: usize) -> Vec<J> {
        let mut state = self.state();
        let most = most.min(state.waiting.len());
        state.waiting.drain(..most).collect()
    }

    /// With nothing left the service has ended.
    pub fn take_or_end(&self, most: usize) -> Vec<J> {
        let mut state = self.state();
        state.is_served = !state.waiting.is_empty();
        let most = most.min(state.waiting.len());
        state.waiting.drain(..most).collect()
    }

    pub fn state(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// While somebody serves a queue. A service that breaks off leaves nobody waiting.
#[derive(Debug)]
pub struct Service<'a, J>(pub &'a Queue<J>);

impl<J> Drop for Service<'_, J> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            *self.0.state() = State { waiting: VecDeque::new(), is_served: false };
        }
    }
}
