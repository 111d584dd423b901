//! Proposes operations for a message: a model's, by the schema; without one those that rules find in the sentence.

use aha_llm::tasks::assistant;
use aha_planner::MAX_OPERATIONS;
use aha_planner::language::{Question, Reading, assumed_days, read};
use aha_planner::operation::Operation;
use serde_json::{Value, json};

use super::model::{self, ModelReply};
use super::{Decision, Draft};
use crate::app::App;
use crate::services::Result;

pub(super) async fn run(app: &App, draft: &mut Draft<'_>) -> Result<()> {
    match model::ask(app, assistant::PROPOSE, draft, Value::Null).await? {
        ModelReply::Answered(answer) => {
            draft.proposed = operations(&answer);
            let listed = answer["operations"].as_array().map_or(0, Vec::len);
            if listed > MAX_OPERATIONS {
                draft
                    .warnings
                    .push(format!("{listed} operations were proposed, of which the first {MAX_OPERATIONS} are used"));
            }
            if draft.proposed.is_empty() {
                draft.ask(Question::new("No change was found in that. What should be planned?", Vec::new()));
            } else {
                draft.made_by_model(&answer);
            }
        }
        ModelReply::Unavailable => by_rules(draft),
    }
    Ok(())
}

/// Returns the operations of an answer, without the empty fields that a strict schema forces a model to write. At most
/// as many as may be applied at once are returned.
pub(super) fn operations(answer: &Value) -> Vec<Value> {
    let listed = answer["operations"].as_array().into_iter().flatten().take(MAX_OPERATIONS);
    listed.map(without_nulls).collect()
}

/// Removes null fields. A model cannot distinguish a missing field from an empty one, so `clear` names the fields to
/// empty.
fn without_nulls(operation: &Value) -> Value {
    let mut operation = operation.clone();
    if let Some(fields) = operation.as_object_mut() {
        let cleared: Vec<String> = fields
            .get("clear")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|name| Some(name.as_str()?.to_owned()))
            .collect();
        fields.retain(|name, value| name != "clear" && !value.is_null());
        fields.extend(cleared.into_iter().map(|name| (name, Value::Null)));
        if let Some(Value::Object(rule)) = fields.get_mut("recurrence") {
            rule.retain(|_, value| !value.is_null());
        }
    }
    operation
}

fn by_rules(draft: &mut Draft<'_>) {
    match read(&draft.message.text, &draft.state, draft.today, &draft.message.selection) {
        Reading::Plan(operations) => propose(draft, &operations),
        Reading::Clarify(question) if question.understood.is_empty() => draft.ask(question),
        Reading::Clarify(question) => {
            propose(draft, &question.understood);
            draft.not_planned = Some(question.question);
        }
        Reading::Chat => draft.decision = Decision::Chat,
    }
}

fn propose(draft: &mut Draft<'_>, operations: &[Operation]) {
    draft.assumed = assumed_days(&draft.message.text, operations, draft.today);
    draft.proposed = operations.iter().map(|operation| json!(operation)).collect();
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::operations;

    #[test]
    fn what_is_null_was_not_said_and_what_is_cleared_is_null() {
        let answer = json!({ "operations": [{ "kind": "todo", "action": "update", "id": 3, "title": null, "clear": ["scheduledFor"],
                                              "recurrence": { "type": "none", "until": null } }] });
        let expected = json!([{ "kind": "todo", "action": "update", "id": 3, "recurrence": { "type": "none" }, "scheduledFor": null }]);
        assert_eq!(json!(operations(&answer)), expected);
    }
}
