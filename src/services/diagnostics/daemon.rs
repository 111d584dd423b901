//! Findings about a running daemon: its health, and which providers' circuits are open. Only the daemon's process has
//! the circuit breakers, so it has to be asked.

use aha_core::time::Timestamp;

use super::super::daemon_client::{self, HealthError};
use super::super::health::{HealthReport, HealthStatus, OpenCircuitReport};
use super::Findings;
use crate::config::Config;

pub(super) async fn status(config: &Config, findings: &mut Findings) {
    match daemon_client::health(config).await {
        Ok(health) => describe(config, &health, findings),
        Err(HealthError::NoAnswer { url, .. }) => {
            let what = "only a running daemon knows which servers it has paused";
            findings.ok("daemon", format!("none answers at {url} (AHA_LISTEN); {what}"));
        }
        Err(error @ HealthError::AnotherProgram { .. }) => findings.note("daemon", error.to_string()),
    }
}

fn describe(config: &Config, health: &HealthReport, findings: &mut Findings) {
    let HealthReport { status, version, open_circuits, problems, .. } = health;
    let text = format!("version {version} answers at {}: {}", daemon_client::url(config), status.as_str());
    let text = std::iter::once(text).chain(problems.iter().map(ToString::to_string)).collect::<Vec<_>>().join("; ");
    match status {
        HealthStatus::Ok => findings.ok("daemon", text),
        HealthStatus::Degraded | HealthStatus::Error => findings.note("daemon", text),
    }
    if open_circuits.is_empty() {
        findings.ok("breakers", "all are closed: the daemon has paused no model's server");
    }
    let now = config.clock.wall();
    for circuit in open_circuits {
        let OpenCircuitReport { provider, seconds, .. } = circuit;
        let until = Timestamp::from_millis(now.as_millis().saturating_add(i64::from(*seconds) * 1000));
        let why = circuit.failed();
        findings
            .note("breakers", format!("the daemon has paused {provider} for {seconds} s more, until {until}: {why}"));
    }
}
