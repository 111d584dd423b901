//! `aha-radar healthcheck`: for containers. Exit 0 while the daemon answers `ok` or `degraded`.

use anyhow::Result;

use crate::config::Config;

use super::exit::Exit;
use super::output;
use crate::services::daemon_client;
use crate::services::health::HealthStatus;

pub(super) async fn run(config: &Config) -> Result<Exit> {
    let status = daemon_client::health(config).await?.status;
    output::print(status.as_str())?;
    Ok(match status {
        HealthStatus::Ok | HealthStatus::Degraded => Exit::Ok,
        HealthStatus::Error => Exit::Failed,
    })
}
