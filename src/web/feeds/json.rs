//! JSON Feed 1.1.

use serde_json::{Value, json};

use crate::digest::rss::{Entry, Feed};

pub(super) fn render(feed: &Feed) -> String {
    json!({
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "home_page_url": feed.home,
        "feed_url": feed.address,
        "items": feed.entries.iter().map(item).collect::<Vec<Value>>(),
    })
    .to_string()
}

fn item(entry: &Entry) -> Value {
    let mut item = json!({
        "id": entry.id,
        "title": entry.title,
        "content_html": entry.html,
        "date_published": entry.published,
    });
    if let Some(link) = &entry.link {
        item["url"] = json!(link);
    }
    if let Some(author) = &entry.author {
        item["authors"] = json!([{ "name": author }]);
    }
    if !entry.category.is_empty() {
        item["tags"] = json!([entry.category]);
    }
    item
}
