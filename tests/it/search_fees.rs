//! What a search service charges: each search is a row of the ledger, reserved before it is sent and settled at what
//! came, under the caps that hold for models; and a run that goes on after a kill does not search again.

use std::time::Duration;

use crate::judged::{NOW, WINDOW, billed, spent, the_books_agree};
use crate::signals::{PATH, RESULTS, SOURCE, radar, run, search, source};
use crate::support::http::Answer;
use crate::support::radar::{Engine, Radar, finish, signal};
use crate::support::responses::OpenAi;
use crate::support::rows;
use crate::support::web::Web;

/// Of a search that brings three results.
const COST: i64 = 200 + 3 * 5_000;
/// Of one that brings the twenty that are wanted at most.
const AT_MOST: i64 = 200 + 20 * 5_000;
const ROWS: &str = "SELECT state || ' ' || coalesce(error_kind, '-') || ' ' || coalesce(CAST(cost_microcredits AS TEXT), '?') || ' of '
    || coalesce(CAST(reserved_microcredits AS TEXT), '?') FROM provider_calls WHERE purpose = 'signal_search' ORDER BY started_at, id";

fn priced(radar: Radar) -> Radar {
    radar.with("AHA_SIGNAL_CREDITS_PER_SEARCH", "0.0002").with("AHA_SIGNAL_CREDITS_PER_RESULT", "0.005")
}

fn capped(radar: Radar, credits: &str) -> Radar {
    priced(radar).with("AHA_BUDGET_DAILY_CREDITS", credits)
}

fn a_search_is_a_row_of_the_ledger(engine: Engine) {
    let (web, model) = (search(Answer::ok(RESULTS)), OpenAi::start());
    let radar = capped(model.serve(radar(engine, &web)), "5");
    run(&radar).exits(0);
    assert_eq!(rows::query(&radar, ROWS), [format!("ok - {COST} of {AT_MOST}")]);
    let called = "SELECT provider || '/' || model FROM provider_calls WHERE purpose = 'signal_search'";
    assert_eq!(rows::query(&radar, called), [format!("{}/search", web.url("").trim_start_matches("http://"))]);
    the_books_agree(&radar, &model);
    assert_eq!(spent(&radar), COST + billed(&model));
    assert_eq!(radar.digest()["cost"]["microcredits"], spent(&radar));
    radar.ok(&["source", "test", SOURCE]);
    assert_eq!(rows::query(&radar, ROWS).len(), 2, "one by hand is charged as well");
    run(&radar).exits(0);
    assert_eq!((rows::query(&radar, ROWS).len(), web.requests(PATH).len()), (3, 3), "each row is a request");
    the_books_agree(&radar, &model);
    let calls = radar.json(&["calls", "--purpose", "signal_search", "--json"]);
    assert_eq!(calls.as_array().unwrap().len(), 3);
    assert!(radar.ok(&["spend", "--by", "purpose"]).contains("signal_search"));
    model.finish();
}

#[test]
fn a_search_is_a_row_of_the_ledger_on_sqlite() {
    a_search_is_a_row_of_the_ledger(Engine::Sqlite);
}

#[test]
fn a_search_is_a_row_of_the_ledger_on_postgres() {
    a_search_is_a_row_of_the_ledger(Engine::Postgres);
}

#[test]
fn what_does_not_fit_the_budget_is_not_searched() {
    let (web, model) = (search(Answer::ok(RESULTS)), OpenAi::start());
    let mut radar = capped(model.serve(radar(Engine::Sqlite, &web)), "0.1");
    run(&radar).exits(4);
    let marked = source(&radar);
    assert_eq!(marked["last_error_kind"], "no_budget");
    assert!(marked["last_error"].as_str().unwrap().contains("AHA_BUDGET_DAILY_CREDITS"), "{marked}");
    radar.run(&["source", "test", SOURCE]).exits(1).says("AHA_BUDGET_DAILY_CREDITS");
    assert!(web.requests(PATH).is_empty() && rows::query(&radar, ROWS).is_empty());
    // Fewer results fit.
    radar.set("AHA_SIGNAL_MAX_RESULTS", "3");
    let fewer = PATH.replace("=20", "=3");
    let other = Web::serve(vec![(&fewer, Answer::ok(RESULTS))]);
    radar.set("AHA_SIGNAL_URL", &crate::signals::address(&other));
    run(&radar).exits(0);
    assert_eq!(rows::query(&radar, ROWS), [format!("ok - {COST} of {COST}")]);
    the_books_agree(&radar, &model);
}

