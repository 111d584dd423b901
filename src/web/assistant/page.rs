//! The page `/plan`: takes a sentence, shows the proposed operations as cards to keep, change or drop, a [`week`](mod@super::week)
//! from any day with buttons to complete and delete its entries, and undo. It uses forms only; a reload applies nothing
//! twice, as each proposal has its key.

use aha_planner::record::GoalStatus;
use aha_planner::summary::sentence;
use aha_planner::validate::{ErrorCode, Validation, parse_date};
use askama::Template;
use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use chrono::NaiveDate;
use serde::Deserialize;
use serde_json::{Value, json};

use super::week::{Entry, Week, entry_operation, overdue, undated, week};
use crate::assistant::{self, Answer, Message, Mode, TURNS_KEPT, Turn};
use crate::services::planner::{self, Apply};
use crate::web::form::SentForm;
use crate::web::pages::{Shell, for_page, percent};
use crate::web::{Editor, Failure, Reader, WebState};

/// Days from today to the first day that is shown, at most.
const MAX_DISTANCE: i64 = 100 * 366;
/// No more cards are read than operations may be applied.
const MAX_CARDS: usize = aha_planner::MAX_OPERATIONS;
/// Each turn is cut to this length when it is sent with the next message.
const MAX_TURN_CHARS: usize = 1_000;

pub(super) fn routes() -> Router<WebState> {
    Router::new()
        .route("/plan", get(page))
        .route("/plan/message", get(to_page).post(message))
        .route("/plan/apply", get(to_page).post(apply))
        .route("/plan/entry", post(change_entry))
        .route("/plan/undo", post(undo))
}

/// An operation as shown, with the values that can be edited before it is applied.
struct Card {
    number: usize,
    /// Whether it is ticked.
    kept: bool,
    words: String,
    title: Option<String>,
    day: Option<String>,
    time: Option<String>,
    operation: String,
}

/// A goal and its progress in percent.
struct Progress {
    id: i64,
    title: String,
    done: bool,
    percent: Option<u32>,
}

#[derive(Template)]
#[template(path = "web/plan.html")]
struct PlanPage {
    shell: Shell,
    said: String,
    /// Why nothing was changed.
    problem: String,
    message: String,
    /// Ids that were selected as answers to earlier questions about the message.
    selected: Vec<i64>,
    /// The day that was given as an answer; empty without one.
    date: String,
    answer: Option<Answer>,
    cards: Vec<Card>,
    /// Of the cards: each is applied once, and only to the records of this version.
    key: String,
    version: String,
    week: Week,
    /// Open todos whose day has passed.
    overdue: Vec<Entry>,
    /// Open todos without a day.
    undated: Vec<Entry>,
    goals: Vec<Progress>,
    batch: String,
    /// The conversation so far, as JSON, for the next message.
    transcript: String,
}

impl PlanPage {
    fn heading(&self) -> &'static str {
        match &self.answer {
            _ if !self.cards.is_empty() => "Proposed",
            Some(answer) if answer.requires_clarification => "A question",
            _ => "Answer",
        }
    }

    /// Returns whether the question is answered by a day, or by a more precise message.
    fn asks_for_more(&self) -> bool {
        self.answer.as_ref().is_some_and(|answer| answer.requires_clarification && answer.options.is_empty())
    }

    /// Returns what stands in the field of the next message.
    fn kept_message(&self) -> &str {
        let is_open = (self.answer.is_none() && self.cards.is_empty()) || self.asks_for_more();
        if is_open { &self.message } else { "" }
    }
}

