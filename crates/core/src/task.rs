//! What is paid for beside the tasks of the gateway, as on the ledger.

/// Names on the ledger beside those of the tasks.
pub mod purpose {
    /// A question asked on the command line.
    pub const ASK: &str = "llm_ask";
    /// Whether a model answers at all.
    pub const CHECK: &str = "llm_check";
    pub const QUESTIONNAIRE: &str = "questionnaire";
    /// Vectors of texts.
    pub const EMBED: &str = "embed";
    /// What a source `signal:WORDS` asks a search service.
    pub const SIGNAL_SEARCH: &str = "signal_search";

    pub const ALL: [&str; 5] = [ASK, CHECK, QUESTIONNAIRE, EMBED, SIGNAL_SEARCH];
}
