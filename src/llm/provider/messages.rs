//! A conversation as a list of roles and contents, which OpenAI's interfaces and Ollama's have in common.

use serde_json::{Value, json};

use super::{ModelRequest, Turn};

/// All turns.
pub(super) fn of_turns(request: &ModelRequest) -> Vec<Value> {
    request.turns.iter().map(message).collect()
}

/// The system prompt, if any, and all turns.
pub(super) fn with_system(request: &ModelRequest) -> Vec<Value> {
    let system = Some(request.system_in_words()).filter(|system| !system.is_empty());
    let system = system.map(|content| json!({ "role": "system", "content": content }));
    system.into_iter().chain(of_turns(request)).collect()
}

fn message(turn: &Turn) -> Value {
    json!({ "role": turn.role.as_str(), "content": turn.content })
}
