use std::sync::Arc;

use aha_core::ids::UserId;
use aha_planner::record::Kind;
use aha_store::{ApplyOutcome, ApplyRequest, IdempotencyKey, Store, UndoOutcome, owner};
use serde_json::{Value, json};

use super::on_every_database;
use super::world::{FreshPostgres, FreshSqlite, at};

fn request(operations: &[Value], hour: i64) -> ApplyRequest {
    ApplyRequest { operations: operations.to_vec(), expected_version: None, key: None, now: at(hour) }
}

fn keyed(operations: &[Value], key: &str, request_hash: &str) -> ApplyRequest {
    let key = IdempotencyKey { key_sha256: key.to_owned(), request_sha256: request_hash.to_owned() };
    ApplyRequest { key: Some(key), ..request(operations, 1) }
}

async fn applied(store: &dyn Store, operations: &[Value]) -> Value {
    match store.apply_operations(owner(), &request(operations, 1)).await.unwrap() {
        ApplyOutcome::Applied { response, replayed: false } => serde_json::from_str(&response).unwrap(),
        other => panic!("{other:?}"),
    }
}

fn todo(title: &str) -> Value {
    json!({ "kind": "todo", "action": "create", "title": title, "notes": "a\nb\0", "recurrence": { "type": "none" } })
}

/// One of each kind: todo 1, event 2, habit 3, goal 4 with the todo and the event, goal 5 below it.
async fn one_of_each(store: &dyn Store) {
    let event = json!({ "kind": "event", "action": "create", "title": "日本 lunch", "scheduledFor": "2026-11-18", "startTime": "12:00",
                        "endTime": "13:00", "location": "Mensa", "priority": "high", "link": "https://a.example/x",
                        "recurrence": { "type": "every_n_days", "intervalDays": 3, "until": "2026-12-31" } });
    let habit = json!({ "kind": "habit", "action": "create", "title": "run", "scheduledFor": "2026-11-16", "recurrence": { "type": "daily" } });
    let goal = |title: &str| json!({ "kind": "goal", "action": "create", "title": title, "targetProgressValue": 0.1, "progressUnit": "km" });
    applied(store, &[todo("write"), event, habit, goal("fit"), goal("marathon")]).await;
    let add = json!({ "kind": "goal", "action": "add_items", "id": 4, "todos": [1], "events": [2] });
    let below = json!({ "kind": "goal", "action": "add_child", "id": 4, "childId": 5 });
    let done = json!({ "kind": "habit", "action": "complete_occurrence", "id": 3, "occurrenceDate": "2026-11-17" });
    applied(store, &[add, below, done]).await;
}

async fn records_read_back_as_they_were_written(store: &dyn Store) {
    assert_eq!(store.planner(owner()).await.unwrap().version, 0);
    one_of_each(store).await;
    let planner = store.planner(owner()).await.unwrap();
    assert_eq!(planner.version, 2);
    let event = planner.state.item(Kind::Event, 2).unwrap();
    assert_eq!(
        (event.title.as_str(), event.location.as_deref(), event.start_time.unwrap().to_string().as_str()),
        ("日本 lunch", Some("Mensa"), "12:00")
    );
    assert_eq!(event.recurrence.in_words(), "every 3 days until 2026-12-31");
    assert_eq!(planner.state.item(Kind::Todo, 1).unwrap().notes, "a\nb");
    assert_eq!(planner.state.item(Kind::Habit, 3).unwrap().completed_dates.len(), 1);
    let goal = planner.state.goal(4).unwrap();
    assert_eq!(
        (goal.todos.len(), goal.events.len(), goal.children.len(), goal.target_progress_value),
        (1, 1, 1, Some(0.1))
    );
    let audit = store.audit(owner(), 100).await.unwrap();
    assert_eq!(audit.len(), 8);
    assert_eq!((audit[0].action.as_str(), audit[0].record_id), ("complete_occurrence", 3));
}

async fn one_invalid_operation_rejects_the_batch(store: &dyn Store) {
    one_of_each(store).await;
    let before = store.planner(owner()).await.unwrap();
    let complete = json!({ "kind": "habit", "action": "complete", "id": 3 });
    let delete = json!({ "kind": "todo", "action": "delete", "id": 1 });
    for operations in [vec![todo("new"), complete], vec![delete.clone(), delete], vec![], vec![todo("x"); 21]] {
        let outcome = store.apply_operations(owner(), &request(&operations, 2)).await.unwrap();
        assert!(matches!(outcome, ApplyOutcome::Invalid(_)), "{outcome:?}");
    }
    assert_eq!(store.planner(owner()).await.unwrap(), before);
    let old = ApplyRequest { expected_version: Some(1), ..request(&[todo("x")], 2) };
    let outcome = store.apply_operations(owner(), &old).await.unwrap();
    assert!(matches!(outcome, ApplyOutcome::Changed { expected: 1, found: 2 }), "{outcome:?}");
    let now = ApplyRequest { expected_version: Some(2), ..request(&[todo("x")], 2) };
    assert!(matches!(store.apply_operations(owner(), &now).await.unwrap(), ApplyOutcome::Applied { .. }));
}

