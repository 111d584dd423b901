//! Asks a running daemon for its health: `GET /health` on `AHA_LISTEN`. Called by `healthcheck` and by the services of
//! models and diagnostics.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use reqwest::Response;
use thiserror::Error;

use super::health::HealthReport;
use crate::config::Config;

const TIMEOUT: Duration = Duration::from_secs(5);
/// A longer response is not from our daemon.
const MAX_BYTES: usize = 256 * 1024;

/// Why the health is unknown.
#[derive(Debug, Error)]
pub enum HealthError {
    #[error("no daemon answers at {url}; is it running, and is AHA_LISTEN the same for both? ({error})")]
    NoAnswer { url: String, error: reqwest::Error },
    #[error("what answers at {url} is no daemon of Aha Radar; set AHA_LISTEN to the daemon's address")]
    AnotherProgram { url: String },
}

/// Returns the address of the health endpoint.
#[must_use]
pub fn url(config: &Config) -> String {
    format!("http://{}/health", reachable(config.listen))
}

/// Requests the health report.
///
/// # Errors
/// When nothing answers, or another program does.
pub async fn health(config: &Config) -> Result<HealthReport, HealthError> {
    let url = url(config);
    let asked = async {
        let client = aha_net::client::builder().no_proxy().timeout(TIMEOUT).build()?;
        body(client.get(&url).send().await?).await
    };
    match asked.await {
        Ok(body) => serde_json::from_slice(&body).map_err(|_| HealthError::AnotherProgram { url }),
        Err(error) => Err(HealthError::NoAnswer { url, error: error.without_url() }),
    }
}

/// Reads the body up to the limit; a report of our daemon is shorter.
async fn body(mut answer: Response) -> Result<Vec<u8>, reqwest::Error> {
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_BYTES {
            break;
        }
    }
    Ok(body)
}

/// Returns the loopback address for a daemon that listens on all addresses.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}
