mod lines;

use aha_core::digest::{
    Cost, Digest, DigestHead, DigestStatus, DigestStory, Evidence, Label, ReadBefore, ScoreDebug, Section, Since,
    Skipped, SourceReport, StoryCost, StorySource,
};
use aha_core::fetch::{FetchErrorKind, SourceStatus};
use aha_core::ids::{ClusterId, DigestId, DigestItemId};
use aha_core::money::MicroCredits;
use aha_core::run::{AttemptOutcome, RunMode};
use aha_core::summary::Summary;
use aha_core::verdict::Verdict;
use aha_store::{
    ClusterCommit, DigestCommit, DigestEntry, DigestFilter, DigestItemRecord, DigestNeighbours, Store, StoryAppearance,
};
use serde_json::json;

use super::on_every_database;
use super::world::{World, at, id, item, new_run, window};

/// A quiet day's digest of the world's run, with what a test wants to vary.
pub(crate) fn digest_commit(world: &World, cost: Cost, delivered: Vec<(ClusterId, i64)>) -> DigestCommit {
    let head = DigestHead {
        id: DigestId::of(&[&world.run.to_string()]),
        run_id: world.run,
        topic: world.topic.name.clone(),
        mode: RunMode::Cursor,
        window_start: at(0),
        window_end: at(24),
        timezone: "Europe/Berlin".to_owned(),
        status: DigestStatus::Quiet,
        items: 0,
        sources: 0,
        reading_minutes: 0,
    };
    DigestCommit {
        run: world.run,
        topic: world.topic.id,
        attempt: world.attempt,
        digest: Digest { head, stories: vec![], sources: vec![], skipped: Skipped::default(), cost },
        delivered,
        cursor: None,
        now: at(24),
    }
}

fn cluster(key: &str) -> ClusterId {
    ClusterId::of(&[key])
}

fn verdict() -> Verdict {
    Verdict {
        schema_version: "v1".to_owned(),
        prompt_id: "triage_v1".to_owned(),
        provider: "local".to_owned(),
        model: "rules".to_owned(),
        aha_score: 77,
        reason: "first post in 41 days; \"quoted\"".to_owned(),
        is_relevant: true,
        is_novel: false,
        categories: vec!["db".to_owned()],
        should_deep_summarize: true,
    }
}

fn summary() -> Summary {
    Summary {
        schema_version: "v1".to_owned(),
        prompt_id: "deep_summary_v1".to_owned(),
        provider: "local".to_owned(),
        model: "rules".to_owned(),
        one_liner: "日本語 🦀".to_owned(),
        bullets: vec!["one".to_owned()],
        why_it_matters: vec![],
        risks_or_caveats: vec!["single source".to_owned()],
        suggested_followups: vec![],
    }
}

fn members(key: &str) -> Vec<StorySource> {
    let dated = StorySource {
        item_id: id(key),
        name: "A".to_owned(),
        url: Some("https://a.example/a".to_owned()),
        title: "Title".to_owned(),
        published_at: at(1),
        dated: true,
        copy: false,
        late: true,
        also_from: vec!["B".to_owned()],
    };
    let undated = StorySource { url: None, dated: false, copy: true, also_from: vec![], ..dated.clone() };
    vec![dated, undated]
}

/// A story with everything a story can have.
fn full_story(world: &World, key: &str, rank: usize) -> DigestStory {
    DigestStory {
        id: DigestItemId::of(&[&world.run.to_string(), key]),
        rank,
        section: Section::Top,
        label: Some(Label::ToldBySeveral),
        title: "A <b>title</b>".to_owned(),
        url: Some("https://a.example/a".to_owned()),
        aha_score: Some(77),
        final_score: 1.0 / 3.0,
        percentile: 93,
        reason: "told by 2 sources".to_owned(),
        since: Some(Since { delivered_at: at(-24), sources_before: 1, new_sources: vec!["B".to_owned()] }),
        published_at: at(1),
        read_before: Some(ReadBefore::EarlierRun),
        author: Some("Ada".to_owned()),
        teaser: false,
        excerpt: "Opening line.".to_owned(),
        triage: Some(verdict()),
        summary: Some(summary()),
        kept_summary: None,
        entities: Some(json!({"zeta": [1, 2.5, null], "alpha": {"nested": true}})),
        sources: members(key),
        discussions: vec!["https://talk.example/1".to_owned()],
        cluster_id: cluster(key),
        state: "judged".to_owned(),
        cost: StoryCost::default(),
        score_debug: score_debug(),
    }
}

