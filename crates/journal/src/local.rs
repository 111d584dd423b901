//! The three phases by rules, for use without a model (`local`). The rules do not interpret meaning: the text stays as
//! it is, and targets are found by shared words. What an earlier apply left without its link is completed first.

use aha_notes::change::earlier_additions;
use aha_notes::knowledge::classify::MIN_CONFIDENCE;
use aha_notes::knowledge::pages::{IndexedPage, bracketed_links, links, links_without_embeds};
use aha_notes::knowledge::{Candidate, PageIndex, Placement, judge, reword};
use aha_notes::{Action, Document, Graph, NotesError};

use crate::days::{Day, JournalBlock};
use crate::decisions::{deselect, take_over};
use crate::plan::{Decision, Plan, PlanAction, PlannedBlock};

/// Value of [`Plan::made_by`] for plans made by rules.
pub const MADE_BY: &str = "local";
/// Number of pages proposed for a piece of knowledge.
const MAX_PROPOSALS: usize = 3;
/// The page score that corresponds to a confidence of 0.5.
const EVEN_SCORE: f64 = 6.0;

/// Makes a plan of all the days, by rules alone.
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
                if resume(&index, &candidates(&index, &planned, MAX_PROPOSALS), &mut planned) {
                    plan.blocks.push(planned);
                    continue;
                }
                let proposed = proposed_targets(graph, &index, &planned);
                plan.skipped_existing += take_over_by_rules(&mut planned, proposed);
                deselect_unlinked(graph, &index, &mut planned);
                plan.blocks.push(planned);
            }
        }
    }
    Ok(plan)
}

/// Stores the targets in the block as [`take_over`] does. Rules find pages only by shared words, so if a page contains
/// the text already, no other page is selected.
fn take_over_by_rules(block: &mut PlannedBlock, proposed: Vec<Decision>) -> usize {
    let skipped = take_over(block, proposed);
    if skipped > 0 {
        deselect(block);
    }
    skipped
}

/// Selects the additions that an earlier apply made of a block's knowledge to the candidate pages without the link in
/// the journal day: applied again, they add only that. Returns whether there are any.
pub fn resume(index: &PageIndex, candidates: &[Candidate], block: &mut PlannedBlock) -> bool {
    let pages = candidates.iter().filter_map(|candidate| Some((candidate, index.pages().get(candidate.page)?)));
    let additions = pages.flat_map(|(candidate, page)| {
        let made = earlier_additions(&page.document, &page.name, &block.block);
        made.into_iter().map(|(action, target)| addition_made(candidate, &page.document, action, target))
    });
    let additions: Vec<Decision> = additions.collect();
    if additions.is_empty() {
        return false;
    }
    (block.apply, block.note, block.decisions) = (true, None, additions);
    true
}

fn addition_made(candidate: &Candidate, page: &Document, action: Action, target: Option<String>) -> Decision {
    let text = target.as_deref().and_then(|id| Some(page.block_text(page.find(&candidate.name, id)?)));
    Decision {
        target_page: candidate.name.clone(),
        is_new_page: false,
        action: if action == Action::AddUnder { PlanAction::AddUnder } else { PlanAction::AddSection },
        target_block_id: target,
        target_block_title: text.as_deref().map(title),
        target_text: text,
        confidence: 1.0,
        reasoning: "it was written there, and the journal day has no link to it yet".to_owned(),
        apply: true,
    }
}

/// Returns the beginning of a block's first line.
fn title(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(80).collect()
}

/// If a block links to a page that does not exist yet, selects only an existing page that is linked, too: shared words
/// say less than its writer.
fn deselect_unlinked(graph: &Graph, index: &PageIndex, block: &mut PlannedBlock) {
    let missing = bracketed_links(index.format(), &block.text).into_iter().find(|name| !is_known(graph, index, name));
    let Some(missing) = missing.filter(|_| block.apply) else { return };
    let linked = links(index.format(), &format!("{} {}", block.text, block.above.join(" ")));
    let is_linked = |name: &str| {
        let mut pages = index.pages().iter().filter(|page| page.name == name);
        pages.any(|page| linked.iter().any(|link| page.is_named(link)))
    };
    block.decisions.iter_mut().for_each(|decision| decision.apply = false);
    let is_selected = |decision: &&mut Decision| !decision.is_new_page && is_linked(&decision.target_page);
    if let Some(decision) = block.decisions.iter_mut().find(is_selected) {
        decision.apply = true;
        return;
    }
    block.apply = false;
    block.note = Some(format!(
        "\"{missing}\", which it links to, does not exist yet: choose that page or another one, on the screens, on the \
         web or in a plan file"
    ));
}

fn is_known(graph: &Graph, index: &PageIndex, name: &str) -> bool {
    graph.day_named(name).is_some() || index.pages().iter().any(|page| page.is_named(name))
}

/// Returns the block as planned, `None` if it is not classified as knowledge.
#[must_use]
pub fn classify(day: &Day, block: &JournalBlock) -> Option<PlannedBlock> {
    let judgement = judge(&block.text);
    let reason = judgement.reasons.first().copied().unwrap_or_default();
    let date = day.page.day?;
    (judgement.confidence >= MIN_CONFIDENCE).then(|| planned(day, block, date, judgement.confidence, reason.to_owned()))
}

