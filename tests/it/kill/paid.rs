//! Kills of runs that ask a provider for money: each request has its row, what was answered is not asked again, and
//! what is not known stays charged. `AHA_PAID` says how many, `AHA_TEST_SEED` which.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Child;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use aha_store::{CallFilter, CallRecord, CallState};
use serde_json::Value;

use super::comparison::{differences, report, rounds, seed};
use super::harness::{Kind, SIGKILL, Setup};
use super::on_both_databases;
use crate::support::feeds::Random;
use crate::support::radar::{Engine, Radar, Ran, finish, signal, stands_still};
use crate::support::responses::{Call, OpenAi};
use crate::support::rows::{self, Tables};

const CONCURRENCY: usize = 4;
/// No request takes so long to come.
const DEADLINE: Duration = Duration::from_mins(3);

/// Where a call may end, and what it leaves: whether the provider has the request, and whether the row is still open.
const POINTS: [(&str, bool, bool); 5] = [
    ("call.after_reserve", false, true),
    ("call.after_send", true, true),
    ("call.after_answer", true, true),
    ("settle_call.before_commit", true, true),
    ("settle_call.after_commit", true, false),
];

/// An installation and its provider.
struct Paid {
    setup: Setup,
    api: OpenAi,
    radar: Radar,
}

/// What has to be the same, but for what it cost.
#[derive(Debug)]
struct Expected {
    digest: Value,
    tables: Tables,
    asked: Asked,
}

/// How often each story was asked about, by task.
type Asked = BTreeMap<(String, String), i64>;

/// What many rounds come to.
#[derive(Debug, Default)]
struct Figures {
    rounds: u32,
    struck: u32,
    lost: usize,
    doubled: usize,
    stuck: usize,
    damaged: usize,
    different: usize,
    requests: usize,
    rows: usize,
    unsettled: usize,
    /// Requests without a row, and rows beyond those of calls under way without a request.
    unmatched: usize,
    asked_again: usize,
    adrift: usize,
    harm: Vec<String>,
}

impl Paid {
    fn new(engine: Engine, concurrency: usize, latency: Duration) -> Self {
        let setup = Setup { kind: Kind::Window, engine };
        let api = OpenAi::start();
        api.latency(latency);
        let radar = api.serve(setup.radar());
        let radar = radar.with("AHA_LLM_CONCURRENCY", &concurrency.to_string()).with("AHA_TRIAGE_BATCH_SIZE", "5");
        Self { setup, api, radar: radar.with("AHA_BUDGET_DAILY_CREDITS", "50") }
    }

    fn start(&self, settings: &[(&str, &str)]) -> Child {
        self.setup.start(&self.radar, settings)
    }

    fn ledger(&self) -> Vec<CallRecord> {
        rows::with_store(&self.radar, |store| async move {
            store.calls(&CallFilter { limit: i64::MAX, ..CallFilter::default() }).await.unwrap()
        })
    }

    fn left(&self) -> Expected {
        let same = [
            ("content_items", &[][..]),
            ("cluster_items", &[]),
            ("clusters", &[]),
            ("embeddings", &[]),
            ("answers", &["provider_call_id"]),
            ("digest_items", &[]),
            ("digests", &["cost_json"]),
            ("topics", &["lease_token"]),
        ];
        let tables = same.map(|(name, without)| (name.to_owned(), rows::table(&self.radar, name, without)));
        let mut digest = self.radar.digest();
        digest["cost"] = Value::Null;
        Expected { digest, tables: Tables::from(tables), asked: asked(&self.api.calls()) }
    }

