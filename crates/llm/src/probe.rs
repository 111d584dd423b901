//! Checks whether a model's server answers and knows the model, by fetching its list of models, which costs nothing.
//!
//! Input: a route. Output: the result, with a problem description the user can act on. Called when an installation is
//! set up.

use aha_net::endpoint::{sibling, without_secrets};
use serde::Serialize;
use serde_json::Value;
use url::Url;

use crate::error::CallError;
use crate::provider::{self, KeyHeader};
use crate::route::{Backend, Connection, Route};
use crate::transport::Http;

/// The result of fetching a server's models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Probed {
    /// `provider/model`.
    pub model: String,
    /// Scheme, host, port and path.
    pub endpoint: String,
    /// The end of the key; `None` for a server that requires none.
    pub key: Option<String>,
    /// Whether it answered with a list of models.
    pub answers: bool,
    /// Whether the model is in that list; `None` where there is none.
    pub knows_model: Option<bool>,
    /// Number of models in the list.
    pub models: Option<usize>,
    /// What is wrong and what to do; empty if nothing is.
    pub problem: String,
}

/// Probes a route. `key`: the key in a form that may be shown. Returns `None` for a route without a server.
pub async fn probe(http: &Http, route: &Route, key: Option<String>) -> Option<Probed> {
    let Backend::Wire(wire) = &route.backend else { return None };
    let mut probed = Probed {
        model: route.model.to_string(),
        endpoint: without_secrets(&wire.server.endpoint),
        key,
        answers: false,
        knows_model: None,
        models: None,
        problem: String::new(),
    };
    match model_names(http, wire).await {
        Ok(names) => {
            let name = route.options.name.as_deref().unwrap_or(&route.model.model);
            probed.answers = true;
            probed.models = Some(names.len());
            probed.knows_model = Some(names.iter().any(|known| is_name(known, name)));
            if probed.knows_model == Some(false) {
                probed.problem = format!("it does not list \"{name}\": load it there, or name one that it lists");
            }
        }
        // Their messages contain the next step.
        Err(error @ (CallError::Unauthorized(_) | CallError::Forbidden(_) | CallError::Server { .. })) => {
            probed.problem = error.to_string();
        }
        Err(error) => probed.problem = format!("{error}; check that it runs and its address, then try again"),
    }
    Some(probed)
}

/// Ollama lists `qwen3:latest` for a request for `qwen3`; Gemini lists `models/NAME`.
fn is_name(listed: &str, name: &str) -> bool {
    let listed = listed.strip_prefix("models/").unwrap_or(listed);
    listed == name || listed.strip_suffix(":latest") == Some(name)
}

/// Fetches the names of the models at a server.
async fn model_names(http: &Http, wire: &Connection) -> Result<Vec<String>, CallError> {
    // Dialects are compared by name: they are zero-sized, so their addresses may be equal.
    let spoken = format!("{:?}", wire.dialect);
    let dialect = provider::DIALECTS.iter().find(|(_, dialect)| format!("{dialect:?}") == spoken);
    let name = dialect.map_or("", |(name, _)| *name);
    let (url, key) = address(name, &wire.server.endpoint).ok_or_else(|| {
        CallError::NotTheInterface("its address does not tell where its models are listed".to_owned())
    })?;
    let response = http.get(&wire.server.request(url, key, Vec::new())?).await?;
    match response.status {
        200..=299 => names(&response.body).ok_or_else(|| CallError::NotTheInterface("it lists no models".to_owned())),
        401 => Err(CallError::Unauthorized("asked for its models".to_owned())),
        403 => Err(CallError::Forbidden("asked for its models".to_owned())),
        status @ 500..=599 => Err(CallError::Server { status, message: "asked for its models".to_owned() }),
        status => Err(CallError::NotTheInterface(format!("asked for its models, it answers {status}"))),
    }
}

fn address(dialect: &str, endpoint: &Url) -> Option<(Url, KeyHeader)> {
    Some(match dialect {
        provider::OLLAMA_NAME => (sibling(endpoint, &["/chat", "/generate"], "/tags")?, KeyHeader::Bearer),
        provider::ANTHROPIC_NAME => (sibling(endpoint, &["/messages"], "/models")?, KeyHeader::Named("x-api-key")),
        provider::GEMINI_NAME => (sibling(endpoint, &[""], "/models")?, KeyHeader::Named("x-goog-api-key")),
        _ => (sibling(endpoint, &["/responses", "/chat/completions"], "/models")?, KeyHeader::Bearer),
    })
}

/// Reads `data[].id`, or `models[].name`.
fn names(body: &[u8]) -> Option<Vec<String>> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let (list, field) = match (&body["data"], &body["models"]) {
        (Value::Array(list), _) => (list, "id"),
        (_, Value::Array(list)) => (list, "name"),
        _ => return None,
    };
    Some(list.iter().filter_map(|model| Some(model[field].as_str()?.to_owned())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_provider_lists_its_models_in_its_own_place() {
        let at = |dialect: &str, endpoint: &str| {
            address(dialect, &Url::parse(endpoint).unwrap()).map(|(url, _)| url.to_string())
        };
        for (dialect, endpoint, expected) in [
            ("ollama", "http://127.0.0.1:11434/api/chat", "http://127.0.0.1:11434/api/tags"),
            ("ollama", "http://127.0.0.1:11434/api/generate", "http://127.0.0.1:11434/api/tags"),
            ("openai_compatible", "http://127.0.0.1:8080/v1/chat/completions", "http://127.0.0.1:8080/v1/models"),
            ("openai", "https://api.openai.com/v1/responses", "https://api.openai.com/v1/models"),
            ("anthropic", "https://api.anthropic.com/v1/messages", "https://api.anthropic.com/v1/models"),
            ("gemini", "https://host.example/v1beta", "https://host.example/v1beta/models"),
        ] {
            assert_eq!(at(dialect, endpoint).as_deref(), Some(expected));
        }
        assert_eq!(at("openai", "http://127.0.0.1/elsewhere"), None);
    }

    #[test]
    fn names_are_read_from_either_form() {
        assert_eq!(names(br#"{"data":[{"id":"a"},{"id":"b"}]}"#), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(names(br#"{"models":[{"name":"qwen3:latest"}]}"#), Some(vec!["qwen3:latest".to_owned()]));
        assert_eq!(names(b"<html>"), None);
        assert!(is_name("qwen3:latest", "qwen3") && is_name("models/g", "g") && !is_name("qwen3:8b", "qwen3"));
    }
}
