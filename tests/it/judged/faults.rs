//! What becomes of each way in which an answer can be no answer.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{WINDOW, billed, of_schema, run, spent, states, stories, the_books_agree, with};
use crate::support::feeds::{Post, feed};
use crate::support::radar::{Engine, Radar};
use crate::support::responses::{Fault, MODEL, OpenAi, Reported, When, dated};
use crate::support::rows;

/// A fault of the first triage call, the ledger rows that it makes beside the good ones, and whether all is judged in
/// the end.
struct Case {
    fault: Fault,
    rows: &'static [&'static str],
}

fn passing(fault: Fault, rows: &'static [&'static str]) -> Case {
    Case { fault, rows }
}

/// Whatever goes wrong once is made good: by a second try, a word on what was wrong, or fewer stories at once.
#[track_caller]
fn is_made_good(cases: Vec<Case>) {
    for Case { fault, rows } in cases {
        let model = OpenAi::start();
        model.fault(When::always().schema("triage_v1").first(1), fault.clone());
        let mut radar = with(&model);
        if matches!(fault, Fault::StallBeforeFirstByte | Fault::StallInBody) {
            radar.set("AHA_LLM_TIMEOUT_SECONDS", "5");
        }
        let ran = run(&radar, WINDOW);
        assert_eq!(ran.code, Some(0), "{fault:?}: {ran:#?}");
        let digest = radar.digest();
        assert!(stories(&digest).iter().all(|story| story["state"] == "judged"), "{fault:?}");
        let mut found = states(&radar);
        found.remove("ok");
        let expected: BTreeMap<String, usize> = rows.iter().map(|row| ((*row).to_owned(), 1)).collect();
        assert_eq!(found, expected, "{fault:?}");
        the_books_agree(&radar, &model);
        assert!(spent(&radar) <= billed(&model) || fault.is_billed(), "{fault:?}");
    }
}

#[test]
fn failures_that_pass_are_tried_again() {
    is_made_good(vec![
        passing(Fault::RateLimited(Some("1".into())), &["error rate_limited"]),
        passing(Fault::RateLimited(Some("Thu, 19 Nov 2020 07:00:00 GMT".into())), &["error rate_limited"]),
        passing(Fault::RateLimited(None), &["error rate_limited"]),
        passing(Fault::Status(500), &["error server_error"]),
        passing(Fault::Status(503), &["error overloaded"]),
        passing(Fault::Failed, &["error server_error"]),
    ]);
}

#[test]
fn what_may_have_been_charged_stays_charged() {
    is_made_good(vec![
        passing(Fault::Status(502), &["unsettled server_error"]),
        passing(Fault::StallBeforeFirstByte, &["unsettled timed_out"]),
        passing(Fault::StallInBody, &["unsettled timed_out"]),
        passing(Fault::Reset, &["unsettled interrupted"]),
        passing(Fault::CutInBody, &["unsettled interrupted"]),
        passing(Fault::NotJson, &["unsettled not_the_interface"]),
        passing(Fault::Usage(Reported::Missing), &["unsettled no_usage"]),
        passing(Fault::Usage(Reported::Negative), &["unsettled no_usage"]),
        passing(Fault::Usage(Reported::Huge), &["unsettled no_usage"]),
        passing(Fault::Usage(Reported::Words), &["unsettled no_usage"]),
        passing(Fault::Usage(Reported::TooMany), &["unsettled no_usage"]),
        passing(Fault::Usage(Reported::CachedBeyondInput), &["unsettled no_usage"]),
    ]);
}

#[test]
fn answers_that_cannot_be_used_are_asked_for_again() {
    is_made_good(vec![
        passing(Fault::TwoObjects, &["error invalid_answer"]),
        passing(Fault::Text("I would rather not say."), &["error invalid_answer"]),
        passing(Fault::EmptyText, &["error invalid_answer"]),
        passing(Fault::NoOutput, &["error invalid_answer"]),
        passing(Fault::Forged, &["error invalid_answer"]),
        passing(Fault::Incomplete, &["error truncated"]),
        passing(Fault::CutAtCap, &["error truncated"]),
        passing(Fault::Refusal, &["error declined"]),
        passing(Fault::ContentFilter, &["error filtered"]),
        passing(Fault::Status(400), &["error refused_request"]),
    ]);
}

#[test]
fn answers_with_something_around_or_beside_them_are_used() {
    is_made_good(vec![
        passing(Fault::Fenced, &[]),
        passing(Fault::Preamble, &[]),
        passing(Fault::UnknownId, &[]),
        passing(Fault::DuplicateId, &[]),
        passing(Fault::MissingId, &[]),
        passing(Fault::Score("high".into()), &[]),
        passing(Fault::Score(150.into()), &[]),
        passing(Fault::Score(50.5.into()), &[]),
    ]);
}

