//! Many callers at the edge of one cap: it is never passed, and nobody waits for ever.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use aha_core::ids::CallId;
use aha_store::{CounterLimit, NewCall, OpenMode, Reservation, SharedStore};

use super::ledger::{DAY, MONTH, call, counter, limit, settled};
use super::world::{FreshPostgres, FreshSqlite, World};
use crate::support::feeds::Random;

/// Each of them wants 100, so that the cap holds a third of them.
const AMOUNT: i64 = 100;

/// What came of all callers.
#[derive(Debug, Default)]
struct Seen {
    admitted: AtomicI64,
    refused: AtomicI64,
    waited: AtomicI64,
    /// The most that stood on the day's counter at any look.
    most: AtomicI64,
}

/// Reserves, waits for others where it has to, and settles between nothing and all of it.
async fn spend(store: SharedStore, call: NewCall, settlement: aha_store::Settlement, seen: Arc<Seen>) {
    loop {
        match store.reserve_call(None, &call).await.unwrap() {
            Reservation::Reserved => break,
            Reservation::Exhausted(_) => {
                seen.refused.fetch_add(1, Ordering::SeqCst);
                return;
            }
            Reservation::Wait => {
                seen.waited.fetch_add(1, Ordering::SeqCst);
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        }
    }
    seen.admitted.fetch_add(1, Ordering::SeqCst);
    tokio::task::yield_now().await;
    store.settle_call(None, &settlement).await.unwrap();
}

/// Looks at the counter again and again.
async fn watch(store: SharedStore, seen: Arc<Seen>, done: Arc<AtomicBool>) -> u32 {
    let mut looks = 0;
    while !done.load(Ordering::SeqCst) {
        let counter = counter(&*store, DAY).await;
        seen.most.fetch_max(counter.settled_microcredits + counter.reserved_microcredits, Ordering::SeqCst);
        looks += 1;
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    looks
}

/// `stores` are as many processes on one database.
async fn the_cap_holds(stores: &[SharedStore], callers: usize) {
    let world = World::new(&*stores[0]).await;
    let cap = i64::try_from(callers).unwrap() * AMOUNT / 3 + 1;
    let limits: Vec<CounterLimit> = vec![
        limit(MONTH, Some(2 * cap)),
        limit(DAY, Some(cap)),
        limit(&format!("{DAY}:topic:{}", world.topic.id), Some(cap)),
    ];
    let (seen, done) = (Arc::new(Seen::default()), Arc::new(AtomicBool::new(false)));
    let watcher = tokio::spawn(watch(Arc::clone(&stores[0]), Arc::clone(&seen), Arc::clone(&done)));
    let mut random = Random(7);
    let mut callers_at_work = Vec::new();
    let mut costs = Vec::new();
    for number in 0..callers {
        let name = format!("call {number}");
        // As many as half of them cost all that was reserved; a few are never known.
        let cost = match random.below(10) {
            0 => None,
            1..=4 => Some(i64::try_from(random.below(100)).unwrap()),
            _ => Some(AMOUNT),
        };
        costs.push((CallId::of(&[&name]).to_string(), cost));
        let mut limits = limits.clone();
        // The order in which a caller names its counters is not that in which they are locked.
        limits.rotate_left(number % 3);
        let call = NewCall { run: None, ..call(&world, &name, AMOUNT, &limits) };
        let store = Arc::clone(&stores[number % stores.len()]);
        callers_at_work.push(tokio::spawn(spend(store, call, settled(&name, cost), Arc::clone(&seen))));
    }
    let all = futures::future::join_all(callers_at_work);
    let ended = tokio::time::timeout(std::time::Duration::from_mins(4), all).await;
    for caller in ended.unwrap_or_else(|_| panic!("the callers stand in each other's way: {seen:?}")) {
        caller.unwrap();
    }
    done.store(true, Ordering::SeqCst);
    assert!(watcher.await.unwrap() > 0);

    let rows = super::ledger::all_rows(&*stores[0]).await;
    let spent: i64 = rows.iter().map(|row| row.cost_microcredits.or(row.reserved_microcredits).unwrap()).sum();
    assert!(spent <= cap && seen.most.load(Ordering::SeqCst) <= cap, "{spent} of {cap}, {seen:?}");
    assert!(spent > cap - AMOUNT, "the cap is used: {spent} of {cap}");
    assert_eq!(i64::try_from(rows.len()).unwrap(), seen.admitted.load(Ordering::SeqCst));
    for row in &rows {
        let (_, cost) = costs.iter().find(|(id, _)| *id == row.id).unwrap();
        assert_eq!(row.cost_microcredits, *cost);
    }
    for name in limits.iter().map(|limit| limit.counter.as_str()) {
        let counter = counter(&*stores[0], name).await;
        assert_eq!((counter.settled_microcredits, counter.reserved_microcredits), (spent, 0), "{name}");
        assert_eq!(counter.calls, i64::try_from(rows.len()).unwrap());
    }
    let ended = seen.admitted.load(Ordering::SeqCst) + seen.refused.load(Ordering::SeqCst);
    assert_eq!(ended, i64::try_from(callers).unwrap());
}

async fn on_sqlite(callers: usize) {
    let database = FreshSqlite::new().await;
    let second = aha_store::open(&database.url, OpenMode::MustExist).await.unwrap();
    the_cap_holds(&[Arc::clone(&database.store), second], callers).await;
}

async fn on_postgres(callers: usize) {
    let database = FreshPostgres::new().await;
    let second = aha_store::open(&database.url, OpenMode::MustExist).await.unwrap();
    the_cap_holds(&[Arc::clone(&database.store), second], callers).await;
    database.remove().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_callers_keep_a_cap_on_sqlite() {
    on_sqlite(64).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_callers_keep_a_cap_on_postgres() {
    on_postgres(64).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_callers_keep_a_cap_on_sqlite() {
    on_sqlite(1000).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_callers_keep_a_cap_on_postgres() {
    on_postgres(1000).await;
}
