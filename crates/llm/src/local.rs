//! `local`: what answers without a model. Its answers to tasks are in the tasks' own files; here is what callers may want by itself.

use serde_json::Value;

use super::schema::{self, SchemaError};
use super::tasks::entity_extract;
use super::tasks::summary::SummaryInput;
use aha_core::model::ModelRef;

pub use super::tasks::triage::{NOTHING_SAID, UNASKED, is_asked_for, worth};
pub use aha_core::model::{LOCAL_MODEL as MODEL, LOCAL_PROVIDER as PROVIDER};

/// In the place of a prompt, for entities that rules found.
const RULES: &str = "rules_v1";

/// Entities that the texts themselves show to be such; `None` where they show none.
///
/// # Errors
/// When what was found does not fit the schema.
pub fn entities(input: &SummaryInput) -> Result<Option<Value>, SchemaError> {
    let stamp = |found: &Value| schema::stamp(entity_extract::TASK, RULES, &ModelRef::local(), found);
    entity_extract::named(input).as_ref().map(stamp).transpose()
}