#[test]
fn a_search_that_fails_costs_what_it_can_have_cost() {
    let model = OpenAi::start();
    let complaint = r#"{"title": "Forbidden", "detail": "Your project is out of quota"}"#;
    for (answer, row) in [
        (Answer::new(402), format!("error search_credits 0 of {AT_MOST}")),
        (Answer::new(429), format!("error rate_limited 0 of {AT_MOST}")),
        (Answer::new(500), format!("error server_error 0 of {AT_MOST}")),
        (Answer::new(504), format!("unsettled server_error ? of {AT_MOST}")),
        (Answer::ok(complaint), format!("unsettled search_failed ? of {AT_MOST}")),
        (Answer::ok(RESULTS).cut_after(100), format!("unsettled interrupted ? of {AT_MOST}")),
        (Answer::ok(r#"{"data": []}"#), format!("ok - 200 of {AT_MOST}")),
    ] {
        let web = search(answer);
        let radar = capped(model.serve(radar(Engine::Sqlite, &web)), "5");
        run(&radar);
        assert_eq!(rows::query(&radar, ROWS), [row]);
        the_books_agree(&radar, &model);
    }
}

#[test]
fn more_results_than_were_wanted_are_charged_and_told() {
    let (web, model) = (Web::serve(vec![(&PATH.replace("=20", "=1"), Answer::ok(RESULTS))]), OpenAi::start());
    let radar = capped(model.serve(radar(Engine::Sqlite, &web)), "5").with("AHA_SIGNAL_MAX_RESULTS", "1");
    run(&radar).exits(0).says("cost more than was reserved");
    assert_eq!(rows::query(&radar, ROWS), [format!("ok - {COST} of 5200")]);
    assert_eq!(radar.digest()["cost"]["overcharged_calls"], 1);
    let printed = radar.ok(&["digest", "latest", "--format", "md"]);
    assert!(printed.contains("; 1 call cost more than was reserved"), "{printed}");
    radar.run(&["doctor"]).says("1 call cost more than was reserved, the last at");
    the_books_agree(&radar, &model);
}

#[test]
fn a_search_without_a_price_is_a_row_whose_cost_nobody_knows() {
    let (web, model) = (search(Answer::ok(RESULTS)), OpenAi::start());
    let mut radar = model.serve(radar(Engine::Sqlite, &web)).with("AHA_SIGNAL_CREDITS_PER_SEARCH", "");
    run(&radar).exits(0);
    assert_eq!(rows::query(&radar, ROWS), ["ok - ? of ?"]);
    radar.run(&["doctor"]).says("AHA_SIGNAL_CREDITS_PER_SEARCH");
    radar.set("AHA_BUDGET_DAILY_CREDITS", "1");
    run(&radar).exits(2).says("AHA_SIGNAL_CREDITS_PER_SEARCH or _PER_RESULT is not set");
}

fn killed_after_the_search(engine: Engine) {
    let (web, model) = (search(Answer::ok(RESULTS)), OpenAi::start());
    let mut radar = capped(model.serve(radar(engine, &web)), "5").with("AHA_LLM_CONCURRENCY", "1");
    // The first call is the search, the second reads its results.
    radar.set("AHA_FAILPOINT", "call.after_reserve:2");
    assert_eq!(run(&radar).code, None, "killed");
    assert_eq!(rows::query(&radar, ROWS), [format!("ok - {COST} of {AT_MOST}")]);
    radar.set("AHA_FAILPOINT", "");
    run(&radar).exits(0);
    assert_eq!((web.requests(PATH).len(), rows::query(&radar, ROWS).len()), (1, 1), "it is not paid for again");
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM content_items"), 3);
    run(&radar).exits(0);
    assert_eq!(web.requests(PATH).len(), 2, "a new pass is a new look");
    let kept = "SELECT count(*) FROM answers WHERE task = 'signal_search'";
    assert_eq!(rows::number(&radar, kept), 1, "what an earlier one found is not kept for ever");
}

#[test]
fn killed_after_the_search_on_sqlite() {
    killed_after_the_search(Engine::Sqlite);
}

#[test]
fn killed_after_the_search_on_postgres() {
    killed_after_the_search(Engine::Postgres);
}

#[test]
fn a_search_under_way_when_the_run_is_stopped_is_paid_once() {
    let (web, model) = (search(Answer::ok(RESULTS).after(Duration::from_secs(2))), OpenAi::start());
    let radar = capped(model.serve(radar(Engine::Sqlite, &web)), "5");
    let stopped = radar.start(&["run", "--window", WINDOW]);
    web.wait_for(PATH);
    signal(&stopped, "INT");
    finish(stopped).exits(130);
    assert_eq!(rows::query(&radar, ROWS), [format!("ok - {COST} of {AT_MOST}")]);
    run(&radar).exits(0);
    assert_eq!((web.requests(PATH).len(), rows::query(&radar, ROWS).len()), (1, 1));
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM content_items"), 3);
}

/// Nobody knows what became of it: it stays charged, and is made again.
#[test]
fn killed_in_the_search() {
    let (web, model) = (search(Answer::ok(RESULTS)), OpenAi::start());
    let mut radar = capped(model.serve(radar(Engine::Sqlite, &web)), "5").with("AHA_NOW", NOW);
    radar.set("AHA_FAILPOINT", "call.after_answer");
    assert_eq!(run(&radar).code, None, "killed");
    radar.set("AHA_FAILPOINT", "");
    run(&radar).exits(0);
    let mut found = rows::query(&radar, ROWS);
    found.sort();
    assert_eq!(found, [format!("ok - {COST} of {AT_MOST}"), format!("unsettled interrupted ? of {AT_MOST}")]);
    the_books_agree(&radar, &model);
}
