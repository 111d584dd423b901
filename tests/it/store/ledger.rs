use std::collections::BTreeMap;

use aha_core::ids::{CallId, ItemId};
use aha_core::topic::BudgetTier;
use aha_store::{
    Adjustment, AnswerKey, CallFilter, CallOutcome, CallRecord, Counter, CounterLimit, Exhausted, Lease, NewAnswer,
    NewCall, NewEmbedding, NewVectors, OrphanedCalls, Reservation, Settlement, Store, StoreError,
};

use super::on_every_database;
use super::world::{SPACE, World, acquire, at, embedding, id, item, window};

pub(super) const DAY: &str = "day:2026-11-17";
pub(super) const MONTH: &str = "month:2026-11";

pub(super) fn limit(counter: &str, cap: Option<i64>) -> CounterLimit {
    CounterLimit { counter: counter.to_owned(), cap_microcredits: cap, max_calls: None }
}

/// A paid call of the world's run.
pub(super) fn call(world: &World, name: &str, reserved: i64, limits: &[CounterLimit]) -> NewCall {
    NewCall {
        provider: "openai".to_owned(),
        model: "m".to_owned(),
        limits: limits.to_vec(),
        ..super::answers::call(world, name, Some(reserved))
    }
}

/// How that call ended: well, unless its cost is unknown.
pub(super) fn settled(name: &str, cost: Option<i64>) -> Settlement {
    Settlement {
        call: CallId::of(&[name]),
        outcome: if cost.is_some() { CallOutcome::Ok } else { CallOutcome::Unsettled },
        error: None,
        input_tokens: Some(100),
        cached_input_tokens: None,
        output_tokens: Some(10),
        reasoning_tokens: None,
        cost_microcredits: cost,
        latency_ms: 12,
        request_id: Some(format!("resp_{name}")),
        finished_at: at(25),
        answers: Vec::new(),
        vectors: None,
    }
}

fn failed(name: &str, cost: i64) -> Settlement {
    let error = Some(("rate_limited".to_owned(), "429".to_owned()));
    Settlement { outcome: CallOutcome::Error, error, ..settled(name, Some(cost)) }
}

fn key(tier: BudgetTier) -> AnswerKey {
    AnswerKey {
        task: "triage",
        tier,
        prompt_id: "triage_v1".to_owned(),
        schema_version: "triage_v1",
        fingerprint: "story:0".to_owned(),
    }
}

