//! The one JSON object in a model's text, whatever stands around it.
//!
//! What is taken is exactly what the model said: fences, prose, thoughts, comments and trailing commas say nothing and are left out.
//! Where something would have to be guessed or completed, or where two things are said, nothing is taken.

use serde_json::{Map, Value};

use super::noise;
use super::once;
use crate::error::CallError;

/// Tags between which models think aloud. Some begin without the first, which their template has said for them.
const THOUGHTS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// Braces in prose that are opened and not closed; each costs a look at all of the rest.
const MAX_PROSE_BRACES: usize = 16;

/// Characters of the reason why an object cannot be read, which may quote it.
const REASON_CHARS: usize = 120;

/// Why there is not exactly one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NotOne {
    None,
    Several,
    /// A brace is opened that no brace closes.
    Unfinished,
    /// Something is meant as an object and is none.
    Unreadable(String),
}

impl NotOne {
    /// An answer that its provider says was cut off never comes here: one without an end was cut off if it has as many tokens as were allowed
    /// (`at_limit`), and is as wrong as any other if not.
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

/// The one object in a text, or in the text that a JSON string holds which is all of the answer.
pub(super) fn extract(text: &str) -> Result<Map<String, Value>, NotOne> {
    let text = text.trim();
    if text.starts_with('"')
        && let Ok(inner) = serde_json::from_str::<String>(text)
    {
        return extract(&inner);
    }
    of_text(text)
}

/// Whether what a text begins with an opening brace for is closed in it.
pub(super) fn is_balanced(text: &str) -> bool {
    noise::balanced(text).is_some()
}

/// The objects of a line: one, or several in a row, in a list or not.
pub(super) fn extract_all(line: &str) -> Result<Vec<Map<String, Value>>, NotOne> {
    let line = line.trim().trim_start_matches('[').trim_end_matches([']', ',', ' ']);
    match extract(line) {
        Err(NotOne::Several) => several(line),
        one => one.map(|object| vec![object]),
    }
}

fn several(line: &str) -> Result<Vec<Map<String, Value>>, NotOne> {
    let (mut objects, mut rest) = (Vec::new(), line);
    while let Some(start) = rest.find('{') {
        let length = noise::balanced(&rest[start..]).ok_or(NotOne::Unfinished)?;
        let (object, after) = rest[start..].split_at(length);
        objects.push(once::object(object).map_err(|error| NotOne::Unreadable(error.to_string()))?);
        rest = after;
    }
    Ok(objects)
}

fn of_text(text: &str) -> Result<Map<String, Value>, NotOne> {
    let text = without_thoughts(text).ok_or(NotOne::Unfinished)?;
    let mut found = Ok(None);
    let (mut at, mut prose_braces) = (0, 0);
    while let Some(gap) = text[at..].find('{') {
        let start = at + gap;
        if ends_a_thought(&text[at..start]) {
            found = Ok(None);
        }
        if let Some(length) = noise::balanced(&text[start..]) {
            at = start + length;
            found = one_of(found, candidate(&text, start, at));
        } else if prose_braces == MAX_PROSE_BRACES || is_meant_as_object(&text[start..]) {
            return Err(unfinished(&text[start..]));
        } else {
            prose_braces += 1;
            at = start + 1;
        }
    }
    if ends_a_thought(&text[at..]) {
        return Err(NotOne::None);
    }
    found?.ok_or(NotOne::None)
}

type Found = Result<Option<Map<String, Value>>, NotOne>;

/// The same said twice is said once.
fn one_of(earlier: Found, later: Found) -> Found {
    match (earlier?, later?) {
        (Some(earlier), Some(later)) if earlier != later => Err(NotOne::Several),
        (earlier, later) => Ok(earlier.or(later)),
    }
}

/// What stands between two braces: an object, or prose.
fn candidate(text: &str, start: usize, end: usize) -> Found {
    let object = &text[start..end];
    if !is_meant_as_object(object) {
        return Ok(None);
    }
    let read = once::object(object).or_else(|error| {
        let clean = noise::without(object).ok_or(error)?;
        once::object(&clean)
    });
    let object = read.map_err(|error| {
        let why = error.to_string();
        NotOne::Unreadable(why.chars().filter(|c| !c.is_control()).take(REASON_CHARS).collect())
    })?;
    if stands_alone(&text[..start], &text[end..]) {
        return Ok(Some(object));
    }
    Err(NotOne::Unreadable("it is a part of something larger that is not whole".to_owned()))
}

/// Whether an opening brace begins an object, be it one that can be read or not, rather than a remark in braces.
fn is_meant_as_object(text: &str) -> bool {
    let inside = text[1..].trim_start();
    let name_end = inside.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').unwrap_or(inside.len());
    let after_name = inside[name_end..].trim_start();
    if name_end > 0 {
        return after_name.starts_with(':');
    }
    inside.is_empty() || inside.starts_with(['"', '\'', '“', '”', '‘', '’', '`', '\\', '{', '[', '}', '/', '#'])
}

/// What is wrong with an object without an end. Where not even its beginning is JSON, its quotes may be none, and nobody knows its end.
fn unfinished(text: &str) -> NotOne {
    let inside = text[1..].trim_start();
    if inside.is_empty() || inside.starts_with(['"', '/', '}']) {
        return NotOne::Unfinished;
    }
    NotOne::Unreadable("what follows its first brace is no name in double quotes".to_owned())
}

/// Whether an object is the whole of what was meant: not the value of a name, not followed by more fields, and in a list only alone.
fn stands_alone(before: &str, after: &str) -> bool {
    let (before, after) = (before.trim_end(), after.trim_start());
    let outer = before.trim_end_matches(|c: char| c == '[' || c.is_whitespace());
    let is_value = outer.strip_suffix(':').is_some_and(|name| name.trim_end().ends_with('"'));
    let goes_on = after.strip_prefix(',').is_some_and(|next| next.trim_start().starts_with('"'));
    !is_value && !goes_on && before.ends_with('[') == after.starts_with(']')
}

/// Whether what came before was thought, in a text whose thoughts have no beginning.
fn ends_a_thought(prose: &str) -> bool {
    THOUGHTS.iter().any(|(_, close)| prose.contains(close))
}

/// The text without the model's thoughts; `None` when it never stopped thinking. Only what comes before the answer is thought: the
/// answer itself may quote the tag.
fn without_thoughts(text: &str) -> Option<String> {
    let (mut kept, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(['{', '<']) {
        let (before, from) = rest.split_at(at);
        if from.starts_with('{') {
            break;
        }
        kept.push_str(before);
        if let Some((_, close)) = THOUGHTS.iter().find(|(open, _)| from.starts_with(open)) {
            rest = from.split_once(close)?.1;
        } else {
            kept.push('<');
            rest = &from[1..];
        }
    }
    kept.push_str(rest);
    Some(kept)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Answers as weak models give them, a JSON object a line: `name`, `text`, and `recovered` or the error's kind as `refused`.
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
    fn a_text_full_of_braces_is_given_up_soon() {
        assert!(matches!(extract(&"{x ".repeat(1 << 16)), Err(NotOne::Unreadable(_))));
        assert_eq!(extract(&"{x} ".repeat(1 << 16)), Err(NotOne::None));
        assert_eq!(extract(&"<think></think>".repeat(1 << 15)), Err(NotOne::None));
        assert!(extract(&format!("{}7{}", "{\"a\":".repeat(1 << 15), "}".repeat(1 << 15))).is_err());
    }

    /// What stands between the tokens of an object, and says nothing.
    const BETWEEN: [&str; 7] = ["", " ", "\n\t", "/* } \" ] */", "// { \" [ '\n", "\r\n", " /*a*/ /*b*/ "];

    /// Writes a value with noise between its tokens and with trailing commas.
    fn noisy(value: &Value, choices: &mut impl Iterator<Item = usize>) -> String {
        let between = |choices: &mut dyn Iterator<Item = usize>| BETWEEN[choices.next().unwrap() % BETWEEN.len()];
        let parts: Vec<String> = match value {
            Value::Object(fields) => fields
                .iter()
                .map(|(name, value)| {
                    let name = format!("{}{}{}:", between(choices), json!(name), between(choices));
                    name + between(choices) + &noisy(value, choices) + between(choices)
                })
                .collect(),
            Value::Array(values) => values
                .iter()
                .map(|value| between(choices).to_owned() + &noisy(value, choices) + between(choices))
                .collect(),
            other => return other.to_string(),
        };
        let trailing = if !parts.is_empty() && choices.next().unwrap().is_multiple_of(2) { "," } else { "" };
        let inside = parts.join(",") + trailing + between(choices);
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
