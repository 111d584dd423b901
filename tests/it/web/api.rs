use serde_json::{Value, json};

use crate::support::feeds::{Post, feed};
use crate::support::radar::{Engine, Radar, repository};
use crate::support::rows;
use crate::support::site::Site;

const JSON: (&str, &str) = ("content-type", "application/json");

fn with_a_digest() -> Radar {
    let radar = Radar::at("2026-11-19T07:00:00Z");
    radar.ok(&["--run-once", "--import", &repository("examples/sources.opml"), "--window", "2026-11-16..2026-11-19"]);
    radar.ok(&["run", "--window", "2026-11-17..2026-11-18"]);
    radar
}

#[test]
fn what_is_read_is_what_the_commands_say() {
    let mut radar = with_a_digest();
    let site = Site::start(&mut radar);
    let digest = site.get("/api/v1/digests/latest").json();
    assert_eq!(digest, radar.digest());
    let first = site.get("/api/v1/digests?limit=1").json();
    let second = site.get(&format!("/api/v1/digests?limit=1&cursor={}", first["next"].as_str().unwrap())).json();
    assert_ne!(first["digests"][0]["head"]["id"], second["digests"][0]["head"]["id"]);
    assert_eq!(second["next"], Value::Null);
    let last_day =
        format!("/api/v1/digests?cursor=%2B262142-12-31.{}", first["digests"][0]["head"]["id"].as_str().unwrap());
    assert_eq!(site.get(&last_day).json()["digests"].as_array().unwrap().len(), 1);
    let id = digest["stories"][0]["id"].as_str().unwrap();
    let story = site.get(&format!("/api/v1/stories/{id}")).json();
    assert_eq!(story["story"]["title"], digest["stories"][0]["title"]);
    let give = |kind: &str| {
        site.send("POST", &format!("/api/v1/stories/{id}/feedback"), &[JSON], &json!({ "kind": kind }).to_string())
    };
    assert_eq!(give("like").json()["change"]["changed"], true);
    assert_eq!(give("like").json()["change"]["changed"], false);
    let kinds = site.get(&format!("/api/v1/stories/{id}")).json()["feedback"].clone();
    assert_eq!(kinds, json!(["like"]));
    let back = site.send("DELETE", &format!("/api/v1/stories/{id}/feedback/like"), &[], "").json();
    assert_eq!(back["change"]["changed"], true);
}

/// The topic that is the last by name has the older line.
#[test]
fn the_story_of_an_item_is_that_of_the_newest_digest_of_any_topic() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let mut radar = Radar::at("2026-11-19T07:00:00Z").on(engine);
        let text = "It left two bollards bent.";
        let post = Post::new("quay", "The Marigold ferry struck the quay", text, "2026-11-17T12:00:00Z");
        std::fs::write(radar.folder().join("feed.json"), feed("The Quay", &[post])).unwrap();
        let [newer, older] =
            [("default", "2026-11-16..2026-11-19"), ("zebra", "2026-11-16..2026-11-18")].map(|(topic, window)| {
                radar.ok(&["source", "add", "--as-is", "--topic", topic, "feed.json"]);
                radar.ok(&["topic", "set", topic, "--at-least", "0"]);
                radar.json(&["run", "--topic", topic, "--window", window, "--json"])["stories"][0].clone()
            });
        let item = newer["sources"][0]["item_id"].as_str().unwrap();
        assert_eq!(older["sources"][0]["item_id"], item, "{engine:?}");
        let line = newer["id"].as_str().unwrap();
        let site = Site::start(&mut radar);
        let found = site.get("/api/v1/search?q=Marigold").json();
        assert_eq!(found["results"][0]["story_id"], line, "{engine:?}: {found}");
        let unclosed = site.get("/api/v1/search?q=%22Marigold").json();
        assert!(unclosed["notes"][0].as_str().unwrap().contains("is not closed"), "{engine:?}: {unclosed}");
        assert!(site.get("/search?q=%22Marigold").body.contains("is not closed"), "{engine:?}");
        assert!(site.get("/search?q=sorce:quay").body.contains("did you mean source:?"), "{engine:?}");
        assert!(site.get("/search?q=xylophone").body.contains("To find more, try another word"), "{engine:?}");
        assert!(site.get("/search?q=&source=quay").body.contains("1 result."), "{engine:?}: filters alone");
        let page = site.get(&format!("/items/{item}"));
        assert!(page.body.contains(&format!("/stories/{line}\"")), "{engine:?}: {}", page.body);
    }
}

