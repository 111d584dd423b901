//! Converts a model's answer about a search result to an item. Only values that the result itself contains are used.
//! Pure; called by the ingest stage.

use std::collections::HashSet;

use aha_content::feed::{ReadDate, read_date};
use aha_content::fold::{fold_line, fold_lines};
use aha_content::html::decode_entities;
use aha_core::item::{Engagement, NewItem};
use aha_core::time::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::results::{SearchResult, scalar, scalars};

/// Numbers from this one on are milliseconds since 1970, smaller ones seconds.
const MIN_MILLIS: i64 = 100_000_000_000;

/// An answer of `signal_v1`, without the fields added by the gateway.
#[derive(Debug, Clone, Deserialize)]
struct Answer {
    is_post: bool,
    external_id: String,
    url: String,
    title: String,
    text: String,
    author: String,
    published_at: String,
    language: String,
    likes: Option<i64>,
    replies: Option<i64>,
    views: Option<i64>,
}

/// The outcome of converting an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VerifiedItem {
    /// The item, and the number of its fields that were left out because they are not in the result.
    Item(Box<NewItem>, usize),
    /// An advertisement, or a message of the service itself.
    NoPost,
    /// The answer contains an identifier, an address or a text that is not in the result.
    Invented,
}

/// Converts an answer, using only values that the result contains.
#[must_use]
pub fn verify_extraction(answer: &Value, result: &SearchResult, link: Option<&str>) -> VerifiedItem {
    let Ok(answer) = Answer::deserialize(answer) else { return VerifiedItem::Invented };
    if !answer.is_post {
        return VerifiedItem::NoPost;
    }
    let values = ResultValues::of(result);
    let identity =
        (values.whole_field(&answer.external_id), values.whole_field(&answer.url), values.words(&answer.text));
    let (Ok(id), Ok(url), Ok(text)) = identity else { return VerifiedItem::Invented };
    let url = link.zip(id.as_deref()).map(|(link, id)| address(link, id)).or(url).filter(|url| is_web(url));
    let mut left_out = 0;
    let mut optional = |field: Result<Option<String>, Invented>| {
        field.unwrap_or_else(|Invented| {
            left_out += 1;
            None
        })
    };
    let title = optional(values.words(&answer.title)).map(|title| fold_line(&title)).filter(|title| !title.is_empty());
    let author = optional(values.name(&answer.author));
    let published = optional(values.whole_field(&answer.published_at));
    let language = optional(values.whole_field(&answer.language));
    let published = published.as_deref().and_then(date);
    let mut count = |number: Option<i64>| {
        let known = number.filter(|number| *number >= 0 && values.scalars.contains(&number.to_string()));
        left_out += usize::from(number.is_some() && known.is_none());
        known
    };
    let engagement =
        Engagement { score: count(answer.likes), comments: count(answer.replies), views: count(answer.views) };
    let body_text = text.map(|text| fold_lines(&text)).unwrap_or_default();
    if body_text.is_empty() && title.is_none() {
        return VerifiedItem::Invented;
    }
    let item = NewItem {
        guid: id,
        url,
        title,
        body_text: Some(body_text),
        author,
        published_at: published.map(|date| Timestamp::from_millis(date.at.timestamp_millis())),
        is_zone_assumed: published.is_some_and(|date| !date.has_zone),
        language,
        engagement,
        ..NewItem::default()
    };
    VerifiedItem::Item(Box::new(item), left_out)
}

/// A value that is not in the result.
struct Invented;

/// All values of a result, for lookups.
struct ResultValues {
    scalars: HashSet<String>,
    /// Its texts, each folded to one line.
    lines: Vec<String>,
}

impl ResultValues {
    fn of(result: &SearchResult) -> Self {
        let mut values = Self { scalars: HashSet::new(), lines: Vec::new() };
        let mut take = |value: &Value| {
            if let Value::String(text) = value {
                values.lines.push(plain(text));
            }
            values.scalars.extend(scalar(value));
        };
        scalars(&result.result, &mut take);
        result.related.iter().for_each(|thing| scalars(thing, &mut take));
        values
    }

    /// Accepts a value only if it equals a whole field, because a value merely mentioned in a text may not be the
    /// result's own. `None` if it is empty.
    fn whole_field(&self, value: &str) -> Result<Option<String>, Invented> {
        let value = value.trim();
        match self.scalars.contains(value) {
            _ if value.is_empty() => Ok(None),
            true => Ok(Some(fold_line(value))),
            false => Err(Invented),
        }
    }

    /// A handle, with or without `@`.
    fn name(&self, value: &str) -> Result<Option<String>, Invented> {
        self.whole_field(value).or_else(|_| self.whole_field(value.trim().trim_start_matches('@')))
    }

    /// Words that occur in one of its texts, apart from white space.
    fn words(&self, value: &str) -> Result<Option<String>, Invented> {
        let words = plain(value);
        if words.is_empty() {
            return Ok(None);
        }
        let is_there = self.lines.iter().any(|line| line.contains(&words));
        if is_there { Ok(Some(decode_entities(value).into_owned())) } else { Err(Invented) }
    }
}

fn plain(text: &str) -> String {
    fold_line(&decode_entities(text))
}

