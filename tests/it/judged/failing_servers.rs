//! What becomes of a model whose server fails: the next one is asked, or the run waits where there is none.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::{NOW, WINDOW, of_schema, run, states, stories, the_books_agree, with};
use crate::support::radar::Radar;
use crate::support::responses::{Fault, KEY, MODEL, OpenAi, When, dated};

#[test]
fn the_next_model_answers_where_the_first_cannot() {
    for (fault, kind) in [(Fault::ModelNotFound, "unknown_model"), (Fault::Text("no"), "invalid_answer")] {
        let model = OpenAi::start();
        model.fault(When::always().model("the-first"), fault);
        let radar = with(&model).with("OPENAI_TRIAGE_MODEL", "the-first");
        run(&radar, WINDOW).exits(0);
        let digest = radar.digest();
        assert!(stories(&digest).iter().all(|story| story["triage"]["model"] == dated(MODEL)));
        assert!(states(&radar).contains_key(&format!("error {kind}")), "{:?}", states(&radar));
        let paid = model.calls().len();
        run(&radar, WINDOW).exits(0);
        assert_eq!(model.calls().len(), paid, "a fallback's answer is an answer");
        the_books_agree(&radar, &model);
    }
}

/// The first model's failures, four batches at a time, say nothing against another model of the same server and key.
#[test]
fn a_model_that_fails_makes_no_other_of_its_server_unreachable() {
    for fault in [Fault::Status(500), Fault::Status(503), Fault::CutInBody, Fault::Reset] {
        let model = OpenAi::start();
        model.fault(When::always().model("the-first"), fault.clone());
        let radar = with(&model).with("OPENAI_TRIAGE_MODEL", "the-first");
        run(&radar, WINDOW).exits(0);
        let digest = radar.digest();
        assert!(stories(&digest).iter().all(|story| story["triage"]["model"] == dated(MODEL)), "{fault:?}: {digest:#}");
        assert!(stories(&digest).iter().any(|story| story["summary"].is_object()), "{fault:?}: {digest:#}");
        the_books_agree(&radar, &model);
    }
}

/// A failure that often passes counts when the second try has failed, too; the fifth in a row opens the breaker.
#[test]
fn a_model_whose_server_fails_or_takes_no_more_requests_is_given_up_for_the_next() {
    for (fault, calls) in [(Fault::Status(503), 5), (Fault::Reset, 5), (Fault::RateLimited(Some("0".into())), 6)] {
        let model = OpenAi::start();
        model.fault(When::always().model("the-first"), fault.clone());
        let radar = with(&model)
            .with("OPENAI_TRIAGE_MODEL", "the-first")
            .with("AHA_TRIAGE_BATCH_SIZE", "5")
            .with("AHA_LLM_CONCURRENCY", "1")
            .with("AHA_CIRCUIT_PAUSE_MS", "30000");
        run(&radar, WINDOW).exits(0);
        let asked = model.calls().iter().filter(|call| call.model() == "the-first").count();
        assert_eq!(asked, calls, "{fault:?}");
        let digest = radar.digest();
        assert!(stories(&digest).iter().all(|story| story["triage"]["model"] == dated(MODEL)), "{fault:?}");
        let why = digest["cost"]["given_up"].to_string();
        assert!(why.contains("the-first") && why.contains("3 calls in a row failed alike"), "{fault:?}: {why}");
        assert!(!why.contains("paused for"), "it is over when the digest is read: {why}");
        the_books_agree(&radar, &model);
    }
}

#[test]
fn a_model_that_takes_no_more_requests_is_waited_for_where_there_is_no_other() {
    let model = OpenAi::start();
    model.fault(When::always().schema("triage_v1").first(6), Fault::RateLimited(Some("0".into())));
    let radar = with(&model).with("AHA_TRIAGE_BATCH_SIZE", "5").with("AHA_LLM_CONCURRENCY", "1");
    run(&radar, WINDOW).exits(3);
    let digest = radar.digest();
    assert!(digest["cost"].get("given_up").is_none_or(|why| !why.to_string().contains("in a row")), "{digest:#}");
    assert!(stories(&digest).iter().any(|story| story["state"] == "judged"), "{digest:#}");
    the_books_agree(&radar, &model);
}

