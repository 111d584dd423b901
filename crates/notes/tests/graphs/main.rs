//! Graphs on disk: found, refused, written and taken back.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test is the report")]

mod applied;
mod found;
mod undone;

use std::fs;
use std::path::Path;

use aha_notes::{Action, Change, Graph, Origin, State};

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
