//! The reason shown with a story: that of its judgement, and what the judge does not know: the rule that boosts it.

use aha_core::verdict::Verdict;

use super::rank::Ranked;
use super::task_batch::TaskResult;
use crate::digest::view::{RULE_BOOSTS, is_generic_reason};

pub(super) fn reason(verdict: Option<&Verdict>, judgement: Option<&TaskResult>, ranked: &Ranked) -> String {
    let reason = match (verdict, judgement.and_then(|judgement| judgement.failure.as_ref())) {
        (Some(verdict), _) => verdict.reason.clone(),
        (None, Some(failure)) => format!("Not judged: {failure}"),
        (None, None) => "Not judged.".to_owned(),
    };
    match boost(ranked) {
        None => reason,
        Some(boost) if is_generic_reason(&reason) => boost,
        Some(boost) => format!("{}; {boost}", reason.trim_end_matches('.')),
    }
}

/// Formats `+15: your rule boosts source:LWN`.
fn boost(ranked: &Ranked) -> Option<String> {
    let (rule, debug) = (ranked.boosted_by.as_ref()?, &ranked.debug);
    let with = |boost: f64| (debug.base * debug.source_weight * boost).clamp(0.0, 100.0);
    let points = with(debug.rule_boost) - with(1.0);
    Some(format!("{points:+.0}: {RULE_BOOSTS} {rule}"))
}

#[cfg(test)]
mod tests {
    use aha_core::digest::ScoreDebug;
    use aha_llm::local;

    use super::*;

    fn ranked(base: f64, boosted_by: Option<&str>) -> Ranked {
        let rule_boost = if boosted_by.is_some() { 1.5 } else { 1.0 };
        Ranked {
            story: 0,
            section: None,
            label: None,
            percentile: 0,
            debug: ScoreDebug { base, source_weight: 1.0, rule_boost, ..ScoreDebug::default() },
            boosted_by: boosted_by.map(str::to_owned),
        }
    }

    fn verdict(reason: &str) -> Verdict {
        let verdict = serde_json::json!({
            "schema_version": "", "prompt_id": "", "provider": "some", "model": "", "aha_score": 40, "reason": reason,
            "is_relevant": true, "is_novel": true, "categories": [], "should_deep_summarize": false,
        });
        serde_json::from_value(verdict).unwrap()
    }

    #[test]
    fn a_reason_names_the_rule_that_boosts_a_story() {
        let of = |reason: &str, base| super::reason(Some(&verdict(reason)), None, &ranked(base, Some("source:LWN")));
        assert_eq!(of("A new kernel.", 30.0), "A new kernel; +15: your rule boosts source:LWN");
        assert_eq!(of("A new kernel", 90.0), "A new kernel; +10: your rule boosts source:LWN");
        assert_eq!(of(local::NO_EVIDENCE, 30.0), "+15: your rule boosts source:LWN");
        assert_eq!(reason(None, None, &ranked(30.0, None)), "Not judged.");
    }
}
