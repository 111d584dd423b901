//! Reduces JSON Schemas to the keywords that a provider accepts, because it refuses a request with any other. Answers
//! are always checked against the full schema here.

use serde_json::{Map, Value};

/// Returns the schema with only the keywords for which `is_known` is true, recursively. An enumeration of strings gets
/// the type `string`, which some providers require.
pub(super) fn with_known(schema: &Value, is_known: &dyn Fn(&str, &Value) -> bool) -> Value {
    let Value::Object(fields) = schema else { return schema.clone() };
    let mut known: Map<String, Value> = Map::new();
    if !fields.contains_key("type") && fields.get("enum").is_some_and(is_all_strings) {
        known.insert("type".to_owned(), "string".into());
    }
    for (name, value) in fields.iter().filter(|(name, value)| is_known(name, value)) {
        known.insert(name.clone(), inner(name, value, is_known));
    }
    Value::Object(known)
}

/// Reduces a keyword's value recursively. The keys of `properties` are names, not keywords.
fn inner(name: &str, value: &Value, is_known: &dyn Fn(&str, &Value) -> bool) -> Value {
    match (name, value) {
        ("properties" | "$defs" | "definitions", Value::Object(named)) => {
            named.iter().map(|(name, schema)| (name.clone(), with_known(schema, is_known))).collect()
        }
        ("anyOf" | "allOf" | "oneOf" | "prefixItems", Value::Array(schemas)) => {
            schemas.iter().map(|schema| with_known(schema, is_known)).collect()
        }
        ("items" | "additionalProperties", schema) => with_known(schema, is_known),
        (_, value) => value.clone(),
    }
}

fn is_all_strings(values: &Value) -> bool {
    values.as_array().is_some_and(|values| values.iter().all(Value::is_string))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_known_keywords_stay_and_every_property() {
        let schema = json!({"type": "object", "title": "T", "properties": {
            "title": {"type": "string", "title": "T"},
            "kind": {"enum": ["a", "b"], "title": "T"},
            "list": {"type": "array", "items": {"anyOf": [{"type": "null", "title": "T"}]}}}});
        let expected = json!({"type": "object", "properties": {
            "title": {"type": "string"},
            "kind": {"type": "string", "enum": ["a", "b"]},
            "list": {"type": "array", "items": {"anyOf": [{"type": "null"}]}}}});
        assert_eq!(with_known(&schema, &|name, _| name != "title"), expected);
    }
}
