//! What is written to pages and days, and what is not.

#[cfg(unix)]
use std::fs;

use aha_notes::{Action, Change, Graph, NotesError, Outcome, State, apply, preview, undo};
use chrono::NaiveDate;

use super::{DAY, Sample, change, text, write};

#[test]
fn knowledge_goes_to_the_page_first_and_the_journal_links_to_it_once() {
    let sample = Sample::logseq();
    let graph = sample.graph();
    let changes = [
        change(&graph, "Boats", Action::AddUnder, Some("Draughts")),
        change(&graph, "New/Page", Action::AddSection, None),
        change(&graph, "Port/Berths", Action::Replace, Some("Berth 9")),
    ];
    let (previews, failures) = preview(&graph, &changes).unwrap();
    assert!(failures.is_empty(), "{failures:?}");
    let state = sample.state();
    let applied = apply(&graph, &state, &changes, None).unwrap();
    assert!(applied.outcomes.iter().all(|outcome| matches!(outcome, Outcome::Written { .. })), "{applied:?}");
    for preview in &previews {
        assert_eq!(text(graph.root(), &preview.file), preview.after, "the preview is what is written");
    }
    let ids: Vec<String> = changes.iter().map(Change::block_id).collect();
    assert_eq!(
        text(graph.root(), "pages/Boats.md"),
        format!("tags:: #port\n\n- Draughts\n\t- Tug: 4 m\n\t- A pilot boat draws 2.1 m.\n\t  id:: {}\n", ids[0])
    );
    assert_eq!(
        text(graph.root(), "pages/Port___Berths.md"),
        format!("- North\r\n\t- A pilot boat draws 2.1 m.\r\n\t  id:: {}\r\n", ids[2])
    );
    assert_eq!(text(graph.root(), "pages/New___Page.md"), format!("- A pilot boat draws 2.1 m.\n  id:: {}\n", ids[1]));
    let links = format!("[Boats]((({}))), [New/Page]((({}))), [Port/Berths]((({})))", ids[0], ids[1], ids[2]);
    let day = format!("- Standup\n\t- The pilot boat's draught is 2.1 m\n\t  extracted-to:: {links}\n- Lunch");
    assert_eq!(text(graph.root(), "journals/2026_03_02.md"), day);

    let again = apply(&graph, &state, &changes, None).unwrap();
    assert!(again.outcomes.iter().all(|outcome| matches!(outcome, Outcome::AlreadyThere { .. })), "{again:?}");
    assert_eq!(again.set, None);
    assert_eq!(text(graph.root(), "journals/2026_03_02.md"), day);
}

#[test]
fn a_replaced_block_is_still_found_by_the_changes_below_it() {
    let sample = Sample::logseq();
    let graph = sample.graph();
    write(graph.root(), "pages/Boats.md", "- Tugs\n\t- Tug: 4 m\n- Twin\n- Twin\n");
    let other = |text: &str, change: Change| Change { text: text.to_owned(), ..change };
    let twins = graph.read(&graph.page("Boats").unwrap().path).unwrap().ids("Boats");
    let replace = |text: &str, said: &str| other(text, change(&graph, "Boats", Action::Replace, Some(said)));
    let changes = [
        replace("Harbour tugs", "Tugs"),
        Change { target: Some(twins[2].clone()), ..replace("Twin one", "Twin") },
        Change { target: Some(twins[3].clone()), ..replace("Twin two", "Twin") },
        other("Sea tug: 6 m", change(&graph, "Boats", Action::AddUnder, Some("Tug: 4 m"))),
        replace("Tug: 5 m", "Tug: 4 m"),
    ];
    let (previews, failures) = preview(&graph, &changes).unwrap();
    assert!(failures.is_empty(), "{failures:?}");
    let state = sample.state();
    let applied = apply(&graph, &state, &changes, None).unwrap();
    assert!(applied.outcomes.iter().all(|outcome| matches!(outcome, Outcome::Written { .. })), "{applied:?}");
    for (outcome, change) in applied.outcomes.iter().zip(&changes) {
        assert!(matches!(outcome, Outcome::Written { block } if *block == change.block_id()), "{outcome:?}");
    }
    let page = text(graph.root(), "pages/Boats.md");
    assert_eq!(page, previews.iter().find(|preview| preview.file == "pages/Boats.md").unwrap().after);
    let texts: Vec<&str> = page.lines().filter(|line| !line.contains("id:: ")).collect();
    assert_eq!(texts, ["- Harbour tugs", "\t- Tug: 5 m", "\t\t- Sea tug: 6 m", "- Twin one", "- Twin two"]);
    let again = apply(&graph, &state, &changes, None).unwrap();
    assert!(again.outcomes.iter().all(|outcome| matches!(outcome, Outcome::AlreadyThere { .. })), "{again:?}");
    assert_eq!(text(graph.root(), "pages/Boats.md"), page);
}

