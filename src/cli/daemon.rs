//! `aha-radar daemon`.

use anyhow::Result;

use crate::app::App;
use crate::config::Config;

use super::arguments::GraphArgument;
use super::exit::Exit;

/// `graph`: the notes that the journal pages work on.
pub(super) async fn run(mut config: Config, graph: GraphArgument) -> Result<Exit> {
    config.journal.graph = graph.graph.or(config.journal.graph);
    if let Some(store) = crate::daemon::open(&config).await? {
        crate::daemon::run(App::new(config, store)?).await?;
    }
    Ok(Exit::Ok)
}
