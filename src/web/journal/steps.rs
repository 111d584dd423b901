//! What the steps show of a plan, and how their forms change it. Statements are identified by their index in the plan.

use aha_journal::Plan;
use aha_journal::plan::{NO_PAGES, ONLY_REPLACEMENTS};

use crate::web::form::SentForm;
use crate::web::pages::percent;

/// A block with its wording.
pub(super) struct Statement {
    pub(super) number: usize,
    pub(super) day: String,
    pub(super) text: String,
    pub(super) reworded: String,
    pub(super) reason: String,
    pub(super) percent: u32,
    pub(super) ticked: bool,
    pub(super) note: String,
}

/// A block with its possible target pages.
pub(super) struct Places {
    pub(super) number: usize,
    pub(super) reworded: String,
    pub(super) note: String,
    pub(super) decisions: Vec<Place>,
}

pub(super) struct Place {
    pub(super) number: usize,
    pub(super) words: String,
    pub(super) reasoning: String,
    pub(super) percent: u32,
    pub(super) ticked: bool,
}

pub(super) fn statements(plan: &Plan) -> Vec<Statement> {
    let statement = |(number, block): (usize, &aha_journal::PlannedBlock)| Statement {
        number,
        day: block.day.to_string(),
        text: block.text.clone(),
        reworded: block.reworded.clone(),
        reason: block.reason.clone(),
        percent: percent(block.confidence),
        // A statement for which no page is selected may get one in the next step.
        ticked: block.apply
            || !block.decisions.is_empty() && matches!(block.note.as_deref(), Some(NO_PAGES | ONLY_REPLACEMENTS)),
        note: block.note.clone().unwrap_or_default(),
    };
    plan.blocks.iter().enumerate().map(statement).collect()
}

/// Applies the selection and the wordings of the second step.
pub(super) fn select_statements(plan: &mut Plan, form: &SentForm) {
    for (number, block) in plan.blocks.iter_mut().enumerate() {
        block.apply = form.is_set(&format!("keep_{number}"));
        let text = form.text(&format!("text_{number}"));
        if !text.is_empty() {
            text.replace("\r\n", "\n").clone_into(&mut block.reworded);
        }
    }
}

/// Returns the selected blocks, each with its possible target pages.
pub(super) fn target_pages(plan: &Plan) -> Vec<Places> {
    let kept = plan.blocks.iter().enumerate().filter(|(_, block)| block.apply);
    kept.map(|(number, block)| Places {
        number,
        reworded: block.reworded.clone(),
        note: block.note.clone().unwrap_or_default(),
        decisions: block.decisions.iter().enumerate().map(place).collect(),
    })
    .collect()
}

fn place((number, decision): (usize, &aha_journal::Decision)) -> Place {
    use aha_journal::PlanAction;
    let page = &decision.target_page;
    let title = decision.target_block_title.as_deref().unwrap_or("a block");
    let words = match decision.action {
        PlanAction::AddSection if decision.is_new_page => format!("A new page, {page}"),
        PlanAction::AddSection => format!("{page}, at its end"),
        PlanAction::AddUnder => format!("{page}, below “{title}”"),
        PlanAction::Replace => format!("{page}, in the place of “{title}”"),
        PlanAction::SkipExists => format!("{page} says it already"),
    };
    Place {
        number,
        words,
        reasoning: decision.reasoning.clone(),
        percent: percent(decision.confidence),
        ticked: decision.apply,
    }
}

/// Applies the selection of the third step.
pub(super) fn select_pages(plan: &mut Plan, form: &SentForm) {
    for (number, block) in plan.blocks.iter_mut().enumerate() {
        for (place, decision) in block.decisions.iter_mut().enumerate() {
            decision.apply = form.is_set(&format!("place_{number}_{place}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_statement_of_which_only_a_replacement_is_proposed_comes_to_the_next_step() {
        let mut plan = Plan::new(Path::new("/g"), "models");
        let block = serde_json::json!({
            "block": "k1", "day": "2026-03-02", "page": "P", "file": "p.md", "text": "T", "above": [],
            "confidence": 0.9, "reason": "r", "reworded": "T", "apply": false, "note": ONLY_REPLACEMENTS,
            "decisions": [{ "target_page": "P", "is_new_page": false, "action": "replace", "target_block_id": "b1",
                            "target_block_title": null, "target_text": "T", "confidence": 0.9, "reasoning": "r",
                            "apply": false }],
        });
        plan.blocks.push(serde_json::from_value(block).unwrap());
        assert!(statements(&plan)[0].ticked);
        assert!(!place((0, &plan.blocks[0].decisions[0])).ticked);
    }
}
