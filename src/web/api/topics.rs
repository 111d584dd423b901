//! Topics: interests, rules, sizes and schedule, and previews of a change before it is saved.

use aha_core::topic::{Rule, Topic};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::super::extract::{object, object_or_null};
use super::super::{Admin, Editor, Failure, JsonBody, JsonQuery, PathOf, Reader, WebState};
use super::page::PageQuery;
use crate::services::replay::{self, Replay, ReplayChoice, ReplayRules};
use crate::services::topics::InterestMatches;
use crate::services::topics::{self, PREVIEW_DAYS, RemovedTopic, TopicChange};

pub(super) fn routes() -> OpenApiRouter<WebState> {
    OpenApiRouter::new()
        .routes(routes!(list, add))
        .routes(routes!(one, set, remove))
        .routes(routes!(preview))
        .routes(routes!(replayed))
        .routes(routes!(rules, add_rule, remove_rule))
}

#[derive(Debug, Serialize)]
struct Topics {
    topics: Vec<Topic>,
    next: Option<String>,
}

/// All topics, by name.
#[utoipa::path(get, path = "/api/v1/topics", tag = "topics", params(PageQuery),
    responses((status = 200, description = "`topics` and `next`", body = Object)))]
async fn list(
    _: Reader,
    State(state): State<WebState>,
    JsonQuery(page): JsonQuery<PageQuery>,
) -> Result<Json<Topics>, Failure> {
    let (topics, next) =
        page.of(topics::list(state.app()).await?, |topic| (topic.name.clone(), topic.id.to_string()))?;
    Ok(Json(Topics { topics, next }))
}

/// A topic to add.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewTopic {
    #[schema(min_length = 1, max_length = 200)]
    name: String,
    /// Settings that differ from the defaults.
    #[serde(default, deserialize_with = "object")]
    settings: TopicChange,
}

/// Adds a topic.
#[utoipa::path(post, path = "/api/v1/topics", tag = "topics", request_body = NewTopic,
    responses((status = 201, description = "The topic", body = Object)))]
async fn add(
    _: Editor,
    State(state): State<WebState>,
    JsonBody(NewTopic { name, settings }): JsonBody<NewTopic>,
) -> Result<(StatusCode, Json<Topic>), Failure> {
    Ok((StatusCode::CREATED, Json(topics::add(state.app(), &name, &settings).await?)))
}

/// One topic.
#[utoipa::path(get, path = "/api/v1/topics/{name}", tag = "topics", params(("name" = String, Path)),
    responses((status = 200, description = "The topic", body = Object)))]
async fn one(_: Reader, State(state): State<WebState>, PathOf(name): PathOf<String>) -> Result<Json<Topic>, Failure> {
    Ok(Json(topics::find(state.app(), &name).await?))
}

/// Changes the given settings of a topic: all of them, or none if one is invalid.
#[utoipa::path(patch, path = "/api/v1/topics/{name}", tag = "topics", request_body = TopicChange, params(("name" = String, Path)),
    responses((status = 200, description = "The topic after the change", body = Object)))]
async fn set(
    _: Editor,
    State(state): State<WebState>,
    PathOf(name): PathOf<String>,
    JsonBody(change): JsonBody<TopicChange>,
) -> Result<Json<Topic>, Failure> {
    Ok(Json(topics::set(state.app(), &name, &change).await?))
}

/// Removes a topic with its sources, digests and feedback; what it has spent stays in the ledger.
#[utoipa::path(delete, path = "/api/v1/topics/{name}", tag = "topics", params(("name" = String, Path)),
    responses((status = 200, description = "Its name, and the number of sources removed with it", body = Object),
        (status = 409, description = "A run holds the topic", body = super::ErrorBody)))]
async fn remove(
    _: Admin,
    State(state): State<WebState>,
    PathOf(name): PathOf<String>,
) -> Result<Json<RemovedTopic>, Failure> {
    if state.runs().is_running(&name) {
        return Err(Failure::conflict("a run holds the topic; stop it, or wait for its end"));
    }
    Ok(Json(topics::remove(state.app(), &name).await?))
}

/// Interests to try.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Trial {
    /// The topic's own interests if omitted.
    #[schema(max_length = 20000)]
    interests: Option<String>,
    /// Number of days of items to match.
    #[schema(minimum = 1, maximum = 60)]
    days: Option<u16>,
}

/// How interests are understood, and what they would match. Nothing is saved.
#[utoipa::path(post, path = "/api/v1/topics/{name}/preview", tag = "topics", request_body = Trial, params(("name" = String, Path)),
    responses((status = 200, description = "`clauses` as understood, counts, and the `best` matches", body = Object)))]
