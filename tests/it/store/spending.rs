//! What the ledger tells: calls, sums, and the owner's decisions on pasted texts.

use aha_store::{CallFilter, NewCall, SpendBy, SpendRow, Store, SummaryDecision};

use super::ledger::{call, reserve, settle, settled};
use super::on_every_database;
use super::world::{World, at, id, item};

/// Six calls on two days: of two purposes, two models and two topics, and one by hand.
async fn spent(store: &dyn Store) -> World {
    let world = World::new(store).await;
    let other = World::named(store, "other").await;
    let new = |world: &World, name: &str, hour| NewCall { started_at: at(hour), ..call(world, name, 100, &[]) };
    for (name, hour, cost) in [("one", 1, Some(10)), ("two", 25, Some(20)), ("three", 26, None)] {
        reserve(store, &world, &new(&world, name, hour)).await;
        settle(store, &world, &settled(name, cost)).await;
    }
    let summary = NewCall { purpose: "deep_summary", model: "n".to_owned(), ..new(&other, "four", 27) };
    reserve(store, &other, &summary).await;
    settle(store, &other, &settled("four", Some(40))).await;
    let unpriced = NewCall { reserved_microcredits: None, stories: 7, ..new(&other, "five", 28) };
    reserve(store, &other, &unpriced).await;
    let by_hand = NewCall { run: None, topic: None, ..new(&world, "six", 29) };
    store.reserve_call(None, &by_hand).await.unwrap();
    world
}

async fn sums(store: &dyn Store, by: SpendBy, hour: i64) -> Vec<(String, i64, i64)> {
    let rows: Vec<SpendRow> = store.spend(by, at(hour)).await.unwrap();
    rows.into_iter().map(|row| (row.key, row.calls, row.microcredits)).collect()
}

async fn spending_is_told_by_day_purpose_model_and_topic(store: &dyn Store) {
    spent(store).await;
    let named = |rows: &[(&str, i64, i64)]| -> Vec<(String, i64, i64)> {
        rows.iter().map(|(key, calls, sum)| ((*key).to_owned(), *calls, *sum)).collect()
    };
    let first = (at(0).as_millis() / 86_400_000).to_string();
    let second = (at(24).as_millis() / 86_400_000).to_string();
    assert_eq!(sums(store, SpendBy::Day, 0).await, named(&[(&first, 1, 10), (&second, 5, 260)]));
    assert_eq!(sums(store, SpendBy::Day, 26).await, named(&[(&second, 4, 240)]));
    assert_eq!(sums(store, SpendBy::Purpose, 0).await, named(&[("deep_summary", 1, 40), ("triage", 5, 230)]));
    assert_eq!(sums(store, SpendBy::Model, 0).await, named(&[("openai/m", 5, 230), ("openai/n", 1, 40)]));
    let topics = named(&[("(none)", 1, 100), ("default", 3, 130), ("other", 2, 40)]);
    assert_eq!(sums(store, SpendBy::Topic, 0).await, topics);
    assert!(sums(store, SpendBy::Topic, 30).await.is_empty());

    let rows = store.spend(SpendBy::Topic, at(0)).await.unwrap();
    let (default, other) = (&rows[1], &rows[2]);
    assert_eq!((default.unsettled, default.errors, default.unpriced), (1, 0, 0));
    assert_eq!((default.input_tokens, default.output_tokens, default.stories), (300, 30, 3));
    assert_eq!((other.unpriced, other.stories), (1, 8), "what has no price counts as a call all the same");
}

async fn calls_are_found_by_state_purpose_and_run_newest_first(store: &dyn Store) {
    let world = spent(store).await;
    let all = CallFilter { limit: 100, ..CallFilter::default() };
    let begun = async |filter: CallFilter| -> Vec<i64> {
        let calls = store.calls(&filter).await.unwrap();
        calls.iter().map(|call| (call.started_at.as_millis() - at(0).as_millis()) / 3_600_000).collect()
    };
    assert_eq!(begun(all.clone()).await, [29, 28, 27, 26, 25, 1]);
    assert_eq!(begun(CallFilter { limit: 2, ..all.clone() }).await, [29, 28]);
    assert_eq!(begun(CallFilter { state: Some("unsettled".to_owned()), ..all.clone() }).await, [26]);
    assert_eq!(begun(CallFilter { state: Some("reserved".to_owned()), ..all.clone() }).await, [29, 28]);
    assert_eq!(begun(CallFilter { purpose: Some("deep_summary".to_owned()), ..all.clone() }).await, [27]);
    assert_eq!(begun(CallFilter { run: Some(world.run), ..all.clone() }).await, [26, 25, 1]);
    let of_both = CallFilter { run: Some(world.run), state: Some("ok".to_owned()), ..all };
    assert_eq!(begun(of_both).await, [25, 1]);
}

async fn a_call_is_found_by_the_beginning_of_its_id(store: &dyn Store) {
    let world = spent(store).await;
    let whole = call(&world, "two", 100, &[]).id.to_string();
    for prefix in [&whole[..8], &whole] {
        let found = store.calls_by_id(prefix, 9).await.unwrap();
        assert_eq!(found.iter().map(|call| call.id.as_str()).collect::<Vec<_>>(), [whole.as_str()]);
    }
    assert_eq!(store.calls_by_id("", 4).await.unwrap().len(), 4);
    assert!(store.calls_by_id("gg", 9).await.unwrap().is_empty());
}

async fn calls_of_local_alone_are_not_paid(store: &dyn Store) {
    let world = World::new(store).await;
    let local = NewCall { provider: "local".to_owned(), ..call(&world, "one", 0, &[]) };
    reserve(store, &world, &local).await;
    assert!(!store.has_paid(at(0)).await.unwrap());
    let paid = NewCall { started_at: at(25), ..call(&world, "two", 100, &[]) };
    reserve(store, &world, &paid).await;
    assert!(store.has_paid(at(25)).await.unwrap());
    assert!(!store.has_paid(at(26)).await.unwrap());
}

async fn a_review_is_kept_and_can_be_changed(store: &dyn Store) {
    let world = World::new(store).await;
    world.with_items(store, &[item("a", 1)]).await;
    assert_eq!(store.summary_decision(id("a")).await.unwrap(), None);
    let by_hand = NewCall { run: None, ..call(&world, "one", 10, &[]) };
    store.reserve_call(None, &by_hand).await.unwrap();
    let promoted = SummaryDecision {
        item: id("a"),
        summary_json: Some(r#"{"one_liner":"x"}"#.to_owned()),
        call: Some(by_hand.id.to_string()),
        at: at(30),
    };
    let dropped = SummaryDecision { summary_json: None, call: None, at: at(31), ..promoted.clone() };
    for review in [promoted, dropped] {
        store.commit_summary_decision(&review).await.unwrap();
        assert_eq!(store.summary_decision(id("a")).await.unwrap().unwrap(), review);
    }
}

on_every_database!(
    spending_is_told_by_day_purpose_model_and_topic,
    calls_are_found_by_state_purpose_and_run_newest_first,
    a_call_is_found_by_the_beginning_of_its_id,
    calls_of_local_alone_are_not_paid,
    a_review_is_kept_and_can_be_changed,
);