/// Returns the plan entry of a block that was classified as knowledge, not yet reworded and without targets.
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

/// The page that is always proposed for text from outside the journal, in addition to pages with matching words.
const COLLECTION_PAGE: &str = "Aha Radar";

/// Makes a plan for text that is not from a journal day, such as a story. `id` identifies the text, so that keeping it
/// twice writes it once.
///
/// # Errors
/// When the graph's pages cannot be read.
pub fn keep(graph: &Graph, id: &str, day: chrono::NaiveDate, text: &str) -> Result<Plan, NotesError> {
    let index = PageIndex::read(graph)?;
    let mut block = PlannedBlock {
        block: id.to_owned(),
        day,
        page: String::new(),
        file: String::new(),
        text: text.to_owned(),
        above: Vec::new(),
        confidence: 1.0,
        reason: "you chose to keep it".to_owned(),
        reworded: text.to_owned(),
        apply: true,
        decisions: Vec::new(),
        note: None,
    };
    let known = index.pages().iter().any(|page| page.name.eq_ignore_ascii_case(COLLECTION_PAGE));
    let mut proposed = proposed_targets(graph, &index, &block);
    proposed.push(Decision {
        is_new_page: !known,
        confidence: COLLECTION_CONFIDENCE,
        reasoning: "what is kept from digests is collected here".to_owned(),
        ..new_section(COLLECTION_PAGE)
    });
    let mut plan = Plan::new(graph.root(), MADE_BY);
    plan.skipped_existing = take_over_by_rules(&mut block, proposed);
    // If no existing page fits, the page for collected text is selected.
    if !block.apply
        && plan.skipped_existing == 0
        && let Some(decision) = block.decisions.iter_mut().find(|decision| decision.target_page == COLLECTION_PAGE)
    {
        decision.apply = true;
        (block.apply, block.note) = (true, None);
    }
    plan.blocks.push(block);
    Ok(plan)
}

/// Confidence of the page that is always proposed. It ranks below all pages that match.
const COLLECTION_CONFIDENCE: f64 = 0.3;

/// Returns a decision to add a section at the end of a new page.
fn new_section(page: &str) -> Decision {
    Decision {
        target_page: page.to_owned(),
        is_new_page: true,
        action: PlanAction::AddSection,
        target_block_id: None,
        target_block_title: None,
        target_text: None,
        confidence: 0.5,
        reasoning: "the block links to this page, which does not exist yet".to_owned(),
        apply: false,
    }
}

/// Returns the pages that may fit a block's knowledge, including the existing pages that it links to.
#[must_use]
pub fn candidates(index: &PageIndex, block: &PlannedBlock, limit: usize) -> Vec<Candidate> {
    let context = block.above.join(" ");
    let linked = links(index.format(), &format!("{} {context}", block.text));
    index.candidates(&block.reworded, &context, &linked, limit)
}

fn proposed_targets(graph: &Graph, index: &PageIndex, block: &PlannedBlock) -> Vec<Decision> {
    let found = candidates(index, block, MAX_PROPOSALS);
    let mut proposed_targets: Vec<Decision> =
        found.iter().map(|candidate| target_on(index, candidate, block)).collect();
    // The first page that the block links to and that does not exist yet.
    let missing_page =
        links_without_embeds(index.format(), &block.text).into_iter().find(|name| !is_known(graph, index, name));
    proposed_targets.extend(missing_page.map(|name| new_section(&name)));
    proposed_targets
}

fn target_on(index: &PageIndex, candidate: &Candidate, block: &PlannedBlock) -> Decision {
    let text = block.reworded.as_str();
    let placement = index.placement(candidate, text);
    let page = &index.pages()[candidate.page];
    let (action, target) = match placement {
        Placement::Section => (PlanAction::AddSection, None),
        Placement::Under(block) => (PlanAction::AddUnder, Some(block)),
        Placement::Exists(block) => (PlanAction::SkipExists, Some(block)),
    };
    let ids = target.map(|_| page.document.ids(&page.name));
    let target_text = target.map(|block| page.document.block_text(block));
    let confidence = candidate.score / (candidate.score + EVEN_SCORE);
    Decision {
        target_page: candidate.name.clone(),
        is_new_page: false,
        action,
        target_block_id: target.and_then(|block| ids.and_then(|ids| ids.get(block).cloned())),
        target_block_title: target_text.as_deref().map(title),
        target_text,
        confidence: if placement_is_same(placement) { 0.95 } else { (confidence * 1000.0).round() / 1000.0 },
        reasoning: reasoning(&index.shared_words(candidate, text), &links(index.format(), &block.text), page),
        apply: false,
    }
}

/// Number of shared words listed in a reason.
const MAX_NAMED_WORDS: usize = 3;

fn reasoning(shared: &[String], links: &[String], page: &IndexedPage) -> String {
    if links.iter().any(|link| page.is_named(link)) {
        return "the block links to this page".to_owned();
    }
    if shared.is_empty() {
        return "what stands above it shares words with this page".to_owned();
    }
    let named: Vec<String> = shared.iter().take(MAX_NAMED_WORDS).map(|word| format!("“{word}”")).collect();
    format!("it shares {} with this page", named.join(", "))
}

const fn placement_is_same(placement: Placement) -> bool {
    matches!(placement, Placement::Exists(_))
}

#[cfg(test)]
mod tests;
