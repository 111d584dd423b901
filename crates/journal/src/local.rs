//! The three phases by rules: what `local` does where no model is configured. It guesses no meaning: the text stays word for word, and a place is where the
//! same words stand.

use aha_notes::knowledge::classify::LEAST_CONFIDENCE;
use aha_notes::knowledge::pages::links;
use aha_notes::knowledge::{Candidate, PageIndex, Placement, judge, reword};
use aha_notes::{Graph, NotesError};

use crate::days::{Day, JournalBlock};
use crate::decisions::take_over;
use crate::plan::{Decision, Plan, PlanAction, PlannedBlock};

/// What plans of it are said to be made by.
pub const MADE_BY: &str = "local";
/// Pages that are proposed for a piece of knowledge.
const PROPOSED: usize = 3;
/// A score of so much is as likely right as wrong.
const EVEN_SCORE: f64 = 6.0;

/// A plan of all the days, by rules alone.
///
/// # Errors
/// When the graph's pages cannot be read.
pub fn extract(graph: &Graph, days: &[Day]) -> Result<Plan, NotesError> {
    let index = PageIndex::read(graph)?;
    let mut plan = Plan::new(graph.root(), MADE_BY);
    for day in days {
        for block in day.blocks() {
            if let Some(mut planned) = classify(day, &block) {
                planned.reworded = reword(&block.text, &block.above);
                let proposed = places(&index, &planned);
                plan.skipped_existing += usize::from(take_over(&mut planned, proposed));
                plan.blocks.push(planned);
            }
        }
    }
    Ok(plan)
}

/// The block as planned, if it is taken for knowledge.
#[must_use]
pub fn classify(day: &Day, block: &JournalBlock) -> Option<PlannedBlock> {
    let judgement = judge(&block.text);
    let reason = judgement.reasons.first().copied().unwrap_or_default();
    let date = day.page.day?;
    (judgement.confidence >= LEAST_CONFIDENCE)
        .then(|| planned(day, block, date, judgement.confidence, reason.to_owned()))
}

/// A block that somebody takes for knowledge.
#[must_use]
pub fn planned(
    day: &Day,
    block: &JournalBlock,
    date: chrono::NaiveDate,
    confidence: f64,
    reason: String,
) -> PlannedBlock {
    PlannedBlock {
        block: block.id.clone(),
        day: date,
        page: day.page.name.clone(),
        file: day.file.clone(),
        text: block.text.clone(),
        above: block.above.clone(),
        confidence: (confidence * 1000.0).round() / 1000.0,
        reason,
        reworded: block.text.clone(),
        apply: true,
        decisions: Vec::new(),
        note: None,
    }
}

/// The pages that a block's knowledge may belong to, with those that it links to.
#[must_use]
pub fn candidates(index: &PageIndex, block: &PlannedBlock, limit: usize) -> Vec<Candidate> {
    let context = block.above.join(" ");
    index.candidates(&block.reworded, &context, &links(&format!("{} {context}", block.text)), limit)
}

fn places(index: &PageIndex, block: &PlannedBlock) -> Vec<Decision> {
    let found = candidates(index, block, PROPOSED);
    let mut places: Vec<Decision> = found.iter().map(|candidate| place(index, candidate, &block.reworded)).collect();
    let known = |name: &String| index.pages().iter().any(|page| page.name.eq_ignore_ascii_case(name));
    // A page that is linked to and not there yet.
    let wanted = links(&block.text).into_iter().find(|name| !known(name));
    places.extend(wanted.map(|name| Decision {
        target_page: name,
        is_new_page: true,
        action: PlanAction::AddSection,
        target_block_id: None,
        target_block_title: None,
        target_text: None,
        confidence: 0.5,
        reasoning: "the block links to this page, which does not exist yet".to_owned(),
        apply: false,
    }));
    places
}

fn place(index: &PageIndex, candidate: &Candidate, text: &str) -> Decision {
    let placement = index.placement(candidate, text);
    let page = &index.pages()[candidate.page];
    let (action, target) = match placement {
        Placement::Section => (PlanAction::AddSection, None),
        Placement::Under(block) => (PlanAction::AddUnder, Some(block)),
        Placement::Exists(block) => (PlanAction::SkipExists, Some(block)),
    };
    let ids = target.map(|_| page.document.ids(&page.name));
    let said = target.map(|block| page.document.block_text(block));
    let confidence = candidate.score / (candidate.score + EVEN_SCORE);
    Decision {
        target_page: candidate.name.clone(),
        is_new_page: false,
        action,
        target_block_id: target.and_then(|block| ids.and_then(|ids| ids.get(block).cloned())),
        target_block_title: said
            .as_ref()
            .map(|said| said.lines().next().unwrap_or_default().chars().take(80).collect()),
        target_text: said,
        confidence: if placement_is_same(placement) { 0.95 } else { (confidence * 1000.0).round() / 1000.0 },
        reasoning: "it shares words with this page".to_owned(),
        apply: false,
    }
}

const fn placement_is_same(placement: Placement) -> bool {
    matches!(placement, Placement::Exists(_))
}