/// The address of an answer, opened or loaded again: a message is sent by the form only.
async fn to_page(State(state): State<WebState>) -> Redirect {
    Redirect::to(&format!("{}/plan", state.prefix()))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Shown {
    /// The batch that was just applied.
    batch: String,
    said: String,
    /// The first day; today without it.
    from: String,
}

async fn page(
    _: Reader,
    State(state): State<WebState>,
    shell: Shell,
    Query(shown): Query<Shown>,
) -> Result<Html<String>, Failure> {
    let batch: Option<aha_core::ids::BatchId> = shown.batch.parse().ok();
    let said = match shown.said.as_str() {
        "applied" if batch.is_some() => "It is applied.",
        "unchanged" => "Nothing is changed: it is so already.",
        "undone" => "It is undone: all is as before.",
        _ => "",
    };
    let page = PlanPage {
        said: said.to_owned(),
        batch: batch.map(|id| id.to_string()).unwrap_or_default(),
        ..from_day(&state, shell, &shown.from).await?
    };
    rendered(&page)
}

fn rendered(page: &PlanPage) -> Result<Html<String>, Failure> {
    page.render().map(Html).map_err(|error| Failure::internal(&error))
}

/// Returns the page with the week from today and the goals, without a message.
async fn empty(state: &WebState, shell: Shell) -> Result<PlanPage, Failure> {
    from_day(state, shell, "").await
}

/// The same, with the week from a day.
async fn from_day(state: &WebState, shell: Shell, from: &str) -> Result<PlanPage, Failure> {
    let today = planner::today(state.app()).await?.date;
    let is_near = |day: &NaiveDate| (*day - today).num_days().abs() <= MAX_DISTANCE;
    let first = parse_date(from).filter(is_near).unwrap_or(today);
    let week = week(state, first, today).await?;
    let records = planner::planner(state.app()).await?.state;
    let goals =
        planner::goals(&records).into_iter().filter(|goal| goal.status != GoalStatus::Archived).map(|goal| Progress {
            id: goal.id,
            title: goal.title.clone(),
            done: goal.status == GoalStatus::Completed,
            percent: goal.progress().map(percent),
        });
    Ok(PlanPage {
        shell,
        said: String::new(),
        problem: String::new(),
        message: String::new(),
        selected: Vec::new(),
        date: String::new(),
        answer: None,
        cards: Vec::new(),
        key: String::new(),
        version: String::new(),
        week,
        overdue: overdue(state, &records, today),
        undated: undated(state, &records),
        goals: goals.collect(),
        batch: String::new(),
        transcript: String::new(),
    })
}

#[expect(clippy::disallowed_methods, reason = "each page has its own Idempotency-Key, AHA_NOW or not")]
async fn message(
    _: Editor,
    State(state): State<WebState>,
    shell: Shell,
    form: SentForm,
) -> Result<Html<String>, Failure> {
    // A form that answers a question also has the answers to the questions before it.
    let selected: Vec<i64> = form.all("select").filter_map(|id| id.parse().ok()).collect();
    let date = parse_date(form.text("date"));
    let message = Message {
        text: form.text("message").to_owned(),
        mode: Mode::Auto,
        question: Some(form.text("question").to_owned()).filter(|question| !question.is_empty()),
        selection: aha_planner::language::Selection { ids: selected, date, ..Default::default() },
        transcript: serde_json::from_str::<Vec<Turn>>(form.text("transcript")).unwrap_or_default(),
    };
    let mut answer = Box::pin(assistant::answer(state.app(), &message, |_| {})).await?;
    answer.warnings = answer.warnings.iter().map(|warning| for_page(warning)).collect();
    let records = planner::planner(state.app()).await?.state;
    let cards = answer.operations.iter().filter_map(|checked| Some((checked.operation.as_ref()?, &checked.op)));
    let cards = cards.enumerate().map(|(number, (operation, op))| Card {
        number,
        kept: true,
        words: sentence(operation, &records),
        title: operation.title.clone(),
        day: operation.scheduled_for.flatten().map(|day| day.to_string()),
        time: operation.start_time.or(operation.time_of_day).flatten().map(|time| time.to_string()),
        operation: op.to_string(),
    });
    let transcript = transcript_json(&message, &answer);
    let page = PlanPage {
        message: message.text.clone(),
        selected: message.selection.ids.clone(),
        date: date.map(|day| day.to_string()).unwrap_or_default(),
        cards: cards.collect(),
        key: format!("{:032x}", rand::random::<u128>()),
        version: answer.version.to_string(),
        answer: Some(answer),
        transcript,
        ..empty(&state, shell).await?
    };
    rendered(&page)
}

/// Returns the last turns including this one as JSON, for the form of the next message.
fn transcript_json(message: &Message, answer: &Answer) -> String {
    let turn =
        |role: &str, text: &str| Turn { role: role.to_owned(), text: text.chars().take(MAX_TURN_CHARS).collect() };
    let mut turns = message.transcript.clone();
    turns.extend([turn("user", &message.text), turn("assistant", &answer.text)]);
    let kept = turns.split_off(turns.len().saturating_sub(TURNS_KEPT));
    json!(kept).to_string()
}

/// Returns the submitted cards with the user's edits.
fn submitted_cards(form: &SentForm) -> Vec<Card> {
    let card = |number: usize| {
        let name = |name: &str| format!("{name}_{number}");
        let field = |of: &str| Some(form.text(&name(of)).to_owned()).filter(|_| form.has(&name(of)));
        Some(Card {
            number,
            kept: form.is_set(&name("keep")),
            words: field("words").unwrap_or_default(),
            title: field("title"),
            day: field("day"),
            time: field("time"),
            operation: field("operation")?,
        })
    };
    (0..MAX_CARDS).filter_map(card).collect()
}

/// Returns the operation of a card with the user's edits. A day or time that was emptied is removed.
fn operation_of(card: &Card) -> Option<Value> {
    let or_null = |value: &str| if value.is_empty() { Value::Null } else { json!(value) };
    let mut operation: Value = serde_json::from_str(&card.operation).ok().filter(Value::is_object)?;
    if let Some(title) = card.title.as_ref().filter(|title| !title.is_empty()) {
        operation["title"] = json!(title);
    }
    if let Some(day) = &card.day {
        operation["scheduledFor"] = or_null(day);
    }
    if let Some(time) = &card.time {
        let name = if operation.get("startTime").is_some() { "startTime" } else { "timeOfDay" };
        operation[name] = or_null(time);
    }
    Some(operation)
}

/// Describes an error without the names of the API's fields.
const fn words_of(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::InvalidTitle => "a title has 1 to 500 characters",
        ErrorCode::InvalidScheduledFor => "the day is not a date",
        ErrorCode::InvalidTimeOfDay | ErrorCode::InvalidStartTime => "the time is not a time of day",
        ErrorCode::MissingAnchor => "what repeats needs a day on which it begins",
        ErrorCode::IdNotFound => "it has been deleted meanwhile",
        code => code.in_words(),
    }
}

