//! Progress events of the making of a plan, for a user interface.

use crate::plan::PlannedBlock;

/// A progress event.
#[derive(Debug, Clone, PartialEq)]
pub enum PhaseEvent {
    /// A request was sent.
    RequestSent { phase: &'static str, about: String },
    /// A block with knowledge was found.
    BlockFound(PlannedBlock),
    /// A block was reworded.
    Reworded { block: String, text: String },
    /// All targets of a block are known, or it is known that none are sought.
    TargetsFound(PlannedBlock),
    /// A request is retried automatically.
    Retried { phase: &'static str, reason: String },
    /// A request failed for good.
    Failed { phase: &'static str, reason: String },
    /// The last event.
    Finished { skipped_existing: usize, failures: Vec<String> },
}
