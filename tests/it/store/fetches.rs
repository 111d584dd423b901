mod texts;

use std::slice::from_ref;

use aha_core::fetch::FetchErrorKind;
use aha_core::ids::SourceId;
use aha_core::item::{Engagement, FullTextFetch, PageOutcome, TimeBasis};
use aha_core::source::{SourceHealth, Validators};
use aha_store::{FetchCommit, FetchCounts, FetchStatus, FetchSummary, IdentifiedItem, Store};

use super::on_every_database;
use super::world::{World, at, feed, id, item};

async fn new_items_are_stored_whole(store: &dyn Store) {
    let world = World::new(store).await;
    let new = IdentifiedItem { published_at: None, time_basis: TimeBasis::Fetched, time: at(24), ..item("a", 1) };
    let counts = store.commit_fetch(&world.lease, &world.look(0, world.first, from_ref(&new))).await.unwrap();
    assert_eq!(counts, FetchCounts { seen: 1, new: 1, updated: 0 });
    let (stored, sources) = store.load_items(world.topic.id, &[new.id]).await.unwrap().remove(0);
    assert_eq!(sources, [world.first]);
    assert_eq!((stored.id, stored.source_id, stored.external_id), (new.id, world.first, new.external_id));
    assert_eq!((stored.url, stored.canonical_url), (new.url, new.canonical_url));
    assert_eq!((stored.title, stored.body_text, stored.author), (new.title, new.body_text, new.author));
    assert_eq!((stored.published_at, stored.fetched_at, stored.time), (None, at(24), at(24)));
    assert_eq!(
        (stored.time_basis, stored.engagement, stored.metadata),
        (TimeBasis::Fetched, new.engagement, new.metadata)
    );
    assert_eq!(stored.duplicate_of, None);
}

async fn an_edit_updates_the_item_and_keeps_its_times(store: &dyn Store) {
    let world = World::new(store).await;
    world.with_items(store, &[item("a", 1)]).await;
    let edited = IdentifiedItem {
        id: id("another identity"),
        hash_text: "new text".to_owned(),
        title: Some("New title".to_owned()),
        body_text: "New body".to_owned(),
        published_at: Some(at(20)),
        time: at(20),
        ..item("a", 1)
    };
    let counts = store.commit_fetch(&world.lease, &world.look(1, world.first, &[edited])).await.unwrap();
    assert_eq!(counts, FetchCounts { seen: 1, new: 0, updated: 1 });
    let (stored, _) = store.load_items(world.topic.id, &[id("a")]).await.unwrap().remove(0);
    assert_eq!((stored.title.as_deref(), stored.body_text.as_str()), (Some("New title"), "New body"));
    assert_eq!((stored.published_at, stored.time, stored.fetched_at), (Some(at(1)), at(1), at(24)));
}

async fn the_same_look_again_changes_engagement_alone(store: &dyn Store) {
    let world = World::new(store).await;
    world.with_items(store, &[item("a", 1)]).await;
    let read_more =
        IdentifiedItem { engagement: Engagement { score: Some(90), comments: Some(7), views: None }, ..item("a", 1) };
    let counts = store.commit_fetch(&world.lease, &world.look(1, world.first, from_ref(&read_more))).await.unwrap();
    assert_eq!(counts, FetchCounts { seen: 1, new: 0, updated: 0 });
    let silent = IdentifiedItem { engagement: Engagement::default(), ..item("a", 1) };
    store.commit_fetch(&world.lease, &world.look(2, world.first, &[silent])).await.unwrap();
    let (stored, _) = store.load_items(world.topic.id, &[id("a")]).await.unwrap().remove(0);
    assert_eq!(stored.engagement, read_more.engagement);
    let edited = IdentifiedItem {
        title: Some("New title".to_owned()),
        hash_text: "edited".to_owned(),
        engagement: Engagement::default(),
        ..item("a", 1)
    };
    let counts = store.commit_fetch(&world.lease, &world.look(3, world.first, &[edited])).await.unwrap();
    let (stored, _) = store.load_items(world.topic.id, &[id("a")]).await.unwrap().remove(0);
    assert_eq!((counts.updated, stored.engagement), (1, read_more.engagement), "an edit without counts clears none");
}