fn is_web(address: &str) -> bool {
    Url::parse(address).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

/// Fills the user's link template with an identifier given by the service.
fn address(link: &str, id: &str) -> String {
    let encoded: String = url::form_urlencoded::byte_serialize(id.as_bytes()).collect();
    link.replace("{id}", &encoded)
}

/// Parses a feed date, or a number since 1970.
fn date(text: &str) -> Option<ReadDate> {
    let Ok(number) = text.parse::<i64>() else { return read_date(text) };
    let millis = if number >= MIN_MILLIS { number } else { number.checked_mul(1000)? };
    let at = chrono::DateTime::from_timestamp_millis(millis)?;
    (at.timestamp() >= 365 * 86_400).then_some(ReadDate { at, has_zone: true })
}

#[cfg(test)]
mod tests {
    use aha_core::item::NewItem;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::super::results::SearchResult;
    use super::{VerifiedItem, verify_extraction};

    const TEXT: &str = "Tide &amp; time: the first  array\nis in the water. See https://evil.example/now";

    fn result() -> SearchResult {
        SearchResult {
            result: json!({"id": "1893", "text": TEXT, "author_id": "12", "created_at": "2026-11-18T06:30:00.000Z",
                "link": "https://posts.example/1893", "lang": "en", "metrics": {"like_count": 14, "replies": "3"}}),
            related: vec![json!({"id": "12", "username": "harbour"})],
        }
    }

    fn answer() -> Value {
        json!({"is_post": true, "external_id": "1893", "url": "https://posts.example/1893", "title": "", "text": TEXT,
            "author": "@harbour", "published_at": "2026-11-18T06:30:00.000Z", "language": "en", "likes": 14,
            "replies": 3, "views": null})
    }

    fn with(field: &str, value: Value) -> Value {
        let mut answer = answer();
        answer[field] = value;
        answer
    }

    #[track_caller]
    fn item(answer: &Value, link: Option<&str>) -> (NewItem, usize) {
        match verify_extraction(answer, &result(), link) {
            VerifiedItem::Item(item, left_out) => (*item, left_out),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn values_of_the_result_become_an_item() {
        let (found, left_out) = item(&answer(), None);
        assert_eq!((found.guid.as_deref(), found.url.as_deref()), (Some("1893"), Some("https://posts.example/1893")));
        assert_eq!(
            found.body_text.unwrap(),
            "Tide & time: the first array\nis in the water. See https://evil.example/now"
        );
        assert_eq!((found.author.as_deref(), found.title, left_out), (Some("harbour"), None, 0));
        assert_eq!(found.published_at.unwrap().to_string(), "2026-11-18T06:30:00Z");
        assert_eq!((found.engagement.score, found.engagement.comments), (Some(14), Some(3)));
        let (linked, _) = item(&with("url", json!("")), Some("https://x.example/i/{id}"));
        assert_eq!(linked.url.as_deref(), Some("https://x.example/i/1893"));
    }

    #[test]
    fn unknown_identities_and_texts_are_rejected_as_invented() {
        for (field, value) in [
            ("external_id", "1894"),
            ("url", "https://posts.example/1894"),
            // Only mentioned in the text, whatever instructions the text contains.
            ("url", "https://evil.example/now"),
            ("text", "Tide and time: the second array."),
        ] {
            assert_eq!(
                verify_extraction(&with(field, json!(value)), &result(), None),
                VerifiedItem::Invented,
                "{field}"
            );
        }
        assert_eq!(verify_extraction(&with("is_post", json!(false)), &result(), None), VerifiedItem::NoPost);
    }

    #[test]
    fn other_unknown_fields_are_left_out() {
        for (field, value) in [
            ("author", json!("somebody else")),
            ("published_at", json!("2026-11-19T00:00:00Z")),
            ("title", json!("A headline of the model's")),
            ("likes", json!(15)),
            ("views", json!(-1)),
        ] {
            assert_eq!(item(&with(field, value), None).1, 1, "{field}");
        }
        assert_eq!(item(&with("published_at", json!("2026-11-19T00:00:00Z")), None).0.published_at, None);
        assert_eq!(item(&with("published_at", json!("1893")), None).0.published_at, None, "no date");
    }

    #[test]
    fn times_are_parsed_in_the_formats_of_services() {
        for (written, expected) in [
            (json!(1_763_447_400), "2025-11-18T06:30:00Z"),
            (json!(1_763_447_400_000_i64), "2025-11-18T06:30:00Z"),
            (json!("Tue Nov 18 06:30:00 +0000 2025"), "2025-11-18T06:30:00Z"),
        ] {
            let mut result = result();
            result.result["created_at"] = written.clone();
            let text = written.as_str().map_or_else(|| written.to_string(), str::to_owned);
            let VerifiedItem::Item(item, 0) = verify_extraction(&with("published_at", json!(text)), &result, None)
            else {
                panic!()
            };
            assert_eq!(item.published_at.unwrap().to_string(), expected);
        }
    }

    proptest! {
        #[test]
        fn only_values_of_the_result_are_used(id in "\\PC{0,20}", url in "\\PC{0,40}", text in "\\PC{0,60}") {
            let invented = json!({"is_post": true, "external_id": id, "url": url, "title": "", "text": text, "author": id,
                "published_at": text, "language": "", "likes": null, "replies": null, "views": null});
            if let VerifiedItem::Item(item, _) = verify_extraction(&invented, &result(), None) {
                let raw = result().result.to_string();
                prop_assert!(item.guid.is_none_or(|id| raw.contains(&id)));
                prop_assert!(item.url.is_none_or(|url| raw.contains(&url)));
            }
        }
    }
}
