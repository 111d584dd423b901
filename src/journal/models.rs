//! Probes the servers of the models that the phases would ask, without asking the models.

use aha_llm::Router;
use aha_llm::probe::{Probed, probe};
use aha_llm::route::{Backend, Route};
use aha_llm::tasks::journal::{CLASSIFY, INTEGRATE, REWORD};
use aha_llm::transport::Http;

use crate::config::Config;
use crate::services::models::terms::masked;

/// Returns each model once, in the order in which the phases ask.
pub async fn probed(config: &Config) -> Vec<Probed> {
    let router = Router::configured(&config.llm);
    let mut chosen: Vec<Route> = Vec::new();
    for task in [CLASSIFY, REWORD, INTEGRATE] {
        for route in router.choose(task, config.budget_tier) {
            if !route.is_local() && chosen.iter().all(|known| known.model != route.model) {
                chosen.push(route);
            }
        }
    }
    let http = Http::within(config.llm.egress);
    let mut found = Vec::new();
    for route in &chosen {
        let key = match &route.backend {
            Backend::Wire(wire) => wire.server.key.as_ref().map(masked),
            Backend::Local => None,
        };
        found.extend(probe(&http, route, key).await);
    }
    found
}