async fn two_sources_with_one_address_are_one_item(store: &dyn Store) {
    let world = World::new(store).await;
    world.with_items(store, &[item("a", 1)]).await;
    let retold = IdentifiedItem {
        id: id("b"),
        external_id: "b".to_owned(),
        title: Some("Retold".to_owned()),
        hash_text: "retold".to_owned(),
        engagement: Engagement { score: Some(999), comments: None, views: None },
        hash_url: item("a", 1).hash_url,
        ..item("b", 2)
    };
    let look = world.look(0, world.second, from_ref(&retold));
    assert_eq!(store.commit_fetch(&world.lease, &look).await.unwrap(), FetchCounts { seen: 1, new: 0, updated: 0 });
    let loaded = store.load_items(world.topic.id, &[id("a"), id("b")]).await.unwrap();
    let (stored, sources) = &loaded[0];
    assert_eq!(loaded.len(), 1);
    assert_eq!(sources, &[world.first, world.second], "its own source comes first");
    assert_eq!(stored.title.as_deref(), Some("Title of a"), "another source's words are no edit");
    assert_eq!(stored.engagement.score, Some(3));

    let moved = IdentifiedItem { hash_url: None, ..retold };
    let again = store.commit_fetch(&world.lease, &world.look(1, world.second, &[moved])).await.unwrap();
    assert_eq!(again.new, 0, "what a source gave under this id before is known without an address");
}

async fn a_page_that_a_source_gives_again_later_under_another_id_is_another_item(store: &dyn Store) {
    let world = World::new(store).await;
    world.with_items(store, &[item("a", 1)]).await;
    let again = |key: &str, hours| IdentifiedItem { hash_url: item("a", 1).hash_url, ..item(key, hours) };
    let soon = world.look(1, world.first, &[again("b", 48)]);
    assert_eq!(store.commit_fetch(&world.lease, &soon).await.unwrap().new, 0, "its id changed");
    let later = world.look(2, world.first, &[again("c", 49)]);
    assert_eq!(store.commit_fetch(&world.lease, &later).await.unwrap().new, 1);
    let loaded = store.load_items(world.topic.id, &[id("a"), id("c")]).await.unwrap();
    assert_eq!(loaded.iter().map(|(item, _)| item.published_at).collect::<Vec<_>>(), [Some(at(1)), Some(at(49))]);
    let undated = world.look(3, world.first, &[IdentifiedItem { published_at: None, ..again("d", 99) }]);
    assert_eq!(store.commit_fetch(&world.lease, &undated).await.unwrap().new, 0);
}

async fn items_without_an_address_of_their_own_stay_apart(store: &dyn Store) {
    let world = World::new(store).await;
    let bare = |key: &str| IdentifiedItem { hash_url: None, ..item(key, 1) };
    let look = world.look(0, world.first, &[bare("a"), bare("b")]);
    assert_eq!(store.commit_fetch(&world.lease, &look).await.unwrap().new, 2);
}

async fn two_entries_of_one_look_that_are_one_item_are_no_edit(store: &dyn Store) {
    let world = World::new(store).await;
    let twin = IdentifiedItem { hash_url: item("a", 1).hash_url, ..item("b", 1) };
    for number in 0..2 {
        let look = world.look(number, world.first, &[item("a", 1), twin.clone()]);
        let counts = store.commit_fetch(&world.lease, &look).await.unwrap();
        assert_eq!((counts.new, counts.updated), (usize::from(number == 0), 0));
    }
}

async fn many_new_items_are_stored_beside_known_ones(store: &dyn Store) {
    let world = World::new(store).await;
    world.with_items(store, &[item("known", 1)]).await;
    let mut items: Vec<_> = (0..70).map(|number| item(&format!("new {number}"), 2)).collect();
    let bare = |key: &str| IdentifiedItem { hash_url: None, hash_text: "the same".to_owned(), ..item(key, 3) };
    items.insert(40, item("known", 1));
    items.extend([bare("named"), bare("named anew")]);
    for number in 1..3 {
        let counts = store.commit_fetch(&world.lease, &world.look(number, world.first, &items)).await.unwrap();
        let expected = FetchCounts { seen: 73, new: if number == 1 { 71 } else { 0 }, updated: 0 };
        assert_eq!(counts, expected);
    }
    let (stored, sources) = store.load_items(world.topic.id, &[id("new 69")]).await.unwrap().remove(0);
    assert_eq!((stored.external_id.as_str(), stored.time), ("new 69", at(2)));
    assert_eq!(sources, [world.first]);
}

