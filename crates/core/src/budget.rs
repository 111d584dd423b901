//! Spending caps, and what happens as spending approaches them.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::money::MicroCredits;

/// Share of a cap from which `fallback_low` uses the low tier and every rendering shows a warning.
pub const APPROACHING: f64 = 0.80;
/// Share of a cap from which a run plans for much less work.
pub const CRITICAL: f64 = 0.95;

/// What happens before a cap is reached. No policy lets a cap be exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetPolicy {
    /// Keep the tier until the cap.
    #[default]
    Warn,
    /// Use the low tier's models from [`APPROACHING`] on.
    FallbackLow,
    /// Begin no further paid stage once a call has been refused.
    Stop,
}

impl FromStr for BudgetPolicy {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "warn" => Ok(Self::Warn),
            "fallback_low" => Ok(Self::FallbackLow),
            "stop" => Ok(Self::Stop),
            _ => Err(()),
        }
    }
}

/// Upper limits in micro-credits; `None` means no limit. Days and months are in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Caps {
    /// For one run, including all its passes and attempts.
    pub run: Option<MicroCredits>,
    pub day: Option<MicroCredits>,
    pub month: Option<MicroCredits>,
}

impl Caps {
    #[must_use]
    pub const fn is_set(&self) -> bool {
        self.run.is_some() || self.day.is_some() || self.month.is_some()
    }
}
