use aha_core::feedback::{FeedbackEvent, FeedbackKind};
use aha_store::{SavedProfile, Store};

use super::on_every_database;
use super::rows::rows;
use super::world::{World, at, id};

fn event(key: &str, kind: FeedbackKind, hour: i64) -> FeedbackEvent {
    FeedbackEvent {
        item_id: id(key),
        kind,
        title: format!("About {key}\0"),
        source: "A".to_owned(),
        author: (hour > 1).then(|| "Ada".to_owned()),
        terms: vec!["日本".to_owned(), key.to_owned()],
        given_at: at(hour),
    }
}

fn stored(event: &FeedbackEvent) -> FeedbackEvent {
    FeedbackEvent { title: event.title.replace('\0', ""), ..event.clone() }
}

async fn what_is_said_counts_once_and_reads_back_in_order(store: &dyn Store) {
    let world = World::new(store).await;
    let topic = world.topic.id;
    let (second, first) = (event("b", FeedbackKind::Save, 2), event("a", FeedbackKind::Like, 1));
    assert!(store.give_feedback(topic, &second).await.unwrap());
    assert!(store.give_feedback(topic, &first).await.unwrap());
    assert!(!store.give_feedback(topic, &event("a", FeedbackKind::Like, 9)).await.unwrap());
    assert_eq!(store.feedback(topic, 10).await.unwrap(), [stored(&first), stored(&second)]);
    assert_eq!(store.feedback(topic, 1).await.unwrap(), [stored(&second)]);
}

async fn opposites_exclude_each_other_and_topics_do_not_meet(store: &dyn Store) {
    let (world, other) = (World::new(store).await, World::named(store, "other").await);
    for (world, kind) in [(&world, FeedbackKind::Like), (&other, FeedbackKind::Like), (&world, FeedbackKind::Dislike)] {
        assert!(store.give_feedback(world.topic.id, &event("a", kind, 1)).await.unwrap());
    }
    let kinds = async |world: &World| -> Vec<FeedbackKind> {
        store.feedback(world.topic.id, 10).await.unwrap().iter().map(|event| event.kind).collect()
    };
    assert_eq!(kinds(&world).await, [FeedbackKind::Dislike]);
    assert_eq!(kinds(&other).await, [FeedbackKind::Like]);
    let back = async |kind| store.take_feedback_back(world.topic.id, id("a"), kind).await.unwrap();
    assert!(!back(FeedbackKind::Like).await);
    assert!(back(FeedbackKind::Dislike).await);
    assert_eq!(kinds(&world).await, []);
}

async fn what_was_read_takes_nothing_back(store: &dyn Store) {
    let world = World::new(store).await;
    let topic = world.topic.id;
    // Others take their opposite back; what was read takes none back, and is taken back by none.
    let steps = [
        (FeedbackKind::Skip, &[FeedbackKind::Skip][..]),
        (FeedbackKind::Read, &[FeedbackKind::Skip, FeedbackKind::Read]),
        (FeedbackKind::Save, &[FeedbackKind::Save, FeedbackKind::Read]),
        (FeedbackKind::Dislike, &[FeedbackKind::Dislike, FeedbackKind::Save, FeedbackKind::Read]),
    ];
    for (kind, left) in steps {
        assert!(store.give_feedback(topic, &event("a", kind, 1)).await.unwrap());
        let mut kinds: Vec<FeedbackKind> = store.feedback(topic, 10).await.unwrap().iter().map(|e| e.kind).collect();
        kinds.sort_unstable();
        assert_eq!(kinds, left, "{kind:?}");
    }
}

async fn a_profile_takes_the_place_of_the_one_before(store: &dyn Store, url: &str) {
    let (world, other) = (World::new(store).await, World::named(store, "other").await);
    let profile = |events, summary: &str| SavedProfile {
        profile_json: format!("{{\"events\":{events}}}"),
        summary: summary.to_owned(),
        events,
        computed_at: at(3),
    };
    store.save_profile(other.topic.id, &profile(7, "liked: trams")).await.unwrap();
    for events in [1, 2] {
        store.save_profile(world.topic.id, &profile(events, &format!("liked: {events} ferries"))).await.unwrap();
    }
    let saved =
        "SELECT CAST(events AS TEXT) || ' ' || summary || ' ' || profile_json || ' ' || CAST(computed_at AS TEXT)
        FROM topic_preference_profiles ORDER BY events";
    let expected = [(2, "liked: 2 ferries"), (7, "liked: trams")]
        .map(|(events, summary)| format!("{events} {summary} {{\"events\":{events}}} {}", at(3).as_millis()));
    assert_eq!(rows(url, saved).await, expected);
}

async fn what_is_unlearnt_stays_so_until_it_is_taken_back(store: &dyn Store) {
    let (world, other) = (World::new(store).await, World::named(store, "other").await);
    let topic = world.topic.id;
    assert!(store.unlearn(topic, "the wire", at(1)).await.unwrap());
    assert!(store.unlearn(topic, "ferry", at(2)).await.unwrap());
    assert!(!store.unlearn(topic, "ferry", at(3)).await.unwrap());
    assert_eq!(store.unlearnt(topic).await.unwrap(), ["ferry", "the wire"]);
    assert_eq!(store.unlearnt(other.topic.id).await.unwrap(), Vec::<String>::new());
    assert!(store.relearn(topic, "ferry").await.unwrap());
    assert!(!store.relearn(topic, "ferry").await.unwrap());
    assert_eq!(store.unlearnt(topic).await.unwrap(), ["the wire"]);
}

on_every_database!(
    what_is_unlearnt_stays_so_until_it_is_taken_back,
    what_is_said_counts_once_and_reads_back_in_order,
    opposites_exclude_each_other_and_topics_do_not_meet,
    what_was_read_takes_nothing_back,
);

mod profiles {
    use super::super::on_the_rows_of_every_database;
    use super::a_profile_takes_the_place_of_the_one_before;

    on_the_rows_of_every_database!(a_profile_takes_the_place_of_the_one_before);
}
