//! Runs that pay: the ledger against the provider's own bill, and how many calls are under way at once.

use std::collections::BTreeMap;
use std::time::Duration;

use aha_store::{CallFilter, CallRecord, CallState};

use crate::support::radar::{Engine, Radar, Ran, finish, repository};
use crate::support::responses::{Call, Fault, OpenAi, Reported};
use crate::support::rows;

fn radar(api: &OpenAi, engine: Engine) -> Radar {
    api.serve(Radar::at("2026-11-19T07:00:00Z").on(engine)).with("AHA_LLM_CONCURRENCY", "32")
}

fn run(radar: &Radar) -> Ran {
    let all = repository("examples/sources.opml");
    radar.run(&["--run-once", "--import", &all, "--window", "2026-11-16..2026-11-19"])
}

fn ledger(radar: &Radar) -> Vec<CallRecord> {
    rows::with_store(radar, |store| async move {
        store.calls(&CallFilter { limit: i64::MAX, ..CallFilter::default() }).await.unwrap()
    })
}

/// What a call's answer tells of its price, at the usual one.
fn told(call: &Call) -> i64 {
    let tokens = |name: &str| call.answer["usage"][name].as_i64().unwrap_or(0);
    tokens("input_tokens") + 4 * tokens("output_tokens")
}

/// Faults whose cost is known, one way or the other.
fn known() -> Vec<Fault> {
    vec![
        Fault::Status(429),
        Fault::RateLimited(Some("0".to_owned())),
        Fault::Status(500),
        Fault::Status(503),
        Fault::Failed,
        Fault::FailedAfterWork,
        Fault::Fenced,
        Fault::Preamble,
        Fault::MissingId,
        Fault::UnknownId,
        Fault::DuplicateId,
        Fault::TwoObjects,
        Fault::EmptyText,
        Fault::Incomplete,
        Fault::CutAtCap,
        Fault::ContentFilter,
        Fault::Refusal,
    ]
}

/// Faults after which nobody knows what the provider will charge.
fn unknown() -> Vec<Fault> {
    vec![
        Fault::Status(502),
        Fault::Reset,
        Fault::CutInBody,
        Fault::NotJson,
        Fault::NoContent,
        Fault::Usage(Reported::Missing),
        Fault::Usage(Reported::Null),
        Fault::Usage(Reported::Negative),
        Fault::Usage(Reported::Huge),
        Fault::Usage(Reported::Words),
    ]
}

/// A run in which so many calls in a hundred go wrong.
fn paid(faults: Vec<Fault>, percent: u64) -> (OpenAi, Vec<CallRecord>) {
    let api = OpenAi::start();
    api.mixture(23, percent, faults);
    let radar = radar(&api, Engine::Sqlite).with("AHA_TRIAGE_BATCH_SIZE", "3").with("AHA_BUDGET_DAILY_CREDITS", "50");
    let ran = run(&radar);
    assert!(matches!(ran.code, Some(0 | 3)), "{ran:#?}");
    let ledger = ledger(&radar);
    let counters = "SELECT sum(settled_microcredits) FROM budget_counters WHERE counter = 'day:2026-11-19'";
    let charged: i64 = ledger.iter().map(|row| row.cost_microcredits.or(row.reserved_microcredits).unwrap()).sum();
    assert_eq!(rows::number(&radar, counters), charged);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM budget_counters WHERE reserved_microcredits <> 0"), 0);
    (api, ledger)
}

/// Each request has a row and each row a request. The calls of the rows that name one.
#[track_caller]
fn matched(api: &OpenAi, ledger: &[CallRecord]) -> BTreeMap<String, Call> {
    let calls = api.calls();
    assert_eq!(calls.len(), ledger.len());
    let mut by_id: BTreeMap<String, Call> =
        calls.into_iter().flat_map(|call| call.ids().map(|id| (id, call.clone()))).collect();
    let mut matched = BTreeMap::new();
    for row in ledger {
        let Some(id) = &row.request_id else {
            assert_eq!((row.state, row.cost_microcredits), (CallState::Unsettled, None), "{row:?}");
            continue;
        };
        let call = by_id.remove(id).unwrap_or_else(|| panic!("{row:#?} names no call, or one that another row has"));
        call.ids().iter().for_each(|id| drop(by_id.remove(id)));
        matched.insert(row.id.clone(), call);
    }
    matched
}

