//! What a run logs, and what `doctor` says of sources that fail alike.

use serde_json::Value;

use crate::support::http::Answer;
use crate::support::radar::{Radar, repository};
use crate::support::rows;
use crate::support::web::Web;

/// Two sources that work, and six whose files are gone at the time of the run.
fn with_six_failures() -> Radar {
    let radar = Radar::at("2026-11-19T07:00:00Z").with("AHA_LOG", "info").with("AHA_LOG_FORMAT", "json");
    let feeds = ["grid-and-tide.xml", "tramstop.json"].map(|name| repository(&format!("examples/feeds/{name}")));
    let gone: Vec<String> =
        (1..=6).map(|n| radar.folder().join(format!("gone{n}.xml")).to_str().unwrap().to_owned()).collect();
    for path in &gone {
        std::fs::copy(&feeds[0], path).unwrap();
    }
    let all: Vec<&str> = feeds.iter().chain(&gone).map(String::as_str).collect();
    radar.add(&all);
    for path in &gone {
        std::fs::remove_file(path).unwrap();
    }
    radar
}

#[test]
fn a_run_is_one_line_and_so_are_identical_failures() {
    let radar = with_six_failures();
    let ran = radar.run(&["run", "--window", "2026-11-16..2026-11-19"]).exits(3);
    let lines = ran.stderr.lines().filter(|line| line.starts_with('{'));
    let logged: Vec<Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    // On a busy machine the database's library tells of slow statements.
    let ours = || logged.iter().filter(|line| line["target"].as_str().unwrap().starts_with("aha_radar"));
    let of = |level: &str| ours().filter(|line| line["level"] == level).collect::<Vec<_>>();
    let (infos, warnings) = (of("INFO"), of("WARN"));
    assert_eq!((infos.len(), warnings.len()), (1, 1), "{logged:#?}");
    assert_eq!((&infos[0]["message"], &infos[0]["status"]), (&"run finished".into(), &"partial".into()));
    assert!(infos[0]["stories"].as_u64() > Some(0) && infos[0]["elapsed_ms"].is_u64(), "{infos:#?}");
    assert_eq!((&warnings[0]["failed"], &warnings[0]["kind"]), (&6.into(), &"file".into()));
    assert!(warnings[0]["sources"].as_str().unwrap().ends_with("gone3.xml and 3 more"), "{warnings:#?}");
    assert!(!warnings[0]["error"].as_str().unwrap().contains("gone"), "{warnings:#?}");
}

/// On a full disk, or when the program that reads the log has ended.
#[test]
fn a_log_that_cannot_be_written_ends_no_run() {
    let radar = with_six_failures();
    for format in ["json", "text"] {
        let mut command = radar.command(&["run", "--window", "2026-11-16..2026-11-19"]);
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ended = command.env("AHA_LOG_FORMAT", format).stderr(full).stdout(std::process::Stdio::null()).status();
        assert_eq!(ended.unwrap().code(), Some(3), "{format}");
    }
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM run_attempts WHERE outcome = 'done'"), 2);
}

#[test]
fn no_query_of_a_sources_address_is_logged() {
    let web = Web::serve(vec![("/feed?token=hush-1", Answer::new(404))]);
    let radar = Radar::at("2026-11-19T07:00:00Z")
        .with("AHA_LOG", "aha_radar=debug")
        .with("AHA_FETCH_ALLOW", "127.0.0.1")
        .with("AHA_FETCH_HOST_GAP_MS", "0");
    radar.add(&[&web.url("/feed?token=hush-1")]);
    let ran = radar.run(&["run"]).says("/feed?…");
    assert!(!ran.stderr.contains("hush-1"), "{}", ran.stderr);
}

#[test]
fn doctor_tells_identical_failures_once() {
    let radar = with_six_failures();
    radar.run(&["run", "--window", "2026-11-16..2026-11-19"]).exits(3);
    let findings = radar.run(&["doctor", "--json"]).json();
    let sources = findings.as_array().unwrap().iter().filter(|finding| finding["what"] == "source");
    let told: Vec<&str> = sources.map(|finding| finding["text"].as_str().unwrap()).collect();
    assert_eq!(told.len(), 1, "{told:#?}");
    assert!(told[0].starts_with("6 sources (") && told[0].contains("gone3.xml and 3 more) failed: "), "{told:#?}");
}
