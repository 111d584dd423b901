//! The journal's commands, from the notes of a day to the page and back.

mod answers;
mod models;
mod screens;

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::radar::Radar;

const DAY: &str = "- Standup\n\t- Mara is away until Thursday\n\t- Learned today that a tokio task that is dropped at an await point never runs the rest, because nothing polls it\n- TODO buy bread\n- Tugs pull \u{1b}[31m65 tonnes, because their engines must hold large ships against the wind\n";

struct Notes {
    radar: Radar,
    folder: tempfile::TempDir,
}

impl Notes {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let notes = Self {
            radar: Radar::at("2026-03-03T08:00:00Z")
                .with("AHA_JOURNAL_STATE", folder.path().join("state").to_str().unwrap()),
            folder,
        };
        notes.write("logseq/config.edn", "{:file/name-format :triple-lowbar}");
        notes.write("journals/2026_03_02.md", DAY);
        notes.write("journals/2026_03_03.md", "- Wind is what tides are not, because it cannot be computed\n");
        notes.write("pages/Rust___Async.md", "- Cancellation\r\n- Executors\r\n\t- tokio steals work between threads");
        let radar = notes.radar.with("AHA_JOURNAL_GRAPH", notes.folder.path().join("graph").to_str().unwrap());
        Self { radar, folder: notes.folder }
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join("graph").join(file)
    }

    fn write(&self, file: &str, text: &str) {
        fs::create_dir_all(self.path(file).parent().unwrap()).unwrap();
        fs::write(self.path(file), text).unwrap();
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    fn plan(&self) -> String {
        self.folder.path().join("plan.json").to_str().unwrap().to_owned()
    }
}

#[test]
fn a_plan_is_made_changed_carried_out_and_taken_back() {
    let notes = Notes::new();
    let before = notes.text("pages/Rust___Async.md");
    let made = notes.radar.run(&["journal", "extract", "--plan", &notes.plan()]).exits(0).says("+    - A tokio task");
    assert!(!made.stdout.contains('\u{1b}'), "{}", made.stdout);
    assert_eq!(
        (notes.text("pages/Rust___Async.md"), notes.text("journals/2026_03_02.md").as_str()),
        (before.clone(), DAY),
        "nothing is written"
    );

    let mut plan: Value = serde_json::from_str(&fs::read_to_string(notes.plan()).unwrap()).unwrap();
    assert_eq!(plan["blocks"].as_array().unwrap().len(), 2, "{plan:#}");
    assert_eq!(plan["blocks"][1]["note"], "no relevant pages");
    plan["blocks"][0]["reworded"] = "A dropped task runs no further.".into();
    fs::write(notes.plan(), plan.to_string()).unwrap();
    let applied =
        notes.radar.run(&["journal", "extract", "--apply", "--plan", &notes.plan(), "--json"]).exits(0).json();
    assert_eq!(applied["changes"][0]["state"], "written", "{applied:#}");
    let id = applied["changes"][0]["detail"].as_str().unwrap();
    let page = notes.text("pages/Rust___Async.md");
    assert!(
        page.contains(&format!("\t- A dropped task runs no further.\r\n\t  id:: {id}"))
            && page.contains("- Cancellation\r\n"),
        "{page}"
    );
    assert!(
        notes.text("journals/2026_03_02.md").contains(&format!("\t  extracted-to:: [Rust/Async]((({id})))\n- TODO"))
    );

    let again = notes.radar.run(&["journal", "extract", "--apply", "--plan", &notes.plan(), "--json"]).exits(0).json();
    assert_eq!(again["changes"][0]["state"], "already_there");
    notes.radar.run(&["journal", "extract"]).exits(0).says("1 block with knowledge");
    notes.radar.run(&["journal", "undo"]).exits(0).says("pages/Rust___Async.md is as it was");
    assert_eq!((notes.text("pages/Rust___Async.md"), notes.text("journals/2026_03_02.md").as_str()), (before, DAY));
    notes.radar.run(&["journal", "undo"]).exits(0).says("nothing to undo");
}

/// Of one block the only page is a new one, of the other there is none.
#[test]
fn a_block_that_is_not_written_has_a_reason_and_the_step_that_writes_it() {
    let notes = Notes::new();
    notes.write(
        "journals/2026_03_02.md",
        "- [[Postgres]] does not shrink a file on delete, because vacuum only marks the space as free\n\
         - Tugs pull 65 tonnes, because their engines must hold large ships against the wind\n",
    );
    let ran = notes.radar.run(&["journal", "extract", "--apply"]).exits(0);
    let ran = ran
        .says("2 blocks with knowledge found by rules, none to be written")
        .says("add to a new page \"Postgres\", 50 % sure");
    let ran = ran.says("1 block, for which only a new page is proposed").says("--apply --plan FILE");
    let ran = ran.says("1 block, for which no page is found with a confidence of 30 % or more");
    let ran = ran.says("nothing written");
    for words in ["add_section", "by local", "there already", "0 written"] {
        assert!(!ran.stdout.contains(words), "{words}: {ran:?}");
    }
    assert!(!notes.path("pages/Postgres.md").exists());

    notes.radar.run(&["journal", "extract", "--plan", &notes.plan()]).exits(0);
    let mut plan: Value = serde_json::from_str(&fs::read_to_string(notes.plan()).unwrap()).unwrap();
    plan["blocks"][0]["apply"] = true.into();
    plan["blocks"][0]["decisions"][0]["apply"] = true.into();
    fs::write(notes.plan(), plan.to_string()).unwrap();
    let ran = notes.radar.run(&["journal", "extract", "--apply", "--plan", &notes.plan()]).exits(0).says("1 written");
    assert!(!ran.stdout.contains("only a new page"), "{ran:?}");
    assert!(notes.text("pages/Postgres.md").contains("does not shrink"));
}

#[test]
fn what_cannot_be_done_is_said_with_the_next_step() {
    let notes = Notes::new();
    notes.radar.run(&["journal", "search", "stealing", "threads"]).exits(0).says("Rust/Async: tokio steals");
    let overview = notes.radar.run(&["journal", "init", "--json"]).exits(0).json();
    assert_eq!(
        (overview["kind"].as_str(), overview["pages"].as_u64(), overview["days"].as_u64()),
        (Some("logseq"), Some(1), Some(2))
    );
    notes.radar.run(&["journal", "extract", "soon"]).exits(2).says("2026-03-02");
    notes.radar.run(&["journal", "extract", "2020-01-01"]).exits(2).says("no journal page");
    notes.write("db.sqlite", "SQLite format 3");
    notes.radar.run(&["journal", "init"]).exits(2).says("database form");
    Radar::at("2026-03-03T08:00:00Z").run(&["journal", "init"]).exits(2).says("--graph DIR");
}
