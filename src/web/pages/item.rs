//! One item as its feed brought it, to be read here: sanitised, and with images of other servers only where the reader
//! asks for them.

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;

use aha_content::sanitize::within_page;
use aha_core::ids::ItemId;

use super::super::guard::headers::POLICY_WITH_IMAGES;
use super::super::{Failure, JsonQuery, PathOf, Reader, WebState};
use super::{Shell, day, html};
use crate::digest::sanitise::{Link, short_text};
use crate::services::items::{self, StoredItem};
use crate::services::stories;

const MAX_TITLE_CHARS: usize = 300;
const MAX_NAME_CHARS: usize = 120;

pub(super) fn routes() -> Router<WebState> {
    Router::new().route("/items/{id}", get(page))
}

/// `?images=1`
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Shown {
    images: String,
}

#[derive(Template)]
#[template(path = "web/item.html")]
struct ItemPage {
    shell: Shell,
    id: String,
    title: String,
    link: Link,
    source: String,
    author: String,
    day: String,
    machine_time: String,
    language: Option<String>,
    /// The newest line of a digest that it stood in.
    story: Option<String>,
    /// Sanitised markup; `None` where the text is all there is.
    html: Option<String>,
    /// The text, where there is no markup.
    paragraphs: Vec<String>,
    /// Images that the markup has.
    images: usize,
    with_images: bool,
}

async fn page(
    _: Reader,
    State(state): State<WebState>,
    shell: Shell,
    PathOf(id): PathOf<String>,
    JsonQuery(shown): JsonQuery<Shown>,
) -> Result<Response, Failure> {
    let id: ItemId = id.parse().map_err(|_| Failure::not_found("there is no item of that id"))?;
    let item = items::find(state.app(), id).await?;
    let story = stories::newest_lines(state.app(), &[id]).await?.remove(&id);
    let with_images = shown.images == "1";
    let page = html(&ItemPage { story: story.map(|line| line.to_string()), ..filled(shell, item, with_images) })?;
    Ok(if with_images {
        let policy = [(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY_WITH_IMAGES))];
        (policy, page).into_response()
    } else {
        page.into_response()
    })
}

fn filled(shell: Shell, item: StoredItem, with_images: bool) -> ItemPage {
    let StoredItem { named, text, html, metadata, .. } = item;
    let (item, source) = (named.item, named.source);
    let title = item.title.as_deref().map(|title| short_text(title, MAX_TITLE_CHARS)).filter(|title| !title.is_empty());
    ItemPage {
        shell,
        id: item.id.to_string(),
        title: title.unwrap_or_else(|| "(no title)".to_owned()),
        link: Link::of(item.url.as_deref()),
        source: source.as_deref().map(|source| short_text(source, MAX_NAME_CHARS)).unwrap_or_default(),
        author: item.author.as_deref().map(|author| short_text(author, MAX_NAME_CHARS)).unwrap_or_default(),
        day: day(item.time),
        machine_time: item.time.to_string(),
        language: metadata.language.filter(|language| is_tag(language)),
        story: None,
        images: html.as_deref().map_or(0, |html| html.matches("<img ").count()),
        paragraphs: if html.is_some() { Vec::new() } else { paragraphs(&text) },
        html: html.map(|html| within_page(&html, with_images)),
        with_images,
    }
}

fn paragraphs(text: &str) -> Vec<String> {
    let text = text.chars().filter(|c| *c == '\n' || !c.is_control()).collect::<String>();
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Whether it is a language tag such as `de` or `pt-BR`; a feed may write anything there.
fn is_tag(language: &str) -> bool {
    let part = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    language.len() >= 2 && language.split('-').all(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_its_lines_and_a_language_is_a_tag() {
        assert_eq!(paragraphs("a\n\n b\u{1b}[2J \n"), ["a", "b[2J"]);
        assert!(is_tag("de") && is_tag("pt-BR"));
        assert!(!is_tag("") && !is_tag("x\" onload") && !is_tag("en_US") && !is_tag("en-"));
    }
}
