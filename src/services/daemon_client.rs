//! The daemon that runs, asked how it is: `GET /health` on `AHA_LISTEN`. Called by `healthcheck` and by the services of
//! models and diagnostics.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use reqwest::Response;
use serde::Deserialize;
use thiserror::Error;

use crate::config::Config;

const TIMEOUT: Duration = Duration::from_secs(5);
/// Whoever answers more than this is no daemon of ours.
const MAX_BYTES: usize = 64 * 1024;

/// What it says.
#[derive(Debug, Deserialize)]
pub struct Health {
    pub status: String,
    pub version: String,
    #[serde(default)]
    pub left_alone: Vec<LeftAlone>,
}

/// A provider whose server has failed again and again.
#[derive(Debug, Deserialize)]
pub struct LeftAlone {
    pub provider: String,
    /// Scheme, host and port.
    #[serde(default)]
    pub server: String,
    /// Until one call asks whether it is back.
    pub seconds: u32,
}

/// Why nothing is known of it.
#[derive(Debug, Error)]
pub enum Unknown {
    #[error("no daemon answers at {url}; is it running, and is AHA_LISTEN the same for both? ({error})")]
    NoAnswer { url: String, error: reqwest::Error },
    #[error("what answers at {url} is no daemon of Aha Radar; set AHA_LISTEN to the daemon's address")]
    AnotherProgram { url: String },
}

/// Where it is asked.
#[must_use]
pub fn url(config: &Config) -> String {
    format!("http://{}/health", reachable(config.listen))
}

/// Asks it.
///
/// # Errors
/// When nothing answers, or something else does.
pub async fn health(config: &Config) -> Result<Health, Unknown> {
    let url = url(config);
    let asked = async {
        let client = aha_net::client::builder().no_proxy().timeout(TIMEOUT).build()?;
        body(client.get(&url).send().await?).await
    };
    match asked.await {
        Ok(body) => serde_json::from_slice(&body).map_err(|_| Unknown::AnotherProgram { url }),
        Err(error) => Err(Unknown::NoAnswer { url, error: error.without_url() }),
    }
}

/// The beginning of it, which is all there is of ours.
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

/// A daemon that listens on all addresses is asked at loopback.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}
