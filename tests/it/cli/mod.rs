//! The command line as its owner meets it: exit codes, messages, JSON, topics and sources. Rules and interests are in
//! `wishes`, what could steer a terminal in `hostile`, ids and the lists that show them in `ids`.

mod hostile;
mod ids;
mod output;
mod rules_and_interests;
mod settings;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::feeds::{Post, feed};
use crate::support::radar::{Radar, Ran, repository};
use crate::support::rows;

const NOW: &str = "2026-11-19T07:00:00Z";
const WINDOW: [&str; 3] = ["--run-once", "--window", "2026-11-16..2026-11-19"];
const FAILED: i32 = 1;
const USAGE: i32 = 2;
const PARTIAL: i32 = 3;

/// With the example sources imported.
fn with_examples() -> Radar {
    let radar = Radar::at(NOW);
    radar.ok(&["opml", "import", &repository("examples/sources.opml")]);
    radar
}

/// With one feed of these posts.
fn with_posts(posts: &[Post]) -> Radar {
    let radar = Radar::at(NOW);
    std::fs::write(radar.folder().join("feed.json"), feed("The Feed", posts)).unwrap();
    radar.add(&["feed.json"]);
    radar
}

fn stories(digest: &Value) -> &[Value] {
    digest["stories"].as_array().unwrap()
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn headlines_of_a_file_are_scored_a_line_each_without_a_database() {
    let radar = Radar::at(NOW);
    let headlines = "You won't believe these 17 boats\nFerry loses power off Skerrow, 214 aboard\n\n";
    std::fs::write(radar.folder().join("headlines.txt"), headlines).unwrap();
    let scored = radar.ok(&["noise", "--input", "headlines.txt", "--json"]);
    let lines: Vec<Value> = scored.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["headline"], "You won't believe these 17 boats");
    assert!(lines[0]["noise"].as_f64().unwrap() > 0.9 && lines[1]["noise"].as_f64().unwrap() < 0.1, "{scored}");
    assert!(!radar.database().exists());
    radar.run(&["noise", "--input", "nowhere.txt"]).exits(FAILED).says("nowhere.txt");
}

#[test]
fn wrong_usage_exits_with_2_and_says_what_is_wanted() {
    let radar = with_examples();
    radar.run(&["--run-once", "--window", "yesterday"]).exits(USAGE).says("2026-11-16..2026-11-19");
    radar.run(&["--run-once", "--window", "2026-11-19..2026-11-16"]).exits(USAGE).says("swap the two");
    radar.run(&["--run-once", "--topic", "nope"]).exits(USAGE).says("there is no topic \"nope\"");
    radar.run(&["digest", "--topic", "nope"]).exits(USAGE).says("there is no topic \"nope\"");
    radar.run(&["digest", "latest"]).exits(USAGE).says("no digest yet");
    radar.run(&["digest", "2"]).exits(USAGE).says("neither `latest` nor the id of a digest");
    radar.run(&["source", "list", "--topic", "nope"]).exits(USAGE).says("topic list");
    radar.run(&["source", "remove", "nope"]).exits(USAGE).says("source list");
    radar.run(&["search", "ferry", "--source", "nowhere"]).exits(USAGE).says("source list");
    radar.run(&["item", "abcd1234"]).exits(USAGE).says("`aha-radar digest` and `aha-radar search` show the ids");
    radar.run(&["topic", "interests", "nope"]).exits(USAGE).says("there is no topic \"nope\"");
    let id = radar.json(&["source", "list", "--json"])[0]["id"].as_str().unwrap().to_owned();
    for too_short in ["", &id[..1], &id[..3]] {
        radar.run(&["source", "remove", too_short]).exits(USAGE).says("source list");
    }
    radar.run(&["topic", "set", "default", "--mute", "ferry"]).exits(USAGE).says("word:PATTERN");
    radar.run(&["topic", "set", "default", "--boost", "word:("]).exits(USAGE).says("regular expression");
    radar.run(&["topic", "set", "default", "--timezone", "Berlin"]).exits(USAGE).says("Europe/Berlin");
    radar.run(&["topic", "set", "default", "--schedule", "hourly"]).exits(USAGE).says("every 6h");
    let never = radar.run(&["topic", "set", "default", "--schedule", "0 7 31 2 *"]).exits(USAGE);
    never.says("never occurs").says("for example \"0 7 28 2 *\"");
    radar.run(&["opml", "import", "nowhere.opml"]).exits(USAGE).says("nowhere.opml");
    radar.run(&["--no-such-flag"]).exits(USAGE);
    radar.run(&[]).exits(USAGE).says("--run-once");
    radar.run(&["--version"]).exits(0).says(env!("CARGO_PKG_VERSION"));
    Radar::at(NOW).run(&["--run-once"]).exits(USAGE).says("has no source yet");
}