    /// Waits until so many requests have come; a run that never comes to them fails.
    #[track_caller]
    fn wait_for_calls(&self, requests: usize) {
        let begun = Instant::now();
        while self.api.calls().len() < requests {
            assert!(begun.elapsed() < DEADLINE, "{} of {requests} requests in {DEADLINE:?}", self.api.calls().len());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Kills when so many requests have come, a moment later; whether it was still at work.
    fn kill_at(&self, requests: usize, delay: Duration) -> bool {
        let mut child = self.start(&[]);
        let begun = Instant::now();
        while self.api.calls().len() < requests && child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < DEADLINE, "{} of {requests} requests in {DEADLINE:?}", self.api.calls().len());
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(delay);
        let at_work = child.try_wait().unwrap().is_none();
        child.kill().unwrap();
        finish(child);
        at_work
    }
}

fn undisturbed(engine: Engine) -> &'static Expected {
    static KNOWN: [OnceLock<Expected>; 2] = [const { OnceLock::new() }; 2];
    KNOWN[engine as usize].get_or_init(|| {
        let paid = Paid::new(engine, CONCURRENCY, Duration::ZERO);
        finish(paid.start(&[])).exits(0);
        let mut figures = Figures::default();
        figures.add_ledger(&paid, 0, "undisturbed");
        assert!(figures.harm.is_empty() && figures.unsettled == 0 && figures.requests > 25, "{figures:#?}");
        let left = paid.left();
        assert!(left.tables.values().all(|rows| !rows.is_empty()), "{left:#?}");
        left
    })
}

fn keys(call: &Call) -> Vec<(String, String)> {
    let stories = call.stories().map(|stories| stories.into_iter().map(|story| story.title).collect());
    let stories: Vec<String> = stories.unwrap_or_else(|| vec![call.prompt()]);
    stories.into_iter().map(|story| (purpose(call), story)).collect()
}

fn asked<'a>(calls: impl IntoIterator<Item = &'a Call>) -> Asked {
    let mut asked = Asked::new();
    for key in calls.into_iter().flat_map(keys) {
        *asked.entry(key).or_default() += 1;
    }
    asked
}

fn purpose(call: &Call) -> String {
    call.schema_name().trim_end_matches("_v1").to_owned()
}

/// What the provider charges for a call, at the usual price.
fn bill(call: &Call) -> i64 {
    let tokens = |name: &str| call.answer["usage"][name].as_i64().unwrap_or(0);
    tokens("input_tokens") + 4 * tokens("output_tokens")
}

/// How many of each kind: task and number of stories.
fn kinds(all: impl Iterator<Item = (String, usize)>) -> BTreeMap<(String, usize), usize> {
    let mut kinds = BTreeMap::new();
    for kind in all {
        *kinds.entry(kind).or_default() += 1;
    }
    kinds
}

impl Figures {
    /// Holds requests and rows against each other. The requests that nobody got an answer to.
    fn add_ledger(&mut self, paid: &Paid, kills: usize, what: &str) -> (Vec<Call>, Vec<CallRecord>) {
        let (calls, ledger) = (paid.api.calls(), paid.ledger());
        self.requests += calls.len();
        self.rows += ledger.len();
        let ids: BTreeSet<&str> = ledger.iter().filter_map(|row| row.request_id.as_deref()).collect();
        let (known, lost): (Vec<Call>, Vec<Call>) =
            calls.into_iter().partition(|call| call.answer["id"].as_str().is_some_and(|id| ids.contains(id)));
        let (open, closed): (Vec<CallRecord>, Vec<CallRecord>) =
            ledger.into_iter().partition(|row| row.request_id.is_none());
        self.unsettled += open.len();
        let rows_of = kinds(open.iter().map(|row| (row.purpose.clone(), usize::try_from(row.stories).unwrap())));
        let sent = kinds(lost.iter().map(|call| (purpose(call), keys(call).len())));
        let rowless: usize =
            sent.iter().map(|(kind, count)| count.saturating_sub(rows_of.get(kind).copied().unwrap_or(0))).sum();
        let unmatched = rowless + known.len().abs_diff(closed.len()) + open.len().saturating_sub(kills * CONCURRENCY);
        let states = open.iter().all(|row| row.state == CallState::Unsettled && row.cost_microcredits.is_none())
            && closed.iter().all(|row| row.state == CallState::Ok);

        let paid_for: i64 = closed.iter().filter_map(|row| row.cost_microcredits).sum();
        let held: i64 = open.iter().filter_map(|row| row.reserved_microcredits).sum();
        let reserved = "SELECT count(*) FROM budget_counters WHERE reserved_microcredits <> 0";
        let day = "SELECT sum(settled_microcredits) FROM budget_counters WHERE counter = 'day:2026-11-19'";
        let is_adrift = paid_for != known.iter().map(bill).sum::<i64>()
            || held < lost.iter().map(bill).sum::<i64>()
            || rows::number(&paid.radar, reserved) != 0
            || rows::number(&paid.radar, day) != paid_for + held;
        self.unmatched += unmatched;
        self.adrift += usize::from(is_adrift || !states);
        if unmatched > 0 || is_adrift || !states {
            let counters = rows::table(&paid.radar, "budget_counters", &[]);
            self.harm.push(format!(
                "{what}: {unmatched} without a counterpart, sums adrift {is_adrift}, states as they should be {states}, \
                 open {open:#?}, {counters:#?}"
            ));
        }
        (lost, open)
    }

