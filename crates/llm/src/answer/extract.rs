//! Extracts the one JSON object from a model's text, whatever surrounds it.
//!
//! The object is taken exactly as the model wrote it. Code fences, prose, thinking text, comments and trailing commas
//! carry no meaning and are ignored. Nothing is extracted where a value would have to be guessed or completed, or where
//! the text contains two different objects, unless the task takes the first.

use serde_json::{Map, Value};

use super::noise;
use super::text_filter::THINKING_TAGS;
use super::unique_keys;
use crate::error::CallError;

/// Maximum number of unclosed braces in prose. Each one costs a scan of the rest of the text.
const MAX_PROSE_BRACES: usize = 16;

/// Maximum length of a parse error message, in characters. It may quote the object.
const REASON_CHARS: usize = 120;

/// Why a text does not contain exactly one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ExtractError {
    None,
    Several,
    /// An opening brace has no closing brace.
    Unfinished,
    /// Looks like an object but cannot be parsed.
    Unreadable(String),
}

impl ExtractError {
    /// Answers that the provider reports as cut off do not reach this function. An object without an end counts as
    /// truncated if the answer used all allowed tokens (`at_limit`), otherwise as invalid.
    pub(super) fn into_error(self, at_limit: Option<u32>) -> CallError {
        if let (Self::Unfinished, Some(tokens)) = (&self, at_limit) {
            return CallError::Truncated(tokens);
        }
        CallError::Invalid(match self {
            Self::Unfinished => "the answer's JSON object does not end: a closing brace is missing".to_owned(),
            Self::None => "the answer holds no JSON object".to_owned(),
            Self::Several => "the answer holds more than one JSON object".to_owned(),
            Self::Unreadable(why) => format!("the answer's JSON object cannot be read: {why}"),
        })
    }
}

/// Which object of a text is the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// The only one.
    Only,
    /// The first, whatever follows it.
    First,
}

/// Returns the one object in a text. Also accepts a text that is a single JSON string containing the object.
pub(super) fn extract(text: &str) -> Result<Map<String, Value>, ExtractError> {
    extract_wanted(text, Wanted::Only)
}

/// Like [`extract`], but returns the first of several objects.
pub(super) fn extract_first(text: &str) -> Result<Map<String, Value>, ExtractError> {
    extract_wanted(text, Wanted::First)
}

fn extract_wanted(text: &str, wanted: Wanted) -> Result<Map<String, Value>, ExtractError> {
    let text = text.trim();
    if text.starts_with('"')
        && let Ok(inner) = serde_json::from_str::<String>(text)
    {
        return extract_wanted(&inner, wanted);
    }
    object_in_text(text, wanted)
}

/// Returns whether the object that a text begins with is closed within it. The text must begin with an opening brace.
pub(super) fn is_balanced(text: &str) -> bool {
    noise::object_length(text).is_some()
}

/// Returns the objects of a line: one, or several in a row, in a list or not.
pub(super) fn extract_all(line: &str) -> Result<Vec<Map<String, Value>>, ExtractError> {
    let line = line.trim().trim_start_matches('[').trim_end_matches([']', ',', ' ']);
    match extract(line) {
        Err(ExtractError::Several) => objects_in_a_row(line),
        one => one.map(|object| vec![object]),
    }
}

fn objects_in_a_row(line: &str) -> Result<Vec<Map<String, Value>>, ExtractError> {
    let (mut objects, mut rest) = (Vec::new(), line);
    while let Some(start) = rest.find('{') {
        let length = noise::object_length(&rest[start..]).ok_or(ExtractError::Unfinished)?;
        let (object, after) = rest[start..].split_at(length);
        objects.push(unique_keys::object(object).map_err(|error| ExtractError::Unreadable(error.to_string()))?);
        rest = after;
    }
    Ok(objects)
}

fn object_in_text(text: &str, wanted: Wanted) -> Result<Map<String, Value>, ExtractError> {
    let text = without_thinking(text).ok_or(ExtractError::Unfinished)?;
    let mut found = Ok(None);
    let (mut at, mut prose_braces) = (0, 0);
    while let Some(gap) = text[at..].find('{') {
        let start = at + gap;
        if ends_thinking(&text[at..start]) {
            found = Ok(None);
        }
        if let Some(length) = noise::object_length(&text[start..]) {
            at = start + length;
            found = match (wanted, found) {
                (Wanted::First, Ok(None)) => candidate(&text, start, at),
                (Wanted::First, first) => first,
                (Wanted::Only, earlier) => merge(earlier, candidate(&text, start, at)),
            };
        } else if wanted == Wanted::First && matches!(found, Ok(Some(_))) {
            // What follows the first object need not be complete.
            break;
        } else if prose_braces == MAX_PROSE_BRACES || is_meant_as_object(&text[start..]) {
            return Err(unfinished(&text[start..]));
        } else {
            prose_braces += 1;
            at = start + 1;
        }
    }
    if ends_thinking(&text[at..]) {
        return Err(ExtractError::None);
    }
    found?.ok_or(ExtractError::None)
}

