//! Deep dive: summarises a text that the reader pastes for a story, after showing the cost; the summary is kept or
//! dropped.
//!
//! The text is not stored, so the forms of these pages carry it.

use aha_core::money::MicroCredits;
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;

use super::super::{Editor, Failure, PathOf, WebState};
use super::shown_summary::ShownSummary;
use super::story::found;
use super::{Shell, for_page, html, problem_of};
use crate::digest::sanitise::text as cleaned;
use crate::services::deep_dive::{self, DeepDive, DeepDiveEstimate, PastedText};
use crate::services::stories::FoundStory;
use crate::services::{ErrorKind, ServiceError};
use crate::web::form::SentForm;

pub(super) fn routes() -> Router<WebState> {
    Router::new().route("/stories/{id}/deep-dive", get(begin).post(send))
}

#[derive(Template)]
#[template(path = "web/deep_dive.html")]
struct DeepDivePage {
    shell: Shell,
    id: String,
    title: String,
    text: String,
    step: Step,
    problem: Option<String>,
}

/// The current step.
enum Step {
    Paste,
    /// The estimated cost, in words.
    Estimated {
        cost: String,
        cut: Option<String>,
    },
    Summarised {
        summary: Box<ShownSummary>,
        /// The call that made it.
        call: String,
        cost: String,
        /// If so, the summary is not stored, and the text is needed to keep it.
        is_by_local: bool,
    },
}

fn page(shell: Shell, id: String, found: &FoundStory, text: &str, step: Step) -> DeepDivePage {
    DeepDivePage { shell, id, title: cleaned(&found.story.title), text: text.to_owned(), step, problem: None }
}

async fn begin(
    _: Editor,
    State(state): State<WebState>,
    shell: Shell,
    PathOf(id): PathOf<String>,
) -> Result<Response, Failure> {
    let found = found(&state, &id).await?;
    Ok(html(&page(shell, id, &found, "", Step::Paste))?.into_response())
}

async fn send(
    _: Editor,
    State(state): State<WebState>,
    shell: Shell,
    PathOf(id): PathOf<String>,
    form: SentForm,
) -> Result<Response, Failure> {
    let found = found(&state, &id).await?;
    let text = form.text("text");
    let call = Some(form.text("call")).filter(|call| !call.is_empty());
    let done = match (form.text("do"), text.is_empty()) {
        ("drop", _) => deep_dive::decide(state.app(), &found.story, false, call).await.map(|_| None),
        ("keep", true) => deep_dive::decide(state.app(), &found.story, true, call).await.map(|_| None),
        ("keep", false) => keep(&state, &found, text).await.map(|()| None),
        (_, true) => Err(ServiceError::invalid("text", "paste the text first")),
        ("summarise", false) => summarise(&state, &found, text).await.map(Some),
        _ => estimate(&state, &found, text).await.map(Some),
    };
    match done {
        Ok(None) => Ok(Redirect::to(&format!("{}/stories/{id}#deep-dive", state.prefix())).into_response()),
        Ok(Some(step)) => Ok(html(&page(shell, id, &found, text, step))?.into_response()),
        Err(error) => {
            let (status, problem) = correctable(error)?;
            let page = DeepDivePage { problem: Some(problem), ..page(shell, id, &found, text, Step::Paste) };
            Ok((status, html(&page)?).into_response())
        }
    }
}

/// Returns an error that the user can correct, to show above the text, which is not lost.
fn correctable(error: ServiceError) -> Result<(StatusCode, String), Failure> {
    match error.kind() {
        ErrorKind::BudgetExhausted => Ok((StatusCode::PAYMENT_REQUIRED, for_page(&error.to_string()))),
        ErrorKind::Gateway => Ok((StatusCode::BAD_GATEWAY, for_page(&error.to_string()))),
        _ => Ok((StatusCode::UNPROCESSABLE_ENTITY, problem_of(error)?)),
    }
}

async fn about(state: &WebState, found: &FoundStory, text: &str) -> Result<PastedText, ServiceError> {
    let text = deep_dive::accept(text.as_bytes().to_vec())?;
    PastedText::about(state.app(), found, &text).await
}

async fn estimate(state: &WebState, found: &FoundStory, text: &str) -> Result<Step, ServiceError> {
    let estimate = about(state, found, text).await?.estimate();
    let DeepDiveEstimate { characters, characters_sent, .. } = estimate;
    let cut = (characters_sent < characters).then(|| format!("Only its first {characters_sent} of {characters} characters are sent (OPENAI_MANUAL_SUMMARY_MAX_INPUT_CHARS)."));
    Ok(Step::Estimated { cost: in_words(&estimate), cut })
}

fn in_words(estimate: &DeepDiveEstimate) -> String {
    let Some(of_model) = estimate.estimate.as_ref().filter(|_| !estimate.stored) else {
        return if estimate.stored {
            "Nothing: this text was summarised before.".to_owned()
        } else {
            "What it would cost is not known.".to_owned()
        };
    };
    let price =
        of_model.microcredits.map_or_else(|| "at no price that is set".to_owned(), |it| format!("{it} credits"));
    if of_model.configured {
        let (sent, received) = (of_model.input_tokens, of_model.output_tokens);
        format!("About {price} with {}: {sent} tokens sent, {received} received.", of_model.model)
    } else {
        format!(
            "Nothing: without a model, sentences are quoted on this machine. {} would take about {price}.",
            of_model.model
        )
    }
}

async fn summarise(state: &WebState, found: &FoundStory, text: &str) -> Result<Step, ServiceError> {
    let made = summarise_text(state, found, text).await?;
    let cost = match (made.stored_before, made.microcredits) {
        (true, _) => "Summarised before: it cost nothing.".to_owned(),
        (false, None) => "Its cost is unknown, as the model has no price.".to_owned(),
        (false, Some(0)) => "It cost nothing.".to_owned(),
        (false, Some(paid)) => format!("It cost {} credits.", MicroCredits(paid)),
    };
    let is_by_local = made.is_by_local();
    let summary = Box::new(ShownSummary::of(&made.summary));
    Ok(Step::Summarised { summary, call: made.call_id, cost, is_by_local })
}

async fn summarise_text(state: &WebState, found: &FoundStory, text: &str) -> Result<DeepDive, ServiceError> {
    let text = about(state, found, text).await?;
    deep_dive::summarise(state.app(), found, &text).await
}

/// Keeps the summary of a text, made again: quotes by `local` are not stored, and a model's summary is, so that it
/// costs nothing again.
async fn keep(state: &WebState, found: &FoundStory, text: &str) -> Result<(), ServiceError> {
    let made = summarise_text(state, found, text).await?;
    deep_dive::promote(state.app(), &made).await
}
