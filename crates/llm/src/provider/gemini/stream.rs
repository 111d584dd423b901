//! Reads the events of a `streamGenerateContent` stream: complete answers, each with the next piece of the text. No
//! event is marked as the last: after the one with the finish reason, others may carry the usage, and then the server
//! closes the stream.

use serde_json::Value;

use super::decode::PieceCollector;
use crate::error::CallError;
use crate::provider::failure::event_data;
use crate::provider::{ModelRequest, Reply, StreamReader, Unreadable};
use crate::stream::Frame;

/// Reads one stream.
pub(super) struct Reader<'a> {
    request: &'a ModelRequest,
    collector: PieceCollector,
}

impl<'a> Reader<'a> {
    pub(super) fn new(request: &'a ModelRequest) -> Self {
        Self { request, collector: PieceCollector::default() }
    }
}

impl StreamReader for Reader<'_> {
    fn event(&mut self, frame: &Frame) -> Result<Option<String>, Unreadable> {
        let pieces = match event_data(frame)? {
            Value::Array(pieces) => pieces,
            piece => vec![piece],
        };
        let text: String = pieces.iter().map(|piece| self.collector.take(piece)).collect();
        Ok((!text.is_empty()).then_some(text))
    }

    fn is_over(&self) -> bool {
        self.collector.has_failed()
    }

    fn close(&mut self, text: &str, broken: Option<CallError>) -> Reply {
        let interrupted = || CallError::Interrupted("the stream ended before the answer did".to_owned());
        let collector = std::mem::take(&mut self.collector);
        collector.finish(self.request, text, broken.unwrap_or_else(interrupted))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::provider::{AnswerFormat, GEMINI, cuts};

    fn request() -> ModelRequest {
        ModelRequest::question("m", String::new(), String::new(), AnswerFormat::Text, 100)
    }

    fn event(data: &Value) -> String {
        format!("data: {data}\r\n\r\n")
    }

    fn piece(text: &str, finish_reason: Option<&str>, output_tokens: u32) -> String {
        let mut candidate = json!({"content": {"role": "model", "parts": [{"text": text}]}, "index": 0});
        if let Some(reason) = finish_reason {
            candidate["finishReason"] = reason.into();
        }
        event(&json!({"candidates": [candidate], "responseId": "r1", "modelVersion": "m-001",
            "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": output_tokens}}))
    }

    #[test]
    fn a_stream_cut_anywhere_keeps_what_was_complete() {
        let thought = event(&json!({"candidates": [{"content": {"parts": [{"text": "hm", "thought": true}]}}]}));
        let (one, two) = (piece("Grüße, ", None, 3), piece("世界.", None, 5));
        let end = piece("", Some("STOP"), 5);
        let late = event(&json!({"usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 6}}));
        let events = [(&*thought, ""), (&one, "Grüße, "), (&two, "世界."), (&end, ""), (&late, "")];
        let reply = cuts::check(&GEMINI, &request(), &events, 3);
        assert_eq!(reply.usage.map(|usage| (usage.input_tokens, usage.output_tokens)), Some((10, 6)));
        assert_eq!(reply.request_id.as_deref(), Some("r1"));
        assert_eq!(reply.model.as_deref(), Some("m-001"));
    }

    #[test]
    fn an_answer_that_ended_is_one_however_the_stream_broke() {
        let request = request();
        let mut reader = Reader::new(&request);
        let data = piece("x", Some("STOP"), 1);
        let data = data.trim().trim_start_matches("data: ").to_owned();
        reader.event(&Frame { event: String::new(), data }).unwrap();
        assert_eq!(reader.close("x", Some(CallError::Stalled(9))).outcome, Ok("x".to_owned()));
    }

    #[test]
    fn ends_and_errors_are_told_apart_and_nonsense_is_passed_over() {
        let one = piece("x", None, 1);
        let error = json!([{"error": {"code": 429, "message": "slow", "status": "RESOURCE_EXHAUSTED"}}]);
        for (stream, kind) in [
            (format!("{one}{}", piece("y", Some("MAX_TOKENS"), 2)), "truncated"),
            (format!("{one}{}", piece("", Some("SAFETY"), 2)), "filtered"),
            (format!("{}{}", piece("y", Some("SAFETY"), 2), piece("z", Some("STOP"), 2)), "filtered"),
            (event(&json!({"promptFeedback": {"blockReason": "SAFETY"}})), "filtered"),
            (piece("", Some("STOP"), 0), "invalid_answer"),
            (format!("{one}{}", event(&error)), "rate_limited"),
            (format!("{}{}", piece("y", Some("STOP"), 2), event(&error[0])), "rate_limited"),
            (one.clone(), "interrupted"),
            (format!("{one}data: nonsense\n\ndata: [7,null,[]]\n\ndata: \"x\"\n\n"), "interrupted"),
        ] {
            let (reply, _) = cuts::read(&GEMINI, &request(), &[stream.as_bytes()]);
            assert_eq!(reply.outcome.unwrap_err().kind(), kind, "{stream}");
        }
    }
}
