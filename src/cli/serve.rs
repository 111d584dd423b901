//! `aha-radar serve`: pages, API and feeds, without a schedule.

use anyhow::Result;

use super::arguments::GraphArgument;
use super::exit::Exit;
use crate::app::App;
use crate::config::Config;
use crate::services::runs::Runs;
use crate::shutdown::{asked_to_stop, finish_calls};
use crate::web::Server;

/// `graph`: the notes that the journal pages work on.
pub(super) async fn run(mut config: Config, graph: GraphArgument) -> Result<Exit> {
    config.journal.graph = graph.graph.or(config.journal.graph);
    let Some(store) = crate::daemon::open(&config).await? else { return Ok(Exit::Ok) };
    let app = App::new(config, store)?;
    let runs = Runs::new(app.clone());
    let server = Server::bind(app.clone(), runs.clone()).await?;
    tracing::info!(address = %server.url(), version = env!("CARGO_PKG_VERSION"), "serving");
    tokio::select! {
        ended = server.run() => ended?,
        () = asked_to_stop() => tracing::info!("asked to stop"),
    }
    tokio::join!(runs.end(), finish_calls(&app));
    Ok(Exit::Ok)
}
