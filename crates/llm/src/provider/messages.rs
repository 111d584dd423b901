//! A conversation as a list of roles and contents, shared by OpenAI's APIs and Ollama's.

use std::borrow::Cow;

use serde::Serialize;

use super::{ModelRequest, Turn};

/// One message of a conversation.
#[derive(Debug, Serialize)]
pub(super) struct Message<'a> {
    role: &'static str,
    content: Cow<'a, str>,
}

impl<'a> From<&'a Turn> for Message<'a> {
    fn from(turn: &'a Turn) -> Self {
        Self { role: turn.role.as_str(), content: Cow::Borrowed(&turn.content) }
    }
}

/// Returns all turns.
pub(super) fn of_turns(request: &ModelRequest) -> Vec<Message<'_>> {
    request.turns.iter().map(Message::from).collect()
}

/// Returns the system prompt, if any, and all turns.
pub(super) fn with_system(request: &ModelRequest) -> Vec<Message<'_>> {
    let system = Some(request.system_in_words()).filter(|system| !system.is_empty());
    let system = system.map(|content| Message { role: "system", content });
    system.into_iter().chain(request.turns.iter().map(Message::from)).collect()
}
