//! The API's OpenAPI 3.1 document, generated from the routes. Each operation documents its own part; what all have in
//! common, such as errors, is added here.

use super::api::{ErrorBody, ErrorDetail};
use super::failure::ErrorForm;
use super::guard::idempotency::takes_key;
use axum::http::{Method, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use utoipa::PartialSchema as _;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{Components, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, SecurityRequirement};

/// Returns the document without paths.
pub(super) fn head() -> OpenApi {
    let info = InfoBuilder::new()
        .title("Aha Radar")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "Digests, stories, sources, topics, runs and spending. Errors are `{\"ok\":false,\"error\":{\"code\",\"message\"}}`.",
        ))
        .license(Some(LicenseBuilder::new().name("MIT OR Apache-2.0").build()))
        .build();
    let bearer = SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build());
    let session = SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new("aha_session")));
    let mut components = Components::new();
    components.schemas.insert("ErrorBody".to_owned(), ErrorBody::schema());
    components.schemas.insert("ErrorDetail".to_owned(), ErrorDetail::schema());
    components.add_security_scheme("token", bearer);
    components.add_security_scheme("session", session);
    let none: [&str; 0] = [];
    OpenApiBuilder::new()
        .info(info)
        .components(Some(components))
        .security(Some([
            SecurityRequirement::new("token", none),
            SecurityRequirement::new("session", none),
            SecurityRequirement::default(),
        ]))
        .build()
}

/// The document as JSON.
#[derive(Debug, Clone)]
pub(super) struct Document {
    json: std::sync::Arc<str>,
}

impl Document {
    pub(super) fn of(document: &OpenApi) -> Self {
        let json = serde_json::to_value(document).map(|document| complete(document).to_string());
        let json = json.unwrap_or_else(|error| {
            tracing::error!(%error, "the document of the API cannot be written");
            "{}".to_owned()
        });
        Self { json: json.into() }
    }
}

/// Adds to each operation what all of its kind have in common, unless it has that already.
fn complete(mut document: Value) -> Value {
    // The path for questions is also that of the page on which to ask them.
    if document["paths"].get("/ask").is_some() {
        document["paths"]["/ask"]["get"] = json!({
            "tags": ["ask"], "summary": "The page with the form.",
            "responses": { "200": { "description": "A page", "content": { "text/html": { "schema": { "type": "string" } } } } },
        });
    }
    let paths = document["paths"].as_object_mut().into_iter().flatten();
    for (path, item) in paths {
        for (method, operation) in item.as_object_mut().into_iter().flatten() {
            if METHODS.contains(&method.as_str()) {
                add_parameters(path, method, operation);
                add_answers(path, method, operation);
            }
        }
    }
    document
}

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

fn is_stream(operation: &Value) -> bool {
    operation["responses"]["200"]["content"].get("text/event-stream").is_some()
}

fn add_parameters(path: &str, method: &str, operation: &mut Value) {
    let is_stream = is_stream(operation);
    let Some(fields) = operation.as_object_mut() else { return };
    let Some(parameters) = fields.entry("parameters").or_insert_with(|| json!([])).as_array_mut() else { return };
    for parameter in parameters.iter_mut() {
        leave_out_null(&mut parameter["schema"]);
    }
    let header = |name: &str, description: &str| json!({ "name": name, "in": "header", "required": false, "description": description, "schema": { "type": "string" } });
    if method == "get" && !is_stream {
        parameters.push(header("If-None-Match", "The `ETag` of an earlier response: 304 if nothing has changed since"));
    }
    if takes_key(path, method) {
        let description = "1 to 200 visible characters: a request repeated with the same key within a day is carried out once and gets the same response";
        parameters.push(header("Idempotency-Key", description));
    }
}

/// Removes null from a parameter's schema: an absent parameter is omitted, never null.
fn leave_out_null(schema: &mut Value) {
    if let Some(kinds) = schema["type"].as_array() {
        let kinds: Vec<Value> = kinds.iter().filter(|kind| *kind != "null").cloned().collect();
        schema["type"] = match kinds.as_slice() {
            [one] => one.clone(),
            _ => Value::Array(kinds),
        };
    }
    let Some(choices) = schema.get("oneOf").and_then(Value::as_array) else { return };
    if let Some(choice) = choices.iter().find(|choice| choice["type"] != "null").cloned() {
        *schema = choice;
    }
}

