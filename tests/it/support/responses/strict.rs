//! What every request of ours must keep to, and what `OpenAI`'s strict mode asks of a schema. Needs no specification.

use serde_json::{Map, Value};

use super::call::Call;

/// Keywords that strict mode takes (platform.openai.com, "Structured outputs", supported schemas).
const KEYWORDS: [&str; 20] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "anyOf",
    "$defs",
    "$ref",
    "title",
    "description",
    "pattern",
    "format",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minItems",
    "maxItems",
];
const MAX_DEPTH: usize = 10;

/// What is wrong with a request; nothing when all is well.
pub fn breaches(call: &Call) -> Vec<String> {
    let mut breaches = Vec::new();
    let mut expect = |holds: bool, breach: &str| {
        if !holds {
            breaches.push(format!("call {} ({}): {breach}", call.number, call.schema_name()));
        }
    };
    expect(!call.model().is_empty(), "no model");
    expect(
        call.headers.get("content-type").is_some_and(|kind| kind.starts_with("application/json")),
        "not sent as JSON",
    );
    if call.is_embedding() {
        return breaches;
    }
    expect(call.body["store"] == false, "store is not false");
    expect(
        call.body["max_output_tokens"].as_u64().is_some_and(|cap| cap >= 16),
        "max_output_tokens is not at least 16",
    );
    expect(call.body["stream"] != true, "the mock does not stream");
    expect(!call.prompt().trim().is_empty(), "an empty prompt");
    let wants_results = call.schema().is_some_and(|schema| schema.pointer("/properties/results").is_some());
    let has_some = call.stories().is_some() || !call.results().is_empty();
    expect(!wants_results || has_some, "no JSON array between <stories> and </stories>, nor any of <results>");
    if let Some(format) = call.body["text"].get("format").filter(|format| format["type"] == "json_schema") {
        for breach in format_breaches(format) {
            expect(false, &breach);
        }
    }
    breaches
}

fn format_breaches(format: &Value) -> Vec<String> {
    let mut breaches = Vec::new();
    let name = format["name"].as_str().unwrap_or_default();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || name.len() > 64 || !name.chars().all(is_name) {
        breaches.push(format!("text.format.name {name:?} is not 1 to 64 of a-z, A-Z, 0-9, _ and -"));
    }
    if format["strict"] != true {
        breaches.push("text.format.strict is not true".to_owned());
    }
    let schema = &format["schema"];
    if schema["type"] != "object" || schema.get("anyOf").is_some() {
        breaches.push("the schema's root is not a plain object".to_owned());
    }
    check(schema, "#", 0, &mut breaches);
    breaches
}

fn check(schema: &Value, path: &str, depth: usize, breaches: &mut Vec<String>) {
    let Some(keywords) = schema.as_object() else {
        breaches.push(format!("{path} is no schema"));
        return;
    };
    if depth > MAX_DEPTH {
        breaches.push(format!("{path} lies deeper than {MAX_DEPTH} levels"));
    }
    for keyword in keywords.keys().filter(|keyword| !KEYWORDS.contains(&keyword.as_str())) {
        breaches.push(format!("{path} has {keyword}, which strict mode refuses"));
    }
    if schema["type"] == "object" || keywords.contains_key("properties") {
        check_object(keywords, path, breaches);
    }
    for (name, part) in ["properties", "$defs"].iter().filter_map(|name| schema[*name].as_object()).flatten() {
        check(part, &format!("{path}/{name}"), depth + 1, breaches);
    }
    if let Some(items) = keywords.get("items") {
        check(items, &format!("{path}/items"), depth + 1, breaches);
    }
    for part in schema["anyOf"].as_array().into_iter().flatten() {
        check(part, &format!("{path}/anyOf"), depth, breaches);
    }
}

fn check_object(keywords: &Map<String, Value>, path: &str, breaches: &mut Vec<String>) {
    if keywords.get("additionalProperties") != Some(&Value::Bool(false)) {
        breaches.push(format!("{path} lacks additionalProperties: false"));
    }
    let required: Vec<&str> =
        keywords.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let properties: Vec<&str> = keywords
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str())
        .collect();
    for name in properties.iter().filter(|name| !required.contains(name)) {
        breaches.push(format!("{path} does not require {name}"));
    }
    for name in required.iter().filter(|name| !properties.contains(name)) {
        breaches.push(format!("{path} requires {name}, which it does not describe"));
    }
}
