//! Filters the proposed targets of a block, whether a model or the rules proposed them, by the rules of the contract.

use crate::plan::{Decision, NO_PAGES, PlanAction, PlannedBlock};

/// A target with lower confidence is dropped.
pub const MIN_CONFIDENCE: f64 = 0.30;
/// Maximum number of targets on one page for one piece of knowledge.
const MAX_TARGETS_PER_PAGE: usize = 2;

/// Stores the accepted targets in the block, the most confident first, and selects the first on an existing page. If a
/// page already contains the knowledge, the block is deselected. Returns whether that is so.
pub fn take_over(block: &mut PlannedBlock, mut proposed: Vec<Decision>) -> bool {
    proposed.retain(|decision| decision.confidence >= MIN_CONFIDENCE);
    proposed.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
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
    let existing = accepted
        .iter()
        .find(|decision| decision.action == PlanAction::SkipExists)
        .map(|decision| decision.target_page.clone());
    block.decisions = accepted;
    if let Some(page) = existing {
        block.apply = false;
        block.note = Some(format!("\"{page}\" says it already"));
        return true;
    }
    let chosen = block.decisions.iter_mut().find(|decision| !decision.is_new_page);
    match chosen {
        Some(decision) => decision.apply = true,
        None => block.note = Some(NO_PAGES.to_owned()),
    }
    block.apply = block.decisions.iter().any(|decision| decision.apply);
    false
}
