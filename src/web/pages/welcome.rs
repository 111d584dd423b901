//! First steps: interests, sources and a first run, each marked when done.

use askama::Template;
use axum::response::Html;

use super::super::{Failure, WebState};
use super::topic_links::{TopicLinks, encoded};
use super::{Shell, html};
use crate::services::{sources, topics};

/// Suggested sources: name, location.
const STARTERS: [(&str, &str); 6] = [
    ("Hacker News, front page", "hn:top"),
    ("Lobsters", "https://lobste.rs/rss"),
    ("LWN.net", "https://lwn.net/headlines/rss"),
    ("Ars Technica", "https://feeds.arstechnica.com/arstechnica/index"),
    ("Quanta Magazine", "https://www.quantamagazine.org/feed/"),
    ("BBC News, world", "https://feeds.bbci.co.uk/news/world/rss.xml"),
];

#[derive(Template)]
#[template(path = "web/welcome.html")]
struct WelcomePage {
    shell: Shell,
    topic: String,
    interests: String,
    sources: usize,
}

pub(super) async fn page(state: &WebState, shell: Shell, topics: TopicLinks) -> Result<Html<String>, Failure> {
    let topic = topics.current;
    let (interests, sources) = if topics.names.contains(&topic) {
        let interests = topics::find(state.app(), &topic).await?.interests;
        (interests, sources::list(state.app(), Some(&topic)).await?.len())
    } else {
        (String::new(), 0)
    };
    html(&WelcomePage { shell, topic, interests, sources })
}
