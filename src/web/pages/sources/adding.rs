//! Adds sources: by the address of a feed, by choice among the feeds of a page, and from an OPML file.

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::super::topic_links::{DEFAULT, encoded};
use super::super::{Shell, for_page, html};
use super::{ListQuery, added_in_words, list_page, to_list};
use crate::digest::sanitise::short_text;
use crate::services::sources::add::{self, Discovered, DiscoveredFeed, SourcesToAdd};
use crate::services::sources::opml;
use crate::services::{ErrorKind, ServiceError};
use crate::web::form::SentForm;
use crate::web::multipart::SentFile;
use crate::web::{Editor, Failure, WebState};

#[derive(Template)]
#[template(path = "web/discovered.html")]
struct DiscoveredPage {
    shell: Shell,
    topic: String,
    address: String,
    found: Vec<DiscoveredFeed>,
    problem: Option<String>,
    /// Whether it may be a source although nothing could be read there now.
    can_be_added: bool,
}

/// Shows the feeds of a page to choose from; nothing is added yet. An address that is a source itself is added, and so
/// is the only feed of a page that gives it no title.
pub(super) async fn discover(
    _: Editor,
    State(state): State<WebState>,
    shell: Shell,
    form: SentForm,
) -> Result<Response, Failure> {
    let (address, topic) = (form.text("address").to_owned(), form.text("topic").to_owned());
    let mut can_be_added = false;
    let discovered =
        if is_path(&address) { Err(local_path(&address)) } else { add::discover(state.app(), &address).await };
    let (found, problem) = match discovered {
        Ok(Discovered::Itself { .. }) => return add_all(&state, &topic, vec![address]).await,
        Ok(Discovered::Page(found)) if found.len() == 1 && found[0].title.is_none() => {
            return add_all(&state, &topic, found.into_iter().map(|feed| feed.url).collect()).await;
        }
        Ok(Discovered::Page(found)) => (found, None),
        Err(error) if error.kind() == ErrorKind::InvalidInput => {
            let expected = "give the address of a site or a feed, such as example.org or \
                            https://example.org/feed.xml, or a name such as hn:top or reddit:rust";
            (Vec::new(), Some(for_page(&format!("{error}; {expected}"))))
        }
        Err(error) => {
            can_be_added = true;
            (Vec::new(), Some(for_page(&error.to_string())))
        }
    };
    let status = if problem.is_some() && !can_be_added { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let page = html(&DiscoveredPage { shell, topic, address, found, problem, can_be_added })?;
    Ok((status, page).into_response())
}

pub(super) async fn add_chosen(_: Editor, State(state): State<WebState>, form: SentForm) -> Result<Response, Failure> {
    let chosen: Vec<String> = form.all("location").filter(|text| !text.is_empty()).map(str::to_owned).collect();
    if chosen.is_empty() {
        return Err(Failure::invalid("location", "choose one at least"));
    }
    add_all(&state, form.text("topic"), chosen).await
}

async fn add_all(state: &WebState, topic: &str, locations: Vec<String>) -> Result<Response, Failure> {
    if let Some(path) = locations.iter().find(|location| is_path(location)) {
        return Err(local_path(path).into());
    }
    let topic = if topic.is_empty() { DEFAULT } else { topic };
    let new = SourcesToAdd { locations, topic: topic.to_owned(), as_is: true, ..SourcesToAdd::default() };
    let added = add::add(state.app(), &new, &mut |_| {}).await?;
    let said = format!("added&added={}&known={}", added.counts.added, added.counts.known);
    Ok(to_list(state, topic, &said))
}

/// Returns whether the location looks like a file's path: the response must not reveal whether the file exists.
fn is_path(location: &str) -> bool {
    location.starts_with(['.', '/', '~']) || location.starts_with("file:")
}

fn local_path(path: &str) -> ServiceError {
    let message = format!("{path:?} is no web address; local files can only be added on the command line");
    ServiceError::invalid("location", message)
}

/// Adds the sources of a list. Outlines that could not be used are named above the sources.
pub(super) async fn import(
    _: Editor,
    State(state): State<WebState>,
    shell: Shell,
    file: SentFile,
) -> Result<Response, Failure> {
    let listed = opml::read(state.app(), &file.bytes, &file.name)?;
    let topic = file.form.text("topic");
    let topic = if topic.is_empty() { DEFAULT } else { topic };
    let counts = opml::import(state.app(), &file.name, &listed, topic).await?;
    if listed.unusable_count == 0 {
        return Ok(to_list(&state, topic, &format!("added&added={}&known={}", counts.added, counts.known)));
    }
    let mut done = added_in_words(counts.added, counts.known);
    done.push_str(&unusable_in_words(listed.unusable_count, &listed.unusable));
    let query = ListQuery { topic: Some(topic.to_owned()), ..ListQuery::default() };
    Ok(list_page(&state, shell, query, done).await?.into_response())
}

/// Maximum number of unusable outlines that the message after an import names, and the length of each reason in
/// characters.
const MAX_REASONS: usize = 3;
const MAX_REASON_CHARS: usize = 120;

/// Describes the outlines that could not be used; empty if all could.
fn unusable_in_words(count: usize, reasons: &[String]) -> String {
    let named: Vec<String> =
        reasons.iter().take(MAX_REASONS).map(|reason| short_text(reason, MAX_REASON_CHARS)).collect();
    match (count, named.join("; ")) {
        (0, _) => String::new(),
        (_, named) if named.is_empty() => format!("; {count} could not be used"),
        (_, named) if count > MAX_REASONS => format!("; {count} could not be used, among them: {named}"),
        (_, named) => format!("; {count} could not be used: {named}"),
    }
}
