//! Settings from the environment and `.env` that cannot be used.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::Stdio;

use super::*;

#[test]
fn a_line_of_dot_env_that_cannot_be_read_is_named_without_its_secret() {
    let radar = Radar::at(NOW);
    std::fs::write(radar.folder().join(".env"), "AHA_DEPTH=50\nOPENAI_API_KEY=sk-secret part\n").unwrap();
    let ran = radar.run(&["topic", "list"]).exits(USAGE).says("the line after AHA_DEPTH is not NAME=value");
    assert!(!format!("{ran:?}").contains("secret"), "{ran:?}");
    std::fs::write(radar.folder().join(".env"), "OPENAI_API_KEY=sk-secret part\n").unwrap();
    radar.run(&["topic", "list"]).exits(USAGE).says("its first line is not NAME=value");
}

#[test]
fn dot_env_is_read_in_the_current_folder_and_in_none_above() {
    let radar = Radar::at(NOW);
    radar.ok(&["init"]);
    let below = radar.folder().join("below");
    std::fs::create_dir_all(&below).unwrap();
    std::fs::write(radar.folder().join(".env"), "AHA_TIMEZONE=Nowhere\n").unwrap();
    let list_in = |folder: &Path| -> Ran {
        radar.command(&["topic", "list"]).current_dir(folder).stdin(Stdio::null()).output().unwrap().into()
    };
    list_in(radar.folder()).exits(USAGE).says("AHA_TIMEZONE");
    list_in(&below).exits(0);
    std::fs::create_dir(below.join(".env")).unwrap();
    list_in(&below).exits(0);
}

#[test]
fn variables_that_are_not_text_matter_only_if_they_are_ours() {
    let radar = Radar::at(NOW);
    radar.ok(&["init"]);
    let with = |name: &str| -> Ran {
        let mut command = radar.command(&["topic", "list"]);
        command.env(name, OsStr::from_bytes(b"caf\xe9")).stdin(Stdio::null()).output().unwrap().into()
    };
    with("OLDPWD").exits(0);
    with("AHA_TIMEZONE").exits(USAGE).says("the value of AHA_TIMEZONE is not UTF-8");
}

/// A link to itself can be opened by nobody, not even by root.
#[test]
fn a_dot_env_that_cannot_be_opened_is_named_with_its_folder() {
    let radar = Radar::at(NOW);
    let file = radar.folder().join(".env");
    std::os::unix::fs::symlink(".env", &file).unwrap();
    let ran = radar.run(&["topic", "list"]).exits(USAGE).says(&format!("{} cannot be read", file.display()));
    ran.says("start the program in a folder that this user may read");
}

#[test]
fn a_database_url_that_cannot_be_read_is_a_configuration_error() {
    for url in ["bogus", "postgres://db.example:99999/x", "postgres://db.example:no/x", "sqlite://", "sqlite::memory:"]
    {
        let radar = Radar::at(NOW).with("DATABASE_URL", url);
        for command in [&["topic", "list"][..], &["--run-once"], &["daemon"], &["migrate"]] {
            radar.run(command).exits(USAGE).says("(DATABASE_URL) cannot be used");
        }
    }
}

#[test]
fn a_folder_of_notes_that_does_not_exist_is_reported() {
    let radar = Radar::at(NOW).with("AHA_JOURNAL_GRAPH", "/no/such/notes");
    radar.ok(&["init"]);
    radar.run(&["doctor"]).exits(FAILED).says("AHA_JOURNAL_GRAPH: there is no folder /no/such/notes");
    let radar = radar.with("AHA_LISTEN", "0.0.0.0:0");
    radar.run(&["daemon"]).exits(USAGE).says("there is no such folder of notes");
}

#[test]
fn what_would_fail_again_is_a_configuration_error() {
    let radar = Radar::at(NOW);
    radar.ok(&["init"]);
    let commands: [&[&str]; 5] = [
        &["user", "add", "bad name"],
        &["user", "remove", "nobody"],
        &["agenda", "--from", "+262142-12-31"],
        &["topic", "set", "default", "--schedule", "0 7 * * * *"],
        &["feedback", "import", "nowhere.jsonl", "--topic", "nowhere"],
    ];
    for command in commands {
        radar.run(command).exits(USAGE);
    }
    let prompts = radar.folder().join("prompts");
    std::fs::create_dir_all(prompts.join("triage_v1")).unwrap();
    std::fs::write(prompts.join("triage_v1/system.md"), "{{ not closed").unwrap();
    std::fs::write(prompts.join("triage_v1/user.md"), "").unwrap();
    let radar = radar.with("AHA_PROMPTS", prompts.to_str().unwrap());
    for command in [&["run"][..], &["daemon"], &["serve"]] {
        radar.run(command).exits(USAGE);
    }
}
