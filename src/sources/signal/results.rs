//! The results in a service's answer: where the list stands, what each refers to, and what it is known by. Pure.

use std::collections::HashMap;

use aha_content::html::clean_line;
use aha_net::hash::hex32;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::provider::SearchProvider;
use crate::sources::fetch::FetchError;
use crate::sources::listing::json;

/// Where lists of results usually stand.
const USUAL_PLACES: [&str; 9] =
    ["", "/data", "/results", "/tweets", "/statuses", "/items", "/posts", "/data/results", "/web/results"];
/// Where a service says how many results there are.
const COUNTS: [&str; 4] = ["/meta/result_count", "/total", "/count", "/total_results"];
/// Where a service says what is wrong.
const COMPLAINTS: [&str; 6] =
    ["/errors/0/message", "/errors/0/detail", "/error/message", "/error", "/detail", "/message"];
/// A longer text within a result is cut: no post is as long.
const MAX_TEXT_CHARS: usize = 6_000;
/// A result that is still larger is left out.
const MAX_RESULT_BYTES: usize = 24 * 1024;
const MAX_RELATED: usize = 4;
/// A smaller number is how often something was liked or seen, which changes all the time.
const LEAST_IDENTIFYING: u64 = 1_000_000_000;

/// What a fetch of a search gave.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Found {
    pub title: String,
    /// The address of a result, with `{id}`, where the service gives none.
    pub link: Option<String>,
    pub results: Vec<SearchResult>,
    /// Results that were too large to be read.
    pub too_large: usize,
    /// All that came, which is what the service charges for.
    pub returned: usize,
}

/// One result, as the service returned it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchResult {
    pub result: Value,
    pub related: Vec<Value>,
}

impl SearchResult {
    /// What it is known by from one fetch to the next: its texts and its large numbers, which identify it or tell its time.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let mut parts = Vec::new();
        scalars(&self.result, &mut |value| match value {
            // Some services write their counts as texts.
            Value::String(text) if text.parse::<u64>().is_ok_and(|n| n < LEAST_IDENTIFYING) => {}
            Value::String(text) => parts.push(text.clone()),
            Value::Number(number) if number.as_u64().is_some_and(|n| n >= LEAST_IDENTIFYING) => {
                parts.push(number.to_string());
            }
            _ => {}
        });
        // Services order fields as they like.
        parts.sort_unstable();
        hex32(parts.join("\u{1f}").as_bytes())
    }
}

pub(super) fn read(provider: &SearchProvider, bytes: &[u8]) -> Result<Found, FetchError> {
    let document: Value = json(bytes)?;
    let related = related_by_id(provider, &document);
    let list = list(provider, &document)?;
    let mut found = Found { returned: list.len(), ..Found::default() };
    for result in list.iter().take(provider.most) {
        let result = clipped(result);
        if !result.is_object() || result.to_string().len() > MAX_RESULT_BYTES {
            found.too_large += 1;
            continue;
        }
        let related = referred_to(&result, &related);
        found.results.push(SearchResult { result, related });
    }
    Ok(found)
}

/// The list of results; none is an empty one only where the service says so or has its place for it.
fn list<'a>(provider: &SearchProvider, document: &'a Value) -> Result<&'a [Value], FetchError> {
    let at = |pointer: &str| document.pointer(pointer).and_then(Value::as_array);
    let found = match &provider.results {
        Some(pointer) => at(pointer),
        None => USUAL_PLACES.into_iter().find_map(at),
    };
    if let Some(list) = found {
        return Ok(list);
    }
    let is_none = || COUNTS.iter().any(|place| document.pointer(place).and_then(Value::as_u64) == Some(0));
    if let Some(complaint) = COMPLAINTS.iter().find_map(|place| document.pointer(place)?.as_str()) {
        let said: String = clean_line(complaint).chars().take(200).collect();
        let reason = format!("the search answers with a complaint in place of results: {said}");
        return Err(FetchError::Search { kind: "search_failed", status: None, reason });
    }
    if is_none() || (provider.results.is_some() && document.is_object()) {
        return Ok(&[]);
    }
    let reason =
        "the search answers with JSON in which no list of results was found; AHA_SIGNAL_RESULTS says where it is";
    Err(FetchError::Search { kind: "search_failed", status: None, reason: reason.to_owned() })
}

