//! The signals by which a process is asked to stop, and what it waits for afterwards.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::app::App;

/// How long a process waits for requests and model calls in progress, as for the calls of a run. What has not ended by
/// then stays charged at its reservation.
const MAX_WAIT: Duration = Duration::from_secs(15);

/// Signals so soon after the first one do not count: some programs send it to a process and again to its group.
const REPEATED_WITHIN: Duration = Duration::from_millis(500);

/// Lets nothing more begin that may cost something. Waits for `runs_ended`, and for the requests that cost or change
/// something and the model calls in progress, so that answers are stored and their costs known.
pub async fn finish_calls(app: &App, runs_ended: impl Future<Output = ()>) {
    app.begin_stopping();
    let deadline = Instant::now() + MAX_WAIT;
    // First, because runs begin calls until they have ended. The others go on meanwhile.
    runs_ended.await;
    if timeout_at(deadline, app.finish_background()).await.is_err() {
        let waited_s = MAX_WAIT.as_secs();
        tracing::warn!(
            waited_s,
            "calls or requests in progress did not end; calls stay charged as reserved, unsettled"
        );
    }
}

/// Waits for the first SIGINT, SIGTERM or SIGHUP. From then on another one ends the process at once, with exit code
/// 130.
pub async fn asked_to_stop() {
    signalled().await;
    tokio::spawn(async {
        tokio::time::sleep(REPEATED_WITHIN).await;
        signalled().await;
        tracing::warn!("asked to stop again; calls in progress are given up and stay charged as reserved, unsettled");
        std::process::exit(130);
    });
}

/// Waits for the next SIGINT, SIGTERM or SIGHUP.
async fn signalled() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::SignalKind;
        tokio::select! {
            () = interrupt => {}
            () = received(SignalKind::terminate()) => {}
            () = received(SignalKind::hangup()), if !is_hangup_ignored() => {}
        }
    }
    #[cfg(not(unix))]
    interrupt.await;
}

/// Waits for the next signal of that kind.
#[cfg(unix)]
async fn received(kind: tokio::signal::unix::SignalKind) {
    match tokio::signal::unix::signal(kind) {
        Ok(mut signals) => drop(signals.recv().await),
        Err(_) => std::future::pending::<()>().await,
    }
}

/// Whether SIGHUP is ignored, as by a process that `nohup` started: it must stay so. Returns true where that is not
/// known. The bits of `SigIgn` are documented in `proc_pid_status(5)`.
#[cfg(unix)]
fn is_hangup_ignored() -> bool {
    const HANGUP_BIT: u64 = 1;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).is_none_or(|bits| bits & HANGUP_BIT != 0)
}
