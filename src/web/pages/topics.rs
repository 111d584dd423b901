//! Topics: interests, rules, sizes and schedule, and a preview of what interests would match before they are saved.

use aha_content::numbers::count;
use aha_core::topic::{BudgetTier, Topic};
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};

use super::super::{Admin, Editor, Failure, JsonQuery, PathOf, Reader, WebState};
use super::messages::Said;
use super::topic_links::{encoded, query_of};
use super::{Shell, html, minute, problem_of};
use crate::config::Config;
use crate::digest::view::whole;
use crate::services::ServiceError;
use crate::services::preview::{self, ChangePreview, PreviewedStory};
use crate::services::topics::InterestMatches;
use crate::services::topics::{self, TopicChange, schedule_in_words};
use crate::web::form::SentForm;

pub(super) fn routes() -> Router<WebState> {
    Router::new()
        .route("/welcome/interests", post(first_interests))
        .route("/topics", get(list).post(add))
        .route("/topics/{name}", get(one).post(set))
        .route("/topics/{name}/rules", post(remove_rule))
        .route("/topics/{name}/remove", post(remove))
}

/// Days of items on which interests are previewed.
const PREVIEW_DAYS: u16 = 14;

#[derive(Template)]
#[template(path = "web/topics.html")]
struct TopicsPage {
    shell: Shell,
    topics: Vec<Topic>,
    /// The name and the interests as typed, if they could not be used.
    name: String,
    interests: String,
    problem: Option<String>,
}

/// Describes the planned run. Only a daemon makes it, and these pages may be served without one.
fn next_run(topic: &Topic) -> Option<String> {
    topic.next_run_at.map(|at| format!("next run of a daemon: {}, UTC", minute(at)))
}

async fn list(_: Reader, State(state): State<WebState>, shell: Shell) -> Result<Html<String>, Failure> {
    let topics = topics::list(state.app()).await?;
    html(&TopicsPage { shell, topics, name: String::new(), interests: String::new(), problem: None })
}

async fn add(_: Editor, State(state): State<WebState>, shell: Shell, form: SentForm) -> Result<Response, Failure> {
    let name = form.text("name");
    let change = TopicChange { interests: Some(form.text("interests").to_owned()), ..TopicChange::default() };
    match topics::add(state.app(), name, &change).await {
        Ok(topic) => Ok(to_topic(&state, &topic.name, "added")),
        Err(error) => {
            let problem = Some(problem_of(error)?);
            let (name, interests) = (name.to_owned(), form.text("interests").to_owned());
            let topics = topics::list(state.app()).await?;
            let page = html(&TopicsPage { shell, topics, name, interests, problem })?;
            Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
        }
    }
}

/// Sets the interests in the first step. The topic may not exist yet.
async fn first_interests(_: Editor, State(state): State<WebState>, form: SentForm) -> Result<Response, Failure> {
    let (name, interests) = (form.text("topic"), Some(form.text("interests").to_owned()));
    if name == super::topic_links::DEFAULT {
        topics::init(state.app(), interests).await?;
    } else {
        topics::set(state.app(), name, &TopicChange { interests, ..TopicChange::default() }).await?;
    }
    Ok(Redirect::to(&format!("{}/{}", state.prefix(), query_of(name))).into_response())
}

/// `said`: a code of [`Said`].
fn to_topic(state: &WebState, name: &str, said: &str) -> Response {
    Redirect::to(&format!("{}/topics/{}?said={said}", state.prefix(), encoded(name))).into_response()
}

#[derive(Template)]
#[template(path = "web/topic.html")]
struct TopicPage {
    shell: Shell,
    topic: Topic,
    values: Values,
    defaults: Defaults,
    /// What the typed interests match.
    matches: Option<InterestMatches>,
    trial: Option<PreviewState>,
    problem: Option<String>,
    /// The effect of a form that was just sent; empty without one.
    said: &'static str,
    /// Whether what was typed to remove it is not its name.
    is_misnamed: bool,
}

