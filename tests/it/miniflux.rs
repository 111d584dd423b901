//! Feeds, stars and read marks of a Miniflux, which is played by a scripted server in the shapes that its API
//! documents.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::http::Answer;
use crate::support::radar::{Engine, Radar};
use crate::support::rows;
use crate::support::web::Web;

const FEEDS: &str = "/reader/v1/feeds";
const TOKEN: &str = "hush-miniflux-token";

fn entries(mark: &str, limit: usize, offset: usize) -> String {
    format!("/reader/v1/entries?{mark}&order=changed_at&direction=desc&limit={limit}&offset={offset}")
}

fn feed(id: i64, url: &str, title: &str, category: &str, more: &Value) -> Value {
    let mut feed = json!({
        "id": id, "user_id": 1, "feed_url": url, "site_url": "https://site.example/", "title": title,
        "checked_at": "2026-11-18T20:00:00.000000Z", "etag_header": "", "last_modified_header": "",
        "parsing_error_message": "", "parsing_error_count": 0, "scraper_rules": "", "rewrite_rules": "",
        "crawler": false, "disabled": false, "username": "", "password": "",
        "category": { "id": 10, "title": category, "user_id": 1 }, "icon": null
    });
    feed.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    feed
}

fn entry(id: usize, feed: i64, title: &str, status: &str, starred: bool) -> Value {
    json!({
        "id": id, "user_id": 1, "feed_id": feed, "title": title, "url": format!("https://tide.example/{id}"),
        "comments_url": "", "author": "Ada", "content": "<p>Of <b>slack water</b>.</p><script>x</script>", "hash": "29f9",
        "published_at": "2026-11-16T08:00:00Z", "created_at": "2026-11-16T09:00:00Z",
        "changed_at": "2026-11-17T10:11:12.345678Z", "status": status, "share_code": "", "starred": starred,
        "reading_time": 1, "enclosures": null, "tags": [], "feed": { "id": feed, "title": "Tide" }
    })
}

fn page(entries: &[Value]) -> Answer {
    Answer::ok(json!({ "total": 102, "entries": entries }).to_string())
}

fn miniflux() -> Web {
    let feeds = json!([
        feed(1, "https://tide.example/feed.xml", "Tide", "Sea", &json!({ "crawler": true })),
        feed(2, "https://www.reddit.com/r/rust/.rss", "Rust", "Code & <b>craft</b>", &json!({})),
        feed(3, "https://old.example/feed", "Old", "Sea", &json!({ "disabled": true })),
        feed(4, "file:///etc/passwd", "Evil \u{1b}[31m", "Sea", &json!({})),
        { "id": "no number" },
    ]);
    let many: Vec<Value> = (100..200).map(|id| entry(id, 1, &format!("Ferry number {id}"), "read", true)).collect();
    let last =
        [entry(200, 2, "A borrow checker", "unread", true), entry(201, 3, "Of a feed that is off", "read", true)];
    Web::serve(vec![
        (FEEDS, Answer::ok(feeds.to_string())),
        (&entries("starred=true", 100, 0), page(&many)),
        (&entries("starred=true", 100, 100), page(&last)),
        (&entries("status=read", 3, 0), page(&[entry(100, 1, "Ferry number 100", "read", true)])),
    ])
}

fn radar(engine: Engine) -> Radar {
    Radar::at("2026-11-19T07:00:00Z")
        .on(engine)
        .with("AHA_FETCH_ALLOW", "127.0.0.1")
        .with("AHA_FETCH_HOST_GAP_MS", "0")
        .with("AHA_MINIFLUX_TOKEN", TOKEN)
}

fn import(radar: &Radar, web: &Web, more: &[&str]) -> Value {
    let url = web.url("/reader/");
    let arguments = ["source", "import-miniflux", "--url", &url, "--reads", "3", "--json"];
    radar.run(&[&arguments[..], more].concat()).exits(3).json()
}