/// Fractions of full precision: JSON gives them back exactly only with `serde_json`'s `float_roundtrip`, which
/// jsonschema switches on; this test notices should that change.
fn score_debug() -> ScoreDebug {
    ScoreDebug {
        ai: Some(0.77),
        recency: 1.0 / 3.0,
        engagement: 0.1 + 0.2,
        heuristic: std::f64::consts::PI / 7.0,
        preference: -0.123_456_789_012_345_67,
        novelty: f64::EPSILON,
        decay: (-1.7_f64).exp(),
        final_score: 2.0_f64.sqrt(),
        evidence: Evidence {
            matched_interests: vec!["sqlite".to_owned()],
            has_interests: true,
            distinct_sources: 2,
            source_gap_days: Some(41.25),
            score: Some(312),
            new_terms: vec!["WAL-reset".to_owned()],
            resembles: Some("An earlier story".to_owned()),
            ..Evidence::default()
        },
        ..ScoreDebug::default()
    }
}

/// A story of which nothing is known that need not be.
fn bare_story(world: &World, key: &str, rank: usize) -> DigestStory {
    DigestStory {
        id: DigestItemId::of(&[&world.run.to_string(), key]),
        rank,
        section: Section::Scan,
        label: None,
        url: None,
        aha_score: None,
        final_score: 0.0,
        percentile: 0,
        since: None,
        read_before: None,
        author: None,
        teaser: true,
        excerpt: String::new(),
        triage: None,
        summary: None,
        entities: None,
        sources: vec![],
        discussions: vec![],
        cluster_id: cluster(key),
        state: "failed".to_owned(),
        score_debug: ScoreDebug::default(),
        ..full_story(world, key, rank)
    }
}

async fn world_with_stories(store: &dyn Store) -> (World, DigestCommit) {
    let world = World::new(store).await;
    world.with_items(store, &[item("a", 1), item("b", 2)]).await;
    let created = vec![(cluster("a"), id("a")), (cluster("b"), id("b"))];
    store.commit_clusters(&world.lease, &ClusterCommit { created, ..ClusterCommit::default() }).await.unwrap();
    let mut commit = digest_commit(
        &world,
        Cost { microcredits: MicroCredits(1_500_001), ..Cost::default() },
        vec![(cluster("a"), 2)],
    );
    commit.digest.head.status = DigestStatus::Partial;
    commit.digest.stories = vec![full_story(&world, "a", 1), bare_story(&world, "b", 2)];
    commit.digest.skipped =
        Skipped { folded: 1, muted: 2, already_delivered: 3, ranked_lower: 4, below_minimum: 6, not_considered: 5 };
    commit.digest.sources = vec![SourceReport {
        id: world.first,
        name: "A".to_owned(),
        url: "https://a.example/feed".to_owned(),
        items: 2,
        late: 1,
        shown: 2,
        status: SourceStatus::Failed(FetchErrorKind::Timeout),
        error: Some("no answer in 30 s".to_owned()),
    }];
    commit.cursor = Some(at(24));
    (world, commit)
}

async fn the_sources_of_the_digest_before_are_of_the_same_kind_of_runs(store: &dyn Store) {
    let (world, commit) = world_with_stories(store).await;
    store.commit_digest(&world.lease, &commit).await.unwrap();
    let before = async |mode, by| store.sources_before(world.topic.id, mode, at(by)).await.unwrap();
    assert_eq!(before(RunMode::Cursor, 24).await, commit.digest.sources);
    assert!(before(RunMode::Cursor, 23).await.is_empty(), "its window had not ended");
    assert!(before(RunMode::Window, 24).await.is_empty());
}

