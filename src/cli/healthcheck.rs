//! `aha-radar healthcheck`: for containers. Exit 0 while the daemon answers `ok` or `degraded`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde::Deserialize;

use crate::config::Config;

use super::exit::Exit;
use super::output;

const TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Deserialize)]
struct Health {
    status: String,
}

pub(super) async fn run(config: &Config) -> Result<Exit> {
    let url = format!("http://{}/health", reachable(config.listen));
    let client = reqwest::Client::builder().no_proxy().timeout(TIMEOUT).build()?;
    let asked = async { anyhow::Ok(serde_json::from_str::<Health>(&client.get(&url).send().await?.text().await?)?) };
    let health = asked
        .await
        .with_context(|| format!("no daemon answers at {url}; is it running, and is AHA_LISTEN the same for both?"))?;
    output::print(&health.status)?;
    Ok(if matches!(health.status.as_str(), "ok" | "degraded") { Exit::Ok } else { Exit::Failed })
}

/// A daemon that listens on all addresses is asked at loopback.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}
