//! The limits that the operating system sets to a process.

use rustix::process::{Resource, Rlimit, Signal, getrlimit, setrlimit};
use tokio::signal::unix::{SignalKind, signal};

/// Raises the limit of open files to what is allowed, and makes a file that may not grow an error of that write.
pub(super) fn prepare() {
    let files = getrlimit(Resource::Nofile);
    if files.current != files.maximum {
        let raised = setrlimit(Resource::Nofile, Rlimit { current: files.maximum, ..files });
        if let Err(error) = raised {
            tracing::debug!(%error, "the limit of open files stays as it is");
        }
    }
    // The signal would end the process at a limit of file sizes. Once it has a handler, the write fails instead.
    if let Err(error) = signal(SignalKind::from_raw(Signal::XFSZ.as_raw())) {
        tracing::debug!(%error, "a limit of file sizes ends the process");
    }
}
