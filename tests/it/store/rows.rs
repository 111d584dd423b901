//! What the rows hold, read and written behind the store's back: states that cannot be, views, and what later versions
//! do.

use aha_core::digest::Cost;
use aha_core::fetch::FetchErrorKind;
use aha_core::ids::ClusterId;
use aha_core::item::ItemMetadata;
use aha_core::source::NewSource;
use aha_store::{ClusterCommit, DigestCommit, FetchCommit, FetchStatus, IdentifiedItem, Store, StoreError, TopicReset};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, SqliteConnection};

use super::digests::digest_commit;
use super::on_the_rows_of_every_database;
use super::world::{SPACE, World, at, feed, id, item, window};

/// What a person with a database shell does.
pub(crate) async fn alter(url: &str, sql: &str) -> Result<(), sqlx::Error> {
    if url.starts_with("sqlite:") {
        SqliteConnection::connect(url).await?.execute(AssertSqlSafe(sql)).await?;
    } else {
        PgConnection::connect(url).await?.execute(AssertSqlSafe(sql)).await?;
    }
    Ok(())
}

/// Rows of a query whose columns are all text.
pub(crate) async fn rows(url: &str, sql: &str) -> Vec<String> {
    let sql = AssertSqlSafe(sql);
    if url.starts_with("sqlite:") {
        sqlx::query_scalar(sql).fetch_all(&mut SqliteConnection::connect(url).await.unwrap()).await.unwrap()
    } else {
        sqlx::query_scalar(sql).fetch_all(&mut PgConnection::connect(url).await.unwrap()).await.unwrap()
    }
}

