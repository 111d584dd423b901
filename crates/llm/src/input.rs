//! What a task is asked about. Serialised, it is what an answer's input hash is taken of.

use aha_core::digest::Evidence;
use aha_core::time::Timestamp;
use aha_net::hash::hex32;
use serde::Serialize;
use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "task", rename_all = "snake_case")]
pub enum TaskInput {
    Triage(TriageInput),
    DeepSummary(SummaryInput),
    ManualSummary(SummaryInput),
    EntityExtract(SummaryInput),
    SignalParse(SignalInput),
}

/// A story put up for triage: the contract's five inputs, the owner's interests, and the facts that `local` judges by.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TriageInput {
    pub title: String,
    pub body: String,
    pub members: Vec<MemberInput>,
    /// Kinds of the sources that tell it (`feed`, …).
    pub provenance: Vec<String>,
    /// Likes and dislikes in words; empty while there are none.
    pub preference_summary: String,
    pub interests: String,
    /// The feeds' own categories.
    pub categories: Vec<String>,
    /// When an earlier digest showed the story.
    pub continues_since: Option<Timestamp>,
    pub evidence: Evidence,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemberInput {
    pub title: String,
    pub url: Option<String>,
    pub source: String,
}

/// A story, or a pasted text, put up for a summary or to have its entities named.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SummaryInput {
    pub title: String,
    /// The members' headlines: what several say weighs more when a sentence is chosen.
    pub headlines: Vec<String>,
    /// The members' texts with their sources' names, the representative's first; none is empty.
    pub texts: Vec<(String, String)>,
    pub discussions: Vec<String>,
    pub interests: String,
    pub evidence: Evidence,
}

/// A result of a search, put up to have its fields told apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SignalInput {
    /// As the service returned it.
    pub result: Value,
    /// What it returned beside it that the result refers to, such as its author.
    pub related: Vec<Value>,
}

impl TaskInput {
    /// First 32 hexadecimal digits of the SHA-256 of the serialised input.
    #[must_use]
    pub fn hash(&self) -> String {
        let bytes = serde_json::to_vec(self).unwrap_or_default();
        hex32(&bytes)
    }
}
