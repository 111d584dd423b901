use aha_core::topic::{BudgetTier, Rule, RuleAction, Topic};
use aha_store::{Store, StoreError, TopicReset};

use super::on_every_database;
use super::world::at;

async fn a_topic_is_made_once(store: &dyn Store) {
    assert_eq!(store.topic("default").await.unwrap(), None);
    let made = store.ensure_topic("default", at(0)).await.unwrap();
    let again = store.ensure_topic("default", at(5)).await.unwrap();
    assert_eq!(made, again);
    assert_eq!((made.depth, made.decay_hours, made.budget_tier), (50, 48.0, None));
    assert_eq!(store.topic("default").await.unwrap(), Some(made));
}

async fn topics_come_by_name(store: &dyn Store) {
    for name in ["zebra", "Äther", "ant", "Bee"] {
        store.ensure_topic(name, at(0)).await.unwrap();
    }
    let names: Vec<_> = store.topics().await.unwrap().into_iter().map(|topic| topic.name).collect();
    assert_eq!(names, ["Bee", "ant", "zebra", "Äther"]);
}

async fn settings_are_kept_and_the_rest_is_left_alone(store: &dyn Store) {
    let before = store.ensure_topic("default", at(0)).await.unwrap();
    let mut topic = before.clone();
    store.set_next_run(topic.id, Some(at(30))).await.unwrap();
    topic.schedule = Some("every 6h".to_owned());
    topic.timezone = Some("Asia/Tokyo".to_owned());
    topic.interests = "databases".into();
    topic.rules = vec![Rule::parse(RuleAction::Mute, "word:crypto").unwrap()];
    topic.budget_tier = Some(BudgetTier::High);
    topic.depth = 80;
    topic.decay_hours = 36.5;
    assert!(store.save_topic(&before, &topic, TopicReset::default()).await.unwrap());
    topic.next_run_at = Some(at(30));
    assert_eq!(store.topic("default").await.unwrap(), Some(topic.clone()));
    store.set_next_run(topic.id, None).await.unwrap();
    assert_eq!(store.topic("default").await.unwrap().unwrap().next_run_at, None);
}

/// Its id is made from its name.
async fn saving_settings_does_not_rename_a_topic(store: &dyn Store) {
    let before = store.ensure_topic("default", at(0)).await.unwrap();
    let renamed = Topic { name: "other".to_owned(), depth: 80, ..before.clone() };
    assert!(store.save_topic(&before, &renamed, TopicReset::default()).await.unwrap());
    assert_eq!(store.topic("default").await.unwrap(), Some(Topic { depth: 80, ..before }));
    assert_eq!(store.topic("other").await.unwrap(), None);
}

async fn settings_are_saved_with_what_they_reset(store: &dyn Store) {
    let before = store.ensure_topic("default", at(0)).await.unwrap();
    let mut topic = before.clone();
    store.set_next_run(topic.id, Some(at(30))).await.unwrap();
    topic.timezone = Some("Asia/Tokyo".to_owned());
    let reset = TopicReset { next_run: true, read_until: Some(at(12)) };
    assert!(store.save_topic(&before, &topic, reset).await.unwrap());
    let saved = store.topic("default").await.unwrap().unwrap();
    assert_eq!((saved.timezone.as_deref(), saved.next_run_at), (Some("Asia/Tokyo"), None));
    assert_eq!(saved.cursor_end, Some(at(12)));
}

async fn settings_that_another_changed_are_not_overwritten(store: &dyn Store) {
    let before = store.ensure_topic("default", at(0)).await.unwrap();
    let first = Topic { interests: "ferries".to_owned(), ..before.clone() };
    let second = Topic { depth: 80, ..before.clone() };
    assert!(store.save_topic(&before, &first, TopicReset::default()).await.unwrap());
    let reset = TopicReset { next_run: false, read_until: Some(at(12)) };
    assert!(!store.save_topic(&before, &second, reset).await.unwrap());
    assert_eq!(store.topic("default").await.unwrap(), Some(first.clone()));
    // What runs write is none of the settings.
    store.set_next_run(first.id, Some(at(30))).await.unwrap();
    assert!(store.save_topic(&first, &Topic { depth: 80, ..first.clone() }, reset).await.unwrap());
}

async fn a_topic_is_added_with_its_settings_unless_its_name_is_taken(store: &dyn Store) {
    let mut topic = Topic { interests: "ferries".to_owned(), depth: 80, ..Topic::new("harbour") };
    assert!(store.add_topic(&topic, at(0)).await.unwrap());
    assert_eq!(store.topic("harbour").await.unwrap(), Some(topic.clone()));
    let added = topic.clone();
    topic.interests = "trams".into();
    assert!(!store.add_topic(&topic, at(1)).await.unwrap());
    assert_eq!(store.topics().await.unwrap(), [added]);
}

async fn a_topic_that_is_not_there_is_named(store: &dyn Store) {
    let mut topic = store.ensure_topic("default", at(0)).await.unwrap();
    topic.id = aha_core::ids::TopicId::of(&["another"]);
    assert!(matches!(
        store.save_topic(&topic, &topic, TopicReset::default()).await,
        Err(StoreError::NotFound { what: "topic", .. })
    ));
    assert!(matches!(store.set_next_run(topic.id, None).await, Err(StoreError::NotFound { .. })));
}

on_every_database!(
    a_topic_is_made_once,
    topics_come_by_name,
    settings_are_kept_and_the_rest_is_left_alone,
    a_topic_that_is_not_there_is_named,
    saving_settings_does_not_rename_a_topic,
    settings_are_saved_with_what_they_reset,
    settings_that_another_changed_are_not_overwritten,
    a_topic_is_added_with_its_settings_unless_its_name_is_taken,
);
