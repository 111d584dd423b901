//! How each dialect says what a server can say. A further dialect is one more implementation, named in [`ALL`].

use serde_json::{Value, json};

use super::anthropic::Messages;
use super::gemini::GenerateContent;

/// What goes in and comes out of a model, however it is said.
#[derive(Debug, Clone)]
pub struct Answer {
    pub text: String,
    pub end: Ending,
    /// Input and output tokens; none: not a word of them.
    pub usage: Option<(Value, Value)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Complete,
    /// Cut off at the limit, and told so.
    AtLimit,
    /// The text is the words of a refusal.
    Refused,
    Filtered,
    /// The stream ends before the answer does.
    Unsaid,
}

impl Answer {
    /// As a model writes it: in pieces that end anywhere.
    pub fn pieces(&self) -> Vec<String> {
        let letters: Vec<char> = self.text.chars().collect();
        letters.chunks(5).map(|piece| piece.iter().collect()).collect()
    }

    pub fn usage(&self, input: &str, output: &str) -> Value {
        self.usage.as_ref().map_or(Value::Null, |(read, written)| json!({ input: read, output: written }))
    }
}

/// A dialect, from the server's side.
pub trait Dialect: Sync {
    /// As `provider::by_name` knows it.
    fn name(&self) -> &'static str;
    fn path(&self) -> &'static str;
    fn key_header(&self) -> (&'static str, &'static str);
    /// Where streams are said to be such.
    fn stream_type(&self) -> &'static str;
    /// The body that comes with an error's status. `word` is the provider's own for it.
    fn error(&self, status: u16, word: &str, message: &str) -> Value;
    /// An answer in one piece.
    fn whole(&self, answer: &Answer) -> Value;
    /// The same as a stream, up to the end that it has.
    fn stream(&self, answer: &Answer) -> String;
    /// A stream that has begun with a piece of text and then fails.
    fn failing_stream(&self, message: &str) -> String;
    /// A body that fails although the status is a success.
    fn failing_whole(&self, message: &str) -> Value;
    /// Rows of the table that it has no way to say, and why.
    fn cannot_say(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }
}

pub const ALL: [&dyn Dialect; 5] = [&Responses, &ChatCompletions, &Messages, &GenerateContent, &Ollama];

const BEARER: (&str, &str) = ("authorization", "Bearer ");

pub fn events(values: &[Value]) -> String {
    values.iter().flat_map(|value| ["data: ".to_owned(), value.to_string(), "\n\n".to_owned()]).collect()
}

struct Responses;

impl Responses {
    fn response(answer: &Answer) -> Value {
        let part = match answer.end {
            Ending::Refused => json!({ "type": "refusal", "refusal": answer.text }),
            _ => json!({ "type": "output_text", "text": answer.text, "annotations": [] }),
        };
        let reason = match answer.end {
            Ending::AtLimit => Some("max_output_tokens"),
            Ending::Filtered => Some("content_filter"),
            _ => None,
        };
        json!({
            "id": "resp_1", "object": "response", "status": if reason.is_some() { "incomplete" } else { "completed" },
            "error": null, "incomplete_details": reason.map(|reason| json!({ "reason": reason })),
            "output": [{ "type": "message", "role": "assistant", "content": [part] }],
            "usage": answer.usage("input_tokens", "output_tokens"),
        })
    }

    fn created() -> Value {
        json!({ "type": "response.created", "response": { "id": "resp_1" } })
    }
}

impl Dialect for Responses {
    fn name(&self) -> &'static str {
        "openai"
    }

    fn path(&self) -> &'static str {
        "/v1/responses"
    }

    fn key_header(&self) -> (&'static str, &'static str) {
        BEARER
    }

    fn stream_type(&self) -> &'static str {
        "text/event-stream; charset=utf-8"
    }

    fn error(&self, _: u16, word: &str, message: &str) -> Value {
        json!({ "error": { "message": message, "type": word, "param": null, "code": word } })
    }

    fn whole(&self, answer: &Answer) -> Value {
        Self::response(answer)
    }

    fn stream(&self, answer: &Answer) -> String {
        let delta = |text: String| json!({ "type": "response.output_text.delta", "delta": text });
        let mut said = vec![Self::created()];
        if answer.end != Ending::Refused {
            said.extend(answer.pieces().into_iter().map(delta));
        }
        match answer.end {
            Ending::Unsaid => {}
            Ending::AtLimit | Ending::Filtered => {
                said.push(json!({ "type": "response.incomplete", "response": Self::response(answer) }));
            }
            Ending::Complete | Ending::Refused => {
                said.push(json!({ "type": "response.completed", "response": Self::response(answer) }));
            }
        }
        events(&said)
    }

    fn failing_stream(&self, message: &str) -> String {
        let delta = json!({ "type": "response.output_text.delta", "delta": "{" });
        events(&[Self::created(), delta, json!({ "type": "error", "code": "server_error", "message": message })])
    }

    fn failing_whole(&self, message: &str) -> Value {
        json!({ "id": "resp_1", "status": "failed", "error": { "code": "server_error", "message": message }, "output": [] })
    }
}

