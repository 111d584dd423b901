//! The tasks that can be asked of a model.

/// What is asked. `as_str` is the name in settings, ledger and routes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Task {
    /// A verdict on each of several stories.
    Triage,
    /// A summary of one story from the texts of its members.
    DeepSummary,
    /// A summary of a text that the owner pasted.
    ManualSummary,
    /// Persons, organisations, products and the like named by one story.
    EntityExtract,
    /// The fields of each of several results of a search.
    SignalParse,
}

/// What else is paid for, as on the ledger beside each [`Task`].
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

impl Task {
    pub const ALL: [Self; 5] =
        [Self::Triage, Self::DeepSummary, Self::ManualSummary, Self::EntityExtract, Self::SignalParse];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Triage => "triage",
            Self::DeepSummary => "deep_summary",
            Self::ManualSummary => "manual_summary",
            Self::EntityExtract => "entity_extract",
            Self::SignalParse => "signal_parse",
        }
    }

    /// The version of the stored answer's schema.
    #[must_use]
    pub const fn schema_version(self) -> &'static str {
        match self {
            Self::Triage => "triage_v1",
            Self::DeepSummary => "deep_summary_v1",
            Self::ManualSummary => "manual_summary_v1",
            Self::EntityExtract => "entities_v1",
            Self::SignalParse => "signal_v1",
        }
    }

    /// Whether one call asks about several things, each with a short id that its answer echoes.
    #[must_use]
    pub const fn is_batched(self) -> bool {
        matches!(self, Self::Triage | Self::SignalParse)
    }

    /// Whether `local` can do it. It names no entities and reads no service's results: it would have to guess.
    #[must_use]
    pub const fn is_done_by_local(self) -> bool {
        !matches!(self, Self::EntityExtract | Self::SignalParse)
    }

    /// The prompt that ships with this version. `local` reads none, but its answers carry the id of the contract they fill.
    #[must_use]
    pub const fn prompt_id(self) -> &'static str {
        self.schema_version()
    }
}
