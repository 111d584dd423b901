//! Embeddings of the generative language API (`batchEmbedContents`).

use std::time::SystemTime;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{KEY_HEADER, address, failure};
use crate::error::CallError;
use crate::provider::embedding::{EmbedDialect, EmbedReply, EmbedRequest, Numbers, checked, success};
use crate::provider::failure::tokens;
use crate::provider::{KeyHeader, Server};
use crate::transport::{WireRequest, WireResponse};

/// The provider refuses more.
const MAX_TEXTS: usize = 100;

/// The dialect. Its server's endpoint is the base address, as for answers.
#[derive(Debug)]
pub struct BatchEmbedContents;

#[derive(Debug, Deserialize)]
struct Body {
    embeddings: Vec<Entry>,
    /// Not every model's answer has it.
    #[serde(default, rename = "usageMetadata")]
    usage: Value,
}

#[derive(Debug, Deserialize)]
struct Entry {
    values: Numbers,
}

impl EmbedDialect for BatchEmbedContents {
    fn encode(&self, request: &EmbedRequest<'_>, server: &Server) -> Result<WireRequest, CallError> {
        let url = address(&server.endpoint, request.model, "batchEmbedContents")?;
        server.request(url, KeyHeader::Named(KEY_HEADER), body(request))
    }

    fn decode(&self, request: &EmbedRequest<'_>, response: &WireResponse, now: SystemTime) -> EmbedReply {
        EmbedReply::of(response, success(response, now, failure::refusal), |body: Body| {
            let vectors = body.embeddings.into_iter().map(|entry| entry.values);
            (checked(request, vectors.enumerate()), tokens(&body.usage["promptTokenCount"]), None)
        })
    }

    fn max_texts(&self) -> usize {
        MAX_TEXTS
    }
}

/// Encodes each text as a separate request, with the user's fields (`taskType`) in each.
fn body(request: &EmbedRequest<'_>) -> Vec<u8> {
    let model = request.model.strip_prefix("models/").unwrap_or(request.model);
    let one = |text: &&str| {
        let mut one: Map<String, Value> = request.provider_specific.clone();
        one.insert("model".to_owned(), format!("models/{model}").into());
        one.insert("content".to_owned(), json!({ "parts": [{ "text": text }] }));
        one.extend(request.dimensions.map(|wanted| ("outputDimensionality".to_owned(), wanted.into())));
        Value::Object(one)
    };
    json!({ "requests": request.texts.iter().map(one).collect::<Vec<_>>() }).to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Usage;
    use crate::provider::embedding::tests::{answered, request, server};

    #[test]
    fn a_request_has_a_part_for_each_text_and_the_key_in_a_header() {
        let own = json!({ "taskType": "CLUSTERING", "model": "other" });
        let texts = EmbedRequest {
            model: "models/gemini-embedding-001",
            dimensions: Some(768),
            provider_specific: own.as_object().unwrap(),
            ..request(&["one", "two"])
        };
        let wire = BatchEmbedContents.encode(&texts, &server("https://h/v1beta")).unwrap();
        assert_eq!(wire.url.as_str(), "https://h/v1beta/models/gemini-embedding-001:batchEmbedContents");
        assert_eq!(wire.headers["x-goog-api-key"], "secret-key");
        assert!(wire.headers["x-goog-api-key"].is_sensitive());
        let part = |text: &str| {
            json!({ "model": "models/gemini-embedding-001", "content": { "parts": [{ "text": text }] },
                    "outputDimensionality": 768, "taskType": "CLUSTERING" })
        };
        let sent: Value = serde_json::from_slice(&wire.body).unwrap();
        assert_eq!(sent, json!({ "requests": [part("one"), part("two")] }));
    }

    #[test]
    fn a_usage_is_read_where_there_is_one() {
        let texts = request(&["one"]);
        let usage =
            |body: Value| BatchEmbedContents.decode(&texts, &answered(200, &body), SystemTime::UNIX_EPOCH).usage;
        assert_eq!(usage(json!({ "embeddings": [{ "values": [0.5] }] })), None);
        let with_usage = json!({ "embeddings": [{ "values": [0.5] }], "usageMetadata": { "promptTokenCount": 4 } });
        assert_eq!(usage(with_usage), Some(Usage { input_tokens: 4, ..Usage::default() }));
    }

    #[test]
    fn an_error_is_read_as_those_about_answers() {
        let body = json!({ "error": { "code": 400, "message": "API key not valid. Please pass one.", "status": "INVALID_ARGUMENT" } });
        let reply = BatchEmbedContents.decode(&request(&["one"]), &answered(400, &body), SystemTime::UNIX_EPOCH);
        assert_eq!(reply.outcome.unwrap_err().kind(), "unauthorized");
    }
}
