//! Normalises JSON Feed documents for feed-rs. Called by the parser for documents that start with `{`.

use serde_json::Value;

use super::dialect::spaced_addresses;
use super::items::is_recording;
use super::limits::{MAX_ITEMS, MAX_READ_ITEMS};

/// Parses the document. Escapes of lone surrogates and raw control characters are replaced.
pub(super) fn read(text: &str, problems: &mut Vec<String>) -> Result<Value, serde_json::Error> {
    let text = text.trim_start_matches('\u{FEFF}');
    serde_json::from_str(text).or_else(|error| {
        let document = serde_json::from_str(&repaired(text)).map_err(|_| error)?;
        problems.push("left out characters that JSON does not have".to_owned());
        Ok(document)
    })
}

/// Returns the text without the items after the first [`MAX_ITEMS`], and the total number of items; `None` if there are
/// no more than that. Linear.
pub(super) fn first_items(text: &str) -> Option<(String, usize)> {
    let (mut depth, mut in_string, mut escaped, mut begun) = (0_usize, false, false, 0);
    let (mut key, mut in_items, mut count, mut cut) = ("", false, 1, None);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => {
                if in_string && depth == 1 {
                    key = &text[begun..at];
                }
                (in_string, begun) = (!in_string, at + 1);
            }
            _ if in_string => {}
            b'[' | b'{' => {
                depth += 1;
                in_items |= byte == b'[' && depth == 2 && key == "items";
            }
            b',' if in_items && depth == 2 => {
                cut = cut.or((count == MAX_ITEMS).then_some(at));
                count += 1;
            }
            b']' | b'}' if in_items && depth == 2 => {
                return cut.map(|cut| (format!("{}{}", &text[..cut], &text[at..]), count));
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Replaces lone surrogates (`\uD800`) with replacement characters and control characters with spaces. Text after the
/// document remains, so that it is refused.
fn repaired(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c == '\\' || c.is_ascii_control()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match surrogate(rest) {
            Some(0xD800..=0xDBFF) if matches!(surrogate(&rest[6..]), Some(0xDC00..=0xDFFF)) => 12,
            Some(_) => {
                out.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            None if rest.starts_with('\\') => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            None => {
                out.push(' ');
                rest = &rest[1..];
                continue;
            }
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// Returns the surrogate whose escape is at the start of `text`.
fn surrogate(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok().filter(|code| (0xD800..=0xDFFF).contains(code))
}

/// Returns the document with string ids and without values of the wrong type; `None` if it is not a JSON Feed.
pub(super) fn normalise(mut document: Value, problems: &mut Vec<String>) -> Option<String> {
    let feed = document.as_object_mut()?;
    if !feed.get("items").is_some_and(Value::is_array) {
        return None;
    }
    let version = feed.get("version").and_then(Value::as_str).unwrap_or_default();
    if !version.starts_with("https://jsonfeed.org/version/1") {
        problems.push("the JSON Feed version is missing or unknown".to_owned());
        feed.insert("version".to_owned(), "https://jsonfeed.org/version/1.1".into());
    }
    strings(feed, &["title", "home_page_url", "feed_url", "language", "description", "icon", "favicon"]);
    feed.entry("title").or_insert_with(|| "".into());
    people(feed);
    let items = feed.get_mut("items").and_then(Value::as_array_mut)?;
    if items.len() > MAX_READ_ITEMS {
        problems.push(format!("{} items; only the first {MAX_READ_ITEMS} were read", items.len()));
        items.truncate(MAX_READ_ITEMS);
    }
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
        recordings(item);
    }
    Some(document.to_string())
}

/// Converts numbers to strings and removes values of other types.
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

/// Keeps only the audio and video files of the attachments; one without a type would fail the whole feed.
fn recordings(item: &mut serde_json::Map<String, Value>) {
    let Some(attachments) = item.remove("attachments") else { return };
    let recording = |attachment: &Value| -> Option<Value> {
        let url = attachment.get("url")?.as_str()?;
        let kind = attachment.get("mime_type")?.as_str().filter(|kind| is_recording(kind))?;
        Some(serde_json::json!({ "url": url, "mime_type": kind }))
    };
    let kept: Vec<Value> = attachments.as_array().into_iter().flatten().filter_map(recording).collect();
    item.insert("attachments".to_owned(), kept.into());
}

/// Makes `author` an object and `authors` a list of objects, each with a string name; invalid ones are removed.
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

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn half_surrogates_and_control_characters_are_mended() {
        let mut problems = Vec::new();
        let document = read("{\"a\": \"x\\ud83d\\ude00y\\uD800z\\udc00\\\\ud800 \u{1}\n\"}", &mut problems).unwrap();
        assert_eq!(document["a"], "x😀y\u{fffd}z\u{fffd}\\ud800   ");
        assert_eq!(problems.len(), 1);
        assert!(read("{\"a\": ", &mut problems).is_err() && read("{} x\u{1}", &mut problems).is_err());
    }
}