async fn a_digest_reads_back_as_it_was(store: &dyn Store) {
    let (world, commit) = world_with_stories(store).await;
    assert_eq!(store.latest_digest(world.topic.id).await.unwrap(), None);
    store.commit_digest(&world.lease, &commit).await.unwrap();
    let expected = Some(commit.digest.clone());
    assert_eq!(store.digest(commit.digest.head.id).await.unwrap(), expected);
    assert_eq!(store.latest_digest(world.topic.id).await.unwrap(), expected);
    for story in &commit.digest.stories {
        let line = expected.as_ref().map(|digest| {
            let stored = digest.stories.iter().find(|stored| stored.id == story.id).unwrap();
            (digest.head.clone(), stored.clone())
        });
        assert_eq!(store.digest_line(story.id).await.unwrap(), line);
    }
    assert_eq!(store.digest_line(DigestItemId::of(&["none"])).await.unwrap(), None);
    assert_eq!(store.recent_digests(world.topic.id, 9, None).await.unwrap(), std::slice::from_ref(&commit.digest));
    let mut of_section = commit.digest.clone();
    of_section.stories.retain(|story| story.section == Section::Top);
    assert_ne!(of_section, commit.digest);
    assert_eq!(store.recent_digests(world.topic.id, 9, Some(Section::Top)).await.unwrap(), [of_section]);
    assert!(store.recent_digests(world.topic.id, 0, None).await.unwrap().is_empty());
    assert_eq!(store.digest(DigestId::of(&["none"])).await.unwrap(), None);
}

async fn the_share_of_a_sources_items_that_a_digest_shows_is_told(store: &dyn Store) {
    let (world, commit) = world_with_stories(store).await;
    let shares = async |since| store.source_shares(world.topic.id, at(since)).await.unwrap();
    let before = shares(0).await[&world.first];
    assert_eq!(before.shown, 0);
    store.commit_digest(&world.lease, &commit).await.unwrap();
    let after = shares(0).await[&world.first];
    assert_eq!((after.items, after.shown), (before.items, 1), "the one member of the one story with members, once");
    assert!(shares(25).await.is_empty(), "neither items nor a window are so new");
}

async fn a_digest_ends_its_run_and_moves_the_cursor(store: &dyn Store) {
    let (world, commit) = world_with_stories(store).await;
    store.commit_digest(&world.lease, &commit).await.unwrap();
    let (run, attempts) = store.runs(Some(world.topic.id), 1).await.unwrap().remove(0);
    assert!(run.done);
    assert_eq!(run.stage.as_deref(), Some("digest"));
    assert_eq!((attempts[0].outcome, attempts[0].finished_at), (AttemptOutcome::Done, Some(at(24))));
    assert_eq!(store.topic("default").await.unwrap().unwrap().cursor_end, Some(at(24)));
    let earlier = DigestCommit { cursor: Some(at(12)), ..commit.clone() };
    store.commit_digest(&world.lease, &earlier).await.unwrap();
    let none = DigestCommit { cursor: None, ..commit };
    store.commit_digest(&world.lease, &none).await.unwrap();
    assert_eq!(store.topic("default").await.unwrap().unwrap().cursor_end, Some(at(24)), "a cursor never goes back");
}

async fn what_a_later_run_claims_again_is_still_known_as_the_earlier_ones(store: &dyn Store) {
    let (world, mut commit) = world_with_stories(store).await;
    store.assign_items(&world.lease, world.run, &[id("a"), id("b")], &[], at(0)).await.unwrap();
    commit.digest.stories[1].sources = members("b");
    store.commit_digest(&world.lease, &commit).await.unwrap();
    assert!(store.reclaimed_items(world.run).await.unwrap().is_empty());
    let next = new_run(&world.topic, RunMode::Cursor, window(24, 48));
    let next = store.open_run(&world.lease, &next).await.unwrap().id;
    store.assign_items(&world.lease, next, &[], &[], at(0)).await.unwrap();
    assert_eq!(store.assigned_items(world.run).await.unwrap(), [id("a")]);
    assert_eq!(store.assigned_items(next).await.unwrap(), [id("b")]);
    assert_eq!(store.reclaimed_items(world.run).await.unwrap(), [id("b")]);
    assert!(store.reclaimed_items(next).await.unwrap().is_empty());
}

async fn a_digest_rendered_again_replaces_the_old(store: &dyn Store) {
    let (world, mut commit) = world_with_stories(store).await;
    store.commit_digest(&world.lease, &commit).await.unwrap();
    commit.digest.stories = vec![bare_story(&world, "b", 1)];
    commit.digest.head.status = DigestStatus::Complete;
    store.commit_digest(&world.lease, &commit).await.unwrap();
    assert_eq!(store.latest_digest(world.topic.id).await.unwrap(), Some(commit.digest));
}

