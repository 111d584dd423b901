//! The ledger, row by row.

use aha_core::ids::{DigestId, RunId};
use aha_core::purpose;
use aha_core::time::Timestamp;
use aha_llm::{Task, tasks};
use aha_store::CallFilter;
pub use aha_store::CallRecord;

use super::{Result, ServiceError};
use crate::app::App;

/// Returns what a call's purpose is, in a few words; `None` if this version does not know it.
#[must_use]
pub fn purpose_in_words(purpose: &str) -> Option<&'static str> {
    tasks::by_name(purpose).map(Task::description).or_else(|| purpose::description(purpose))
}

/// Which calls to list; `None` lists all.
#[derive(Debug, Clone, Default)]
pub struct CallQuery {
    /// The id of a run or of its digest.
    pub run: Option<String>,
    pub state: Option<String>,
    pub purpose: Option<String>,
    /// List only calls after this one: its time and id.
    pub after: Option<(Timestamp, String)>,
    pub limit: i64,
}

/// Lists calls, the newest first.
///
/// # Errors
/// When the run's id cannot be read.
pub async fn list(app: &App, query: CallQuery) -> Result<Vec<CallRecord>> {
    let run = match &query.run {
        Some(id) => Some(find_run(app, id).await?),
        None => None,
    };
    let CallQuery { state, purpose, after, limit, .. } = query;
    let filter = CallFilter { state, purpose, run, after, limit };
    Ok(app.store().calls(&filter).await?)
}

/// Finds a run by its id or by that of its digest.
async fn find_run(app: &App, id: &str) -> Result<RunId> {
    let wrong = || {
        ServiceError::invalid("run", format!("{id:?} is not the id of a run or digest; `aha-radar runs` lists them"))
    };
    let digest: DigestId = id.parse().map_err(|_| wrong())?;
    match app.store().digest(digest).await? {
        Some(digest) => Ok(digest.head.run_id),
        None => Ok(id.parse().map_err(|_| wrong())?),
    }
}
