//! Names of paid purposes in the ledger, other than the gateway's tasks.

/// Ledger purposes other than those of the tasks.
pub mod purpose {
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
}