    /// Compares what the last process left with what an undisturbed one leaves.
    fn compare(&mut self, paid: &Paid, kills: usize, end: &Ran, what: &str) -> (Vec<Call>, Vec<CallRecord>) {
        self.rounds += 1;
        let (lost_calls, open) = self.add_ledger(paid, kills, what);
        let expected = undisturbed(paid.setup.engine);
        let found = paid.left();
        let mut wanted = expected.asked.clone();
        for (key, count) in asked(&lost_calls) {
            *wanted.entry(key).or_default() += count;
        }
        let again: i64 = found.asked.iter().map(|(key, count)| (count - wanted.get(key).unwrap_or(&0)).max(0)).sum();
        let again = usize::try_from(again).unwrap();
        let (mut lost, mut doubled) = (Vec::new(), Vec::new());
        for (table, rows) in &expected.tables {
            let (missing, more) = differences(table, rows, &found.tables[table]);
            lost.extend(missing);
            doubled.extend(more);
        }
        let is_stuck = end.code != Some(0)
            || rows::number(&paid.radar, "SELECT count(*) FROM runs WHERE status <> 'done'") > 0
            || rows::number(&paid.radar, "SELECT count(*) FROM topics WHERE lease_holder IS NOT NULL") > 0;
        let damage = rows::damage(&paid.radar);
        let differs = found.digest != expected.digest;
        self.lost += lost.len();
        self.doubled += doubled.len();
        self.asked_again += again;
        self.stuck += usize::from(is_stuck);
        self.damaged += usize::from(!damage.is_empty());
        self.different += usize::from(differs);
        if !(lost.is_empty() && doubled.is_empty() && damage.is_empty()) || again > 0 || is_stuck || differs {
            self.harm.push(format!(
                "{what}: asked again {again}, digest differs {differs}, damage {damage:?}, lost {lost:#?}, \
                 doubled {doubled:#?}, the last process: {end:#?}"
            ));
        }
        (lost_calls, open)
    }

    #[track_caller]
    fn close(self, what: &str, engine: Engine) {
        let line = format!(
            "{what} on {engine:?}: {} rounds, {} struck at work, {} items lost, {} doubled, {} runs stuck or committed twice, {} integrity checks failed, {} digests differ, {} requests, {} rows, {} unsettled, {} without a counterpart, {} answers asked for again, {} sums adrift",
            self.rounds,
            self.struck,
            self.lost,
            self.doubled,
            self.stuck,
            self.damaged,
            self.different,
            self.requests,
            self.rows,
            self.unsettled,
            self.unmatched,
            self.asked_again,
            self.adrift
        );
        report(&line);
        assert!(self.rounds > 0 && self.struck > 0, "{line}");
        assert!(self.harm.is_empty(), "{line}\n{}", self.harm.join("\n"));
    }
}

/// One call at a time, so that what is left behind is known to the row.
fn a_call_killed_at_any_point_has_its_row(engine: Engine) {
    let mut figures = Figures::default();
    for (place, (point, was_sent, is_open)) in (0..).zip(POINTS) {
        // Among the calls about triage, and among those about summaries.
        for hit in [2 + place, 22 + place] {
            let paid = Paid::new(engine, 1, Duration::ZERO);
            let failpoint = format!("{point}:{hit}");
            // Nothing else is settled or reserved in this run, so that the count of the hits is that of the calls.
            let killed = finish(paid.start(&[("AHA_FAILPOINT", &failpoint)]));
            assert_eq!(killed.signal, Some(SIGKILL), "{failpoint}: {killed:#?}");
            figures.struck += 1;
            assert_eq!(paid.api.calls().len(), hit - usize::from(!was_sent), "{failpoint}");
            let last = finish(paid.start(&[]));
            let (unanswered, open) = figures.compare(&paid, 1, &last, &failpoint);
            assert_eq!(
                (unanswered.len(), open.len()),
                (usize::from(was_sent && is_open), usize::from(is_open)),
                "{failpoint}"
            );
        }
    }
    figures.close("killed at every point of a call", engine);
}

