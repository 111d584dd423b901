//! Turns serde's messages into those of the API: which field is wrong, what is expected there and what was sent. serde
//! itself names Rust's types, and the field only in some of its messages.

/// Maximum characters of a value from the request in a message.
const MAX_SHOWN_CHARS: usize = 80;

/// The errors of chrono, which says nothing of the expected form.
const WRONG_DATES: [&str; 6] = [
    "input is out of range",
    "no possible date and time matching input",
    "input is not enough for unique date and time",
    "input contains invalid characters",
    "premature end of input",
    "trailing input",
];

/// A field that cannot be read, and a message that names it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WrongField {
    pub(super) field: String,
    pub(super) message: String,
}

impl WrongField {
    /// `path` is that of the value at which reading stopped, "." for the whole body; `message` is serde's.
    pub(super) fn of(path: &str, message: &str) -> Self {
        let path = path.trim_start_matches('.');
        let message = without_position(message);
        if let Some(name) = named(message, "missing field `") {
            let field = inside(path, name);
            return Self { message: format!("the field `{field}` is missing; add it"), field };
        }
        if let Some(name) = named(message, "duplicate field `") {
            let field = inside(path, name);
            return Self { message: format!("the field `{field}` is given more than once; give it once"), field };
        }
        if let Some(name) = named(message, "unknown field `") {
            // The path of an unknown field may include its name.
            let field =
                if path == name || path.ends_with(&format!(".{name}")) { path.to_owned() } else { inside(path, name) };
            let known = message.rsplit_once("`, expected ").map_or("none", |(_, known)| known);
            return Self { message: format!("there is no field `{}`; expected: {known}", clipped(&field)), field };
        }
        let is_body = path.is_empty();
        let place = if is_body { "the body".to_owned() } else { format!("`{path}`") };
        let message = match wrong_value(message).or_else(|| wrong_variant(message)) {
            Some(said) => format!("{place} must be {said}"),
            None if is_body => message.to_owned(),
            None => format!("{place}: {message}"),
        };
        Self { field: if is_body { "body".to_owned() } else { path.to_owned() }, message }
    }
}

/// Says of an unknown variant which ones there are, and which was sent. `None` if the message is another.
pub(super) fn wrong_variant(message: &str) -> Option<String> {
    let (sent, known) = message.strip_prefix("unknown variant `")?.rsplit_once("`, expected ")?;
    Some(format!("{known}, and this is \"{}\"", clipped(sent)))
}

fn wrong_value(message: &str) -> Option<String> {
    if WRONG_DATES.contains(&message) {
        return Some("a day that exists, as YYYY-MM-DD".to_owned());
    }
    // serde_json's words where an enum is expected and the value is neither a text nor an object.
    if message == "expected value" {
        return Some("one of its names, as a text".to_owned());
    }
    let (found, expected) = message.rsplit_once(", expected ")?;
    if let Some(count) = found.strip_prefix("invalid length ") {
        return Some(format!("{}, and this has {count} entries", type_in_words(expected)));
    }
    let found = found.strip_prefix("invalid type: ").or_else(|| found.strip_prefix("invalid value: "))?;
    Some(format!("{}, and this is {}", type_in_words(expected), value_in_words(found)))
}

fn type_in_words(expected: &str) -> &str {
    match expected {
        "a string" | "string" | "a borrowed string" | "a character" => "a text",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        "f32" | "f64" => "a number",
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number within its range",
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "u128" | "usize" => "a whole number from 0",
        "a formatted date string" => "a day that exists, as YYYY-MM-DD",
        "option" => "a value or null",
        "unit" => "null",
        "string or map" | "variant identifier" => "one of its names, as a text",
        text if text.starts_with("struct ") => "an object",
        text if text.starts_with("enum ") => "one of its names, as a text",
        text if text.starts_with("tuple ") || text.starts_with("a tuple ") => "a list",
        text if text.starts_with("a nonzero ") => "a whole number from 1",
        text => text,
    }
}