/// "Ferris" and "ferry" have one stem, and what has a word often and is short ranks first in the index.
#[test]
fn what_has_the_very_words_is_found_before_other_forms_of_them() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let mut radar = Radar::at("2026-11-19T07:00:00Z").on(engine);
        let other = "The harbour of the town was closed for a day, and people waited at the gates. ".repeat(5);
        let person = format!("{other}Nan Ferris said so.");
        let posts = [
            Post::new("one", "Ferry, ferry, ferry", "A ferry left, and another came in.", "2026-11-17T12:00:00Z"),
            Post::new("two", "Ferries and a ferry", "Ferries leave at night.", "2026-11-17T13:00:00Z"),
            Post::new("three", "A closed harbour", &person, "2026-11-17T14:00:00Z"),
        ];
        std::fs::write(radar.folder().join("feed.json"), feed("The Quay", &posts)).unwrap();
        radar.ok(&["source", "add", "--as-is", "feed.json"]);
        radar.ok(&["run", "--window", "2026-11-16..2026-11-19"]);
        let site = Site::start(&mut radar);
        let titles = |query: &str| -> Vec<String> {
            let found = site.get(&format!("/api/v1/search?q={query}")).json();
            found["results"].as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(titles("ferris&limit=1"), ["A closed harbour"], "{engine:?}");
        assert_eq!(titles("Ferris").len(), 3, "{engine:?}: other forms are found, too");
        assert_eq!(titles("ferry")[2], "A closed harbour", "{engine:?}");
        assert_eq!(titles("ferries")[0], "Ferries and a ferry", "{engine:?}");
    }
}

/// Days are those of each topic's zone: a digest of a later day in one can be older than one of an earlier day in the
/// other.
#[test]
fn digests_of_topics_in_different_zones_are_paged_without_a_gap() {
    let mut radar = Radar::at("2026-11-19T12:00:00Z");
    radar.ok(&["init"]);
    for (topic, zone) in [("east", "Pacific/Kiritimati"), ("west", "Pacific/Pago_Pago")] {
        radar.ok(&["topic", "add", topic]);
        radar.ok(&["topic", "set", topic, "--timezone", zone]);
        radar.ok(&["opml", "import", &repository("examples/sources.opml"), "--topic", topic]);
        for hour in ["06", "09", "11"] {
            radar.ok(&[
                "run",
                "--topic",
                topic,
                "--window",
                &format!("2026-11-18T00:00:00Z..2026-11-18T{hour}:30:00Z"),
            ]);
        }
    }
    let site = Site::start(&mut radar);
    let ids = |page: &Value| -> Vec<String> {
        page["digests"].as_array().unwrap().iter().map(|entry| entry["head"]["id"].to_string()).collect()
    };
    let all = ids(&site.get("/api/v1/digests").json());
    assert_eq!(all.len(), 6);
    let (mut paged, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = site.get(&format!("/api/v1/digests?limit=1{cursor}")).json();
        paged.extend(ids(&page));
        let Some(next) = page["next"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(paged, all);
}

/// Each copy of the database is a folder of its own among the temporary files.
#[test]
fn at_most_two_replays_copy_the_database_at_a_time() {
    let mut radar = with_a_digest();
    let temporary = radar.folder().join("temporary");
    std::fs::create_dir(&temporary).unwrap();
    radar.set("TMPDIR", temporary.to_str().unwrap());
    let site = Site::start(&mut radar);
    // SQLite's own temporary files are there, too, for moments.
    let is_copy = |name: std::ffi::OsString| name.to_str().unwrap().starts_with("aha-radar-dry-run-");
    let copies = || {
        let entries = std::fs::read_dir(&temporary).unwrap();
        entries.filter(|entry| is_copy(entry.as_ref().unwrap().file_name())).count()
    };
    let body = json!({ "interests": "ferries" }).to_string();
    let path = "/api/v1/topics/default/replay";
    let most = std::thread::scope(|scope| {
        let replays: Vec<_> = (0..6).map(|_| scope.spawn(|| site.send("POST", path, &[JSON], &body).status)).collect();
        let mut most = 0;
        while !replays.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            most = most.max(copies());
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        assert!(replays.into_iter().all(|replay| replay.join().unwrap() == 200));
        most
    });
    assert!((1..=2).contains(&most), "{most} copies at a time");
    assert_eq!(copies(), 0, "removed afterwards");
}

/// Method, path, headers and body; the status and the field that is named.
type Case<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)], &'a str, u16, Option<&'a str>);

