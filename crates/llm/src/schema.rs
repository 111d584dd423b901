//! The schemas of the answers: the stored schema, the one that answers are checked against, which lacks the fields that
//! we stamp, and the one that a provider is asked to enforce.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::tasks::Task;
use aha_core::model::ModelRef;

/// Fields that we set and a model never does.
pub const STAMPED: [&str; 4] = ["schema_version", "prompt_id", "provider", "model"];

/// Keywords that providers' strict modes refuse or ignore. Answers are checked against them here.
const LOCAL_KEYWORDS: [&str; 4] = ["$schema", "title", "minLength", "maxLength"];

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
    /// The schema that a provider is asked to enforce.
    wire: Arc<Value>,
}

type Compiled = Result<Arc<Contract>, SchemaError>;

/// By the tasks' names; each is compiled on first use.
static COMPILED: LazyLock<Mutex<HashMap<&'static str, Compiled>>> = LazyLock::new(Mutex::default);

fn contract(task: Task) -> Compiled {
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    compiled.entry(task.as_str()).or_insert_with(|| compile(task)).clone()
}

fn compile(task: Task) -> Compiled {
    let name = task.schema_version();
    let broken = |reason: String| SchemaError::Broken { name, reason };
    let stored: Value = match task.spec().answer.schema() {
        Some(text) => serde_json::from_str(text).map_err(|e| broken(e.to_string()))?,
        None => schema_of_text(name),
    };
    let wire = answer_schema(&stored);
    let accepted: Value = match task.spec().accepts {
        Some(text) => serde_json::from_str(text).map_err(|e| broken(e.to_string()))?,
        None => stored,
    };
    let answered = answer_schema(&accepted);
    let build = |schema: &Value| jsonschema::validator_for(schema).map_err(|e| broken(e.to_string()));
    let one = without_local_keywords(&wire);
    let wire = if task.is_batched() { batch_schema(one) } else { one };
    Ok(Arc::new(Contract { stored: build(&accepted)?, answered: build(&answered)?, wire: Arc::new(wire) }))
}

/// Returns the stored schema of an answer in plain text.
fn schema_of_text(version: &str) -> Value {
    let text = || json!({ "type": "string", "minLength": 1 });
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["schema_version", "prompt_id", "provider", "model", "text"],
        "properties": {
            "schema_version": { "const": version },
            "prompt_id": text(), "provider": text(), "model": text(), "text": text(),
        }
    })
}

/// Returns the stored schema without the stamped fields.
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

fn without_local_keywords(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, value)| !LOCAL_KEYWORDS.contains(&name.as_str()) || value.is_object())
            .map(|(name, value)| (name.clone(), without_local_keywords(value)))
            .collect(),
        Value::Array(values) => values.iter().map(without_local_keywords).collect(),
        other => other.clone(),
    }
}

/// Returns the schema that a provider is asked to enforce. For batched tasks it is a list `results`, each with the id
/// of its item.
///
/// # Errors
/// [`SchemaError::Broken`] when a shipped schema cannot be read.
pub fn wire_schema(task: Task) -> Result<Arc<Value>, SchemaError> {
    Ok(Arc::clone(&contract(task)?.wire))
}

fn batch_schema(mut item: Value) -> Value {
    if let Some(required) = item.get_mut("required").and_then(Value::as_array_mut) {
        required.insert(0, "id".into());
    }
    if let Some(properties) = item.get_mut("properties").and_then(Value::as_object_mut) {
        let mut with_id = Map::from_iter([("id".to_owned(), json!({ "type": "string" }))]);
        with_id.append(properties);
        *properties = with_id;
    }
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["results"],
        "properties": { "results": { "type": "array", "items": item } }
    })
}

/// Checks a model's answer: an object, or one line.
///
/// # Errors
/// [`SchemaError::Violated`] lists the violations.
pub(crate) fn check_answer(task: Task, answer: &Value) -> Result<(), SchemaError> {
    check(&contract(task)?.answered, task, answer)
}

/// Returns an answer with the four stamped fields before its own.
pub(crate) fn stamped(task: Task, prompt_id: &str, by: &ModelRef, answer: &Value) -> Value {
    let mut stamped = Map::new();
    stamped.insert("schema_version".into(), task.schema_version().into());
    stamped.insert("prompt_id".into(), prompt_id.into());
    stamped.insert("provider".into(), by.provider.clone().into());
    stamped.insert("model".into(), by.model.clone().into());
    let own = answer.as_object().into_iter().flatten().filter(|(key, _)| !STAMPED.contains(&key.as_str()));
    stamped.extend(own.map(|(key, value)| (key.clone(), whole_number(value))));
    Value::Object(stamped)
}

