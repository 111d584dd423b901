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

/// Waits for the first SIGINT or SIGTERM. From then on another one ends the process at once, with exit code 130.
pub async fn asked_to_stop() {
    signalled().await;
    tokio::spawn(async {
        tokio::time::sleep(REPEATED_WITHIN).await;
        signalled().await;
        tracing::warn!("asked to stop again; calls in progress are given up and stay charged as reserved, unsettled");
        std::process::exit(130);
    });
}

/// Waits for the next SIGINT or SIGTERM.
async fn signalled() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let terminate = async {
            match signal(SignalKind::terminate()) {
                Ok(mut terminate) => drop(terminate.recv().await),
                Err(_) => std::future::pending::<()>().await,
            }
        };
        tokio::select! {
            () = interrupt => {}
            () = terminate => {}
        }
    }
    #[cfg(not(unix))]
    interrupt.await;
}
