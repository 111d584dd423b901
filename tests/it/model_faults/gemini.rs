//! Gemini's `generateContent`, from the server's side.

use serde_json::{Value, json};

use super::dialects::{Answer, Dialect, Ending, events};

pub struct GenerateContent;

impl GenerateContent {
    const fn finish(answer: &Answer) -> &'static str {
        match answer.end {
            Ending::AtLimit => "MAX_TOKENS",
            Ending::Filtered => "SAFETY",
            Ending::Complete | Ending::Refused | Ending::Unsaid => "STOP",
        }
    }

    fn piece(text: &str) -> Value {
        json!({ "responseId": "r1",
                "candidates": [{ "index": 0, "content": { "role": "model", "parts": [{ "text": text }] } }] })
    }

    fn last(answer: &Answer, text: &str) -> Value {
        let mut last = Self::piece(text);
        last["candidates"][0]["finishReason"] = Self::finish(answer).into();
        last["usageMetadata"] = answer.usage("promptTokenCount", "candidatesTokenCount");
        last
    }
}

impl Dialect for GenerateContent {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn path(&self) -> &'static str {
        "/v1beta"
    }

    fn key_header(&self) -> (&'static str, &'static str) {
        ("x-goog-api-key", "")
    }

    fn stream_type(&self) -> &'static str {
        "text/event-stream"
    }

    fn error(&self, status: u16, word: &str, message: &str) -> Value {
        let why = if word == "insufficient_quota" { "Your prepayment credits are depleted" } else { "On order" };
        let name = if status == 429 { "RESOURCE_EXHAUSTED".to_owned() } else { word.to_uppercase() };
        json!({ "error": { "code": status, "message": format!("{why}: {message}"), "status": name } })
    }

    fn whole(&self, answer: &Answer) -> Value {
        Self::last(answer, &answer.text)
    }

    fn stream(&self, answer: &Answer) -> String {
        let mut said: Vec<_> = answer.pieces().iter().map(|text| Self::piece(text)).collect();
        if answer.end != Ending::Unsaid {
            said.push(Self::last(answer, ""));
        }
        events(&said)
    }

    fn failing_stream(&self, message: &str) -> String {
        events(&[Self::piece("{"), self.failing_whole(message)])
    }

    fn failing_whole(&self, message: &str) -> Value {
        json!({ "error": { "code": 500, "message": message, "status": "INTERNAL" } })
    }

    fn cannot_say(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("refusal", "what it declines is filtered, or a text like any other"),
            ("all of it thoughts", "it says `MAX_TOKENS`, as when truncated"),
        ]
    }
}
