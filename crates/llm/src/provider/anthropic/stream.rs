//! Reads the events of a Messages stream.

use serde_json::{Map, Value};

use super::{decode, failure};
use crate::error::CallError;
use crate::provider::failure::{event_data, model_name, short};
use crate::provider::{ModelRequest, Reply, StreamReader, Unreadable};
use crate::stream::Frame;

/// Reads one stream.
pub(super) struct Reader<'a> {
    request: &'a ModelRequest,
    request_id: Option<String>,
    model: Option<String>,
    /// The arguments of a tool call, which are also part of the text.
    tool_arguments: String,
    usage: Map<String, Value>,
    /// Why the answer ended.
    end: Value,
    /// Set when the answer is complete or has failed.
    over: Option<Result<(), CallError>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(request: &'a ModelRequest) -> Self {
        let (tool_arguments, usage) = (String::new(), Map::new());
        Self { request, request_id: None, model: None, tool_arguments, usage, end: Value::Null, over: None }
    }

    fn begin(&mut self, message: &Value) {
        self.request_id = message["id"].as_str().map(short);
        self.model = model_name(&message["model"]);
        self.count(&message["usage"]);
        // The output has only begun.
        self.usage.shift_remove("output_tokens");
    }

    /// Records counts. Later counts replace earlier ones because they are cumulative.
    fn count(&mut self, usage: &Value) {
        let counts = usage.as_object().into_iter().flatten().filter(|(_, count)| !count.is_null());
        self.usage.extend(counts.map(|(name, count)| (name.clone(), count.clone())));
    }

    fn add_arguments(&mut self, arguments: &str) -> String {
        self.tool_arguments.push_str(arguments);
        arguments.to_owned()
    }

    /// Begins a block. Some servers send at once what others send in pieces. Empty arguments mean that they will follow
    /// in pieces.
    fn begin_block(&mut self, block: &Value) -> String {
        let block_text = decode::block_text(block);
        match block["type"].as_str() {
            Some("tool_use") if block_text == "{}" => String::new(),
            Some("tool_use") => self.add_arguments(&block_text),
            _ => block_text,
        }
    }

    fn add_to_block(&mut self, delta: &Value) -> String {
        match delta["type"].as_str() {
            Some("text_delta") => delta["text"].as_str().unwrap_or_default().to_owned(),
            Some("input_json_delta") => self.add_arguments(delta["partial_json"].as_str().unwrap_or_default()),
            _ => String::new(),
        }
    }
}

