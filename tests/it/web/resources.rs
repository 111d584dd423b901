use std::time::Duration;

use serde_json::{Value, json};

use crate::support::radar::{Engine, Radar, repository};
use crate::support::rows;
use crate::support::site::{Reply, Site};

const JSON: (&str, &str) = ("content-type", "application/json");
const NOBODY: &str = "00000000-0000-0000-0000-000000000000";

fn with_a_digest() -> Radar {
    let radar = Radar::at("2026-11-19T07:00:00Z");
    radar.ok(&["--run-once", "--import", &repository("examples/sources.opml"), "--window", "2026-11-16..2026-11-19"]);
    radar
}

fn send(site: &Site, method: &str, path: &str, body: &Value) -> Reply {
    site.send(method, path, &[JSON], &body.to_string())
}

/// Status and the field that is named.
fn refused(reply: &Reply) -> (u16, Option<String>) {
    (reply.status, reply.json()["error"]["field"].as_str().map(str::to_owned))
}

#[test]
fn a_topic_is_added_changed_tried_and_removed() {
    let mut radar = with_a_digest();
    let site = Site::start(&mut radar);
    let new = json!({ "name": "harbours & co", "settings": { "interests": "ferries", "top": 5 } });
    let keyed =
        |body: &Value| site.send("POST", "/api/v1/topics", &[JSON, ("idempotency-key", "one")], &body.to_string());
    let (added, again) = (keyed(&new), keyed(&new));
    assert_eq!((added.status, again.status, added.json()), (201, 201, again.json()));
    assert_eq!(again.headers["idempotency-replayed"], "true");
    assert_eq!(send(&site, "POST", "/api/v1/topics", &new).status, 409);
    for name in ["", ".", "..", "a\nb"] {
        let reply = send(&site, "POST", "/api/v1/topics", &json!({ "name": name }));
        assert_eq!(refused(&reply), (422, Some("name".to_owned())), "{name:?}");
        let into = json!({ "locations": ["https://b.example/feed.xml"], "topic": name, "as_is": true });
        assert_eq!(send(&site, "POST", "/api/v1/sources", &into).status, 422, "{name:?}");
    }
    let path = "/api/v1/topics/harbours%20%26%20co";
    assert_eq!(site.get(path).json()["sizes"]["top"], 5);
    let changed = send(&site, "PATCH", path, &json!({ "interests": "pilots", "schedule": "every 6h" })).json();
    assert_eq!((changed["interests"].as_str(), changed["schedule"].as_str()), (Some("pilots"), Some("every 6h")));
    let tier = send(&site, "PATCH", path, &json!({ "budget_tier": "high", "timezone": "Asia/Tokyo" })).json();
    assert_eq!((tier["budget_tier"].as_str(), tier["timezone"].as_str()), (Some("high"), Some("Asia/Tokyo")));
    let cleared = json!({ "budget_tier": "", "timezone": "", "schedule": "" });
    let usual = send(&site, "PATCH", path, &cleared).json();
    for field in ["budget_tier", "timezone", "schedule"] {
        assert!(usual[field].is_null(), "{field}: {usual}");
    }
    for (change, field) in [
        (json!({ "depth": 101 }), "depth"),
        (json!({ "timezone": "Mars" }), "timezone"),
        (json!({ "colour": 1 }), "colour"),
    ] {
        assert_eq!(refused(&send(&site, "PATCH", path, &change)), (422, Some(field.to_owned())), "{change}");
    }
    let fading = send(&site, "PATCH", path, &json!({ "decay_hours": 0 })).body;
    assert!(fading.contains("decay_hours expects hours") && !fading.contains("--"), "{fading}");
    let rule = json!({ "action": "mute", "field": "word", "pattern": "football" });
    let rules = send(&site, "POST", &format!("{path}/rules"), &rule);
    assert_eq!((rules.status, rules.json()["rules"][0]["text"].as_str()), (201, Some("mute word:football")));
    let wrong = json!({ "action": "mute", "field": "word", "pattern": "(" });
    assert_eq!(refused(&send(&site, "POST", &format!("{path}/rules"), &wrong)), (422, Some("rules".to_owned())));
    let left = site.send("DELETE", &format!("{path}/rules?rule=mute%20word%3Afootball"), &[], "").json();
    assert_eq!(left["rules"], json!([]));
    let tried =
        send(&site, "POST", "/api/v1/topics/default/preview", &json!({ "interests": "sqlite", "days": 14 })).json();
    assert!(tried["items"].as_u64().unwrap() > 0 && tried["best"].is_array(), "{tried}");
    let beyond = send(&site, "POST", "/api/v1/topics/default/replay", &json!({ "at_least": 101 }));
    assert_eq!((beyond.status, beyond.json()["error"]["field"].as_str()), (422, Some("at_least")), "{}", beyond.body);
    let replay = json!({ "rules": { "mute": ["word:the"] } });
    let replayed = send(&site, "POST", "/api/v1/topics/default/replay", &replay).json();
    assert!(
        replayed["before"]["stories"].as_array().unwrap().len()
            > replayed["digest"]["stories"].as_array().unwrap().len()
    );
    assert_eq!(site.send("DELETE", path, &[], "").json()["name"], "harbours & co");
    assert_eq!(site.get(path).status, 404);
}