#[test]
fn what_is_wrong_is_said_in_one_form_with_its_field() {
    let mut radar = with_a_digest();
    let site = Site::start(&mut radar);
    let id = radar.digest()["stories"][0]["id"].as_str().unwrap().to_owned();
    let post = format!("/api/v1/stories/{id}/feedback");
    let unknown = "/api/v1/stories/00000000-0000-0000-0000-000000000000";
    let cases: [Case<'_>; 10] = [
        ("GET", unknown, &[], "", 404, None),
        ("GET", "/api/v1/digests/what", &[], "", 404, None),
        ("GET", "/api/v1/nothing", &[], "", 404, None),
        ("POST", "/api/v1/nothing", &[JSON], "{}", 404, None),
        ("PUT", "/api/v1/digests", &[], "", 405, None),
        ("GET", "/api/v1/digests?limit=0", &[], "", 422, Some("limit")),
        ("POST", &post, &[JSON], "{\"kind\":\"adore\"}", 422, Some("kind")),
        ("POST", &post, &[JSON], "{}", 422, Some("kind")),
        ("POST", &post, &[("content-type", "text/plain")], "{\"kind\":\"like\"}", 415, None),
        ("POST", &post, &[JSON], "{\"kind\":", 400, None),
    ];
    for (method, path, headers, body, status, field) in cases {
        let reply = site.send(method, path, headers, body);
        let error = reply.json();
        assert_eq!((reply.status, &error["ok"]), (status, &json!(false)), "{method} {path} {body}: {error}");
        assert_eq!(error["error"]["field"].as_str(), field, "{method} {path} {body}: {error}");
        assert!(error["error"]["code"].is_string() && error["error"]["message"].is_string(), "{error}");
    }
    let large = format!("{{\"kind\":\"{}\"}}", "x".repeat(5 * 1024 * 1024));
    assert_eq!(site.send("POST", &post, &[JSON], &large).json()["error"]["code"], "too_large");
}

