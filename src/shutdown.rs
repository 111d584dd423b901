//! The signals by which a process is asked to stop, and what it waits for afterwards.

use std::time::Duration;

use crate::app::App;

/// How long a process waits for requests and model calls in progress, as for the calls of a run. What has not ended by
/// then stays charged at its reservation.
const MAX_WAIT: Duration = Duration::from_secs(15);

/// Waits for the requests that cost or change something and for the model calls in progress, so that answers are stored
/// and their costs known.
pub async fn finish_calls(app: &App) {
    if tokio::time::timeout(MAX_WAIT, app.finish_background()).await.is_err() {
        let waited_s = MAX_WAIT.as_secs();
        tracing::warn!(
            waited_s,
            "calls or requests in progress did not end; calls stay charged as reserved, unsettled"
        );
    }
}

/// Waits for the first SIGINT or SIGTERM.
pub async fn asked_to_stop() {
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
