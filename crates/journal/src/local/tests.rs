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
    assert_eq!(plan.blocks[0].decisions[0].reasoning, "it shares “fresnel”, “lenses”, “lighthouses” with this page");
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
    for (file, text) in
        [("logseq/config.edn", "{}"), ("pages/C.md", "- Structs are copied"), ("pages/C%23.md", "- Structs are copied")]
    {
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
        let (folder, graph) =
            graph_of(&[(".obsidian/app.json", "{}"), ("2026-03-02.md", &format!("- {said}\n")), ("Bread.md", page)]);
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