#[test]
fn a_list_with_an_unusable_outline_is_brought_in_without_it() {
    let radar = Radar::at(NOW);
    let list = |outlines: &str| {
        let file = radar.folder().join("list.opml");
        std::fs::write(&file, format!("<opml version='2.0'><body>{outlines}</body></opml>")).unwrap();
    };
    list("<outline text='Bad' xmlUrl='gopher://x.example/'/><outline text='Good' xmlUrl='https://good.example/feed'/>");
    let import = radar.run(&["opml", "import", "list.opml"]).exits(3).says("the outline 'Bad' cannot be used");
    assert!(import.stdout.contains("1 source added, 1 outline left out"), "{}", import.stdout);
    std::fs::write(radar.folder().join("good.json"), feed("Good", &[])).unwrap();
    list("<outline text='Bad' xmlUrl='gopher://x.example/'/><outline text='Good' xmlUrl='good.json'/>");
    let fresh = ["--topic", "fresh", "--import", "list.opml"];
    radar.run(&[&["run", "--dry-run"][..], &fresh].concat()).exits(3).says("1 outline left out");
    radar.run(&[&["run"][..], &fresh].concat()).exits(3).says("1 outline left out");
    list("<outline text='Bad' xmlUrl='gopher://x.example/'/>");
    radar.run(&["opml", "import", "list.opml"]).exits(USAGE).says("its only outline cannot be used");
}

#[test]
fn a_file_that_is_no_feed_is_not_added() {
    let radar = Radar::at(NOW);
    for (name, text, words) in
        [("notes.txt", "just words", "not a feed"), ("page.html", "<html><body>Hi</body></html>", "not a feed")]
    {
        std::fs::write(radar.folder().join(name), text).unwrap();
        radar.run(&["source", "add", name]).exits(1).says(words);
    }
    radar.run(&["source", "add", "."]).exits(1).says("no regular file");
    std::fs::write(radar.folder().join("good.json"), feed("Good", &[])).unwrap();
    radar.run(&["source", "add", "good.json"]).exits(0).says("1 source added");
    radar.run(&["source", "add", "--as-is", "notes.txt"]).exits(0).says("1 source added");
}

#[test]
fn a_path_that_another_command_takes_is_answered_with_that_command() {
    let radar = Radar::at(NOW);
    std::fs::create_dir(radar.folder().join("my notes")).unwrap();
    std::fs::write(radar.folder().join("my notes/ferries.md"), "# Ferries\n\nThe Hestra sails at nine.\n").unwrap();
    let list = "<opml version='2.0'><body><outline text='Good' xmlUrl='https://good.example/feed'/></body></opml>";
    for name in ["list.opml", "list.xml"] {
        std::fs::write(radar.folder().join(name), list).unwrap();
    }
    let about_lists = "<?xml version='1.0'?><rss version='2.0'><channel><title>On lists</title><link>http://x/</link>\
        <description><![CDATA[All about <opml> files]]></description><item><title>One</title><guid>1</guid></item>\
        </channel></rss>";
    for name in ["feed.xml", "feed.opml"] {
        std::fs::write(radar.folder().join(name), about_lists).unwrap();
        radar.run(&["source", "add", name]).exits(0).says("1 source added");
        radar.ok(&["source", "remove", name]);
    }
    let add = |arguments: &[&str]| radar.run(&[&["source", "add"][..], arguments].concat());
    add(&["list.opml"]).exits(FAILED).says("`aha-radar opml import list.opml`");
    add(&["list.xml", "--topic", "boats"]).exits(FAILED).says("`aha-radar opml import list.xml --topic boats`");
    add(&["nowhere.opml"]).exits(USAGE).says("there is no file nowhere.opml").says("aha-radar opml import");
    add(&["my notes"]).exits(FAILED).says("`aha-radar source add --type documents 'my notes'`");
    add(&["my notes", "--as-is"]).exits(FAILED).says("--type documents");
    let document = add(&["my notes/ferries.md"]).exits(FAILED).says("not a feed");
    document.says("`aha-radar source add --type documents 'my notes/ferries.md'`");
    assert_eq!(radar.json(&["source", "list", "--json"]), Value::Array(Vec::new()));
    radar.run(&["source", "add", "--type", "documents", "my notes"]).exits(0).says("1 document in");
    std::fs::write(radar.folder().join("a.md"), "# A\n\nText.\n").unwrap();
    radar.ok(&["source", "add", "--as-is", "a.md"]);
    add(&["--type", "documents", "a.md"]).exits(USAGE).says("not as documents").says("aha-radar source remove");
}

