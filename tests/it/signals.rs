//! Searches: their results are read by a model, each once, within the budget; and nothing is taken that they do not
//! say.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::judged::{NOW, WINDOW, billed, spent, the_books_agree};
use crate::support::http::Answer;
use crate::support::radar::{Engine, Radar, Ran};
use crate::support::responses::{Call, Fault, OpenAi, When};
use crate::support::rows;
use crate::support::web::Web;

pub const RESULTS: &str = include_str!("../data/sources/x_recent_search.json");
pub const PATH: &str = "/2/tweets/search/recent?query=%22tidal%20energy%22&max_results=20";
pub const SOURCE: &str = "signal:\"tidal energy\"";
const KEY: &str = "hush-search-key-1";

pub fn search(answer: Answer) -> Web {
    Web::serve(vec![(PATH, answer)])
}

pub fn radar(engine: Engine, web: &Web) -> Radar {
    let radar = Radar::at(NOW)
        .on(engine)
        .with("AHA_FETCH_ALLOW", "127.0.0.1")
        .with("AHA_FETCH_HOST_GAP_MS", "0")
        .with("AHA_SIGNAL_URL", &address(web))
        .with("AHA_SIGNAL_KEY", KEY)
        .with("AHA_SIGNAL_RESULTS", "/data")
        .with("AHA_SIGNAL_RELATED", "/includes/users")
        .with("AHA_SIGNAL_LINK", "https://x.com/i/status/{id}")
        .with("AHA_SIGNAL_CREDITS_PER_SEARCH", "0");
    radar.add(&[SOURCE]);
    radar
}

pub fn address(web: &Web) -> String {
    web.url("/2/tweets/search/recent?query={query}&max_results={count}")
}

pub fn run(radar: &Radar) -> Ran {
    radar.run(&["run", "--window", WINDOW])
}

fn readings(model: &OpenAi) -> Vec<Call> {
    model.calls().into_iter().filter(|call| call.schema_name() == "signal_v1").collect()
}

fn links(radar: &Radar) -> BTreeSet<String> {
    rows::query(radar, "SELECT url FROM content_items").into_iter().collect()
}

pub fn source(radar: &Radar) -> Value {
    radar.json(&["source", "list", "--json"])[0].clone()
}

/// Results with these posts of the recorded ones, some of their texts changed.
fn some(posts: &[usize], changed: Option<(usize, &str)>) -> String {
    let mut document: Value = serde_json::from_str(RESULTS).unwrap();
    if let Some((index, text)) = changed {
        document["data"][index]["id"] = "1990000000000000009".into();
        document["data"][index]["text"] = text.into();
    }
    for (index, post) in document["data"].as_array_mut().unwrap().iter_mut().enumerate() {
        post["public_metrics"]["like_count"] = (1000 + index).into();
    }
    let kept: Value = posts.iter().map(|post| document["data"][*post].clone()).collect();
    document["data"] = kept;
    document.to_string()
}

fn a_result_is_read_once(engine: Engine) {
    let (web, model) = (search(Answer::ok(RESULTS)), OpenAi::start());
    let mut radar = model.serve(radar(engine, &web));
    run(&radar).exits(0);
    let expected = ["1", "2", "3"].map(|n| format!("https://x.com/i/status/199000000000000000{n}"));
    assert_eq!(links(&radar), BTreeSet::from(expected));
    let authors = rows::query(&radar, "SELECT author FROM content_items ORDER BY published_at DESC");
    assert_eq!(authors, ["harbourwatch", "skerrowferries", "totallyreal"]);
    let texts = rows::query(&radar, "SELECT body_text FROM content_items ORDER BY published_at DESC");
    assert!(texts[0].contains("old pier & the first tidal array"), "{texts:?}");
    let requests = web.requests(PATH);
    assert_eq!(requests[0].headers["authorization"], format!("Bearer {KEY}"));
    assert!(!format!("{:?}", rows::all(&radar)).contains(KEY) && !format!("{:?}", model.calls()).contains(KEY));
    assert_eq!(readings(&model).len(), 1, "three results in one call");
    run(&radar).exits(0);
    assert_eq!((web.requests(PATH).len(), readings(&model).len()), (2, 1), "found again, and not paid for again");
    // Other counts, one known post, one new one.
    let other = search(Answer::ok(some(&[0, 1], Some((1, "The night boat is cancelled after all.")))));
    radar.set("AHA_SIGNAL_URL", &address(&other));
    run(&radar).exits(0);
    let asked = readings(&model);
    assert_eq!((asked.len(), asked[1].results().len()), (2, 1), "only what is new is asked about");
    assert_eq!(links(&radar).len(), 4);
    the_books_agree(&radar, &model);
    assert_eq!(spent(&radar), billed(&model));
    let stored = rows::query(&radar, "SELECT answer_json FROM answers WHERE task = 'signal_parse'");
    let first: Value = serde_json::from_str(&stored[0]).unwrap();
    assert_eq!((&first["schema_version"], &first["prompt_id"]), (&"signal_v1".into(), &"signal_v1".into()));
    model.finish();
}

