//! The gateway over a transport that goes wrong in every way, on a real ledger: whatever happens, no reservation is
//! left behind, and counters, rows and the provider's own bill agree.

mod fake;

use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aha_core::clock::Clock;
use aha_core::digest::Evidence;
use aha_core::ids::ItemId;
use aha_core::time::Timestamp;
use aha_core::topic::BudgetTier;
use aha_llm::breaker::{BreakerPolicy, Breakers};
use aha_llm::error::CallError;
use aha_llm::prompt::Prompts;
use aha_llm::retry_policy::{RetryPolicy, STANDARD};
use aha_llm::transport::{Timeouts, Transport, WireRequest, WireStream};
use aha_llm::{CallScope, CallState, Gateway, GatewayParts, Outcome, Router, TaskItem};
use aha_radar::config::Config;
use aha_store::{CallFilter, CallRecord, Counter, OpenMode, OrphanedCalls, SharedStore};
use async_trait::async_trait;
use fake::{FATES, Fake};
use futures::StreamExt as _;

use crate::support::feeds::Random;
use aha_llm::tasks::triage;
use aha_llm::tasks::triage::TriageInput;

/// The machine's clock stands at the start of the 22nd of November 2026.
const NOW: i64 = 1_795_305_600_000;
const COUNTERS: [&str; 2] = ["day:2026-11-22", "month:2026-11"];
/// Micro-credits for a token in and out.
const PRICE: (i64, i64) = (1, 4);
const STORIES: usize = 3;

fn gateway(transport: Arc<Fake>, daily_credits: Option<&str>) -> Gateway {
    let mut settings = vec![
        ("OPENAI_API_KEY", "sk-test"),
        ("OPENAI_MODEL", "big"),
        ("OPENAI_TRIAGE_MODEL_LOW", "small"),
        ("OPENAI_CREDITS_PER_1K_INPUT_TOKENS", "0.001"),
        ("OPENAI_CREDITS_PER_1K_OUTPUT_TOKENS", "0.004"),
    ];
    settings.extend(daily_credits.map(|credits| ("AHA_BUDGET_DAILY_CREDITS", credits)));
    Gateway::new(gateway_parts(transport, &settings))
}

fn gateway_parts(transport: Arc<dyn Transport>, settings: &[(&str, &str)]) -> GatewayParts {
    let pairs = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let config = Config::from_pairs(pairs).unwrap();
    GatewayParts {
        dry_run: false,
        router: Router::configured(&config.llm),
        prompts: Arc::new(Prompts::load(None).unwrap()),
        transport,
        clock: Clock::pinned(Timestamp::from_millis(NOW)),
        budget: config.budget,
        language: String::new(),
        retry_override: Some(RetryPolicy { base: Duration::ZERO, ..STANDARD }),
        // The faults are drawn by lot: those of one server in a row mean nothing.
        breakers: Arc::new(Breakers::new(BreakerPolicy { failures: u32::MAX, ..BreakerPolicy::default() })),
        jitter: Arc::new(|| 0.0),
    }
}

/// Of a batch by itself, so that what it finds out about a model hinders no other.
fn scope() -> CallScope {
    CallScope {
        lease: None,
        run: None,
        pass: 1,
        attempt: 1,
        topic: None,
        share_percent: None,
        tier: BudgetTier::Normal,
        prompt_id: "triage_v1".to_owned(),
        rejudge: false,
        call_state: Arc::new(CallState::default()),
    }
}

fn ask(name: &str) -> TaskItem {
    let input = TriageInput {
        title: format!("Title of {name}"),
        body: format!("Body of {name}"),
        members: Vec::new(),
        provenance: vec!["feed".to_owned()],
        preference_summary: String::new(),
        interests: String::new(),
        categories: Vec::new(),
        continues: None,
        evidence: Evidence::default(),
    };
    TaskItem { fingerprint: name.to_owned(), members: vec![ItemId::of(&[name])], input: triage::input(input) }
}

async fn ask_for(gateway: &Gateway, store: &SharedStore, number: usize) -> Vec<Outcome> {
    let asks: Vec<TaskItem> = (0..STORIES).map(|story| ask(&format!("story {number}.{story}"))).collect();
    gateway.call(store, triage::TASK, &scope(), &asks).await.unwrap()
}

/// All that is left behind.
struct Left {
    rows: Vec<CallRecord>,
    counters: Vec<Counter>,
    outcomes: Vec<Outcome>,
    fake: Arc<Fake>,
}