/// What holds where a topic has no value of its own.
struct Defaults {
    schedule: String,
    timezone: String,
    budget_tier: &'static str,
}

/// The values of the fields: as typed if they are previewed or could not be used, else as stored.
struct Values {
    interests: String,
    top: String,
    scan: String,
    at_least: String,
    depth: String,
    schedule: String,
    timezone: String,
    budget_tier: String,
    /// Of the form that adds a rule.
    action: String,
    field: String,
    pattern: String,
    /// Whether the pattern is a regular expression, and not text.
    is_regular: bool,
}

impl Values {
    fn of(topic: &Topic, form: &SentForm) -> Self {
        let typed = |name: &str, stored: String| if form.has(name) { form.text(name).to_owned() } else { stored };
        Self {
            interests: typed("interests", topic.interests.clone()),
            top: typed("top", topic.sizes.top.to_string()),
            scan: typed("scan", topic.sizes.scan.to_string()),
            at_least: typed("at_least", topic.sizes.at_least.to_string()),
            depth: typed("depth", topic.depth.to_string()),
            schedule: typed("schedule", topic.schedule.clone().unwrap_or_default()),
            timezone: typed("timezone", topic.timezone.clone().unwrap_or_default()),
            budget_tier: typed("budget_tier", topic.budget_tier.map_or("", BudgetTier::as_str).to_owned()),
            action: typed("action", String::new()),
            field: typed("field", String::new()),
            pattern: typed("pattern", String::new()),
            is_regular: form.is_set("regular"),
        }
    }
}

/// The preview of a change that is not saved yet.
struct PreviewState {
    /// The change in words, to be followed by what it would do.
    change: String,
    /// The submitted form, to be submitted again.
    action: &'static str,
    fields: Vec<(String, String)>,
    /// `None` if there is no digest yet.
    preview: Option<ChangePreview>,
}

impl TopicPage {
    fn of(config: &Config, shell: Shell, topic: Topic, form: &SentForm) -> Self {
        let values = Values::of(&topic, form);
        let defaults = Defaults {
            schedule: config.schedule.to_string(),
            timezone: config.timezone.to_string(),
            budget_tier: config.budget_tier.as_str(),
        };
        Self { shell, topic, values, defaults, matches: None, trial: None, problem: None, said: "", is_misnamed: false }
    }
}

async fn one(
    _: Reader,
    State(state): State<WebState>,
    shell: Shell,
    PathOf(name): PathOf<String>,
    JsonQuery(said): JsonQuery<Said>,
) -> Result<Html<String>, Failure> {
    let page =
        TopicPage::of(state.app().config(), shell, topics::find(state.app(), &name).await?, &SentForm::default());
    html(&TopicPage { said: said.in_words(), ..page })
}

/// Saves the topic, or previews the change.
async fn set(
    _: Editor,
    State(state): State<WebState>,
    shell: Shell,
    PathOf(name): PathOf<String>,
    form: SentForm,
) -> Result<Response, Failure> {
    let done = match change_of(&form) {
        Ok(change) if form.is_set("try") => preview_change(&state, &name, &change, &form).await.map(Some),
        Ok(change) => topics::set(state.app(), &name, &change).await.map(|_| None),
        Err(failure) => Err(ServiceError::Conflict { message: failure.message().to_owned() }),
    };
    answer(&state, shell, &name, &form, done).await
}

/// Removes a rule, or previews that.
async fn remove_rule(
    _: Editor,
    State(state): State<WebState>,
    shell: Shell,
    PathOf(name): PathOf<String>,
    form: SentForm,
) -> Result<Response, Failure> {
    let rule = form.text("rule");
    let done = if form.is_set("try") {
        preview_without_rule(&state, &name, rule, &form).await.map(Some)
    } else {
        topics::remove_rule(state.app(), &name, rule).await.map(|_| None)
    };
    answer(&state, shell, &name, &form, done).await
}

