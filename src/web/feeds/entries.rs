//! The entries of the feeds.

use std::collections::HashSet;

use aha_core::digest::{Digest, Section};
use aha_core::time::Timestamp;
use html_escape::encode_text;

use super::super::pages::encoded;
use super::super::{Failure, WebState};
use crate::digest::format::Calendar;
use crate::digest::rss::{Entry, Feed, linked, story_entry};
use crate::digest::sanitise::Link;
use crate::digest::view::{Overview, Story};
use crate::services::digests;
use crate::services::feedback::{self, FeedbackUser};

/// Number of digests that a feed contains, or whose top stories it contains.
const DIGESTS: i64 = 10;
const SAVED: usize = 100;

/// Returns the feed with that name; `None` if there is none.
pub(super) async fn read(
    state: &WebState,
    user: FeedbackUser,
    topic: &str,
    name: &str,
    what: &str,
) -> Result<Option<Feed>, Failure> {
    let (entries, title, page) = match what {
        "digests" => (of_digests(state, topic).await?, "digests", format!("/?topic={}", encoded(topic))),
        "stories" => (of_stories(state, topic).await?, "top stories", format!("/?topic={}", encoded(topic))),
        "saved" => (of_saved(state, user, topic).await?, "saved", format!("/saved?topic={}", encoded(topic))),
        _ => return Ok(None),
    };
    let title = format!("{topic}: {title} · Aha Radar");
    Ok(Some(Feed {
        description: title.clone(),
        title,
        home: state.address(&page),
        address: Some(state.address(&format!("/feeds/{}/{name}", encoded(topic)))),
        updated: entries.iter().map(|entry| entry.published).max().unwrap_or(Timestamp::from_millis(0)),
        entries,
    }))
}

async fn of_digests(state: &WebState, topic: &str) -> Result<Vec<Entry>, Failure> {
    let entry = |digest: &Digest| {
        let overview = Overview::of(digest);
        let link = state.address(&format!("/digests/{}", digest.head.id));
        Entry {
            id: format!("urn:uuid:{}", digest.head.id),
            title: format!("{}, {}", overview.topic, overview.day),
            html: in_html(&overview),
            link: Some(link),
            published: digest.head.window_end,
            category: "digest",
            author: None,
        }
    };
    Ok(digests::latest_several(state.app(), topic, DIGESTS, None).await?.iter().map(entry).collect())
}

/// Formats the digest's first line and its stories.
fn in_html(overview: &Overview) -> String {
    let line = |(title, link): &(String, Link)| format!("<li>{}</li>", linked(title, link));
    let list = |stories: &[(String, Link)]| stories.iter().map(line).collect::<String>();
    let header = encode_text(&overview.header);
    format!("<p>{header}</p><ol>{}</ol><ul>{}</ul>", list(&overview.top), list(&overview.scan))
}

/// Returns each story once, as in its newest digest.
async fn of_stories(state: &WebState, topic: &str) -> Result<Vec<Entry>, Failure> {
    let site = state.address("");
    let (mut known, mut entries) = (HashSet::new(), Vec::new());
    for digest in digests::latest_several(state.app(), topic, DIGESTS, Some(Section::Top)).await? {
        let calendar = Calendar::of(&digest.head);
        for story in &digest.stories {
            if known.insert(story.cluster_id) {
                entries.push(Entry {
                    id: format!("urn:uuid:{}", story.cluster_id),
                    published: digest.head.window_end,
                    ..story_entry(Story::of(story, calendar), Some(&site))
                });
            }
        }
    }
    Ok(entries)
}

async fn of_saved(state: &WebState, user: FeedbackUser, topic: &str) -> Result<Vec<Entry>, Failure> {
    let found = feedback::saved(state.app(), user, topic).await?;
    let entry = |event: &aha_core::feedback::FeedbackEvent| Entry {
        id: format!("urn:uuid:{}", event.item_id),
        title: event.title.clone(),
        link: match found.digest_items.get(&event.item_id) {
            Some(id) => Some(state.address(&format!("/stories/{id}"))),
            None => Link::of(found.urls.get(&event.item_id).map(String::as_str)).href().map(str::to_owned),
        },
        published: event.given_at,
        category: "saved",
        author: event.author.clone(),
        html: format!("<p>{}</p>", encode_text(&event.source)),
    };
    Ok(found.events.iter().take(SAVED).map(entry).collect())
}
