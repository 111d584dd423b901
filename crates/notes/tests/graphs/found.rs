//! Which folders are graphs, and which pages and days they have.

use aha_notes::{Graph, NotesError};
use chrono::NaiveDate;

use super::{Sample, write};

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