/// Checks a model's answer, stamps it, and checks the result that will be stored. An answer in the stored schema, which
/// a model may know, is accepted as well: its four fields are replaced.
///
/// # Errors
/// [`SchemaError::Violated`] lists the violations.
pub fn stamp(task: Task, prompt_id: &str, by: &ModelRef, answer: &Value) -> Result<Value, SchemaError> {
    let contract = contract(task)?;
    if !contract.stored.is_valid(answer) {
        check(&contract.answered, task, answer)?;
    }
    let stamped = stamped(task, prompt_id, by, answer);
    check(&contract.stored, task, &stamped)?;
    Ok(stamped)
}

/// Converts whole floats to integers: JSON Schema accepts 61.0 as an integer, Rust's integer types do not.
fn whole_number(value: &Value) -> Value {
    match value.as_f64() {
        #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and small")]
        Some(number) if value.is_f64() && number.fract() == 0.0 && number.abs() < 1e15 => Value::from(number as i64),
        _ => value.clone(),
    }
}

/// Maximum characters of one violation, which may quote the whole answer.
const VIOLATION_CHARS: usize = 200;

fn check(validator: &Validator, task: Task, value: &Value) -> Result<(), SchemaError> {
    violations(validator, value)
        .map_or(Ok(()), |violations| Err(SchemaError::Violated { schema: task.schema_version(), violations }))
}

/// Describes the first violations; `None` where there are none.
#[must_use]
pub fn violations(validator: &Validator, value: &Value) -> Option<String> {
    // Much cheaper than searching for the violations.
    if validator.is_valid(value) {
        return None;
    }
    let violations: Vec<String> = validator
        .iter_errors(value)
        .take(5)
        .map(|error| {
            let what: String = error.to_string().chars().take(VIOLATION_CHARS).collect();
            format!("{what} at {:?}", error.instance_path().to_string())
        })
        .collect();
    (!violations.is_empty()).then(|| violations.join("; "))
}

#[cfg(test)]
mod tests {
    use super::super::tasks::{self, triage};
    use super::*;

    fn local() -> ModelRef {
        ModelRef::local()
    }

    fn answer() -> Value {
        json!({"aha_score": 61, "reason": "told by 3 sources", "is_relevant": true, "is_novel": true,
               "categories": [], "should_deep_summarize": true})
    }

    #[test]
    fn a_good_answer_gets_the_four_fields() {
        let stamped = stamp(triage::TASK, "triage_v1", &local(), &answer()).unwrap();
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
            assert!(stamp(triage::TASK, "triage_v1", &local(), &value).is_err(), "{value}");
        }
    }

    #[test]
    fn an_answer_in_the_stored_schema_is_stamped_anew() {
        let by = ModelRef { provider: "openai".to_owned(), model: "theirs".to_owned() };
        let complete = stamp(triage::TASK, "forged", &by, &answer()).unwrap();
        let stamped = stamp(triage::TASK, "triage_v1", &local(), &complete).unwrap();
        assert_eq!(stamped, stamp(triage::TASK, "triage_v1", &local(), &answer()).unwrap());
        let mut of_another = complete;
        of_another["schema_version"] = "triage_v9".into();
        assert!(stamp(triage::TASK, "triage_v1", &local(), &of_another).is_err());
    }

    #[test]
    fn a_wider_schema_takes_parts_as_they_are_and_still_no_stamped_field() {
        let operation = json!({"op": "create", "title": "x", "priority": "URGENT", "scheduledFor": ""});
        let answer = json!({"operations": [operation], "provider": "forged", "note": "n"});
        let stamped = stamp(tasks::assistant::PROPOSE, "p", &local(), &answer).unwrap();
        assert_eq!((&stamped["provider"], &stamped["operations"][0]), (&json!("local"), &operation));
        assert!(stamp(tasks::assistant::PROPOSE, "p", &local(), &json!({"operations": ["x"]})).is_err());
    }

    #[test]
    fn a_whole_number_written_with_a_point_is_one() {
        let mut written = answer();
        written["aha_score"] = json!(61.0);
        let stamped = stamp(triage::TASK, "triage_v1", &local(), &written).unwrap();
        assert!(serde_json::from_value::<aha_core::verdict::Verdict>(stamped).is_ok());
    }

    /// Checks OpenAI's strict mode: closed objects, every property required, no unknown keyword.
    fn strict(schema: &Value) {
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            assert_eq!(schema["additionalProperties"], false, "{schema}");
            let required: Vec<&str> = schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            assert_eq!(required, properties.keys().map(String::as_str).collect::<Vec<_>>());
            properties.values().for_each(strict);
        }
        if let Some(items) = schema.get("items") {
            strict(items);
        }
        for keyword in LOCAL_KEYWORDS {
            assert!(schema.get(keyword).is_none(), "{keyword} in {schema}");
        }
    }

    #[test]
    fn what_is_sent_fits_the_strict_mode_and_holds_no_stamped_field() {
        for task in tasks::ALL.iter().copied() {
            let schema = wire_schema(task).unwrap();
            strict(&schema);
            for field in STAMPED {
                assert!(!schema.to_string().contains(&format!("\"{field}\"")), "{field}");
            }
        }
    }
}
