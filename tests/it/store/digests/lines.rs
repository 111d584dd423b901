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

on_every_database!(
    a_line_is_found_by_the_beginning_of_its_id,
    a_line_of_a_digest_that_was_made_again_is_found_by_its_id,
);