struct ChatCompletions;

impl ChatCompletions {
    fn chunk(delta: &Value, finish: Option<&str>) -> Value {
        json!({ "id": "c_1", "object": "chat.completion.chunk",
                "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] })
    }

    const fn finish(answer: &Answer) -> Option<&'static str> {
        match answer.end {
            Ending::Complete | Ending::Refused => Some("stop"),
            Ending::AtLimit => Some("length"),
            Ending::Filtered => Some("content_filter"),
            Ending::Unsaid => None,
        }
    }

    const fn field(answer: &Answer) -> &'static str {
        if matches!(answer.end, Ending::Refused) { "refusal" } else { "content" }
    }
}

impl Dialect for ChatCompletions {
    fn name(&self) -> &'static str {
        "openai_compatible"
    }

    fn path(&self) -> &'static str {
        "/v1/chat/completions"
    }

    fn key_header(&self) -> (&'static str, &'static str) {
        BEARER
    }

    fn stream_type(&self) -> &'static str {
        "text/event-stream"
    }

    fn error(&self, status: u16, word: &str, message: &str) -> Value {
        json!({ "error": { "message": message, "type": word, "param": null, "code": status } })
    }

    fn whole(&self, answer: &Answer) -> Value {
        let mut message = json!({ "role": "assistant", "content": null, "refusal": null });
        message[Self::field(answer)] = answer.text.as_str().into();
        json!({ "id": "c_1", "object": "chat.completion", "usage": answer.usage("prompt_tokens", "completion_tokens"),
                "choices": [{ "index": 0, "message": message, "finish_reason": Self::finish(answer) }] })
    }

    fn stream(&self, answer: &Answer) -> String {
        let mut said = vec![Self::chunk(&json!({ "role": "assistant", "content": "" }), None)];
        said.extend(answer.pieces().into_iter().map(|text| Self::chunk(&json!({ Self::field(answer): text }), None)));
        let Some(finish) = Self::finish(answer) else { return events(&said) };
        said.push(Self::chunk(&json!({}), Some(finish)));
        said.push(json!({ "id": "c_1", "choices": [], "usage": answer.usage("prompt_tokens", "completion_tokens") }));
        events(&said) + "data: [DONE]\n\n"
    }

    fn failing_stream(&self, message: &str) -> String {
        events(&[Self::chunk(&json!({ "content": "{" }), None), self.failing_whole(message)])
    }

    fn failing_whole(&self, message: &str) -> Value {
        json!({ "error": { "message": message, "type": "server_error", "code": "500" } })
    }
}

struct Ollama;

impl Ollama {
    fn line(text: &str, more: &[(&str, Value)]) -> Value {
        let mut line = json!({ "model": "m", "created_at": "2026-11-22T08:00:00Z",
                               "message": { "role": "assistant", "content": text } });
        for (name, value) in more {
            line[*name] = value.clone();
        }
        line
    }

    fn last(answer: &Answer, text: &str) -> Value {
        let reason = if answer.end == Ending::AtLimit { "length" } else { "stop" };
        let mut more = vec![("done", json!(true)), ("done_reason", json!(reason))];
        if let Some((input, output)) = &answer.usage {
            more.extend([("prompt_eval_count", input.clone()), ("eval_count", output.clone())]);
        }
        Self::line(text, &more)
    }
}

impl Dialect for Ollama {
    fn name(&self) -> &'static str {
        "ollama"
    }

    fn path(&self) -> &'static str {
        "/api/chat"
    }

    fn key_header(&self) -> (&'static str, &'static str) {
        BEARER
    }

    fn stream_type(&self) -> &'static str {
        "application/x-ndjson"
    }

    fn error(&self, _: u16, _: &str, message: &str) -> Value {
        json!({ "error": message })
    }

    fn whole(&self, answer: &Answer) -> Value {
        Self::last(answer, &answer.text)
    }

    fn stream(&self, answer: &Answer) -> String {
        let pieces = answer.pieces();
        let mut said: Vec<_> = pieces.iter().map(|text| Self::line(text, &[("done", json!(false))])).collect();
        if answer.end != Ending::Unsaid {
            said.push(Self::last(answer, ""));
        }
        said.iter().flat_map(|line| [line.to_string(), "\n".to_owned()]).collect()
    }

    fn failing_stream(&self, message: &str) -> String {
        format!("{}\n{}\n", Self::line("{", &[("done", json!(false))]), self.failing_whole(message))
    }

    fn failing_whole(&self, message: &str) -> Value {
        json!({ "error": message })
    }

    fn cannot_say(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("quota used up", "its errors are words without codes, and an own server has no account"),
            ("refusal", "it has no field for a refusal: one is a text like any other"),
            ("filtered", "it filters nothing"),
        ]
    }
}