#[test]
fn a_result_is_read_once_on_sqlite() {
    a_result_is_read_once(Engine::Sqlite);
}

#[test]
fn a_result_is_read_once_on_postgres() {
    a_result_is_read_once(Engine::Postgres);
}

#[test]
fn without_a_model_or_credits_nothing_is_searched_and_the_source_says_why() {
    let (web, model) = (search(Answer::ok(RESULTS)), OpenAi::start());
    let keyless = radar(Engine::Sqlite, &web);
    let broke = model.serve(radar(Engine::Sqlite, &web)).with("AHA_BUDGET_DAILY_CREDITS", "0");
    for (radar, kind, code, words) in
        [(keyless, "no_model", 3, "no model is configured"), (broke, "no_budget", 4, "budget is used up")]
    {
        run(&radar).exits(code);
        assert_eq!(source(&radar)["last_error_kind"], kind);
        assert_eq!(radar.digest()["sources"][0]["status"], kind);
        radar.run(&["doctor"]).exits(1).says(words);
    }
    assert!(web.requests(PATH).is_empty() && model.calls().is_empty());
}

#[test]
fn a_budget_that_ends_on_the_way_marks_the_source_and_the_rest_is_read_later() {
    let (web, model) = (search(Answer::ok(RESULTS)), OpenAi::start());
    let mut radar = model.serve(radar(Engine::Sqlite, &web)).with("AHA_BUDGET_DAILY_CREDITS", "0.006");
    let ran = run(&radar);
    assert!(matches!(ran.code, Some(3 | 4)), "{ran:?}");
    let marked = source(&radar);
    assert_eq!(marked["last_error_kind"], "no_budget");
    assert!(marked["last_error"].as_str().unwrap().contains("AHA_BUDGET_DAILY_CREDITS"), "{marked}");
    assert!(links(&radar).len() < 3 && billed(&model) <= 6_000);
    radar.set("AHA_BUDGET_DAILY_CREDITS", "1");
    run(&radar).exits(0);
    assert_eq!((links(&radar).len(), &source(&radar)["health"]), (3, &"ok".into()));
    the_books_agree(&radar, &model);
}

#[test]
fn a_search_that_refuses_is_marked_with_the_reason() {
    let model = OpenAi::start();
    let complaint = r#"{"title": "Forbidden", "detail": "Your project is out of quota"}"#;
    for (answer, kind, words) in [
        (Answer::new(402), "search_credits", "credits of the search's account"),
        (Answer::new(401), "search_key", "AHA_SIGNAL_KEY"),
        (Answer::new(429).header("retry-after", "600"), "rate_limited", "600 s"),
        (Answer::ok(complaint), "search_failed", "out of quota"),
        (Answer::ok("<html>"), "unparseable", "JSON was expected"),
    ] {
        let web = search(answer);
        let radar = model.serve(radar(Engine::Sqlite, &web));
        run(&radar).exits(3);
        let marked = source(&radar);
        assert_eq!(marked["last_error_kind"], kind);
        assert!(marked["last_error"].as_str().unwrap().contains(words), "{marked}");
    }
    assert!(model.calls().is_empty());
}

/// It was written into the address itself, where no setting can tell it.
#[test]
fn a_key_in_the_path_is_not_shown() {
    let model = OpenAi::start();
    let path = format!("/{KEY}/search?query=%22tidal%20energy%22");
    for status in [404, 410, 302] {
        let answer = Answer::new(status).header("location", &format!("/{KEY}/search?again"));
        let web = Web::serve(vec![(&path, answer)]);
        let mut radar = model.serve(radar(Engine::Sqlite, &web));
        radar.set("AHA_SIGNAL_URL", &web.url(&format!("/{KEY}/search?query={{query}}")));
        let ran = run(&radar).exits(3);
        let marked = source(&radar).to_string();
        assert!(marked.contains("127.0.0.1"), "{marked}");
        assert!(!format!("{marked}{ran:?}{:?}", rows::all(&radar)).contains(KEY), "{status}: {marked}");
    }
}

