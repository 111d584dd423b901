//! Outputs of the stages, from which the digest is assembled.

use aha_core::digest::Estimate;

use super::embed::EmbedOutcome;
use super::entities::Entities;
use super::ingest::ReadSources;
use super::rank::Ranked;
use super::rules::InScope;
use super::select::Selected;
use super::task_batch::TaskResults;

/// Outputs of the stages before the digest.
#[derive(Debug)]
pub(super) struct Results {
    pub(super) sources: ReadSources,
    pub(super) items: InScope,
    pub(super) vectors: EmbedOutcome,
    pub(super) selected: Selected,
    pub(super) judged: TaskResults,
    pub(super) ranked: Vec<Ranked>,
    pub(super) summaries: TaskResults,
    pub(super) entities: Entities,
}

impl Results {
    /// Estimated costs of using models, if none was used.
    pub(super) fn estimates(&self) -> Vec<Estimate> {
        let tasks = [&self.judged, &self.summaries, &self.entities.by_model];
        self.vectors
            .estimate
            .iter()
            .chain(tasks.into_iter().filter_map(|task| task.with_a_model.as_ref()))
            .cloned()
            .collect()
    }
}
