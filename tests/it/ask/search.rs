//! `search` and `reindex`, through the program.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::with_documents;
use crate::support::daemon::Daemon;
use crate::support::radar::{Engine, Radar};
use crate::support::rows;

#[test]
fn search_finds_passages_and_marks_the_words() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let radar = with_documents(engine);
        let found = radar.run(&["search", "--json", "nights -fishing since:2020-01-01"]).exits(0).json();
        let results = found["results"].as_array().unwrap();
        assert_eq!((results.len(), &results[0]["document"]), (1, &"rules-2023.md".into()), "{engine:?} {found}");
        let marked: Vec<&str> = results[0]["excerpt"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|part| part["is_match"] == true)
            .map(|part| part["text"].as_str().unwrap())
            .collect();
        assert_eq!(marked, ["night"]);
        radar.run(&["search", "\"night at the quay\""]).exits(0).says("*night* *at*");
        radar.run(&["search", "source:nowhere", "night"]).exits(2);
        radar.run(&["search", "night -source:nowhere"]).exits(2).says("leave out the minus");
        radar.run(&["search", "--", "-night"]).exits(2).says("no word");
        radar.run(&["reindex"]).exits(0).says("items and passages indexed");
        assert_eq!(radar.run(&["search", "--json", "dusk"]).exits(0).json()["behind_since"], Value::Null);
    }
}

#[test]
fn a_search_says_how_it_was_read_and_how_to_find_more() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let radar = with_documents(engine);
        for (query, says) in [
            ("sorce:handbook night", "did you mean source:?"),
            ("author:ann night", "The filters are source:NAME, topic:NAME, since:DATE"),
            ("source:handbok night", "did you mean source:handbook?"),
            ("topic:defualt night", "there is no topic \"defualt\"; did you mean topic:default?"),
            ("since:2999-01-01 night", "is in the future"),
            ("since:soon night", "\"soon\" is no time to search from"),
            ("since:7d since:30d night", "7d and 30d"),
            ("-fishing OR night", "OR cannot join an excluded word"),
        ] {
            radar.run(&["search", "--", query]).exits(2).says(says);
        }
        let words = |count: usize| (0..count).map(|number| format!("{number:x}")).collect::<Vec<_>>().join(" ");
        radar.run(&["search", &words(201)]).exits(2).says("has 201 words and phrases, and at most 200");
        radar.run(&["search", &words(200)]).exits(0);
        radar.run(&["search", "\"lit from dusk"]).exits(0).says("*dusk*").says("is not closed");
        radar.run(&["search", "dusk NOT fishing"]).exits(0).says("*dusk*").says("was read as -fishing");
        radar.run(&["search", "xylophone"]).exits(0).says("nothing was found; to find more, try another word");
        let found = |query: &str| radar.run(&["search", "--json", query]).exits(0).json();
        let count = |query: &str| found(query)["results"].as_array().unwrap().len();
        assert_eq!(count("dusk OR xylophone"), 1, "{engine:?}");
        assert_eq!((count("xylophone dusk"), count("midn*"), count("night 10:30")), (0, 1, 0), "{engine:?}");
        assert_eq!(count("source:handbook source:HANDBOOK topic:Default dusk"), 1, "{engine:?}");
        let either = found("dusk OR xylophone lamp");
        assert!(either["notes"][0].as_str().unwrap().contains("(dusk OR xylophone) AND lamp"), "{either}");
        assert_eq!((&either["suggestion"], either["results"].as_array().unwrap().len()), (&Value::Null, 1));
        assert!(found("xylophone dusk")["suggestion"].as_str().unwrap().contains("put OR between words"));
        assert!(found("xylophone since:7d")["suggestion"].as_str().unwrap().contains("a longer time"));
        let accented = found("dúsk");
        let parts = accented["results"][0]["excerpt"].as_array().unwrap();
        assert!(parts.iter().any(|part| part["is_match"] == true && part["text"] == "dusk"), "{accented}");
    }
}

#[test]
fn an_index_of_an_earlier_version_is_reported_until_it_is_rebuilt() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let radar = with_documents(engine);
        rows::execute(&radar, "UPDATE search_entries SET terms_version = 1");
        radar.run(&["search", "dusk"]).exits(0).says("*dusk*").says("`aha-radar reindex` rebuilds the index");
        radar.ok(&["reindex"]);
        assert_eq!(radar.run(&["search", "--json", "dusk"]).exits(0).json()["behind_since"], Value::Null, "{engine:?}");
    }
}

#[test]
fn a_daemon_indexes_what_the_index_lacks() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let mut radar = with_documents(engine);
        rows::execute(&radar, "DELETE FROM search_entries");
        let is_found = |radar: &Radar| radar.run(&["search", "dusk"]).stdout.contains("*dusk*");
        assert!(!is_found(&radar), "{engine:?}");
        let daemon = Daemon::start(&mut radar);
        let begun = Instant::now();
        while !is_found(&radar) {
            assert!(begun.elapsed() < Duration::from_mins(1), "{engine:?}");
            std::thread::sleep(Duration::from_millis(100));
        }
        daemon.end().0.exits(0);
    }
}
