//! The three phases by rules, for use without a model (`local`). The rules do not interpret meaning: the text stays as
//! it is, and targets are found by shared words.

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
mod tests {
    use aha_notes::{Outcome, State, apply, undo};
    use chrono::NaiveDate;

    use super::*;
    use crate::days::{Range, days};

    #[test]
    fn collected_text_goes_to_a_matching_page_or_the_collection_page() {
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
    fn rules_select_no_other_page_if_one_contains_the_text() {
        let (_folder, graph) = graph_of(&[
            ("logseq/config.edn", "{}"),
            ("pages/Lighthouses.md", "- Fresnel lenses of lighthouses weigh five tonnes"),
            ("pages/Lenses.md", "- Fresnel lenses are made of rings\n- Lenses of lighthouses are cleaned"),
        ]);
        let day = chrono::NaiveDate::from_ymd_opt(2026, 3, 3).unwrap();
        let plan = keep(&graph, "story:1", day, "Fresnel lenses of lighthouses weigh five tonnes").unwrap();
        assert_eq!(plan.skipped_existing, 1, "{plan:?}");
        assert!(!plan.blocks[0].apply && plan.changes().is_empty(), "{plan:?}");
        assert_eq!(plan.blocks[0].note.as_deref(), Some("\"Lighthouses\" says it already"));
    }

    #[test]
    fn a_link_leads_to_the_page_whose_name_contains_a_number_sign() {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in [
            ("logseq/config.edn", "{}"),
            ("pages/C.md", "- Structs are copied"),
            ("pages/C%23.md", "- Structs are copied"),
        ] {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let graph = Graph::open(folder.path()).unwrap();
        let day = chrono::NaiveDate::from_ymd_opt(2026, 3, 3).unwrap();
        let text = "[[C#]] boxes structs that are cast to an interface; [[F#]] does, too";
        let decisions = &keep(&graph, "story:1", day, text).unwrap().blocks[0].decisions;
        assert_eq!(
            (decisions[0].target_page.as_str(), decisions[0].reasoning.as_str()),
            ("C#", "the block links to this page"),
            "{decisions:?}"
        );
        assert!(decisions.iter().any(|decision| decision.target_page == "F#" && decision.is_new_page), "{decisions:?}");
        assert!(decisions.iter().all(|decision| decision.target_page != "F"), "{decisions:?}");
    }

    /// Returns the pages that do not exist yet and are proposed for a text.
    fn new_pages(graph: &Graph, text: &str) -> Vec<String> {
        let day = chrono::NaiveDate::from_ymd_opt(2026, 3, 4).unwrap();
        let plan = keep(graph, "story:1", day, text).unwrap();
        let proposed = plan.blocks[0].decisions.iter().filter(|decision| decision.is_new_page);
        proposed.map(|decision| decision.target_page.clone()).filter(|page| page != COLLECTION_PAGE).collect()
    }

    fn graph_of(files: &[(&str, &str)]) -> (tempfile::TempDir, Graph) {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let graph = Graph::open(folder.path()).unwrap();
        (folder, graph)
    }

    #[test]
    fn neither_an_existing_page_nor_a_day_nor_an_embedded_file_is_proposed_as_a_new_page() {
        let (_folder, graph) = graph_of(&[
            ("logseq/config.edn", "{}"),
            ("pages/JavaScript.md", "alias:: JS, [[ECMAScript]]\n\n- Closures"),
            ("pages/Rust.md", "title:: Rust language\n\n- Borrowing"),
            ("pages/Übung.md", "- Scales"),
            ("journals/2026_03_01.md", "- Said"),
        ]);
        let known = ["[[JS]]", "[[ecmascript]]", "[[übung]]", "[[rust LANGUAGE]]", "#js"];
        let days = ["[[Mar 1st, 2026]]", "[[Mar 3rd, 2026]]", "[[2026_03_01]]"];
        for link in known.into_iter().chain(days).chain(["![[diagram.png]]"]) {
            let proposed = new_pages(&graph, &format!("Octopuses brood their eggs for months {link}"));
            assert!(proposed.is_empty(), "{link}: {proposed:?}");
        }
        assert_eq!(new_pages(&graph, "[[JS]] is not [[Mar 1st, 2026]] and not [[Java]]"), ["Java"]);
    }

    #[test]
    fn a_page_of_plain_markdown_is_known_by_its_path_and_a_daily_note_is_no_page() {
        let (_folder, graph) =
            graph_of(&[("Rust/Async.md", "Executors"), ("2026-03-03.md", "Lunch"), ("Boats.md", "Tugs")]);
        for link in ["[[Rust/Async]]", "[[async|futures]]", "[[2026-03-03]]", "[[Daily/2026-03-02]]"] {
            let proposed = new_pages(&graph, &format!("Octopuses brood their eggs for months {link}"));
            assert!(proposed.is_empty(), "{link}: {proposed:?}");
        }
    }

    fn day() -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 3, 2).unwrap()
    }