async fn the_latest_digest_has_the_latest_window(store: &dyn Store) {
    let (mut world, commit) = world_with_stories(store).await;
    store.commit_digest(&world.lease, &commit).await.unwrap();
    for (start, end) in [(-24, 0), (12, 24)] {
        let new = new_run(&world.topic, RunMode::Window, window(start, end));
        world.run = store.open_run(&world.lease, &new).await.unwrap().id;
        world.attempt = store.begin_attempt(&world.lease, world.run, at(30)).await.unwrap();
        let mut other = digest_commit(&world, Cost::default(), vec![]);
        (other.digest.head.window_start, other.digest.head.window_end) = (at(start), at(end));
        store.commit_digest(&world.lease, &other).await.unwrap();
    }
    let latest = store.latest_digest(world.topic.id).await.unwrap().unwrap().head;
    let recent = store.recent_digests(world.topic.id, 2, None).await.unwrap();
    assert_eq!((recent.len(), &recent[0].head), (2, &latest));
    assert_eq!((latest.window_start, latest.window_end), (at(12), at(24)));
}

/// The clock stands still meanwhile. The last but one window is the widest, which by its start comes last.
async fn of_digests_with_the_same_end_the_one_made_last_is_the_newest(store: &dyn Store) {
    let (mut world, commit) = world_with_stories(store).await;
    store.commit_digest(&world.lease, &commit).await.unwrap();
    let mut made = Vec::new();
    for start in [12, -24, 6] {
        let new = new_run(&world.topic, RunMode::Window, window(start, 24));
        world.run = store.open_run(&world.lease, &new).await.unwrap().id;
        world.attempt = store.begin_attempt(&world.lease, world.run, at(24)).await.unwrap();
        let mut other = digest_commit(&world, Cost::default(), vec![]);
        other.digest.head.window_start = at(start);
        store.commit_digest(&world.lease, &other).await.unwrap();
        made.push(other);
        let newest = made.last().map(|last| last.digest.clone());
        assert_eq!(store.latest_digest(world.topic.id).await.unwrap(), newest, "from {start}");
    }
    let again = made.remove(1);
    store.commit_digest(&world.lease, &again).await.unwrap();
    assert_eq!(store.latest_digest(world.topic.id).await.unwrap(), Some(again.digest.clone()), "made again");
    let of_topic = DigestFilter { topic: Some(world.topic.id), ends_after: None, ends_until: None, limit: 9 };
    let listed = store.digest_entries(&of_topic).await.unwrap();
    let starts: Vec<_> = listed.iter().map(|entry| entry.head.window_start).collect();
    assert_eq!(starts, [at(-24), at(6), at(12), at(0)]);
    assert_eq!(store.digest_entries(&DigestFilter { topic: None, ..of_topic }).await.unwrap(), listed);
    let recent = store.recent_digests(world.topic.id, 9, None).await.unwrap();
    assert_eq!(recent.iter().map(|digest| digest.head.window_start).collect::<Vec<_>>(), starts);
    let ids: Vec<_> = listed.iter().map(|entry| entry.head.id).collect();
    for (place, id) in ids.iter().enumerate() {
        let later = place.checked_sub(1).map(|before| ids[before]);
        let expected = DigestNeighbours { earlier: ids.get(place + 1).copied(), later };
        assert_eq!(store.digest_neighbours(*id).await.unwrap(), expected, "no. {place}");
    }
}

