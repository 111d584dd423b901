use aha_core::account::{Account, Role};
use aha_core::feedback::{FeedbackEvent, FeedbackKind};
use aha_core::ids::{TopicId, UserId};
use aha_store::{AccountRemoval, FeedbackWrite, SavedProfile, Store, StoreError};

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

fn profile(events: usize, summary: &str) -> SavedProfile {
    SavedProfile {
        profile_json: format!("{{\"events\":{events}}}"),
        summary: summary.to_owned(),
        events,
        computed_at: at(3),
    }
}

fn owner() -> UserId {
    UserId::of(&["owner"])
}

/// Writes feedback on top of all that is stored.
async fn write_all(
    store: &dyn Store,
    user: UserId,
    topic: TopicId,
    feedback: &[FeedbackWrite],
    profile: &SavedProfile,
) -> Result<usize, StoreError> {
    let version = store.feedback_version(topic).await?;
    Ok(store.write_feedback(user, topic, feedback, profile, &version).await?.unwrap())
}

/// Whether the write changed something.
async fn write(store: &dyn Store, topic: TopicId, feedback: FeedbackWrite) -> bool {
    write_all(store, owner(), topic, std::slice::from_ref(&feedback), &profile(0, "")).await.unwrap() > 0
}

async fn give(store: &dyn Store, topic: TopicId, event: FeedbackEvent) -> bool {
    write(store, topic, FeedbackWrite::Give(vec![event])).await
}

fn stored(event: &FeedbackEvent) -> FeedbackEvent {
    FeedbackEvent { title: event.title.replace('\0', ""), ..event.clone() }
}

async fn what_is_said_counts_once_and_reads_back_in_order(store: &dyn Store) {
    let world = World::new(store).await;
    let topic = world.topic.id;
    let (second, first) = (event("b", FeedbackKind::Save, 2), event("a", FeedbackKind::Like, 1));
    assert!(give(store, topic, second.clone()).await);
    assert!(give(store, topic, first.clone()).await);
    assert!(!give(store, topic, event("a", FeedbackKind::Like, 9)).await);
    assert_eq!(store.feedback(owner(), topic, 10).await.unwrap(), [stored(&first), stored(&second)]);
    assert_eq!(store.feedback(owner(), topic, 1).await.unwrap(), [stored(&second)]);
}

async fn what_was_saved_and_what_was_said_of_items_is_told(store: &dyn Store) {
    let (world, other) = (World::new(store).await, World::named(store, "other").await);
    let topic = world.topic.id;
    let saved = [event("b", FeedbackKind::Save, 2), event("c", FeedbackKind::Save, 3)];
    for event in [event("a", FeedbackKind::Like, 1), event("a", FeedbackKind::Read, 4)].iter().chain(&saved) {
        assert!(give(store, topic, event.clone()).await);
    }
    assert!(give(store, other.topic.id, event("a", FeedbackKind::Save, 5)).await);
    assert_eq!(store.saved_feedback(owner(), topic).await.unwrap(), [stored(&saved[1]), stored(&saved[0])]);
    let said = store.feedback_on(owner(), topic, &[id("a"), id("c"), id("none")]).await.unwrap();
    let mut expected = [(id("a"), FeedbackKind::Like), (id("a"), FeedbackKind::Read), (id("c"), FeedbackKind::Save)];
    expected.sort_by_key(|(item, kind)| (item.to_string(), kind.as_str()));
    assert_eq!(said, expected);
    assert!(store.feedback_on(UserId::of(&["zoe"]), topic, &[id("a")]).await.unwrap().is_empty());
}

async fn opposites_exclude_each_other_and_topics_do_not_meet(store: &dyn Store) {
    let (world, other) = (World::new(store).await, World::named(store, "other").await);
    for (world, kind) in [(&world, FeedbackKind::Like), (&other, FeedbackKind::Like), (&world, FeedbackKind::Dislike)] {
        assert!(give(store, world.topic.id, event("a", kind, 1)).await);
    }
    let kinds = async |world: &World| -> Vec<FeedbackKind> {
        store.feedback(owner(), world.topic.id, 10).await.unwrap().iter().map(|event| event.kind).collect()
    };
    assert_eq!(kinds(&world).await, [FeedbackKind::Dislike]);
    assert_eq!(kinds(&other).await, [FeedbackKind::Like]);
    let back = async |kind| write(store, world.topic.id, FeedbackWrite::Withdraw { item: id("a"), kind }).await;
    assert!(!back(FeedbackKind::Like).await);
    assert!(back(FeedbackKind::Dislike).await);
    assert_eq!(kinds(&world).await, []);
}

