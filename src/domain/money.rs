//! Money is whole micro-credits: 1 credit = 1,000,000.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An amount in micro-credits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MicroCredits(pub i64);

impl MicroCredits {
    pub const ZERO: Self = Self(0);
    pub const PER_CREDIT: i64 = 1_000_000;
}

impl fmt::Display for MicroCredits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, rest) =
            (self.0.unsigned_abs() / Self::PER_CREDIT as u64, self.0.unsigned_abs() % Self::PER_CREDIT as u64);
        if rest == 0 {
            return write!(f, "{sign}{whole}");
        }
        let fraction = format!("{rest:06}");
        write!(f, "{sign}{whole}.{}", fraction.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_without_rounding() {
        for (amount, text) in [(0, "0"), (1, "0.000001"), (1_500_000, "1.5"), (-2_000_001, "-2.000001")] {
            assert_eq!(MicroCredits(amount).to_string(), text);
        }
    }
}
