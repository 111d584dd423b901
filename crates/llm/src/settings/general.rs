//! Shared by the sections of the `OPENAI_…` settings: model names, general variables, timeouts.

use std::time::Duration;

use aha_core::settings::Reader;
use aha_core::topic::BudgetTier;
use aha_net::endpoint::is_local_network;
use serde::Deserialize;
use url::Url;

/// Timeout of a remote provider.
const REMOTE_TIMEOUT_SECONDS: u64 = 120;
/// Timeout of a model on the user's own machine or network, which may be slow (its first byte alone may take five
/// minutes).
const OWN_TIMEOUT_SECONDS: u64 = 600;

/// Model names: of a task's tiers, of the task, and for all tasks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Models {
    pub(super) by_tier: [Option<String>; 3],
    pub(super) of_task: Option<String>,
    pub(super) of_all: Option<String>,
}

impl Models {
    pub(super) fn of(&self, tier: BudgetTier) -> Option<&String> {
        self.by_tier[tier as usize].as_ref().or(self.of_task.as_ref()).or(self.of_all.as_ref())
    }

    pub(super) fn any(&self) -> bool {
        BudgetTier::ALL.iter().any(|tier| self.of(*tier).is_some())
    }

    /// Whether the task names a model of its own at any tier.
    pub(super) fn names_any(&self) -> bool {
        BudgetTier::ALL.into_iter().any(|tier| self.is_named(tier))
    }

    /// Whether the task names a model of its own at that tier.
    pub(super) fn is_named(&self, tier: BudgetTier) -> bool {
        self.by_tier[tier as usize].is_some() || self.of_task.is_some()
    }
}

/// The general variables, without their prefix.
#[derive(Debug, Default, Deserialize)]
pub(super) struct RawGeneral {
    pub(super) api_key: Option<String>,
    pub(super) api_key_file: Option<String>,
    pub(super) endpoint: Option<String>,
    pub(super) base_url: Option<String>,
    pub(super) model: Option<String>,
    pub(super) credits_per_1k_input_tokens: Option<String>,
    pub(super) credits_per_1k_output_tokens: Option<String>,
}

/// Returns the configured timeout, else the default for that kind of server.
pub(crate) fn time_allowed(endpoint: &Url, set: Option<u64>) -> Duration {
    let default = if is_local_network(endpoint) { OWN_TIMEOUT_SECONDS } else { REMOTE_TIMEOUT_SECONDS };
    Duration::from_secs(set.unwrap_or(default))
}

/// Reads the variables with a prefix, which is removed.
pub(super) fn section<T: serde::de::DeserializeOwned>(
    pairs: &[(String, String)],
    prefix: &str,
) -> Result<T, envy::Error> {
    envy::prefixed(prefix).from_iter(pairs.iter().cloned())
}

/// Reads the address of a server. One that cannot be used is not shown, because it may contain a key.
pub(super) fn address(
    reader: &mut Reader,
    text: Option<String>,
    (variable, expected, example): (&str, &str, &'static str),
    parse: impl Fn(&str) -> Option<Url>,
) -> Option<Url> {
    let read = parse(text?.trim());
    if read.is_none() {
        reader.problem(variable, Some("…".to_owned()), expected, example);
    }
    read
}

pub(super) fn trimmed(name: Option<String>) -> Option<String> {
    name.map(|name| name.trim().to_owned())
}
