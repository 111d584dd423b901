//! What stands in the feeds.

use std::collections::HashSet;

use aha_core::digest::{Digest, Section};
use aha_core::time::Timestamp;
use html_escape::{encode_double_quoted_attribute, encode_text};

use super::super::pages::encoded;
use super::super::{Failure, WebState};
use super::{Entry, Feed};
use crate::digest::rss::description;
use crate::digest::view::{Page, Story};
use crate::services::digests::{self, ArchiveFilter};
use crate::services::feedback::{self, FeedbackUser};

/// Digests that a feed holds, or whose top stories it does.
const DIGESTS: usize = 10;
const SAVED: usize = 100;

/// The feed of that name; nothing where there is none.
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
    Ok(Some(Feed {
        title: format!("{topic}: {title} · Aha Radar"),
        home: state.address(&page),
        address: state.address(&format!("/feeds/{}/{name}", encoded(topic))),
        id: format!("tag:aha-radar,2026:{}/{what}", encoded(topic)),
        updated: entries.iter().map(|entry| entry.published).max().unwrap_or(Timestamp::from_millis(0)),
        entries,
    }))
}

async fn newest(state: &WebState, topic: &str) -> Result<Vec<Digest>, Failure> {
    let filter = ArchiveFilter { topic: Some(topic.to_owned()), limit: DIGESTS, ..ArchiveFilter::default() };
    let mut found = Vec::new();
    for archived in digests::archive(state.app(), &filter).await? {
        found.push(digests::by_id(state.app(), archived.entry.head.id).await?);
    }
    Ok(found)
}

async fn of_digests(state: &WebState, topic: &str) -> Result<Vec<Entry>, Failure> {
    let entry = |digest: &Digest| {
        let page = Page::of(digest);
        let link = state.address(&format!("/digests/{}", digest.digest.id));
        Entry {
            id: format!("urn:uuid:{}", digest.digest.id),
            title: format!("{}, {}", page.topic, page.day),
            html: overview(&page),
            link: Some(link),
            published: digest.digest.window_end,
            category: "digest",
            author: None,
        }
    };
    Ok(newest(state, topic).await?.iter().map(entry).collect())
}

/// The digest's first line and its stories.
fn overview(page: &Page) -> String {
    let line = |story: &Story| format!("<li>{}</li>", linked(&story.title, story.link.href()));
    let list = |stories: &[Story]| stories.iter().map(line).collect::<String>();
    let header = encode_text(&page.header);
    format!("<p>{header}</p><ol>{}</ol><ul>{}</ul>", list(&page.top), list(&page.scan))
}

/// Each story once, as its newest digest has it.
async fn of_stories(state: &WebState, topic: &str) -> Result<Vec<Entry>, Failure> {
    let (mut known, mut entries) = (HashSet::new(), Vec::new());
    for digest in newest(state, topic).await? {
        let page = Page::of(&digest);
        let ids = digest.stories.iter().filter(|story| story.section == Section::Top).map(|story| story.cluster_id);
        for (story, cluster) in page.top.into_iter().zip(ids) {
            if known.insert(cluster) {
                entries.push(of_story(state, &story, format!("urn:uuid:{cluster}"), digest.digest.window_end));
            }
        }
    }
    Ok(entries)
}

fn of_story(state: &WebState, story: &Story, id: String, published: Timestamp) -> Entry {
    let say = |kind: &str, name: &str| {
        let link = state.address(&format!("/stories/{}/say?kind={kind}", story.id));
        linked(name, Some(&link))
    };
    let why = linked("why it is here", Some(&state.address(&format!("/stories/{}", story.id))));
    let said = [("like", "like"), ("dislike", "dislike"), ("save", "save")].map(|(kind, name)| say(kind, name));
    Entry {
        id,
        title: story.title.clone(),
        link: story.link.href().map(str::to_owned),
        published,
        category: story.label,
        author: story.author.clone(),
        html: format!("{}<p>{why} · {}</p>", description(story), said.join(" · ")),
    }
}

async fn of_saved(state: &WebState, user: FeedbackUser, topic: &str) -> Result<Vec<Entry>, Failure> {
    let found = feedback::saved(state.app(), user, topic).await?;
    let entry = |event: &aha_core::feedback::FeedbackEvent| Entry {
        id: format!("urn:uuid:{}", event.item_id),
        title: event.title.clone(),
        link: found.digest_items.get(&event.item_id).map(|id| state.address(&format!("/stories/{id}"))),
        published: event.given_at,
        category: "saved",
        author: event.author.clone(),
        html: format!("<p>{}</p>", encode_text(&event.source)),
    };
    Ok(found.events.iter().take(SAVED).map(entry).collect())
}

fn linked(name: &str, href: Option<&str>) -> String {
    match href {
        Some(href) => format!("<a href=\"{}\">{}</a>", encode_double_quoted_attribute(href), encode_text(name)),
        None => encode_text(name).into_owned(),
    }
}