impl StreamReader for Reader<'_> {
    fn event(&mut self, frame: &Frame) -> Result<Option<String>, Unreadable> {
        let mut data = event_data(frame)?;
        let mut text = String::new();
        match data["type"].as_str().unwrap_or_default() {
            "message_start" => self.begin(&data["message"]),
            "content_block_start" => text = self.begin_block(&data["content_block"]),
            "content_block_delta" => text = self.add_to_block(&data["delta"]),
            "message_delta" => {
                self.count(&data["usage"]);
                self.end = data["delta"].take();
            }
            "message_stop" => self.over = Some(Ok(())),
            "error" => self.over = Some(Err(failure::error_of_response(500, &data, None))),
            _ => {}
        }
        Ok((!text.is_empty()).then_some(text))
    }

    fn is_over(&self) -> bool {
        self.over.is_some()
    }

    fn close(&mut self, text: &str, broken: Option<CallError>) -> Reply {
        let request_id = self.request_id.take();
        let error = match self.over.take() {
            Some(Ok(())) => {
                let text = if self.tool_arguments.is_empty() { text } else { &self.tool_arguments };
                let outcome = decode::answer(self.request, &self.end, text.to_owned());
                let usage = decode::usage(&Value::Object(std::mem::take(&mut self.usage)));
                return Reply { outcome, usage, request_id, model: self.model.take() };
            }
            Some(Err(error)) => error,
            None => {
                broken.unwrap_or_else(|| CallError::Interrupted("the stream ended before the answer did".to_owned()))
            }
        };
        Reply::failed(error, request_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::{ANTHROPIC, AnswerFormat, cuts};

    const START: &str = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\
        \"role\":\"assistant\",\"model\":\"m-2026\",\"content\":[],\"stop_reason\":null,\"usage\":{\"input_tokens\":10,\
        \"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":4,\"output_tokens\":1}}}\n\n";
    const PING: &str = "event: ping\ndata: {\"type\": \"ping\"}\n\n";
    const BLOCK_STOP: &str = "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n";
    const STOP: &str = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

    fn request() -> ModelRequest {
        ModelRequest::question("m", String::new(), String::new(), AnswerFormat::Text, 100)
    }

    fn block(content: &str) -> String {
        format!(
            "event: content_block_start\ndata: {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{content}}}\n\n"
        )
    }

    fn delta(content: &str) -> String {
        format!(
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{content}}}\n\n"
        )
    }

    fn end(reason: &str) -> String {
        format!(
            "event: message_delta\ndata: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"{reason}\",\
             \"stop_sequence\":null}},\"usage\":{{\"output_tokens\":5}}}}\n\n"
        )
    }

    #[test]
    fn a_stream_of_words_cut_anywhere_keeps_what_was_complete() {
        let thinking = block(r#"{"type":"thinking","thinking":""}"#);
        let thought = delta(r#"{"type":"thinking_delta","thinking":"hm"}"#);
        let begun = block(r#"{"type":"text","text":""}"#);
        let one = delta(r#"{"type":"text_delta","text":"Grüße, "}"#);
        let two = delta(r#"{"type":"text_delta","text":"\u4e16界."}"#);
        let end = end("end_turn");
        let events = [
            (START, ""),
            (PING, ""),
            (&thinking, ""),
            (&thought, ""),
            (BLOCK_STOP, ""),
            (&begun, ""),
            (&one, "Grüße, "),
            (PING, ""),
            (&two, "世界."),
            (BLOCK_STOP, ""),
            (&end, ""),
            (STOP, ""),
        ];
        let reply = cuts::check(&ANTHROPIC, &request(), &events, 11);
        let usage = reply.usage.unwrap();
        assert_eq!((usage.input_tokens, usage.cached_input_tokens, usage.output_tokens), (14, Some(4), 5));
        assert_eq!(reply.request_id.as_deref(), Some("msg_1"));
        assert_eq!(reply.model.as_deref(), Some("m-2026"));
    }

    #[test]
    fn a_stream_of_a_call_cut_anywhere_keeps_what_was_complete() {
        let begun = block(r#"{"type":"tool_use","id":"t","name":"triage_v1","input":{}}"#);
        let empty = delta(r#"{"type":"input_json_delta","partial_json":""}"#);
        let one = delta(r#"{"type":"input_json_delta","partial_json":"{\"a\": "}"#);
        let two = delta(r#"{"type":"input_json_delta","partial_json":"[1]}"}"#);
        let end = end("tool_use");
        let events = [
            (START, ""),
            (&begun, ""),
            (&empty, ""),
            (&one, "{\"a\": "),
            (&two, "[1]}"),
            (BLOCK_STOP, ""),
            (&end, ""),
            (STOP, ""),
        ];
        cuts::check(&ANTHROPIC, &request(), &events, 7);
    }

    #[test]
    fn words_before_a_call_are_no_part_of_the_answer() {
        let words = block(r#"{"type":"text","text":"Here: "}"#);
        let call = block(r#"{"type":"tool_use","id":"t","name":"n","input":{"a":1}}"#);
        let stream = format!("{START}{words}{call}{}{STOP}", end("tool_use"));
        let (reply, text) = cuts::read(&ANTHROPIC, &request(), &[stream.as_bytes()]);
        assert_eq!((reply.outcome, text.as_str()), (Ok("{\"a\":1}".to_owned()), "Here: {\"a\":1}"));
    }

    #[test]
    fn ends_and_errors_are_told_apart_and_nonsense_is_passed_over() {
        let one = delta(r#"{"type":"text_delta","text":"x"}"#);
        let error = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
        let limited = error.replace("overloaded_error", "rate_limit_error");
        for (stream, kind) in [
            (format!("{START}{one}{}{STOP}", end("max_tokens")), "truncated"),
            (format!("{START}{one}{}{STOP}", end("refusal")), "declined"),
            (format!("{START}{}{STOP}", end("end_turn")), "invalid_answer"),
            (format!("{START}{one}{STOP}"), "not_the_interface"),
            (format!("{START}{one}{error}"), "overloaded"),
            (limited, "rate_limited"),
            (format!("{START}{one}{}", end("end_turn")), "interrupted"),
            ("data: []\n\ndata: nonsense\n\ndata: {\"type\":7,\"delta\":{}}\n\n".to_owned(), "interrupted"),
        ] {
            let (reply, _) = cuts::read(&ANTHROPIC, &request(), &[stream.as_bytes()]);
            assert_eq!(reply.outcome.unwrap_err().kind(), kind, "{stream}");
        }
    }
}
