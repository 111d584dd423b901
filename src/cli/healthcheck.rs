//! `aha-radar healthcheck`: for containers. Exit 0 while the daemon answers `ok` or `degraded`. Problems go to standard
//! error.

use anyhow::Result;

use crate::config::Config;

use super::exit::Exit;
use super::output;
use crate::services::daemon_client;
use crate::services::health::HealthStatus;

pub(super) async fn run(config: &Config) -> Result<Exit> {
    let health = daemon_client::health(config).await?;
    output::print(health.status.as_str())?;
    for problem in &health.problems {
        output::note(&problem.to_string());
    }
    Ok(match health.status {
        HealthStatus::Ok | HealthStatus::Degraded => Exit::Ok,
        HealthStatus::Error => Exit::Failed,
    })
}