#[test]
fn a_story_missing_from_an_answer_is_asked_about_alone() {
    let model = OpenAi::start();
    model.fault(When::always().schema("triage_v1").first(1), Fault::MissingId);
    let radar = with(&model).with("AHA_LLM_CONCURRENCY", "1");
    run(&radar, WINDOW).exits(0);
    let calls = of_schema(&model, "triage_v1");
    let (first, second) = (calls[0].stories().unwrap(), calls[1].stories().unwrap());
    assert_eq!(second.iter().map(|s| &s.title).collect::<Vec<_>>(), [&first[0].title]);
    let said = "SELECT error FROM provider_calls WHERE error IS NOT NULL";
    assert_eq!(rows::query(&radar, said).len(), 1);
    assert!(rows::query(&radar, said)[0].starts_with("1 of 10 stories got no answer"));
}

#[test]
fn a_story_with_two_results_that_differ_is_asked_about_again() {
    let model = OpenAi::start();
    let differing = Fault::Edit(|answer| {
        let results = answer["results"].as_array_mut().unwrap();
        let mut other = results[0].clone();
        other["aha_score"] = ((other["aha_score"].as_u64().unwrap() + 1) % 100).into();
        results.push(other);
    });
    model.fault(When::always().schema("triage_v1").first(1), differing);
    let radar = with(&model).with("AHA_LLM_CONCURRENCY", "1");
    run(&radar, WINDOW).exits(0);
    let calls = of_schema(&model, "triage_v1");
    let (first, second) = (calls[0].stories().unwrap(), calls[1].stories().unwrap());
    assert_eq!(second.iter().map(|s| &s.title).collect::<Vec<_>>(), [&first[0].title]);
    let said = rows::query(&radar, "SELECT error FROM provider_calls WHERE error IS NOT NULL");
    assert_eq!(said, ["1 of 10 stories got no answer: the answer has several results for the story, which differ"]);
}

fn state_fields(answer: &mut Value, schema: &str) {
    for (field, value) in
        [("schema_version", schema), ("prompt_id", schema), ("provider", "their-model"), ("model", "their-model")]
    {
        answer[field] = value.into();
    }
}

/// A model may know the stored schema, with the four fields that we set.
#[test]
fn an_answer_in_the_stored_schema_is_used_and_its_four_fields_are_ours() {
    let model = OpenAi::start();
    let summaries = Fault::Edit(|answer| state_fields(answer, "deep_summary_v1"));
    model.fault(When::always().schema("deep_summary_v1"), summaries);
    let results = Fault::Edit(|answer| {
        answer["results"].as_array_mut().unwrap().iter_mut().for_each(|result| state_fields(result, "triage_v1"));
    });
    model.fault(When::always().schema("triage_v1"), results);
    let radar = with(&model);
    run(&radar, WINDOW).exits(0);
    let digest = radar.digest();
    assert!(stories(&digest).iter().any(|story| story["summary"].is_object()), "{digest:#}");
    assert!(stories(&digest).iter().all(|story| story["triage"]["model"] == dated(MODEL)), "{digest:#}");
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM provider_calls WHERE error IS NOT NULL"), 0);
    assert!(!format!("{:?}", rows::all(&radar)).contains("their-model"));
}

/// What never gets better: no score is made up, the digest says what is missing, and the exit code says so.
fn never_judged(fault: Fault) -> (OpenAi, Radar) {
    let model = OpenAi::start();
    model.fault(When::always(), fault);
    let radar = with(&model);
    run(&radar, WINDOW).exits(3);
    let digest = radar.digest();
    assert_eq!(stories(&digest).len(), 30, "the digest is there, ranked without a model");
    for story in stories(&digest) {
        assert!(story["aha_score"].is_null() && story["triage"].is_null() && story["summary"].is_null());
        assert_eq!(story["state"], "failed");
    }
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM answers"), 0);
    the_books_agree(&radar, &model);
    (model, radar)
}

