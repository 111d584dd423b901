//! Reads the chunks of a chat completion's stream.

use serde_json::Value;

use super::decode::{self, MessageContent};
use crate::error::CallError;
use crate::provider::failure::{ended_early, event_data, model_name, of_error_object, short, within_success};
use crate::provider::{ModelRequest, Reply, StreamReader, Unreadable, Usage};
use crate::stream::Frame;

/// Reads one stream. The answer ends with the chunk that contains the finish reason. The usage comes with it or after
/// it, followed by `[DONE]`, which some servers omit.
pub(super) struct Reader<'a> {
    request: &'a ModelRequest,
    request_id: Option<String>,
    model: Option<String>,
    refusal: String,
    finish: Option<String>,
    usage: Option<Usage>,
    failure: Option<CallError>,
    is_done: bool,
    has_begun: bool,
    /// The last piece was reasoning, which an answer should follow.
    is_reasoning: bool,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(request: &'a ModelRequest) -> Self {
        Self {
            request,
            request_id: None,
            model: None,
            refusal: String::new(),
            finish: None,
            usage: None,
            failure: None,
            is_done: false,
            has_begun: false,
            is_reasoning: false,
        }
    }
}

impl StreamReader for Reader<'_> {
    fn event(&mut self, frame: &Frame) -> Result<Option<String>, Unreadable> {
        match frame.data.trim() {
            "" => return Ok(None),
            "[DONE]" => {
                self.is_done = true;
                return Ok(None);
            }
            _ => {}
        }
        let data = event_data(frame)?;
        let named = || (frame.event == "error").then(|| of_error_object(&data));
        if let Some(error) = within_success(&data).or_else(named) {
            self.failure = Some(error);
            return Ok(None);
        }
        self.request_id = self.request_id.take().or_else(|| data["id"].as_str().map(short));
        self.model = self.model.take().or_else(|| model_name(&data["model"]));
        // Some servers send a cumulative usage with each chunk: the last one is used, even if implausible.
        if data["usage"].is_object() {
            self.usage = decode::usage(&data["usage"]);
        }
        let is_first = |index: &Value| index.is_null() || *index == 0;
        let choices = data["choices"].as_array();
        let Some(choice) = choices.and_then(|choices| choices.iter().find(|choice| is_first(&choice["index"]))) else {
            return Ok(None);
        };
        if let Some(reason) = choice["finish_reason"].as_str().filter(|reason| !reason.is_empty()) {
            self.finish = Some(short(reason));
        }
        let MessageContent { text, refusal } = MessageContent::of(&choice["delta"]);
        self.refusal.push_str(&refusal);
        self.has_begun = true;
        self.is_reasoning = text.is_empty() && (self.is_reasoning || has_reasoning(&choice["delta"]));
        Ok(Some(text).filter(|text| !text.is_empty()))
    }

    fn is_over(&self) -> bool {
        self.is_done || self.failure.is_some()
    }

    fn may_end_without_final_event(&self) -> bool {
        let has_no_end = !self.is_over() && self.finish.is_none() && self.refusal.is_empty();
        has_no_end && self.has_begun && !self.is_reasoning
    }

    fn close(&mut self, text: &str, broken: Option<CallError>) -> Reply {
        let request_id = self.request_id.take();
        if let Some(error) = self.failure.take() {
            return Reply { usage: self.usage, ..Reply::failed(error, request_id) };
        }
        if !self.is_done && self.finish.is_none() {
            return Reply::failed(broken.unwrap_or_else(ended_early), request_id);
        }
        let outcome =
            decode::outcome_of(self.request, text, &self.refusal, self.finish.as_deref(), self.usage.as_ref());
        Reply { outcome, usage: self.usage, request_id, model: self.model.take() }
    }
}

