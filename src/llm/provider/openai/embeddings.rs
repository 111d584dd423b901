//! The embeddings API (`POST /v1/embeddings`): texts go in, a vector for each comes out. Pure, as the other dialects.

use std::time::SystemTime;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::llm::error::CallError;
use crate::llm::provider::Usage;
use crate::llm::provider::failure::{refusal, short, tokens as count};
use crate::llm::transport::WireResponse;

/// What a provider answered.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbedReply {
    /// A vector for each text, in the order of the texts: of one length, finite, none of zeros alone.
    pub outcome: Result<Vec<Vec<f32>>, CallError>,
    /// `None` where it is missing or cannot be true.
    pub usage: Option<Usage>,
    pub request_id: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Body {
    data: Vec<Entry>,
    #[serde(default)]
    usage: Value,
    id: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Entry {
    /// Where it is missing, the place counts.
    index: Option<usize>,
    embedding: Vec<Option<f64>>,
}

/// The body of a request.
#[must_use]
pub fn encode(model: &str, texts: &[&str]) -> Vec<u8> {
    let body = json!({ "model": model, "input": texts, "encoding_format": "float" });
    // Texts and object keys cannot fail to be written.
    serde_json::to_vec(&body).unwrap_or_default()
}

/// Reads an answer of any status about so many texts; `now` is for a `Retry-After` that is a date.
#[must_use]
pub fn decode(texts: usize, response: &WireResponse, now: SystemTime) -> EmbedReply {
    let header_id = response.header("x-request-id").map(short);
    if !(200..300).contains(&response.status) {
        return EmbedReply { outcome: Err(refusal(response, now)), usage: None, request_id: header_id };
    }
    match serde_json::from_slice::<Body>(&response.body) {
        Ok(body) => EmbedReply {
            usage: usage(&body.usage),
            request_id: body.id.as_deref().map(short).or(header_id),
            outcome: vectors(texts, body.data),
        },
        Err(error) => {
            let outcome = Err(CallError::NotTheInterface(error.to_string()));
            EmbedReply { outcome, usage: None, request_id: header_id }
        }
    }
}

fn usage(usage: &Value) -> Option<Usage> {
    Some(Usage { input_tokens: count(&usage["prompt_tokens"])?, ..Usage::default() })
}

fn vectors(texts: usize, entries: Vec<Entry>) -> Result<Vec<Vec<f32>>, CallError> {
    let invalid = |why: String| Err(CallError::Invalid(why));
    if entries.len() != texts {
        return invalid(format!("{texts} texts were sent and {} vectors came", entries.len()));
    }
    let mut found: Vec<Option<Vec<f32>>> = vec![None; texts];
    for (place, entry) in entries.into_iter().enumerate() {
        let index = entry.index.unwrap_or(place);
        match found.get_mut(index) {
            Some(vector @ None) => *vector = Some(numbers(entry.embedding)?),
            Some(Some(_)) => return invalid(format!("two vectors are said to be of text {index}")),
            None => return invalid(format!("a vector is said to be of text {index}, of {texts}")),
        }
    }
    let found: Vec<Vec<f32>> = found.into_iter().flatten().collect();
    let length = found.first().map_or(0, Vec::len);
    match found.iter().find(|vector| vector.len() != length) {
        Some(other) => invalid(format!("vectors of {length} and of {} numbers came", other.len())),
        None => Ok(found),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "what does not fit is not finite, and refused")]
fn numbers(numbers: Vec<Option<f64>>) -> Result<Vec<f32>, CallError> {
    let read: Vec<f32> = numbers.into_iter().map(|number| number.map_or(f32::NAN, |number| number as f32)).collect();
    if !read.iter().all(|number| number.is_finite()) {
        return Err(CallError::Invalid("a vector holds something that is no number".to_owned()));
    }
    if read.iter().all(|number| *number == 0.0) {
        return Err(CallError::Invalid("a vector is empty or all zeros".to_owned()));
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(texts: usize, body: &Value) -> EmbedReply {
        let response = WireResponse { status: 200, body: body.to_string().into_bytes(), ..WireResponse::default() };
        decode(texts, &response, SystemTime::UNIX_EPOCH)
    }

    fn one(index: usize, embedding: &Value) -> Value {
        json!({ "object": "embedding", "index": index, "embedding": embedding })
    }

    fn answer(data: &[Value]) -> Value {
        json!({ "object": "list", "data": data, "model": "m", "usage": { "prompt_tokens": 7, "total_tokens": 7 } })
    }

    #[test]
    fn a_request_names_model_texts_and_form() {
        let sent: Value = serde_json::from_slice(&encode("m", &["one", "two"])).unwrap();
        assert_eq!(sent, json!({ "model": "m", "input": ["one", "two"], "encoding_format": "float" }));
    }

    #[test]
    fn vectors_come_in_the_order_of_their_index() {
        let reply = decoded(2, &answer(&[one(1, &json!([0, 2.5])), one(0, &json!([1.0, 0.5]))]));
        assert_eq!(reply.outcome.unwrap(), [[1.0, 0.5], [0.0, 2.5]]);
        assert_eq!(reply.usage, Some(Usage { input_tokens: 7, ..Usage::default() }));
    }

    #[test]
    fn what_is_no_vector_for_each_text_is_no_answer() {
        let good = json!([1.0, 0.5]);
        for data in [
            vec![one(0, &good)],
            vec![one(0, &good), one(0, &good)],
            vec![one(0, &good), one(2, &good)],
            vec![one(0, &good), one(1, &json!([1.0]))],
            vec![one(0, &good), one(1, &json!([1.0, null]))],
            vec![one(0, &good), one(1, &json!([0.0, 0.0]))],
            vec![one(0, &good), one(1, &json!([1e300, 0.0]))],
        ] {
            let reply = decoded(2, &answer(&data));
            assert_eq!(reply.outcome.unwrap_err().kind(), "invalid_answer", "{data:?}");
            assert!(reply.usage.is_some(), "it is billed all the same");
        }
        assert_eq!(decoded(1, &json!({ "error": "no" })).outcome.unwrap_err().kind(), "not_the_interface");
    }

    #[test]
    fn a_usage_that_cannot_be_true_is_none_and_a_status_has_its_meaning() {
        let mut body = answer(&[one(0, &json!([1.0]))]);
        body["usage"]["prompt_tokens"] = json!(-1);
        assert_eq!(decoded(1, &body).usage, None);
        let response = WireResponse { status: 404, ..WireResponse::default() };
        let reply = decode(1, &response, SystemTime::UNIX_EPOCH);
        assert_eq!(reply.outcome.unwrap_err().kind(), "unknown_model");
    }
}
