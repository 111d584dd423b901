//! Calls whose end comes late: reserved by a process that is gone, settled after another took over, corrected by hand.

use std::collections::BTreeMap;

use aha_core::ids::{CallId, ItemId};
use aha_core::topic::BudgetTier;
use aha_store::{
    Adjustment, CallRecord, CallState, Lease, NewCall, NewEmbedding, NewVectors, OrphanedCalls, Settlement, Store,
    StoreError,
};

use super::ledger::{DAY, MONTH, answer, call, figures, key, limit, reserve, row, settle, settled};
use super::on_every_database;
use super::world::{SPACE, World, acquire, at, embedding, id, item, window};

/// Lets another process take the topic over. Its lease.
async fn succeed(store: &dyn Store, world: &World) -> Lease {
    store.release_lease(&world.lease).await.unwrap();
    acquire(store, &world.topic, "host/2").await
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
    assert_eq!(found(row(store, "paid").await), (CallState::Unsettled, interrupted.clone(), None));
    assert_eq!(found(row(store, "free").await), (CallState::Error, interrupted.clone(), Some(0)));
    assert_eq!(found(row(store, "unpriced").await), (CallState::Unsettled, interrupted, None));
    assert_eq!(found(row(store, "later").await), (CallState::Reserved, None, None));
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
    assert_eq!(row(store, "old").await.state, CallState::Unsettled);
    for name in ["new", "by hand", "of another topic"] {
        assert_eq!(row(store, name).await.state, CallState::Reserved, "{name}");
    }
    assert_eq!(figures(store, DAY).await, (100, 64, 4));
}

/// As listing calls does, which finds no owner just before a run begins.
async fn calls_of_a_run_that_begins_while_others_are_ended_stay_open(store: &dyn Store) {
    let world = World::new(store).await;
    let limits = [limit(DAY, Some(1000))];
    reserve(store, &world, &call(&world, "old", 100, &limits)).await;
    store.release_lease(&world.lease).await.unwrap();
    let (owner, token) = store.lease_owner(world.topic.id, at(24)).await.unwrap();
    assert_eq!(owner, None);
    let begun = acquire(store, &world.topic, "host/2").await;
    store.reserve_call(Some(&begun), &call(&world, "new", 50, &limits)).await.unwrap();
    let ended = store.settle_orphaned_calls(OrphanedCalls::Superseded(world.topic.id, token + 1)).await.unwrap();
    assert_eq!(ended, 1);
    assert_eq!(row(store, "old").await.state, CallState::Unsettled);
    assert_eq!(row(store, "new").await.state, CallState::Reserved);
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
    assert_eq!(row(store, "late").await.state, CallState::Ok);
    assert_eq!(row(store, "free").await.state, CallState::Ok);
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
        assert_eq!((row.state, row.error_kind.as_deref()), (CallState::Error, Some("no_usage")));
        assert_eq!(row.cost_microcredits, Some(amount));
    }
    reserve(store, &world, &call(&world, "good", 100, &limits)).await;
    settle(store, &world, &settled("good", Some(60))).await;
    store.adjust_call(&to("good", 61)).await.unwrap();
    assert_eq!((row(store, "good").await.state, figures(store, DAY).await), (CallState::Ok, (61, 0, 2)));
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
    assert_eq!((row(store, "one").await.state, figures(store, DAY).await), (CallState::Ok, (33, 0, 1)));
}

on_every_database!(
    expired_reservations_end_unsettled_and_free_ones_as_errors,
    a_successor_ends_what_earlier_holders_reserved,
    calls_of_a_run_that_begins_while_others_are_ended_stay_open,
    a_late_settlement_corrects_the_counters_and_replaces_no_answer,
    a_call_s_vectors_come_with_its_settlement,
    a_lost_lease_reserves_nothing_but_still_settles,
    an_adjustment_corrects_row_and_counters_and_is_kept,
    the_truth_comes_after_an_adjustment,
);
