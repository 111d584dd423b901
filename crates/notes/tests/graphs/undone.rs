//! Taking back what was written, also after the files were changed by others.

use std::fs;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use aha_notes::change::unlink;
use aha_notes::{Action, Document, EditError, Format, NotesError, Outcome, Undone, apply, preview, undo};

use super::{DAY, Sample, change, text, write};

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
fn a_new_page_that_a_killed_undo_moved_aside_is_put_back() {
    let sample = Sample::logseq();
    let graph = sample.graph();
    let state = sample.state();
    apply(&graph, &state, &[change(&graph, "New", Action::AddSection, None)], None).unwrap();
    drop(state);
    let written = text(graph.root(), "pages/New.md");
    let page = graph.root().join("pages/New.md");
    fs::rename(&page, page.with_file_name(".New.md.undo-00000001-00001.aha-tmp")).unwrap();
    let state = sample.state();
    assert_eq!(text(graph.root(), "pages/New.md"), written);
    undo(&graph, &state).unwrap();
    assert!(!page.exists());
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
