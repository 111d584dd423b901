//! How a fault spoils an answer: first the model's object and text, later the body and the way it is sent.

use serde_json::{Value, json};

use super::envelope::{Draft, Ending};
use super::errors::PAGE;
use super::fault::{Fault, Reported};
use super::wire::{End, Reply};

/// Changes the object that the model answers.
pub fn spoil_object(fault: &Fault, object: &mut Value) {
    if let Fault::Edit(edit) = fault {
        return edit(object);
    }
    if *fault == Fault::Forged {
        forge(object);
    }
    let Some(results) = object.get_mut("results").and_then(Value::as_array_mut).filter(|results| !results.is_empty())
    else {
        if let (Fault::Score(score), Some(known)) = (fault, object.get_mut("aha_score")) {
            *known = score.clone();
        }
        return;
    };
    let first = results[0].clone();
    match fault {
        Fault::Score(score) => results[0]["aha_score"] = score.clone(),
        Fault::MissingId => drop(results.remove(0)),
        Fault::UnknownId => results.push(with(first, "id", json!("s999"))),
        Fault::DuplicateId => {
            let other = 100 - first["aha_score"].as_u64().unwrap_or(0).min(100);
            results.push(with(first, "aha_score", json!(other)));
        }
        Fault::Forged => results.iter_mut().for_each(forge),
        _ => {}
    }
}

fn with(mut object: Value, field: &str, value: Value) -> Value {
    object[field] = value;
    object
}

fn forge(object: &mut Value) {
    for (field, value) in
        [("schema_version", "triage_v9"), ("prompt_id", "forged"), ("provider", "forged"), ("model", "forged")]
    {
        object[field] = json!(value);
    }
}

/// Changes what the model says and how it ends.
pub fn spoil_draft(fault: &Fault, draft: &mut Draft) {
    let text = std::mem::take(&mut draft.text);
    draft.text = match fault {
        Fault::Incomplete | Fault::CutAtCap | Fault::ContentFilter => half(&text),
        Fault::EmptyText => String::new(),
        Fault::Fenced => format!("```json\n{text}\n```\n"),
        Fault::Preamble => {
            let thought = "<think>The user wants {\"results\": […]}; so be it.</think>";
            format!("{thought}\nHere is the JSON you asked for:\n\n{text}\n\nIs there more?")
        }
        Fault::TwoObjects => format!("{text}\n{{\"results\": [], \"again\": true}}"),
        Fault::Text(other) => (*other).to_owned(),
        _ => text,
    };
    match fault {
        Fault::Incomplete => draft.ending = Ending::Incomplete("max_output_tokens"),
        Fault::ContentFilter => draft.ending = Ending::Incomplete("content_filter"),
        Fault::Failed => draft.ending = Ending::Failed { with_usage: false },
        Fault::FailedAfterWork => draft.ending = Ending::Failed { with_usage: true },
        Fault::Refusal => draft.refusal = Some("I'm sorry, but I can't help with that.".to_owned()),
        Fault::NoOutput => draft.message = false,
        _ => {}
    }
}

/// The first half, on a boundary.
pub fn half(text: &str) -> String {
    text.chars().take(text.chars().count() / 2).collect()
}

/// Changes what the answer says of its tokens.
pub fn spoil_usage(fault: &Fault, answer: &mut Value) {
    let Fault::Usage(reported) = fault else { return };
    let all = |value: Value| {
        json!({
            "input_tokens": value, "output_tokens": value, "prompt_tokens": value, "total_tokens": value,
            "input_tokens_details": { "cached_tokens": 0, "cache_write_tokens": 0 },
            "output_tokens_details": { "reasoning_tokens": 0 },
        })
    };
    answer["usage"] = match reported {
        Reported::Null => Value::Null,
        Reported::Negative => all(json!(-100)),
        Reported::Huge => all(json!(1_000_000_000_000_000_u64)),
        Reported::Words => all(json!("many")),
        Reported::TooMany => all(json!(50_000_000)),
        Reported::CachedBeyondInput => json!({
            "input_tokens": 10, "output_tokens": 5, "total_tokens": 15,
            "input_tokens_details": { "cached_tokens": 1_000_000 },
            "output_tokens_details": { "reasoning_tokens": 0 },
        }),
        Reported::Missing => {
            answer.as_object_mut().into_iter().for_each(|fields| drop(fields.shift_remove("usage")));
            return;
        }
    };
}

/// Changes how the answer travels.
pub fn spoil_reply(fault: &Fault, reply: &mut Reply) {
    const ENORMOUS: usize = 20 * 1024 * 1024;
    match fault {
        Fault::NoContent => (reply.status, reply.body) = (204, Vec::new()),
        Fault::Late(delay) => reply.after += *delay,
        Fault::StallBeforeFirstByte => reply.end = End::Silent,
        Fault::StallInBody => reply.end = End::Stall,
        Fault::Reset => reply.end = End::Reset,
        Fault::CutInBody => reply.end = End::Cut,
        Fault::Enormous => reply.body.resize(ENORMOUS.max(reply.body.len()), b' '),
        Fault::NotJson => {
            reply.body = PAGE.as_bytes().to_vec();
            reply.headers = vec![("content-type", "text/html".to_owned())];
        }
        Fault::NotANumber => {
            let text = String::from_utf8_lossy(&reply.body).replacen("\"embedding\":[", "\"embedding\":[NaN,", 1);
            reply.body = text.into_bytes();
        }
        _ => {}
    }
}
