//! Graphs on disk: found, refused, written and taken back.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test is the report")]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use aha_notes::change::unlink;
use aha_notes::{
    Action, Change, Document, EditError, Format, Graph, NotesError, Origin, Outcome, State, Undone, apply, preview,
    undo,
};
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
fn an_undo_waits_until_a_page_that_is_being_saved_is_complete() {
    let sample = Sample::logseq();
    let graph = sample.graph();
    let state = sample.state();
    apply(&graph, &state, &[change(&graph, "Boats", Action::AddUnder, Some("Draughts"))], None).unwrap();
    let by_hand = format!("{}- By hand\n", text(graph.root(), "pages/Boats.md"));
    // An editor that saves in place truncates the file and then writes it.
    let mut saved = fs::File::create(graph.root().join("pages/Boats.md")).unwrap();
    let editor = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(60));
        saved.write_all(by_hand.as_bytes()).unwrap();
    });
    let undone = undo(&graph, &state).unwrap();
    editor.join().unwrap();
    assert!(undone.contains(&Undone::Removed { file: "pages/Boats.md".to_owned() }), "{undone:?}");
    assert_eq!(text(graph.root(), "pages/Boats.md"), "tags:: #port\n\n- Draughts\n\t- Tug: 4 m\n- By hand\n");
}

#[test]
fn an_undo_that_another_program_interrupts_is_finished_by_the_next() {
    let sample = Sample::logseq();
    let graph = sample.graph();
    let state = sample.state();
    let before = text(graph.root(), "pages/Boats.md");
    let changes = [
        change(&graph, "Port/Berths", Action::AddSection, None),
        change(&graph, "Boats", Action::AddUnder, Some("Draughts")),
        change(&graph, "Boats", Action::Replace, Some("Tug: 4 m")),
    ];
    let applied = apply(&graph, &state, &changes, None).unwrap();
    assert!(applied.outcomes.iter().all(|outcome| matches!(outcome, Outcome::Written { .. })), "{applied:?}");
    let mut berths = fs::OpenOptions::new().append(true).open(graph.root().join("pages/Port___Berths.md")).unwrap();
    let is_over = Arc::new(AtomicBool::new(false));
    let seen = is_over.clone();
    let other = std::thread::spawn(move || {
        while !seen.load(Ordering::SeqCst) {
            berths.write_all(b"- By hand\r\n").unwrap();
            std::thread::sleep(Duration::from_millis(2));
        }
    });
    let interrupted = undo(&graph, &state);
    is_over.store(true, Ordering::SeqCst);
    other.join().unwrap();
    assert!(matches!(interrupted, Err(NotesError::Busy(_))), "{interrupted:?}");
    assert_eq!(state.sets().unwrap(), applied.set.into_iter().collect::<Vec<_>>(), "the set is not given up");

    let undone = undo(&graph, &state).unwrap();
    assert!(undone.contains(&Undone::Removed { file: "pages/Port___Berths.md".to_owned() }), "{undone:?}");
    assert!(undone.iter().all(|one| !matches!(one, Undone::Skipped { .. })), "{undone:?}");
    let berths = text(graph.root(), "pages/Port___Berths.md");
    assert!(berths.contains("By hand") && !berths.contains("pilot boat"), "{berths}");
    assert_eq!(
        (text(graph.root(), "pages/Boats.md"), text(graph.root(), "journals/2026_03_02.md").as_str()),
        (before, DAY)
    );
}

#[test]
fn a_link_to_a_page_with_a_comma_in_its_name_is_removed_from_a_changed_day() {
    let sample = Sample::logseq();
    let graph = sample.graph();
    let state = sample.state();
    apply(&graph, &state, &[change(&graph, "Paris, France", Action::AddSection, None)], None).unwrap();
    let day = text(graph.root(), "journals/2026_03_02.md");
    write(graph.root(), "journals/2026_03_02.md", &format!("{day}\n- By hand"));
    let undone = undo(&graph, &state).unwrap();
    assert!(undone.iter().all(|one| !matches!(one, Undone::Skipped { .. })), "{undone:?}");
    assert_eq!(text(graph.root(), "journals/2026_03_02.md"), format!("{DAY}\n- By hand"));
}

