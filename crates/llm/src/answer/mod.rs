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
use std::collections::hash_map::Entry;

use aha_core::model::ModelRef;
use serde_json::{Map, Value, json};

use super::error::CallError;
use super::schema;
use super::tasks::{AnswerKind, Task, clip, short_id};

pub(crate) use lines::{BadLine, LineReader, ReadLine};
pub(crate) use text_filter::{TextEvent, TextFilter};

/// Returns one stamped answer per item, in order. A text that cannot be read at all is an error.
///
/// # Errors
/// [`CallError::Invalid`] for no object, for several where the task does not take the first, for one that cannot be
/// read or does not end, or for one that is not the envelope; [`CallError::Truncated`] for one that does not end and
/// used all allowed tokens (`at_limit`).
pub fn read(
    task: Task,
    prompt_id: &str,
    by: &ModelRef,
    asks: usize,
    text: &str,
    at_limit: Option<u32>,
) -> Result<Vec<Result<Value, String>>, CallError> {
    let stamp = |answer: &Value| {
        let stamped = schema::stamp(task, prompt_id, by, answer).map_err(|error| error.to_string());
        stamped.map(|answer| if task.spec().is_pinned { shortened(answer) } else { answer })
    };
    let one = |answer: &Value| stamp(answer).map(|answer| vec![Ok(answer)]).map_err(CallError::Invalid);
    let mut object = match task.spec().answer {
        AnswerKind::Object(_) => return one(&Value::Object(object(text, at_limit)?)),
        AnswerKind::FirstObject(_) => {
            let first = extract::extract_first(text).map_err(|error| error.into_error(at_limit))?;
            return one(&Value::Object(first));
        }
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
            Some(Some(answer)) => stamp(&Value::Object(answer)),
            Some(None) => Err("the answer has several results for the story, which differ".to_owned()),
            None => Err("the story is missing from the answer".to_owned()),
        })
        .collect();
    if !results_by_id.is_empty() {
        tracing::debug!(unknown = results_by_id.len(), "results for ids that were not asked about are dropped");
    }
    Ok(answers)
}

/// Maximum characters of a text in an answer that becomes part of a digest.
const MAX_TEXT_CHARS: usize = 8_000;
/// The same for a text in a list. Entries that begin after so many characters of the list are left out.
const MAX_LIST_CHARS: usize = 4_000;
/// Maximum entries of a list in such an answer.
const MAX_ENTRIES: usize = 50;

/// Cuts the texts and lists of a valid answer. A longer answer is paid for and its beginning is of use, so it is not
/// refused; but every file of a digest would contain all of it.
fn shortened(mut answer: Value) -> Value {
    for field in answer.as_object_mut().into_iter().flat_map(Map::values_mut) {
        shorten(field, MAX_TEXT_CHARS, &mut 0);
    }
    answer
}

/// `taken` counts the characters of the texts so far.
fn shorten(value: &mut Value, max_chars: usize, taken: &mut usize) {
    match value {
        Value::String(text) => {
            *text = clip(text, max_chars);
            *taken += text.chars().count();
        }
        Value::Array(entries) => {
            entries.truncate(MAX_ENTRIES);
            entries.retain_mut(|entry| {
                let is_kept = *taken < MAX_LIST_CHARS;
                if is_kept {
                    shorten(entry, MAX_LIST_CHARS, taken);
                }
                is_kept
            });
        }
        Value::Object(fields) => fields.values_mut().for_each(|field| shorten(field, max_chars, taken)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the one JSON object of a text.
///
/// # Errors
/// As for [`read`].
pub fn object(text: &str, at_limit: Option<u32>) -> Result<Map<String, Value>, CallError> {
    extract::extract(text).map_err(|error| error.into_error(at_limit))
}

/// Maps the results by the id that they echo; `None` where results with the same id differ.
fn results_by_id(results: Vec<Value>) -> HashMap<String, Option<Map<String, Value>>> {
    let mut results_by_id: HashMap<String, Option<Map<String, Value>>> = HashMap::new();
    for result in results {
        if let Value::Object(mut answer) = result
            && let Some(Value::String(id)) = answer.shift_remove("id")
        {
            match results_by_id.entry(id) {
                Entry::Vacant(entry) => {
                    entry.insert(Some(answer));
                }
                Entry::Occupied(mut entry) => {
                    if entry.get().as_ref() != Some(&answer) {
                        entry.insert(None);
                    }
                }
            }
        }
    }
    results_by_id
}

#[cfg(test)]
mod tests {
    use super::super::tasks::deep_summary::TASK as SUMMARY;
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
        let text = json!({"results": [verdict("s2", 20), verdict("zz", 99), verdict("s1", 10), verdict("s1", 10)]});
        let answers = triage(3, &text.to_string()).unwrap();
        assert_eq!(answers[0].as_ref().unwrap()["aha_score"], 10);
        assert_eq!(answers[1].as_ref().unwrap()["aha_score"], 20);
        assert!(answers[2].as_ref().unwrap_err().contains("missing"));
    }

    #[test]
    fn results_that_contradict_each_other_are_no_answer() {
        let results = [verdict("s1", 10), verdict("s2", 20), verdict("s1", 90), verdict("s1", 10)];
        let answers = triage(2, &json!({ "results": results }).to_string()).unwrap();
        assert!(answers[0].as_ref().unwrap_err().contains("differ"));
        assert_eq!(answers[1].as_ref().unwrap()["aha_score"], 20);
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
    fn texts_and_lists_without_end_are_cut() {
        let mut long = verdict("s1", 10);
        long["categories"] = vec!["c".repeat(5_000); 200].into();
        let mut many = verdict("s2", 20);
        many["categories"] = (0..200).map(|n| format!("c{n}")).collect::<Vec<_>>().into();
        let answers = triage(2, &json!({"results": [long, many]}).to_string()).unwrap();
        assert_eq!(answers[0].as_ref().unwrap()["categories"], json!(["c".repeat(MAX_LIST_CHARS)]));
        let kept = answers[1].as_ref().unwrap()["categories"].as_array().unwrap();
        assert_eq!((kept.len(), &kept[0]), (MAX_ENTRIES, &json!("c0")));
        let summary = json!({"one_liner": "o".repeat(15_000), "bullets": ["short", "b".repeat(15_000), "left out"],
            "why_it_matters": ["kept"], "risks_or_caveats": [], "suggested_followups": []});
        let read = read(SUMMARY, "deep_summary_v1", &by(), 1, &summary.to_string(), None).unwrap().remove(0).unwrap();
        assert_eq!(read["one_liner"], "o".repeat(MAX_TEXT_CHARS));
        assert_eq!(read["bullets"], json!(["short", "b".repeat(MAX_LIST_CHARS)]));
        assert_eq!((&read["why_it_matters"], &read["model"]), (&json!(["kept"]), &json!("m")));
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
