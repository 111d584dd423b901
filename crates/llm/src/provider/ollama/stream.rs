//! Reads the lines of Ollama's stream.

use serde_json::Value;

use super::decode;
use crate::error::CallError;
use crate::provider::failure::{ended_early, event_data, within_success};
use crate::provider::{ModelRequest, Reply, StreamReader, Unreadable};
use crate::stream::Frame;

/// Reads one stream, which ends with a line that has `done` set.
pub(super) struct Reader<'a> {
    request: &'a ModelRequest,
    /// The last line, or the error in its place.
    last: Option<Result<Value, CallError>>,
    has_begun: bool,
    /// The last piece was thinking, which an answer should follow.
    is_thinking: bool,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(request: &'a ModelRequest) -> Self {
        Self { request, last: None, has_begun: false, is_thinking: false }
    }
}

impl StreamReader for Reader<'_> {
    fn event(&mut self, frame: &Frame) -> Result<Option<String>, Unreadable> {
        let data = event_data(frame)?;
        if let Some(error) = within_success(&data) {
            self.last = Some(Err(error));
            return Ok(None);
        }
        let text = decode::text(&data).filter(|text| !text.is_empty()).map(str::to_owned);
        let has_thought = data["message"]["thinking"].as_str().is_some_and(|thought| !thought.is_empty());
        self.has_begun |= data["message"].is_object() || data["response"].is_string();
        self.is_thinking = text.is_none() && (self.is_thinking || has_thought);
        if data["done"] == true {
            self.last = Some(Ok(data));
        }
        Ok(text)
    }

    fn is_over(&self) -> bool {
        self.last.is_some()
    }

    fn may_end_without_final_event(&self) -> bool {
        !self.is_over() && self.has_begun && !self.is_thinking
    }

    fn close(&mut self, text: &str, broken: Option<CallError>) -> Reply {
        let error = match self.last.take() {
            Some(Ok(last)) => return decode::last(self.request, &last, text),
            Some(Err(error)) => error,
            None => broken.unwrap_or_else(ended_early),
        };
        Reply::failed(error, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::AnswerFormat;

    fn read(lines: &[&str], broken: Option<CallError>) -> (Reply, String, usize) {
        let request = ModelRequest::question("m", String::new(), String::new(), AnswerFormat::Json, 100);
        let mut reader = Reader::new(&request);
        let mut text = String::new();
        let mut unreadable = 0;
        for line in lines {
            match reader.event(&Frame { event: String::new(), data: (*line).to_owned() }) {
                Ok(piece) => text.extend(piece),
                Err(_) => unreadable += 1,
            }
        }
        (reader.close(&text, broken), text, unreadable)
    }

    const BEGUN: &str = r#"{"model":"m","message":{"role":"assistant","content":"{"},"done":false}"#;
    const THOUGHT: &str = r#"{"model":"m","message":{"role":"assistant","content":"","thinking":"hm"},"done":false}"#;
    const DONE: &str = r#"{"model":"m","message":{"role":"assistant","content":"}"},"done":true,"done_reason":"stop",
        "prompt_eval_count":11,"eval_count":2}"#;

    #[test]
    fn lines_make_the_answer_and_the_last_tells_the_usage() {
        let (reply, text, unreadable) = read(&[THOUGHT, BEGUN, "nonsense", "[7]", DONE], None);
        assert_eq!((reply.outcome, text.as_str(), unreadable), (Ok("{}".to_owned()), "{}", 1));
        assert_eq!(reply.usage.map(|usage| (usage.input_tokens, usage.output_tokens)), Some((11, 2)));
        assert_eq!(reply.model.as_deref(), Some("m"));
    }

    #[test]
    fn lines_of_one_prompt_are_read_alike() {
        let begun = r#"{"model":"m","response":"{","done":false}"#;
        let done =
            r#"{"model":"m","response":"}","done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":2}"#;
        let (reply, text, unreadable) = read(&[begun, done], None);
        assert_eq!((reply.outcome, text.as_str(), unreadable), (Ok("{}".to_owned()), "{}", 0));
    }

    #[test]
    fn an_answer_that_is_not_done_is_none() {
        assert_eq!(read(&[BEGUN], None).0.outcome.unwrap_err().kind(), "interrupted");
        assert_eq!(read(&[BEGUN], Some(CallError::Stalled(2))).0.outcome, Err(CallError::Stalled(2)));
        let cut = DONE.replace("\"stop\"", "\"length\"");
        assert_eq!(read(&[BEGUN, &cut], None).0.outcome, Err(CallError::Truncated(100)));
    }

    #[test]
    fn lines_may_end_without_a_final_event_unless_something_else_ended_them() {
        let error = r#"{"error":"the runner has stopped"}"#;
        for (lines, may_end) in [
            (&[BEGUN][..], true),
            (&[THOUGHT, BEGUN], true),
            (&[], false),
            (&["[7]"], false),
            (&[THOUGHT], false),
            (&[BEGUN, THOUGHT], false),
            (&[BEGUN, error], false),
            (&[BEGUN, DONE], false),
        ] {
            let request = ModelRequest::question("m", String::new(), String::new(), AnswerFormat::Text, 100);
            let mut reader = Reader::new(&request);
            for line in lines {
                reader.event(&Frame { event: String::new(), data: (*line).to_owned() }).unwrap();
            }
            assert_eq!(reader.may_end_without_final_event(), may_end, "{lines:?}");
        }
    }

    #[test]
    fn an_error_ends_it() {
        let (reply, text, _) = read(&[BEGUN, r#"{"error":"the runner has stopped\u0007"}"#], None);
        let error = CallError::Server { status: 200, message: "the runner has stopped".to_owned() };
        assert_eq!((reply.outcome, text.as_str(), reply.usage), (Err(error), "{", None));
    }
}
