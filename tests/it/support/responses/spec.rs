//! Requests and answers held against the provider's own specification, an `OpenAPI` 3.1 document in a file.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use super::call::Call;
use super::fault::Fault;

/// The specification's schemas, which are JSON Schema of 2020-12.
#[derive(Debug)]
pub struct Specification {
    components: Value,
}

impl Specification {
    pub fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut document: Value = serde_json::from_str(&text).unwrap();
        let mut components = document["components"].take();
        choose_freely(&mut components);
        Self { components }
    }

    /// Where a value does not fit a schema of the specification.
    pub fn violations(&self, schema: &str, value: &Value) -> Vec<String> {
        let root = json!({ "$ref": format!("#/components/schemas/{schema}"), "components": self.components });
        let validator = jsonschema::draft202012::new(&root).unwrap();
        validator.iter_errors(value).map(|error| format!("{} at {}", error, error.instance_path())).collect()
    }

    /// The fields that an object of a schema may have, whether or not it allows others.
    pub fn fields(&self, schema: &str) -> BTreeSet<String> {
        fields(&self.components["schemas"], &self.components["schemas"][schema])
    }

    /// Where calls don't fit: each request that was not refused, and each answer that is meant to be right.
    pub fn problems(&self, calls: &[Call]) -> Vec<String> {
        let mut problems = Vec::new();
        for call in calls {
            let (request, response) = if call.is_embedding() {
                ("CreateEmbeddingRequest", "CreateEmbeddingResponse")
            } else {
                ("CreateResponse", "Response")
            };
            let mut found = self.violations(request, &call.body);
            if call.status == 200 && call.fault.as_ref().is_none_or(Fault::is_conform) {
                found.extend(self.violations(response, &call.answer));
            }
            problems.extend(found.into_iter().map(|violation| format!("call {}: {violation}", call.number)));
        }
        problems
    }
}

fn fields(schemas: &Value, schema: &Value) -> BTreeSet<String> {
    let parts = schema["allOf"].as_array().into_iter().flatten();
    let mut all: BTreeSet<String> = parts.flat_map(|part| fields(schemas, part)).collect();
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        all.extend(fields(schemas, &schemas[name]));
    }
    all.extend(schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()));
    all
}

/// Where a discriminator chooses among schemas, one that fits is enough: JSON Schema knows no discriminators, and some
/// of these schemas overlap (a message with a list for its content is two kinds of item at once).
fn choose_freely(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(choose_freely),
        Value::Object(fields) => {
            if fields.contains_key("discriminator")
                && let Some(choices) = fields.shift_remove("oneOf")
            {
                fields.insert("anyOf".to_owned(), choices);
            }
            fields.iter_mut().for_each(|(_, value)| choose_freely(value));
        }
        _ => {}
    }
}
