//! `local`: answers without a model. Its answers to tasks are in the tasks' files; this module exports what callers use
//! directly.

use serde_json::Value;

use super::schema::{self, SchemaError};
use super::tasks::entity_extract;
use super::tasks::summary::SummaryInput;
use aha_core::model::ModelRef;

pub use super::tasks::triage::{
    NO_EVIDENCE, NO_INTEREST_MATCHED, is_close_to_interests, local_score, local_score_without_ceilings,
    matches_interests,
};
pub use aha_core::model::{LOCAL_MODEL as MODEL, LOCAL_PROVIDER as PROVIDER};

/// Takes the place of a prompt id for entities found by rules.
const RULES: &str = "rules_v1";

/// Returns entities that the texts themselves identify; `None` where there are none.
///
/// # Errors
/// When the result does not match the schema.
pub fn entities(input: &SummaryInput) -> Result<Option<Value>, SchemaError> {
    let stamp = |found: &Value| schema::stamp(entity_extract::TASK, RULES, &ModelRef::local(), found);
    entity_extract::named(input).as_ref().map(stamp).transpose()
}
