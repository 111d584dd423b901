//! For tests of hostile texts: fails what takes far longer than its length allows, in the place of waiting for it.

use std::sync::mpsc::channel;
use std::time::Duration;

/// Some hundred times what linear work takes here in an unoptimised build, and a small part of what quadratic work would.
const DEADLINE: Duration = Duration::from_mins(1);

/// What `work` comes to; fails when it is not done in time.
#[track_caller]
pub(super) fn in_time<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, result) = channel();
    std::thread::spawn(move || done.send(work()));
    match result.recv_timeout(DEADLINE) {
        Ok(result) => result,
        Err(error) => panic!("{what}: {error} after {DEADLINE:?}"),
    }
}
