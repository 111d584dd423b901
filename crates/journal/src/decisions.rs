//! What of the proposed places is shown, by whomever they were proposed: the rules of the contract, held once more on this side.

use crate::plan::{Decision, NO_PAGES, PlanAction, PlannedBlock};

/// A place of less confidence is dropped.
pub const LEAST_CONFIDENCE: f64 = 0.30;
/// Places that one page may have for one piece of knowledge.
const MOST_OF_A_PAGE: usize = 2;

/// Takes over the places for a block, the best first and that one chosen. Knowledge that stands anywhere already is not written; says whether it is so.
pub fn take_over(block: &mut PlannedBlock, mut proposed: Vec<Decision>) -> bool {
    proposed.retain(|decision| decision.confidence >= LEAST_CONFIDENCE);
    proposed.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let mut kept: Vec<Decision> = Vec::new();
    for mut decision in proposed {
        let same_page = kept.iter().filter(|other| other.target_page == decision.target_page);
        let same_place =
            |other: &&Decision| other.action == decision.action && other.target_block_id == decision.target_block_id;
        if same_page.clone().count() < MOST_OF_A_PAGE && !same_page.clone().any(|other| same_place(&other)) {
            decision.apply = false;
            kept.push(decision);
        }
    }
    let existing = kept
        .iter()
        .find(|decision| decision.action == PlanAction::SkipExists)
        .map(|decision| decision.target_page.clone());
    block.decisions = kept;
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
