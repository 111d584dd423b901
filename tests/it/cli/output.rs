//! What commands print: width, colour, links and names; digests without stories; a database that cannot be written.

use super::{FAILED, NOW, PARTIAL, USAGE, WINDOW, stories, with_examples};
use crate::support::radar::{Radar, Ran, repository};
use crate::support::site::Site;

/// Starts the program with a terminal as its output.
const ON_A_TERMINAL: &str = r#"exec script -qec "stty cols 80 rows 24; exec $0 $*" /dev/null"#;
/// The same with a terminal that does not know its width.
const ON_A_TERMINAL_WITHOUT_WIDTH: &str = r#"exec script -qec "stty cols 0 rows 0; exec $0 $*" /dev/null"#;

/// With a digest of the example's days, and the empty one of a later window.
fn with_an_empty_digest() -> Radar {
    let radar = Radar::at("2026-12-15T07:00:00Z");
    radar.ok(&["opml", "import", &repository("examples/sources.opml")]);
    radar.ok(&["run", "--window", "2026-11-16..2026-11-19"]);
    radar.ok(&["run", "--window", "2026-12-10..2026-12-11"]);
    assert!(stories(&radar.digest()).is_empty());
    radar
}

#[test]
fn a_rank_is_one_of_the_newest_digest_with_stories() {
    let radar = with_an_empty_digest();
    let digest = radar.json(&["digest", "2026-11-18", "--json"]);
    assert_eq!(radar.json(&["item", "1", "--json"])["id"], stories(&digest)[0]["id"]);
    radar.run(&["feedback", "1", "like"]).exits(0).says("like: noted");
    let wrong = radar.run(&["item", "99"]).exits(USAGE).says("has the ranks 1 to 30; got 99");
    wrong.says("shows the story's id, which does as well");
}

#[test]
fn interests_are_tried_on_the_newest_digest_with_stories() {
    let mut radar = with_an_empty_digest();
    let found = radar.json(&["topic", "interests", "--try", "ferries", "--json"]);
    assert_eq!(found["end"], "2026-11-19T00:00:00Z", "{found}");
    assert!(found["items"].as_u64() > Some(100) && found["strong"].as_u64() > Some(0), "{found}");
    let site = Site::start(&mut radar);
    let page = site.get("/topics/default");
    let tried = site.post_form("/topics/default", &page, "interests=ferries&try=1");
    let said = "on the last digest with stories, up to 19 Nov 2026 00:00 UTC, ranked with your feedback";
    assert!(tried.status == 200 && tried.body.contains(said), "{}", tried.body);
}

#[test]
fn a_run_of_which_no_source_could_be_read_says_so_and_what_to_set() {
    let radar = Radar::at(NOW);
    let urls = ["a", "b", "c", "d", "e"].map(|name| format!("http://127.0.0.1:8099/{name}"));
    radar.add(&urls.each_ref().map(String::as_str));
    let line = "Nothing could be read: all 5 sources failed";
    let ran = radar.run(&["run"]).exits(PARTIAL).says(line).says("AHA_FETCH_ALLOW=127.0.0.1");
    assert!(!ran.stdout.contains("Quiet") && !ran.stdout.contains('…'), "{}", ran.stdout);
    assert!(radar.ok(&["runs"]).contains(line), "{}", radar.ok(&["runs"]));
    radar.run(&["doctor"]).exits(FAILED).says(line);
}

#[test]
fn the_width_of_a_digest_is_that_of_columns_where_no_terminal_is() {
    let mut radar = with_examples();
    radar.ok(&WINDOW);
    let widest = |radar: &Radar| radar.ok(&["digest"]).lines().map(|line| line.chars().count()).max();
    assert!(widest(&radar) > Some(80));
    radar.set("COLUMNS", "60");
    assert!(widest(&radar) > Some(50) && widest(&radar) <= Some(60), "{:?}", widest(&radar));
    radar.set("COLUMNS", "30");
    assert!(widest(&radar) <= Some(30), "{}", radar.ok(&["digest"]));
}

#[test]
fn a_terminal_that_does_not_know_its_width_has_that_of_columns_or_eighty() {
    let mut radar = with_examples();
    radar.ok(&WINDOW);
    radar.set("TERM", "dumb");
    let widest = |radar: &Radar| {
        let ran: Ran = radar.command_after(ON_A_TERMINAL_WITHOUT_WIDTH, &["digest"]).output().unwrap().into();
        let shown = ran.exits(0).stdout;
        shown.lines().map(|line| line.trim_end().chars().count()).max()
    };
    assert!(widest(&radar) > Some(60) && widest(&radar) <= Some(80), "{:?}", widest(&radar));
    radar.set("COLUMNS", "50");
    assert!(widest(&radar) > Some(40) && widest(&radar) <= Some(50), "{:?}", widest(&radar));
}

