//! Reads the events of a Responses stream.

use serde_json::Value;

use super::decode;
use crate::error::CallError;
use crate::provider::failure::{ended_early, event_data, of_status, short};
use crate::provider::{ModelRequest, Reply, StreamReader, Unreadable};
use crate::stream::Frame;

/// Reads one stream.
pub(super) struct Reader<'a> {
    request: &'a ModelRequest,
    request_id: Option<String>,
    /// The complete response of the last event, or the error in its place.
    last: Option<Result<Value, CallError>>,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(request: &'a ModelRequest) -> Self {
        Self { request, request_id: None, last: None }
    }
}

impl StreamReader for Reader<'_> {
    fn event(&mut self, frame: &Frame) -> Result<Option<String>, Unreadable> {
        if frame.data == "[DONE]" {
            return Ok(None);
        }
        let mut data = event_data(frame)?;
        match data["type"].as_str().unwrap_or_default() {
            "response.created" => self.request_id = data["response"]["id"].as_str().map(short),
            "response.output_text.delta" => return Ok(data["delta"].as_str().map(str::to_owned)),
            "response.completed" | "response.incomplete" | "response.failed" => {
                self.last = Some(Ok(data["response"].take()));
            }
            "error" => {
                // Flat in OpenAI's API, nested in that of some servers.
                let error = if data["error"].is_object() { data } else { serde_json::json!({ "error": data }) };
                let status = match error["error"]["code"].as_str() {
                    Some("rate_limit_exceeded" | "insufficient_quota") => 429,
                    _ => 500,
                };
                self.last = Some(Err(of_status(status, &error, None)));
            }
            _ => {}
        }
        Ok(None)
    }

    fn is_over(&self) -> bool {
        self.last.is_some()
    }

    fn close(&mut self, _text: &str, broken: Option<CallError>) -> Reply {
        let request_id = self.request_id.take();
        let outcome = match self.last.take() {
            Some(Ok(response)) => return decode::whole(self.request, &response, request_id),
            Some(Err(error)) => error,
            None => broken.unwrap_or_else(ended_early),
        };
        Reply::failed(outcome, request_id)
    }
}
