//! The dependencies of a gateway.

use std::fmt;
use std::sync::Arc;

use aha_core::clock::Clock;

use super::breaker::Breakers;
use super::prompt::Prompts;
use super::retry_policy::RetryPolicy;
use super::router::Router;
use super::transport::Transport;
use crate::settings::BudgetSettings;

/// A source of random numbers in `0.0..1.0`.
pub type Jitter = Arc<dyn Fn() -> f64 + Send + Sync>;

/// The dependencies and settings of the gateway.
#[derive(Clone)]
pub struct GatewayParts {
    pub router: Router,
    pub prompts: Arc<Prompts>,
    pub transport: Arc<dyn Transport>,
    pub clock: Clock,
    pub budget: BudgetSettings,
    pub language: String,
    /// Replaces the tasks' policies, for tests that do not wait.
    pub retry_override: Option<RetryPolicy>,
    /// The circuit breakers, shared with all other callers of the same servers.
    pub breakers: Arc<Breakers>,
    pub jitter: Jitter,
    /// No model is called and nothing is spent: `local` answers, and the models' cost is estimated.
    pub dry_run: bool,
}

impl fmt::Debug for GatewayParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GatewayParts").field("router", &self.router).finish_non_exhaustive()
    }
}