const BEING_CHANGED: &str = "The same records are being changed. Try again in a moment.";

fn why_invalid(validation: &Validation) -> String {
    let why = validation.results.iter().flat_map(|result| result.errors.iter().map(|code| words_of(*code)));
    format!("Nothing is changed: {}.", why.collect::<Vec<_>>().join("; "))
}

/// Redirects to the page, which offers to undo what was applied, if that changed anything. `from` is the first day that
/// it shows.
fn to_applied(state: &WebState, response: &str, from: &str) -> Result<Response, Failure> {
    let answer: Value = serde_json::from_str(response).map_err(|error| Failure::internal(&error))?;
    let batch = answer["batchId"].as_str();
    let said = batch.map_or_else(|| "unchanged".to_owned(), |batch| format!("applied&batch={batch}"));
    let from = parse_date(from).map(|day| format!("&from={day}")).unwrap_or_default();
    Ok(Redirect::to(&format!("{}/plan?said={said}{from}", state.prefix())).into_response())
}

/// Completes, reopens or deletes an entry.
async fn change_entry(
    _: Editor,
    State(state): State<WebState>,
    shell: Shell,
    form: SentForm,
) -> Result<Response, Failure> {
    let wrong = || Failure::invalid("do", "an entry has an id, and `do` is done, reopen or delete");
    let operation = entry_operation(&form).ok_or_else(wrong)?;
    let from = form.text("from");
    let (status, problem) = match planner::apply(state.app(), vec![operation], None, None).await? {
        Apply::Done { response, .. } => return to_applied(&state, &response, from),
        Apply::Invalid(validation) => (StatusCode::UNPROCESSABLE_ENTITY, why_invalid(&validation)),
        Apply::Changed { .. } | Apply::KeyReused | Apply::InFlight => (StatusCode::CONFLICT, BEING_CHANGED.to_owned()),
    };
    let page = PlanPage { problem, ..from_day(&state, shell, from).await? };
    Ok((status, rendered(&page)?).into_response())
}

async fn apply(_: Editor, State(state): State<WebState>, shell: Shell, form: SentForm) -> Result<Response, Failure> {
    let cards = submitted_cards(&form);
    let operations = cards.iter().filter(|card| card.kept).filter_map(operation_of).collect();
    let version = form.text("version").parse().ok();
    let key = Some(form.text("key")).filter(|key| !key.is_empty());
    let (status, problem) = match planner::apply(state.app(), operations, version, key).await? {
        Apply::Done { response, .. } => return to_applied(&state, &response, ""),
        Apply::Invalid(validation) if validation.results.is_empty() => {
            (StatusCode::UNPROCESSABLE_ENTITY, "No card was kept, so nothing is changed.".to_owned())
        }
        Apply::Invalid(validation) => (StatusCode::UNPROCESSABLE_ENTITY, why_invalid(&validation)),
        Apply::Changed { .. } => {
            let problem =
                "The records were changed meanwhile, so nothing was applied. Apply it again if it is still right.";
            (StatusCode::CONFLICT, problem.to_owned())
        }
        Apply::KeyReused => {
            let problem =
                "These cards were applied before with other content, so nothing is changed. Enter your request again.";
            let page = PlanPage { problem: problem.to_owned(), ..empty(&state, shell).await? };
            return Ok((StatusCode::CONFLICT, rendered(&page)?).into_response());
        }
        Apply::InFlight => (StatusCode::CONFLICT, BEING_CHANGED.to_owned()),
    };
    // The next attempt is made to the records as they are shown now.
    let version = planner::planner(state.app()).await?.version;
    let page = PlanPage {
        problem,
        message: form.text("message").to_owned(),
        cards,
        key: form.text("key").to_owned(),
        version: version.to_string(),
        transcript: form.text("transcript").to_owned(),
        ..empty(&state, shell).await?
    };
    Ok((status, rendered(&page)?).into_response())
}

async fn undo(_: Editor, State(state): State<WebState>, shell: Shell, form: SentForm) -> Result<Response, Failure> {
    let batch = form.text("batch").parse().map_err(|_| Failure::not_found("there is no such batch of operations"))?;
    let (_, outcome) = planner::undo(state.app(), Some(batch)).await?;
    if matches!(outcome, crate::services::planner::UndoOutcome::Undone { .. }) {
        return Ok(Redirect::to(&format!("{}/plan?said=undone", state.prefix())).into_response());
    }
    let problem = "It cannot be undone: it was undone before, or something of it was changed since.".to_owned();
    let page = PlanPage { problem, ..empty(&state, shell).await? };
    rendered(&page).map(IntoResponse::into_response)
}
