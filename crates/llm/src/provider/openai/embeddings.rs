//! The embeddings API (`POST …/embeddings`) of OpenAI and compatible servers. Input: texts. Output: a vector for each.

use std::time::SystemTime;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::error::CallError;
use crate::provider::embedding::{EmbedDialect, EmbedReply, EmbedRequest, Numbers, checked, success};
use crate::provider::failure::{refusal, short, tokens};
use crate::provider::{KeyHeader, Server};
use crate::transport::{WireRequest, WireResponse};

/// OpenAI's limit; other servers seldom accept less.
const MAX_TEXTS: usize = 2048;

/// The dialect. The endpoint is the complete address.
#[derive(Debug)]
pub struct Embeddings;

#[derive(Debug, Deserialize)]
struct Body {
    data: Vec<Entry>,
    #[serde(default)]
    usage: Value,
    id: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Entry {
    /// Where it is missing, the position in the list counts.
    index: Option<usize>,
    embedding: Numbers,
}

impl EmbedDialect for Embeddings {
    fn encode(&self, request: &EmbedRequest<'_>, server: &Server) -> Result<WireRequest, CallError> {
        server.request(server.endpoint.clone(), KeyHeader::Bearer, body(request))
    }

    fn decode(&self, request: &EmbedRequest<'_>, response: &WireResponse, now: SystemTime) -> EmbedReply {
        EmbedReply::of(response, success(response, now, refusal), |body: Body| {
            let input_tokens = tokens(&body.usage["prompt_tokens"]);
            (vectors(request, body.data), input_tokens, body.id.as_deref().map(short))
        })
    }

    fn max_texts(&self) -> usize {
        MAX_TEXTS
    }
}

/// Builds the body. User fields are added to ours, but cannot change how texts and numbers are encoded.
fn body(request: &EmbedRequest<'_>) -> Vec<u8> {
    let mut body: Map<String, Value> = request.provider_specific.clone();
    body.insert("model".to_owned(), request.model.into());
    body.insert("input".to_owned(), json!(request.texts));
    body.insert("encoding_format".to_owned(), "float".into());
    body.extend(request.dimensions.map(|wanted| ("dimensions".to_owned(), wanted.into())));
    Value::Object(body).to_string().into_bytes()
}

fn vectors(request: &EmbedRequest<'_>, entries: Vec<Entry>) -> Result<Vec<Vec<f32>>, CallError> {
    let indexed = entries.into_iter().enumerate();
    checked(request, indexed.map(|(position, entry)| (entry.index.unwrap_or(position), entry.embedding)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Usage;
    use crate::provider::embedding::tests::{answered, request, server};

    fn decoded(texts: &[&str], body: &Value) -> EmbedReply {
        Embeddings.decode(&request(texts), &answered(200, body), SystemTime::UNIX_EPOCH)
    }

    fn one(index: usize, embedding: &Value) -> Value {
        json!({ "object": "embedding", "index": index, "embedding": embedding })
    }

    fn answer(data: &[Value]) -> Value {
        json!({ "object": "list", "data": data, "model": "m", "usage": { "prompt_tokens": 7, "total_tokens": 7 } })
    }

    #[test]
    fn a_request_names_model_texts_and_form() {
        let sent = |request: &EmbedRequest<'_>| {
            let wire = Embeddings.encode(request, &server("http://h/v1/embeddings")).unwrap();
            assert_eq!(
                (wire.url.path(), &wire.headers["authorization"]),
                ("/v1/embeddings", &"Bearer secret-key".parse().unwrap())
            );
            serde_json::from_slice::<Value>(&wire.body).unwrap()
        };
        let plain = request(&["one", "two"]);
        assert_eq!(sent(&plain), json!({ "model": "m", "input": ["one", "two"], "encoding_format": "float" }));
        let own = json!({ "user": "u", "input": "other", "encoding_format": "base64", "dimensions": 9 });
        let asked = EmbedRequest { dimensions: Some(2), provider_specific: own.as_object().unwrap(), ..plain };
        let fields =
            json!({ "model": "m", "input": ["one", "two"], "encoding_format": "float", "dimensions": 2, "user": "u" });
        assert_eq!(sent(&asked), fields);
    }

    #[test]
    fn vectors_come_in_the_order_of_their_index() {
        let reply = decoded(&["one", "two"], &answer(&[one(1, &json!([0, 2.5])), one(0, &json!([1.0, 0.5]))]));
        assert_eq!(reply.outcome.unwrap(), [[1.0, 0.5], [0.0, 2.5]]);
        assert_eq!(reply.usage, Some(Usage { input_tokens: 7, ..Usage::default() }));
    }

    #[test]
    fn an_index_is_of_one_text_that_was_sent() {
        let good = json!([1.0, 0.5]);
        for data in [[one(0, &good), one(0, &good)], [one(0, &good), one(2, &good)]] {
            let reply = decoded(&["one", "two"], &answer(&data));
            assert_eq!(reply.outcome.unwrap_err().kind(), "invalid_answer", "{data:?}");
            assert!(reply.usage.is_some(), "it is billed all the same");
        }
    }

    #[test]
    fn a_usage_that_cannot_be_true_is_none() {
        let mut body = answer(&[one(0, &json!([1.0]))]);
        body["usage"]["prompt_tokens"] = json!(-1);
        assert_eq!(decoded(&["one"], &body).usage, None);
    }
}