#[test]
fn a_link_is_removed_from_a_list_and_never_from_other_text() {
    let (paris, boats) = ("[Paris, France](((b-1)))", "[Boats](((b-2)))");
    for list in [format!("{paris}, {boats}"), format!("{boats}, {paris}")] {
        let mut day = Document::parse(Format::Outline, &format!("- Said\n  extracted-to:: {list}\n"));
        assert_eq!(unlink(&mut day, paris), Ok(true), "{list}");
        assert_eq!(day.text(), format!("- Said\n  extracted-to:: {boats}\n"));
        assert_eq!(unlink(&mut day, paris), Ok(false));
    }
    let within = format!("- Said\n  extracted-to:: see {paris} for this\n");
    let mut day = Document::parse(Format::Outline, &within);
    assert_eq!(unlink(&mut day, paris), Err(EditError::LinkInText));
    assert_eq!(day.text(), within);
}

#[cfg(unix)]
#[test]
fn a_page_behind_a_symbolic_link_is_neither_written_nor_undone() {
    use std::os::unix::fs::symlink;
    let sample = Sample::logseq();
    let graph = sample.graph();
    let state = sample.state();
    let outside = sample.folder.path().join("shared");
    write(&outside, "Rust.md", "- Shared\n");
    let link = graph.root().join("pages/Rust.md");
    for target in [outside.join("Rust.md"), outside.join("None.md")] {
        symlink(&target, &link).unwrap();
        let changes = [change(&graph, "Rust", Action::AddSection, None)];
        let (previews, failures) = preview(&graph, &changes).unwrap();
        assert!(previews.is_empty(), "{previews:?}");
        assert!(matches!(failures[..], [(0, NotesError::SymbolicLink { .. })]), "{failures:?}");
        let applied = apply(&graph, &state, &changes, None).unwrap();
        assert!(matches!(applied.outcomes[..], [Outcome::Failed(NotesError::SymbolicLink { .. })]), "{applied:?}");
        assert_eq!(fs::read_link(&link).unwrap(), target);
        fs::remove_file(&link).unwrap();
    }
    assert_eq!(text(&outside, "Rust.md"), "- Shared\n");

    apply(&graph, &state, &[change(&graph, "Rust", Action::AddSection, None)], None).unwrap();
    fs::rename(&link, outside.join("Rust.md")).unwrap();
    symlink(outside.join("Rust.md"), &link).unwrap();
    let undone = undo(&graph, &state).unwrap();
    assert!(matches!(&undone[1], Undone::Skipped { file, .. } if file == "pages/Rust.md"), "{undone:?}");
    assert!(text(&outside, "Rust.md").contains("pilot boat"));
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_a_symbolic_link_leads_to_no_page() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("vault");
    write(&root, "2026-03-02.md", "- Lunch\n");
    write(&folder.path().join("outside"), "Note.md", "Outside\n");
    std::os::unix::fs::symlink(folder.path().join("outside"), root.join("shared")).unwrap();
    let graph = Graph::open(&root).unwrap();
    let error = graph.page("shared/Note").unwrap_err();
    assert!(matches!(error, NotesError::SymbolicLink { .. }), "{error}");
    assert!(error.to_string().contains("symbolic link"), "{error}");
    assert!(graph.page("New/Note").is_ok());
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

#[test]
fn of_two_files_of_a_day_the_one_in_the_graphs_own_format_is_used() {
    let root = tempfile::tempdir().unwrap();
    for file in ["logseq/config.edn", "journals/2026-03-02.md", "journals/2026_03_02.md"] {
        let path = root.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "{}").unwrap();
    }
    let days = Graph::open(root.path()).unwrap().days().unwrap();
    let files: Vec<_> = days.iter().map(|page| page.path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(files, ["2026_03_02.md"]);
}
