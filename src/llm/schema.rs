//! The contracts of the answers: the stored schema, and the one a model answers, which lacks the fields that we stamp.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Map, Value};
use thiserror::Error;

use super::router::ModelRef;
use super::task::Task;

/// Fields that we write and a model never does.
pub const STAMPED: [&str; 4] = ["schema_version", "prompt_id", "provider", "model"];

#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum SchemaError {
    #[error("the shipped schema {name} cannot be used: {reason}; this build is broken, please report it")]
    Broken { name: &'static str, reason: String },
    #[error("the answer does not fit {schema}: {violations}")]
    Violated { schema: &'static str, violations: String },
}

struct Contract {
    stored: Validator,
    answered: Validator,
}

type Compiled = Result<Contract, SchemaError>;

static TRIAGE: LazyLock<Compiled> =
    LazyLock::new(|| compile("triage_v1", include_str!("../../schemas/triage_v1.json")));
static DEEP_SUMMARY: LazyLock<Compiled> =
    LazyLock::new(|| compile("deep_summary_v1", include_str!("../../schemas/deep_summary_v1.json")));

fn contract(task: Task) -> Result<&'static Contract, SchemaError> {
    let compiled: &'static Compiled = match task {
        Task::Triage => &TRIAGE,
        Task::DeepSummary => &DEEP_SUMMARY,
    };
    compiled.as_ref().map_err(Clone::clone)
}

fn compile(name: &'static str, text: &str) -> Compiled {
    let broken = |reason: String| SchemaError::Broken { name, reason };
    let stored: Value = serde_json::from_str(text).map_err(|e| broken(e.to_string()))?;
    let answered = answer_schema(&stored);
    let build = |schema: &Value| jsonschema::validator_for(schema).map_err(|e| broken(e.to_string()));
    Ok(Contract { stored: build(&stored)?, answered: build(&answered)? })
}

/// The stored schema without the stamped fields.
#[must_use]
pub fn answer_schema(stored: &Value) -> Value {
    let mut schema = stored.clone();
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| !STAMPED.iter().any(|stamped| name == stamped));
    }
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| !STAMPED.contains(&name.as_str()));
    }
    schema
}

/// Checks a model's answer, stamps it, and checks what will be stored.
///
/// # Errors
/// [`SchemaError::Violated`] names each violation.
pub fn stamp(task: Task, prompt_id: &str, by: &ModelRef, answer: &Value) -> Result<Value, SchemaError> {
    let contract = contract(task)?;
    check(&contract.answered, task, answer)?;
    let mut stamped = Map::new();
    stamped.insert("schema_version".into(), task.schema_version().into());
    stamped.insert("prompt_id".into(), prompt_id.into());
    stamped.insert("provider".into(), by.provider.into());
    stamped.insert("model".into(), by.model.into());
    stamped.extend(answer.as_object().into_iter().flatten().map(|(key, value)| (key.clone(), value.clone())));
    let stamped = Value::Object(stamped);
    check(&contract.stored, task, &stamped)?;
    Ok(stamped)
}

fn check(validator: &Validator, task: Task, value: &Value) -> Result<(), SchemaError> {
    let violations: Vec<String> =
        validator.iter_errors(value).take(5).map(|e| format!("{} at {:?}", e, e.instance_path().to_string())).collect();
    if violations.is_empty() {
        return Ok(());
    }
    Err(SchemaError::Violated { schema: task.schema_version(), violations: violations.join("; ") })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const BY: ModelRef = ModelRef { provider: "local", model: "briefing-1" };

    fn answer() -> Value {
        json!({"aha_score": 61, "reason": "told by 3 sources", "is_relevant": true, "is_novel": true,
               "categories": [], "should_deep_summarize": true})
    }

    #[test]
    fn a_good_answer_gets_the_four_fields() {
        let stamped = stamp(Task::Triage, "triage_v1", &BY, &answer()).unwrap();
        for (field, value) in [("schema_version", "triage_v1"), ("prompt_id", "triage_v1"), ("provider", "local")] {
            assert_eq!(stamped[field], value);
        }
    }

    #[test]
    fn forged_missing_and_wild_fields_are_refused() {
        let with = |key: &str, value: Value| {
            let mut changed = answer();
            changed[key] = value;
            changed
        };
        let mut without = answer();
        without.as_object_mut().unwrap().remove("reason");
        let bad = [
            with("provider", json!("forged")),
            with("aha_score", json!(101)),
            with("aha_score", json!(50.5)),
            with("aha_score", json!(null)),
            with("extra", json!(1)),
            with("reason", json!("")),
            without,
            json!([answer()]),
        ];
        for value in bad {
            assert!(stamp(Task::Triage, "triage_v1", &BY, &value).is_err(), "{value}");
        }
    }
}