impl Left {
    /// So many batches, 16 at a time.
    async fn by(batches: usize, daily_credits: Option<&str>, seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("aha-radar.db").display());
        let store = aha_store::open(&url, OpenMode::CreateIfMissing).await.unwrap();
        let fake = Arc::new(Fake::seeded(seed));
        let gateway = gateway(Arc::clone(&fake), daily_credits);
        let jobs = (0..batches).map(|number| ask_for(&gateway, &store, number));
        let outcomes: Vec<Vec<Outcome>> = futures::stream::iter(jobs).buffer_unordered(16).collect().await;
        let outcomes = outcomes.into_iter().flatten().collect();
        Self { outcomes, fake, ..Self::on(&store).await }
    }

    async fn on(store: &SharedStore) -> Self {
        let rows = store.calls(&CallFilter { limit: i64::MAX, ..CallFilter::default() }).await.unwrap();
        let counters = store.counters(&COUNTERS.map(str::to_owned)).await.unwrap();
        Self { rows, counters, outcomes: Vec::new(), fake: Arc::new(Fake::seeded(0)) }
    }

    fn spent(&self) -> i64 {
        self.rows.iter().map(|row| row.cost_microcredits.or(row.reserved_microcredits).unwrap()).sum()
    }

    #[track_caller]
    fn adds_up(&self) {
        let books = self.fake.0.lock().unwrap();
        assert_eq!(self.rows.len(), books.requests, "a row for each request, and the reverse");
        assert!(self.rows.iter().all(|row| row.state != aha_store::CallState::Reserved));
        for counter in &self.counters {
            assert_eq!(counter.reserved_microcredits, 0, "{counter:?}");
            assert_eq!(counter.settled_microcredits, self.spent(), "{counter:?}");
            assert_eq!(usize::try_from(counter.calls).unwrap(), self.rows.len(), "{counter:?}");
        }
        for row in &self.rows {
            let told = row.request_id.as_ref().and_then(|id| books.billed.get(id)).copied();
            match row.state {
                aha_store::CallState::Unsettled => assert_eq!((row.cost_microcredits, told), (None, None), "{row:?}"),
                _ => assert_eq!(row.cost_microcredits, Some(told.unwrap_or(0)), "{row:?}"),
            }
        }
        let settled: i64 = self.rows.iter().filter_map(|row| row.cost_microcredits).sum();
        assert_eq!(settled, books.billed.values().sum::<i64>(), "what is known is what was billed");
    }
}

/// Requests that `left` made, by what they came to.
fn report(left: &Left) -> String {
    let books = left.fake.0.lock().unwrap();
    let unsettled = left.rows.iter().filter(|row| row.state == aha_store::CallState::Unsettled).count();
    format!("{} requests, {unsettled} unsettled, {} micro-credits: {:?}", books.requests, left.spent(), books.fates)
}

async fn mixed_outcomes_leave_nothing_behind(batches: usize) -> Left {
    let left = Left::by(batches, None, 11).await;
    left.adds_up();
    let of = |wanted: fn(&Outcome) -> bool| left.outcomes.iter().filter(|outcome| wanted(outcome)).count();
    assert!(of(|outcome| matches!(outcome, Outcome::Answered { .. })) > left.outcomes.len() / 2);
    assert!(of(|outcome| matches!(outcome, Outcome::Failed { .. })) > 0);
    assert_eq!(of(|outcome| matches!(outcome, Outcome::Skipped { .. })), 0);
    left
}

#[tokio::test]
async fn every_outcome_is_settled_and_adds_up() {
    let left = mixed_outcomes_leave_nothing_behind(150).await;
    let errors: Vec<&str> = left.rows.iter().filter_map(|row| row.error.as_deref()).collect();
    for error in ["it cost more than was reserved for it", "the response reports no plausible token usage"] {
        assert!(errors.contains(&error), "{errors:?}");
    }
    let books = left.fake.0.lock().unwrap();
    assert!(books.requests >= 300, "{}", books.requests);
    assert!(FATES.iter().all(|fate| books.fates.contains_key(fate)), "{:?}", books.fates);
}

/// `cargo test --test it ten_thousand -- --ignored --nocapture`
#[tokio::test]
#[ignore = "takes a minute"]
async fn ten_thousand_outcomes_are_settled_and_add_up() {
    let left = mixed_outcomes_leave_nothing_behind(5_000).await;
    assert!(left.fake.0.lock().unwrap().requests >= 10_000, "{}", report(&left));
    writeln!(std::io::stdout(), "{}", report(&left)).unwrap();
}