async fn undo_leaves_no_goal_that_refers_to_nothing_or_itself(store: &dyn Store) {
    one_of_each(store).await;
    let batch_of = |answer: &Value| answer["batchId"].as_str().unwrap().parse().unwrap();
    let created = batch_of(&applied(store, &[todo("new")]).await);
    applied(store, &[json!({ "kind": "goal", "action": "add_items", "id": 4, "todos": [6] })]).await;
    let freed = json!({ "kind": "goal", "action": "remove_child", "id": 4, "childId": 5 });
    let freed = batch_of(&applied(store, &[freed]).await);
    applied(store, &[json!({ "kind": "goal", "action": "add_child", "id": 5, "childId": 4 })]).await;
    let before = store.planner(owner()).await.unwrap();
    let refused = store.undo_operations(owner(), created, at(3)).await.unwrap();
    assert_eq!(refused, UndoOutcome::Changed(vec![(Kind::Goal, 4)]));
    let refused = store.undo_operations(owner(), freed, at(3)).await.unwrap();
    assert!(matches!(refused, UndoOutcome::Changed(_)), "{refused:?}");
    assert_eq!(store.planner(owner()).await.unwrap(), before);
}

async fn undo_restores_every_row(store: &dyn Store) {
    one_of_each(store).await;
    let before = store.planner(owner()).await.unwrap().state;
    let deletes: Vec<Value> = [("todo", 1), ("event", 2), ("habit", 3), ("goal", 5)]
        .map(|(kind, id)| json!({ "kind": kind, "action": "delete", "id": id }))
        .to_vec();
    let change = json!({ "kind": "goal", "action": "update", "id": 4, "status": "archived", "progressUnit": null });
    let answer = applied(store, &[deletes, vec![change, todo("new")]].concat()).await;
    assert_ne!(store.planner(owner()).await.unwrap().state, before);
    let batch = answer["batchId"].as_str().unwrap().parse().unwrap();
    let undone = store.undo_operations(owner(), batch, at(3)).await.unwrap();
    assert_eq!(undone, UndoOutcome::Undone { restored: 6, version: 4 });
    assert_eq!(store.planner(owner()).await.unwrap().state, before);
    assert_eq!(store.undo_operations(owner(), batch, at(4)).await.unwrap(), UndoOutcome::AlreadyUndone);
    let again = applied(store, &[todo("after")]).await;
    assert_eq!(again["results"][0]["id"], 7, "an id is given once");
    let batches = store.operation_batches(owner(), 10).await.unwrap();
    assert_eq!(batches.iter().map(|batch| batch.undone_at.is_some()).collect::<Vec<_>>(), [false, true, false, false]);
}

async fn what_was_changed_since_is_not_undone(store: &dyn Store) {
    let first = applied(store, &[todo("one")]).await;
    applied(store, &[json!({ "kind": "todo", "action": "complete", "id": 1 })]).await;
    let batch = first["batchId"].as_str().unwrap().parse().unwrap();
    assert_eq!(
        store.undo_operations(owner(), batch, at(3)).await.unwrap(),
        UndoOutcome::Changed(vec![(Kind::Todo, 1)])
    );
    let unknown = aha_core::ids::BatchId::of(&["nothing"]);
    assert_eq!(store.undo_operations(owner(), unknown, at(3)).await.unwrap(), UndoOutcome::NotFound);
    assert!(store.planner(UserId::of(&["somebody"])).await.unwrap().state.items().next().is_none());
}

async fn records_are_read_as_of_one_moment(store: &dyn Store) {
    applied(store, &[todo("0"), json!({ "kind": "goal", "action": "create", "title": "0" })]).await;
    let changes = async {
        for number in 1..=100 {
            let title = number.to_string();
            let todo = json!({ "kind": "todo", "action": "update", "id": 1, "title": title,
                               "recurrence": { "type": "none" } });
            let goal = json!({ "kind": "goal", "action": "update", "id": 2, "title": title });
            applied(store, &[todo, goal]).await;
        }
    };
    let reads = async {
        loop {
            let planner = store.planner(owner()).await.unwrap();
            let expected = (planner.version - 1).to_string();
            let todo = planner.state.item(Kind::Todo, 1).unwrap().title.clone();
            assert_eq!((todo, planner.state.goal(2).unwrap().title.clone()), (expected.clone(), expected.clone()));
            if expected == "100" {
                return;
            }
        }
    };
    tokio::join!(changes, reads);
}

