//! JSON Feed as publishers write it, made strict enough for feed-rs. Called by the parser for documents that start with `{`.

use serde_json::Value;

use super::dialect::spaced_addresses;

/// The document with ids as strings, absent what has the wrong type; `None` when it is no JSON Feed at all.
pub(super) fn normalise(text: &str) -> Option<(String, Vec<String>)> {
    let mut document: Value = serde_json::from_str(text.trim_start_matches('\u{FEFF}')).ok()?;
    let feed = document.as_object_mut()?;
    if !feed.get("items").is_some_and(Value::is_array) {
        return None;
    }
    let mut problems = Vec::new();
    let version = feed.get("version").and_then(Value::as_str).unwrap_or_default();
    if !version.starts_with("https://jsonfeed.org/version/1") {
        problems.push("the JSON Feed version is missing or unknown".to_owned());
        feed.insert("version".to_owned(), "https://jsonfeed.org/version/1.1".into());
    }
    strings(feed, &["title", "home_page_url", "feed_url", "language", "description", "icon", "favicon"]);
    feed.entry("title").or_insert_with(|| "".into());
    people(feed);
    let items = feed.get_mut("items").and_then(Value::as_array_mut)?;
    let before = items.len();
    items.retain(Value::is_object);
    if items.len() < before {
        problems.push("some items are no objects".to_owned());
    }
    for item in items.iter_mut().filter_map(Value::as_object_mut) {
        if item.get("id").is_some_and(Value::is_number) && !problems.iter().any(|p| p.contains("ids")) {
            problems.push("ids are numbers, not strings".to_owned());
        }
        strings(
            item,
            &[
                "id",
                "url",
                "external_url",
                "title",
                "content_html",
                "content_text",
                "summary",
                "date_published",
                "date_modified",
            ],
        );
        people(item);
        if let Some(tags) = item.get_mut("tags") {
            *tags =
                tags.as_array().map_or_else(Vec::new, |t| t.iter().filter(|v| v.is_string()).cloned().collect()).into();
        }
        // Not used, and one that lacks a type would fail the whole feed.
        item.remove("attachments");
    }
    Some((document.to_string(), problems))
}

/// Numbers become strings; what is neither is left out.
fn strings(object: &mut serde_json::Map<String, Value>, keys: &[&str]) {
    for key in keys {
        match object.get(*key) {
            Some(Value::Number(number)) => {
                let text = number.to_string();
                object.insert((*key).to_owned(), text.into());
            }
            Some(Value::String(_)) | None => {}
            Some(_) => {
                object.remove(*key);
            }
        }
    }
}

/// `author` as an object and `authors` as a list of objects with a text for a name, or nothing.
fn people(object: &mut serde_json::Map<String, Value>) {
    let person = |value: &Value| -> Option<Value> {
        let name = value.as_str().or_else(|| value.get("name").and_then(Value::as_str))?;
        Some(serde_json::json!({ "name": spaced_addresses(name) }))
    };
    if let Some(author) = object.remove("author").as_ref().and_then(person) {
        object.insert("author".to_owned(), author);
    }
    if let Some(authors) = object.remove("authors") {
        let authors: Vec<Value> = authors.as_array().into_iter().flatten().filter_map(person).collect();
        object.insert("authors".to_owned(), authors.into());
    }
}
