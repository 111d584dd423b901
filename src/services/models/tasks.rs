//! Which models each task asks, by tier. Asks none of them.

use aha_core::topic::BudgetTier;
use aha_llm::{Router, Task, tasks};
use serde::Serialize;

use crate::config::Config;

/// The models of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskModels {
    pub task: &'static str,
    pub description: &'static str,
    /// Tiers with the same models are merged.
    pub tiers: Vec<TierModels>,
}

/// The models of some tiers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TierModels {
    /// `low`, `normal`, `high`; all three if the tier makes no difference.
    pub tiers: Vec<&'static str>,
    /// In the order in which they are asked, `local` included; empty if none can do the task.
    pub models: Vec<String>,
}

/// Returns all tasks in display order.
#[must_use]
pub fn by_task(config: &Config) -> Vec<TaskModels> {
    let router = Router::configured(&config.llm);
    let tiers_of = |task| {
        let mut tiers: Vec<TierModels> = Vec::new();
        for tier in BudgetTier::ALL {
            let chain = router.candidates(task, tier);
            let models: Vec<String> = chain.iter().map(|candidate| candidate.model.to_string()).collect();
            match tiers.iter_mut().find(|known| known.models == models) {
                Some(known) => known.tiers.push(tier.as_str()),
                None => tiers.push(TierModels { tiers: vec![tier.as_str()], models }),
            }
        }
        tiers
    };
    let models =
        |task: &Task| TaskModels { task: task.as_str(), description: task.description(), tiers: tiers_of(*task) };
    tasks::ALL.iter().map(models).collect()
}