/// The preview, and what the interests match if they are part of it.
type PreviewResult = (PreviewState, Option<InterestMatches>);

async fn preview_change(
    state: &WebState,
    name: &str,
    change: &TopicChange,
    form: &SentForm,
) -> Result<PreviewResult, ServiceError> {
    let proposed = topics::proposed(state.app(), name, change).await?;
    let preview = preview::preview(state.app(), proposed).await?;
    let matches = match &change.interests {
        Some(text) => Some(topics::preview_interests(state.app(), name, Some(text), PREVIEW_DAYS).await?),
        None => None,
    };
    Ok((PreviewState { change: change_in_words(form), action: "", fields: form.without(&["try"]), preview }, matches))
}

fn change_in_words(form: &SentForm) -> String {
    match (form.text("field"), form.text("pattern")) {
        (_, "") if form.has("interests") => "With the interests below".to_owned(),
        (_, "") => "With these settings of the digest".to_owned(),
        (field, pattern) => {
            let action = if form.text("action") == "boost" { "boost" } else { "mute" };
            format!("If you {action} the {field} “{pattern}”")
        }
    }
}

async fn preview_without_rule(
    state: &WebState,
    name: &str,
    rule: &str,
    form: &SentForm,
) -> Result<PreviewResult, ServiceError> {
    let proposed = topics::without_rule(state.app(), name, rule).await?;
    let preview = preview::preview(state.app(), proposed).await?;
    let change = format!("Without the rule “{rule}”");
    Ok((PreviewState { change, action: "/rules", fields: form.without(&["try"]), preview }, None))
}

/// Redirects to the topic after saving; else shows the preview, or what is wrong with the form.
async fn answer(
    state: &WebState,
    shell: Shell,
    name: &str,
    form: &SentForm,
    done: Result<Option<PreviewResult>, ServiceError>,
) -> Result<Response, Failure> {
    let (tried, problem) = match done {
        Ok(None) => return Ok(to_topic(state, name, "saved")),
        Ok(Some(tried)) => (Some(tried), None),
        Err(error) => (None, Some(problem_of(error)?)),
    };
    let status = if problem.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let (trial, matches) = tried.map_or((None, None), |(trial, matches)| (Some(trial), matches));
    let page = TopicPage::of(state.app().config(), shell, topics::find(state.app(), name).await?, form);
    let page = TopicPage { matches, trial, problem, ..page };
    Ok((status, html(&page)?).into_response())
}

/// Reads the change from a form; absent fields stay unchanged, and empty ones become those of the environment.
fn change_of(form: &SentForm) -> Result<TopicChange, Failure> {
    let text = |name: &str| Some(form.text(name)).filter(|text| !text.is_empty()).map(str::to_owned);
    let set = |name: &str| form.has(name).then(|| form.text(name).to_owned());
    let as_typed = |pattern: String| if form.is_set("regular") { pattern } else { regex::escape(&pattern) };
    let rule = text("pattern").map(|pattern| format!("{}:{}", form.text("field"), as_typed(pattern)));
    let (mute, boost) = if form.text("action") == "boost" { (None, rule) } else { (rule, None) };
    Ok(TopicChange {
        interests: set("interests"),
        schedule: set("schedule"),
        timezone: set("timezone"),
        mute: mute.into_iter().collect(),
        boost: boost.into_iter().collect(),
        top: number(form, "top")?,
        scan: number(form, "scan")?,
        at_least: number(form, "at_least")?,
        depth: number(form, "depth")?,
        budget_tier: set("budget_tier"),
        ..TopicChange::default()
    })
}

fn number(form: &SentForm, name: &'static str) -> Result<Option<u8>, Failure> {
    let text = form.text(name);
    let wrong = || Failure::invalid(name, format!("{name}: {text:?} is no whole number from 0 to 255"));
    if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(|_| wrong()) }
}

