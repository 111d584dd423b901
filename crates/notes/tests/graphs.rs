//! Graphs on disk: found, refused, written and taken back.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test is the report")]

use std::fs;
use std::path::Path;

use aha_notes::{Action, Change, Graph, NotesError, Origin, Outcome, State, Undone, apply, preview, undo};
use chrono::NaiveDate;

fn write(root: &Path, file: &str, text: &str) {
    let path = root.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn text(root: &Path, file: &str) -> String {
    fs::read_to_string(root.join(file)).unwrap()
}

struct Sample {
    folder: tempfile::TempDir,
}

const DAY: &str = "- Standup\n\t- The pilot boat's draught is 2.1 m\n- Lunch";

impl Sample {
    fn logseq() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("graph");
        write(&root, "logseq/config.edn", "{:file/name-format :triple-lowbar}");
        write(&root, "logseq/bak/pages/Old.md", "- a copy of Logseq's");
        write(&root, "journals/2026_03_02.md", DAY);
        write(&root, "journals/notes.md", "- no day");
        write(&root, "pages/Boats.md", "tags:: #port\n\n- Draughts\n\t- Tug: 4 m\n");
        write(&root, "pages/Boats.sync-conflict-20260301-101010-ABCDEFG.md", "- a copy");
        write(&root, "pages/Port___Berths.md", "- North\r\n\t- Berth 9\r\n");
        Self { folder }
    }

    fn root(&self) -> std::path::PathBuf {
        self.folder.path().join("graph")
    }

    fn graph(&self) -> Graph {
        Graph::open(&self.root()).unwrap()
    }

    fn state(&self) -> State {
        State::open(&self.folder.path().join("state"), self.graph().root()).unwrap()
    }
}

fn id_of(graph: &Graph, page: &str, said: &str) -> String {
    let path = if page.ends_with("2026") || page.starts_with("2026") {
        graph.days().unwrap()[0].path.clone()
    } else {
        graph.page(page).unwrap().path
    };
    let document = graph.read(&path).unwrap();
    let index = (0..document.blocks().len()).find(|index| document.block_text(*index).contains(said)).unwrap();
    document.ids(page)[index].clone()
}

fn change(graph: &Graph, page: &str, action: Action, target: Option<&str>) -> Change {
    let day = graph.days().unwrap().remove(0);
    let file = day.path.strip_prefix(graph.root()).unwrap().to_string_lossy().into_owned();
    Change {
        knowledge: id_of(graph, &day.name, "draught"),
        origin: Some(Origin { file, page: day.name }),
        page: page.to_owned(),
        action,
        target: target.map(|said| id_of(graph, page, said)),
        target_text: target.map(str::to_owned),
        text: "A pilot boat draws 2.1 m.".to_owned(),
    }
}

#[test]
fn pages_and_days_are_found_by_the_graphs_settings() {
    let sample = Sample::logseq();
    let graph = sample.graph();
    let names: Vec<String> = graph.pages().unwrap().into_iter().map(|page| page.name).collect();
    assert_eq!(names, ["Boats", "Port/Berths"]);
    let days = graph.days().unwrap();
    assert_eq!(days.len(), 1);
    assert_eq!((days[0].name.as_str(), days[0].day), ("Mar 2nd, 2026", NaiveDate::from_ymd_opt(2026, 3, 2)));
    assert_eq!(graph.page("port/berths").unwrap().name, "Port/Berths");
    assert!(graph.page("New/Page").unwrap().path.ends_with("pages/New___Page.md"));
    assert_eq!(graph.unit(), "\t");
}

#[test]
fn a_graph_in_the_database_form_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "db.sqlite", "SQLite format 3");
    let error = Graph::open(folder.path()).unwrap_err();
    assert!(matches!(error, NotesError::DatabaseGraph(_)), "{error}");
    assert!(error.to_string().contains("only Logseq may write"), "{error}");
    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(Graph::open(empty.path()).unwrap_err(), NotesError::NotAGraph(_)));
}

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
fn an_apply_is_taken_back_byte_for_byte() {
    let sample = Sample::logseq();
    let graph = sample.graph();
    let before: Vec<String> =
        ["pages/Boats.md", "journals/2026_03_02.md"].iter().map(|file| text(graph.root(), file)).collect();
    let changes =
        [change(&graph, "Boats", Action::AddUnder, Some("Draughts")), change(&graph, "New", Action::AddSection, None)];
    let state = sample.state();
    apply(&graph, &state, &changes, None).unwrap();
    let undone = undo(&graph, &state).unwrap();
    assert!(undone.len() == 4 && undone.iter().all(|one| matches!(one, Undone::Restored { .. })), "{undone:?}");
    let after: Vec<String> =
        ["pages/Boats.md", "journals/2026_03_02.md"].iter().map(|file| text(graph.root(), file)).collect();
    assert_eq!(before, after);
    assert!(!graph.root().join("pages/New.md").exists());
    assert_eq!(undo(&graph, &state).unwrap(), []);
}

#[test]
fn what_was_written_by_hand_since_survives_an_undo() {
    let sample = Sample::logseq();
    let graph = sample.graph();
    let state = sample.state();
    apply(&graph, &state, &[change(&graph, "Boats", Action::AddUnder, Some("Draughts"))], None).unwrap();
    let page = text(graph.root(), "pages/Boats.md");
    write(graph.root(), "pages/Boats.md", &format!("{page}- By hand\n"));
    let undone = undo(&graph, &state).unwrap();
    assert!(undone.contains(&Undone::Removed { file: "pages/Boats.md".to_owned() }), "{undone:?}");
    assert_eq!(text(graph.root(), "pages/Boats.md"), "tags:: #port\n\n- Draughts\n\t- Tug: 4 m\n- By hand\n");
    assert_eq!(text(graph.root(), "journals/2026_03_02.md"), DAY);
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
    write(graph.root(), "pages/Boats.md", "- Draughts\n\t- Tug: 5 m\n\t  id:: t-1\n");
    change.target = Some("t-1".to_owned());
    let applied = apply(&graph, &sample.state(), &[change], None).unwrap();
    assert!(matches!(&applied.outcomes[0], Outcome::Failed(NotesError::NoBlock { .. })), "{applied:?}");
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
