//! Anthropic's Messages, from the server's side.

use serde_json::{Value, json};

use super::dialects::{Answer, Dialect, Ending, events};

pub struct Messages;

impl Messages {
    const fn reason(answer: &Answer) -> &'static str {
        match answer.end {
            Ending::AtLimit => "max_tokens",
            Ending::Refused => "refusal",
            Ending::Complete | Ending::Filtered | Ending::Unsaid => "end_turn",
        }
    }

    /// Why it ended, with the words of a refusal.
    fn end(answer: &Answer) -> Value {
        let explanation = (answer.end == Ending::Refused).then_some(&answer.text);
        json!({ "stop_reason": Self::reason(answer), "stop_details": { "explanation": explanation } })
    }

    fn delta(text: &str) -> Value {
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } })
    }

    fn start(usage: &Value) -> Value {
        json!({ "type": "message_start", "message": { "id": "msg_1", "usage": usage } })
    }
}

impl Dialect for Messages {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn path(&self) -> &'static str {
        "/v1/messages"
    }

    fn key_header(&self) -> (&'static str, &'static str) {
        ("x-api-key", "")
    }

    fn stream_type(&self) -> &'static str {
        "text/event-stream; charset=utf-8"
    }

    fn error(&self, _: u16, word: &str, message: &str) -> Value {
        let why = if word == "insufficient_quota" { "Your credit balance is too low" } else { "On order" };
        json!({ "type": "error", "error": { "type": word, "message": format!("{why}: {message}") } })
    }

    fn whole(&self, answer: &Answer) -> Value {
        let mut message = json!({
            "id": "msg_1", "type": "message", "role": "assistant", "content": [{ "type": "text", "text": answer.text }],
            "usage": answer.usage("input_tokens", "output_tokens"),
        });
        let end = Self::end(answer);
        message.as_object_mut().unwrap().extend(end.as_object().unwrap().clone());
        message
    }

    fn stream(&self, answer: &Answer) -> String {
        let usage = answer.usage("input_tokens", "output_tokens");
        let mut said = vec![Self::start(&usage)];
        said.push(
            json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
        );
        said.extend(answer.pieces().iter().map(|text| Self::delta(text)));
        if answer.end != Ending::Unsaid {
            said.push(json!({ "type": "content_block_stop", "index": 0 }));
            let written = json!({ "output_tokens": usage["output_tokens"] });
            said.push(json!({ "type": "message_delta", "delta": Self::end(answer), "usage": written }));
            said.push(json!({ "type": "message_stop" }));
        }
        events(&said)
    }

    fn failing_stream(&self, message: &str) -> String {
        events(&[Self::start(&Value::Null), Self::delta("{"), self.failing_whole(message)])
    }

    fn failing_whole(&self, message: &str) -> Value {
        json!({ "type": "error", "error": { "type": "api_error", "message": message } })
    }

    fn cannot_say(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("filtered", "what it withholds is a refusal"),
            ("all of it thoughts", "it says `max_tokens`, as when truncated"),
        ]
    }
}
