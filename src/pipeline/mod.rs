//! The pipeline: the table of its stages, and the shared state of an attempt at a run. `stages::run` is their order.
//!
//! Input: a topic and a window. Output: a digest and its files. Called by `services::runs` through [`runner`]. Every
//! stage is idempotent: an attempt that continues a killed one goes through all of them again, and each finds what is
//! already done (sources fetched, items assigned, stories placed, answers stored).

pub mod assemble_digest;
pub mod assign;
pub mod cluster;
pub mod dedupe;
pub mod deep_summary;
pub mod documents;
pub mod due;
pub mod embed;
pub mod entities;
pub mod error;
pub mod evidence;
pub mod full_text;
pub mod ingest;
pub mod lease;
pub mod lease_owner;
pub(crate) mod paid_search;
pub mod preferences;
pub mod progress;
mod publish;
pub mod rank;
mod reasons;
pub mod replay;
mod results;
pub mod rules;
pub mod run_limits;
pub mod runner;
pub mod select;
mod signals;
mod spans;
mod stages;
pub mod task_batch;
pub mod triage;
mod triage_order;
mod word_vectors;

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

pub use error::RunError;

use aha_core::fetch::SourceStatus;
use aha_core::ids::SourceId;
use aha_core::run::Run;
use aha_core::time::Timestamp;
use aha_core::topic::Topic;
use aha_llm::CallState;
use aha_store::{Lease, SharedStore};
use tokio_util::sync::CancellationToken;

use self::progress::Progress;
use crate::app::App;

/// A step of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Ingest,
    Search,
    Assign,
    Rules,
    Embed,
    Dedupe,
    Cluster,
    Select,
    Triage,
    Rank,
    DeepSummary,
    Entities,
    Digest,
    Publish,
}

/// Static properties of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageSpec {
    pub stage: Stage,
    /// The name used in the run's row, in logs and as a failpoint.
    pub name: &'static str,
    /// Whether it may make calls that cost money, which are not dropped when the attempt is to end.
    pub pays: bool,
    /// Whether a replay runs it. Stages that read sources, place items or write files are skipped there.
    pub replayed: bool,
}

/// The properties of the stages, in the order of `stages::run`, which asserts it in debug builds.
pub const STAGES: [StageSpec; 14] = [
    StageSpec { stage: Stage::Ingest, name: "ingest", pays: false, replayed: false },
    StageSpec { stage: Stage::Search, name: "search", pays: true, replayed: false },
    StageSpec { stage: Stage::Assign, name: "assign", pays: false, replayed: true },
    StageSpec { stage: Stage::Rules, name: "rules", pays: false, replayed: true },
    StageSpec { stage: Stage::Embed, name: "embed", pays: true, replayed: false },
    StageSpec { stage: Stage::Dedupe, name: "dedupe", pays: false, replayed: false },
    StageSpec { stage: Stage::Cluster, name: "cluster", pays: false, replayed: false },
    StageSpec { stage: Stage::Select, name: "select", pays: false, replayed: true },
    StageSpec { stage: Stage::Triage, name: "triage", pays: true, replayed: true },
    StageSpec { stage: Stage::Rank, name: "rank", pays: false, replayed: true },
    StageSpec { stage: Stage::DeepSummary, name: "deep_summary", pays: true, replayed: true },
    StageSpec { stage: Stage::Entities, name: "entities", pays: true, replayed: true },
    StageSpec { stage: Stage::Digest, name: "digest", pays: false, replayed: true },
    StageSpec { stage: Stage::Publish, name: "publish", pays: false, replayed: false },
];

impl Stage {
    #[must_use]
    pub const fn spec(self) -> StageSpec {
        STAGES[self as usize]
    }

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.spec().name
    }
}

/// What the stages of one attempt share. Set before they run, except [`RunContext::snapshot`] (set once ingest and
/// search have ended and the sources they read are known), the cache of features and the number of pages left.
#[derive(Debug)]
pub struct RunContext {
    pub app: App,
    pub topic: Topic,
    pub run: Run,
    pub attempt: i64,
    pub lease: Lease,
    /// Items first seen after this are excluded from term frequencies.
    pub snapshot: Timestamp,
    pub feature_cache: cluster::FeatureCache,
    pub rejudge: bool,
    /// A past run is repeated from stored data; no model is called.
    pub is_replay: bool,
    /// Whether a schedule started it; sources are then fetched only if their next check is due.
    pub scheduled: bool,
    /// Shared state of the attempt's model calls.
    pub call_state: Arc<CallState>,
    pub progress: Arc<dyn Progress>,
    pub stop: StopSignal,
    /// Remaining number of pages that may be read in this attempt.
    pub pages_left: Arc<AtomicUsize>,
}

impl RunContext {
    #[must_use]
    pub fn store(&self) -> &SharedStore {
        self.app.store()
    }

    /// Checks whether the attempt should end.
    ///
    /// # Errors
    /// [`RunError::Interrupted`] or [`RunError::LeaseLost`] once the attempt should end.
    pub fn check(&self) -> Result<(), RunError> {
        self.stop.check()
    }
}

/// The outcome of a source in this pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceOutcome {
    pub source: SourceId,
    pub status: SourceStatus,
    pub error: Option<String>,
}

/// Signals an attempt to end, because it was interrupted or the lease is lost.
#[derive(Debug, Clone, Default)]
pub struct StopSignal {
    interrupted: CancellationToken,
    lease_lost: CancellationToken,
}

impl StopSignal {
    /// Returns a signal that also interrupts the attempt once the process is asked to stop.
    #[must_use]
    pub fn of(app: &App) -> Self {
        Self { interrupted: app.stopping().child_token(), lease_lost: CancellationToken::new() }
    }

    pub fn interrupt(&self) {
        self.interrupted.cancel();
    }

    pub fn lease_lost(&self) {
        self.lease_lost.cancel();
    }

    /// Waits until the attempt should end and returns the reason; for stages that wait long for something else.
    pub async fn ended(&self) -> RunError {
        tokio::select! {
            // As in `check`, a lost lease comes before an interruption.
            biased;
            () = self.lease_lost.cancelled() => RunError::LeaseLost,
            () = self.interrupted.cancelled() => RunError::Interrupted,
        }
    }

    fn check(&self) -> Result<(), RunError> {
        if self.lease_lost.is_cancelled() {
            return Err(RunError::LeaseLost);
        }
        if self.interrupted.is_cancelled() {
            return Err(RunError::Interrupted);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{RunError, STAGES, Stage, StopSignal};

    #[test]
    fn each_stage_is_at_its_own_index_in_the_list() {
        for (place, spec) in STAGES.iter().enumerate() {
            assert_eq!(spec.stage as usize, place, "{}", spec.name);
            assert_eq!(spec.stage.spec(), *spec);
        }
        assert_eq!(STAGES.last().map(|spec| spec.stage), Some(Stage::Publish));
    }

    #[tokio::test]
    async fn a_stop_reaches_who_waits_for_it_and_a_lost_lease_is_its_first_reason() {
        let stop = StopSignal::default();
        assert!(stop.check().is_ok());
        let (interrupt, ended) = (stop.clone(), stop.clone());
        let (reason, ()) = tokio::join!(ended.ended(), async { interrupt.interrupt() });
        assert!(matches!(reason, RunError::Interrupted));
        assert!(matches!(stop.check(), Err(RunError::Interrupted)));
        stop.lease_lost();
        assert!(matches!(stop.check(), Err(RunError::LeaseLost)));
        assert!(matches!(stop.ended().await, RunError::LeaseLost));
    }
}
