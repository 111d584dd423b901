//! Which provider and model serve a task at a budget tier.

use crate::domain::topic::BudgetTier;

use super::provider::local;
use super::task::Task;

/// A provider and one of its models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRef {
    pub provider: &'static str,
    pub model: &'static str,
}

/// Chooses; the first of a chain is asked first, the others when it fails.
#[derive(Debug, Clone, Default)]
pub struct Router;

impl Router {
    /// The chain for a task at a tier. With no provider configured that is `local` alone, at every tier.
    #[must_use]
    pub fn choose(&self, _task: Task, _tier: BudgetTier) -> Vec<ModelRef> {
        vec![ModelRef { provider: local::PROVIDER, model: local::MODEL }]
    }
}