/// The profile is of the feedback that it is written with.
async fn feedback_and_profile_are_written_together_or_not_at_all(store: &dyn Store) {
    let world = World::new(store).await;
    let topic = world.topic.id;
    let broken = SavedProfile { profile_json: "no JSON".to_owned(), ..profile(1, "") };
    let events = vec![event("a", FeedbackKind::Like, 1), event("b", FeedbackKind::Save, 2)];
    let give = FeedbackWrite::Give(events.clone());
    assert!(write_all(store, owner(), topic, std::slice::from_ref(&give), &broken).await.is_err());
    assert_eq!(store.feedback(owner(), topic, 10).await.unwrap(), []);
    assert_eq!(write_all(store, owner(), topic, std::slice::from_ref(&give), &profile(2, "")).await.unwrap(), 2);
    let mut again = events.clone();
    again.push(event("c", FeedbackKind::Skip, 3));
    assert_eq!(write_all(store, owner(), topic, &[FeedbackWrite::Give(again)], &profile(3, "")).await.unwrap(), 1);
    let both = [
        FeedbackWrite::Withdraw { item: events[0].item_id, kind: events[0].kind },
        FeedbackWrite::Give(vec![event("d", FeedbackKind::Save, 4)]),
    ];
    assert!(write_all(store, owner(), topic, &both, &broken).await.is_err());
    assert_eq!(store.feedback(owner(), topic, 10).await.unwrap().len(), 3, "none of several writes is made alone");
    assert_eq!(write_all(store, owner(), topic, &both, &profile(3, "")).await.unwrap(), 2);
    assert_eq!(store.feedback(owner(), topic, 10).await.unwrap().len(), 3);
}

/// Another process may have written since the profile was computed.
async fn a_profile_of_earlier_feedback_is_not_written(store: &dyn Store) {
    let world = World::new(store).await;
    let topic = world.topic.id;
    let version = store.feedback_version(topic).await.unwrap();
    let late = FeedbackWrite::Give(vec![event("b", FeedbackKind::Like, 2)]);
    let write = async |version: &str| {
        store.write_feedback(owner(), topic, std::slice::from_ref(&late), &profile(2, ""), version).await.unwrap()
    };
    assert!(give(store, topic, event("a", FeedbackKind::Like, 1)).await);
    assert_eq!(write(&version).await, None);
    assert_eq!(store.feedback(owner(), topic, 10).await.unwrap().len(), 1);
    let version = store.feedback_version(topic).await.unwrap();
    assert_eq!(write(&version).await, Some(1));
    assert_eq!(store.feedback(owner(), topic, 10).await.unwrap().len(), 2);
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
        assert!(give(store, topic, event("a", kind, 1)).await);
        let mut kinds: Vec<FeedbackKind> =
            store.feedback(owner(), topic, 10).await.unwrap().iter().map(|e| e.kind).collect();
        kinds.sort_unstable();
        assert_eq!(kinds, left, "{kind:?}");
    }
}

/// Each user's is their own; all but readers teach, as long as they have an account.
async fn users_have_feedback_of_their_own(store: &dyn Store) {
    let world = World::new(store).await;
    let topic = world.topic.id;
    for (name, role) in [("ann", Role::Reader), ("zoe", Role::Editor)] {
        let account = Account { name: name.to_owned(), role, created_at: at(0) };
        store.add_account(&account, "hash").await.unwrap();
    }
    let [ann, zoe] = ["ann", "zoe"].map(|name| UserId::of(&[name]));
    let say = async |user, kind, hour| {
        let write = FeedbackWrite::Give(vec![event("a", kind, hour)]);
        write_all(store, user, topic, std::slice::from_ref(&write), &profile(0, "")).await.unwrap()
    };
    let said = [(owner(), FeedbackKind::Like, 1), (zoe, FeedbackKind::Dislike, 2), (ann, FeedbackKind::Save, 3)];
    for (user, kind, hour) in said {
        assert_eq!(say(user, kind, hour).await, 1);
        let own: Vec<FeedbackKind> =
            store.feedback(user, topic, 10).await.unwrap().iter().map(|event| event.kind).collect();
        assert_eq!(own, [kind], "nobody else's");
    }
    let teaching = store.learning_feedback(topic, 10).await.unwrap();
    let teaching: Vec<_> = teaching.iter().map(|(user, event)| (*user, event.kind)).collect();
    assert_eq!(teaching, [(owner(), FeedbackKind::Like), (zoe, FeedbackKind::Dislike)]);
    let newest = store.learning_feedback(topic, 1).await.unwrap();
    assert_eq!(newest[0].0, zoe);
    for name in ["ann", "zoe"] {
        assert_eq!(store.remove_account(name).await.unwrap(), AccountRemoval::Removed);
    }
    let teaching = store.learning_feedback(topic, 10).await.unwrap();
    assert_eq!(teaching.iter().map(|(user, _)| *user).collect::<Vec<_>>(), [owner()], "nobody who was removed");
    let back = FeedbackWrite::Withdraw { item: id("a"), kind: FeedbackKind::Like };
    assert_eq!(write_all(store, zoe, topic, std::slice::from_ref(&back), &profile(0, "")).await.unwrap(), 0);
    assert_eq!(store.feedback(owner(), topic, 10).await.unwrap().len(), 1);
}