fn value_in_words(found: &str) -> String {
    let of_kind = |kind: &str| found.strip_prefix(kind)?.strip_suffix('`');
    if let Some(text) = found.strip_prefix("string ") {
        return format!("the text {}", clipped(text));
    }
    if let Some(value) = ["integer `", "floating point `", "boolean `", "character `"].into_iter().find_map(of_kind) {
        return clipped(value);
    }
    match found {
        "map" => "an object".to_owned(),
        "sequence" => "a list".to_owned(),
        "unit value" | "Option value" => "null".to_owned(),
        other => clipped(other),
    }
}

fn clipped(text: &str) -> String {
    let cut: String = text.chars().take(MAX_SHOWN_CHARS).collect();
    if cut.len() < text.len() { format!("{cut}…") } else { cut }
}

/// Returns the path of a field of the object at `path`.
fn inside(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Returns the name that a message begins with after `start`.
fn named<'a>(message: &'a str, start: &str) -> Option<&'a str> {
    let rest = message.strip_prefix(start)?;
    Some(rest.rsplit_once("`, expected ").map_or_else(|| rest.split('`').next().unwrap_or(rest), |(name, _)| name))
}

/// Removes the position that `serde_json` adds: ` at line 1 column 28`.
fn without_position(message: &str) -> &str {
    let is_position = |text: &str| {
        let mut numbers = text.split(" column ");
        numbers.by_ref().take(2).all(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
            && numbers.next().is_none()
    };
    message.rsplit_once(" at line ").filter(|(_, position)| is_position(position)).map_or(message, |(said, _)| said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_and_what_is_expected_are_named_and_no_type_is() {
        for (path, message, field, said) in [
            (
                ".",
                "invalid type: string \"How do I?\", expected struct QuestionBody at line 1 column 28",
                "body",
                "the body must be an object, and this is the text \"How do I?\"",
            ),
            (".", "missing field `question` at line 1 column 2", "question", "the field `question` is missing; add it"),
            ("settings", "missing field `name`", "settings.name", "the field `settings.name` is missing; add it"),
            (
                "ids[0]",
                "invalid type: string \"x, expected i64\", expected i64",
                "ids[0]",
                "`ids[0]` must be a whole number within its range, and this is the text \"x, expected i64\"",
            ),
            (
                "days",
                "invalid value: integer `-1`, expected u16 at line 1 column 9",
                "days",
                "`days` must be a whole number from 0 to 65535, and this is -1",
            ),
            (
                "keep",
                "invalid type: null, expected a boolean",
                "keep",
                "`keep` must be true or false, and this is null",
            ),
            ("text", "invalid type: map, expected a string", "text", "`text` must be a text, and this is an object"),
            ("kind", "expected value at line 1 column 9", "kind", "`kind` must be one of its names, as a text"),
            (
                "kind",
                "unknown variant `adore`, expected `like` or `save` at line 1 column 9",
                "kind",
                "`kind` must be `like` or `save`, and this is \"adore\"",
            ),
            (
                "x",
                "unknown field `x`, expected `text` at line 1 column 4",
                "x",
                "there is no field `x`; expected: `text`",
            ),
            ("a", "unknown field `x`, there are no fields", "a.x", "there is no field `a.x`; expected: none"),
            (".", "duplicate field `q`", "q", "the field `q` is given more than once; give it once"),
            ("date", "input is out of range", "date", "`date` must be a day that exists, as YYYY-MM-DD"),
            ("time", "25:00 is no time of a day", "time", "`time`: 25:00 is no time of a day"),
        ] {
            let expected = WrongField { field: field.to_owned(), message: said.to_owned() };
            assert_eq!(WrongField::of(path, message), expected, "{message}");
        }
    }

    #[test]
    fn a_long_value_is_cut() {
        let message = format!("invalid type: string \"{}\", expected i64", "x".repeat(5_000));
        assert!(WrongField::of("id", &message).message.chars().count() < 200);
    }
}
