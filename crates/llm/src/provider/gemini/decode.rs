//! Decodes a `generateContent` answer into a reply. A streamed answer is a sequence of such answers, so both are
//! collected in one way.

use std::time::SystemTime;

use serde_json::Value;

use super::failure;
use crate::error::CallError;
use crate::provider::failure::{is_success, model_name, short, tokens, tokens_of};
use crate::provider::{ModelRequest, Reply, Usage};
use crate::transport::WireResponse;

pub(super) fn reply(request: &ModelRequest, response: &WireResponse, now: SystemTime) -> Reply {
    let failed = |error| Reply::failed(error, None);
    if !is_success(response) {
        return failed(failure::refusal(response, now));
    }
    let pieces = match serde_json::from_slice(&response.body) {
        // A stream requested without server-sent events.
        Ok(Value::Array(pieces)) => pieces,
        Ok(piece) => vec![piece],
        Err(error) => return failed(CallError::NotTheInterface(error.to_string())),
    };
    let mut collector = PieceCollector::default();
    let text: String = pieces.iter().map(|piece| collector.take(piece)).collect();
    let no_end = if collector.has_candidate { "it does not say why it ended" } else { "it has no candidates" };
    collector.finish(request, &text, CallError::NotTheInterface(no_end.to_owned()))
}

/// The state collected from the pieces, except their text.
#[derive(Debug, Default)]
pub(super) struct PieceCollector {
    has_candidate: bool,
    /// Why the model stopped.
    finish_reason: Option<String>,
    failed: Option<CallError>,
    /// Cumulative up to the last piece; a piece of the answer without usage makes it unknown.
    usage: Option<Usage>,
    request_id: Option<String>,
    model: Option<String>,
}

impl PieceCollector {
    /// Adds a piece, and returns its text.
    pub(super) fn take(&mut self, piece: &Value) -> String {
        if piece["error"].is_object() {
            self.failed = Some(failure::error_in_stream(piece));
            return String::new();
        }
        if let Some(id) = piece["responseId"].as_str() {
            self.request_id = Some(short(id));
        }
        self.model = model_name(&piece["modelVersion"]).or(self.model.take());
        let is_blocked = |reason: &str| !reason.is_empty() && reason != "BLOCK_REASON_UNSPECIFIED";
        if piece["promptFeedback"]["blockReason"].as_str().is_some_and(is_blocked) {
            self.failed = Some(CallError::Filtered);
        }
        let candidate = &piece["candidates"][0];
        if candidate.is_object() || piece["usageMetadata"].is_object() {
            self.usage = usage(&piece["usageMetadata"]);
        }
        self.has_candidate |= candidate.is_object();
        if let Some(reason) = candidate["finishReason"].as_str()
            && self.finish_reason.as_deref().is_none_or(|earlier| earlier == "STOP")
        {
            self.finish_reason = Some(short(reason));
        }
        let parts = candidate["content"]["parts"].as_array().into_iter().flatten();
        parts.filter(|part| part["thought"] != true).filter_map(|part| part["text"].as_str()).collect()
    }

    pub(super) const fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Returns the reply. `no_end` is the error for an answer without a finish reason.
    pub(super) fn finish(self, request: &ModelRequest, text: &str, no_end: CallError) -> Reply {
        // The charge for an answer without an end is unknown.
        let is_ended = self.finish_reason.is_some() || self.failed == Some(CallError::Filtered);
        let usage = self.usage.filter(|_| is_ended);
        let outcome = match (self.failed, self.finish_reason) {
            (Some(error), _) => Err(error),
            (None, None) => Err(no_end),
            (None, Some(reason)) => answer(request, &reason, text),
        };
        Reply { outcome, usage, request_id: self.request_id, model: self.model }
    }
}

fn answer(request: &ModelRequest, finish_reason: &str, text: &str) -> Result<String, CallError> {
    match finish_reason {
        "STOP" if text.trim().is_empty() => Err(CallError::Invalid("the answer is empty".to_owned())),
        "STOP" => Ok(text.to_owned()),
        "MAX_TOKENS" => Err(CallError::Truncated(request.max_output_tokens)),
        "SAFETY" | "RECITATION" | "PROHIBITED_CONTENT" | "BLOCKLIST" | "SPII" => Err(CallError::Filtered),
        "LANGUAGE" => Err(CallError::Declined("it does not speak the language".to_owned())),
        other => Err(CallError::Invalid(format!("the answer ended by {other:?}"))),
    }
}