async fn looks_stored_together_are_stored_in_their_order(store: &dyn Store) {
    let world = World::new(store).await;
    let (gone, edited) =
        (SourceId::of(&["removed meanwhile"]), IdentifiedItem { hash_text: "edited".to_owned(), ..item("a", 1) });
    let named = |key: &str| IdentifiedItem { external_id: "1".to_owned(), ..item(key, 5) };
    let looks = [
        world.look(0, world.first, &[item("a", 1), item("b", 2), named("e")]),
        world.look(1, gone, &[item("c", 3)]),
        world.look(2, world.second, &[item("a", 1), item("d", 4), named("f")]),
        world.look(3, world.first, &[edited]),
    ];
    let counts = store.commit_fetches(&world.lease, &looks).await.unwrap();
    assert_eq!(counts, FetchCounts { seen: 7, new: 5, updated: 1 }, "two sources may give one name to two things");
    let (_, sources) = store.load_items(world.topic.id, &[id("a")]).await.unwrap().remove(0);
    assert_eq!(sources, [world.first, world.second]);
    assert!(store.load_items(world.topic.id, &[id("c")]).await.unwrap().is_empty());
    assert_eq!(store.commit_fetches(&world.lease, &[]).await.unwrap(), FetchCounts::default());
}

async fn a_failure_is_recorded_and_deletes_nothing(store: &dyn Store) {
    let world = World::new(store).await;
    let validators = Validators { url: Some("u".to_owned()), etag: Some("e".to_owned()), last_modified: None };
    let good = FetchCommit { validators: validators.clone(), ..world.look(0, world.first, &[item("a", 1)]) };
    store.commit_fetch(&world.lease, &good).await.unwrap();
    for number in 1..3 {
        store.commit_fetch(&world.lease, &failed(&world, number)).await.unwrap();
    }
    let source = world.source(store, world.first).await;
    assert_eq!((source.health, source.consecutive_failures, source.enabled), (SourceHealth::Failing, 2, true));
    assert_eq!(source.last_error_kind, Some(FetchErrorKind::Timeout));
    assert_eq!((source.last_ok_at, source.last_fetched_at), (Some(at(24)), Some(at(26))));
    assert_eq!(source.validators, validators, "a failure takes no validator away");
    assert_eq!(store.unassigned_items(world.topic.id, at(24)).await.unwrap().len(), 1);

    store.commit_fetch(&world.lease, &world.look(3, world.first, &[])).await.unwrap();
    let source = world.source(store, world.first).await;
    assert_eq!((source.health, source.consecutive_failures, source.last_error), (SourceHealth::Ok, 0, None));
}

fn failed(world: &World, number: i64) -> FetchCommit {
    FetchCommit {
        status: FetchStatus::Error(FetchErrorKind::Timeout),
        error: Some("no answer in 30 s".to_owned()),
        http_status: None,
        health: SourceHealth::Failing,
        not_before: Some(at(40)),
        ..world.look(number, world.first, &[])
    }
}

async fn waiting_changes_neither_counters_nor_times(store: &dyn Store) {
    let world = World::new(store).await;
    store.commit_fetch(&world.lease, &failed(&world, 0)).await.unwrap();
    let before = world.source(store, world.first).await;
    let waiting = FetchCommit {
        status: FetchStatus::Waiting,
        health: SourceHealth::Failing,
        http_status: None,
        ..world.look(1, world.first, &[])
    };
    store.commit_fetch(&world.lease, &waiting).await.unwrap();
    assert_eq!(world.source(store, world.first).await, before);
}

async fn when_to_ask_again_is_kept_until_the_next_look(store: &dyn Store) {
    let world = World::new(store).await;
    let hours = |hours| Some(std::time::Duration::from_hours(hours));
    let good = FetchCommit { next_check_at: Some(at(30)), check_interval: hours(5), ..world.look(0, world.first, &[]) };
    store.commit_fetch(&world.lease, &good).await.unwrap();
    let pace = async || {
        let source = world.source(store, world.first).await;
        (source.next_check_at, source.check_interval)
    };
    assert_eq!(pace().await, (Some(at(30)), hours(5)));
    let waiting = FetchCommit { status: FetchStatus::Waiting, ..world.look(1, world.first, &[]) };
    store.commit_fetch(&world.lease, &waiting).await.unwrap();
    assert_eq!(pace().await, (Some(at(30)), hours(5)), "who was not asked says nothing new");
    store.commit_fetch(&world.lease, &failed(&world, 2)).await.unwrap();
    assert_eq!(pace().await, (None, hours(5)), "a failure keeps the interval");
}

