//! `aha-radar healthcheck`: for containers. Exit 0 while the daemon answers `ok` or `degraded`.

use anyhow::Result;

use crate::config::Config;

use super::exit::Exit;
use super::output;
use crate::services::daemon_client;

pub(super) async fn run(config: &Config) -> Result<Exit> {
    let status = daemon_client::health(config).await?.status;
    output::print(&output::one_safe_text(&status))?;
    Ok(if matches!(status.as_str(), "ok" | "degraded") { Exit::Ok } else { Exit::Failed })
}