/// Two batches and a try to repair, or a half: what three failures alike in a row cost, and no more.
#[test]
fn a_model_that_fails_alike_again_and_again_is_given_up() {
    const UNFINISHED: &str = "{\"results\": [{\"id\": \"s1\", \"aha_score\": 40";
    for fault in [Fault::Text(UNFINISHED), Fault::Incomplete] {
        let model = OpenAi::start();
        model.fault(When::always(), fault.clone());
        let radar = with(&model).with("AHA_LLM_CONCURRENCY", "1");
        run(&radar, WINDOW).exits(3);
        assert_eq!(of_schema(&model, "triage_v1").len(), 3, "{fault:?}");
        let digest = radar.digest();
        assert!(stories(&digest).iter().all(|story| story["state"] == "failed"), "{fault:?}");
        let why = digest["cost"]["given_up"].to_string();
        assert!(why.contains("3 calls in a row failed alike"), "{fault:?}: {why}");
        assert!(radar.ok(&["digest", "latest"]).contains("not asked any more"), "{fault:?}");
        the_books_agree(&radar, &model);
        let cost = digest["cost"]["microcredits"].as_i64().unwrap();
        assert_eq!((cost, cost), (spent(&radar), billed(&model)), "{fault:?}: all that was paid is the digest's cost");
    }
}

/// A batch that is rejected is asked about in parts; three batches alike are enough.
#[test]
fn a_model_that_rejects_batch_after_batch_is_given_up() {
    for (fault, calls) in [(Fault::Status(400), 3 * 19), (Fault::Refusal, 3 * 2), (Fault::ContentFilter, 3 * 2)] {
        let model = OpenAi::start();
        model.fault(When::always(), fault.clone());
        let radar = with(&model).with("AHA_LLM_CONCURRENCY", "1");
        run(&radar, WINDOW).exits(3);
        assert_eq!(of_schema(&model, "triage_v1").len(), calls, "{fault:?}");
        let why = radar.digest()["cost"]["given_up"].to_string();
        assert!(why.contains("3 batches in a row failed alike"), "{fault:?}: {why}");
        the_books_agree(&radar, &model);
    }
}

#[test]
fn a_refused_key_ends_that_provider_and_stands_nowhere() {
    let model = OpenAi::start();
    let radar = with(&model).with("OPENAI_API_KEY", "sk-not-the-key-it-knows-0123456789");
    let ran = run(&radar, WINDOW).exits(3).says("check OPENAI_API_KEY");
    assert!(model.calls().len() <= 4, "only the calls under way were made");
    let digest = radar.ok(&["digest", "latest", "--json"]);
    let all = format!("{ran:?} {digest} {:?} {:?}", rows::all(&radar), radar.files());
    assert!(!all.contains("0123456789"), "the key has leaked");
    assert_eq!(spent(&radar), 0);
}

#[test]
fn an_empty_account_is_not_asked_again() {
    let (model, radar) = never_judged(Fault::InsufficientQuota);
    assert!(model.calls().len() <= 4);
    assert_eq!(spent(&radar), 0);
    assert!(radar.digest()["stories"][0]["reason"].as_str().unwrap().contains("quota"));
}

#[test]
fn a_redirect_is_not_followed_and_the_key_stays_here() {
    let (model, _radar) = never_judged(Fault::Redirect);
    assert!(model.strays().is_empty(), "{:?}", model.strays());
}

#[test]
fn a_server_that_always_fails_leaves_every_story_unjudged() {
    let (_model, radar) = never_judged(Fault::Status(503));
    assert_eq!(spent(&radar), 0);
    assert_eq!(states(&radar).len(), 1);
}

#[test]
fn what_llama_cpp_answers_is_never_a_score() {
    for name in ["llama_cpp_cut_at_cap", "llama_cpp_prose", "llama_cpp_broken_object", "llama_cpp_context_exceeded"] {
        let (_model, radar) = never_judged(Fault::Recorded(name));
        assert!(!states(&radar).contains_key("ok"), "{name}: {:?}", states(&radar));
    }
}

/// By the owner's choice alone `local` comes last; its answers replay, and no later run takes them for a model's.
fn local_judges_where_the_owner_wants_it_and_every_model_fails(engine: Engine) {
    let model = OpenAi::start();
    model.fault(When::always(), Fault::Text("no"));
    let radar = with(&model).on(engine).with("AHA_LLM_LOCAL_FALLBACK", "triage, deep_summary");
    run(&radar, WINDOW).exits(0).says("judged locally because no model answered");
    let digest = radar.digest();
    let shown = stories(&digest).len();
    assert!(shown > 0 && stories(&digest).iter().all(|story| story["state"] == "judged"), "{digest:#}");
    assert!(stories(&digest).iter().all(|story| story["triage"]["provider"] == "local"));
    assert_eq!(digest["cost"]["local_fallbacks"], shown);
    assert!(states(&radar).keys().any(|state| state.starts_with("error invalid_answer")), "{:?}", states(&radar));
    the_books_agree(&radar, &model);

    let paid = model.calls().len();
    let replayed = radar.run(&["replay", "latest", "--json"]).exits(0).json();
    assert!(stories(&replayed).iter().all(|story| story["triage"]["provider"] == "local"), "{replayed:#}");
    assert_eq!(model.calls().len(), paid, "a replay asks nobody");

    model.recover();
    run(&radar, WINDOW).exits(0);
    let digest = radar.digest();
    assert!(stories(&digest).iter().all(|story| story["triage"]["model"] == dated(MODEL)), "asked again: {digest:#}");
    assert_eq!(digest["cost"]["local_fallbacks"], Value::Null);
    the_books_agree(&radar, &model);
}