#[test]
fn feeds_and_marks_are_brought_once() {
    let (web, radar) = (miniflux(), radar(Engine::Sqlite));
    let planned = import(&radar, &web, &["--dry-run"]);
    assert!(!radar.database().exists(), "a dry run leaves nothing");
    let brought = import(&radar, &web, &[]);
    for part in ["sources", "stars", "reads", "left_out", "topics"] {
        assert_eq!(planned[part], brought[part], "{part}");
    }
    assert_eq!(brought["sources"], json!({ "added": 2, "known": 0 }));
    assert_eq!((&brought["stars"]["added"], &brought["reads"]["added"]), (&json!(102), &json!(1)));
    let left_out = brought["left_out"].to_string();
    for words in
        ["'Old' is switched off", "local files are accepted from the command line alone", "1 feeds cannot be read"]
    {
        assert!(left_out.contains(words), "{left_out}");
    }
    let sources = radar.json(&["source", "list", "--json"]);
    let told: BTreeSet<(&str, bool)> = sources
        .as_array()
        .unwrap()
        .iter()
        .map(|source| (source["url"].as_str().unwrap(), source["full_text"].as_bool().unwrap()))
        .collect();
    assert_eq!(told, BTreeSet::from([("https://tide.example/feed.xml", true), ("reddit:rust", false)]));
    let said = radar.json(&["feedback", "list", "--json"]);
    let events = said["events"].as_array().unwrap();
    assert_eq!(events.len(), 103);
    let ferry: Vec<&Value> = events.iter().filter(|event| event["title"] == "Ferry number 100").collect();
    let kinds: BTreeSet<&str> = ferry.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, BTreeSet::from(["read", "save"]));
    assert_eq!((&ferry[0]["source"], &ferry[0]["author"]), (&json!("Tide"), &json!("Ada")));
    assert!(ferry[0]["terms"].to_string().contains("slack") && !ferry[0]["terms"].to_string().contains("script"));
    let again = import(&radar, &web, &[]);
    assert_eq!(again["sources"], json!({ "added": 0, "known": 2 }));
    assert_eq!((&again["stars"], &again["reads"]["known"]), (&json!({ "added": 0, "known": 102 }), &json!(1)));
    assert!(web.requests(FEEDS).iter().all(|request| request.headers["x-auth-token"] == TOKEN));
    assert!(!format!("{:?}", rows::all(&radar)).contains(TOKEN));
}

#[test]
fn feeds_and_marks_are_brought_once_on_postgres() {
    let radar = radar(Engine::Postgres);
    let web = miniflux();
    let brought = import(&radar, &web, &[]);
    assert_eq!((&brought["stars"]["added"], &brought["reads"]["added"]), (&json!(102), &json!(1)));
    assert_eq!(import(&radar, &web, &[])["stars"], json!({ "added": 0, "known": 102 }));
    let kinds = "SELECT count(*) FROM feedback_events WHERE kind = 'read'";
    assert_eq!(rows::number(&radar, kinds), 1);
}

/// A star is older than what its entry's time says, which changes when it is read.
#[test]
fn what_was_said_here_stays_said() {
    let (web, radar) = (miniflux(), radar(Engine::Sqlite));
    import(&radar, &web, &["--stars", "like"]);
    let count = |kind: &str| {
        rows::number(
            &radar,
            &format!("SELECT count(*) FROM feedback_events WHERE kind = '{kind}' AND title = 'Ferry number 100'"),
        )
    };
    let earlier =
        "UPDATE feedback_events SET kind = 'dislike', given_at = 0 WHERE kind = 'like' AND title = 'Ferry number 100'";
    rows::execute(&radar, earlier);
    let again = import(&radar, &web, &["--stars", "like"]);
    assert_eq!(again["stars"], json!({ "added": 0, "known": 102 }));
    assert_eq!((count("dislike"), count("like")), (1, 0));
}

#[test]
fn categories_become_topics_and_marks_go_with_their_feeds() {
    let (web, radar) = (miniflux(), radar(Engine::Sqlite));
    let brought = import(&radar, &web, &["--categories-as-topics", "--stars", "like"]);
    assert_eq!(brought["topics"], json!(["Code & craft", "Sea", "default"]));
    let liked = |topic: &str| {
        let said = radar.json(&["feedback", "list", "--json", "--topic", topic]);
        said["events"].as_array().unwrap().iter().filter(|event| event["kind"] == "like").count()
    };
    assert_eq!((liked("Code & craft"), liked("Sea"), liked("default")), (1, 100, 1));
}

#[test]
fn what_keeps_it_from_being_read_is_said_and_nothing_is_stored() {
    let refusing = Web::serve(vec![(FEEDS, Answer::new(401).with_body(r#"{"error_message":"access unauthorized"}"#))]);
    let broken = Web::serve(vec![(FEEDS, Answer::ok("[]")), (&entries("starred=true", 100, 0), Answer::new(500))]);
    let (allowed, keyless) = (radar(Engine::Sqlite), radar(Engine::Sqlite).with("AHA_MINIFLUX_TOKEN", ""));
    let careful = radar(Engine::Sqlite).with("AHA_FETCH_ALLOW", "");
    for (radar, web, code, words) in [
        (&allowed, &refusing, 1, "check AHA_MINIFLUX_TOKEN"),
        (&allowed, &broken, 1, "500"),
        (&keyless, &refusing, 2, "AHA_MINIFLUX_TOKEN_FILE"),
        (&careful, &refusing, 1, "AHA_FETCH_ALLOW=127.0.0.1"),
    ] {
        let ran = radar.run(&["source", "import-miniflux", "--url", &web.url("/reader")]).exits(code).says(words);
        assert!(!ran.stderr.contains(TOKEN));
    }
    assert_eq!(rows::number(&allowed, "SELECT count(*) FROM sources"), 0);
}