#[test]
fn changes_of_a_topic_at_once_all_take_effect() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let mut radar = Radar::at("2026-11-19T07:00:00Z").on(engine);
        radar.ok(&["init"]);
        let site = Site::start(&mut radar);
        let change = |number: usize| {
            let change = match number {
                0 => json!({ "interests": "ferries" }),
                1 => json!({ "depth": 80 }),
                number => json!({ "mute": [format!("word:word{number}")] }),
            };
            site.begin("PATCH", "/api/v1/topics/default", &[JSON], &change.to_string())
        };
        let under_way: Vec<_> = (0..10).map(change).collect();
        for stream in under_way {
            assert_eq!(Reply::receive(stream).status, 200);
        }
        let topic = site.get("/api/v1/topics/default").json();
        assert_eq!(topic["rules"].as_array().unwrap().len(), 8, "{engine:?}: {topic}");
        assert_eq!((topic["interests"].as_str(), topic["depth"].as_u64()), (Some("ferries"), Some(80)));
    }
}

#[test]
fn a_request_that_panicked_can_be_made_again_with_its_key() {
    let mut radar = Radar::at("2026-11-19T07:00:00Z");
    radar.ok(&["init"]);
    for (variable, value) in [("AHA_FAILPOINT", "add_topic.before_commit"), ("AHA_FAILPOINT_SIGNAL", "PANIC")] {
        radar.set(variable, value);
    }
    let site = Site::start(&mut radar);
    let added = || {
        site.send(
            "POST",
            "/api/v1/topics",
            &[JSON, ("idempotency-key", "one")],
            &json!({ "name": "boats" }).to_string(),
        )
    };
    assert_eq!(added().status, 500);
    let again = added();
    assert_eq!((again.status, again.headers.contains_key("idempotency-replayed")), (201, false), "{again:?}");
}

#[test]
fn what_was_done_is_answered_even_if_its_answer_is_stored_late_or_never() {
    let mut radar = Radar::at("2026-11-19T07:00:00Z");
    radar.ok(&["init"]);
    let site = Site::start(&mut radar);
    let refuse = "CREATE TRIGGER no_answers BEFORE UPDATE ON idempotency_keys
                  BEGIN SELECT RAISE(ABORT, 'the answer is refused'); END";
    rows::execute(&radar, refuse);
    let begin = |name: &str| {
        site.begin("POST", "/api/v1/topics", &[JSON, ("idempotency-key", name)], &json!({ "name": name }).to_string())
    };
    assert_eq!(Reply::receive(begin("boats")).status, 201, "it was done");
    let again = Reply::receive(begin("boats"));
    assert!(again.status == 409 && again.body.contains("is under way"), "it is not done again: {again:?}");
    let ships = begin("ships");
    rows::wait_for(&radar, "SELECT count(*) FROM topics WHERE name = 'ships'");
    rows::execute(&radar, "DROP TRIGGER no_answers");
    assert_eq!(Reply::receive(ships).status, 201);
    let again = Reply::receive(begin("ships"));
    assert_eq!((again.status, again.headers.contains_key("idempotency-replayed")), (201, true), "{again:?}");
}

