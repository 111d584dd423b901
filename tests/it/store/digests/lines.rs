use super::*;

async fn a_line_is_found_by_the_beginning_of_its_id(store: &dyn Store) {
    let (world, commit) = world_with_stories(store).await;
    store.commit_digest(&world.lease, &commit).await.unwrap();
    for story in &commit.digest.stories {
        let whole = story.id.to_string();
        let found = store.digest_items(&whole[..6], 9).await.unwrap();
        let (end, title) = (commit.digest.head.window_end, story.title.clone());
        assert_eq!(found, [DigestItemRecord { id: story.id, title, window_end: end }]);
        assert_eq!(store.digest_items(&whole, 9).await.unwrap(), found);
    }
    assert_eq!(store.digest_items("", 9).await.unwrap().len(), 2);
    assert_eq!(store.digest_items("", 1).await.unwrap().len(), 1);
    assert_eq!(store.digest_items("gggg", 9).await.unwrap(), []);
    let lines = store.newest_digest_items(world.topic.id, &[id("a"), id("none")]).await.unwrap();
    assert_eq!(lines, [(id("a"), commit.digest.stories[0].id)]);
}

async fn a_line_of_a_digest_that_was_made_again_is_found_by_its_id(store: &dyn Store) {
    let (world, mut commit) = world_with_stories(store).await;
    let digest = commit.digest.head.id.to_string();
    let [a, b] = ["a", "b"].map(|key| DigestItemId::of(&[digest.as_str(), &cluster(key).to_string()]));
    (commit.digest.stories[0].id, commit.digest.stories[1].id) = (a, b);
    store.commit_digest(&world.lease, &commit).await.unwrap();
    commit.digest.stories.pop();
    store.commit_digest(&world.lease, &commit).await.unwrap();
    let whole = b.to_string();
    let of_b = DigestItemRecord { id: b, title: "Title of b".to_owned(), window_end: at(24) };
    assert_eq!(store.digest_items(&whole[..6], 9).await.unwrap(), [of_b]);
    assert_eq!(store.digest_items(&whole[..5], 9).await.unwrap(), [], "so few would fit others by chance");
    let (head, line) = store.digest_line(b).await.unwrap().unwrap();
    assert_eq!((&head, line.id, line.rank, line.aha_score), (&commit.digest.head, b, 0, None));
    assert_eq!(line.sources.iter().map(|source| source.item_id).collect::<Vec<_>>(), [id("b")]);
    assert_eq!((line.title.as_str(), line.state.as_str()), ("Title of b", "not_shown"));
    commit.digest.stories.push(DigestStory { id: DigestItemId::of(&["new"]), ..full_story(&world, "b", 2) });
    store.commit_digest(&world.lease, &commit).await.unwrap();
    let (_, shown) = store.digest_line(b).await.unwrap().unwrap();
    assert_eq!((shown.id, shown.rank), (DigestItemId::of(&["new"]), 2), "the line that shows the story now");
}

/// The story of `b` is left out.
async fn the_line_that_a_story_would_have_is_given_for_its_items(store: &dyn Store) {
    let (world, mut commit) = world_with_stories(store).await;
    commit.digest.stories.pop();
    store.commit_digest(&world.lease, &commit).await.unwrap();
    let would_be = DigestItemId::of(&[&commit.digest.head.id.to_string(), &cluster("b").to_string()]);
    for topics in [&[][..], &[world.topic.id]] {
        let lines = store.unshown_digest_items(topics, &[id("b"), id("none")]).await.unwrap();
        assert_eq!(lines, [(id("b"), would_be)]);
    }
    let other = store.ensure_topic("other", at(0)).await.unwrap().id;
    assert_eq!(store.unshown_digest_items(&[other], &[id("b")]).await.unwrap(), []);
    let (head, line) = store.digest_line(would_be).await.unwrap().unwrap();
    assert_eq!((head, line.rank, line.title.as_str()), (commit.digest.head, 0, "Title of b"));
}

async fn a_story_appears_in_each_digest_that_showed_it(store: &dyn Store) {
    let (mut world, commit) = world_with_stories(store).await;
    store.commit_digest(&world.lease, &commit).await.unwrap();
    world.run = store.open_run(&world.lease, &new_run(&world.topic, RunMode::Window, window(24, 48))).await.unwrap().id;
    world.attempt = store.begin_attempt(&world.lease, world.run, at(50)).await.unwrap();
    let mut later = digest_commit(&world, Cost::default(), vec![]);
    later.digest.head.window_end = at(48);
    later.digest.stories = vec![bare_story(&world, "b", 1), full_story(&world, "a", 2)];
    store.commit_digest(&world.lease, &later).await.unwrap();
    let appearances = store.story_appearances(cluster("a")).await.unwrap();
    let first = StoryAppearance {
        digest: commit.digest.head.id,
        digest_item: commit.digest.stories[0].id,
        window_end: at(24),
        rank: 1,
        section: Section::Top,
        title: "A <b>title</b>".to_owned(),
        aha_score: Some(77),
        final_score: 1.0 / 3.0,
        members: 2,
    };
    let second = StoryAppearance {
        digest: later.digest.head.id,
        digest_item: later.digest.stories[1].id,
        window_end: at(48),
        rank: 2,
        ..first.clone()
    };
    assert_eq!(appearances, [second, first]);
    assert_eq!(store.story_appearances(cluster("none")).await.unwrap(), []);
    let both = [cluster("a"), cluster("b")];
    assert_eq!(store.stories_not_judged(&both, at(25)).await.unwrap(), [cluster("b")]);
    assert_eq!(store.stories_not_judged(&both, at(24)).await.unwrap(), []);
    let merge = vec![(cluster("a"), cluster("b"))];
    store.commit_clusters(&world.lease, &ClusterCommit { merged: merge, ..ClusterCommit::default() }).await.unwrap();
    assert_eq!(store.story_appearances(cluster("b")).await.unwrap().len(), 4);
}

on_every_database!(
    a_story_appears_in_each_digest_that_showed_it,
    a_line_is_found_by_the_beginning_of_its_id,
    a_line_of_a_digest_that_was_made_again_is_found_by_its_id,
    the_line_that_a_story_would_have_is_given_for_its_items,
);