async fn digests_are_listed_by_topic_and_time_with_the_newest_first(store: &dyn Store) {
    let (mut world, commit) = world_with_stories(store).await;
    store.commit_digest(&world.lease, &commit).await.unwrap();
    world.run = store.open_run(&world.lease, &new_run(&world.topic, RunMode::Window, window(24, 48))).await.unwrap().id;
    world.attempt = store.begin_attempt(&world.lease, world.run, at(50)).await.unwrap();
    let mut quiet = digest_commit(&world, Cost::default(), vec![]);
    (quiet.digest.head.window_start, quiet.digest.head.window_end) = (at(24), at(48));
    store.commit_digest(&world.lease, &quiet).await.unwrap();
    let all = DigestFilter { topic: None, ends_after: None, ends_until: None, limit: 9 };
    let of = async |filter: DigestFilter| store.digest_entries(&filter).await.unwrap();
    let full = DigestEntry {
        head: commit.digest.head.clone(),
        stories: 2,
        first_title: Some("A <b>title</b>".to_owned()),
        microcredits: MicroCredits(1_500_001),
    };
    let empty = DigestEntry {
        head: quiet.digest.head.clone(),
        stories: 0,
        first_title: None,
        microcredits: MicroCredits::default(),
    };
    assert_eq!(of(all).await, [empty.clone(), full.clone()]);
    assert_eq!(of(DigestFilter { limit: 1, ..all }).await, std::slice::from_ref(&empty));
    assert_eq!(of(DigestFilter { ends_after: Some(at(24)), ..all }).await, [empty]);
    assert_eq!(of(DigestFilter { ends_until: Some(at(24)), ..all }).await, std::slice::from_ref(&full));
    assert_eq!(of(DigestFilter { topic: Some(world.topic.id), ends_until: Some(at(24)), ..all }).await, [full]);
    let other = store.ensure_topic("other", at(0)).await.unwrap();
    assert_eq!(of(DigestFilter { topic: Some(other.id), ..all }).await, []);
}

async fn a_digest_is_found_by_the_beginning_of_its_id_and_the_newest_with_stories_past_an_empty_one(store: &dyn Store) {
    let (mut world, commit) = world_with_stories(store).await;
    assert_eq!(store.newest_with_stories(world.topic.id).await.unwrap(), None);
    store.commit_digest(&world.lease, &commit).await.unwrap();
    world.run = store.open_run(&world.lease, &new_run(&world.topic, RunMode::Window, window(24, 48))).await.unwrap().id;
    world.attempt = store.begin_attempt(&world.lease, world.run, at(50)).await.unwrap();
    let mut quiet = digest_commit(&world, Cost::default(), vec![]);
    (quiet.digest.head.window_start, quiet.digest.head.window_end) = (at(24), at(48));
    store.commit_digest(&world.lease, &quiet).await.unwrap();
    let (empty, full) = (quiet.digest.head, commit.digest.head);
    assert_eq!(store.newest_with_stories(world.topic.id).await.unwrap(), Some(full.clone()));
    let other = store.ensure_topic("other", at(0)).await.unwrap();
    assert_eq!(store.newest_with_stories(other.id).await.unwrap(), None);
    let found = async |prefix: &str, limit: i64| store.digests_by_id_prefix(prefix, limit).await.unwrap();
    let alone = |id| DigestNeighbours { earlier: Some(id), later: None };
    assert_eq!(store.digest_neighbours(empty.id).await.unwrap(), alone(full.id));
    assert_eq!(found(&full.id.to_string()[..8], 6).await, std::slice::from_ref(&full));
    assert_eq!(found("", 6).await, [empty.clone(), full]);
    assert_eq!(found("", 1).await, [empty]);
    assert_eq!(found("fffffffff", 6).await, []);
}

/// A digest that cannot be stored leaves the run as it was.
async fn a_digest_is_stored_whole_or_not_at_all(store: &dyn Store) {
    let (world, mut commit) = world_with_stories(store).await;
    commit.digest.stories[1].state = "no such state".into();
    assert!(store.commit_digest(&world.lease, &commit).await.is_err());
    assert_eq!(store.latest_digest(world.topic.id).await.unwrap(), None);
    let (run, attempts) = store.runs(None, 1).await.unwrap().remove(0);
    assert!(!run.done);
    assert_eq!(attempts[0].outcome, AttemptOutcome::Running);
    let told = store.stories_of(world.topic.id, &[id("a")], at(24)).await.unwrap().remove(0);
    assert_eq!(told.delivered, None);
}

on_every_database!(
    a_digest_reads_back_as_it_was,
    a_digest_is_found_by_the_beginning_of_its_id_and_the_newest_with_stories_past_an_empty_one,
    the_share_of_a_sources_items_that_a_digest_shows_is_told,
    the_sources_of_the_digest_before_are_of_the_same_kind_of_runs,
    a_digest_ends_its_run_and_moves_the_cursor,
    what_a_later_run_claims_again_is_still_known_as_the_earlier_ones,
    a_digest_rendered_again_replaces_the_old,
    the_latest_digest_has_the_latest_window,
    of_digests_with_the_same_end_the_one_made_last_is_the_newest,
    digests_are_listed_by_topic_and_time_with_the_newest_first,
    a_digest_is_stored_whole_or_not_at_all,
);