#[test]
fn colour_and_hyperlinks_are_for_terminals_unless_asked_for() {
    let mut radar = with_examples();
    radar.ok(&WINDOW);
    assert!(!radar.ok(&["digest"]).contains('\u{1b}'));
    let forced = radar.ok(&["digest", "--color", "always"]);
    assert!(forced.contains("\u{1b}[1m") && !forced.contains("\u{1b}]8;"), "{forced}");
    let on_a_terminal = |radar: &Radar, arguments: &[&str]| -> String {
        let ran: Ran = radar.command_after(ON_A_TERMINAL, arguments).output().unwrap().into();
        ran.exits(0).stdout
    };
    radar.set("TERM", "xterm-256color");
    let shown = on_a_terminal(&radar, &["digest"]);
    assert!(shown.contains("\u{1b}[1m") && shown.contains("\u{1b}]8;;https://"), "{shown}");
    assert!(!on_a_terminal(&radar, &["digest", "--color", "never"]).contains('\u{1b}'));
    radar.set("TERM", "dumb");
    assert!(!on_a_terminal(&radar, &["digest"]).contains('\u{1b}'));
    radar.set("TERM", "xterm-256color");
    radar.set("NO_COLOR", "1");
    assert!(!on_a_terminal(&radar, &["digest"]).contains('\u{1b}'));
    radar.run(&["digest", "--color", "sometimes"]).exits(USAGE).says("auto, always, never");
}

#[test]
fn the_addresses_of_a_digest_are_printed_if_asked_for() {
    let radar = with_examples();
    radar.ok(&WINDOW);
    let url = stories(&radar.digest())[0]["url"].as_str().unwrap().to_owned();
    let has_line = |text: &str| text.lines().any(|line| line.trim() == url);
    assert!(has_line(&radar.ok(&["digest", "--links"])) && !has_line(&radar.ok(&["digest"])));
    radar.run(&["digest", "--links", "--json"]).exits(USAGE);
}

#[test]
fn a_limit_of_nothing_is_refused() {
    let radar = with_examples();
    radar.ok(&WINDOW);
    for command in [&["runs"][..], &["calls"], &["digest", "list"]] {
        radar.run(&[command, &["--limit", "0"]].concat()).exits(USAGE).says("is not in 1..");
    }
}

#[test]
fn commands_have_the_names_that_others_give_them() {
    let radar = with_examples();
    radar.ok(&WINDOW);
    let item = radar.ok(&["item", "1"]);
    assert_eq!((radar.ok(&["explain", "1"]), radar.ok(&["why", "1"])), (item.clone(), item));
    assert_eq!(radar.ok(&["stats"]), radar.ok(&["spend"]));
}

#[test]
fn a_source_is_suggested_by_a_part_of_its_name_and_named_with_its_address() {
    let radar = with_examples();
    radar.ok(&WINDOW);
    for part in ["wire", "wirelin"] {
        let suggested = "did you mean \"Wireline News\"";
        radar.run(&["source", "set", part, "--weight", "2"]).exits(USAGE).says(suggested).says("source list");
        radar.run(&["source", "remove", part]).exits(USAGE).says(suggested);
    }
    let strange = radar.run(&["source", "remove", "zebra"]).exits(USAGE);
    assert!(!strange.stderr.contains("did you mean"), "{strange:#?}");
    let disabled = radar.ok(&["source", "disable", "Wireline News"]);
    assert!(disabled.starts_with("Wireline News: file:///") && disabled.contains("is no longer read"), "{disabled}");
}

#[test]
fn how_often_a_source_is_fetched_is_a_number_of_seconds() {
    let radar = with_examples();
    radar.ok(&WINDOW);
    let sources = radar.json(&["source", "list", "--json"]);
    let sources = sources.as_array().unwrap();
    assert!(sources.iter().all(|source| source["check_interval_seconds"].as_u64() >= Some(900)), "{sources:#?}");
    assert!(sources.iter().all(|source| source.get("check_interval").is_none()), "{sources:#?}");
}

#[test]
fn doctor_notices_a_database_that_cannot_be_written() {
    let mut radar = with_examples();
    radar.ok(&WINDOW);
    radar.run(&["doctor"]).exits(0).says("opens, can be written and has this program's schema");
    radar.set("DATABASE_URL", &format!("{}?mode=ro", radar.database_url()));
    radar.run(&["doctor"]).exits(FAILED).says("opens, but the database cannot be written: it is read-only");
}