async fn a_page_that_was_read_is_kept_until_its_teaser_changes(store: &dyn Store) {
    let world = World::new(store).await;
    let read = |hash: &str| {
        let mut item = item("a", 1);
        item.metadata.full_text = Some(FullTextFetch { outcome: PageOutcome::Read, source_hash: hash.to_owned() });
        IdentifiedItem { body_text: "all of the page".to_owned(), hash_text: format!("page of {hash}"), ..item }
    };
    let teaser =
        |hash: &str| IdentifiedItem { body_text: "Read on.".to_owned(), hash_text: hash.to_owned(), ..item("a", 1) };
    world.with_items(store, &[read("first"), item("b", 1)]).await;
    let notes = store.full_text_hashes(world.first).await.unwrap();
    assert_eq!(notes.into_iter().collect::<Vec<_>>(), [("a".to_owned(), Some("first".to_owned()))]);
    let updated = async |number, found: IdentifiedItem| {
        let look = world.look(number, world.first, &[found]);
        store.commit_fetch(&world.lease, &look).await.unwrap().updated
    };
    assert_eq!(updated(1, teaser("first")).await, 0, "what is known already");
    assert_eq!(updated(2, teaser("second")).await, 1, "an edit");
    assert!(store.full_text_hashes(world.first).await.unwrap().is_empty(), "its page is to be read again");
    assert_eq!(updated(3, read("second")).await, 1);
    let elsewhere = IdentifiedItem { external_id: "x".to_owned(), ..item("a", 1) };
    store.commit_fetch(&world.lease, &world.look(4, world.second, &[elsewhere])).await.unwrap();
    let notes = store.full_text_hashes(world.second).await.unwrap();
    assert_eq!(notes.into_iter().collect::<Vec<_>>(), [("x".to_owned(), None)], "another source's item");
}

async fn not_modified_keeps_validators_and_may_renew_one(store: &dyn Store) {
    let world = World::new(store).await;
    let given = |etag: Option<&str>| Validators {
        url: Some("https://a.example/feed".to_owned()),
        etag: etag.map(str::to_owned),
        last_modified: Some("Mon".to_owned()),
    };
    let first = FetchCommit { validators: given(Some("one")), ..world.look(0, world.first, &[]) };
    store.commit_fetch(&world.lease, &first).await.unwrap();
    let unchanged = FetchCommit { status: FetchStatus::NotModified, ..world.look(1, world.first, &[]) };
    store.commit_fetch(&world.lease, &unchanged).await.unwrap();
    assert_eq!(world.source(store, world.first).await.validators, given(Some("one")));
    let renewed = FetchCommit {
        validators: Validators { etag: Some("two".to_owned()), ..Validators::default() },
        status: FetchStatus::NotModified,
        ..world.look(2, world.first, &[])
    };
    store.commit_fetch(&world.lease, &renewed).await.unwrap();
    assert_eq!(world.source(store, world.first).await.validators, given(Some("two")));
    let dropped = FetchCommit { validators: given(None), ..world.look(3, world.first, &[]) };
    store.commit_fetch(&world.lease, &dropped).await.unwrap();
    assert_eq!(world.source(store, world.first).await.validators, given(None));
}

async fn a_feed_names_itself_once_moves_and_ends(store: &dyn Store) {
    let world = World::new(store).await;
    let titled = |number, title: &str, moved_to: &str| FetchCommit {
        feed_title: Some(title.to_owned()),
        moved_to: Some(moved_to.to_owned()),
        ..world.look(number, world.first, &[])
    };
    store.commit_fetch(&world.lease, &titled(0, "A", "https://new.example/feed")).await.unwrap();
    store.commit_fetch(&world.lease, &titled(1, "Another", "https://b.example/feed")).await.unwrap();
    let source = world.source(store, world.first).await;
    assert_eq!(source.title.as_deref(), Some("A"));
    assert_eq!(source.url, "https://new.example/feed", "an address that another source has is left to it");
    let import = [feed("https://a.example/feed"), feed("https://new.example/feed")];
    assert_eq!(store.add_sources(world.topic.id, &import, at(30)).await.unwrap().added, 0);

    let gone = FetchCommit { health: SourceHealth::Gone, ..failed(&world, 2) };
    store.commit_fetch(&world.lease, &gone).await.unwrap();
    let source = world.source(store, world.first).await;
    assert_eq!((source.health, source.enabled), (SourceHealth::Gone, false));
}

