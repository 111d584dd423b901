//! Filters the proposed targets of a block, whether a model or the rules proposed them, by the rules of the contract.

use std::collections::BTreeSet;

use crate::plan::{Decision, NO_PAGES, ONLY_REPLACEMENTS, PlanAction, PlannedBlock};

/// A target with lower confidence is dropped.
pub const MIN_CONFIDENCE: f64 = 0.30;
/// Maximum number of targets on one page for one piece of knowledge.
const MAX_TARGETS_PER_PAGE: usize = 2;

/// Stores the accepted targets in the block, the most confident first, and selects the first on an existing page that
/// adds to it: a replacement removes text, so only the user selects it. A page that already contains the knowledge gets
/// no other target. Returns the number of targets that say so.
pub fn take_over(block: &mut PlannedBlock, mut proposed: Vec<Decision>) -> usize {
    proposed.retain(|decision| decision.confidence >= MIN_CONFIDENCE);
    proposed.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let existing: BTreeSet<String> =
        proposed.iter().filter(|one| is_existing(one)).map(|one| one.target_page.clone()).collect();
    proposed.retain(|decision| is_existing(decision) || !existing.contains(&decision.target_page));
    let mut accepted: Vec<Decision> = Vec::new();
    for mut decision in proposed {
        let same_page = accepted.iter().filter(|other| other.target_page == decision.target_page);
        let same_target =
            |other: &&Decision| other.action == decision.action && other.target_block_id == decision.target_block_id;
        if same_page.clone().count() < MAX_TARGETS_PER_PAGE && !same_page.clone().any(|other| same_target(&other)) {
            decision.apply = false;
            accepted.push(decision);
        }
    }
    block.decisions = accepted;
    let adds = |decision: &&mut Decision| {
        !decision.is_new_page && matches!(decision.action, PlanAction::AddSection | PlanAction::AddUnder)
    };
    let chosen = block.decisions.iter_mut().find(adds);
    match chosen {
        Some(decision) => (decision.apply, block.apply, block.note) = (true, true, None),
        None => deselect(block),
    }
    block.decisions.iter().filter(|one| is_existing(one)).count()
}

/// Deselects a block and all its targets, and notes why it is not written.
pub(crate) fn deselect(block: &mut PlannedBlock) {
    block.apply = false;
    block.decisions.iter_mut().for_each(|decision| decision.apply = false);
    let has_replacement = block.decisions.iter().any(|decision| decision.action == PlanAction::Replace);
    block.note = Some(match block.decisions.iter().find(|one| is_existing(one)) {
        Some(decision) => format!("\"{}\" says it already", decision.target_page),
        None if has_replacement => ONLY_REPLACEMENTS.to_owned(),
        None => NO_PAGES.to_owned(),
    });
}

fn is_existing(decision: &Decision) -> bool {
    decision.action == PlanAction::SkipExists
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    use super::*;

    fn target(page: &str, action: PlanAction, confidence: f64) -> Decision {
        Decision {
            target_page: page.to_owned(),
            is_new_page: false,
            action,
            target_block_id: None,
            target_block_title: None,
            target_text: None,
            confidence,
            reasoning: String::new(),
            apply: false,
        }
    }

    /// Returns the block with these targets, and the number of those that are already there.
    fn taken_over(proposed: Vec<Decision>) -> (PlannedBlock, usize) {
        let mut block = PlannedBlock {
            block: "k1".to_owned(),
            day: NaiveDate::from_ymd_opt(2026, 3, 2).unwrap(),
            page: String::new(),
            file: String::new(),
            text: String::new(),
            above: Vec::new(),
            confidence: 0.9,
            reason: String::new(),
            reworded: String::new(),
            apply: true,
            decisions: Vec::new(),
            note: None,
        };
        let skipped = take_over(&mut block, proposed);
        (block, skipped)
    }

    fn chosen(block: &PlannedBlock) -> Vec<&str> {
        block.decisions.iter().filter(|one| one.apply).map(|one| one.target_page.as_str()).collect()
    }

    #[test]
    fn a_page_that_says_it_already_withholds_only_itself() {
        let (block, skipped) = taken_over(vec![
            target("P", PlanAction::SkipExists, 0.7),
            target("P", PlanAction::AddSection, 0.9),
            target("Q", PlanAction::AddSection, 0.6),
        ]);
        let kept: Vec<(&str, PlanAction)> =
            block.decisions.iter().map(|one| (one.target_page.as_str(), one.action)).collect();
        assert_eq!(kept, [("P", PlanAction::SkipExists), ("Q", PlanAction::AddSection)]);
        assert_eq!((chosen(&block), block.apply, &block.note, skipped), (vec!["Q"], true, &None, 1));
    }

    #[test]
    fn what_is_on_all_proposed_pages_is_not_written_and_each_page_is_counted() {
        let (block, skipped) =
            taken_over(vec![target("P", PlanAction::SkipExists, 0.9), target("Q", PlanAction::SkipExists, 0.8)]);
        assert_eq!((block.apply, block.note.as_deref(), skipped), (false, Some("\"P\" says it already"), 2));
    }

    #[test]
    fn a_replacement_is_never_selected() {
        let (block, _) =
            taken_over(vec![target("P", PlanAction::Replace, 0.9), target("Q", PlanAction::AddUnder, 0.5)]);
        assert_eq!(chosen(&block), ["Q"]);
        let (block, _) = taken_over(vec![target("P", PlanAction::Replace, 0.9)]);
        assert_eq!((block.apply, block.note.as_deref()), (false, Some(ONLY_REPLACEMENTS)));
        assert!(chosen(&block).is_empty() && block.decisions.len() == 1, "{block:?}");
    }
}