fn add_answers(path: &str, method: &str, operation: &mut Value) {
    let form = ErrorForm::of(&Method::from_bytes(method.to_uppercase().as_bytes()).unwrap_or_default(), path);
    let has = |field: &str| operation.get(field).is_some();
    let is_in = |place: &str| {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        parameters.filter(|parameter| parameter["in"] == place).count() > 0
    };
    let (has_body, in_path, in_query) = (has("requestBody"), is_in("path"), is_in("query"));
    let is_unsafe = method != "get";
    // Unknown query parameters are refused on each path of the API.
    let is_checked = path.starts_with("/api/") || in_path || in_query || takes_key(path, method);
    let common = [
        (true, "401", "Not signed in, or the token is invalid"),
        (true, "403", "The role does not allow it, or the request came from another site"),
        (true, "421", "The server does not serve this host name"),
        (true, "429", "Too many requests; see Retry-After"),
        (true, "500", "Internal error; the server's log has the details"),
        (true, "503", "The database does not answer; see Retry-After"),
        (true, "504", "The time limit of a request was exceeded"),
        (has_body || in_path || in_query, "400", "The request is malformed"),
        (in_path || in_query || has_body, "404", "Not found"),
        (is_unsafe, "409", "It is in use, as a topic is by its run, or it conflicts with what is stored"),
        (has_body, "413", "The body is too large"),
        (has_body, "415", "The body has another content type"),
        (is_checked || has_body, "422", "A value is invalid; `field` names it"),
    ];
    let of = |schema: &str| json!({ "application/json": { "schema": { "$ref": format!("#/components/schemas/{schema}") } } });
    let content = match form {
        ErrorForm::Flat => of("AskFailure"),
        ErrorForm::Envelope => of("ErrorBody"),
        ErrorForm::Page => json!({ "text/html": { "schema": { "type": "string" } } }),
    };
    let is_cached = method == "get" && !is_stream(operation);
    let Some(answers) = operation["responses"].as_object_mut() else { return };
    // Events have no schema as text; their data is documented in words.
    if let Some(events) = answers.get_mut("200").and_then(|answer| answer["content"].get_mut("text/event-stream")) {
        *events = json!({});
    }
    for (_, status, description) in common.into_iter().filter(|(is_meant, ..)| *is_meant) {
        answers.entry(status).or_insert_with(|| json!({ "description": description }));
    }
    for (status, answer) in answers.iter_mut() {
        if is_error(status) && answer.get("content").is_none() {
            answer["content"] = content.clone();
        }
    }
    if is_cached {
        answers.entry("304").or_insert_with(|| json!({ "description": "Unchanged since the `ETag` in If-None-Match" }));
    }
}

fn is_error(status: &str) -> bool {
    status.starts_with(['4', '5'])
}

impl IntoResponse for Document {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, "application/json")], self.json.to_string()).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_operations_have_in_common_is_added_where_they_say_nothing() {
        let document = complete(json!({ "paths": {
            "/api/v1/things/{id}": { "post": {
                "requestBody": {},
                "parameters": [{ "in": "path", "name": "id", "schema": { "type": ["integer", "null"] } }],
                "responses": { "201": { "description": "made" }, "409": { "description": "its own" } },
            } },
            "/ask": { "post": { "responses": { "200": { "description": "asked" } } } },
        } }));
        let posted = &document["paths"]["/api/v1/things/{id}"]["post"];
        assert_eq!(posted["parameters"][0]["schema"]["type"], "integer");
        assert_eq!(posted["parameters"][1]["name"], "Idempotency-Key");
        assert_eq!(posted["responses"]["409"]["description"], "its own");
        let schema = |answer: &Value| answer["content"]["application/json"]["schema"]["$ref"].clone();
        assert_eq!(schema(&posted["responses"]["409"]), "#/components/schemas/ErrorBody");
        assert!(posted["responses"]["201"].get("content").is_none() && posted["responses"].get("304").is_none());
        let asked = &document["paths"]["/ask"]["post"]["responses"];
        assert_eq!(schema(&asked["429"]), "#/components/schemas/AskFailure");
        assert!(asked.get("413").is_none() && asked.get("304").is_none());
        let page = &document["paths"]["/ask"]["get"]["responses"];
        assert!(page["403"]["content"].get("text/html").is_some(), "{page}");
    }
}
