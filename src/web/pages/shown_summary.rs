//! A summary, prepared for display: that of a deep dive, or one kept for a story.

use aha_core::digest::DigestStory;
use aha_core::summary::Summary;

use crate::digest::sanitise::text as cleaned;

/// A summary with sanitised lines.
pub(super) struct ShownSummary {
    pub(super) one_liner: String,
    pub(super) lists: Vec<(&'static str, Vec<String>)>,
    pub(super) by: String,
}

impl ShownSummary {
    pub(super) fn of(summary: &Summary) -> Self {
        let lines = |raw: &[String]| raw.iter().map(|line| cleaned(line)).filter(|line| !line.is_empty()).collect();
        let lists: [(&'static str, Vec<String>); 4] = [
            ("", lines(&summary.bullets)),
            ("Why it matters", lines(&summary.why_it_matters)),
            ("Caveats", lines(&summary.risks_or_caveats)),
            ("What next", lines(&summary.suggested_followups)),
        ];
        Self {
            one_liner: cleaned(&summary.one_liner),
            lists: lists.into_iter().filter(|(_, lines)| !lines.is_empty()).collect(),
            by: format!("{}/{}", summary.provider, summary.model),
        }
    }

    /// Returns the summary that was kept for a story.
    pub(super) fn kept(story: &DigestStory) -> Option<Self> {
        story.kept_summary.as_ref().map(Self::of)
    }
}
