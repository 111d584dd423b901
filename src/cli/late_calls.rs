//! Waits for model calls that a command no longer waits for, before the process ends.

use std::time::Duration;

use super::output;
use crate::app::App;
use crate::services::models;

/// Waiting that is longer than this is explained.
const NOTE_AFTER: Duration = Duration::from_millis(200);

/// Waits for a model that took too long, so that what it does is known and paid for once. `gained`: what the answer is
/// good for.
pub(super) async fn finish(app: &App, gained: &str) {
    tokio::select! {
        biased;
        () = models::settled(app) => return,
        () = tokio::time::sleep(NOTE_AFTER) => {}
    }
    output::note(&format!("aha-radar: the model is late; waiting, so that {gained} (Ctrl-C: leave at once)"));
    tokio::select! {
        () = models::settled(app) => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}
