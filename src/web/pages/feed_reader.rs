//! The addresses of a topic's feeds, and the token for a feed reader: created, shown once, revoked.

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::{Html, Redirect};
use axum::routing::{get, post};

use super::super::{Failure, JsonQuery, Reader, WebState};
use super::digests::OfTopic;
use super::topic_links::{TopicLinks, encoded, query_of};
use super::{Shell, day, html};
use crate::services::feed_tokens;
use crate::web::form::SentForm;

/// A topic's feeds: name in the address, and label.
const FEEDS: [(&str, &str); 3] =
    [("stories", "Top stories, each once"), ("digests", "Digests, one entry each"), ("saved", "What you saved")];
const FORMS: [(&str, &str); 3] = [("rss", "RSS"), ("atom", "Atom"), ("json", "JSON Feed")];

pub(super) fn routes() -> Router<WebState> {
    Router::new().route("/feed-reader", get(page).post(make)).route("/feed-reader/revoke", post(revoke))
}

#[derive(Template)]
#[template(path = "web/feed_reader.html")]
struct FeedReaderPage {
    shell: Shell,
    topics: TopicLinks,
    feeds: Vec<FeedLinks>,
    /// When the token was created.
    since: Option<String>,
    /// A token that was just created; the addresses contain it, too.
    token: Option<String>,
    sign_in_required: bool,
}

/// A feed's formats: name and address of each.
struct FeedLinks {
    name: &'static str,
    forms: Vec<(&'static str, String)>,
}

fn feeds(state: &WebState, topic: &str, token: Option<&str>) -> Vec<FeedLinks> {
    let token = token.map(|token| format!("?token={token}")).unwrap_or_default();
    let links = |what: &str| {
        let address = |(ending, name): (&str, &'static str)| {
            (name, state.address(&format!("/feeds/{}/{what}.{ending}{token}", encoded(topic))))
        };
        FORMS.into_iter().map(address).collect()
    };
    FEEDS.into_iter().map(|(what, name)| FeedLinks { name, forms: links(what) }).collect()
}

async fn shown(
    state: &WebState,
    user: &str,
    shell: Shell,
    topic: Option<&str>,
    token: Option<String>,
) -> Result<Html<String>, Failure> {
    let topics = TopicLinks::read(state.app(), topic).await?;
    let since = feed_tokens::created_at(state.app(), user).await?.map(day);
    let feeds = feeds(state, &topics.current, token.as_deref());
    html(&FeedReaderPage { shell, topics, feeds, since, token, sign_in_required: state.sign_in_required() })
}

async fn page(
    Reader(who): Reader,
    State(state): State<WebState>,
    shell: Shell,
    JsonQuery(of): JsonQuery<OfTopic>,
) -> Result<Html<String>, Failure> {
    shown(&state, &who.name, shell, of.topic.as_deref(), None).await
}

/// Creates a token that replaces the previous one. Only this response shows it, as only its fingerprint is stored.
async fn make(
    Reader(who): Reader,
    State(state): State<WebState>,
    shell: Shell,
    form: SentForm,
) -> Result<Html<String>, Failure> {
    let token = feed_tokens::create(state.app(), &who.name).await?;
    let topic = Some(form.text("topic")).filter(|topic| !topic.is_empty());
    shown(&state, &who.name, shell, topic, Some(token)).await
}

async fn revoke(Reader(who): Reader, State(state): State<WebState>, _: SentForm) -> Result<Redirect, Failure> {
    feed_tokens::revoke(state.app(), &who.name).await?;
    Ok(Redirect::to(&format!("{}/feed-reader", state.prefix())))
}
