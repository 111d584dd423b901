//! Ollama's embeddings (`POST …/api/embed`).

use std::time::SystemTime;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::error::CallError;
use crate::provider::embedding::{EmbedDialect, EmbedReply, EmbedRequest, Numbers, checked, success};
use crate::provider::failure::{refusal, tokens};
use crate::provider::{KeyHeader, Server, merge};
use crate::transport::{WireRequest, WireResponse};

/// Ollama documents no limit; this is the limit of other providers.
const MAX_TEXTS: usize = 2048;
/// Request fields that the user may set; all other fields are options of the model.
const FIELDS: [&str; 2] = ["keep_alive", "truncate"];

/// The dialect. The endpoint is the complete address.
#[derive(Debug)]
pub struct Embed;

#[derive(Debug, Deserialize)]
struct Body {
    embeddings: Vec<Numbers>,
    #[serde(default)]
    prompt_eval_count: Value,
}

impl EmbedDialect for Embed {
    fn encode(&self, request: &EmbedRequest<'_>, server: &Server) -> Result<WireRequest, CallError> {
        server.request(server.endpoint.clone(), KeyHeader::Bearer, body(request))
    }

    fn decode(&self, request: &EmbedRequest<'_>, response: &WireResponse, now: SystemTime) -> EmbedReply {
        EmbedReply::of(response, success(response, now, refusal), |body: Body| {
            (checked(request, body.embeddings.into_iter().enumerate()), tokens(&body.prompt_eval_count), None)
        })
    }

    fn max_texts(&self) -> usize {
        MAX_TEXTS
    }
}

fn body(request: &EmbedRequest<'_>) -> Vec<u8> {
    let (mut body, mut options) = (Map::new(), Map::new());
    for (name, value) in request.provider_specific {
        match value {
            Value::Object(own) if name == "options" => merge(&mut options, own),
            _ if FIELDS.contains(&name.as_str()) => drop(body.insert(name.clone(), value.clone())),
            _ => drop(options.insert(name.clone(), value.clone())),
        }
    }
    body.insert("model".to_owned(), request.model.into());
    body.insert("input".to_owned(), json!(request.texts));
    body.extend(request.dimensions.map(|wanted| ("dimensions".to_owned(), wanted.into())));
    body.extend((!options.is_empty()).then_some(("options".to_owned(), options.into())));
    Value::Object(body).to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Usage;
    use crate::provider::embedding::tests::{answered, request, server};

    #[test]
    fn a_request_has_the_owner_s_options_beside_the_texts() {
        let own = json!({ "num_ctx": 8192, "keep_alive": "5m", "options": { "seed": 7 } });
        let texts =
            EmbedRequest { provider_specific: own.as_object().unwrap(), dimensions: Some(256), ..request(&["one"]) };
        let wire = Embed.encode(&texts, &server("http://h/api/embed")).unwrap();
        assert_eq!(wire.url.as_str(), "http://h/api/embed");
        let sent: Value = serde_json::from_slice(&wire.body).unwrap();
        let options = json!({ "num_ctx": 8192, "seed": 7 });
        assert_eq!(
            sent,
            json!({ "model": "m", "input": ["one"], "dimensions": 256, "keep_alive": "5m", "options": options })
        );
        let plain: Value = serde_json::from_slice(&body(&request(&["one"]))).unwrap();
        assert_eq!(plain, json!({ "model": "m", "input": ["one"] }));
    }

    #[test]
    fn an_answer_is_its_vectors_with_usage() {
        let body = json!({ "model": "m", "embeddings": [[0.5, -0.25]], "total_duration": 14_143_917, "load_duration": 1_019_500,
                           "prompt_eval_count": 8 });
        let reply = Embed.decode(&request(&["one"]), &answered(200, &body), SystemTime::UNIX_EPOCH);
        assert_eq!(reply.outcome.unwrap(), [[0.5, -0.25]]);
        assert_eq!(reply.usage, Some(Usage { input_tokens: 8, ..Usage::default() }));
        let error = json!({ "error": "this model does not support embeddings" });
        let reply = Embed.decode(&request(&["one"]), &answered(400, &error), SystemTime::UNIX_EPOCH);
        assert_eq!(reply.outcome.unwrap_err().kind(), "refused_request");
    }
}
