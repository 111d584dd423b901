//! The tasks that can be asked of a model.

/// What is asked. `as_str` is the name in settings, ledger and routes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Task {
    Triage,
    DeepSummary,
}

impl Task {
    pub const ALL: [Self; 2] = [Self::Triage, Self::DeepSummary];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Triage => "triage",
            Self::DeepSummary => "deep_summary",
        }
    }

    /// The version of the stored answer's schema.
    #[must_use]
    pub const fn schema_version(self) -> &'static str {
        match self {
            Self::Triage => "triage_v1",
            Self::DeepSummary => "deep_summary_v1",
        }
    }

    /// The prompt that ships with this version. `local` reads none, but its answers carry the id of the contract they fill.
    #[must_use]
    pub const fn prompt_id(self) -> &'static str {
        match self {
            Self::Triage => "triage_v1",
            Self::DeepSummary => "deep_summary_v1",
        }
    }
}