async fn a_key_is_answered_once_for_a_day(store: &dyn Store) {
    let once = keyed(&[todo("one")], "k", "r");
    let ApplyOutcome::Applied { response, replayed: false } = store.apply_operations(owner(), &once).await.unwrap()
    else {
        panic!("it is new");
    };
    match store.apply_operations(owner(), &once).await.unwrap() {
        ApplyOutcome::Applied { response: again, replayed: true } => assert_eq!(again, response),
        other => panic!("{other:?}"),
    }
    let other = keyed(&[todo("two")], "k", "s");
    assert!(matches!(store.apply_operations(owner(), &other).await.unwrap(), ApplyOutcome::KeyReused));
    let later = ApplyRequest { now: at(26), ..once };
    let outcome = store.apply_operations(owner(), &later).await.unwrap();
    assert!(matches!(outcome, ApplyOutcome::Applied { replayed: false, .. }), "{outcome:?}");
    assert_eq!(store.planner(owner()).await.unwrap().state.items().count(), 2);
}

async fn what_changes_nothing_makes_no_batch(store: &dyn Store) {
    let complete = json!({ "kind": "todo", "action": "complete", "id": 1 });
    applied(store, &[todo("one")]).await;
    let done = applied(store, std::slice::from_ref(&complete)).await;
    let before = store.planner(owner()).await.unwrap();
    let again = applied(store, std::slice::from_ref(&complete)).await;
    assert_eq!((&again["batchId"], &again["version"]), (&Value::Null, &done["version"]));
    assert_eq!((&again["results"][0]["unchanged"], &again["summary"]["completed"]), (&json!(true), &json!(0)));
    assert_eq!(store.planner(owner()).await.unwrap(), before);
    assert_eq!(store.operation_batches(owner(), 10).await.unwrap().len(), 2);
    let audit = store.audit(owner(), 10).await.unwrap();
    let actions: Vec<_> = audit.iter().map(|row| (row.action.as_str(), row.batch.is_some())).collect();
    let create = audit[2].action.as_str();
    assert_eq!(actions, [(audit[1].action.as_str(), false), (audit[1].action.as_str(), true), (create, true)]);
    // The answer to a key stays the same when the record has changed since.
    let once = keyed(std::slice::from_ref(&complete), "k", "r");
    let ApplyOutcome::Applied { response, .. } = store.apply_operations(owner(), &once).await.unwrap() else {
        panic!("it is valid");
    };
    let answer: Value = serde_json::from_str(&response).unwrap();
    assert_eq!((&answer["batchId"], &answer["version"]), (&Value::Null, &done["version"]), "as without a key");
    assert_eq!(store.planner(owner()).await.unwrap(), before);
    assert_eq!(store.audit(owner(), 10).await.unwrap().len(), 4);
    applied(store, &[json!({ "kind": "todo", "action": "complete", "id": 1, "completed": false })]).await;
    let outcome = store.apply_operations(owner(), &once).await.unwrap();
    assert!(matches!(outcome, ApplyOutcome::Applied { replayed: true, .. }), "{outcome:?}");
    assert!(!store.planner(owner()).await.unwrap().state.item(Kind::Todo, 1).unwrap().completed);
}

on_every_database!(
    records_are_read_as_of_one_moment,
    what_changes_nothing_makes_no_batch,
    records_read_back_as_they_were_written,
    one_invalid_operation_rejects_the_batch,
    undo_leaves_no_goal_that_refers_to_nothing_or_itself,
    undo_restores_every_row,
    what_was_changed_since_is_not_undone,
    a_key_is_answered_once_for_a_day,
);

/// A hundred at once, by one key: one effect and one answer.
async fn identical_requests_have_one_effect(store: Arc<dyn Store>) {
    let requests = (0..100).map(|_| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            match store.apply_operations(owner(), &keyed(&[todo("one"), todo("two")], "k", "r")).await.unwrap() {
                ApplyOutcome::Applied { response, replayed } => (response, replayed),
                other => panic!("{other:?}"),
            }
        })
    });
    let requests: Vec<_> = requests.collect();
    let mut answers = Vec::new();
    for request in requests {
        answers.push(request.await.unwrap());
    }
    assert_eq!(answers.iter().filter(|(_, replayed)| !replayed).count(), 1);
    assert!(answers.iter().all(|(response, _)| *response == answers[0].0));
    let planner = store.planner(owner()).await.unwrap();
    assert_eq!((planner.version, planner.state.items().count()), (1, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn identical_requests_have_one_effect_on_sqlite() {
    let database = FreshSqlite::new().await;
    identical_requests_have_one_effect(Arc::clone(&database.store)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn identical_requests_have_one_effect_on_postgres() {
    let database = FreshPostgres::new().await;
    identical_requests_have_one_effect(Arc::clone(&database.store)).await;
    database.remove().await;
}
