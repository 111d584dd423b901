//! Models that answer only as a stream. They are detected by their server's refusal of a non-streaming request, and
//! remembered for the lifetime of the process. Called by `exchange`; the next request to the model is then a stream.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use super::error::CallError;

/// The models of one server that are known to require a stream, by their names there.
#[derive(Debug, Default)]
pub struct StreamingOnly(Mutex<BTreeSet<String>>);

impl StreamingOnly {
    #[must_use]
    pub fn is_known(&self, model: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(model)
    }

    pub(super) fn remember(&self, model: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(model.to_owned());
    }
}

/// Phrases of servers that require a stream.
const REQUIRES_STREAM: [&str; 14] = [
    "only support",
    "only available",
    "only work",
    "only allow",
    "require",
    "must be",
    "must set",
    "must use",
    "please enable",
    "please use",
    "please set",
    "stream=true",
    "set stream",
    "enable stream",
];

/// Phrases of servers that do not support streams.
const NO_STREAMS: [&str; 7] =
    ["not support", "unsupported", "unknown", "unrecognized", "must be false", "not allowed", "not permitted"];

/// Returns the message of a refusal (400 or 422) of a non-streaming request, if it shows that the model requires a
/// stream.
pub(super) fn stream_requirement(error: &CallError) -> Option<&str> {
    let CallError::Refused { status: 400 | 422, message } = error else { return None };
    let words = message.to_lowercase();
    let contains_any = |list: &[&str]| list.iter().any(|part| words.contains(part));
    let refuses_non_streaming = contains_any(&["non-stream", "non stream", "nonstream"]);
    let requires_stream = words.contains("stream") && contains_any(&REQUIRES_STREAM) && !contains_any(&NO_STREAMS);
    (refuses_non_streaming || requires_stream).then_some(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_that_wants_a_stream_is_told_from_others() {
        for (message, expected) in [
            ("This model only support stream mode, please enable the stream parameter to access the model. ", true),
            ("parameter.enable_thinking must be set to false for non-streaming calls", true),
            ("Stream must be set to true", true),
            ("Streaming is required for operations that may take longer than 10 minutes", true),
            ("Non-streaming requests are not supported for this model.", true),
            ("streaming is not supported by this model", false),
            ("Unknown parameter: 'stream_options'", false),
            ("the context is too long", false),
            ("max_tokens must be at most 4096", false),
        ] {
            let error = CallError::Refused { status: 400, message: message.to_owned() };
            assert_eq!(stream_requirement(&error).is_some(), expected, "{message}");
        }
        let elsewhere = CallError::Server { status: 500, message: "Stream must be set to true".to_owned() };
        assert_eq!(stream_requirement(&elsewhere), None);
    }
}