#[test]
fn what_a_topic_cannot_be_set_to_stays_in_its_form() {
    let mut radar = with_a_digest();
    let site = Site::start(&mut radar);
    let page = site.get("/topics/default");
    let fields = "top=7&schedule=now+and+then&timezone=Asia%2FTokyo&budget_tier=high&depth=61";
    let refused = site.post_form("/topics/default", &page, fields);
    assert_eq!(refused.status, 422);
    for typed in [
        "name=\"top\" min=\"0\" max=\"200\" value=\"7\"",
        "value=\"now and then\"",
        "value=\"Asia/Tokyo\"",
        "<option selected>high</option>",
        "max=\"100\" value=\"61\"",
    ] {
        assert!(refused.body.contains(typed), "{typed}: {}", refused.body);
    }
    let rule = site.post_form("/topics/default", &page, "action=boost&field=author&pattern=%28&regular=1");
    assert_eq!(rule.status, 422);
    for typed in ["value=\"boost\" selected", "value=\"author\" selected", "name=\"pattern\" value=\"(\""] {
        assert!(rule.body.contains(typed), "{typed}: {}", rule.body);
    }
    let literal = site.post_form("/topics/default", &page, "action=mute&field=word&pattern=C%2B%2B");
    assert_eq!(literal.status, 303);
    let rules = site.get("/topics/default").body;
    assert!(rules.contains(r"mute word:C\+\+"), "{rules}");
    let taken = site.post_form("/topics", &page, "name=default&interests=ferries");
    assert_eq!(taken.status, 422);
    assert!(taken.body.contains("name=\"name\" value=\"default\"") && taken.body.contains(">ferries</textarea>"));
}

#[test]
fn a_preview_of_interests_counts_its_matches_and_says_if_nothing_is_asked_for() {
    let mut radar = with_a_digest();
    let site = Site::start(&mut radar);
    let page = site.get("/topics/default");
    let excluding = site.post_form("/topics/default", &page, "interests=Everything+except+war&try=1");
    let welcome = "Nothing is asked for; all else is ranked by general worth.";
    assert!(excluding.status == 200 && excluding.body.contains(welcome), "{}", excluding.body);
    let asking = site.post_form("/topics/default", &page, "interests=ferries&try=1");
    assert!(!asking.body.contains(welcome), "{}", asking.body);
    assert!(asking.body.contains(" matches</h3>"), "{}", asking.body);
}

#[test]
fn sources_are_added_by_address_and_never_by_path() {
    let mut radar = with_a_digest();
    std::fs::write(radar.folder().join("feed.json"), "{}").unwrap();
    let site = Site::start(&mut radar);
    for location in [
        "feed.json",
        "./feed.json",
        "./not-there.json",
        "/etc/passwd",
        "file:///etc/passwd",
        " file:/etc/passwd",
        "~/x",
    ] {
        for (path, body, field) in [
            ("/api/v1/sources", json!({ "locations": [location] }), "locations"),
            ("/api/v1/sources/discover", json!({ "address": location }), "address"),
            ("/api/v1/sources/test", json!({ "address": location }), "address"),
        ] {
            let reply = send(&site, "POST", path, &body);
            assert_eq!(refused(&reply), (422, Some(field.to_owned())), "{path} {location}: {}", reply.body);
            assert!(!reply.body.contains("No such file") && !reply.body.contains("no such file"), "{}", reply.body);
        }
    }
    let outline = "<opml version=\"2.0\"><body><outline xmlUrl=\"file:///etc/passwd\" text=\"x\"/></body></opml>";
    let list = |body: &str| site.send("POST", "/api/v1/sources/opml", &[("content-type", "text/x-opml")], body);
    assert_eq!(refused(&list(outline)), (422, Some("file".to_owned())));
    assert_eq!(list(&outline.replace("file:///etc/passwd", "https://a.example/feed.xml")).json()["added"], 1);
    assert_eq!(send(&site, "POST", "/api/v1/sources/opml", &json!({})).status, 415);
    let other_case = [("content-type", "Text/X-OPML; Charset=utf-8")];
    let read = site.send("POST", "/api/v1/sources/opml", &other_case, outline);
    assert_eq!(refused(&read), (422, Some("file".to_owned())));
    assert!(site.get("/api/v1/sources/opml").body.contains("https://a.example/feed.xml"));
}