#[test]
fn todays_page_is_not_written() {
    let sample = Sample::logseq();
    let graph = sample.graph();
    let today = NaiveDate::from_ymd_opt(2026, 3, 2);
    let applied = apply(&graph, &sample.state(), &[change(&graph, "Boats", Action::AddSection, None)], today).unwrap();
    assert!(matches!(&applied.outcomes[0], Outcome::Failed(NotesError::Today(_))), "{applied:?}");
    assert!(!text(graph.root(), "pages/Boats.md").contains("pilot boat"));
}

#[test]
fn a_target_that_says_something_else_now_is_not_replaced() {
    let sample = Sample::logseq();
    let graph = sample.graph();
    let mut change = change(&graph, "Boats", Action::Replace, Some("Tug: 4 m"));
    write(graph.root(), "pages/Boats.md", "- Draughts\n\t- Tug: 5 m\n");
    let applied = apply(&graph, &sample.state(), std::slice::from_ref(&change), None).unwrap();
    assert!(matches!(&applied.outcomes[0], Outcome::Failed(NotesError::NoBlock { .. })), "{applied:?}");
    let Outcome::Failed(error) = &applied.outcomes[0] else { panic!("{applied:?}") };
    assert!(error.to_string().starts_with("page \"Boats\" has no block \"Tug: 4 m\" any more;"), "{error}");
    write(graph.root(), "pages/Boats.md", "- Draughts\n\t- Tug: 5 m\n\t  id:: t-1\n");
    change.target = Some("t-1".to_owned());
    let applied = apply(&graph, &sample.state(), &[change], None).unwrap();
    assert!(matches!(&applied.outcomes[0], Outcome::Failed(NotesError::NoBlock { .. })), "{applied:?}");
}

#[test]
fn a_block_that_is_missing_is_named_by_its_first_words() {
    let sample = Sample::logseq();
    let graph = sample.graph();
    let long = "Tug: 4 m, of which the keel and the rudder below it take 1 m, as do the others";
    let change = change(&graph, "Boats", Action::AddUnder, Some("Draughts"));
    let said = |change: Change| preview(&graph, &[change]).unwrap().1.remove(0).1.to_string();
    write(graph.root(), "pages/Boats.md", "- Tugs\n");
    let lost = "page \"Boats\" has no block \"Draughts\" any more";
    assert!(said(change.clone()).starts_with(lost), "{}", said(change.clone()));
    let with = |text: Option<&str>| said(Change { target_text: text.map(str::to_owned), ..change.clone() });
    assert!(
        with(Some(long)).contains("has no block \"Tug: 4 m, of which the keel and the rudder below it take 1 m…\"")
    );
    assert!(with(Some("Tug\n4 m")).contains("has no block \"Tug…\""));
    // A plan may have no text of its target.
    assert!(with(None).contains(change.target.as_deref().unwrap()), "{}", with(None));
    write(graph.root(), "journals/2026_03_02.md", "- Lunch\n");
    let section = Change { action: Action::AddSection, ..change.clone() };
    let lost = "page \"Mar 2nd, 2026\" has no block \"A pilot boat draws 2.1 m.\" any more";
    assert!(said(section.clone()).starts_with(lost), "{}", said(section.clone()));
}