type Found = Result<Option<Map<String, Value>>, ExtractError>;

/// Identical objects count as one.
fn merge(earlier: Found, later: Found) -> Found {
    match (earlier?, later?) {
        (Some(earlier), Some(later)) if earlier != later => Err(ExtractError::Several),
        (earlier, later) => Ok(earlier.or(later)),
    }
}

/// Reads the text between two braces. Returns `None` when it is prose rather than an object.
fn candidate(text: &str, start: usize, end: usize) -> Found {
    let object = &text[start..end];
    if !is_meant_as_object(object) {
        return Ok(None);
    }
    let read = unique_keys::object(object).or_else(|error| {
        let clean = noise::strip_noise(object).ok_or(error)?;
        unique_keys::object(&clean)
    });
    let object = read.map_err(|error| {
        let why = error.to_string();
        ExtractError::Unreadable(why.chars().filter(|c| !c.is_control()).take(REASON_CHARS).collect())
    })?;
    if is_complete(&text[..start], &text[end..]) {
        return Ok(Some(object));
    }
    Err(ExtractError::Unreadable("it is a part of something larger that is not whole".to_owned()))
}

/// Whether an opening brace begins an object, readable or not, rather than a remark in braces.
fn is_meant_as_object(text: &str) -> bool {
    let inside = text[1..].trim_start();
    let name_end = inside.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').unwrap_or(inside.len());
    let after_name = inside[name_end..].trim_start();
    if name_end > 0 {
        return after_name.starts_with(':');
    }
    inside.is_empty() || inside.starts_with(['"', '\'', '“', '”', '‘', '’', '`', '\\', '{', '[', '}', '/', '#'])
}

/// Returns the error for an object without an end. If not even its beginning is JSON, its quotes may not be string
/// delimiters, so its end cannot be determined.
fn unfinished(text: &str) -> ExtractError {
    let inside = text[1..].trim_start();
    if inside.is_empty() || inside.starts_with(['"', '/', '}']) {
        return ExtractError::Unfinished;
    }
    ExtractError::Unreadable("what follows its first brace is no name in double quotes".to_owned())
}

/// Whether an object is complete by itself: not the value of a field, not followed by more fields, and in a list only
/// as its single element.
fn is_complete(before: &str, after: &str) -> bool {
    let (before, after) = (before.trim_end(), after.trim_start());
    let outer = before.trim_end_matches(|c: char| c == '[' || c.is_whitespace());
    let is_value = outer.strip_suffix(':').is_some_and(|name| name.trim_end().ends_with('"'));
    let continues = after.strip_prefix(',').is_some_and(|next| next.trim_start().starts_with('"'));
    !is_value && !continues && before.ends_with('[') == after.starts_with(']')
}

/// Whether the preceding text was thinking, in a text whose opening tag is missing.
fn ends_thinking(prose: &str) -> bool {
    THINKING_TAGS.iter().any(|(_, close)| prose.contains(close))
}

