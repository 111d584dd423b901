use std::collections::BTreeMap;

use aha_core::ids::{CallId, ItemId};
use aha_core::topic::BudgetTier;
use aha_store::{
    AnswerKey, CallFilter, CallOutcome, CallRecord, CallState, Counter, CounterLimit, Exhausted, NewAnswer, NewCall,
    Reservation, Settlement, Store, StoreError,
};

use super::on_every_database;
use super::world::{World, at};

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

async fn counters_come_in_the_order_of_their_names(store: &dyn Store) {
    let world = World::new(store).await;
    let charged = call(&world, "one", 10, &[limit(DAY, None), limit(MONTH, None)]);
    store.reserve_call(Some(&world.lease), &charged).await.unwrap();
    let names = [MONTH, "day:2026-11-18", DAY, MONTH].map(str::to_owned);
    let counters = store.counters(&names).await.unwrap();
    let found: Vec<_> =
        counters.iter().map(|counter| (counter.counter.as_str(), counter.reserved_microcredits)).collect();
    assert_eq!(found, [(MONTH, 10), ("day:2026-11-18", 0), (DAY, 10), (MONTH, 10)]);
    assert!(store.counters(&[]).await.unwrap().is_empty());
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

pub(super) fn key(tier: BudgetTier) -> AnswerKey {
    AnswerKey {
        task: "triage",
        tier,
        prompt_id: "triage_v1".to_owned(),
        schema_version: "triage_v1",
        fingerprint: "story:0".to_owned(),
    }
}

pub(super) fn answer(tier: BudgetTier, text: &str) -> NewAnswer {
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
pub(super) async fn figures(store: &dyn Store, name: &str) -> (i64, i64, i64) {
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

pub(super) async fn row(store: &dyn Store, name: &str) -> CallRecord {
    rows(store).await.remove(&CallId::of(&[name]).to_string()).unwrap()
}

/// `cap` with what is left of it, if it is the cap that was reached, and what the call needs.
fn exhausted(counter: &str, cap: Option<(i64, i64)>, needed_microcredits: i64) -> Reservation {
    let (cap_microcredits, left_microcredits) = (cap.map(|(cap, _)| cap), cap.map_or(0, |(_, left)| left));
    let counter = counter.to_owned();
    Reservation::Exhausted(Exhausted { counter, cap_microcredits, left_microcredits, needed_microcredits })
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
    assert_eq!(row(store, "one").await.state, CallState::Reserved);
}

async fn a_cap_is_exact_to_the_micro_credit(store: &dyn Store) {
    let world = World::new(store).await;
    let cap = [limit(DAY, Some(100))];
    let more = reserve(store, &world, &call(&world, "more", 101, &cap)).await;
    assert_eq!(more, exhausted(DAY, Some((100, 100)), 101));
    assert_eq!(figures(store, DAY).await, (0, 0, 0));
    assert_eq!(reserve(store, &world, &call(&world, "one", 99, &cap)).await, Reservation::Reserved);
    settle(store, &world, &settled("one", Some(99))).await;
    assert_eq!(reserve(store, &world, &call(&world, "two", 2, &cap)).await, exhausted(DAY, Some((100, 1)), 2));
    assert_eq!(reserve(store, &world, &call(&world, "three", 1, &cap)).await, Reservation::Reserved);
    assert_eq!(reserve(store, &world, &call(&world, "free", 0, &cap)).await, Reservation::Reserved);
    assert_eq!(figures(store, DAY).await, (99, 1, 3));
    let nothing = [limit(MONTH, Some(0))];
    let four = reserve(store, &world, &call(&world, "four", 1, &nothing)).await;
    assert_eq!(four, exhausted(MONTH, Some((0, 0)), 1));
}

/// What is only reserved may still come free, what is settled does not.
async fn what_is_under_way_is_waited_for_and_what_is_spent_is_not(store: &dyn Store) {
    let world = World::new(store).await;
    let cap = [limit(DAY, Some(100))];
    reserve(store, &world, &call(&world, "one", 80, &cap)).await;
    assert_eq!(reserve(store, &world, &call(&world, "two", 30, &cap)).await, Reservation::Wait);
    settle(store, &world, &settled("one", Some(70))).await;
    assert_eq!(reserve(store, &world, &call(&world, "two", 30, &cap)).await, Reservation::Reserved);
    let three = reserve(store, &world, &call(&world, "three", 31, &cap)).await;
    assert_eq!(three, exhausted(DAY, Some((100, 30)), 31));
}

async fn the_number_of_calls_is_limited_too(store: &dyn Store) {
    let world = World::new(store).await;
    let counter = "run:x:1:triage";
    let most = |calls| [CounterLimit { max_calls: Some(calls), ..limit(counter, None) }, limit(DAY, Some(1000))];
    assert_eq!(reserve(store, &world, &call(&world, "none", 1, &most(0))).await, exhausted(counter, None, 1));
    for name in ["one", "two"] {
        assert_eq!(reserve(store, &world, &call(&world, name, 1, &most(2))).await, Reservation::Reserved);
        settle(store, &world, &failed(name, 0)).await;
    }
    assert_eq!(reserve(store, &world, &call(&world, "three", 1, &most(2))).await, exhausted(counter, None, 1));
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
    assert_eq!((unknown.state, unknown.reserved_microcredits), (CallState::Unsettled, Some(100)));
    let refused = row(store, "refused").await;
    assert_eq!((refused.state, refused.error_kind.as_deref()), (CallState::Error, Some("rate_limited")));
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
    counters_come_in_the_order_of_their_names,
    a_cap_is_exact_to_the_micro_credit,
    what_is_under_way_is_waited_for_and_what_is_spent_is_not,
    the_number_of_calls_is_limited_too,
    settling_moves_what_was_reserved_to_what_it_cost,
    a_call_is_settled_once,
    a_lower_tiers_answer_serves_the_run_that_was_degraded,
);