#[test]
fn an_unusable_setting_is_named_with_what_it_wants_and_an_example() {
    for (variable, value, expected, example) in [
        ("AHA_TRIAGE_BATCH_SIZE", "99", "1 to 50", "AHA_TRIAGE_BATCH_SIZE=10"),
        ("AHA_TIMEZONE", "Berlin", "IANA time zone", "AHA_TIMEZONE=Europe/Berlin"),
        ("AHA_NOW", "soon", "RFC 3339", "AHA_NOW=2026-11-19T07:00:00Z"),
        ("AHA_LISTEN", "8080", "address and port", "AHA_LISTEN=127.0.0.1:8080"),
        ("AHA_SCHEDULE", "daily", "15 minutes to 30 days", "AHA_SCHEDULE=0 7 * * *"),
        ("AHA_FETCH_ALLOW", "not a host", "host names", "AHA_FETCH_ALLOW="),
        ("AHA_LOG_FORMAT", "xml", "text or json", "AHA_LOG_FORMAT=text"),
    ] {
        let radar = Radar::at(NOW).with(variable, value);
        let ran = radar.run(&["topic", "list"]).exits(USAGE).says(&format!("{variable}={value:?}"));
        ran.says(expected).says(example);
        assert!(!radar.database().exists());
    }
    Radar::at(NOW)
        .with("DATABASE_URL", "mysql://x:secret@db/y")
        .run(&["--run-once"])
        .exits(USAGE)
        .says("sqlite://PATH");
}

#[test]
fn a_password_in_the_database_url_is_not_repeated() {
    let ran = Radar::at(NOW).with("DATABASE_URL", "postgres://x:secret@db/y").run(&["doctor"]);
    assert!(!format!("{ran:?}").contains("secret"), "{ran:#?}");
}

#[test]
fn reading_commands_make_no_database() {
    let radar = Radar::at(NOW);
    for command in [
        &["digest"][..],
        &["item", "1"],
        &["runs"],
        &["calls"],
        &["spend"],
        &["deep-dive", "1"],
        &["doctor"],
        &["source", "list"],
        &["source", "remove", "wire"],
        &["topic", "list"],
        &["topic", "interests", "--try", "ferries"],
        &["opml", "export"],
        &["user", "list"],
        &["todo", "list"],
        &["todo"],
        &["agenda"],
        &["assistant", "add buy stamps tomorrow"],
    ] {
        radar.run(command).exits(FAILED).says("there is no database at").says("aha-radar init");
        assert!(!radar.database().exists(), "{command:?}");
    }
}

#[test]
fn a_file_that_is_no_database_of_ours_is_left_alone() {
    let radar = Radar::at(NOW);
    let text = "Not a database, but a diary. ".repeat(200);
    std::fs::write(radar.database(), &text).unwrap();
    for command in [&["--run-once"][..], &["digest"], &["doctor"]] {
        radar.run(command).exits(FAILED).says("is not an aha-radar database");
    }
    assert_eq!(std::fs::read_to_string(radar.database()).unwrap(), text);
}

#[test]
fn folders_that_cannot_be_written_are_named() {
    let nowhere = Radar::at(NOW).with("DATABASE_URL", "sqlite:///dev/null/x/aha.db");
    nowhere.run(&["init"]).exits(FAILED).says("/dev/null/x").says("check that the folder exists");
    let mut radar = with_posts(&[Post::about_nothing_else("one", "2026-11-19T05:00:00Z")])
        .with("AHA_OUTPUT_DIR", "/dev/null/x")
        .with("AHA_LOG", "warn");
    radar.run(&["doctor"]).exits(FAILED).says("/dev/null/x");
    let shown = radar.run(&["--run-once"]).exits(FAILED).says("the digest was stored").says("AHA_OUTPUT_DIR").stdout;
    let title = stories(&radar.digest())[0]["title"].as_str().unwrap().to_owned();
    assert!(shown.contains(&title), "the digest is printed although its files are missing: {shown}");
    assert_eq!(stories(&radar.digest()).len(), 1);
    radar.set("AHA_OUTPUT_DIR", radar.output().to_str().unwrap());
    radar.ok(&["--run-once"]);
    assert_eq!(radar.files().len(), 6, "the same command again writes what was missing");
}

