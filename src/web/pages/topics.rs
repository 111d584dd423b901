//! Topics: interests, rules, sizes and schedule; with a look at what interests would match before they are saved.

use aha_core::topic::Topic;
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};

use super::super::{Editor, Failure, PathOf, Reader, WebState};
use super::topic_links::{encoded, query_of};
use super::{SentForm, Shell, html};
use crate::pipeline::interests::Preview;
use crate::services::topics::{self, TopicChange};
use crate::services::{ErrorKind, ServiceError};

pub(super) fn routes() -> Router<WebState> {
    Router::new()
        .route("/welcome/interests", post(first_interests))
        .route("/topics", get(list).post(add))
        .route("/topics/{name}", get(one).post(set))
        .route("/topics/{name}/rules", post(remove_rule))
        .route("/topics/{name}/remove", post(remove))
}

/// Days of items that interests are tried on.
const TRIED_DAYS: u16 = 14;

#[derive(Template)]
#[template(path = "web/topics.html")]
struct TopicsPage {
    shell: Shell,
    topics: Vec<Topic>,
    problem: Option<String>,
}

async fn list(_: Reader, State(state): State<WebState>, shell: Shell) -> Result<Html<String>, Failure> {
    html(&TopicsPage { shell, topics: topics::list(state.app()).await?, problem: None })
}

async fn add(_: Editor, State(state): State<WebState>, shell: Shell, form: SentForm) -> Result<Response, Failure> {
    let name = form.text("name");
    let change = TopicChange { interests: Some(form.text("interests").to_owned()), ..TopicChange::default() };
    match topics::add(state.app(), name, &change).await {
        Ok(topic) => Ok(to_topic(&state, &topic.name)),
        Err(error) => {
            let problem = Some(sayable(error)?);
            let page = html(&TopicsPage { shell, topics: topics::list(state.app()).await?, problem })?;
            Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
        }
    }
}

/// The first step of a topic that may not be there yet.
async fn first_interests(_: Editor, State(state): State<WebState>, form: SentForm) -> Result<Response, Failure> {
    let (name, interests) = (form.text("topic"), Some(form.text("interests").to_owned()));
    if name == super::topic_links::DEFAULT {
        topics::init(state.app(), interests).await?;
    } else {
        topics::set(state.app(), name, &TopicChange { interests, ..TopicChange::default() }).await?;
    }
    Ok(Redirect::to(&format!("{}/{}", state.prefix(), query_of(name))).into_response())
}

/// What the person at the form can put right; all else is an error page.
fn sayable(error: ServiceError) -> Result<String, Failure> {
    match error.kind() {
        ErrorKind::InvalidInput | ErrorKind::Conflict => Ok(error.to_string()),
        _ => Err(error.into()),
    }
}

fn to_topic(state: &WebState, name: &str) -> Response {
    Redirect::to(&format!("{}/topics/{}", state.prefix(), encoded(name))).into_response()
}

#[derive(Template)]
#[template(path = "web/topic.html")]
struct TopicPage {
    shell: Shell,
    topic: Topic,
    /// As typed, where they are being tried.
    interests: String,
    preview: Option<Preview>,
    problem: Option<String>,
}

async fn one(
    _: Reader,
    State(state): State<WebState>,
    shell: Shell,
    PathOf(name): PathOf<String>,
) -> Result<Html<String>, Failure> {
    let topic = topics::find(state.app(), &name).await?;
    html(&TopicPage { shell, interests: topic.interests.clone(), topic, preview: None, problem: None })
}

/// Saves, or shows what the interests would match.
async fn set(
    _: Editor,
    State(state): State<WebState>,
    shell: Shell,
    PathOf(name): PathOf<String>,
    form: SentForm,
) -> Result<Response, Failure> {
    let topic = topics::find(state.app(), &name).await?;
    let interests = form.text("interests").to_owned();
    if form.is_set("try") {
        let preview = topics::preview_interests(state.app(), &name, Some(&interests), TRIED_DAYS).await?;
        let page = TopicPage { shell, topic, interests, preview: Some(preview), problem: None };
        return html(&page).map(IntoResponse::into_response);
    }
    let saved = match change_of(&form) {
        Ok(change) => topics::set(state.app(), &name, &change).await.map(|_| ()),
        Err(failure) => Err(ServiceError::Conflict { message: failure.message().to_owned() }),
    };
    match saved {
        Ok(()) => Ok(to_topic(&state, &name)),
        Err(error) => {
            let page = TopicPage { shell, topic, interests, preview: None, problem: Some(sayable(error)?) };
            Ok((StatusCode::UNPROCESSABLE_ENTITY, html(&page)?).into_response())
        }
    }
}

/// What a form says; fields that it does not have stay as they are.
fn change_of(form: &SentForm) -> Result<TopicChange, Failure> {
    let text = |name: &str| Some(form.text(name)).filter(|text| !text.is_empty()).map(str::to_owned);
    let rule = text("pattern").map(|pattern| format!("{}:{pattern}", form.text("field")));
    let (mute, boost) = if form.text("action") == "boost" { (None, rule) } else { (rule, None) };
    Ok(TopicChange {
        interests: form.has("interests").then(|| form.text("interests").to_owned()),
        schedule: text("schedule"),
        timezone: text("timezone"),
        mute: mute.into_iter().collect(),
        boost: boost.into_iter().collect(),
        top: number(form, "top")?,
        scan: number(form, "scan")?,
        at_least: number(form, "at_least")?,
        depth: number(form, "depth")?,
        budget_tier: text("budget_tier"),
        ..TopicChange::default()
    })
}

fn number(form: &SentForm, name: &'static str) -> Result<Option<u8>, Failure> {
    let text = form.text(name);
    let wrong = || Failure::invalid(name, format!("{name}: {text:?} is no whole number from 0 to 255"));
    if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(|_| wrong()) }
}

async fn remove_rule(
    _: Editor,
    State(state): State<WebState>,
    PathOf(name): PathOf<String>,
    form: SentForm,
) -> Result<Response, Failure> {
    topics::remove_rule(state.app(), &name, form.text("rule")).await?;
    Ok(to_topic(&state, &name))
}

/// With the name typed once more, as it takes the digests along.
async fn remove(
    _: Editor,
    State(state): State<WebState>,
    PathOf(name): PathOf<String>,
    form: SentForm,
) -> Result<Response, Failure> {
    if form.text("confirm") != name {
        return Err(Failure::invalid("confirm", "type the topic's name to remove it with its digests and sources"));
    }
    topics::remove(state.app(), &name).await?;
    Ok(Redirect::to(&format!("{}/topics", state.prefix())).into_response())
}

fn is_tier(topic: &Topic, tier: &str) -> bool {
    topic.budget_tier.is_some_and(|set| set.as_str() == tier)
}
