//! What may be spent, and what happens as the limit comes near.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::money::MicroCredits;

/// From this share of a cap on, `fallback_low` asks the low tier, and every rendering says so.
pub const APPROACHING: f64 = 0.80;
/// From this share of a cap on, a run plans for much less.
pub const CRITICAL: f64 = 0.95;

/// What happens before a cap is reached. None lets a cap be exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetPolicy {
    /// Keep the tier until the cap.
    #[default]
    Warn,
    /// Ask the low tier's models from [`APPROACHING`] on.
    FallbackLow,
    /// Begin no further paid stage once a call was refused.
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

/// Upper limits in micro-credits; `None` is no limit. Days and months are those of UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Caps {
    /// Of one run, whatever its passes and attempts.
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