#[test]
fn files_that_could_not_be_written_are_written_by_a_later_run() {
    let mut radar = with_posts(&[Post::about_nothing_else("one", "2026-11-19T05:00:00Z")])
        .with("AHA_OUTPUT_DIR", "/dev/null/x")
        .with("AHA_LOG", "warn");
    let failure = "its files could not be written";
    radar.run(&["--run-once"]).exits(FAILED).says("the topic's next run writes them");
    assert!(radar.ok(&["runs"]).contains(failure), "{}", radar.ok(&["runs"]));
    radar.run(&["doctor"]).says(failure);
    radar.set("AHA_NOW", "2026-11-19T08:00:00Z");
    radar.run(&["--run-once"]).exits(0).says("files of an earlier digest are missing");
    assert_eq!(radar.digest()["digest"]["status"], "quiet");
    assert!(radar.ok(&["runs"]).contains(failure), "a quiet run after it hides nothing");
    radar.set("AHA_OUTPUT_DIR", radar.output().to_str().unwrap());
    radar.set("AHA_NOW", "2026-11-19T09:00:00Z");
    radar.ok(&["--run-once"]);
    assert_eq!(radar.files().len(), 6);
    assert!(!radar.ok(&["runs"]).contains(failure), "{}", radar.ok(&["runs"]));
}

#[test]
fn importing_twice_changes_nothing() {
    let radar = with_examples();
    let before = rows::all(&radar);
    let again = radar.ok(&["opml", "import", &repository("examples/sources.opml")]);
    assert!(again.contains("no sources added, 10 known already"), "{again}");
    assert_eq!(rows::all(&radar), before);
}

#[test]
fn an_import_that_is_killed_leaves_no_source_without_its_settings() {
    let mut radar = Radar::at(NOW);
    radar.ok(&["init"]);
    let outline = "<outline text='A' xmlUrl='https://a.example/feed' aha:weight='0.35' aha:fullText='true'/>";
    std::fs::write(radar.folder().join("list.opml"), format!("<opml><body>{outline}</body></opml>")).unwrap();
    radar.set("AHA_FAILPOINT", "add_sources.after_commit");
    assert!(radar.run(&["opml", "import", "list.opml"]).signal.is_some());
    radar.set("AHA_FAILPOINT", "");
    radar.ok(&["opml", "import", "list.opml"]);
    assert!(radar.ok(&["opml", "export"]).contains("aha:weight=\"0.35\" aha:fullText=\"true\""));
}

#[test]
fn exported_sources_come_back_the_same() {
    let radar = with_examples();
    let exported = radar.ok(&["opml", "export"]);
    let other = Radar::at(NOW);
    std::fs::write(other.folder().join("mine.opml"), exported).unwrap();
    other.ok(&["opml", "import", "mine.opml"]);
    assert_eq!(rows::table(&other, "sources", &[]), rows::table(&radar, "sources", &[]));
    assert_eq!(other.ok(&["opml", "export"]), radar.ok(&["opml", "export"]));
}

#[test]
fn reading_commands_speak_json() {
    let radar = with_examples();
    radar.ok(&WINDOW);
    let digest = radar.digest();
    assert_eq!(keys(&digest), ["cost", "digest", "skipped", "sources", "stories"].into());
    let by_id = radar.json(&["digest", digest["digest"]["id"].as_str().unwrap(), "--format", "json"]);
    assert_eq!(by_id, digest);
    assert_eq!(radar.json(&[&WINDOW[..], &["--json"]].concat()), digest);
    let runs = radar.json(&["runs", "--json"]);
    assert_eq!((&runs[0]["digest_id"], &runs[0]["attempts"][1]["outcome"]), (&digest["digest"]["id"], &"done".into()));
    let findings = radar.json(&["doctor", "--json"]);
    assert!(findings.as_array().unwrap().iter().all(|finding| finding["level"] != "wrong"), "{findings:#}");
    let sources = radar.json(&["source", "list", "--json"]);
    assert_eq!((sources.as_array().unwrap().len(), &sources[0]["health"]), (10, &"ok".into()));
    let topics = radar.json(&["topic", "list", "--json"]);
    assert_eq!((&topics[0]["name"], &topics[0]["depth"]), (&"default".into(), &50.into()));
}

