//! The common part of the embedding dialects: the request, and the validation of an answer.

use std::fmt::Debug;
use std::time::SystemTime;

use reqwest::StatusCode;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::failure::{short, within_success};
use super::{Server, Usage};
use crate::error::CallError;
use crate::transport::{WireRequest, WireResponse};

/// Texts to embed, and the model to use.
#[derive(Debug, Clone, Copy)]
pub struct EmbedRequest<'a> {
    pub model: &'a str,
    /// At least one.
    pub texts: &'a [&'a str],
    /// Length of the vectors to request; `None`: the model's default.
    pub dimensions: Option<u32>,
    /// Provider-specific fields, sent in addition to ours.
    pub provider_specific: &'a Map<String, Value>,
}

/// A provider's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbedReply {
    /// A vector for each text, in the order of the texts: all of one length, finite, none all zeros.
    pub outcome: Result<Vec<Vec<f32>>, CallError>,
    /// `None` where it is missing or implausible.
    pub usage: Option<Usage>,
    pub request_id: Option<String>,
}

impl EmbedReply {
    /// Returns the reply with `body` read by `read` as its vectors, number of input tokens and id, if it has one.
    pub(super) fn of<T>(
        response: &WireResponse,
        body: Result<T, CallError>,
        read: impl FnOnce(T) -> (Result<Vec<Vec<f32>>, CallError>, Option<i64>, Option<String>),
    ) -> Self {
        let header_id = response.header("x-request-id").map(short);
        match body.map(read) {
            Ok((outcome, input_tokens, body_id)) => {
                let usage = input_tokens.map(|input_tokens| Usage { input_tokens, ..Usage::default() });
                Self { outcome, usage, request_id: body_id.or(header_id) }
            }
            Err(error) => Self { outcome: Err(error), usage: None, request_id: header_id },
        }
    }
}