#[test]
fn what_the_provider_charges_is_what_the_ledger_says() {
    let (api, ledger) = paid(known(), 40);
    let calls = matched(&api, &ledger);
    let met: Vec<_> = calls.values().filter_map(|call| call.fault.clone()).collect();
    assert!(known().iter().filter(|fault| met.contains(fault)).count() >= 10, "{met:?}");
    assert!(ledger.iter().all(|row| row.state != CallState::Unsettled), "{ledger:#?}");
    for row in &ledger {
        assert_eq!(row.cost_microcredits, Some(told(&calls[&row.id])), "{row:#?}");
    }
    let sum: i64 = ledger.iter().filter_map(|row| row.cost_microcredits).sum();
    assert_eq!(sum, i64::try_from(api.bill().total.microcredits).unwrap());
}

#[test]
fn what_nobody_knows_is_charged_at_the_reservation() {
    let (api, ledger) = paid([known(), unknown()].concat(), 40);
    let calls = matched(&api, &ledger);
    let (unsettled, settled): (Vec<&CallRecord>, Vec<_>) =
        ledger.iter().partition(|row| row.state == CallState::Unsettled);
    assert!(unsettled.len() >= 5, "{ledger:#?}");
    for row in &settled {
        assert_eq!(row.cost_microcredits, Some(told(&calls[&row.id])), "{row:#?}");
    }
    let sum: i64 = settled.iter().filter_map(|row| row.cost_microcredits).sum();
    let held: i64 = unsettled.iter().filter_map(|row| row.reserved_microcredits).sum();
    let bill = i64::try_from(api.bill().total.microcredits).unwrap();
    assert!(sum <= bill && bill <= sum + held, "{sum} <= {bill} <= {sum} + {held}");
}

/// Two processes, each with a topic and 32 calls at a time, spend from one budget: the provider never charges more than
/// that.
fn two_runs_at_once_keep_one_cap(engine: Engine) {
    const CAP: i64 = 60_000;
    let api = OpenAi::start();
    api.latency(Duration::from_millis(20));
    let radar = radar(&api, engine).with("AHA_TRIAGE_BATCH_SIZE", "2").with("AHA_BUDGET_DAILY_CREDITS", "0.06");
    let (all, days) = (repository("examples/sources.opml"), "2026-11-16..2026-11-19");
    for topic in ["one", "two"] {
        radar.ok(&["topic", "add", topic]);
        radar.ok(&["opml", "import", "--topic", topic, &all]);
    }
    let runs = ["one", "two"].map(|topic| radar.start(&["run", "--topic", topic, "--window", days]));
    for run in runs {
        finish(run).exits(4);
    }
    let bill = i64::try_from(api.bill().total.microcredits).unwrap();
    assert!(bill <= CAP && bill > CAP / 2, "{bill}");
    let day = "SELECT sum(settled_microcredits + reserved_microcredits) FROM budget_counters WHERE counter = 'day:2026-11-19'";
    assert_eq!(rows::number(&radar, day), bill);
    matched(&api, &ledger(&radar));
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM digests"), 2, "a digest appears all the same");
}

#[test]
fn two_runs_at_once_keep_one_cap_on_sqlite() {
    two_runs_at_once_keep_one_cap(Engine::Sqlite);
}

#[test]
fn two_runs_at_once_keep_one_cap_on_postgres() {
    two_runs_at_once_keep_one_cap(Engine::Postgres);
}

/// As many as allowed are under way at once, and never one more. That they are does not hang on how quick this machine
/// is: the first answers wait for each other.
fn as_many_calls_as_allowed_are_under_way(engine: Engine) {
    let api = OpenAi::start();
    api.together(32);
    api.latency(Duration::from_millis(200));
    run(&radar(&api, engine).with("AHA_TRIAGE_BATCH_SIZE", "1").with("AHA_BUDGET_DAILY_CREDITS", "50")).exits(0);
    assert!(api.calls().len() > 64, "{}", api.calls().len());
    assert_eq!(api.max_in_flight(), 32);
}

#[test]
fn as_many_calls_as_allowed_are_under_way_on_sqlite() {
    as_many_calls_as_allowed_are_under_way(Engine::Sqlite);
}

#[test]
fn as_many_calls_as_allowed_are_under_way_on_postgres() {
    as_many_calls_as_allowed_are_under_way(Engine::Postgres);
}