async fn the_schema_refuses_states_that_cannot_be(store: &dyn Store, url: &str) {
    let world = World::new(store).await;
    world.with_items(store, &[item("a", 1)]).await;
    let impossible = [
        "UPDATE runs SET status = 'paused'",
        "UPDATE runs SET status = 'done'",
        "UPDATE runs SET window_start = window_end + 1",
        "UPDATE run_attempts SET outcome = 'maybe'",
        "UPDATE topics SET lease_expires_at = NULL",
        "UPDATE topics SET depth = 101",
        "UPDATE topics SET decay_hours = 0",
        "UPDATE topics SET rules_json = 'no json'",
        "UPDATE sources SET weight = 0",
        "UPDATE sources SET enabled = 2",
        "UPDATE sources SET health = 'unwell'",
        "UPDATE sources SET created_at = 'yesterday'",
        "UPDATE sources SET topic_id = 'nobody'",
        "UPDATE sources SET url = 'one and the same'",
        "UPDATE content_items SET time_basis = 'guessed'",
        "UPDATE content_items SET metadata_json = '{'",
        "UPDATE fetch_runs SET status = 'error'",
        "INSERT INTO content_item_sources SELECT * FROM content_item_sources",
        "INSERT INTO provider_calls (id, purpose, provider, model, prompt_id, attempt, state, started_at)
         VALUES ('x', 'triage', 'local', 'm', 'p', 1, 'error', 0)",
    ];
    for sql in impossible {
        assert!(alter(url, sql).await.is_err(), "{sql}");
    }
    alter(url, r#"UPDATE content_items SET metadata_json = '{"a":"\u0000"}'"#).await.unwrap();
}

/// Committing the same digest again leaves every row of the database as it is.
async fn a_digest_committed_twice_leaves_identical_rows(store: &dyn Store, url: &str) {
    let world = World::new(store).await;
    let commit = digest_commit(&world, Cost::default(), vec![]);
    store.commit_digest(&world.lease, &commit).await.unwrap();
    let digests = "SELECT id || head_json || created_at FROM digests";
    let before = rows(url, digests).await;
    store.commit_digest(&world.lease, &DigestCommit { now: at(50), ..commit }).await.unwrap();
    assert_eq!((before.len(), rows(url, digests).await), (1, before));
}

/// Retention empties an item and marks it; a source that still lists it does not bring it back.
async fn what_retention_deleted_stays_deleted(store: &dyn Store, url: &str) {
    let world = World::new(store).await;
    world.with_items(store, &[item("a", 1)]).await;
    alter(url, "UPDATE content_items SET deleted_at = 1, body_text = '', title = NULL").await.unwrap();
    let counts = store.commit_fetch(&world.lease, &world.look(1, world.first, &[item("a", 1)])).await.unwrap();
    assert_eq!((counts.new, counts.updated), (0, 0));
    assert!(store.unassigned_items(world.topic.id, at(24)).await.unwrap().is_empty());
    assert!(store.load_items(world.topic.id, &[id("a")]).await.unwrap().is_empty());
}

/// A story that was merged into another is found under the other's name, with the members of both.
async fn a_merged_story_is_read_as_the_one_it_went_into(store: &dyn Store, url: &str) {
    let world = World::new(store).await;
    world.with_items(store, &[item("a", 1), item("b", 2)]).await;
    world.embed(store, &["a", "b"]).await;
    let clusters = [ClusterId::of(&["a"]), ClusterId::of(&["b"])];
    let created = vec![(clusters[0], id("a")), (clusters[1], id("b"))];
    store.commit_clusters(&world.lease, &ClusterCommit { created, ..ClusterCommit::default() }).await.unwrap();
    let merge = format!("UPDATE clusters SET merged_into = '{}' WHERE id = '{}'", clusters[0], clusters[1]);
    alter(url, &merge).await.unwrap();
    let stories = store.stories_of(world.topic.id, &[id("b")], at(24)).await.unwrap();
    assert_eq!(stories.len(), 1);
    assert_eq!((stories[0].cluster, stories[0].members.len()), (clusters[0], 2));
    let items = store.embedded_items(world.topic.id, SPACE, window(0, 24), at(24)).await.unwrap();
    assert!(items.iter().all(|item| item.cluster == Some(clusters[0])));
}

async fn an_item_that_is_named_anew_at_each_look_stays_one(store: &dyn Store, url: &str) {
    let world = World::new(store).await;
    let named = |number: i64, base: IdentifiedItem| {
        let name = format!("name {number}");
        IdentifiedItem { id: id(&name), external_id: name, ..base }
    };
    let linked = item("linked", 1);
    let bare = IdentifiedItem { hash_url: None, ..item("bare", 1) };
    let undated = IdentifiedItem { hash_url: None, published_at: None, ..item("undated", 1) };
    for number in 0..12 {
        let items: Vec<_> = [&linked, &bare, &undated]
            .into_iter()
            .zip([0, 100, 200])
            .map(|(base, start)| named(start + number, base.clone()))
            .collect();
        let counts = store.commit_fetch(&world.lease, &world.look(number, world.first, &items)).await.unwrap();
        assert_eq!((counts.new, counts.updated), (if number == 0 { 3 } else { 0 }, 0), "look {number}");
    }
    assert_eq!(
        rows(url, "SELECT CAST(count(*) AS TEXT) FROM content_item_sources").await,
        ["12"],
        "four names of each"
    );
    let again = IdentifiedItem { published_at: Some(at(5)), ..named(300, bare) };
    let counts = store.commit_fetch(&world.lease, &world.look(12, world.first, &[again])).await.unwrap();
    assert_eq!(counts.new, 1, "the same words on another day are another item");
}

async fn markup_is_kept_and_replaced_by_an_edit(store: &dyn Store, _: &str) {
    let world = World::new(store).await;
    world.with_items(store, &[item("a", 1)]).await;
    assert_eq!(store.items_html(&[id("a"), id("nothing")]).await.unwrap(), [(id("a"), "<p>Body of a</p>".to_owned())]);
    let edited =
        IdentifiedItem { hash_text: "new".to_owned(), body_text: "New".to_owned(), html: None, ..item("a", 1) };
    store.commit_fetch(&world.lease, &world.look(1, world.first, &[edited])).await.unwrap();
    assert_eq!(store.items_html(&[id("a")]).await.unwrap(), []);
}

/// Postgres has no place for U+0000 in text, so neither database keeps it.
async fn nul_characters_are_left_out(store: &dyn Store, url: &str) {
    let before = store.ensure_topic("na\0me", at(0)).await.unwrap();
    let mut topic = before.clone();
    assert_eq!(store.topic("na\0me").await.unwrap().unwrap().name, "name");
    topic.interests = "data\0bases".into();
    assert!(store.save_topic(&before, &topic, TopicReset::default()).await.unwrap());
    assert_eq!(store.topic("name").await.unwrap().unwrap().interests, "databases");
    let source = NewSource { title: Some("\0C".into()), ..feed("https://c.example/\0") };
    for added in [1, 0] {
        assert_eq!(store.add_sources(topic.id, std::slice::from_ref(&source), at(0)).await.unwrap().added, added);
    }
    assert_eq!(store.sources(topic.id).await.unwrap()[0].title.as_deref(), Some("C"));

    let world = World::new(store).await;
    let dirty = IdentifiedItem {
        external_id: "a\0".to_owned(),
        url: Some("https://a.example/\0a".to_owned()),
        title: Some("Ti\0tle".to_owned()),
        body_text: "\0Body\0".to_owned(),
        author: Some("\0".to_owned()),
        metadata: ItemMetadata { categories: vec!["d\0b \\u0000".to_owned()], ..ItemMetadata::default() },
        ..item("a", 1)
    };
    for new in [1, 0] {
        let look = FetchCommit {
            status: FetchStatus::Error(FetchErrorKind::Timeout),
            error: Some("message\0".to_owned()),
            feed_title: Some("A\0".to_owned()),
            ..world.look(1 - new, world.first, std::slice::from_ref(&dirty))
        };
        let counts = store.commit_fetch(&world.lease, &look).await.unwrap();
        assert_eq!((counts.new, counts.updated), (usize::try_from(new).unwrap(), 0), "a repetition is no edit");
    }
    let (stored, _) = store.load_items(world.topic.id, &[id("a")]).await.unwrap().remove(0);
    assert_eq!((stored.external_id.as_str(), stored.url.as_deref()), ("a", Some("https://a.example/a")));
    assert_eq!((stored.title.as_deref(), stored.body_text.as_str()), (Some("Title"), "Body"));
    assert_eq!((stored.author.as_deref(), &stored.metadata.categories[0][..]), (Some(""), "db \\u0000"));
    assert_eq!(rows(url, "SELECT error_kind || error FROM fetch_runs").await, ["timeoutmessage", "timeoutmessage"]);
}

/// Feeds write identifiers and addresses of any length.
async fn long_identifiers_are_kept(store: &dyn Store, _: &str) {
    let world = World::new(store).await;
    // Without repetition, so that nothing can pack it.
    let long = (0..4000).map(|n| ((n * 7919) % 104_729).to_string()).collect::<Vec<_>>().concat();
    let one = IdentifiedItem { external_id: long.clone(), url: Some(long.clone()), ..item("a", 1) };
    for new in [1, 0] {
        let look = world.look(1 - new, world.first, std::slice::from_ref(&one));
        assert_eq!(store.commit_fetch(&world.lease, &look).await.unwrap().new, usize::try_from(new).unwrap());
    }
    let moved = FetchCommit { moved_to: Some(format!("https://a.example/{long}")), ..world.look(2, world.first, &[]) };
    store.commit_fetch(&world.lease, &moved).await.unwrap();
    assert!(world.source(store, world.first).await.url.len() > 10_000);
}

async fn the_views_show_times_as_text(store: &dyn Store, url: &str) {
    let world = World::new(store).await;
    world.with_items(store, &[item("a", 1)]).await;
    alter(
        url,
        "INSERT INTO provider_calls (id, purpose, provider, model, prompt_id, attempt, state, started_at, cost_microcredits, topic_id)
         SELECT 'x', 'triage', 'local', 'm', 'p', 1, 'ok', 1794787200999, 5, id FROM topics
         UNION ALL SELECT 'y', 'llm_ask', 'local', 'm', 'p', 1, 'ok', 1794787200999, 7, NULL",
    )
    .await
    .unwrap();
    store.commit_digest(&world.lease, &digest_commit(&world, Cost::default(), vec![])).await.unwrap();
    let health = "SELECT health || ' ' || last_fetched_at || ' ' || items FROM source_health WHERE items > 0";
    assert_eq!(rows(url, health).await, ["ok 2026-11-17T00:00:00Z 1"]);
    let spent =
        "SELECT day || ' ' || calls || ' ' || microcredits || ' ' || unsettled || ' ' || coalesce(topic, 'none')
                 FROM spend_by_day ORDER BY microcredits";
    assert_eq!(rows(url, spent).await, ["2026-11-16 1 5 0 default", "2026-11-16 1 7 0 none"]);
    let purposes = "SELECT purpose || ' ' || microcredits || ' ' || unsettled || ' ' || coalesce(topic, 'none')
                    FROM spend_by_purpose ORDER BY microcredits";
    assert_eq!(rows(url, purposes).await, ["triage 5 0 default", "llm_ask 7 0 none"]);
    assert!(rows(url, "SELECT window_end || title || state || judge || summary FROM digest_latest").await.is_empty());
}

/// A row that no version wrote is named, not skipped.
async fn what_cannot_be_read_is_named(store: &dyn Store, url: &str) {
    let world = World::new(store).await;
    alter(url, "UPDATE topics SET rules_json = '{}'").await.unwrap();
    let error = store.topics().await.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { what: "topic's rules", .. }), "{error}");
    alter(url, r#"UPDATE runs SET settings_json = '"none"'"#).await.unwrap();
    let error = store.unfinished_cursor_run(world.topic.id).await.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
    store.commit_fetch(&world.lease, &world.look(0, world.first, &[])).await.unwrap();
    alter(url, "UPDATE fetch_runs SET status = 'error', error_kind = 'eaten'").await.unwrap();
    alter(url, "UPDATE sources SET last_error_kind = 'eaten'").await.unwrap();
    for error in [
        store.fetch_outcomes(world.run, 1).await.unwrap_err(),
        store.last_fetches(world.first, 1).await.unwrap_err(),
        store.fetch_summaries(world.topic.id, 1).await.unwrap_err(),
        store.source(world.first).await.unwrap_err(),
    ] {
        let message = error.to_string();
        assert!(message.starts_with("a stored kind of failure of a fetch cannot be read: \"eaten\""), "{message}");
    }
}

on_the_rows_of_every_database!(
    the_schema_refuses_states_that_cannot_be,
    a_digest_committed_twice_leaves_identical_rows,
    what_retention_deleted_stays_deleted,
    a_merged_story_is_read_as_the_one_it_went_into,
    an_item_that_is_named_anew_at_each_look_stays_one,
    markup_is_kept_and_replaced_by_an_edit,
    nul_characters_are_left_out,
    long_identifiers_are_kept,
    the_views_show_times_as_text,
    what_cannot_be_read_is_named,
);