#[test]
fn an_answer_that_is_none_is_asked_for_again_by_the_next_run() {
    let (web, model) = (search(Answer::ok(RESULTS)), OpenAi::start());
    let radar = model.serve(radar(Engine::Sqlite, &web));
    model.fault(When::always().schema("signal_v1"), Fault::Text("I would rather not."));
    run(&radar).exits(3);
    assert_eq!(source(&radar)["last_error_kind"], "signal_parse");
    assert!(links(&radar).is_empty());
    model.recover();
    run(&radar).exits(0);
    assert_eq!((links(&radar).len(), &source(&radar)["health"]), (3, &"ok".into()));
    the_books_agree(&radar, &model);
}

/// A model that obeys what a post orders: the result's fields hold no such address and no such number.
#[test]
fn what_a_hostile_result_orders_comes_to_nothing() {
    let (web, model) = (search(Answer::ok(RESULTS)), OpenAi::start());
    let mut radar = model.serve(radar(Engine::Sqlite, &web));
    radar.set("AHA_SIGNAL_LINK", "");
    model.fault(
        When::always().schema("signal_v1"),
        Fault::Edit(|answer| {
            answer["results"][2]["url"] = "https://evil.example/now".into();
            answer["results"][1]["likes"] = 99_999.into();
            answer["results"][0]["published_at"] = "2026-11-19T06:59:00Z".into();
        }),
    );
    run(&radar).exits(0);
    let prompt = readings(&model)[0].body["input"][0]["content"].as_str().unwrap().to_owned();
    assert_eq!(prompt.matches("</results>").count(), 1, "{prompt}");
    let ids = rows::query(&radar, "SELECT external_id FROM content_items ORDER BY external_id");
    assert_eq!(ids, ["1990000000000000001", "1990000000000000002"], "the third is dropped");
    assert!(!format!("{:?}", rows::table(&radar, "content_items", &[])).contains("evil.example"));
    let unknown = "SELECT count(*) FROM content_items WHERE engagement LIKE '%99999%'";
    assert_eq!(rows::number(&radar, unknown), 0);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM content_items WHERE published_at IS NULL"), 1);
    let told = radar.digest()["sources"][0]["error"].clone();
    assert_eq!(
        told,
        "left out: 1 result of which the model told what it does not say, 2 fields that are not in their results"
    );
    run(&radar).exits(0);
    assert_eq!(readings(&model).len(), 1, "what was told of it is not paid for again");
    model.finish();
}

#[test]
fn a_search_is_tested_without_paying_a_model() {
    let (web, model) = (search(Answer::ok(RESULTS)), OpenAi::start());
    let radar = model.serve(radar(Engine::Sqlite, &web));
    let report: Value = radar.json(&["source", "test", "--json", SOURCE]);
    assert_eq!((report["items"].as_array().unwrap().len(), &report["feed"]["format"]), (3, &"signal".into()));
    radar.ok(&["run", "--dry-run", "--window", WINDOW]);
    assert_eq!((web.requests(PATH).len(), model.calls().len()), (1, 0), "an estimate searches for nothing");
}

#[test]
fn a_post_of_two_searches_that_cannot_be_read_is_asked_about_once() {
    let second = PATH.replace("tidal%20energy", "tidal%20power");
    let web = Web::serve(vec![(PATH, Answer::ok(RESULTS)), (&second, Answer::ok(RESULTS))]);
    let model = OpenAi::start();
    model.fault(When::always().schema("signal_v1"), Fault::Text("I would rather not."));
    let radar = model.serve(radar(Engine::Sqlite, &web));
    radar.add(&["signal:\"tidal power\""]);
    run(&radar).exits(3);
    let asked = readings(&model).len();
    assert_eq!(asked, 2, "the first search's posts, and once more with what was wrong");
    let sources = radar.json(&["source", "list", "--json"]);
    for number in [0, 1] {
        assert!(sources[number]["last_error"].as_str().unwrap().contains("3 of 3 results"), "{sources}");
    }
    the_books_agree(&radar, &model);
}