fn answer(tier: BudgetTier, text: &str) -> NewAnswer {
    NewAnswer {
        key: key(tier),
        provider: "openai".to_owned(),
        model: "m".to_owned(),
        input_hash: "hash".to_owned(),
        answer_json: format!(r#"{{"reason":"{text}"}}"#),
        members: vec![ItemId::of(&["a"])],
    }
}

pub(super) async fn counter(store: &dyn Store, name: &str) -> Counter {
    store.counters(&[name.to_owned()]).await.unwrap().remove(0)
}

/// Settled, reserved and calls.
async fn figures(store: &dyn Store, name: &str) -> (i64, i64, i64) {
    let counter = counter(store, name).await;
    (counter.settled_microcredits, counter.reserved_microcredits, counter.calls)
}

pub(super) async fn reserve(store: &dyn Store, world: &World, call: &NewCall) -> Reservation {
    store.reserve_call(Some(&world.lease), call).await.unwrap()
}

pub(super) async fn settle(store: &dyn Store, world: &World, settlement: &Settlement) {
    store.settle_call(Some(&world.lease), settlement).await.unwrap();
}

pub(super) async fn all_rows(store: &dyn Store) -> Vec<CallRecord> {
    store.calls(&CallFilter { limit: i64::MAX, ..CallFilter::default() }).await.unwrap()
}

async fn rows(store: &dyn Store) -> BTreeMap<String, CallRecord> {
    all_rows(store).await.into_iter().map(|call| (call.id.clone(), call)).collect()
}

async fn row(store: &dyn Store, name: &str) -> CallRecord {
    rows(store).await.remove(&CallId::of(&[name]).to_string()).unwrap()
}

fn exhausted(counter: &str, cap_microcredits: Option<i64>) -> Reservation {
    Reservation::Exhausted(Exhausted { counter: counter.to_owned(), cap_microcredits })
}

/// Lets another process take the topic over. Its lease.
async fn succeed(store: &dyn Store, world: &World) -> Lease {
    store.release_lease(&world.lease).await.unwrap();
    acquire(store, &world.topic, "host/2").await
}

async fn a_reservation_raises_all_counters_or_none(store: &dyn Store) {
    let world = World::new(store).await;
    let both = [limit(MONTH, Some(1000)), limit(DAY, Some(100))];
    assert_eq!(reserve(store, &world, &call(&world, "one", 60, &both)).await, Reservation::Reserved);
    assert_eq!(reserve(store, &world, &call(&world, "two", 60, &both)).await, Reservation::Wait);
    let other = [limit(DAY, Some(1000)), limit(MONTH, Some(100))];
    assert_eq!(reserve(store, &world, &call(&world, "three", 60, &other)).await, Reservation::Wait, "the last is full");
    for name in [DAY, MONTH] {
        assert_eq!(figures(store, name).await, (0, 60, 1), "{name}");
    }
    assert_eq!(rows(store).await.len(), 1, "what was refused has no row");
    assert_eq!(row(store, "one").await.state, "reserved");
}

async fn a_cap_is_exact_to_the_micro_credit(store: &dyn Store) {
    let world = World::new(store).await;
    let cap = [limit(DAY, Some(100))];
    assert_eq!(reserve(store, &world, &call(&world, "more", 101, &cap)).await, exhausted(DAY, Some(100)));
    assert_eq!(figures(store, DAY).await, (0, 0, 0));
    assert_eq!(reserve(store, &world, &call(&world, "one", 99, &cap)).await, Reservation::Reserved);
    settle(store, &world, &settled("one", Some(99))).await;
    assert_eq!(reserve(store, &world, &call(&world, "two", 2, &cap)).await, exhausted(DAY, Some(100)));
    assert_eq!(reserve(store, &world, &call(&world, "three", 1, &cap)).await, Reservation::Reserved);
    assert_eq!(reserve(store, &world, &call(&world, "free", 0, &cap)).await, Reservation::Reserved);
    assert_eq!(figures(store, DAY).await, (99, 1, 3));
    let nothing = [limit(MONTH, Some(0))];
    assert_eq!(reserve(store, &world, &call(&world, "four", 1, &nothing)).await, exhausted(MONTH, Some(0)));
}

/// What is only reserved may still come free, what is settled does not.
async fn what_is_under_way_is_waited_for_and_what_is_spent_is_not(store: &dyn Store) {
    let world = World::new(store).await;
    let cap = [limit(DAY, Some(100))];
    reserve(store, &world, &call(&world, "one", 80, &cap)).await;
    assert_eq!(reserve(store, &world, &call(&world, "two", 30, &cap)).await, Reservation::Wait);
    settle(store, &world, &settled("one", Some(70))).await;
    assert_eq!(reserve(store, &world, &call(&world, "two", 30, &cap)).await, Reservation::Reserved);
    assert_eq!(reserve(store, &world, &call(&world, "three", 31, &cap)).await, exhausted(DAY, Some(100)));
}

async fn the_number_of_calls_is_limited_too(store: &dyn Store) {
    let world = World::new(store).await;
    let counter = "run:x:1:triage";
    let most = |calls| [CounterLimit { max_calls: Some(calls), ..limit(counter, None) }, limit(DAY, Some(1000))];
    assert_eq!(reserve(store, &world, &call(&world, "none", 1, &most(0))).await, exhausted(counter, None));
    for name in ["one", "two"] {
        assert_eq!(reserve(store, &world, &call(&world, name, 1, &most(2))).await, Reservation::Reserved);
        settle(store, &world, &failed(name, 0)).await;
    }
    assert_eq!(reserve(store, &world, &call(&world, "three", 1, &most(2))).await, exhausted(counter, None));
    assert_eq!(figures(store, counter).await, (0, 0, 2), "a call that failed was a call");
    assert_eq!(figures(store, DAY).await, (0, 0, 2));
}

async fn settling_moves_what_was_reserved_to_what_it_cost(store: &dyn Store) {
    let world = World::new(store).await;
    let limits = [limit(DAY, Some(1000)), limit(MONTH, None)];
    for (name, cost, settled_by_then) in
        [("below", Some(30), 30), ("exact", Some(100), 130), ("above", Some(170), 300), ("unknown", None, 400)]
    {
        reserve(store, &world, &call(&world, name, 100, &limits)).await;
        settle(store, &world, &settled(name, cost)).await;
        for counter in [DAY, MONTH] {
            assert_eq!(figures(store, counter).await.0, settled_by_then, "{name}");
            assert_eq!(figures(store, counter).await.1, 0, "{name}");
        }
        assert_eq!(row(store, name).await.cost_microcredits, cost);
    }
    reserve(store, &world, &call(&world, "refused", 100, &limits)).await;
    settle(store, &world, &failed("refused", 0)).await;
    assert_eq!(figures(store, DAY).await, (400, 0, 5), "what was not billed is free again");
    let unknown = row(store, "unknown").await;
    assert_eq!((unknown.state.as_str(), unknown.reserved_microcredits), ("unsettled", Some(100)));
    let refused = row(store, "refused").await;
    assert_eq!((refused.state.as_str(), refused.error_kind.as_deref()), ("error", Some("rate_limited")));
    assert_eq!(refused.request_id.as_deref(), Some("resp_refused"));
}

/// The same settlement again is one whose commit nobody confirmed; any other is a mistake.
async fn a_call_is_settled_once(store: &dyn Store) {
    let world = World::new(store).await;
    let limits = [limit(DAY, Some(1000))];
    for (name, first) in [("ok", settled("ok", Some(70))), ("lost", settled("lost", None)), ("bad", failed("bad", 0))] {
        reserve(store, &world, &call(&world, name, 100, &limits)).await;
        settle(store, &world, &first).await;
        let before = figures(store, DAY).await;
        settle(store, &world, &first).await;
        assert_eq!(figures(store, DAY).await, before, "{name}: again");
        let mut other = settled(name, Some(99));
        other.answers = vec![answer(BudgetTier::Normal, "twice")];
        let refused = store.settle_call(Some(&world.lease), &other).await;
        assert!(matches!(refused, Err(StoreError::Corrupt { .. })), "{name}: {refused:?}");
        assert_eq!(figures(store, DAY).await, before, "{name}: another");
        assert_eq!(row(store, name).await.cost_microcredits, first.cost_microcredits);
    }
    assert_eq!(store.answer(&key(BudgetTier::Normal), None).await.unwrap(), None);
}

async fn expired_reservations_end_unsettled_and_free_ones_as_errors(store: &dyn Store) {
    let world = World::new(store).await;
    let limits = [limit(DAY, Some(1000))];
    reserve(store, &world, &call(&world, "paid", 100, &limits)).await;
    reserve(store, &world, &call(&world, "free", 0, &limits)).await;
    let unpriced = NewCall { reserved_microcredits: None, ..call(&world, "unpriced", 0, &limits) };
    reserve(store, &world, &unpriced).await;
    reserve(store, &world, &NewCall { expires_at: at(27), ..call(&world, "later", 7, &limits) }).await;
    assert_eq!(
        store.settle_orphaned_calls(OrphanedCalls::Expired(at(26))).await.unwrap(),
        0,
        "the last moment is still its own"
    );
    let after = at(26) + std::time::Duration::from_millis(1);
    assert_eq!(store.settle_orphaned_calls(OrphanedCalls::Expired(after)).await.unwrap(), 3);
    assert_eq!(store.settle_orphaned_calls(OrphanedCalls::Expired(after)).await.unwrap(), 0);
    assert_eq!(figures(store, DAY).await, (100, 7, 4));
    let found = |row: CallRecord| (row.state, row.error_kind, row.cost_microcredits);
    let interrupted = Some("interrupted".to_owned());
    assert_eq!(found(row(store, "paid").await), ("unsettled".to_owned(), interrupted.clone(), None));
    assert_eq!(found(row(store, "free").await), ("error".to_owned(), interrupted.clone(), Some(0)));
    assert_eq!(found(row(store, "unpriced").await), ("unsettled".to_owned(), interrupted, None));
    assert_eq!(found(row(store, "later").await), ("reserved".to_owned(), None, None));
}

async fn a_successor_ends_what_earlier_holders_reserved(store: &dyn Store) {
    let world = World::new(store).await;
    let limits = [limit(DAY, Some(1000))];
    reserve(store, &world, &call(&world, "old", 100, &limits)).await;
    let by_hand = NewCall { run: None, ..call(&world, "by hand", 5, &limits) };
    store.reserve_call(None, &by_hand).await.unwrap();
    assert_eq!(
        store.settle_orphaned_calls(OrphanedCalls::Superseded(world.topic.id, world.lease.token)).await.unwrap(),
        0
    );
    let other = World::named(store, "other").await;
    reserve(store, &other, &call(&other, "of another topic", 9, &limits)).await;
    let successor = succeed(store, &world).await;
    store.reserve_call(Some(&successor), &call(&world, "new", 50, &limits)).await.unwrap();
    assert_eq!(
        store.settle_orphaned_calls(OrphanedCalls::Superseded(world.topic.id, successor.token)).await.unwrap(),
        1
    );
    assert_eq!(row(store, "old").await.state, "unsettled");
    for name in ["new", "by hand", "of another topic"] {
        assert_eq!(row(store, name).await.state, "reserved", "{name}");
    }
    assert_eq!(figures(store, DAY).await, (100, 64, 4));
}

/// Who was given up for lost and is there after all corrects the charge, and stores an answer only where none is yet.
async fn a_late_settlement_corrects_the_counters_and_replaces_no_answer(store: &dyn Store) {
    let world = World::new(store).await;
    let limits = [limit(DAY, Some(1000))];
    for name in ["late", "free", "later"] {
        let reserved = if name == "free" { 0 } else { 100 };
        reserve(store, &world, &call(&world, name, reserved, &limits)).await;
    }
    let successor = succeed(store, &world).await;
    assert_eq!(
        store.settle_orphaned_calls(OrphanedCalls::Superseded(world.topic.id, successor.token)).await.unwrap(),
        3
    );
    assert_eq!(figures(store, DAY).await, (200, 0, 3));

    let with =
        |settlement: Settlement, text: &str, tier| Settlement { answers: vec![answer(tier, text)], ..settlement };
    settle(store, &world, &with(settled("late", Some(30)), "late", BudgetTier::Normal)).await;
    settle(store, &world, &with(settled("free", Some(0)), "free", BudgetTier::High)).await;
    assert_eq!(figures(store, DAY).await, (130, 0, 3));
    assert_eq!(row(store, "late").await.state, "ok");
    assert_eq!(row(store, "free").await.state, "ok");
    let told = async |tier| store.answer(&key(tier), None).await.unwrap().unwrap().answer_json;
    assert_eq!(told(BudgetTier::Normal).await, r#"{"reason":"late"}"#, "there was none yet");
    assert_eq!(told(BudgetTier::High).await, r#"{"reason":"free"}"#);
    settle(store, &world, &with(settled("later", None), "later", BudgetTier::Normal)).await;
    assert_eq!(figures(store, DAY).await, (130, 0, 3), "what is unknown stays charged");
    assert_eq!(told(BudgetTier::Normal).await, r#"{"reason":"late"}"#, "a stale process replaces nothing");
}

async fn a_call_s_vectors_come_with_its_settlement(store: &dyn Store) {
    let world = World::new(store).await;
    world.with_items(store, &[item("a", 1), item("b", 2)]).await;
    let brought = |name: &str, keys: &[&str], bytes: &[u8]| {
        let one = |key: &&str| NewEmbedding { vector: bytes.to_vec(), ..embedding(key) };
        let embeddings = keys.iter().map(one).collect();
        let vectors = Some(NewVectors { space: SPACE.to_owned(), embeddings });
        Settlement { vectors, ..settled(name, Some(5)) }
    };
    let stored = async || {
        let found = store.vectors(world.topic.id, SPACE, window(0, 24)).await.unwrap();
        found.into_iter().collect::<BTreeMap<ItemId, Vec<u8>>>()
    };
    for name in ["one", "two", "late"] {
        reserve(store, &world, &call(&world, name, 10, &[])).await;
    }
    settle(store, &world, &brought("one", &["a"], &[1])).await;
    settle(store, &world, &brought("two", &["a"], &[2])).await;
    assert_eq!(stored().await, BTreeMap::from([(id("a"), vec![2])]));
    succeed(store, &world).await;
    settle(store, &world, &brought("late", &["a", "b"], &[3])).await;
    assert_eq!(
        stored().await,
        BTreeMap::from([(id("a"), vec![2]), (id("b"), vec![3])]),
        "a stale process replaces none"
    );
    let unknown = store.settle_call(Some(&world.lease), &brought("never", &["a"], &[4])).await;
    assert!(unknown.is_err());
    assert_eq!(stored().await[&id("a")], [2], "no vector without its row");
}

async fn a_lost_lease_reserves_nothing_but_still_settles(store: &dyn Store) {
    let world = World::new(store).await;
    let limits = [limit(DAY, Some(1000))];
    reserve(store, &world, &call(&world, "one", 100, &limits)).await;
    succeed(store, &world).await;
    let refused = store.reserve_call(Some(&world.lease), &call(&world, "two", 1, &limits)).await;
    assert!(matches!(refused, Err(StoreError::LeaseLost { .. })), "{refused:?}");
    settle(store, &world, &settled("one", Some(40))).await;
    assert_eq!(figures(store, DAY).await, (40, 0, 1));
}

async fn an_adjustment_corrects_row_and_counters_and_is_kept(store: &dyn Store) {
    let world = World::new(store).await;
    let limits = [limit(DAY, Some(1000)), limit(MONTH, None)];
    reserve(store, &world, &call(&world, "one", 100, &limits)).await;
    let to = |name: &str, to_microcredits| Adjustment {
        call: CallId::of(&[name]),
        to_microcredits,
        reason: "the provider's bill".to_owned(),
        at: at(30),
    };
    let open = store.adjust_call(&to("one", 5)).await;
    assert!(matches!(open, Err(StoreError::StillOpen { .. })), "{open:?}");
    let absent = store.adjust_call(&to("absent", 5)).await;
    assert!(matches!(absent, Err(StoreError::NotFound { .. })), "{absent:?}");
    assert_eq!(figures(store, DAY).await, (0, 100, 1));
    settle(store, &world, &settled("one", None)).await;
    for amount in [5, 250, 0] {
        store.adjust_call(&to("one", amount)).await.unwrap();
        for counter in [DAY, MONTH] {
            assert_eq!(figures(store, counter).await, (amount, 0, 1));
        }
        let row = row(store, "one").await;
        assert_eq!((row.state.as_str(), row.error_kind.as_deref()), ("error", Some("no_usage")));
        assert_eq!(row.cost_microcredits, Some(amount));
    }
    reserve(store, &world, &call(&world, "good", 100, &limits)).await;
    settle(store, &world, &settled("good", Some(60))).await;
    store.adjust_call(&to("good", 61)).await.unwrap();
    assert_eq!((row(store, "good").await.state.as_str(), figures(store, DAY).await), ("ok", (61, 0, 2)));
}

/// A call settled as orphaned, corrected by the owner, and settled at last by a process that woke up.
async fn the_truth_comes_after_an_adjustment(store: &dyn Store) {
    let world = World::new(store).await;
    let limits = [limit(DAY, Some(1000))];
    reserve(store, &world, &call(&world, "one", 100, &limits)).await;
    store.settle_orphaned_calls(OrphanedCalls::Expired(at(48))).await.unwrap();
    let adjustment =
        Adjustment { call: CallId::of(&["one"]), to_microcredits: 10, reason: "a guess".to_owned(), at: at(49) };
    store.adjust_call(&adjustment).await.unwrap();
    settle(store, &world, &settled("one", Some(33))).await;
    assert_eq!((row(store, "one").await.state.as_str(), figures(store, DAY).await), ("ok", (33, 0, 1)));
}

/// What was answered at a lower tier because the budget was nearly used up serves that run alone.
async fn a_lower_tiers_answer_serves_the_run_that_was_degraded(store: &dyn Store) {
    let world = World::new(store).await;
    let other = World::named(store, "other").await;
    let degraded = NewCall { degraded_from: Some(BudgetTier::Normal), ..call(&world, "one", 10, &[]) };
    reserve(store, &world, &degraded).await;
    let answered = Settlement { answers: vec![answer(BudgetTier::Low, "low")], ..settled("one", Some(5)) };
    settle(store, &world, &answered).await;
    let found = async |tier, run| store.answer(&key(tier), run).await.unwrap().map(|answer| answer.answer_json);
    let low = Some(r#"{"reason":"low"}"#.to_owned());
    assert_eq!(found(BudgetTier::Normal, Some(world.run)).await, low);
    assert_eq!(found(BudgetTier::Low, None).await, low);
    assert_eq!(found(BudgetTier::Normal, None).await, None);
    assert_eq!(found(BudgetTier::Normal, Some(other.run)).await, None);
    assert_eq!(found(BudgetTier::High, Some(world.run)).await, None, "it was not high that was asked for");
    reserve(store, &other, &call(&other, "two", 10, &[])).await;
    let normal = Settlement { answers: vec![answer(BudgetTier::Normal, "normal")], ..settled("two", Some(5)) };
    settle(store, &other, &normal).await;
    assert_eq!(found(BudgetTier::Normal, Some(world.run)).await.unwrap(), r#"{"reason":"normal"}"#, "the better one");
}

on_every_database!(
    a_reservation_raises_all_counters_or_none,
    a_cap_is_exact_to_the_micro_credit,
    what_is_under_way_is_waited_for_and_what_is_spent_is_not,
    the_number_of_calls_is_limited_too,
    settling_moves_what_was_reserved_to_what_it_cost,
    a_call_is_settled_once,
    expired_reservations_end_unsettled_and_free_ones_as_errors,
    a_successor_ends_what_earlier_holders_reserved,
    a_late_settlement_corrects_the_counters_and_replaces_no_answer,
    a_call_s_vectors_come_with_its_settlement,
    a_lost_lease_reserves_nothing_but_still_settles,
    an_adjustment_corrects_row_and_counters_and_is_kept,
    the_truth_comes_after_an_adjustment,
    a_lower_tiers_answer_serves_the_run_that_was_degraded,
);