#[test]
fn sources_are_listed_by_pages_changed_and_removed() {
    let mut radar = with_a_digest();
    let site = Site::start(&mut radar);
    let new = json!({ "locations": ["https://b.example/feed.xml"], "weight": 2, "as_is": true });
    assert_eq!(send(&site, "POST", "/api/v1/sources", &new).json()["added"], 1);
    let all = site.get("/api/v1/sources?topic=default").json()["sources"].as_array().unwrap().clone();
    let (mut paged, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = site.get(&format!("/api/v1/sources?topic=default&limit=2{cursor}")).json();
        paged.extend(page["sources"].as_array().unwrap().clone());
        let Some(next) = page["next"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(paged, all);
    assert_eq!(refused(&site.get("/api/v1/sources?cursor=x")), (422, Some("cursor".to_owned())));
    let added = all.iter().find(|source| source["url"] == "https://b.example/feed.xml").unwrap();
    let path = format!("/api/v1/sources/{}", added["id"].as_str().unwrap());
    assert_eq!(
        (
            added["weight"].as_f64(),
            send(&site, "PATCH", &path, &json!({ "enabled": false })).json()["enabled"].as_bool()
        ),
        (Some(2.0), Some(false))
    );
    assert_eq!(refused(&send(&site, "PATCH", &path, &json!({ "weight": 9 }))), (422, Some("weight".to_owned())));
    assert_eq!(site.send("DELETE", &path, &[], "").status, 204);
    assert_eq!(site.get(&path).status, 404);
    let first_page = site.get("/api/v1/sources?topic=default&limit=1").json();
    let first = format!("/api/v1/sources/{}", first_page["sources"][0]["id"].as_str().unwrap());
    assert_eq!(site.send("DELETE", &first, &[], "").status, 204);
    let cursor = first_page["next"].as_str().unwrap();
    let rest = site.get(&format!("/api/v1/sources?topic=default&limit=1&cursor={cursor}")).json();
    assert_eq!(rest["sources"][0], all[1], "the source that the cursor names is gone");
}

#[test]
fn a_request_names_1_to_200_sources() {
    let mut radar = with_a_digest();
    let site = Site::start(&mut radar);
    for count in [0, 201] {
        let new = json!({ "locations": vec!["https://b.example/feed.xml"; count], "as_is": true });
        assert_eq!(refused(&send(&site, "POST", "/api/v1/sources", &new)), (422, Some("locations".to_owned())));
    }
}

/// How the run stands once it has ended.
fn ended(site: &Site, path: &str) -> Value {
    for _ in 0..400 {
        let status = site.get(path).json();
        if !status["end"].is_null() {
            return status;
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    panic!("the run did not end within 10 s");
}

#[test]
fn a_run_is_started_watched_and_made_again_unless_another_holds_the_topic() {
    let mut radar = with_a_digest();
    let site = Site::start(&mut radar);
    assert_eq!(site.get("/api/v1/topics/default/run").status, 404);
    assert_eq!(site.get("/api/v1/topics/default/run/events").status, 204);
    assert_eq!(site.get("/api/v1/topics/nothing/run/events").status, 404);
    let choice = json!({ "topic": "default", "window": "2026-11-17..2026-11-18" }).to_string();
    for is_replayed in [false, true] {
        let started = site.send("POST", "/api/v1/runs", &[JSON, ("idempotency-key", "one")], &choice);
        assert_eq!((started.status, started.headers["location"].as_str()), (202, "/api/v1/topics/default/run"));
        assert_eq!(started.headers.contains_key("idempotency-replayed"), is_replayed);
    }
    let end = ended(&site, "/api/v1/topics/default/run");
    assert_eq!(end["end"]["outcome"], "made", "{end}");
    let events = site.get("/api/v1/topics/default/run/events");
    assert!(events.body.contains("event: end") && events.body.contains("\"outcome\":\"made\""), "{}", events.body);
    let listed = site.get("/api/v1/runs?topic=default").json();
    let id = listed["runs"][0]["run"]["id"].as_str().unwrap();
    let one = site.get(&format!("/api/v1/runs/{id}")).json();
    assert_eq!(one, listed["runs"][0]);
    assert_eq!(site.get(&format!("/api/v1/digests/{}", one["digest_id"].as_str().unwrap())).status, 200);
    assert_eq!(send(&site, "POST", &format!("/api/v1/runs/{id}/retry"), &json!({})).status, 202);
    assert_eq!(ended(&site, "/api/v1/topics/default/run")["end"]["outcome"], "made");
    assert_eq!(site.send("DELETE", "/api/v1/topics/default/run", &[], "").status, 404);
    let estimate = send(&site, "POST", "/api/v1/runs/estimate", &json!({ "topic": "default" })).json();
    assert!(estimate["estimates"].is_array() && estimate["budget"].is_object(), "{estimate}");
    let wrong = json!({ "topic": "default", "window": "yesterday" });
    assert_eq!(refused(&send(&site, "POST", "/api/v1/runs", &wrong)), (422, Some("window".to_owned())));
    assert_eq!(send(&site, "POST", "/api/v1/runs", &json!({ "topic": "nothing" })).status, 404);
    assert_eq!(site.get(&format!("/api/v1/runs/{NOBODY}")).status, 404);

    rows::hold_elsewhere(&radar);
    let held = send(&site, "POST", "/api/v1/runs", &json!({ "topic": "default" }));
    assert_eq!((held.status, held.json()["error"]["code"].as_str()), (409, Some("conflict")));
    assert!(held.body.contains("elsewhere pid:7"), "{}", held.body);
}

#[test]
fn items_calls_spending_models_and_settings_are_read() {
    let mut radar = with_a_digest();
    let site = Site::start(&mut radar);
    let all = site.get("/api/v1/items?topic=default&limit=200").json();
    let first = site.get("/api/v1/items?topic=default&limit=3").json();
    let second =
        site.get(&format!("/api/v1/items?topic=default&limit=3&cursor={}", first["next"].as_str().unwrap())).json();
    let (all, first, second) = (&all["items"], &first["items"], &second["items"]);
    assert_eq!(
        [first[0].clone(), first[2].clone(), second[0].clone()],
        [all[0].clone(), all[2].clone(), all[3].clone()]
    );
    let item = site.get(&format!("/api/v1/items/{}", all[0]["id"].as_str().unwrap())).json();
    assert_eq!((&item["title"], item["text"].as_str().is_some()), (&all[0]["title"], true));
    let source = all[0]["source_id"].as_str().unwrap();
    let of_source = site.get(&format!("/api/v1/items?source={source}")).json();
    assert!(of_source["items"].as_array().unwrap().iter().all(|item| item["source_id"] == source));
    assert_eq!(site.get(&format!("/api/v1/items/{NOBODY}")).status, 404);
    assert_eq!(refused(&site.get("/api/v1/items?source=x")), (422, Some("source".to_owned())));

    let calls = site.get("/api/v1/calls?limit=2").json();
    let unknown = site.get("/api/v1/calls?state=bogus");
    assert_eq!(unknown.status, 422);
    assert!(unknown.body.contains("ok, error, unsettled, reserved"), "{}", unknown.body);
    let more = site.get(&format!("/api/v1/calls?limit=2&cursor={}", calls["next"].as_str().unwrap())).json();
    assert!(more["calls"].as_array().unwrap().iter().all(|call| !calls["calls"].as_array().unwrap().contains(call)));
    assert_eq!(site.get("/api/v1/spend?by=purpose&days=7").json()["by"], "purpose");
    assert_eq!(refused(&site.get("/api/v1/spend?days=0")), (422, Some("days".to_owned())));
    for path in ["/api/v1/models", "/api/v1/settings", "/api/v1/saved", "/api/v1/deep-dives", "/api/v1/topics"] {
        let (reply, again) = (site.get(path), site.get(path));
        assert_eq!((reply.status, &reply.headers["etag"]), (200, &again.headers["etag"]), "{path}");
        let known = [("if-none-match", reply.headers["etag"].as_str())];
        assert_eq!(site.send("GET", path, &known, "").status, 304, "{path}");
    }
    let wrong_method = site.send("PUT", "/api/v1/topics", &[], "");
    assert_eq!((wrong_method.status, wrong_method.headers["allow"].as_str()), (405, "GET,HEAD,POST"));
}

#[test]
fn what_costs_money_is_refused_once_the_budget_is_used_up() {
    let mut radar = with_a_digest().with("AHA_BUDGET_DAILY_CREDITS", "0");
    let site = Site::start(&mut radar);
    let refused = send(&site, "POST", "/api/v1/models/check", &json!({}));
    assert_eq!((refused.status, refused.json()["error"]["code"].as_str()), (402, Some("budget_exhausted")));
    assert_eq!(site.post_form("/models/check", &site.get("/topics"), "").status, 402);
    let story = radar.digest()["stories"][0]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/stories/{story}/deep-dive");
    let text = json!({ "text": "The harbour opened a second berth. It takes ferries of 90 metres. The first one came on Monday." });
    assert_eq!(send(&site, "POST", &format!("{path}/estimate"), &text).json()["stored"], false);
    let free = send(&site, "POST", &path, &text);
    assert_eq!((free.status, free.json()["microcredits"].as_i64()), (200, Some(0)), "{}", free.body);
    assert_eq!(send(&site, "PUT", &path, &json!({ "keep": true })).status, 404);
}

#[test]
fn a_question_that_cannot_be_asked_starts_no_stream() {
    let mut radar = with_a_digest();
    let site = Site::start(&mut radar);
    let padded = format!("\u{9a}{}", "x".repeat(2_000));
    for question in [String::new(), " \u{0}\n".to_owned(), "x".repeat(2_001), padded] {
        let reply = send(&site, "POST", "/api/v1/ask/stream", &json!({ "question": question }));
        assert_eq!((reply.status, reply.json()["error"]["code"].as_str()), (400, Some("INVALID_REQUEST")), "{reply:?}");
    }
    let asked = send(&site, "POST", "/api/v1/ask/stream", &json!({ "question": "Which quay did the ferry strike?" }));
    assert!(asked.status == 200 && asked.body.contains("event: done"), "{asked:?}");
}

#[test]
fn a_stream_is_not_stored_under_an_idempotency_key() {
    let mut radar = with_a_digest();
    let site = Site::start(&mut radar);
    let question = json!({ "question": "Which quay did the ferry strike?" }).to_string();
    for _ in 0..2 {
        let reply = site.send("POST", "/api/v1/ask/stream", &[JSON, ("idempotency-key", "one")], &question);
        assert_eq!((reply.status, reply.headers["content-type"].as_str()), (200, "text/event-stream"), "{reply:?}");
        assert!(!reply.headers.contains_key("idempotency-replayed"), "{reply:?}");
    }
}
