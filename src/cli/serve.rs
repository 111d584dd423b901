//! `aha-radar serve`: pages, API and feeds, without a schedule.

use std::pin::pin;

use anyhow::Result;
use tokio_util::sync::CancellationToken;

use super::arguments::GraphArgument;
use super::daemon::with_graph;
use super::exit::Exit;
use crate::app::App;
use crate::config::Config;
use crate::services::runs::Runs;
use crate::shutdown::{asked_to_stop, finish_calls};
use crate::web::Server;

/// `graph`: the notes that the journal pages work on.
pub(super) async fn run(config: Config, graph: GraphArgument) -> Result<Exit> {
    let config = with_graph(config, graph);
    // One future for the whole start: a signal meanwhile is not lost.
    let mut stop = pin!(asked_to_stop());
    let Some(store) = crate::daemon::open(&config, stop.as_mut()).await? else { return Ok(Exit::Ok) };
    let app = App::new(config, store)?;
    let runs = Runs::new(app.clone());
    let server = Server::bind(app.clone(), runs.clone()).await?;
    tracing::info!(address = %server.url(), version = env!("CARGO_PKG_VERSION"), "serving");
    let closing = CancellationToken::new();
    let mut serving = tokio::spawn(server.run(closing.clone()));
    tokio::select! {
        ended = &mut serving => {
            ended?;
            return Ok(Exit::Ok);
        }
        () = stop => tracing::info!("asked to stop"),
    }
    finish_calls(&app, runs.ended()).await;
    closing.cancel();
    serving.await?;
    Ok(Exit::Ok)
}
