//! Models: lists the configured ones, checks whether they answer, and has conversations by hand.

mod check;
pub mod configured;
mod tasks;
pub mod terms;

use std::sync::Arc;

use aha_llm::CallScope;
use aha_llm::conversation::{Answer, Conversation, ConversationSettings};
use aha_llm::router::Route;
use aha_store::OrphanedCalls;

pub use self::check::{CheckedModel, check};
pub use self::tasks::{TaskModels, by_task};
use super::{Result, ServiceError};
use crate::app::App;
use crate::questionnaire::Respondent;

/// Returns the scope of a call for the user, outside any run or topic.
#[must_use]
pub fn scope(app: &App, purpose: &str) -> CallScope {
    CallScope::outside_run(app.clock(), app.config().budget_tier, purpose.to_owned())
}

/// Returns the model with that name, or the default one without a name.
///
/// # Errors
/// When no model has that name, or none can be asked.
pub fn route(app: &App, name: Option<&str>) -> Result<Route> {
    let router = app.gateway().router();
    name.map_or_else(|| router.usual(), |name| router.find(name)).map_err(|why| {
        let next = "`aha-radar llm models` lists those that can be asked, .env.example says how to set one";
        ServiceError::invalid("model", format!("{why}; {next}"))
    })
}

/// Settles the calls of dead processes, so that their reservations count before a new call is admitted.
///
/// # Errors
/// When the store fails.
pub async fn settle_orphaned_calls(app: &App) -> Result<()> {
    app.store().settle_orphaned_calls(OrphanedCalls::Expired(app.clock().wall())).await?;
    Ok(())
}

/// Waits until every call in progress is settled, so that its cost is known.
pub async fn settled(app: &App) {
    app.finish_background().await;
}

/// Starts a conversation by hand.
///
/// # Errors
/// When the model cannot be asked on these terms.
pub fn converse(app: &App, purpose: &str, terms: ConversationSettings) -> Result<Conversation> {
    let (gateway, store) = (Arc::clone(app.gateway()), Arc::clone(app.store()));
    Ok(Conversation::begin(gateway, store, scope(app, purpose), terms)?)
}

/// Builds the respondent that puts a questionnaire's questions to models.
#[must_use]
pub fn respondent(app: &App, purpose: &str, retries_rejected: bool) -> Respondent {
    Respondent {
        gateway: Arc::clone(app.gateway()),
        store: Arc::clone(app.store()),
        scope: scope(app, purpose),
        retries_rejected,
    }
}

/// Returns the cost of all attempts at an answer, in micro-credits; `None` if the model has no price.
///
/// # Errors
/// When the store fails.
pub async fn cost(app: &App, answer: &Answer) -> Result<Option<i64>> {
    Ok(app.store().costs_of_calls(&answer.calls).await?.iter().map(|cost| cost.microcredits).sum())
}