async fn the_looks_of_a_pass_are_told(store: &dyn Store) {
    let mut world = World::new(store).await;
    store.commit_fetch(&world.lease, &failed(&world, 0)).await.unwrap();
    store.commit_fetch(&world.lease, &world.look(0, world.second, &[])).await.unwrap();
    assert_eq!(store.fetched_sources(world.run, 1).await.unwrap(), [world.second]);

    world.attempt = store.begin_attempt(&world.lease, world.run, at(30)).await.unwrap();
    store.commit_fetch(&world.lease, &world.look(1, world.first, &[])).await.unwrap();
    let mut both = [world.first, world.second];
    both.sort();
    assert_eq!(store.fetched_sources(world.run, 1).await.unwrap(), both);
    assert_eq!(store.fetched_sources(world.run, 2).await.unwrap(), [world.first]);
    let outcomes = store.fetch_outcomes(world.run, 1).await.unwrap();
    assert_eq!(outcomes.iter().map(|look| look.source).collect::<Vec<_>>(), both);
    assert!(outcomes.iter().all(|look| look.status == FetchStatus::Ok), "the last look counts");
}

async fn an_error_is_told_with_its_kind(store: &dyn Store) {
    let world = World::new(store).await;
    store.commit_fetch(&world.lease, &failed(&world, 0)).await.unwrap();
    let look = store.fetch_outcomes(world.run, 1).await.unwrap().remove(0);
    assert_eq!(look.status, FetchStatus::Error(FetchErrorKind::Timeout));
    assert_eq!(look.error.as_deref(), Some("no answer in 30 s"));
}

async fn the_last_fetches_of_a_source_are_listed_with_the_newest_first(store: &dyn Store) {
    let world = World::new(store).await;
    store.commit_fetch(&world.lease, &world.look(0, world.first, &[item("a", 1), item("b", 2)])).await.unwrap();
    let failed = FetchCommit {
        status: FetchStatus::Error(FetchErrorKind::Timeout),
        error: Some("no answer in 30 s".to_owned()),
        http_status: None,
        health: SourceHealth::Failing,
        ..world.look(1, world.first, &[])
    };
    store.commit_fetch(&world.lease, &failed).await.unwrap();
    store.commit_fetch(&world.lease, &world.look(2, world.second, &[])).await.unwrap();
    let fetches = store.last_fetches(world.first, 9).await.unwrap();
    let statuses: Vec<_> = fetches.iter().map(|fetch| fetch.status).collect();
    assert_eq!(statuses, [FetchStatus::Error(FetchErrorKind::Timeout), FetchStatus::Ok]);
    let shown = serde_json::to_string(&fetches[0]).unwrap();
    assert!(shown.contains(r#","status":"error","error_kind":"timeout","error":"no answer in 30 s","#), "{shown}");
    assert_eq!((fetches[1].items_seen, fetches[1].items_new, fetches[1].http_status), (2, 2, Some(200)));
    assert_eq!((fetches[1].run, fetches[1].finished_at), (world.run, at(24)));
    assert_eq!(store.last_fetches(world.first, 1).await.unwrap(), fetches[..1]);
    let mark = |status, items_new| FetchSummary { status, items_new };
    let failure = mark(FetchStatus::Error(FetchErrorKind::Timeout), 0);
    let marks = store.fetch_summaries(world.topic.id, 9).await.unwrap();
    assert_eq!(marks[&world.first], [failure.clone(), mark(FetchStatus::Ok, 2)]);
    assert_eq!(marks[&world.second], [mark(FetchStatus::Ok, 0)]);
    assert_eq!(store.fetch_summaries(world.topic.id, 1).await.unwrap()[&world.first], [failure]);
}

on_every_database!(
    the_last_fetches_of_a_source_are_listed_with_the_newest_first,
    new_items_are_stored_whole,
    an_edit_updates_the_item_and_keeps_its_times,
    the_same_look_again_changes_engagement_alone,
    two_sources_with_one_address_are_one_item,
    a_page_that_a_source_gives_again_later_under_another_id_is_another_item,
    items_without_an_address_of_their_own_stay_apart,
    two_entries_of_one_look_that_are_one_item_are_no_edit,
    many_new_items_are_stored_beside_known_ones,
    looks_stored_together_are_stored_in_their_order,
    a_failure_is_recorded_and_deletes_nothing,
    when_to_ask_again_is_kept_until_the_next_look,
    a_page_that_was_read_is_kept_until_its_teaser_changes,
    waiting_changes_neither_counters_nor_times,
    not_modified_keeps_validators_and_may_renew_one,
    a_feed_names_itself_once_moves_and_ends,
    the_looks_of_a_pass_are_told,
    an_error_is_told_with_its_kind,
);
