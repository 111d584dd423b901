//! One attempt to repair invalid operations: first by rules, then a model is asked once about the rest. If anything is
//! still invalid, the repairs are discarded and the operations that were valid before are used.

use aha_core::model::LOCAL_PROVIDER;
use aha_llm::tasks::assistant;
use aha_planner::repair::repair;
use aha_planner::validate::{Validation, validate_proposal};
use serde_json::{Value, json};

use super::model::{self, ModelReply};
use super::{Draft, propose};
use crate::app::App;
use crate::services::Result;

pub(super) async fn run(app: &App, draft: &mut Draft<'_>) -> Result<()> {
    let Some(first) = draft.checked.take() else { return Ok(()) };
    let mut best = repair(&first, &draft.state, draft.today.date);
    let proposed = best.results.len();
    if !best.is_valid()
        && let ModelReply::Answered(answer) = model::ask(app, assistant::REPAIR, draft, invalid(&best)).await?
    {
        best = merged(best, &propose::operations(&answer), draft);
        if best.is_valid() && draft.provider == LOCAL_PROVIDER {
            draft.made_by_model(&answer);
        }
    }
    let kept = if best.is_valid() { best } else { valid_part(first, draft) };
    draft.dropped = proposed.saturating_sub(kept.results.len());
    draft.checked = Some(kept);
    Ok(())
}

/// Returns the invalid operations with a description of what is wrong with each.
fn invalid(validation: &Validation) -> Value {
    let wrong = validation.results.iter().filter(|result| result.operation.is_none());
    let told = |result: &aha_planner::validate::CheckedOperation| {
        let errors: Vec<Value> =
            result.errors.iter().map(|code| json!({ "code": code, "means": code.in_words() })).collect();
        json!({ "operation": result.op, "errors": errors })
    };
    wrong.map(told).collect::<Vec<_>>().into()
}

/// Replaces the invalid operations with the corrected ones, if all of these are valid now.
fn merged(validation: Validation, corrected: &[Value], draft: &Draft<'_>) -> Validation {
    let valid = validation.results.iter().filter(|result| result.operation.is_some()).map(|result| result.op.clone());
    let operations: Vec<Value> = valid.chain(corrected.iter().cloned()).take(aha_planner::MAX_OPERATIONS).collect();
    let checked = validate_proposal(&operations, &draft.state);
    if checked.is_valid() { checked } else { validation }
}

fn valid_part(validation: Validation, draft: &Draft<'_>) -> Validation {
    let valid: Vec<Value> =
        validation.results.into_iter().filter(|result| result.operation.is_some()).map(|result| result.op).collect();
    validate_proposal(&valid, &draft.state)
}