/// Returns the text without the model's thinking; `None` when the thinking never ends. Only text before the answer is
/// treated as thinking, because the answer itself may quote the tag.
fn without_thinking(text: &str) -> Option<String> {
    let (mut visible, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(['{', '<']) {
        let (before, from) = rest.split_at(at);
        if from.starts_with('{') {
            break;
        }
        visible.push_str(before);
        if let Some((_, close)) = THINKING_TAGS.iter().find(|(open, _)| from.starts_with(open)) {
            rest = from.split_once(close)?.1;
        } else {
            visible.push('<');
            rest = &from[1..];
        }
    }
    visible.push_str(rest);
    Some(visible)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Answers as weak models give them, one JSON object a line: `name`, `text`, and `recovered` or the error's kind as
    /// `refused`.
    const CORPUS: &str = include_str!("../../../../tests/data/answers/weak_models.jsonl");

    #[test]
    fn weak_answers_are_recovered_exactly_or_refused() {
        let mut recovered = 0;
        for line in CORPUS.lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            let outcome = extract(case["text"].as_str().unwrap());
            if let Value::Object(expected) = &case["recovered"] {
                assert_eq!(outcome.as_ref(), Ok(expected), "{line}");
                recovered += 1;
            } else {
                let error = outcome.expect_err(line).into_error(None);
                assert_eq!(error.kind(), case["refused"], "{line}: {error}");
            }
        }
        assert_eq!((recovered, CORPUS.lines().count()), (55, 126), "recovered of all");
    }

    #[test]
    fn the_first_of_several_objects_is_taken_whatever_follows_it() {
        let first = json!({ "operations": [{ "title": "a } {" }] });
        let Value::Object(expected) = &first else { return };
        for text in [
            format!("Here: {first} trailing {{\"b\": 2}}"),
            format!("{first}\n{{\"operations\": []}}"),
            format!("```json\n{first}\n```\n```json\n{{\"b\": 2}}\n```"),
            format!("{first} or {{'b': 2}} or {{\"b\": "),
            format!("<think>{{\"b\": 2}}</think>{first} {{\"b\": 2}}"),
            format!("Perhaps {{\"b\": 2}}.</think>{first} {{\"b\": 2}}"),
            format!("As {{you asked}}: {first}"),
        ] {
            assert_eq!(extract_first(&text).as_ref(), Ok(expected), "{text}");
        }
        for text in ["none", "{\"a\": ", "{'a': 1} {\"b\": 2}", "[{\"a\": 1}, {\"b\": 2}]"] {
            assert!(extract_first(text).is_err(), "{text}");
        }
        assert_eq!(extract(&format!("{first} {{\"b\": 2}}")), Err(ExtractError::Several));
    }

    #[test]
    fn a_text_full_of_braces_is_given_up_soon() {
        assert!(matches!(extract(&"{x ".repeat(1 << 16)), Err(ExtractError::Unreadable(_))));
        assert_eq!(extract(&"{x} ".repeat(1 << 16)), Err(ExtractError::None));
        assert_eq!(extract(&"<think></think>".repeat(1 << 15)), Err(ExtractError::None));
        assert!(extract(&format!("{}7{}", "{\"a\":".repeat(1 << 15), "}".repeat(1 << 15))).is_err());
    }

    /// Whitespace and comments between the tokens of an object.
    const SEPARATORS: [&str; 7] = ["", " ", "\n\t", "/* } \" ] */", "// { \" [ '\n", "\r\n", " /*a*/ /*b*/ "];

    /// Writes a value with noise between its tokens and with trailing commas.
    fn noisy(value: &Value, choices: &mut impl Iterator<Item = usize>) -> String {
        let separator =
            |choices: &mut dyn Iterator<Item = usize>| SEPARATORS[choices.next().unwrap() % SEPARATORS.len()];
        let parts: Vec<String> = match value {
            Value::Object(fields) => fields
                .iter()
                .map(|(name, value)| {
                    let name = format!("{}{}{}:", separator(choices), json!(name), separator(choices));
                    name + separator(choices) + &noisy(value, choices) + separator(choices)
                })
                .collect(),
            Value::Array(values) => values
                .iter()
                .map(|value| separator(choices).to_owned() + &noisy(value, choices) + separator(choices))
                .collect(),
            other => return other.to_string(),
        };
        let trailing = if !parts.is_empty() && choices.next().unwrap().is_multiple_of(2) { "," } else { "" };
        let inside = parts.join(",") + trailing + separator(choices);
        if value.is_object() { format!("{{{inside}}}") } else { format!("[{inside}]") }
    }

    fn value() -> impl Strategy<Value = Value> {
        let text = || prop_oneof!["\\PC{0,12}", "[{}\\[\\]\"'/*,:\\\\\n\t<>a]{0,12}"];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1e9..1e9).prop_map(Value::from),
            text().prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((text(), inner), 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn an_object_in_noise_is_recovered_as_it_is(
            fields in prop::collection::vec(("\\PC{0,8}", value()), 0..5),
            choices in prop::collection::vec(0_usize..64, 16),
            around in prop::sample::select(vec![
                ("", ""),
                ("```json\n", "\n```"),
                ("```\n", "\n```\nI hope that this helps!"),
                ("\u{feff}", "\n"),
                ("<think>Perhaps {\"a\": 1}? Or {'b'?</think>\n", ""),
                ("Perhaps {\"a\": 1}.</think>\n\n", ""),
                ("<response>", "</response>"),
                ("Here is {the thing} that you asked for: ", " - is it {what you want}?"),
                ("[", "]"),
            ]),
        ) {
            let object: Map<String, Value> = fields.into_iter().collect();
            let text = noisy(&Value::Object(object.clone()), &mut choices.into_iter().cycle());
            let text = format!("{}{text}{}", around.0, around.1);
            prop_assert_eq!(extract(&text), Ok(object), "{}", text);
        }

        #[test]
        fn an_object_cut_off_is_never_completed(
            fields in prop::collection::vec(("\\PC{0,8}", value()), 1..4),
            part in any::<prop::sample::Index>(),
        ) {
            let text = Value::Object(fields.into_iter().collect()).to_string();
            let cut: String = text.chars().take(part.index(text.chars().count())).collect();
            prop_assert!(extract(&cut).is_err(), "{}", cut);
        }

        #[test]
        fn an_object_is_found_between_any_words(before in "[^{}\\[\\]<\"\\\\]{0,40}", after in "[^{}\\[\\]<,]{0,40}") {
            let found = extract(&format!("{before}{{\"a\": 7}}{after}"));
            prop_assert_eq!(found.unwrap()["a"].as_i64(), Some(7));
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,200}", signs in "[{}\\[\\]\"'/*,:\\\\ \n<>a1-]{0,60}") {
            let _ = extract(&text);
            let _ = extract(&signs);
        }
    }
}
