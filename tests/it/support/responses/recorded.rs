//! What a real server once answered, from `tests/it/recorded`.

use serde_json::Value;

use crate::support::radar::repository;

/// The status and the body of a recorded exchange, by the file's name without `.json`.
pub fn read(name: &str) -> (u16, Value) {
    let path = repository(&format!("tests/it/recorded/{name}.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut exchange: Value = serde_json::from_str(&text).unwrap();
    let status = exchange["response"]["status"].as_u64().unwrap();
    (u16::try_from(status).unwrap(), exchange["response"]["body"].take())
}

/// The tokens that it says it used, in and out.
pub fn tokens(body: &Value) -> (u64, u64) {
    let used = |name: &str| body["usage"][name].as_u64().unwrap_or(0);
    (used("input_tokens"), used("output_tokens"))
}