    /// Makes a plan of 2 March by the rules.
    fn planned_day(graph: &Graph) -> Plan {
        extract(graph, &days(graph, Some(Range { first: day(), last: day() }), day()).unwrap()).unwrap()
    }

    #[test]
    fn a_repeated_extraction_adds_the_link_that_an_earlier_apply_could_not_add() {
        let said = "Bread dough over 80 % hydration sticks to the hands unless they are wet. [[Bread]]";
        for page in ["# Bread\n\n## Dough\n\n- Rye dough needs acid.\n", "# Bread\n", "- Flour\n"] {
            let (folder, graph) = graph_of(&[
                (".obsidian/app.json", "{}"),
                ("2026-03-02.md", &format!("- {said}\n")),
                ("Bread.md", page),
            ]);
            let text = |file: &str| std::fs::read_to_string(folder.path().join(file)).unwrap();
            let state = State::open(&folder.path().join(".state"), graph.root()).unwrap();
            // The temporary file cannot be written, as in a folder that is read only.
            let obstacle = folder.path().join(".2026-03-02.md.00000001-00002.aha-part");
            std::fs::create_dir(&obstacle).unwrap();
            let applied = apply(&graph, &state, &planned_day(&graph).changes(), None).unwrap();
            let [Outcome::Failed(error @ NotesError::NotLinked { .. })] = &applied.outcomes[..] else {
                panic!("{applied:?}")
            };
            assert!(error.to_string().starts_with("page \"Bread\" is written, but the journal day"), "{error}");
            let written = text("Bread.md");
            assert!(written.contains("sticks to the hands"), "{written}");
            assert_eq!(text("2026-03-02.md"), format!("- {said}\n"));

            std::fs::remove_dir(&obstacle).unwrap();
            let plan = planned_day(&graph);
            assert_eq!((plan.blocks.len(), plan.skipped_existing), (1, 0), "{plan:?}");
            let applied = apply(&graph, &state, &plan.changes(), None).unwrap();
            assert!(matches!(&applied.outcomes[..], [Outcome::Written { .. }]), "{applied:?}");
            assert_eq!(text("Bread.md"), written);
            let id = plan.changes()[0].block_id();
            assert_eq!(text("2026-03-02.md"), format!("- {said}\n  extracted-to:: [[Bread#^{id}]]\n"));
            assert!(planned_day(&graph).blocks.is_empty());
            for _ in 0..2 {
                undo(&graph, &state).unwrap();
            }
            assert_eq!((text("Bread.md").as_str(), text("2026-03-02.md")), (page, format!("- {said}\n")));
        }
    }

    #[test]
    fn a_link_to_a_page_that_does_not_exist_outweighs_shared_words() {
        let said = "Decision: we use UTC in WAL logs because local time jumps twice a year.";
        for (links, selected) in [
            ("", Some("Sqlite")),
            ("[[Logging]]", None),
            ("[[Sqlite]]", Some("Sqlite")),
            ("[[Logging]] [[Sqlite]]", Some("Sqlite")),
            ("#logging", Some("Sqlite")),
            ("![[clock.png]]", Some("Sqlite")),
            ("[[2026-03-01]]", Some("Sqlite")),
        ] {
            let (_folder, graph) = graph_of(&[
                (".obsidian/app.json", "{}"),
                ("2026-03-02.md", &format!("- {said} {links}\n")),
                ("Sqlite.md", "# Sqlite\n\n- WAL mode lets readers and one writer work at the same time.\n"),
            ]);
            let plan = planned_day(&graph);
            let block = &plan.blocks[0];
            let found: Vec<&str> =
                block.decisions.iter().filter(|one| one.apply).map(|one| one.target_page.as_str()).collect();
            assert_eq!(found, selected.into_iter().collect::<Vec<_>>(), "{links}: {block:?}");
            assert_eq!((block.apply, block.note.is_none()), (selected.is_some(), selected.is_some()), "{links}");
        }
    }

    #[test]
    fn what_a_page_says_without_an_apply_gets_no_link() {
        let said = "Bread dough over 80 % hydration sticks to the hands unless they are wet. [[Bread]]";
        let (_folder, graph) = graph_of(&[
            (".obsidian/app.json", "{}"),
            ("2026-03-02.md", &format!("- {said}\n")),
            ("Bread.md", &format!("# Bread\n\n{said} ^by-hand\n")),
        ]);
        let plan = planned_day(&graph);
        assert_eq!((plan.skipped_existing, plan.changes().len()), (1, 0), "{plan:?}");
    }

    #[test]
    fn common_words_match_no_page() {
        let page = aha_notes::Document::parse(
            aha_notes::Format::Outline,
            "- Executors\n\t- they move tasks between threads along the way",
        );
        let index = PageIndex::of(vec![("Rust".to_owned(), page)]);
        let found = index.candidates("Vessels need a pilot between buoy 7 and the basin along the quay", "", &[], 3);
        assert!(found.is_empty(), "{found:?}");
    }
}
