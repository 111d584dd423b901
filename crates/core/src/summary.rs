//! A deep summary of a story (`schemas/deep_summary_v1.json`).

use serde::{Deserialize, Serialize};

/// The caveat of `local` on a story without a second source.
pub const SINGLE_SOURCE: &str = "A single source tells it.";

/// The source of a text that a user pasted, in quotes by `local`: the story's sources did not write it.
pub const PASTED_TEXT: &str = "text pasted by the user";

/// A stored deep summary: the model's fields and the four that the gateway adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    pub schema_version: String,
    pub prompt_id: String,
    pub provider: String,
    pub model: String,
    pub one_liner: String,
    pub bullets: Vec<String>,
    pub why_it_matters: Vec<String>,
    pub risks_or_caveats: Vec<String>,
    pub suggested_followups: Vec<String>,
}
