use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use aha_core::clock::Clock;
use aha_core::ids::CallId;
use aha_core::time::Timestamp;
use aha_store::{CallOutcome, CounterLimit, OpenMode, Settlement};
use futures::future::join_all;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::*;

struct Ledger {
    store: SharedStore,
    scope: CallScope,
    _folder: tempfile::TempDir,
}

async fn ledger() -> Ledger {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/ledger.db", folder.path().display());
    let scope = CallScope::for_attempt(1);
    Ledger { store: aha_store::open(&url, OpenMode::CreateIfMissing).await.unwrap(), scope, _folder: folder }
}

impl Ledger {
    async fn reserve(&self, number: usize, cap: i64) -> ReserveResult {
        let limit = CounterLimit { counter: "day".into(), cap_microcredits: Some(cap), max_calls: None };
        let now = Timestamp::from_millis(0);
        let call = NewCall {
            id: CallId::of(&[&number.to_string()]),
            run: None,
            topic: None,
            purpose: "triage",
            provider: "p".into(),
            model: "m".into(),
            prompt_id: "triage_v1".into(),
            attempt: 1,
            stories: 1,
            degraded_from: None,
            reserved_microcredits: Some(10),
            limits: vec![limit],
            started_at: now,
            expires_at: now,
        };
        let deadline = CallTimeout { clock: Clock::pinned(now), timeout: Duration::from_mins(1) };
        reserve(&self.store, &self.scope, deadline, &call).await
    }

    async fn settle(&self, number: usize, cost: i64) -> Result<(), StoreError> {
        let settlement = Settlement {
            call: CallId::of(&[&number.to_string()]),
            outcome: CallOutcome::Ok,
            error: None,
            input_tokens: None,
            cached_input_tokens: None,
            output_tokens: None,
            reasoning_tokens: None,
            cost_microcredits: Some(cost),
            latency_ms: 1,
            request_id: None,
            finished_at: Timestamp::from_millis(1),
            answers: Vec::new(),
            vectors: None,
        };
        queue_settlement(&self.store, &self.scope.call_state, LeasedSettlement { lease: None, settlement }).await
    }

    async fn spent(&self) -> (i64, i64) {
        let day = self.store.counters(&["day".to_owned()]).await.unwrap().remove(0);
        (day.settled_microcredits, day.reserved_microcredits)
    }
}

#[tokio::test]
async fn calls_that_wait_are_reserved_in_the_order_in_which_they_came() {
    let ledger = ledger().await;
    let reserved = Mutex::new(Vec::new());
    let callers = (0..12).map(|number| {
        let (ledger, reserved) = (&ledger, &reserved);
        async move {
            assert_eq!(ledger.reserve(number, 30).await.unwrap(), Ok(()));
            reserved.lock().unwrap().push(number);
            ledger.settle(number, 0).await.unwrap();
        }
    });
    join_all(callers).await;
    assert_eq!(*reserved.lock().unwrap(), (0..12).collect::<Vec<_>>());
    assert_eq!(ledger.spent().await, (0, 0));
}

#[tokio::test]
async fn dropped_caller_reserves_nothing() {
    let ledger = ledger().await;
    assert_eq!(ledger.reserve(0, 10).await.unwrap(), Ok(()));
    let gone = ledger.reserve(1, 10);
    assert!(tokio::time::timeout(Duration::from_millis(120), gone).await.is_err(), "it has to wait");
    let (next, settled) = tokio::join!(ledger.reserve(2, 20), ledger.settle(0, 10));
    settled.unwrap();
    assert_eq!(next.unwrap(), Ok(()));
    assert_eq!(ledger.spent().await, (10, 10));
}

#[tokio::test]
async fn closing_the_call_state_refuses_waiting_calls() {
    let ledger = ledger().await;
    assert_eq!(ledger.reserve(0, 10).await.unwrap(), Ok(()));
    let closing = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        ledger.scope.call_state.close();
    };
    let (waiting, ()) = tokio::join!(ledger.reserve(1, 10), closing);
    assert_eq!(waiting.unwrap(), Err(NotSent::Interrupted));
    assert_eq!(ledger.spent().await, (0, 10));
}

#[tokio::test]
async fn write_error_reaches_only_its_caller() {
    let ledger = ledger().await;
    let twice = join_all([ledger.reserve(0, 100), ledger.reserve(1, 100), ledger.reserve(1, 100)]).await;
    assert!(matches!(twice[..2], [Ok(Ok(())), Ok(Ok(()))]), "{twice:?}");
    assert!(twice[2].is_err(), "there is such a row: {twice:?}");
    let settled = join_all([ledger.settle(0, 7), ledger.settle(9, 7), ledger.settle(1, 3)]).await;
    assert!(matches!(settled[..], [Ok(()), Err(StoreError::NotFound { .. }), Ok(())]), "{settled:?}");
    assert_eq!(ledger.spent().await, (10, 0));
}

/// Counts the spans of the tries to reserve, for the whole process: of a subscriber of one test, the others that run at
/// the same time can leave a span disabled. Each test has a thread of its own.
struct Tries;

static TRIES: LazyLock<Mutex<HashMap<ThreadId, usize>>> = LazyLock::new(Mutex::default);

impl Tries {
    fn of_this_thread() -> usize {
        TRIES.lock().unwrap().get(&thread::current().id()).copied().unwrap_or_default()
    }
}

impl Subscriber for Tries {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        if span.metadata().name() == "reserve_together" {
            *TRIES.lock().unwrap().entry(thread::current().id()).or_default() += 1;
        }
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn waiting_reservation_is_tried_rarely_and_at_once_after_a_settlement() {
    tracing::subscriber::set_global_default(Tries).unwrap();
    let ledger = ledger().await;
    assert_eq!(ledger.reserve(0, 10).await.unwrap(), Ok(()));
    let settling = async {
        tokio::time::sleep(Duration::from_millis(1_700)).await;
        let tries = Tries::of_this_thread();
        assert!((2..=8).contains(&tries), "{tries} tries");
        ledger.settle(0, 0).await.unwrap();
        Instant::now()
    };
    let waiting = async { (ledger.reserve(1, 10).await, Instant::now()) };
    let (settled_at, (reserved, reserved_at)) = tokio::join!(settling, waiting);
    assert_eq!(reserved.unwrap(), Ok(()));
    let later = reserved_at.saturating_duration_since(settled_at);
    assert!(later < Duration::from_millis(500), "it was reserved {later:?} after the settlement");
}