/// Requires the name as confirmation, as the digests are removed as well.
async fn remove(
    _: Admin,
    State(state): State<WebState>,
    shell: Shell,
    PathOf(name): PathOf<String>,
    form: SentForm,
) -> Result<Response, Failure> {
    if form.text("confirm") != name {
        let page =
            TopicPage::of(state.app().config(), shell, topics::find(state.app(), &name).await?, &SentForm::default());
        let page = TopicPage { is_misnamed: true, ..page };
        return Ok((StatusCode::UNPROCESSABLE_ENTITY, html(&page)?).into_response());
    }
    topics::remove(state.app(), &name).await?;
    Ok(Redirect::to(&format!("{}/topics", state.prefix())).into_response())
}

/// Number of stories listed in a group.
const LISTED: usize = 8;

/// Stories with the same kind of change.
struct Group<'a> {
    /// With their number.
    heading: String,
    stories: &'a [PreviewedStory],
    /// Number of stories that are not listed.
    more: usize,
}

fn groups(preview: &ChangePreview) -> Vec<Group<'_>> {
    let groups: [(&'static str, &[PreviewedStory]); 5] = [
        ("Would enter", &preview.entering),
        ("Would leave", &preview.leaving),
        ("Would go up", &preview.rising),
        ("Would go down", &preview.falling),
        ("Would stay, with other sources", &preview.retold),
    ];
    let shown = groups.into_iter().filter(|(_, stories)| !stories.is_empty());
    shown
        .map(|(heading, stories)| Group {
            heading: format!("{heading}: {}", count(stories.len(), "story", "stories")),
            stories: &stories[..stories.len().min(LISTED)],
            more: stories.len().saturating_sub(LISTED),
        })
        .collect()
}

/// Formats `no. 4 → 2`, or `no. 2` for a story that enters or leaves.
fn places(story: &PreviewedStory) -> String {
    match (story.before, story.after) {
        (Some(before), Some(after)) if before.rank != after.rank => format!("no. {} → {}", before.rank, after.rank),
        (Some(place), Some(_)) => format!("no. {}", place.rank),
        (Some(only), None) | (None, Some(only)) => format!("no. {}", only.rank),
        (None, None) => String::new(),
    }
}

/// Formats `score 61 → 72`, and the number of items if it differs. A score that changes against the rank is left out: a
/// story goes up with a lower score if others lose more, which its own score does not explain.
fn differences(story: &PreviewedStory) -> Option<String> {
    let (before, after) = (story.before?, story.after?);
    let (score_before, score) = (whole(before.score), whole(after.score));
    let is_against_rank = if after.rank < before.rank {
        after.score < before.score
    } else {
        after.rank > before.rank && after.score > before.score
    };
    let is_shown = score_before != score && !is_against_rank;
    let scores = is_shown.then(|| format!("score {score_before} → {score}"));
    let items = (before.members != after.members)
        .then(|| format!("{} → {}", before.members, count(after.members, "item", "items")));
    let differences: Vec<String> = scores.into_iter().chain(items).collect();
    (!differences.is_empty()).then(|| differences.join(", "))
}

/// Says how many items of the last days interests would match.
fn matched_in_words(found: &InterestMatches) -> String {
    let items = count(found.items, "item", "items");
    if found.only_exclude() {
        let denied = count(found.denied, "item", "items");
        return format!(
            "Nothing is asked for; all else is ranked by general worth. Of {items} of the last days, {denied} would be \
             kept away."
        );
    }
    let denied = if found.denied > 0 { format!("; {} would be kept away", found.denied) } else { String::new() };
    format!("Of {items} of the last days {} would match and {} match in part{denied}.", found.strong, found.weak)
}

/// The heading of the best matches: their number, and how many there are.
fn best_in_words(found: &InterestMatches) -> String {
    let matches = found.strong + found.weak;
    if matches > found.best.len() {
        return format!("The best {} of {matches} matches", found.best.len());
    }
    count(matches, "match", "matches")
}

#[cfg(test)]
mod tests;
