//! Names of paid purposes in the ledger, other than the gateway's tasks.

/// A question asked on the command line.
pub const ASK: &str = "llm_ask";
/// A check whether a model answers at all.
pub const CHECK: &str = "llm_check";
pub const QUESTIONNAIRE: &str = "questionnaire";
/// Embedding of texts.
pub const EMBED: &str = "embed";
/// A search-service request of a `signal:WORDS` source.
pub const SIGNAL_SEARCH: &str = "signal_search";

pub const ALL: [&str; 5] = [ASK, CHECK, QUESTIONNAIRE, EMBED, SIGNAL_SEARCH];

/// Returns what a purpose is, in a few words; `None` if it is none of these.
#[must_use]
pub fn description(purpose: &str) -> Option<&'static str> {
    match purpose {
        ASK => Some("a question asked on the command line"),
        CHECK => Some("a check whether a model answers"),
        QUESTIONNAIRE => Some("a question put to several models"),
        EMBED => Some("vectors of texts"),
        SIGNAL_SEARCH => Some("a search on the web"),
        _ => None,
    }
}