/// What costs more than was reserved may pass a cap, and nothing else does.
#[tokio::test]
async fn a_cap_is_kept_whatever_goes_wrong() {
    let left = Left::by(150, Some("0.5"), 5).await;
    left.adds_up();
    let above: i64 = left
        .rows
        .iter()
        .map(|row| row.cost_microcredits.unwrap_or(0) - row.reserved_microcredits.unwrap())
        .filter(|more| *more > 0)
        .sum();
    assert!(left.spent() <= 500_000 + above, "{}", report(&left));
    assert!(left.spent() > 450_000, "{}", report(&left));
    let skipped = left.outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Skipped { .. })).count();
    assert!(skipped > 0, "{}", report(&left));
}

/// Calls that are dropped in the middle keep their reservations until they are settled as orphaned, and then they are
/// charged.
#[tokio::test]
async fn what_was_dropped_is_swept() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("aha-radar.db").display());
    let store = aha_store::open(&url, OpenMode::CreateIfMissing).await.unwrap();
    let gateway = gateway(Arc::new(Fake::seeded(3)), None);
    let mut random = Random(3);
    let far = Clock::system().wall() + Duration::from_hours(1);
    let is_swept = |left: &Left| {
        left.rows.iter().any(|row| row.error.as_deref().is_some_and(|error| error.contains("the process")))
    };
    let mut left = Left::on(&store).await;
    // Until some calls were dropped between the reservation and the answer: how long a call takes varies on a busy machine.
    for round in 1..=20 {
        let begun = Instant::now();
        for number in 0..6 {
            ask_for(&gateway, &store, 100 * round + number).await;
        }
        let longest = u64::try_from(begun.elapsed().as_micros()).unwrap() / 3;
        for number in 10..70 {
            let time_limit = Duration::from_micros(random.below(longest.max(12_000)));
            let _ = tokio::time::timeout(time_limit, ask_for(&gateway, &store, 100 * round + number)).await;
        }
        store.settle_orphaned_calls(OrphanedCalls::Expired(far)).await.unwrap();
        left = Left::on(&store).await;
        if is_swept(&left) {
            break;
        }
    }
    assert!(is_swept(&left));
    for counter in &left.counters {
        assert_eq!((counter.reserved_microcredits, counter.settled_microcredits), (0, left.spent()), "{counter:?}");
    }
}

/// What a user asks by hand has no run that its rows could be told apart by.
#[tokio::test]
async fn the_same_can_be_asked_again_while_the_clock_stands_still() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("aha-radar.db").display());
    let store = aha_store::open(&url, OpenMode::CreateIfMissing).await.unwrap();
    let fake = Arc::new(Fake::seeded(1));
    let gateway = gateway(Arc::clone(&fake), None);
    for _ in 0..10 {
        ask_for(&gateway, &store, 1).await;
        // As nobody asks twice within a millisecond.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    Left { fake, ..Left::on(&store).await }.adds_up();
}

/// A server that refuses every connection.
#[derive(Debug)]
struct Unreachable;

#[async_trait]
impl Transport for Unreachable {
    async fn open(&self, _: &WireRequest, _: Timeouts) -> Result<WireStream, CallError> {
        Err(CallError::Connect("connection refused".to_owned()))
    }
}

/// Calls a chain of a model at an unreachable server and `local` twice: the second call finds the server paused.
async fn outcomes_with_a_paused_server(falls_back: bool) -> Vec<Outcome> {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("aha-radar.db").display());
    let store = aha_store::open(&url, OpenMode::CreateIfMissing).await.unwrap();
    let mut parts = gateway_parts(
        Arc::new(Unreachable),
        &[("OPENAI_API_KEY", "sk-test"), ("OPENAI_MODEL", "big"), ("AHA_LLM_LOCAL_FALLBACK", "triage")],
    );
    parts.retry_override = Some(RetryPolicy { transient: 0, falls_back, ..STANDARD });
    parts.breakers = Arc::new(Breakers::new(BreakerPolicy { failures: 1, ..BreakerPolicy::default() }));
    let gateway = Gateway::new(parts);
    ask_for(&gateway, &store, 1).await;
    assert_eq!(gateway.open_circuits().len(), 1);
    ask_for(&gateway, &store, 2).await
}

#[tokio::test]
async fn a_paused_server_is_a_failure_where_the_policy_does_not_fall_back() {
    let outcomes = outcomes_with_a_paused_server(true).await;
    assert!(outcomes.iter().all(|outcome| matches!(outcome, Outcome::Answered { .. })), "{outcomes:?}");
    let outcomes = outcomes_with_a_paused_server(false).await;
    let is_paused = |outcome: &Outcome| matches!(outcome, Outcome::Failed { reason } if reason.contains("is paused"));
    assert!(outcomes.iter().all(is_paused), "{outcomes:?}");
}