#[test]
fn local_judges_where_the_owner_wants_it_and_every_model_fails_on_sqlite() {
    local_judges_where_the_owner_wants_it_and_every_model_fails(Engine::Sqlite);
}

#[test]
fn local_judges_where_the_owner_wants_it_and_every_model_fails_on_postgres() {
    local_judges_where_the_owner_wants_it_and_every_model_fails(Engine::Postgres);
}

#[test]
fn a_task_that_local_cannot_do_is_no_fallback_of_it() {
    let radar = Radar::at("2026-11-18T07:00:00Z").with("AHA_LLM_LOCAL_FALLBACK", "triage,entity_extract");
    radar.run(&["doctor"]).exits(2).says("AHA_LLM_LOCAL_FALLBACK").says("triage, deep_summary, manual_summary");
}

/// A morning without a judge is made good the next morning, and costs nothing twice.
fn what_a_failing_judge_left_out_is_asked_about_in_the_next_run(engine: Engine) {
    let model = OpenAi::start();
    model.fault(When::always(), Fault::InsufficientQuota);
    let mut radar = model.serve(Radar::at("2026-11-18T07:00:00Z").on(engine)).with("AHA_SCHEDULE", "every 1d");
    let post = |n: usize, at: &str| Post::about_nothing_else(&format!("post {n}"), at);
    let first: Vec<Post> = (0..4).map(|n| post(n, "2026-11-18T05:00:00Z")).collect();
    std::fs::write(radar.folder().join("feed.json"), feed("The Feed", &first)).unwrap();
    radar.add(&["feed.json"]);
    radar.run(&["run"]).exits(3).says("see the provider's").says("billing page");
    assert!(stories(&radar.digest()).iter().all(|story| story["state"] == "failed"));

    model.recover();
    radar.set("AHA_NOW", "2026-11-19T07:00:00Z");
    let second: Vec<Post> = first.into_iter().chain([post(9, "2026-11-19T05:00:00Z")]).collect();
    std::fs::write(radar.folder().join("feed.json"), feed("The Feed", &second)).unwrap();
    radar.run(&["run"]).exits(0);
    let digest = radar.digest();
    let judged = |digest: &Value| stories(digest).iter().filter(|story| story["state"] == "judged").count();
    let of = |reason: &str| usize::try_from(digest["skipped"][reason].as_u64().unwrap()).unwrap();
    let skipped = of("ranked_lower") + of("below_minimum");
    assert_eq!((judged(&digest) + skipped, stories(&digest).len() + skipped), (5, 5), "{digest:#}");
    assert!(stories(&digest).iter().all(|story| story["since"].is_null()), "nothing of it was delivered before");
    assert!(digest["skipped"]["already_delivered"] == 0, "{}", digest["skipped"]);
    for story in stories(&digest) {
        let is_retried = story["published_at"] == "2026-11-18T05:00:00Z";
        assert_eq!(story["read_before"] == "not_judged", is_retried, "{story:#}");
    }
    let printed = radar.ok(&["digest", "latest", "--format", "md"]);
    assert!(printed.contains("not judged last time, tried again"), "{printed}");

    radar.set("AHA_NOW", "2026-11-20T07:00:00Z");
    let calls = model.calls().len();
    radar.run(&["run"]).exits(0);
    assert_eq!((model.calls().len(), stories(&radar.digest()).len()), (calls, 0), "once judged, it is delivered");
    the_books_agree(&radar, &model);
}

#[test]
fn what_a_failing_judge_left_out_is_asked_about_in_the_next_run_on_sqlite() {
    what_a_failing_judge_left_out_is_asked_about_in_the_next_run(Engine::Sqlite);
}

#[test]
fn what_a_failing_judge_left_out_is_asked_about_in_the_next_run_on_postgres() {
    what_a_failing_judge_left_out_is_asked_about_in_the_next_run(Engine::Postgres);
}
