//! The ledger, row by row.

use aha_core::ids::{DigestId, RunId};
use aha_core::task::purpose;
use aha_core::time::Timestamp;
use aha_llm::{Task, tasks};
use aha_store::{CallFilter, CallRecord};
use serde::Serialize;

use super::{Result, ServiceError};
use crate::app::App;

/// Returns what a call's purpose is, in a few words; `None` if this version does not know it.
#[must_use]
pub fn purpose_in_words(purpose: &str) -> Option<&'static str> {
    tasks::by_name(purpose).map(Task::description).or_else(|| purpose::description(purpose))
}

/// A call to a provider, as recorded in the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LedgerCall {
    pub id: String,
    pub run_id: Option<String>,
    pub topic: Option<String>,
    pub purpose: String,
    pub provider: String,
    pub model: String,
    pub prompt_id: String,
    pub attempt: i64,
    /// Number of stories or texts in the call.
    pub stories: i64,
    /// `reserved`, `ok`, `error` or `unsettled`.
    pub state: String,
    pub error_kind: Option<String>,
    pub error: Option<String>,
    pub input_tokens: Option<i64>,
    pub cached_input_tokens: Option<i64>,
    pub output_tokens: Option<i64>,
    pub reasoning_tokens: Option<i64>,
    pub reserved_microcredits: Option<i64>,
    /// `None` if the cost is unknown.
    pub cost_microcredits: Option<i64>,
    pub latency_ms: Option<i64>,
    pub request_id: Option<String>,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
}

impl From<CallRecord> for LedgerCall {
    fn from(call: CallRecord) -> Self {
        Self {
            id: call.id,
            run_id: call.run_id,
            topic: call.topic,
            purpose: call.purpose,
            provider: call.provider,
            model: call.model,
            prompt_id: call.prompt_id,
            attempt: call.attempt,
            stories: call.stories,
            state: call.state,
            error_kind: call.error_kind,
            error: call.error,
            input_tokens: call.input_tokens,
            cached_input_tokens: call.cached_input_tokens,
            output_tokens: call.output_tokens,
            reasoning_tokens: call.reasoning_tokens,
            reserved_microcredits: call.reserved_microcredits,
            cost_microcredits: call.cost_microcredits,
            latency_ms: call.latency_ms,
            request_id: call.request_id,
            started_at: Timestamp::from_millis(call.started_at),
            finished_at: call.finished_at.map(Timestamp::from_millis),
        }
    }
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
pub async fn list(app: &App, query: CallQuery) -> Result<Vec<LedgerCall>> {
    let run = match &query.run {
        Some(id) => Some(find_run(app, id).await?),
        None => None,
    };
    let CallQuery { state, purpose, after, limit, .. } = query;
    let filter = CallFilter { state, purpose, run, after, limit };
    Ok(app.store().calls(&filter).await?.into_iter().map(LedgerCall::from).collect())
}

/// Finds a run by its id or by that of its digest.
async fn find_run(app: &App, id: &str) -> Result<RunId> {
    let wrong = || {
        ServiceError::invalid("run", format!("{id:?} is not the id of a run or digest; `aha-radar runs` lists them"))
    };
    let digest: DigestId = id.parse().map_err(|_| wrong())?;
    match app.store().digest(digest).await? {
        Some(digest) => Ok(digest.digest.run_id),
        None => Ok(id.parse().map_err(|_| wrong())?),
    }
}