/// Reads the usage. The API omits counts of 0, so a missing output counts as 0 only where the total confirms it.
fn usage(usage: &Value) -> Option<Usage> {
    let input = tokens(&usage["promptTokenCount"])?;
    let (words, thoughts) = (&usage["candidatesTokenCount"], &usage["thoughtsTokenCount"]);
    if words.is_null() && thoughts.is_null() && tokens(&usage["totalTokenCount"])? != input {
        return None;
    }
    Some(Usage {
        input_tokens: input,
        cached_input_tokens: tokens(&usage["cachedContentTokenCount"]),
        output_tokens: tokens_of(&[words, thoughts])?,
        reasoning_tokens: tokens(thoughts),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::provider::AnswerFormat;

    fn decoded(body: &Value) -> Reply {
        let request = ModelRequest::question("m", String::new(), String::new(), AnswerFormat::Json, 100);
        let response = WireResponse { status: 200, body: body.to_string().into_bytes(), ..WireResponse::default() };
        reply(&request, &response, SystemTime::UNIX_EPOCH)
    }

    fn ended(reason: &str) -> Value {
        json!({"candidates": [{"content": {"role": "model", "parts": [
                    {"text": "hm {", "thought": true}, {"text": "{\"a\""}, {"text": ": 1}", "thoughtSignature": "x"}]},
                "finishReason": reason, "index": 0}],
            "usageMetadata": {"promptTokenCount": 10, "cachedContentTokenCount": 4, "candidatesTokenCount": 5,
                "thoughtsTokenCount": 7, "totalTokenCount": 22},
            "modelVersion": "m", "responseId": "r1"})
    }

    #[test]
    fn an_answer_is_its_text_with_usage_and_id() {
        let reply = decoded(&ended("STOP"));
        assert_eq!(reply.outcome, Ok("{\"a\": 1}".to_owned()));
        let usage = reply.usage.unwrap();
        assert_eq!((usage.input_tokens, usage.cached_input_tokens), (10, Some(4)));
        assert_eq!((usage.output_tokens, usage.reasoning_tokens), (12, Some(7)));
        assert_eq!(reply.request_id.as_deref(), Some("r1"));
        assert_eq!(reply.model.as_deref(), Some("m"));
    }

    #[test]
    fn pieces_in_a_list_are_one_answer() {
        let mut first = ended("STOP");
        first["candidates"][0]["finishReason"].take();
        let reply = decoded(&json!([first, ended("STOP")]));
        assert_eq!(reply.outcome, Ok("{\"a\": 1}{\"a\": 1}".to_owned()));
        let error = json!([{"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}]);
        assert_eq!(decoded(&error).outcome.unwrap_err().kind(), "overloaded");
    }

    #[test]
    fn what_ended_otherwise_is_no_answer() {
        for (reason, kind) in [
            ("MAX_TOKENS", "truncated"),
            ("SAFETY", "filtered"),
            ("RECITATION", "filtered"),
            ("PROHIBITED_CONTENT", "filtered"),
            ("BLOCKLIST", "filtered"),
            ("SPII", "filtered"),
            ("LANGUAGE", "declined"),
            ("OTHER", "invalid_answer"),
            ("MALFORMED_FUNCTION_CALL", "invalid_answer"),
        ] {
            let reply = decoded(&ended(reason));
            assert_eq!(reply.outcome.unwrap_err().kind(), kind, "{reason}");
            assert!(reply.usage.is_some(), "it is billed all the same");
        }
        for (body, kind) in [
            (json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}), "filtered"),
            (json!({"candidates": [{"content": {"parts": [{"text": "{}"}]}}]}), "not_the_interface"),
            (json!({"candidates": [{"content": {"role": "model"}, "finishReason": "STOP"}]}), "invalid_answer"),
            (json!({"candidates": []}), "not_the_interface"),
            (json!({"candidates": 7, "usageMetadata": []}), "not_the_interface"),
            (json!([]), "not_the_interface"),
            (json!("text"), "not_the_interface"),
        ] {
            assert_eq!(decoded(&body).outcome.unwrap_err().kind(), kind, "{body}");
        }
    }

    #[test]
    fn a_usage_that_cannot_be_true_is_none() {
        let with = |usage: Value| {
            let mut body = ended("STOP");
            body["usageMetadata"] = usage;
            decoded(&body).usage.map(|usage| usage.output_tokens)
        };
        assert_eq!(with(json!({"promptTokenCount": 10, "totalTokenCount": 10})), Some(0));
        assert_eq!(with(json!({"promptTokenCount": 10, "thoughtsTokenCount": 3, "totalTokenCount": 13})), Some(3));
        for usage in [
            json!(null),
            json!({"promptTokenCount": 10}),
            json!({"promptTokenCount": 10, "totalTokenCount": 15}),
            json!({"promptTokenCount": -1, "candidatesTokenCount": 5}),
            json!({"promptTokenCount": 10, "candidatesTokenCount": 5, "thoughtsTokenCount": -5}),
            json!({"promptTokenCount": 10, "candidatesTokenCount": 1_000_000_000_000_i64}),
            json!({"promptTokenCount": "10", "candidatesTokenCount": 5}),
        ] {
            assert_eq!(with(usage.clone()), None, "{usage}");
        }
    }
}
