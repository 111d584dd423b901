//! Whole runs with vectors of a model: what is asked and paid for, once a text; what stands in the ledger; and that
//! stories are grouped by shared words only where there are no vectors.

mod limits;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::judged::{NOW, WINDOW, billed, run, spent, states, the_books_agree};
use crate::kill::on_both_databases;
use crate::support::feeds::{Post, feed};
use crate::support::radar::{Engine, Radar, Ran, repository};
use crate::support::responses::{Call, EMBED_MODEL, Fault, KEY, MODEL, OpenAi, Reported, When};
use crate::support::rows;

const SPACE: &str = "openai/text-embedding-mock#text_v1";

fn with(model: &OpenAi) -> Radar {
    model.serve_vectors(Radar::at(NOW))
}

fn of_embeddings() -> When {
    When::always().schema("embeddings")
}

fn texts(model: &OpenAi) -> Vec<String> {
    let calls = model.calls().into_iter().filter(Call::is_embedding);
    let inputs = calls.flat_map(|call| call.body["input"].as_array().unwrap().clone());
    inputs.map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// Vectors of a model that are stored.
fn dense(radar: &Radar) -> i64 {
    rows::number(radar, "SELECT count(*) FROM embeddings WHERE dimensions IS NOT NULL")
}

/// What stories there are.
fn stories(radar: &Radar) -> Vec<String> {
    rows::query(radar, "SELECT item_id || ' ' || cluster_id FROM cluster_items ORDER BY item_id")
}

fn by_words(engine: Engine) -> Vec<String> {
    let radar = Radar::at(NOW).on(engine);
    run(&radar, WINDOW).exits(0);
    stories(&radar)
}

fn each_text_is_paid_for_once(engine: Engine) {
    let model = OpenAi::start();
    let mut radar = with(&model).on(engine);
    run(&radar, WINDOW).exits(0);
    let (asked, digest) = (texts(&model), radar.ok(&["digest", "latest", "--json"]));
    assert_eq!(asked.iter().collect::<BTreeSet<_>>().len(), asked.len());
    assert_eq!(model.calls().len(), asked.len().div_ceil(16));
    let of_space = format!("SELECT count(*) FROM embeddings WHERE space = '{SPACE}' AND dimensions = 64");
    let with_text = "SELECT count(*) FROM content_items WHERE title <> '' OR body_text <> ''";
    assert_eq!(rows::number(&radar, &of_space), rows::number(&radar, with_text));
    the_books_agree(&radar, &model);
    assert_eq!(spent(&radar), billed(&model));
    assert!(spent(&radar) > 0);
    let purposes = "SELECT DISTINCT purpose || ' ' || provider || ' ' || model || ' ' || prompt_id FROM provider_calls";
    let of_vectors = rows::query(&radar, &format!("{purposes} WHERE purpose = 'embed'"));
    assert_eq!(of_vectors, [format!("embed openai {EMBED_MODEL} text_v1")]);
    let shown: Value = serde_json::from_str(&digest).unwrap();
    assert_eq!(shown["cost"]["microcredits"].as_i64().unwrap(), billed(&model));
    assert!(shown["cost"].get("words_alone").is_none());

    let paid = model.calls().len();
    run(&radar, WINDOW).exits(0);
    assert_eq!(radar.ok(&["digest", "latest", "--json"]), digest);
    run(&radar, "2026-11-17..2026-11-19").exits(0);
    radar.set("OPENAI_EMBED_BATCH_SIZE", "3");
    run(&radar, WINDOW).exits(0);
    assert_eq!(model.calls().len(), paid, "nothing is asked for again");
}

fn the_batch_size_changes_no_story(engine: Engine) {
    let found: Vec<(Vec<String>, usize)> = ["1", "200"]
        .into_iter()
        .map(|size| {
            let model = OpenAi::start();
            let radar = with(&model).on(engine).with("OPENAI_EMBED_BATCH_SIZE", size);
            run(&radar, WINDOW).exits(0);
            (stories(&radar), texts(&model).len())
        })
        .collect();
    assert_eq!(found[0], found[1]);
}

fn words_alone_serve_where_the_model_is_refused(engine: Engine) {
    for (fault, kind) in [
        (Fault::ModelNotFound, "unknown_model"),
        (Fault::Status(400), "refused_request"),
        (Fault::Status(403), "forbidden"),
        (Fault::Redirect, "redirected"),
    ] {
        let model = OpenAi::start();
        model.fault(of_embeddings(), fault);
        let radar = with(&model).on(engine);
        run(&radar, WINDOW).exits(3).says("words alone");
        assert_eq!(states(&radar)[&format!("error {kind}")], 1);
        assert_eq!((model.calls().len(), spent(&radar), dense(&radar)), (1, 0, 0));
        assert_eq!(stories(&radar), by_words(engine));
        let digest = radar.digest();
        assert_eq!(digest["stories"].as_array().unwrap().len(), 30);
        assert_eq!(digest["digest"]["status"], "partial");
        assert!(digest["cost"]["words_alone"].as_str().unwrap().contains(EMBED_MODEL));
        the_books_agree(&radar, &model);
        if kind != "redirected" {
            radar.run(&["doctor"]).says("refused the last call");
        }
    }
}

#[test]
fn a_server_that_fails_leaves_words_alone() {
    let model = OpenAi::start();
    model.fault(of_embeddings().from(3), Fault::Status(500));
    let radar = with(&model).with("AHA_LLM_CONCURRENCY", "1");
    run(&radar, WINDOW).exits(3).says("words alone");
    assert_eq!(stories(&radar), by_words(Engine::Sqlite), "no story is put together by some of the vectors");
    assert_eq!(model.calls().len(), 4, "two that went well, one that failed twice");
    let kept = dense(&radar);
    assert!(kept >= 32, "what was paid for is kept: {kept}");
    the_books_agree(&radar, &model);
    assert_eq!(spent(&radar), billed(&model));
}

/// The model for answers stands in where none is named, and may make no vectors at all.
#[test]
fn a_general_model_is_tried_once() {
    let model = OpenAi::start();
    let mut radar = model.serve(Radar::at(NOW)).with("OPENAI_EMBED_MAX_ITEMS_PER_RUN", "100");
    run(&radar, WINDOW).exits(0);
    let refused = "SELECT model || ' ' || error_kind FROM provider_calls WHERE purpose = 'embed'";
    assert_eq!(rows::query(&radar, refused), [format!("{MODEL} forbidden")]);
    assert_eq!(stories(&radar), by_words(Engine::Sqlite));
    assert!(radar.digest()["cost"].get("words_alone").is_none(), "nobody asked for vectors");
    radar.run(&["doctor"]).exits(0).says("OPENAI_MODEL (gpt-mock)").says("refused the last call");
    radar.set("AHA_NOW", "2026-11-20T07:00:00Z");
    std::fs::write(radar.folder().join("one.json"), feed("One", &[post(1, "2026-11-20T05:00:00Z")])).unwrap();
    radar.add(&["one.json"]);
    radar.ok(&["run"]);
    assert_eq!(rows::query(&radar, refused).len(), 1, "it is not asked again for a while");
    the_books_agree(&radar, &model);
}

fn post(n: usize, published: &str) -> Post {
    Post::about_nothing_else(&format!("post {n}"), published)
}

#[test]
fn vectors_that_cannot_be_used_are_asked_for_once_more() {
    for (fault, kind) in [
        (Fault::WrongDimension, "invalid_answer"),
        (Fault::NullNumber, "invalid_answer"),
        (Fault::ZeroVector, "invalid_answer"),
        (Fault::MissingIndex, "invalid_answer"),
        (Fault::NotANumber, "not_the_interface"),
    ] {
        let model = OpenAi::start();
        model.fault(of_embeddings().first(1), fault.clone());
        let radar = with(&model);
        run(&radar, WINDOW).exits(0);
        let closed = if kind == "not_the_interface" { format!("unsettled {kind}") } else { format!("error {kind}") };
        assert_eq!(states(&radar).get(&closed), Some(&1), "{fault:?}: {:?}", states(&radar));
        the_books_agree(&radar, &model);

        let model = OpenAi::start();
        model.fault(of_embeddings(), fault);
        let radar = with(&model);
        run(&radar, WINDOW).exits(3);
        assert_eq!((model.calls().len(), dense(&radar)), (2, 0));
        the_books_agree(&radar, &model);
    }
}

#[test]
fn vectors_in_another_order_and_without_a_count_are_used() {
    let model = OpenAi::start();
    model.fault(of_embeddings(), Fault::Reversed);
    let radar = with(&model);
    run(&radar, WINDOW).exits(0);
    let right = OpenAi::start();
    let other = with(&right);
    run(&other, WINDOW).exits(0);
    assert_eq!(rows::table(&radar, "embeddings", &[]), rows::table(&other, "embeddings", &[]));

    let model = OpenAi::start();
    model.fault(of_embeddings().first(1), Fault::Usage(Reported::Missing));
    let radar = with(&model);
    run(&radar, WINDOW).exits(0);
    assert_eq!(states(&radar)["unsettled no_usage"], 1);
    assert_eq!(rows::table(&radar, "embeddings", &[]), rows::table(&other, "embeddings", &[]), "they are kept");
    let calls = model.calls().len();
    run(&radar, WINDOW).exits(0);
    assert_eq!(model.calls().len(), calls);
    the_books_agree(&radar, &model);
}

#[test]
fn what_is_muted_is_sent_to_nobody() {
    let model = OpenAi::start();
    let radar = with(&model);
    let posts = [post(1, "2026-11-19T05:00:00Z"), post(2, "2026-11-19T05:00:00Z")];
    std::fs::write(radar.folder().join("feed.json"), feed("The Feed", &posts)).unwrap();
    radar.add(&["feed.json"]);
    let muted = format!("word:{}", posts[0].title);
    radar.ok(&["topic", "set", "default", "--mute", &muted]);
    radar.ok(&["run"]);
    let asked = texts(&model);
    assert_eq!(asked.len(), 1);
    assert!(asked[0].starts_with(&posts[1].title));
}

/// Of texts that a model does not take, the others are not held back.
#[test]
fn a_text_that_is_refused_is_left_out() {
    let model = OpenAi::start();
    let mut radar = with(&model);
    let posts: Vec<Post> = (1..=12).map(|n| post(n, "2026-11-19T05:00:00Z")).collect();
    std::fs::write(radar.folder().join("feed.json"), feed("The Feed", &posts[..6])).unwrap();
    radar.add(&["feed.json"]);
    radar.ok(&["run"]);
    assert_eq!(dense(&radar), 6);
    model.fault(of_embeddings().title(&posts[8].title), Fault::Status(400));
    std::fs::write(radar.folder().join("feed.json"), feed("The Feed", &posts)).unwrap();
    radar.set("AHA_NOW", "2026-11-19T08:00:00Z");
    radar.run(&["run"]).exits(0);
    assert_eq!(dense(&radar), 11);
    let next: Vec<Post> = (1..=13).map(|n| post(n, "2026-11-19T05:00:00Z")).collect();
    std::fs::write(radar.folder().join("feed.json"), feed("The Feed", &next)).unwrap();
    radar.set("AHA_NOW", "2026-11-19T09:00:00Z");
    radar.run(&["run"]).exits(0);
    assert_eq!(dense(&radar), 12, "the refusal of a text does not stop the vectors of the next run");
    the_books_agree(&radar, &model);
}

/// Vectors of two models are never compared: what new items may be told with gets vectors of the new one.
fn another_model_is_another_space(engine: Engine) {
    let model = OpenAi::start();
    let mut radar = with(&model).on(engine);
    let old: Vec<Post> = (1..=12).map(|n| post(n, "2026-11-19T05:00:00Z")).collect();
    let older = post(99, "2026-11-10T05:00:00Z");
    let write = |radar: &Radar, posts: &[Post]| {
        std::fs::write(radar.folder().join("feed.json"), feed("The Feed", posts)).unwrap();
    };
    write(&radar, &[std::slice::from_ref(&older), old.as_slice()].concat());
    radar.add(&["feed.json"]);
    radar.ok(&["run"]);
    assert_eq!(texts(&model).len(), 13);
    radar.set("AHA_NOW", "2026-11-20T07:00:00Z");
    radar.set("OPENAI_EMBED_MODEL", "another-embedder");
    write(&radar, &[&[older], old.as_slice(), &[post(13, "2026-11-20T05:00:00Z")]].concat());
    radar.ok(&["run"]);
    assert_eq!(texts(&model).len(), 13 + 13, "the new one, and those of the seven days before it");
    let spaces = "SELECT space || ' ' || count(*) FROM embeddings WHERE dimensions = 64 GROUP BY space ORDER BY space";
    assert_eq!(rows::query(&radar, spaces), ["openai/another-embedder#text_v1 13", &format!("{SPACE} 13")]);
    the_books_agree(&radar, &model);
}

/// One call at a time; what is left behind is known to the row.
fn a_killed_run_pays_again_only_for_what_was_under_way(engine: Engine) {
    let whole = OpenAi::start();
    let undisturbed = with(&whole).on(engine);
    run(&undisturbed, WINDOW).exits(0);
    let left = |radar: &Radar| {
        let tables = ["embeddings", "cluster_items", "clusters", "digest_items"];
        tables.map(|name| rows::table(radar, name, &[]))
    };
    // Requests that nobody got an answer to, and rows of which nobody knows what they cost.
    for (point, lost, unknown) in [
        ("call.after_reserve:2", 0, 1),
        ("call.after_send:2", 1, 1),
        ("call.after_answer:3", 1, 1),
        ("settle_call.before_commit:2", 1, 1),
        ("settle_call.after_commit:2", 0, 0),
        ("commit_clusters.before_commit", 0, 0),
    ] {
        let model = OpenAi::start();
        let radar = with(&model).on(engine).with("AHA_LLM_CONCURRENCY", "1");
        let feeds = repository("examples/sources.opml");
        let mut command = radar.command(&["--run-once", "--import", &feeds, "--window", WINDOW]);
        let killed = Ran::from(command.env("AHA_FAILPOINT", point).output().unwrap());
        assert!(killed.signal.is_some(), "{point}: {killed:#?}");
        run(&radar, WINDOW).exits(0);
        assert_eq!(left(&radar), left(&undisturbed), "{point}");
        assert_eq!(model.calls().len(), whole.calls().len() + lost, "{point}");
        let unsettled = "SELECT count(*) FROM provider_calls WHERE state = 'unsettled'";
        assert_eq!(rows::number(&radar, unsettled), unknown, "{point}");
    }
}

#[test]
fn an_estimate_tells_of_vectors() {
    let model = OpenAi::start();
    let radar = model.serve_vectors(model.serve(Radar::at(NOW)));
    std::fs::write(radar.folder().join("one.json"), feed("One", &[post(1, "2026-11-19T05:00:00Z")])).unwrap();
    radar.add(&["one.json"]);
    let report = radar.json(&["run", "--dry-run", "--json"]);
    let embed = report["estimates"].as_array().unwrap().iter().find(|one| one["task"] == "embed").unwrap().clone();
    assert_eq!((&embed["calls"], &embed["stories"], &embed["model"]), (&1.into(), &1.into(), &EMBED_MODEL.into()));
    assert_eq!(model.calls().len(), 0);
    radar.ok(&["run"]);
    let taken = i64::try_from(model.bill().by_schema["embeddings"].input_tokens).unwrap();
    assert!((taken - embed["input_tokens"].as_i64().unwrap()).abs() <= 1, "{taken} {embed}");
    radar.run(&["doctor"]).says("openai/text-embedding-mock, at http://127.0.0.1");
}

/// A model for vectors and one for judgements, at the same server with the same key.
fn with_a_judge(base: &str) -> Radar {
    let catalogue = format!(
        "endpoint: {base}/v1/responses\napi_key: ${{MOCK_KEY}}\nretry: {{ max_attempts: 9, initial_delay_seconds: 0.01, max_delay_seconds: 0.01 }}\n\
         models:\n  openai/vectors: {{ model: {EMBED_MODEL} }}\n  openai/judge: {{ model: {MODEL} }}\n\
         tasks: {{ embed: openai/vectors, triage: openai/judge }}\n"
    );
    // Longer than the retries take.
    let radar = Radar::at(NOW).with("AHA_CIRCUIT_PAUSE_MS", "2000");
    let radar = radar.with("MOCK_KEY", KEY).with("AHA_LLM_CONFIG", "models.yaml");
    std::fs::write(radar.folder().join("models.yaml"), catalogue).unwrap();
    let posts: Vec<Post> = (1..=12).map(|n| post(n, "2026-11-19T05:00:00Z")).collect();
    std::fs::write(radar.folder().join("feed.json"), feed("The Feed", &posts)).unwrap();
    radar.add(&["feed.json"]);
    radar
}

/// Why the digest has no vectors.
fn words_alone(radar: &Radar) -> String {
    radar.digest()["cost"]["words_alone"].as_str().unwrap().to_owned()
}

#[test]
fn a_server_that_cannot_be_reached_is_left_alone_whatever_it_is_asked_for() {
    // Nobody listens there once the listener is dropped.
    let away = std::net::TcpListener::bind("127.0.0.3:0").unwrap().local_addr().unwrap();
    let radar = with_a_judge(&format!("http://{away}"));
    radar.run(&["run"]).exits(3);
    let calls = |purpose: &str| {
        let sql = "SELECT error_kind FROM provider_calls WHERE provider = 'openai' AND purpose";
        rows::query(&radar, &format!("{sql} = '{purpose}'"))
    };
    assert_eq!(calls("embed"), ["connect"; 5], "the fifth failure opens the breaker of both models");
    assert_eq!(calls("triage"), ["connect"; 2], "one call after each of the run's pauses tests the server");
    let why = words_alone(&radar);
    assert!(why.contains("openai/vectors: its server failed repeatedly and is paused"), "{why}");
    assert_eq!(spent(&radar), 0);
}

#[test]
fn a_model_for_vectors_that_fails_keeps_no_other_of_its_server_from_answering() {
    let model = OpenAi::start();
    model.fault(of_embeddings(), Fault::Status(500));
    let radar = with_a_judge(model.base());
    radar.run(&["run"]).exits(3);
    let (vectors, judgements): (Vec<Call>, Vec<Call>) = model.calls().into_iter().partition(Call::is_embedding);
    assert_eq!(vectors.len(), 5, "the fifth failure opens its breaker");
    assert!(!judgements.is_empty());
    let digest = radar.digest();
    assert!(digest["stories"].as_array().unwrap().iter().all(|story| story["state"] == "judged"), "{digest:#}");
    let why = words_alone(&radar);
    assert!(why.contains("openai/vectors: it failed repeatedly and is paused"), "{why}");
    the_books_agree(&radar, &model);
}

on_both_databases!(
    each_text_is_paid_for_once,
    the_batch_size_changes_no_story,
    words_alone_serve_where_the_model_is_refused,
    another_model_is_another_space,
    a_killed_run_pays_again_only_for_what_was_under_way,
);