#[cfg(unix)]
#[test]
fn the_mode_of_a_file_is_kept() {
    use std::os::unix::fs::PermissionsExt as _;
    let sample = Sample::logseq();
    let graph = sample.graph();
    let path = graph.root().join("pages/Boats.md");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    apply(&graph, &sample.state(), &[change(&graph, "Boats", Action::AddSection, None)], None).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn a_folder_of_plain_markdown_is_a_graph() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("vault");
    write(&root, ".obsidian/daily-notes.json", r#"{"folder":"Daily","format":"YYYY-MM-DD"}"#);
    write(&root, "Daily/2026-03-02.md", "# Monday\n\n- The pilot boat's draught is 2.1 m\n- Lunch\n");
    write(&root, "Boats.md", "---\ntags: [port]\n---\n# Boats\n\n## Draughts\n\n- Tug: 4 m\n\n## Crews\n\nText.\n");
    write(&root, "Port/Berths.md", "No heading\n");
    let graph = Graph::open(&root).unwrap();
    let names: Vec<String> = graph.pages().unwrap().into_iter().map(|page| page.name).collect();
    assert_eq!(names, ["Boats", "Berths"]);
    let state = State::open(&folder.path().join("state"), graph.root()).unwrap();
    let changes = [
        change(&graph, "Boats", Action::AddUnder, Some("Draughts")),
        change(&graph, "Boats", Action::AddSection, None),
        change(&graph, "Berths", Action::AddSection, None),
    ];
    let applied = apply(&graph, &state, &changes, None).unwrap();
    assert!(applied.outcomes.iter().all(|outcome| matches!(outcome, Outcome::Written { .. })), "{applied:?}");
    let ids: Vec<String> = changes.iter().map(Change::block_id).collect();
    let said = "A pilot boat draws 2.1 m.";
    assert_eq!(
        text(&root, "Boats.md"),
        format!(
            "---\ntags: [port]\n---\n# Boats\n\n## Draughts\n\n- Tug: 4 m\n- {said} ^{}\n\n## Crews\n\nText.\n\n## Notes\n\n{said} ^{}\n",
            ids[0], ids[1]
        )
    );
    assert_eq!(text(&root, "Port/Berths.md"), format!("No heading\n\n{said} ^{}\n", ids[2]));
    let links = format!("[[Boats#^{}]], [[Boats#^{}]], [[Berths#^{}]]", ids[0], ids[1], ids[2]);
    assert_eq!(
        text(&root, "Daily/2026-03-02.md"),
        format!("# Monday\n\n- The pilot boat's draught is 2.1 m\n  extracted-to:: {links}\n- Lunch\n")
    );
    undo(&graph, &state).unwrap();
    assert_eq!(text(&root, "Port/Berths.md"), "No heading\n");
}

#[test]
fn a_journal_day_is_not_written_as_a_page() {
    let sample = Sample::logseq();
    let graph = sample.graph();
    for name in ["Mar 3rd, 2026", "2026_03_03", " 2026-03-03 "] {
        assert_eq!(graph.day_named(name), NaiveDate::from_ymd_opt(2026, 3, 3), "{name}");
        let error = graph.page(name).unwrap_err();
        assert!(matches!(error, NotesError::DayName(_)), "{name}: {error}");
    }
    assert_eq!(graph.day_named("March"), None);
    let changes = [change(&graph, "Mar 3rd, 2026", Action::AddSection, None)];
    let (previews, failures) = preview(&graph, &changes).unwrap();
    assert!(previews.is_empty() && matches!(failures[..], [(0, NotesError::DayName(_))]), "{failures:?}");
    let applied = apply(&graph, &sample.state(), &changes, None).unwrap();
    assert!(matches!(applied.outcomes[..], [Outcome::Failed(NotesError::DayName(_))]), "{applied:?}");
    assert_eq!(text(graph.root(), "journals/2026_03_02.md"), DAY);
    // A page that has such a name is a page.
    write(graph.root(), "pages/Mar 3rd, 2026.md", "- By hand");
    assert!(graph.page("Mar 3rd, 2026").unwrap().path.ends_with("pages/Mar 3rd, 2026.md"));
}

#[test]
fn a_daily_note_in_the_folder_of_pages_is_not_written_as_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("vault");
    write(&root, "2026-03-02.md", "- The pilot boat's draught is 2.1 m\n");
    write(&root, "2026-03-03.md", "- Lunch\n");
    let graph = Graph::open(&root).unwrap();
    for name in ["2026-03-03", "Daily/2026-03-03"] {
        assert!(matches!(graph.page(name), Err(NotesError::DayName(_))), "{name}");
    }
    let state = State::open(&folder.path().join("state"), graph.root()).unwrap();
    let today = NaiveDate::from_ymd_opt(2026, 3, 3);
    let applied = apply(&graph, &state, &[change(&graph, "2026-03-03", Action::AddSection, None)], today).unwrap();
    assert!(matches!(applied.outcomes[..], [Outcome::Failed(NotesError::DayName(_))]), "{applied:?}");
    assert_eq!(text(&root, "2026-03-03.md"), "- Lunch\n");
}
