//! Whose text an item has that several sources list.

use std::slice::from_ref;

use aha_core::item::{Engagement, ItemMetadata};
use aha_store::{IdentifiedItem, Store};

use super::super::on_every_database;
use super::super::world::{World, at, id, item};

/// The same item as a source gives it whose site its address is on.
fn of_site(item: IdentifiedItem) -> IdentifiedItem {
    IdentifiedItem { metadata: ItemMetadata { is_of_site: true, ..item.metadata }, ..item }
}

async fn a_link_post_is_given_the_text_of_the_site_that_it_links_to(store: &dyn Store) {
    let world = World::new(store).await;
    let discussion_url = Some("https://forum.example/1".to_owned());
    let metadata = ItemMetadata { discussion_url: discussion_url.clone(), ..ItemMetadata::default() };
    let post = IdentifiedItem { body_text: String::new(), html: None, metadata, ..item("a", 1) };
    let text = "The turbine was let down at slack water. ".repeat(24);
    let repeated = IdentifiedItem { hash_url: post.hash_url.clone(), body_text: text.clone(), ..item("b", 2) };
    let article = of_site(repeated.clone());
    world.with_items(store, from_ref(&post)).await;
    let updated = async |number, source, found: &IdentifiedItem| {
        let look = world.look(number, source, from_ref(found));
        let counts = store.commit_fetch(&world.lease, &look).await.unwrap();
        assert_eq!(counts.new, 0);
        counts.updated
    };
    let stored = async || store.load_items(world.topic.id, &[post.id]).await.unwrap().remove(0);
    assert_eq!(updated(1, world.second, &repeated).await, 0, "a source of another site fills nothing");
    assert_eq!(stored().await.0.body_text, "");
    let titled = of_site(IdentifiedItem { body_text: String::new(), ..repeated.clone() });
    assert_eq!(updated(2, world.second, &titled).await, 0, "there is no text in it");
    assert_eq!(updated(3, world.second, &article).await, 1);
    let (item, sources) = stored().await;
    assert_eq!((item.title, item.body_text, item.url), (article.title.clone(), text.clone(), article.url.clone()));
    assert_eq!((item.source_id, sources), (world.second, vec![world.second, world.first]), "whose words they are");
    assert_eq!((item.time, item.metadata), (post.time, ItemMetadata { discussion_url, ..article.metadata.clone() }));
    let edited_post = IdentifiedItem { body_text: text.repeat(3), hash_text: "edited post".to_owned(), ..post.clone() };
    for (number, again) in [(4, &post), (5, &edited_post)] {
        assert_eq!(updated(number, world.first, again).await, 0, "the post is no edit of the article");
    }
    let liked = Engagement { score: Some(90), comments: Some(1), views: None };
    assert_eq!(updated(6, world.first, &IdentifiedItem { engagement: liked, ..post.clone() }).await, 0);
    assert_eq!(stored().await.0.engagement.score, Some(90), "the forum's counts are those of the article");
    let edited = IdentifiedItem { body_text: text.repeat(2), hash_text: "edited".to_owned(), ..article.clone() };
    assert_eq!(updated(7, world.second, &edited).await, 1, "the article is edited by its source");
    assert_eq!(stored().await.0.body_text, text.repeat(2));
}

async fn the_text_of_a_site_replaces_what_others_wrote_about_it_and_fills_its_own_teaser(store: &dyn Store) {
    let world = World::new(store).await;
    let comment = IdentifiedItem { body_text: "I think that it leaks. ".repeat(40), ..item("a", 1) };
    let address = |item: IdentifiedItem| IdentifiedItem { hash_url: comment.hash_url.clone(), ..item };
    let teaser = of_site(address(IdentifiedItem { body_text: "It was let down.".to_owned(), ..item("b", 2) }));
    let page = of_site(address(IdentifiedItem { body_text: "It was let down. ".repeat(30), ..item("c", 3) }));
    let updated = async |number, source, found: &IdentifiedItem| {
        let look = world.look(number, source, from_ref(found));
        store.commit_fetch(&world.lease, &look).await.unwrap().updated
    };
    world.with_items(store, from_ref(&comment)).await;
    assert_eq!(updated(1, world.second, &teaser).await, 1);
    assert_eq!(updated(2, world.first, &comment).await, 0, "what is written about a page does not fill its teaser");
    let elsewhere = of_site(IdentifiedItem { hash_url: Some("elsewhere".to_owned()), ..comment.clone() });
    assert_eq!(updated(3, world.first, &elsewhere).await, 0, "nor does what has another address by now");
    assert_eq!(updated(4, world.first, &page).await, 1, "another feed of the site does");
    assert_eq!(updated(5, world.second, &teaser).await, 0);
    let (stored, _) = store.load_items(world.topic.id, &[comment.id]).await.unwrap().remove(0);
    assert_eq!((stored.source_id, stored.body_text), (world.first, page.body_text));
}

async fn topics_share_an_item_only_if_its_text_is_the_same(store: &dyn Store) {
    let (world, other) = (World::new(store).await, World::named(store, "other").await);
    world.with_items(store, &[item("a", 1), item("b", 1)]).await;
    let retold = |key: &str| IdentifiedItem { hash_text: "retold".to_owned(), ..of_site(item(key, 2)) };
    let of_other = async |number, found: &[IdentifiedItem]| {
        store.commit_fetch(&other.lease, &other.look(number, other.first, found)).await.unwrap()
    };
    let counts = of_other(0, &[retold("a"), item("b", 1)]).await;
    assert_eq!((counts.new, counts.updated), (1, 0), "the same page with another text, under the same id");
    let counts = of_other(1, &[retold("a"), retold("b")]).await;
    assert_eq!((counts.new, counts.updated), (0, 0), "a topic that does not have this source keeps its text");
    let found = store.unassigned_items(other.topic.id, at(24)).await.unwrap();
    assert!(found.len() == 2 && found.iter().all(|item| item.id != id("a")), "{found:?}");
    for key in ["a", "b"] {
        let (stored, sources) = store.load_items(world.topic.id, &[id(key)]).await.unwrap().remove(0);
        assert_eq!((stored.source_id, sources), (world.first, vec![world.first]), "{key}");
    }
}

on_every_database!(
    a_link_post_is_given_the_text_of_the_site_that_it_links_to,
    the_text_of_a_site_replaces_what_others_wrote_about_it_and_fills_its_own_teaser,
    topics_share_an_item_only_if_its_text_is_the_same,
);