/// Returns whether a piece is reasoning: servers name the field differently.
fn has_reasoning(delta: &Value) -> bool {
    let fields = ["reasoning_content", "reasoning"];
    fields.into_iter().any(|field| delta[field].as_str().is_some_and(|text| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::AnswerFormat;
    use crate::stream::Framing;

    /// Returns the reply to a stream of these bytes, the number of unreadable events, and whether reading stopped at
    /// its end.
    fn read(stream: &str, broken: Option<CallError>) -> (Reply, u32, bool) {
        let request = ModelRequest::question("m", String::new(), String::new(), AnswerFormat::Json, 100);
        let mut reader = Reader::new(&request);
        let (mut text, mut unreadable) = (String::new(), 0);
        for frame in Framing::ServerSentEvents.decoder().push(stream.as_bytes()).unwrap() {
            match reader.event(&frame) {
                Ok(piece) => text.extend(piece),
                Err(_) => unreadable += 1,
            }
        }
        let is_over = reader.is_over();
        (reader.close(&text, broken), unreadable, is_over)
    }

    fn chunk(fields: &str) -> String {
        format!("data: {{\"id\":\"c-1\",\"object\":\"chat.completion.chunk\",\"model\":\"m-2026\",{fields}}}\n\n")
    }

    fn delta(text: &str) -> String {
        chunk(&format!("\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":null}}]"))
    }

    fn stop(reason: &str) -> String {
        chunk(&format!("\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{reason}\"}}]"))
    }

    const USAGE: &str = "\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3,\"total_tokens\":10}";
    const DONE: &str = "data: [DONE]\n\n";

    fn whole() -> String {
        let role =
            chunk("\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":null}}],\"usage\":null");
        let last = chunk(&format!("\"choices\":[],{USAGE}"));
        [&role, ": ping\n\ndata:\n\n", &delta("{"), &delta("}"), &stop("stop"), &last, DONE].concat()
    }

    #[test]
    fn deltas_make_the_answer_and_the_last_chunk_tells_the_usage() {
        let (reply, unreadable, is_over) = read(&whole(), None);
        assert_eq!((reply.outcome, unreadable, is_over), (Ok("{}".to_owned()), 0, true));
        assert_eq!(reply.usage.map(|usage| (usage.input_tokens, usage.output_tokens)), Some((7, 3)));
        assert_eq!(reply.request_id.as_deref(), Some("c-1"));
        assert_eq!(reply.model.as_deref(), Some("m-2026"));
    }

    #[test]
    fn an_answer_that_was_finished_is_whole_without_the_last_word() {
        let stream = whole().replace(DONE, "");
        for broken in [None, Some(CallError::Stalled(1))] {
            let (reply, _, is_over) = read(&stream, broken);
            assert_eq!((reply.outcome, is_over), (Ok("{}".to_owned()), false));
            assert!(reply.usage.is_some());
        }
        let on_the_last_choice = chunk(&format!("\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"stop\"}}],{USAGE}"));
        let (reply, ..) = read(&[&delta("{}"), on_the_last_choice.as_str()].concat(), None);
        assert_eq!(reply.outcome, Ok("{}".to_owned()));
        assert!(reply.usage.is_some());
    }

    #[test]
    fn an_answer_that_was_not_finished_is_none() {
        let (reply, ..) = read(&delta("{}"), None);
        assert_eq!(reply.outcome.unwrap_err().kind(), "interrupted");
        let (reply, ..) = read(&delta("{}"), Some(CallError::Stalled(3)));
        assert_eq!((reply.outcome, reply.usage), (Err(CallError::Stalled(3)), None));
        let (reply, ..) = read("", None);
        assert_eq!(reply.outcome.unwrap_err().kind(), "interrupted");
    }

    #[test]
    fn lines_may_end_without_a_final_event_unless_something_else_ended_them() {
        let thought = chunk("\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"hm\"}}]");
        let refused = chunk("\"choices\":[{\"index\":0,\"delta\":{\"refusal\":\"No.\"}}]");
        let error = "data: {\"error\":{\"message\":\"why\",\"code\":429}}\n\n";
        for (stream, may_end) in [
            (delta("{}"), true),
            (format!("{thought}{}", delta("{}")), true),
            (delta(""), true),
            (String::new(), false),
            (thought, false),
            (refused, false),
            (format!("{}{error}", delta("{}")), false),
            (format!("{}{}", delta("{}"), stop("length")), false),
        ] {
            let request = ModelRequest::question("m", String::new(), String::new(), AnswerFormat::Text, 100);
            let mut reader = Reader::new(&request);
            for frame in Framing::ServerSentEvents.decoder().push(stream.as_bytes()).unwrap() {
                reader.event(&frame).unwrap();
            }
            assert_eq!(reader.may_end_without_final_event(), may_end, "{stream}");
        }
    }

    #[test]
    fn an_error_ends_it_however_it_is_told() {
        for (event, kind) in [
            ("data: {\"error\":{\"message\":\"why\",\"code\":429}}\n\n", "rate_limited"),
            ("data: {\"error\":{\"message\":\"why\",\"code\":\"500\"}}\n\n", "server_error"),
            ("error: {\"code\":500,\"message\":\"why\",\"type\":\"server_error\"}\n\n", "server_error"),
            ("event: error\ndata: {\"message\":\"why\",\"type\":\"overloaded_error\"}\n\n", "overloaded"),
            ("data: {\"object\":\"error\",\"message\":\"why\",\"code\":400}\n\n", "refused_request"),
        ] {
            let (reply, _, is_over) = read(&[&delta("{"), event].concat(), None);
            let error = reply.outcome.unwrap_err();
            assert_eq!((error.kind(), is_over), (kind, true), "{event}");
            assert!(error.to_string().contains("why"), "{error}");
        }
    }

    #[test]
    fn why_it_stopped_counts_and_so_does_a_refusal() {
        let kind = |stream: String| read(&stream, None).0.outcome.unwrap_err().kind();
        assert_eq!(kind([&delta("{"), stop("length").as_str(), DONE].concat()), "truncated");
        assert_eq!(kind([&delta("{"), stop("content_filter").as_str(), DONE].concat()), "filtered");
        let no = chunk("\"choices\":[{\"index\":0,\"delta\":{\"refusal\":\"No.\"}}]");
        assert_eq!(kind([&no, stop("stop").as_str(), DONE].concat()), "declined");
        assert_eq!(kind([&stop("stop"), DONE].concat()), "invalid_answer");
    }

    #[test]
    fn what_cannot_be_read_or_is_of_another_choice_is_passed_over() {
        let other = chunk("\"choices\":[{\"index\":1,\"delta\":{\"content\":\"other\"},\"finish_reason\":\"length\"}]");
        let odd = "data: nonsense\n\ndata: [1]\n\ndata: 7\n\ndata: {\"choices\":7}\n\n";
        let (reply, unreadable, _) = read(&[&other, odd, &whole()].concat(), None);
        assert_eq!((reply.outcome, unreadable), (Ok("{}".to_owned()), 1));
    }

    #[test]
    fn the_last_usage_counts_even_if_it_cannot_be_true() {
        let up = chunk(&format!("\"choices\":[],{USAGE}"));
        let down = chunk("\"choices\":[],\"usage\":{\"prompt_tokens\":-7,\"completion_tokens\":3}");
        let (reply, ..) = read(&[&up, &delta("{}"), &stop("stop"), &down, DONE].concat(), None);
        assert_eq!((reply.outcome, reply.usage), (Ok("{}".to_owned()), None));
    }
}
