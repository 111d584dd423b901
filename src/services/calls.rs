//! The ledger, row by row.

use aha_core::ids::{DigestId, RunId};
use aha_core::purpose;
use aha_core::time::Timestamp;
use aha_llm::{Task, tasks};
use aha_store::{CallFilter, OrphanedCalls, StoreError};
pub use aha_store::{CallRecord, CallState};

use super::id_prefix::MIN_DIGITS;
use super::runs::one_by_id;
use super::{Result, ServiceError};
use crate::app::App;
use crate::pipeline::lease_owner::LeaseOwner;

/// Returns what a call's purpose is, in a few words; `None` if this version does not know it.
#[must_use]
pub fn purpose_in_words(purpose: &str) -> Option<&'static str> {
    tasks::by_name(purpose).map(Task::description).or_else(|| purpose::description(purpose))
}

/// The states that calls may be listed by.
pub const STATES: [CallState; 4] = [CallState::Ok, CallState::Error, CallState::Unsettled, CallState::Reserved];

/// Which calls to list; `None` lists all.
#[derive(Debug, Clone, Default)]
pub struct CallQuery {
    /// The id of a run or of its digest, or the beginning of one.
    pub run: Option<String>,
    pub state: Option<String>,
    pub purpose: Option<String>,
    /// List only calls after this one: its time and id.
    pub after: Option<(Timestamp, String)>,
    pub limit: i64,
}

/// Lists calls, the newest first. Those of processes that have ended are settled first.
///
/// # Errors
/// When the run's id cannot be read, its beginning matches no run or several, or the state is none.
pub async fn list(app: &App, query: CallQuery) -> Result<Vec<CallRecord>> {
    if let Some(state) = query.state.as_ref().filter(|state| STATES.iter().all(|known| known.as_str() != **state)) {
        let known = STATES.map(CallState::as_str).join(", ");
        return Err(ServiceError::invalid("state", format!("{state:?} is no state of a call; give one of {known}")));
    }
    let run = match &query.run {
        Some(id) => Some(find_run(app, id).await?),
        None => None,
    };
    let CallQuery { state, purpose, after, limit, .. } = query;
    let filter = CallFilter { state, purpose, run, after, limit };
    settle_ended(app).await;
    Ok(app.store().calls(&filter).await?)
}

/// Settles the calls whose process has ended, so that they are listed as unsettled and can be adjusted. If the process
/// still runs after all, its answer corrects the charge. A failure is only logged: a database that cannot be written
/// can still be read.
pub(super) async fn settle_ended(app: &App) {
    if let Err(error) = try_settle_ended(app).await {
        tracing::warn!(%error, "calls of processes that ended could not be settled");
    }
}

async fn try_settle_ended(app: &App) -> std::result::Result<(), StoreError> {
    let (store, wall, own) = (app.store(), app.clock().wall(), LeaseOwner::current());
    store.settle_orphaned_calls(OrphanedCalls::Expired(wall)).await?;
    for topic in store.topics().await? {
        let (owner, token) = store.lease_owner(topic.id, wall).await?;
        let is_run = owner.is_some_and(|owner| !own.is_dead(&owner)) || app.running().contains(topic.id);
        if !is_run {
            // A run that has begun since then has a later token.
            store.settle_orphaned_calls(OrphanedCalls::Superseded(topic.id, token + 1)).await?;
        }
    }
    Ok(())
}

/// Finds a run by its id, by that of its digest, or by the beginning of one. A whole id needs no run: the calls of a
/// removed topic's runs stay.
async fn find_run(app: &App, id: &str) -> Result<RunId> {
    if let (Ok(digest), Ok(run)) = (id.parse::<DigestId>(), id.parse()) {
        return Ok(app.store().digest(digest).await?.map_or(run, |digest| digest.head.run_id));
    }
    let run = one_by_id(app, id, |_| true).await?.ok_or_else(|| {
        let expected = format!("is not the id of a run or digest, nor {MIN_DIGITS} or more of its first digits");
        ServiceError::invalid("run", format!("{id:?} {expected}; `aha-radar runs` lists them"))
    })?;
    Ok(run.id)
}
