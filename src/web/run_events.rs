//! A run as it goes on, as server-sent events: `run` for each change, `end` when it is over.

use std::convert::Infallible;

use axum::response::sse::{Event, KeepAlive, Sse};
use futures::stream::{self, Stream};
use tokio::sync::watch;

use crate::services::runs::RunStatus;

/// Sends a run's status as it is now, and each change of it, as the text that `data` makes of it.
pub(super) fn run_events(
    status: watch::Receiver<RunStatus>,
    data: fn(&RunStatus) -> String,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let changes =
        stream::unfold(Some((status, true)), move |state: Option<(watch::Receiver<RunStatus>, bool)>| async move {
            let (mut status, is_first) = state?;
            if !is_first && status.changed().await.is_err() {
                return None;
            }
            let run = status.borrow_and_update().clone();
            let is_over = run.end.is_some();
            let event = Event::default().event(if is_over { "end" } else { "run" }).data(data(&run));
            Some((Ok(event), (!is_over).then_some((status, false))))
        });
    Sse::new(changes).keep_alive(KeepAlive::default())
}