/// What is shown of a profile is computed again only when the version is another.
async fn the_version_differs_after_whatever_changes_what_is_learnt(store: &dyn Store) {
    let (world, other) = (World::new(store).await, World::named(store, "other").await);
    let topic = world.topic.id;
    let account = Account { name: "zoe".to_owned(), role: Role::Editor, created_at: at(0) };
    store.add_account(&account, "hash").await.unwrap();
    let mut versions = vec![store.feedback_version(topic).await.unwrap()];
    let mut differs = async || {
        let version = store.feedback_version(topic).await.unwrap();
        assert_eq!(store.feedback_version(topic).await.unwrap(), version, "reading changes nothing");
        assert!(!versions.contains(&version), "{version}");
        versions.push(version);
    };
    let like = FeedbackWrite::Give(vec![event("a", FeedbackKind::Like, 1)]);
    write_all(store, owner(), topic, std::slice::from_ref(&like), &profile(1, "")).await.unwrap();
    differs().await;
    write_all(store, UserId::of(&["zoe"]), topic, std::slice::from_ref(&like), &profile(2, "")).await.unwrap();
    differs().await;
    let unlearn = FeedbackWrite::Unlearn { name: "ferry".to_owned(), at: at(2) };
    let unlearnt = SavedProfile { computed_at: at(4), ..profile(2, "") };
    write_all(store, owner(), topic, std::slice::from_ref(&unlearn), &unlearnt).await.unwrap();
    differs().await;
    store.remove_account("zoe").await.unwrap();
    differs().await;
    write_all(store, owner(), other.topic.id, std::slice::from_ref(&like), &profile(1, "")).await.unwrap();
    assert_eq!(versions.last(), Some(&store.feedback_version(topic).await.unwrap()), "of another topic");
}

async fn a_profile_takes_the_place_of_the_one_before(store: &dyn Store, url: &str) {
    let (world, other) = (World::new(store).await, World::named(store, "other").await);
    let save = async |topic, profile| {
        write_all(store, owner(), topic, &[FeedbackWrite::Give(Vec::new())], &profile).await.unwrap();
    };
    save(other.topic.id, profile(7, "liked: trams")).await;
    for events in [1, 2] {
        save(world.topic.id, profile(events, &format!("liked: {events} ferries"))).await;
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
    let unlearn = async |name: &str, hour| {
        write(store, topic, FeedbackWrite::Unlearn { name: name.to_owned(), at: at(hour) }).await
    };
    let relearn = async |name: &str| write(store, topic, FeedbackWrite::Relearn { name: name.to_owned() }).await;
    assert!(unlearn("the wire", 1).await);
    assert!(unlearn("ferry", 2).await);
    assert!(!unlearn("ferry", 3).await);
    assert_eq!(store.unlearnt(topic).await.unwrap(), ["ferry", "the wire"]);
    assert_eq!(store.unlearnt(other.topic.id).await.unwrap(), Vec::<String>::new());
    assert!(relearn("ferry").await);
    assert!(!relearn("ferry").await);
    assert_eq!(store.unlearnt(topic).await.unwrap(), ["the wire"]);
}

on_every_database!(
    what_is_unlearnt_stays_so_until_it_is_taken_back,
    what_is_said_counts_once_and_reads_back_in_order,
    what_was_saved_and_what_was_said_of_items_is_told,
    opposites_exclude_each_other_and_topics_do_not_meet,
    what_was_read_takes_nothing_back,
    users_have_feedback_of_their_own,
    the_version_differs_after_whatever_changes_what_is_learnt,
    feedback_and_profile_are_written_together_or_not_at_all,
    a_profile_of_earlier_feedback_is_not_written,
);

mod profiles {
    use super::super::on_the_rows_of_every_database;
    use super::a_profile_takes_the_place_of_the_one_before;

    on_the_rows_of_every_database!(a_profile_takes_the_place_of_the_one_before);
}
