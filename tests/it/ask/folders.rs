//! Folders of documents as sources: read, read again, left out.

use std::process::Stdio;

use serde_json::Value;

use super::{RULES, ask, with_documents};
use crate::support::radar::{Engine, Radar, finish};
use crate::support::rows;

#[test]
fn documents_are_read_again_when_they_change_and_stand_in_no_digest() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let mut radar = with_documents(engine);
        let changed = RULES.replace("nine euros", "eleven euros");
        std::fs::write(radar.folder().join("handbook/rules-2026.md"), changed).unwrap();
        radar.run(&["--run-once"]).exits(0);
        assert_eq!(radar.digest()["stories"], Value::Array(Vec::new()));
        let answer = ask(&radar, "What does a night at the quay cost?");
        assert!(answer["answer"].as_str().unwrap().contains("eleven euros"), "{engine:?} {answer}");
        std::fs::remove_file(radar.folder().join("handbook/rules-2026.md")).unwrap();
        radar.set("AHA_NOW", "2026-11-20T07:00:00Z");
        radar.run(&["--run-once"]).exits(0);
        radar.run(&["search", "dusk", "--json"]).exits(0).says("\"results\": []");
    }
}

#[test]
fn what_was_stored_of_a_folder_is_not_read_again_after_a_kill() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let radar = Radar::at("2026-11-19T07:00:00Z").on(engine);
        let folder = radar.folder().join("handbook");
        std::fs::create_dir(&folder).unwrap();
        for number in 0..230 {
            std::fs::write(folder.join(format!("{number:03}.txt")), format!("Berth {number} is free.")).unwrap();
        }
        let arguments = ["source", "add", folder.to_str().unwrap(), "--type", "documents"];
        let mut command = radar.command(&arguments);
        command.env("AHA_FAILPOINT", "replace_documents.after_commit:2");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let killed = finish(command.spawn().unwrap());
        assert!(killed.signal.is_some(), "{engine:?} {killed:#?}");
        assert_eq!(rows::number(&radar, "SELECT count(*) FROM documents"), 200, "{engine:?}");
        radar.run(&arguments).exits(0).says("230 documents in").says("(30 read, 0 removed)");
    }
}

#[test]
fn a_folder_of_which_nothing_can_be_read_is_a_partial_success() {
    let radar = Radar::at("2026-11-19T07:00:00Z");
    let folder = radar.folder().join("broken");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("a.pdf"), "no").unwrap();
    radar.run(&["source", "add", folder.to_str().unwrap(), "--type", "documents"]).exits(3).says("a.pdf is left out");
}

#[test]
fn only_local_folders_are_documents() {
    let radar = Radar::at("2026-11-19T07:00:00Z");
    radar.run(&["source", "add", "https://a.example/handbook", "--type", "documents"]).exits(2).says("local folder");
    radar.run(&["source", "add", "./nowhere", "--type", "documents"]).exits(2);
}
