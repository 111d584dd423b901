//! `aha-radar daemon`.

use std::pin::pin;

use anyhow::Result;

use crate::app::App;
use crate::config::Config;
use crate::shutdown::asked_to_stop;

use super::arguments::GraphArgument;
use super::exit::Exit;

/// `graph`: the notes that the journal pages work on.
pub(super) async fn run(config: Config, graph: GraphArgument) -> Result<Exit> {
    let config = with_graph(config, graph);
    // One future for both: a signal between them is not lost.
    let mut stop = pin!(asked_to_stop());
    if let Some(store) = crate::daemon::open(&config, stop.as_mut()).await? {
        crate::daemon::run(App::new(config, store)?, stop).await?;
    }
    Ok(Exit::Ok)
}

/// Sets the folder of the notes, and logs if there is none at that path: everything but the journal works without it.
pub(super) fn with_graph(mut config: Config, graph: GraphArgument) -> Config {
    config.journal.graph = graph.graph.or(config.journal.graph);
    if let Some(graph) = config.journal.missing_graph() {
        let graph = graph.display();
        tracing::warn!(%graph, "there is no such folder of notes, so the journal cannot work; set AHA_JOURNAL_GRAPH");
    }
    config
}
