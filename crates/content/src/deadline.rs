//! A test helper for hostile input: fails if the work takes far longer than linear time, instead of waiting for it.

use std::sync::mpsc::channel;
use std::time::Duration;

/// Roughly a hundred times the duration of linear work in an unoptimised build, and far below that of quadratic work.
const DEADLINE: Duration = Duration::from_mins(1);

/// Returns the result of `work`; panics if it exceeds the deadline.
#[track_caller]
pub(super) fn in_time<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, result) = channel();
    std::thread::spawn(move || done.send(work()));
    match result.recv_timeout(DEADLINE) {
        Ok(result) => result,
        Err(error) => panic!("{what}: {error} after {DEADLINE:?}"),
    }
}