async fn preview(
    _: Reader,
    State(state): State<WebState>,
    PathOf(name): PathOf<String>,
    JsonBody(Trial { interests, days }): JsonBody<Trial>,
) -> Result<Json<InterestMatches>, Failure> {
    let days = days.unwrap_or(PREVIEW_DAYS);
    if !(1..=60).contains(&days) {
        return Err(Failure::invalid("days", "it must be a number from 1 to 60"));
    }
    Ok(Json(topics::preview_interests(state.app(), &name, interests.as_deref(), days).await?))
}

/// The settings to change.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Change {
    /// The id of a finished run or of its digest; the topic's latest if omitted.
    run: Option<String>,
    #[schema(max_length = 20000)]
    interests: Option<String>,
    /// All rules, which replace the run's own.
    #[serde(default, deserialize_with = "object_or_null")]
    rules: Option<ReplayRules>,
    /// Weights of the ranking, each `NAME=NUMBER`.
    #[serde(default)]
    weights: Vec<String>,
    /// The minimum score that is shown.
    #[schema(maximum = 100)]
    at_least: Option<u8>,
}

/// A past digest recomputed with other interests, rules or weights. No model is called, nothing is saved.
#[utoipa::path(post, path = "/api/v1/topics/{name}/replay", tag = "topics", request_body = Change, params(("name" = String, Path)),
    responses((status = 200, description = "The `digest`, what it was `before`, and the stories that `moves`", body = Object)))]
async fn replayed(
    _: Editor,
    State(state): State<WebState>,
    PathOf(name): PathOf<String>,
    JsonBody(change): JsonBody<Change>,
) -> Result<Json<Replay>, Failure> {
    topics::find(state.app(), &name).await?;
    let Change { run, interests, rules, weights, at_least } = change;
    let usual = ReplayChoice::default();
    let choice = ReplayChoice { run: run.unwrap_or(usual.run), topic: Some(name), weights, interests, rules, at_least };
    Ok(Json(replay::replay_in_turn(state.app(), choice).await?))
}

#[derive(Debug, Serialize)]
struct Rules {
    rules: Vec<ShownRule>,
}

/// A rule, with the text that identifies it.
#[derive(Debug, Serialize)]
struct ShownRule {
    text: String,
    #[serde(flatten)]
    rule: Rule,
}

fn shown(topic: Topic) -> Json<Rules> {
    let shown = topic.rules.into_iter().map(|rule| ShownRule { text: rule.to_string(), rule });
    Json(Rules { rules: shown.collect() })
}

/// The rules by which a topic excludes or boosts stories.
#[utoipa::path(get, path = "/api/v1/topics/{name}/rules", tag = "topics", params(("name" = String, Path)),
    responses((status = 200, description = "`rules`, each with its `text`", body = Object)))]
async fn rules(_: Reader, State(state): State<WebState>, PathOf(name): PathOf<String>) -> Result<Json<Rules>, Failure> {
    Ok(shown(topics::find(state.app(), &name).await?))
}

/// A rule to add.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewRule {
    action: NewAction,
    field: NewField,
    /// A regular expression, matched in linear time, ignoring case.
    #[schema(min_length = 1, max_length = 2000)]
    pattern: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum NewAction {
    Mute,
    Boost,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum NewField {
    /// Title and text, at word borders.
    Word,
    /// The source's name or address.
    Source,
    Author,
}

impl NewField {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Word => "word",
            Self::Source => "source",
            Self::Author => "author",
        }
    }
}

/// Adds a rule; an existing one is kept.
#[utoipa::path(post, path = "/api/v1/topics/{name}/rules", tag = "topics", request_body = NewRule, params(("name" = String, Path)),
    responses((status = 201, description = "All `rules` after the change", body = Object)))]
async fn add_rule(
    _: Editor,
    State(state): State<WebState>,
    PathOf(name): PathOf<String>,
    JsonBody(NewRule { action, field, pattern }): JsonBody<NewRule>,
) -> Result<(StatusCode, Json<Rules>), Failure> {
    let text = vec![format!("{}:{pattern}", field.as_str())];
    let change = match action {
        NewAction::Mute => TopicChange { mute: text, ..TopicChange::default() },
        NewAction::Boost => TopicChange { boost: text, ..TopicChange::default() },
    };
    Ok((StatusCode::CREATED, shown(topics::set(state.app(), &name, &change).await?)))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct NamedRule {
    /// The rule's `text`, such as `mute word:football`.
    rule: String,
}

/// Removes a rule.
#[utoipa::path(delete, path = "/api/v1/topics/{name}/rules", tag = "topics", params(("name" = String, Path), NamedRule),
    responses((status = 200, description = "The remaining `rules`", body = Object)))]
async fn remove_rule(
    _: Editor,
    State(state): State<WebState>,
    PathOf(name): PathOf<String>,
    JsonQuery(NamedRule { rule }): JsonQuery<NamedRule>,
) -> Result<Json<Rules>, Failure> {
    Ok(shown(topics::remove_rule(state.app(), &name, &rule).await?))
}
