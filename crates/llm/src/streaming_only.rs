//! Models that answer as a stream alone: found out by how their server refuses to answer in one piece, and remembered as long as the
//! process runs. Called by `exchange`; the next request to the model is a stream then.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use super::error::CallError;

/// The models of one server that are known to want a stream, as the server calls them.
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

/// What servers say that want a stream.
const WANTED: [&str; 14] = [
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

/// What servers say that do not stream.
const NOT_WANTED: [&str; 7] =
    ["not support", "unsupported", "unknown", "unrecognized", "must be false", "not allowed", "not permitted"];

/// The words of a refusal (400 or 422) of a request in one piece that say that the model wants a stream.
pub(super) fn wanted_by(error: &CallError) -> Option<&str> {
    let CallError::Refused { status: 400 | 422, message } = error else { return None };
    let words = message.to_lowercase();
    let names = |list: &[&str]| list.iter().any(|part| words.contains(part));
    let refuses_whole = names(&["non-stream", "non stream", "nonstream"]);
    let wants_stream = words.contains("stream") && names(&WANTED) && !names(&NOT_WANTED);
    (refuses_whole || wants_stream).then_some(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_that_wants_a_stream_is_told_from_others() {
        for (message, wants) in [
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
            assert_eq!(wanted_by(&error).is_some(), wants, "{message}");
        }
        let elsewhere = CallError::Server { status: 500, message: "Stream must be set to true".to_owned() };
        assert_eq!(wanted_by(&elsewhere), None);
    }
}
