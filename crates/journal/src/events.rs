//! What happens while a plan is made, for whoever shows it.

use crate::plan::PlannedBlock;

/// See the module.
#[derive(Debug, Clone, PartialEq)]
pub enum PhaseEvent {
    /// A request goes out.
    Asked { phase: &'static str, about: String },
    /// A block that holds knowledge.
    Found(PlannedBlock),
    /// It was reworded.
    Reworded { block: String, text: String },
    /// All places of a block are known.
    Placed(PlannedBlock),
    /// A request is tried again by itself.
    Retried { phase: &'static str, reason: String },
    /// A request could not be finished.
    Failed { phase: &'static str, reason: String },
    /// Nothing more comes.
    Finished { skipped_existing: usize, failures: Vec<String> },
}