/// Encodes and decodes embedding calls of a provider.
pub trait EmbedDialect: Debug + Send + Sync {
    /// Encodes a request.
    ///
    /// # Errors
    /// [`CallError::Unauthorized`] for a key that cannot be sent.
    fn encode(&self, request: &EmbedRequest<'_>, server: &Server) -> Result<WireRequest, CallError>;

    /// Decodes an answer of any status; `now` is used for a `Retry-After` that is a date.
    fn decode(&self, request: &EmbedRequest<'_>, response: &WireResponse, now: SystemTime) -> EmbedReply;

    /// Returns the maximum number of texts that the API takes at once.
    fn max_texts(&self) -> usize;
}

/// A vector as received. `None` stands for anything that is not a number.
pub(super) type Numbers = Vec<Option<f64>>;

/// Returns the body of a success; otherwise the error, which `refusal` reads from a response with an error status.
pub(super) fn success<T: DeserializeOwned>(
    response: &WireResponse,
    now: SystemTime,
    refusal: fn(&WireResponse, SystemTime) -> CallError,
) -> Result<T, CallError> {
    if !StatusCode::from_u16(response.status).is_ok_and(|status| status.is_success()) {
        return Err(refusal(response, now));
    }
    serde_json::from_slice(&response.body).map_err(|error| {
        let reported_error = serde_json::from_slice(&response.body).ok().and_then(|body| within_success(&body));
        reported_error.unwrap_or_else(|| CallError::NotTheInterface(error.to_string()))
    })
}

/// Validates the vectors, and returns them in the order of their texts.
pub(super) fn checked(
    request: &EmbedRequest<'_>,
    entries: impl ExactSizeIterator<Item = (usize, Numbers)>,
) -> Result<Vec<Vec<f32>>, CallError> {
    let (texts, came) = (request.texts.len(), entries.len());
    if came != texts {
        return invalid(format!("{texts} texts were sent and {came} vectors came"));
    }
    let mut found: Vec<Option<Vec<f32>>> = vec![None; texts];
    for (index, numbers) in entries {
        match found.get_mut(index) {
            Some(vector @ None) => *vector = Some(finite(numbers)?),
            Some(Some(_)) => return invalid(format!("two vectors are said to be of text {index}")),
            None => return invalid(format!("a vector is said to be of text {index}, of {texts}")),
        }
    }
    of_one_length(request, found.into_iter().flatten().collect())
}

fn of_one_length(request: &EmbedRequest<'_>, found: Vec<Vec<f32>>) -> Result<Vec<Vec<f32>>, CallError> {
    let length = found.first().map_or(0, Vec::len);
    if let Some(other) = found.iter().find(|vector| vector.len() != length) {
        return invalid(format!("vectors of {length} and of {} numbers came", other.len()));
    }
    match request.dimensions {
        Some(wanted) if u32::try_from(length) != Ok(wanted) => {
            invalid(format!("vectors of {length} numbers came, where {wanted} were asked for"))
        }
        _ => Ok(found),
    }
}

fn invalid<T>(why: String) -> Result<T, CallError> {
    Err(CallError::Invalid(why))
}

#[expect(clippy::cast_possible_truncation, reason = "what does not fit is not finite, and refused")]
fn finite(numbers: Numbers) -> Result<Vec<f32>, CallError> {
    let read: Vec<f32> = numbers.into_iter().map(|number| number.map_or(f32::NAN, |number| number as f32)).collect();
    if !read.iter().all(|number| number.is_finite()) {
        return invalid("a vector holds something that is no number".to_owned());
    }
    if read.iter().all(|number| *number == 0.0) {
        return invalid("a vector is empty or all zeros".to_owned());
    }
    Ok(read)
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::LazyLock;

    use serde_json::json;

    use super::*;
    use crate::provider::{self, EMBED_DIALECTS};

    static NOTHING: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

    pub fn request<'a>(texts: &'a [&'a str]) -> EmbedRequest<'a> {
        EmbedRequest { model: "m", texts, dimensions: None, provider_specific: &NOTHING }
    }

    pub fn server(endpoint: &str) -> Server {
        let headers = reqwest::header::HeaderMap::new();
        Server { endpoint: endpoint.parse().unwrap(), key: Some("secret-key".into()), headers }
    }

    pub fn answered(status: u16, body: &Value) -> WireResponse {
        WireResponse { status, body: body.to_string().into_bytes(), ..WireResponse::default() }
    }

    /// Returns the body in which a dialect returns these vectors.
    fn body(name: &str, vectors: &[Value]) -> Value {
        match name {
            provider::GEMINI_NAME => {
                json!({"embeddings": vectors.iter().map(|values| json!({"values": values})).collect::<Vec<_>>()})
            }
            provider::OLLAMA_NAME => json!({"model": "m", "embeddings": vectors, "prompt_eval_count": 7}),
            _ => json!({"data": vectors.iter().map(|vector| json!({"embedding": vector})).collect::<Vec<_>>()}),
        }
    }

    #[test]
    fn in_every_dialect_what_is_no_vector_for_each_text_is_no_answer() {
        let texts = request(&["one", "two"]);
        for (name, dialect) in EMBED_DIALECTS {
            let decoded = |request: &EmbedRequest<'_>, vectors: &[Value]| {
                dialect.decode(request, &answered(200, &body(name, vectors)), SystemTime::UNIX_EPOCH).outcome
            };
            let good = json!([1.0, 0.5]);
            assert_eq!(decoded(&texts, &[good.clone(), json!([0, 2.5])]).unwrap(), [[1.0, 0.5], [0.0, 2.5]], "{name}");
            for bad in [
                vec![good.clone()],
                vec![good.clone(), good.clone(), good.clone()],
                vec![good.clone(), json!([1.0])],
                vec![good.clone(), json!([1.0, null])],
                vec![good.clone(), json!([0.0, 0.0])],
                vec![good.clone(), json!([])],
                vec![good.clone(), json!([1e300, 0.0])],
            ] {
                assert_eq!(decoded(&texts, &bad).unwrap_err().kind(), "invalid_answer", "{name}: {bad:?}");
            }
            let both = [good.clone(), good];
            assert!(decoded(&EmbedRequest { dimensions: Some(2), ..texts }, &both).is_ok(), "{name}");
            let error = decoded(&EmbedRequest { dimensions: Some(3), ..texts }, &both).unwrap_err();
            assert_eq!(error.to_string(), decoded_words("vectors of 2 numbers came, where 3 were asked for"));
        }
    }

    fn decoded_words(why: &str) -> String {
        CallError::Invalid(why.to_owned()).to_string()
    }

    #[test]
    fn in_every_dialect_errors_have_their_meaning() {
        for (name, dialect) in EMBED_DIALECTS {
            let kind = |status: u16, body: &Value| {
                let reply = dialect.decode(&request(&["one"]), &answered(status, body), SystemTime::UNIX_EPOCH);
                reply.outcome.unwrap_err().kind()
            };
            let error = |code: u16| json!({"error": {"code": code, "message": "why"}});
            assert_eq!(kind(404, &error(404)), "unknown_model", "{name}");
            assert_eq!(kind(501, &error(501)), "server_error", "{name}");
            assert_eq!(kind(200, &error(503)), "overloaded", "{name}: an error that comes with a success");
            assert_eq!(kind(200, &json!({"answer": 42})), "not_the_interface", "{name}");
            assert_eq!(kind(200, &json!("embeddings")), "not_the_interface", "{name}");
        }
    }

    #[test]
    fn every_provider_but_anthropic_makes_vectors() {
        for (name, _) in provider::DIALECTS {
            assert_eq!(provider::embedder_by_name(name).is_some(), *name != provider::ANTHROPIC_NAME, "{name}");
        }
    }
}
