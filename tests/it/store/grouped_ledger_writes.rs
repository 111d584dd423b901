//! Calls that are reserved, and settled, in one transaction: as if one after the other.

use aha_core::ids::CallId;
use aha_core::topic::BudgetTier;
use aha_store::{
    AnswerKey, CounterLimit, LeasedSettlement, NewAnswer, NewCall, Reservation, Settlement, Store, StoreError,
};

use super::ledger::{DAY, MONTH, all_rows, call, counter, limit, reserve, settle, settled};
use super::on_every_database;
use super::world::{World, acquire, id};

async fn reserve_all(store: &dyn Store, world: &World, calls: &[NewCall]) -> Vec<Reservation> {
    store.reserve_calls(Some(&world.lease), calls).await.unwrap()
}

async fn figures(store: &dyn Store, name: &str) -> (i64, i64, i64) {
    let counter = counter(store, name).await;
    (counter.settled_microcredits, counter.reserved_microcredits, counter.calls)
}

fn leased(world: &World, settlement: Settlement) -> LeasedSettlement {
    LeasedSettlement { lease: Some(world.lease.clone()), settlement }
}

fn answer(text: &str) -> NewAnswer {
    NewAnswer {
        key: key(text),
        provider: "openai".to_owned(),
        model: "m".to_owned(),
        input_hash: "hash".to_owned(),
        answer_json: format!(r#"{{"reason":"{text}"}}"#),
        members: vec![id("a")],
    }
}

fn key(fingerprint: &str) -> AnswerKey {
    AnswerKey {
        task: "triage",
        tier: BudgetTier::Normal,
        prompt_id: "triage_v1".to_owned(),
        schema_version: "triage_v1",
        fingerprint: fingerprint.to_owned(),
    }
}

async fn what_fits_together_is_reserved_at_once(store: &dyn Store) {
    let world = World::new(store).await;
    let both = [limit(MONTH, None), limit(DAY, Some(60))];
    let only_month = [limit(MONTH, Some(1000))];
    let calls =
        [call(&world, "one", 10, &both), call(&world, "two", 20, &only_month), call(&world, "three", 30, &both)];
    assert_eq!(reserve_all(store, &world, &calls).await, vec![Reservation::Reserved; 3]);
    assert_eq!(figures(store, MONTH).await, (0, 60, 3));
    assert_eq!(figures(store, DAY).await, (0, 40, 2));
    assert_eq!(all_rows(store).await.len(), 3);
}

async fn of_what_does_not_fit_together_the_first_come_first(store: &dyn Store) {
    let world = World::new(store).await;
    let cap = [limit(DAY, Some(100))];
    let calls: Vec<NewCall> = [("one", 60), ("much", 101), ("two", 40), ("three", 10), ("four", 0)]
        .map(|(name, amount)| call(&world, name, amount, &cap))
        .into();
    let told = reserve_all(store, &world, &calls).await;
    assert!(matches!(told[..], [Reservation::Reserved, Reservation::Exhausted(_)]), "none passes: {told:?}");
    let told = reserve_all(store, &world, &calls[2..]).await;
    assert_eq!(told, [Reservation::Reserved, Reservation::Wait], "none passes one that waits");
    assert_eq!(figures(store, DAY).await, (0, 100, 2));
    settle(store, &world, &settled("one", Some(5))).await;
    assert_eq!(reserve_all(store, &world, &calls[3..]).await, vec![Reservation::Reserved; 2]);
    assert_eq!(figures(store, DAY).await, (5, 50, 4));
}

async fn what_costs_nothing_fits_though_more_than_the_cap_is_spent(store: &dyn Store) {
    let world = World::new(store).await;
    reserve(store, &world, &call(&world, "one", 60, &[limit(DAY, None)])).await;
    settle(store, &world, &settled("one", Some(60))).await;
    let cap = [limit(DAY, Some(40))];
    assert_eq!(reserve_all(store, &world, &[call(&world, "free", 0, &cap)]).await, [Reservation::Reserved]);
    let told = reserve_all(store, &world, &[call(&world, "paid", 1, &cap)]).await;
    assert!(matches!(told[..], [Reservation::Exhausted(_)]), "{told:?}");
    assert_eq!(figures(store, DAY).await, (60, 0, 2));
}

async fn of_two_caps_on_one_counter_each_call_keeps_its_own(store: &dyn Store) {
    let world = World::new(store).await;
    let most = |calls| [CounterLimit { max_calls: Some(calls), ..limit(DAY, Some(1000)) }];
    let calls =
        [call(&world, "one", 1, &most(3)), call(&world, "two", 1, &most(1)), call(&world, "three", 1, &most(3))];
    let told = reserve_all(store, &world, &calls).await;
    assert_eq!((told.len(), &told[0]), (2, &Reservation::Reserved));
    assert!(matches!(&told[1], Reservation::Exhausted(full) if full.cap_microcredits.is_none()), "{told:?}");
    assert_eq!(reserve_all(store, &world, &calls[2..]).await, [Reservation::Reserved]);
    assert_eq!(figures(store, DAY).await, (0, 2, 2));
}

async fn calls_of_a_lost_lease_are_refused_together(store: &dyn Store) {
    let world = World::new(store).await;
    store.release_lease(&world.lease).await.unwrap();
    acquire(store, &world.topic, "host/2").await;
    let calls = [call(&world, "one", 1, &[]), call(&world, "two", 1, &[limit(DAY, None)])];
    let refused = store.reserve_calls(Some(&world.lease), &calls).await;
    assert!(matches!(refused, Err(StoreError::LeaseLost { .. })), "{refused:?}");
    assert!(all_rows(store).await.is_empty());
    assert_eq!(figures(store, DAY).await, (0, 0, 0));
}

/// A row that cannot be written takes what was done before it with it, and is in nobody's way.
async fn a_reservation_that_fails_leaves_nothing_open(store: &dyn Store) {
    let world = World::new(store).await;
    let limits = [limit(DAY, Some(100))];
    reserve(store, &world, &call(&world, "one", 10, &limits)).await;
    for again in [vec!["two", "one"], vec!["one"]] {
        let calls: Vec<NewCall> = again.into_iter().map(|name| call(&world, name, 20, &limits)).collect();
        store.reserve_together(Some(&world.lease), &calls).await.unwrap_err();
        assert_eq!(figures(store, DAY).await, (0, 10, 1));
    }
    assert_eq!(reserve_all(store, &world, &[call(&world, "two", 20, &limits)]).await, [Reservation::Reserved]);
    settle(store, &world, &settled("two", Some(5))).await;
    assert_eq!(figures(store, DAY).await, (5, 10, 2));
}

async fn settled_together_each_costs_its_own(store: &dyn Store) {
    let world = World::new(store).await;
    let limits = [limit(DAY, None), limit(MONTH, None)];
    for name in ["one", "two", "three"] {
        reserve(store, &world, &call(&world, name, 100, &limits)).await;
    }
    let with_answer = Settlement { answers: vec![answer("one")], ..settled("one", Some(7)) };
    let all = [settled("three", Some(130)), settled("two", None), with_answer].map(|one| leased(&world, one));
    store.settle_calls(&all).await.unwrap();
    assert_eq!(figures(store, DAY).await, (7 + 100 + 130, 0, 3));
    assert_eq!(figures(store, MONTH).await, figures(store, DAY).await);
    let stored = store.answer(&key("one"), None).await.unwrap().unwrap();
    assert_eq!(stored.call_id, CallId::of(&["one"]).to_string());
    store.settle_calls(&all).await.unwrap();
    assert_eq!(figures(store, DAY).await, (237, 0, 3), "the second time changes nothing");
}

/// One that cannot be settled takes the others with it: whoever asked settles them one by one.
async fn settled_together_is_all_or_nothing(store: &dyn Store) {
    let world = World::new(store).await;
    reserve(store, &world, &call(&world, "one", 100, &[limit(DAY, None)])).await;
    let both = [settled("one", Some(7)), settled("never begun", Some(1))].map(|one| leased(&world, one));
    let refused = store.settle_calls(&both).await;
    assert!(matches!(refused, Err(StoreError::NotFound { .. })), "{refused:?}");
    assert_eq!(figures(store, DAY).await, (0, 100, 1));
    store.settle_calls(&both[..1]).await.unwrap();
    assert_eq!(figures(store, DAY).await, (7, 0, 1));
}

/// Under a lost lease an answer is stored only where there is none; beside it, one under a lease that holds replaces.
async fn of_settlements_together_each_goes_by_its_own_lease(store: &dyn Store) {
    let world = World::new(store).await;
    for name in ["first", "stale", "held"] {
        reserve(store, &world, &call(&world, name, 0, &[])).await;
    }
    let giving = |name: &str, about: &str| {
        let text = NewAnswer { answer_json: format!(r#"{{"reason":"{name}"}}"#), ..answer(about) };
        Settlement { answers: vec![text], ..settled(name, Some(0)) }
    };
    let first = Settlement { answers: vec![answer("x"), answer("y")], ..settled("first", Some(0)) };
    settle(store, &world, &first).await;
    store.release_lease(&world.lease).await.unwrap();
    let successor = acquire(store, &world.topic, "host/2").await;
    let held = LeasedSettlement { lease: Some(successor), settlement: giving("held", "y") };
    store.settle_calls(&[leased(&world, giving("stale", "x")), held]).await.unwrap();
    for (about, call) in [("x", "first"), ("y", "held")] {
        let stored = store.answer(&key(about), None).await.unwrap().unwrap();
        assert_eq!(stored.call_id, CallId::of(&[call]).to_string(), "{about}");
    }
}

on_every_database!(
    what_fits_together_is_reserved_at_once,
    of_what_does_not_fit_together_the_first_come_first,
    what_costs_nothing_fits_though_more_than_the_cap_is_spent,
    of_two_caps_on_one_counter_each_call_keeps_its_own,
    calls_of_a_lost_lease_are_refused_together,
    a_reservation_that_fails_leaves_nothing_open,
    settled_together_each_costs_its_own,
    settled_together_is_all_or_nothing,
    of_settlements_together_each_goes_by_its_own_lease,
);
