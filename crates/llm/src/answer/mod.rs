//! Turns a model's text into one answer per item.
//!
//! Input: text that should be one JSON object, often surrounded by a fence, a preamble or the model's thinking. Output:
//! for each item its checked and stamped answer, or what is wrong with it.

mod extract;
mod lines;
mod noise;
mod text_filter;
mod unique_keys;

use std::collections::HashMap;

use aha_core::model::ModelRef;
use serde_json::{Map, Value, json};

use super::error::CallError;
use super::schema;
use super::tasks::{AnswerKind, Task, short_id};

pub(crate) use lines::{BadLine, LineReader, ReadLine};
pub(crate) use text_filter::{TextEvent, TextFilter};

/// Returns one stamped answer per item, in order. A text that cannot be read at all is an error.
///
/// # Errors
/// [`CallError::Invalid`] for no object, for several, for one that cannot be read or does not end, or for one that is
/// not the envelope; [`CallError::Truncated`] for one that does not end and used all allowed tokens (`at_limit`).
pub fn read(
    task: Task,
    prompt_id: &str,
    by: &ModelRef,
    asks: usize,
    text: &str,
    at_limit: Option<u32>,
) -> Result<Vec<Result<Value, String>>, CallError> {
    let stamp = |answer: &Value| schema::stamp(task, prompt_id, by, answer).map_err(|error| error.to_string());
    let one = |answer: &Value| stamp(answer).map(|answer| vec![Ok(answer)]).map_err(CallError::Invalid);
    let mut object = match task.spec().answer {
        AnswerKind::Object(_) => return one(&Value::Object(object(text, at_limit)?)),
        AnswerKind::Text => return one(&json!({ "text": text_filter::filter_text(text) })),
        AnswerKind::Lines(_) => {
            let (lines, bad_lines) = lines::read_all(task, text)?;
            let answer = json!({ "lines": lines, "bad_lines": bad_lines });
            return Ok(vec![Ok(schema::stamped(task, prompt_id, by, &answer))]);
        }
        AnswerKind::Batch(_) => object(text, at_limit)?,
    };
    let Some(Value::Array(results)) = object.swap_remove("results") else {
        return Err(CallError::Invalid("the answer has no list \"results\"".to_owned()));
    };
    let mut results_by_id = results_by_id(results);
    let answers: Vec<Result<Value, String>> = (0..asks)
        .map(|index| match results_by_id.remove(&short_id(index)) {
            Some(answer) => stamp(&Value::Object(answer)),
            None => Err("the story is missing from the answer".to_owned()),
        })
        .collect();
    if !results_by_id.is_empty() {
        tracing::debug!(unknown = results_by_id.len(), "results for ids that were not asked about are dropped");
    }
    Ok(answers)
}

/// Returns the one JSON object of a text.
///
/// # Errors
/// As for [`read`].
pub fn object(text: &str, at_limit: Option<u32>) -> Result<Map<String, Value>, CallError> {
    extract::extract(text).map_err(|error| error.into_error(at_limit))
}

/// Maps the results by the id that they echo. Of two results with one id, the first wins.
fn results_by_id(results: Vec<Value>) -> HashMap<String, Map<String, Value>> {
    let mut results_by_id = HashMap::new();
    for result in results {
        if let Value::Object(mut answer) = result
            && let Some(Value::String(id)) = answer.shift_remove("id")
        {
            results_by_id.entry(id).or_insert(answer);
        }
    }
    results_by_id
}

#[cfg(test)]
mod tests {
    use super::super::tasks::triage::TASK as TRIAGE;
    use super::*;
    use proptest::prelude::*;

    fn by() -> ModelRef {
        ModelRef { provider: "openai".into(), model: "m".into() }
    }

    fn verdict(id: &str, score: i64) -> Value {
        json!({"id": id, "aha_score": score, "reason": "r", "is_relevant": true, "is_novel": true, "categories": [],
               "should_deep_summarize": false})
    }

    fn triage(asks: usize, text: &str) -> Result<Vec<Result<Value, String>>, CallError> {
        read(TRIAGE, "triage_v1", &by(), asks, text, None)
    }

    #[test]
    fn each_ask_gets_its_own_result_by_id() {
        let text = json!({"results": [verdict("s2", 20), verdict("zz", 99), verdict("s1", 10), verdict("s1", 90)]});
        let answers = triage(3, &text.to_string()).unwrap();
        assert_eq!(answers[0].as_ref().unwrap()["aha_score"], 10);
        assert_eq!(answers[1].as_ref().unwrap()["aha_score"], 20);
        assert!(answers[2].as_ref().unwrap_err().contains("missing"));
    }

    #[test]
    fn one_bad_result_spoils_no_other() {
        let mut bad = verdict("s1", 10);
        bad["aha_score"] = "high".into();
        let answers = triage(2, &json!({"results": [bad, verdict("s2", 20)]}).to_string()).unwrap();
        assert!(answers[0].as_ref().unwrap_err().contains("aha_score"));
        assert!(answers[1].is_ok());
    }

    #[test]
    fn what_is_no_envelope_and_what_does_not_end_is_invalid() {
        assert!(matches!(triage(1, "{\"answers\": []}"), Err(CallError::Invalid(_))));
        assert!(matches!(triage(1, "[1]"), Err(CallError::Invalid(_))));
        let unfinished = "{\"results\": [{\"id\": \"s1\"";
        assert!(matches!(triage(1, unfinished), Err(CallError::Invalid(_))));
        let at_limit = read(TRIAGE, "triage_v1", &by(), 1, unfinished, Some(250));
        assert_eq!(at_limit, Err(CallError::Truncated(250)));
        assert!(matches!(triage(1, "I cannot"), Err(CallError::Invalid(_))));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,200}") {
            let _ = triage(2, &text);
        }
    }
}
