//! Records of the ledger for display: calls, counters, what was spent, and corrections.

use aha_core::ids::{CallId, RunId};
use aha_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::error::BoxDynError;

use crate::shared::column::{self, optional_time};

/// A correction by hand.
#[derive(Debug, Clone)]
pub struct Adjustment {
    pub call: CallId,
    pub to_microcredits: i64,
    pub reason: String,
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Counter {
    pub counter: String,
    pub settled_microcredits: i64,
    pub reserved_microcredits: i64,
    pub calls: i64,
}

/// Filter of calls; `None` means all.
#[derive(Debug, Clone, Default)]
pub struct CallFilter {
    pub state: Option<String>,
    pub purpose: Option<String>,
    pub run: Option<RunId>,
    /// Calls that come after this one in the list, given by its time and id.
    pub after: Option<(Timestamp, String)>,
    pub limit: i64,
}

/// The state of a call's row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    /// Under way.
    Reserved,
    Ok,
    Error,
    /// Its cost is unknown.
    Unsettled,
}

impl CallState {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reserved => "reserved",
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Unsettled => "unsettled",
        }
    }
}

impl<D: sqlx::Database> sqlx::Type<D> for CallState
where
    String: sqlx::Type<D>,
{
    fn type_info() -> D::TypeInfo {
        String::type_info()
    }

    fn compatible(info: &D::TypeInfo) -> bool {
        String::compatible(info)
    }
}

impl<'r, D: sqlx::Database> sqlx::Decode<'r, D> for CallState
where
    String: sqlx::Decode<'r, D>,
{
    fn decode(value: D::ValueRef<'r>) -> std::result::Result<Self, BoxDynError> {
        Ok(column::word("ledger row's state", &String::decode(value)?)?)
    }
}

/// A call to a provider, as recorded in the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallRecord {
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
    pub state: CallState,
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

from_rows!(CallRecord {
    id,
    run_id,
    topic,
    purpose,
    provider,
    model,
    prompt_id,
    attempt,
    stories,
    state,
    error_kind,
    error,
    input_tokens,
    cached_input_tokens,
    output_tokens,
    reasoning_tokens,
    reserved_microcredits,
    cost_microcredits,
    latency_ms,
    request_id;
    started_at: Timestamp::from_millis,
    finished_at: optional_time
});

impl CallRecord {
    /// Whether it cost more than was reserved for it.
    #[must_use]
    pub fn is_overcharged(&self) -> bool {
        self.reserved_microcredits.is_some_and(|reserved| self.cost_microcredits > Some(reserved))
    }
}

/// The cost of a call, and the number of stories in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallCost {
    pub id: String,
    /// `None` if the model has no price.
    pub microcredits: Option<i64>,
    pub stories: i64,
}

from_rows!(CallCost { id, microcredits, stories });

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpendBy {
    /// Days in UTC, as days since 1970.
    Day,
    Purpose,
    Model,
    Topic,
}

impl SpendBy {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Purpose => "purpose",
            Self::Model => "model",
            Self::Topic => "topic",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpendRow {
    pub key: String,
    pub calls: i64,
    pub errors: i64,
    pub unsettled: i64,
    /// Calls whose price is unknown.
    pub unpriced: i64,
    pub stories: i64,
    pub input_tokens: i64,
    pub output_tokens: i64,
    /// Unsettled calls count at their reserved amount.
    pub microcredits: i64,
    /// The part of it that is only reserved: of unsettled calls, and of those under way.
    pub reserved_microcredits: i64,
}

from_rows!(SpendRow {
    key,
    calls,
    errors,
    unsettled,
    unpriced,
    stories,
    input_tokens,
    output_tokens,
    microcredits,
    reserved_microcredits
});
