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

/// The page that is proposed for what is kept from elsewhere, besides those that fit by their words.
const COLLECTED: &str = "Aha Radar";

/// A plan that keeps something that stands on no journal day, such as a story. `id`: what it is known by, so that keeping it twice writes it once.
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
    let known = index.pages().iter().any(|page| page.name.eq_ignore_ascii_case(COLLECTED));
    let mut proposed = places(&index, &block);
    proposed.push(Decision {
        is_new_page: !known,
        confidence: LEAST_CONFIDENCE_KEPT,
        reasoning: "what is kept from digests is collected here".to_owned(),
        ..new_section(COLLECTED)
    });
    let mut plan = Plan::new(graph.root(), MADE_BY);
    plan.skipped_existing = usize::from(take_over(&mut block, proposed));
    // Where no page fits, the new one does.
    if !block.apply
        && plan.skipped_existing == 0
        && let Some(decision) = block.decisions.iter_mut().find(|decision| decision.target_page == COLLECTED)
    {
        decision.apply = true;
        (block.apply, block.note) = (true, None);
    }
    plan.blocks.push(block);
    Ok(plan)
}

/// Of the page that is always proposed: below all that fit.
const LEAST_CONFIDENCE_KEPT: f64 = 0.3;

/// A section at the end of a page.
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

/// The pages that a block's knowledge may belong to, with those that it links to.
#[must_use]
pub fn candidates(index: &PageIndex, block: &PlannedBlock, limit: usize) -> Vec<Candidate> {
    let context = block.above.join(" ");
    index.candidates(&block.reworded, &context, &links(&format!("{} {context}", block.text)), limit)
}

fn places(index: &PageIndex, block: &PlannedBlock) -> Vec<Decision> {
    let found = candidates(index, block, PROPOSED);
    let mut places: Vec<Decision> = found.iter().map(|candidate| place(index, candidate, block)).collect();
    let known = |name: &String| index.pages().iter().any(|page| page.name.eq_ignore_ascii_case(name));
    // A page that is linked to and not there yet.
    let wanted = links(&block.text).into_iter().find(|name| !known(name));
    places.extend(wanted.map(|name| new_section(&name)));
    places
}

fn place(index: &PageIndex, candidate: &Candidate, block: &PlannedBlock) -> Decision {
    let text = block.reworded.as_str();
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
        reasoning: reasoning(&index.shared_words(candidate, text), &links(&block.text), &candidate.name),
        apply: false,
    }
}

/// Words that a reason names.
const NAMED: usize = 3;

fn reasoning(shared: &[String], links: &[String], page: &str) -> String {
    if links.iter().any(|link| link.eq_ignore_ascii_case(page)) {
        return "the block links to this page".to_owned();
    }
    if shared.is_empty() {
        return "what stands above it shares words with this page".to_owned();
    }
    let named: Vec<String> = shared.iter().take(NAMED).map(|word| format!("“{word}”")).collect();
    format!("it shares {} with this page", named.join(", "))
}

const fn placement_is_same(placement: Placement) -> bool {
    matches!(placement, Placement::Exists(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_goes_to_a_page_that_fits_or_to_the_one_that_collects() {
        let folder = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("logseq/config.edn", "{}");
        write("pages/Lighthouses.md", "- Lighthouses with Fresnel lenses are seen twenty miles away");
        let graph = Graph::open(folder.path()).unwrap();
        let day = chrono::NaiveDate::from_ymd_opt(2026, 3, 3).unwrap();
        let plan = keep(&graph, "story:1", day, "Octopuses brood their eggs for fifty months").unwrap();
        let decision = &plan.blocks[0].decisions[0];
        assert!(plan.blocks[0].apply && decision.apply && decision.is_new_page, "{plan:?}");
        let changes = plan.changes();
        assert_eq!((changes[0].page.as_str(), changes[0].origin.is_none()), ("Aha Radar", true));
        let plan = keep(&graph, "story:2", day, "Fresnel lenses of lighthouses weigh five tonnes").unwrap();
        let chosen: Vec<&str> = plan
            .changes()
            .iter()
            .map(|change| change.page.clone())
            .map(|page| if page == "Lighthouses" { "fits" } else { "other" })
            .collect();
        assert_eq!(chosen, ["fits"], "{plan:?}");
        assert_eq!(
            plan.blocks[0].decisions[0].reasoning,
            "it shares “fresnel”, “lenses”, “lighthouses” with this page"
        );
    }

    #[test]
    fn words_that_every_text_has_lead_to_no_page() {
        let page = aha_notes::Document::parse(
            aha_notes::Format::Outline,
            "- Executors\n\t- they move tasks between threads along the way",
        );
        let index = PageIndex::of(vec![("Rust".to_owned(), page)]);
        let found = index.candidates("Vessels need a pilot between buoy 7 and the basin along the quay", "", &[], 3);
        assert!(found.is_empty(), "{found:?}");
    }
}
