//! The triage verdict on a story (`schemas/triage_v1.json`).

use serde::{Deserialize, Serialize};

/// A stored triage answer: the model's fields and the four that the gateway adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    pub schema_version: String,
    pub prompt_id: String,
    pub provider: String,
    pub model: String,
    /// 0–20 noise · 21–50 mildly interesting · 51–80 worth reading · 81–100 rare, likely "aha".
    pub aha_score: u8,
    pub reason: String,
    pub is_relevant: bool,
    pub is_novel: bool,
    pub categories: Vec<String>,
    pub should_deep_summarize: bool,
}