#[test]
fn what_an_address_names_wrong_is_said_with_the_way_to_ask_for_it() {
    let mut radar = with_a_digest();
    let site = Site::start(&mut radar);
    let invalid = "invalid_value";
    let cases = [
        ("/api/v1/digests?nosuch=1", 422, invalid, Some("nosuch"), "Those it takes: topic, first, last, limit, cursor"),
        ("/api/v1/search?q=ferry&limt=3", 422, invalid, Some("limt"), "did you mean \"limit\"?"),
        ("/api/todos?prority=low", 422, invalid, Some("prority"), "did you mean \"priority\"?"),
        ("/api/v1/digests?limit=abc", 422, invalid, Some("limit"), "it must be a whole number"),
        ("/api/v1/search", 422, invalid, Some("q"), "the parameter q is missing"),
        ("/api/v1/search?q=a&by=foo", 422, invalid, Some("by"), "and this is \"foo\""),
        ("/api/v1/nothing", 404, "not_found", None, "there is no such path"),
        ("/api/v1/topics/nope", 404, "not_found", None, "`GET /api/v1/topics` shows those there are"),
        ("/api/v1/sources/abcdef", 404, "not_found", None, "`GET /api/v1/sources` shows them"),
    ];
    for (path, status, code, field, said) in cases {
        let reply = site.get(path);
        let error = reply.json()["error"].clone();
        assert_eq!((reply.status, error["code"].as_str()), (status, Some(code)), "{path}: {error}");
        assert_eq!(error["field"].as_str(), field, "{path}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(said) && !message.contains("aha-radar"), "{path}: {message}");
        assert!(!message.contains("--import") && !message.contains("deserialize"), "{path}: {message}");
    }
    assert_eq!(site.get("/health?at=1").status, 200, "not of the API");
}

#[test]
fn a_wrong_body_names_its_field_and_what_is_expected() {
    let mut radar = Radar::at("2026-11-19T07:00:00Z");
    radar.ok(&["init"]);
    let site = Site::start(&mut radar);
    let (message, topics, rules) = ("/api/assistant/message", "/api/v1/topics", "/api/v1/topics/default/rules");
    let choice = |selection: &str| format!(r#"{{"message":"x","options":{{"clarify":{{"selection":{selection}}}}}}}"#);
    let cases = [
        ("/ask", "\"How do I?\"".to_owned(), "the body must be an object, and this is the text \"How do I?\""),
        ("/ask", "[]".to_owned(), "the body is an object, and this is a list"),
        ("/v1/ask", r#"{"question":3}"#.to_owned(), "`question` must be a text, and this is 3"),
        ("/ask", "{}".to_owned(), "the field `question` is missing; add it"),
        ("/ask", r#"{"question":"a","question":"b"}"#.to_owned(), "the field `question` is given more than once"),
        (message, choice(r#"{"ids":["x"]}"#), "`options.clarify.selection.ids[0]` must be a whole number"),
        (message, choice(r#"{"date":"2026-13-01"}"#), "`options.clarify.selection.date` must be a day that exists"),
        (message, choice(r#"{"priority":"urgent"}"#), "must be one of `low`, `medium`, `high`, and this is \"urgent\""),
        (
            topics,
            r#"{"name":"x","settings":{"depth":"deep"}}"#.to_owned(),
            "`settings.depth` must be a whole number from",
        ),
        (topics, r#"{"name":"x","settings":[]}"#.to_owned(), "`settings` must be an object, and this is a list"),
        (topics, r#"{"name":"x","nosuch":1}"#.to_owned(), "there is no field `nosuch`; expected: "),
        (
            rules,
            r#"{"action":3,"field":"word","pattern":"x"}"#.to_owned(),
            "`action` must be one of its names, as a text",
        ),
    ];
    for (path, body, expected) in cases {
        let reply = site.send("POST", path, &[JSON], &body);
        assert!([400, 422].contains(&reply.status), "{path} {body}: {reply:?}");
        let answer = reply.json();
        let said = answer["message"].as_str().or_else(|| answer["error"]["message"].as_str()).unwrap();
        assert!(said.contains(expected), "{path} {body}: {said}");
        for inner in ["struct", "invalid type", "i64", "u8", " at line "] {
            assert!(!said.contains(inner), "{path} {body}: {said}");
        }
    }
    let broken = site.send("POST", "/api/v1/topics", &[JSON], r#"{"name":}"#);
    assert_eq!((broken.status, broken.json()["error"]["code"].as_str()), (400, Some("invalid_json")));
}

#[test]
fn the_beginning_of_an_id_is_enough_and_that_of_several_is_refused() {
    let mut radar = with_a_digest();
    let site = Site::start(&mut radar);
    let digest = radar.digest();
    let line = digest["stories"][0]["id"].as_str().unwrap();
    let get = |kind: &str, id: &str| site.get(&format!("/api/v1/{kind}/{id}"));
    let story = get("stories", &line[..8]).json();
    assert_eq!(story["story"]["id"], line, "{story}");
    let path = format!("/api/v1/stories/{}/feedback", line[..8].to_uppercase());
    assert_eq!(site.send("POST", &path, &[JSON], "{\"kind\":\"like\"}").json()["change"]["changed"], true);
    assert_eq!(site.send("POST", &path, &[JSON], "{\"kind\":\"like\",\"x\":1}").status, 422, "an unknown field");
    let of_digest = digest["digest"]["id"].as_str().unwrap();
    assert_eq!(get("digests", &of_digest[..8]).json(), digest);
    for (kind, path) in [("sources", "/api/v1/sources"), ("runs", "/api/v1/runs")] {
        let first = site.get(path).json()[kind][0].clone();
        let id = first["id"].as_str().or_else(|| first["run"]["id"].as_str()).unwrap();
        let short = get(kind, &id[..8]);
        assert_eq!((short.status, &short.body), (200, &get(kind, id).body), "{kind}");
    }
    for kind in ["stories", "digests", "sources", "runs"] {
        for id in ["12", "what", "0000"] {
            assert_eq!(get(kind, id).status, 404, "{kind}/{id}");
        }
    }
    rows::execute(&radar, "UPDATE digest_items SET id = 'ffff' || substr(id, 5)");
    let ambiguous = get("stories", "ffff");
    let message = ambiguous.json()["error"]["message"].as_str().unwrap().to_owned();
    assert_eq!(ambiguous.status, 422, "{message}");
    assert!(message.starts_with("several digest items have an id that begins with ffff"), "{message}");
}

#[test]
fn a_post_with_a_key_is_done_once() {
    let mut radar = with_a_digest();
    let site = Site::start(&mut radar);
    let id = radar.digest()["stories"][0]["id"].as_str().unwrap().to_owned();
    let give = |key: &str, kind: &str| {
        let body = json!({ "kind": kind }).to_string();
        site.send("POST", &format!("/api/v1/stories/{id}/feedback"), &[JSON, ("idempotency-key", key)], &body)
    };
    let first = give("one", "like");
    let again = give("one", "like");
    assert_eq!((first.json(), first.status), (again.json(), again.status));
    assert_eq!(again.headers["idempotency-replayed"], "true");
    let marked = "\u{feff}{\"kind\":\"like\"}";
    let path = format!("/api/v1/stories/{id}/feedback");
    let after_a_mark = site.send("POST", &path, &[JSON, ("idempotency-key", "one")], marked);
    assert_eq!((after_a_mark.status, after_a_mark.json()), (200, first.json()), "a byte order mark");
    assert_eq!(give("one", "save").status, 422);
    assert_eq!(give("two", "like").json()["change"]["changed"], false);
}

/// Each route of the document answers, and each feed of a topic can be read and names each story once.
#[test]
fn the_document_is_of_the_routes_and_feeds_have_stable_ids() {
    let mut radar = with_a_digest();
    let site = Site::start(&mut radar);
    let document = site.get("/api/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().unwrap();
    assert!(paths.len() >= 45, "{}", paths.len());
    let methods = ["get", "post", "put", "patch", "delete"];
    for (path, operations) in paths {
        let at =
            path.replace("{id}", "x").replace("{name}", "x").replace("{kind}", "like").replace("{collection}", "todos");
        for method in methods {
            if (method, path.as_str()) == ("get", "/ask") {
                // A page for people.
                continue;
            }
            let reply = site.send(&method.to_uppercase(), &at, &[JSON], "{}");
            let is_described = operations.get(method).is_some();
            assert_eq!(reply.status != 405, is_described, "{method} {path}: {}", reply.status);
            let is_answered =
                reply.status != 404 || reply.json()["error"]["message"] != "there is nothing at this address";
            assert!(is_answered, "{method} {path}");
        }
    }
    for name in ["digests", "stories", "saved"] {
        for form in ["rss", "atom", "json"] {
            let reply = site.get(&format!("/feeds/default/{name}.{form}"));
            let read =
                feed_rs::parser::parse(reply.body.as_bytes()).unwrap_or_else(|error| panic!("{name}.{form}: {error}"));
            let mut ids: Vec<String> = read.entries.iter().map(|entry| entry.id.clone()).collect();
            let all = ids.len();
            ids.sort();
            ids.dedup();
            assert!(
                ids.len() == all && (all > 0 || name == "saved"),
                "{name}.{form}: {all} entries, {} ids",
                ids.len()
            );
        }
    }
}
