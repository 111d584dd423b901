//! Limits on the stories that a run may consider and summarise, by budget tier, number of sources and depth.

use aha_core::topic::BudgetTier;

/// Maximum number of stories of one source in the top section.
pub const TOP_OF_ONE_SOURCE: usize = 2;

/// Limits of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunLimits {
    /// Maximum number of stories for triage.
    pub candidates: usize,
    /// Maximum number of stories with a deep summary.
    pub deep_summaries: usize,
}

struct Tier {
    base: f64,
    per_source: f64,
    min: f64,
    max: f64,
    deep_share: f64,
    max_deep: f64,
}

impl RunLimits {
    /// candidates = clamp((base + per source · sources) · (0.5 + 1.5 · depth / 100)).
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to 25..=2000"
    )]
    pub fn of(tier: BudgetTier, sources: usize, depth: u8) -> Self {
        let tier = match tier {
            BudgetTier::Low => {
                Tier { base: 30.0, per_source: 10.0, min: 25.0, max: 300.0, deep_share: 0.0, max_deep: 0.0 }
            }
            BudgetTier::Normal => {
                Tier { base: 70.0, per_source: 20.0, min: 50.0, max: 700.0, deep_share: 0.15, max_deep: 40.0 }
            }
            BudgetTier::High => {
                Tier { base: 200.0, per_source: 60.0, min: 100.0, max: 2000.0, deep_share: 0.30, max_deep: 150.0 }
            }
        };
        let unclamped = (tier.base + tier.per_source * sources as f64) * (0.5 + 1.5 * f64::from(depth) / 100.0);
        let candidates = unclamped.round().clamp(tier.min, tier.max);
        let deep = (candidates * tier.deep_share).min(tier.max_deep).floor();
        Self { candidates: candidates as usize, deep_summaries: deep as usize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plan_grows_with_sources_and_keeps_its_limits() {
        assert_eq!(RunLimits::of(BudgetTier::Normal, 10, 50), RunLimits { candidates: 338, deep_summaries: 40 });
        assert_eq!(RunLimits::of(BudgetTier::Normal, 59, 50).candidates, 700);
        assert_eq!(RunLimits::of(BudgetTier::Low, 1, 0), RunLimits { candidates: 25, deep_summaries: 0 });
    }
}