#[test]
fn source_test_tells_what_is_in_a_feed_and_stores_nothing() {
    let radar = Radar::at(NOW);
    let (feed, other) = (repository("examples/feeds/grid-and-tide.xml"), repository("examples/feeds/tramstop.json"));
    let printed = radar.ok(&["source", "test", &feed, &other, "--json"]);
    let reports: Vec<Value> = printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(reports.len(), 2);
    for report in &reports {
        assert_eq!(keys(report), ["feed", "items", "problems"].into());
        assert_eq!(keys(&report["feed"]), ["description", "format", "language", "link", "title"].into());
        let item = keys(&report["items"][0]);
        assert_eq!(
            item,
            ["author", "content", "external_id", "published_at", "summary", "title", "updated_at", "url"].into()
        );
    }
    assert_eq!(
        (&reports[0]["feed"]["title"], &reports[1]["feed"]["title"]),
        (&"Grid & Tide".into(), &"Tramstop".into())
    );
    let published = reports[0]["items"][0]["published_at"].as_str().unwrap();
    assert!(published.ends_with('Z') && published.contains('T'), "{published}");
    radar.run(&["source", "test", &feed, "/dev/null", "--json"]).exits(PARTIAL).says("\"error\"");
    radar.run(&["source", "test", "/nowhere.xml"]).exits(FAILED).says("no such file");
    assert!(!radar.database().exists());
}

#[test]
fn topics_are_kept_apart() {
    let radar = with_posts(&[Post::about_nothing_else("one", "2026-11-18T05:00:00Z")]);
    radar.ok(&["topic", "add", "boats", "--interests", "ferries"]);
    radar.run(&["topic", "add", "boats"]).exits(USAGE).says("there is a topic \"boats\" already");
    std::fs::write(
        radar.folder().join("boats.json"),
        feed("Boats", &[Post::about_nothing_else("two", "2026-11-18T05:00:00Z")]),
    )
    .unwrap();
    radar.ok(&["source", "add", "boats.json", "--topic", "boats"]);
    radar.ok(&[&WINDOW[..], &["--topic", "boats"]].concat());
    radar.ok(&WINDOW);
    let titles = |topic: &str| {
        let digest = radar.json(&["digest", "--topic", topic, "--json"]);
        stories(&digest).iter().map(|story| story["url"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(titles("boats"), ["https://posts.example/two"]);
    assert_eq!(titles("default"), ["https://posts.example/one"]);
}

#[test]
fn a_topic_read_ahead_of_the_clock_says_so_and_can_be_set_back() {
    let radar = with_examples();
    radar.run(&["topic", "set", "default", "--read-from", "2099-01-01T00:00:00Z"]).exits(0);
    radar.run(&["run"]).exits(USAGE).says("2099-01-01T00:00:00Z").says("--read-from");
    radar.run(&["topic", "set", "default", "--read-from", "2026-11-16T00:00:00Z"]).exits(0);
    radar.run(&["run"]).exits(0);
}

#[test]
fn a_topic_with_an_unusable_setting_is_not_made() {
    let radar = with_examples();
    radar.run(&["topic", "add", "cities", "--schedule", "every 6"]).exits(USAGE);
    radar.run(&["topic", "add", "cities", "--schedule", "every 6h"]).exits(0);
}

#[test]
fn the_weight_of_a_known_source_is_set_and_said() {
    let radar = Radar::at("2026-11-19T07:00:00Z");
    let add = ["source", "add", "https://a.example/feed"];
    radar.ok(&add);
    radar.run(&[&add[..], &["--weight", "2.5"]].concat()).exits(0).says("known already; their weight is now 2.5");
    assert_eq!(radar.json(&["source", "list", "--json"])[0]["weight"], 2.5);
}

#[test]
fn sources_of_one_host_have_different_names_before_they_are_read() {
    let radar = Radar::at("2026-11-19T07:00:00Z");
    let urls = ["https://a.example/boats/feed.xml?key=secret", "https://a.example/trams/"];
    radar.ok(&[&["source", "add", "--as-is"][..], &urls].concat());
    let listed = radar.ok(&["source", "list"]);
    assert!(listed.contains("  a.example/boats/feed.xml  ") && listed.contains("  a.example/trams  "), "{listed}");
    radar.run(&["source", "disable", "a.example/trams"]).exits(0).says("https://a.example/trams/ is no longer read");
    radar.ok(&["source", "remove", "a.example/boats/feed.xml"]);
    let again = radar.run(&["source", "remove", "a.example/boats/feed.xml"]).exits(2);
    again.says("no source is \"a.example/boats/feed.xml\", or it was removed already");
}

#[test]
fn each_section_is_in_the_order_of_the_printed_score() {
    let radar = with_examples();
    radar.run(&WINDOW).exits(0);
    let digest = radar.digest();
    for section in ["top", "scan"] {
        let shown = stories(&digest).iter().filter(|story| story["section"] == section);
        let scores: Vec<f64> = shown.map(|story| story["final_score"].as_f64().unwrap()).collect();
        assert!(scores.len() > 5 && scores.is_sorted_by(|a, b| a >= b), "{section}: {scores:?}");
    }
}