/// Four batches fail at once, one of them again, which opens the circuit: all are asked again after its pause.
#[test]
fn a_server_that_is_away_for_a_while_is_waited_for_where_there_is_no_other() {
    let model = OpenAi::start();
    model.fault(When::always().schema("triage_v1").first(5), Fault::Status(503));
    let radar = with(&model).with("AHA_LLM_CONCURRENCY", "4").with("AHA_LOG", "warn");
    run(&radar, WINDOW).exits(0).says("waiting for it");
    let digest = radar.digest();
    assert!(stories(&digest).iter().all(|story| story["state"] == "judged"), "{digest:#}");
    assert_eq!(states(&radar)["error overloaded"], 5);
    the_books_agree(&radar, &model);
}

/// Four batches, tried twice at most before the circuit opens, and one call after each pause; then no story is asked
/// about any more.
#[test]
fn a_server_that_stays_away_is_called_a_few_times_in_two_pauses() {
    let model = OpenAi::start();
    model.fault(When::always(), Fault::Status(503));
    let radar = with(&model).with("AHA_LLM_CONCURRENCY", "4");
    let begun = Instant::now();
    run(&radar, WINDOW).exits(3);
    assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", begun.elapsed());
    let asked = of_schema(&model, "triage_v1").len();
    assert!((6..=12).contains(&asked), "{asked} calls");
    the_books_agree(&radar, &model);
    let digest = radar.digest();
    let why = digest["cost"]["judgement_failure"].as_str().unwrap();
    assert!(why.contains(MODEL) && why.contains("the server is overloaded (503") && !why.contains("paused"), "{why}");
    let cause = format!("30 stories are not judged: {}", why.split_once(" (").unwrap().0);
    assert!(radar.ok(&["runs"]).contains(&cause), "{cause}: {}", radar.ok(&["runs"]));
    radar.run(&["doctor"]).says(&cause);
}

/// It is no outage that costs nothing until it is over.
#[test]
fn a_failure_that_is_charged_is_paid_for_twice_a_batch_and_not_waited_out() {
    let model = OpenAi::start();
    model.fault(When::always().schema("triage_v1"), Fault::FailedAfterWork);
    let radar = with(&model).with("AHA_TRIAGE_BATCH_SIZE", "10").with("AHA_LLM_CONCURRENCY", "1");
    run(&radar, WINDOW).exits(3);
    let mut batches: BTreeMap<String, usize> = BTreeMap::new();
    for call in of_schema(&model, "triage_v1") {
        *batches.entry(call.body["input"].to_string()).or_default() += 1;
    }
    assert!(batches.len() > 2 && batches.values().all(|calls| *calls == 2), "{:?}", batches.values());
    the_books_agree(&radar, &model);
}

/// Four calls fail at the same time; the third failure gives the model up while the first two wait for their retries.
#[test]
fn a_retry_that_waits_while_its_model_is_given_up_is_not_made() {
    let model = OpenAi::start();
    model.fault(When::always().schema("triage_v1"), Fault::Text("no"));
    let radar = Radar::at(NOW).with("MOCK_KEY", KEY).with("AHA_LLM_CONFIG", "models.yaml");
    let catalogue = format!(
        "endpoint: {}/v1/responses\napi_key: ${{MOCK_KEY}}\n\
         retry: {{ max_attempts: 2, initial_delay_seconds: 6, max_delay_seconds: 6 }}\n\
         models:\n  openai/judge: {{ model: {MODEL} }}\ntasks: {{ triage: openai/judge }}\n",
        model.base()
    );
    std::fs::write(radar.folder().join("models.yaml"), catalogue).unwrap();
    run(&radar.with("AHA_TRIAGE_BATCH_SIZE", "5").with("AHA_LLM_CONCURRENCY", "4"), WINDOW).exits(3);
    assert_eq!(of_schema(&model, "triage_v1").len(), 4);
}

#[test]
fn a_model_whose_server_fails_is_left_to_its_circuit_breaker_where_there_is_no_other() {
    let model = OpenAi::start();
    model.fault(When::always(), Fault::Status(503));
    let radar = with(&model).with("AHA_TRIAGE_BATCH_SIZE", "5").with("AHA_LLM_CONCURRENCY", "1");
    run(&radar, WINDOW).exits(3);
    let digest = radar.digest();
    assert!(digest["cost"].get("given_up").is_none_or(|why| !why.to_string().contains("in a row")), "{digest:#}");
    assert!(digest.to_string().contains("is paused for"), "{digest:#}");
    the_books_agree(&radar, &model);
}