/// What a holder that was frozen in the middle of a call brings when it wakes is settled, and replaces no answer of its
/// successor.
fn a_frozen_payer_settles_what_it_asked(engine: Engine) {
    let paid = Paid::new(engine, 1, Duration::ZERO);
    let settings = [("AHA_FAILPOINT", "call.after_send:3"), ("AHA_FAILPOINT_SIGNAL", "STOP")];
    let mut first = paid.start(&settings);
    assert!(stands_still(&mut first));
    rows::execute(&paid.radar, "UPDATE topics SET lease_expires_at = 0");
    finish(paid.start(&[])).exits(0);
    let unsettled = "SELECT count(*) FROM provider_calls WHERE state = 'unsettled'";
    assert_eq!(rows::number(&paid.radar, unsettled), 1);
    let answers = rows::table(&paid.radar, "answers", &[]);
    signal(&first, "CONT");
    finish(first).exits(1).says("took this topic's lease over");

    let mut figures = Figures::default();
    let (unanswered, open) = figures.add_ledger(&paid, 0, "frozen");
    assert!(figures.harm.is_empty() && unanswered.is_empty() && open.is_empty(), "{figures:#?}");
    assert_eq!(rows::table(&paid.radar, "answers", &[]), answers);
    let (expected, found) = (undisturbed(engine), paid.left());
    assert_eq!(found.digest, expected.digest);
    let asked = |asked: &Asked| asked.values().sum::<i64>();
    assert_eq!(asked(&found.asked), asked(&expected.asked) + 5, "the call under way was made twice");
}

/// Who is asked to end lets the calls under way end, and knows what they cost.
fn an_interrupted_payer_settles_what_is_under_way(engine: Engine) {
    let paid = Paid::new(engine, CONCURRENCY, Duration::from_secs(1));
    let run = paid.start(&[]);
    paid.wait_for_calls(6);
    signal(&run, "INT");
    finish(run).exits(130);
    let requests = paid.api.calls().len();
    assert!(requests <= 6 + CONCURRENCY, "{requests}: no further call begins");
    let mut figures = Figures::default();
    let (unanswered, open) = figures.add_ledger(&paid, 0, "interrupted");
    assert!(figures.harm.is_empty() && unanswered.is_empty() && open.is_empty(), "{figures:#?}");

    paid.api.latency(Duration::ZERO);
    let last = finish(paid.start(&[]));
    figures.compare(&paid, 0, &last, "interrupted");
    figures.struck += 1;
    figures.close("interrupted while paying", engine);
}

fn a_paid_run_killed_at_any_moment_is_continued(engine: Engine) {
    let seed = seed();
    let mut random = Random(seed);
    let mut figures = Figures::default();
    let calls = undisturbed(engine).asked.len() / 3;
    for round in 0..rounds("AHA_PAID", 5) {
        let paid = Paid::new(engine, CONCURRENCY, Duration::from_millis(20));
        let kills = 1 + usize::try_from(random.below(2)).unwrap();
        let mut requests = 0;
        let mut struck = false;
        for _ in 0..kills {
            requests += 1 + usize::try_from(random.below(calls as u64)).unwrap();
            struck |= paid.kill_at(requests, Duration::from_millis(random.below(40)));
        }
        figures.struck += u32::from(struck);
        let last = finish(paid.start(&[]));
        let what = format!("{kills} kills, the last from request {requests} on, round {round}, AHA_TEST_SEED={seed}");
        figures.compare(&paid, kills, &last, &what);
    }
    figures.close("killed at a random moment of paying", engine);
}

on_both_databases!(
    a_call_killed_at_any_point_has_its_row,
    a_frozen_payer_settles_what_it_asked,
    an_interrupted_payer_settles_what_is_under_way,
    a_paid_run_killed_at_any_moment_is_continued
);
