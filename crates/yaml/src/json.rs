//! The types of values by YAML's core schema, as JSON.

use std::str::FromStr as _;

use serde_json::{Number, Value as Json};

use super::node::{Node, Value, is_null_word};

impl Node {
    /// Returns the value as JSON. Of repeated keys the last one counts.
    #[must_use]
    pub fn to_json(&self) -> Json {
        match &self.value {
            Value::Scalar { text, plain } => typed(text.clone(), *plain),
            Value::List(nodes) => nodes.iter().map(Self::to_json).collect(),
            Value::Map(pairs) => {
                let fields = pairs.iter().map(|pair| (pair.key.clone(), pair.node.to_json()));
                Json::Object(fields.collect())
            }
        }
    }
}

/// Returns a scalar as JSON: one without quotes (`plain`) follows the core schema. Decimals become floating-point
/// numbers, so that `1.50` is returned as `1.5`.
#[must_use]
pub fn typed(text: String, plain: bool) -> Json {
    if !plain {
        return text.into();
    }
    match text.as_str() {
        null if is_null_word(null) => Json::Null,
        "true" | "True" | "TRUE" => true.into(),
        "false" | "False" | "FALSE" => false.into(),
        _ => Number::from_str(text.strip_prefix('+').unwrap_or(&text)).map_or_else(|_| text.into(), Into::into),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_without_quotes_are_what_they_look_like() {
        for (text, plain, value) in [
            ("1", true, json!(1)),
            ("-1.50", true, json!(-1.5)),
            ("1e3", true, json!(1000.0)),
            ("+7", true, json!(7)),
            ("true", true, json!(true)),
            ("~", true, json!(null)),
            ("1", false, json!("1")),
            ("yes", true, json!("yes")),
            ("1.2.3", true, json!("1.2.3")),
            (".inf", true, json!(".inf")),
        ] {
            assert_eq!(typed(text.to_owned(), plain), value, "{text}");
        }
    }
}