fn related_by_id(provider: &SearchProvider, document: &Value) -> HashMap<String, Value> {
    let lists = provider.related.iter().filter_map(|place| document.pointer(place)?.as_array());
    let with_id = |thing: &Value| Some((scalar(thing.get("id").or_else(|| thing.get("id_str"))?)?, clipped(thing)));
    lists.flatten().filter_map(with_id).collect()
}

fn referred_to(result: &Value, related: &HashMap<String, Value>) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    if related.is_empty() {
        return found;
    }
    scalars(result, &mut |value| {
        if let Some(thing) = scalar(value).and_then(|id| related.get(&id))
            && found.len() < MAX_RELATED
            && !found.contains(thing)
        {
            found.push(thing.clone());
        }
    });
    found
}

/// A text or a number as a text.
pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Gives all that is neither a list nor an object, at any depth; a document has no more of these than the parser lets it.
pub(super) fn scalars<'a>(value: &'a Value, take: &mut impl FnMut(&'a Value)) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| scalars(value, take)),
        Value::Object(fields) => fields.values().for_each(|value| scalars(value, take)),
        scalar => take(scalar),
    }
}

fn clipped(value: &Value) -> Value {
    match value {
        Value::String(text) if text.len() > MAX_TEXT_CHARS => {
            text.chars().take(MAX_TEXT_CHARS).collect::<String>().into()
        }
        Value::Array(values) => values.iter().map(clipped).collect(),
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), clipped(value))).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::provider::tests::provider;
    use super::{SearchResult, read};

    fn found(document: &serde_json::Value) -> Result<usize, String> {
        let provider = provider("https://api.example/?q={query}");
        read(&provider, document.to_string().as_bytes()).map(|found| found.results.len()).map_err(|e| e.to_string())
    }

    #[test]
    fn lists_are_found_where_services_put_them() {
        assert_eq!(found(&json!({"data": [{"id": "1"}], "meta": {"result_count": 1}})), Ok(1));
        assert_eq!(found(&json!([{"id": "1"}, {"id": "2"}, 3])), Ok(2));
        assert_eq!(found(&json!({"meta": {"result_count": 0}})), Ok(0));
        assert!(found(&json!({"errors": [{"message": "Usage \u{1b}[1mcap"}]})).unwrap_err().contains("Usage"));
        assert!(found(&json!({"hits": {"list": []}})).unwrap_err().contains("AHA_SIGNAL_RESULTS"));
        assert!(found(&json!("x")).is_err());
    }

    #[test]
    fn what_a_result_refers_to_goes_with_it() {
        let mut provider = provider("https://api.example/?q={query}");
        provider.results = Some("/data".to_owned());
        provider.related = vec!["/includes/users".to_owned()];
        let document = json!({"data": [{"id": "7", "author_id": "12"}],
            "includes": {"users": [{"id": "11", "username": "b"}, {"id": "12", "username": "a"}]}});
        let found = read(&provider, document.to_string().as_bytes()).unwrap();
        assert_eq!(found.results[0].related, [json!({"id": "12", "username": "a"})]);
        assert_eq!(read(&provider, b"{}").unwrap().results.len(), 0, "some services leave an empty list out");
    }

    #[test]
    fn counts_change_nothing_and_texts_do() {
        let of = |text: &str, likes: i64| {
            let result = json!({"id": 1_893_456_789_012_345_678_u64, "text": text, "likes": likes});
            SearchResult { result, related: Vec::new() }.fingerprint()
        };
        assert_eq!(of("a", 1), of("a", 2));
        assert_ne!(of("a", 1), of("b", 1));
    }

    #[test]
    fn an_enormous_result_is_left_out() {
        let text = "x".repeat(100_000);
        let many: Vec<_> = (0..10).map(|n| json!({ "t": format!("{n}{text}") })).collect();
        let provider = provider("https://api.example/?q={query}");
        let document = json!([{ "text": text }, { "texts": many }]).to_string();
        let found = read(&provider, document.as_bytes()).unwrap();
        assert_eq!((found.results.len(), found.too_large), (1, 1));
        assert_eq!(found.results[0].result["text"].as_str().unwrap().len(), 6_000);
    }
}
