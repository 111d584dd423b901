//! The pipeline: THE ordered list of stages, and what an attempt at a run shares.
//!
//! Comes in: a topic and a window. Goes out: a digest. Called by `aha-radar run` and the daemon through [`runner`]. Every
//! stage is idempotent: an attempt that continues a killed one goes through all of them again, and each finds what is
//! already done (sources fetched, items assigned, stories placed, answers stored).

pub mod assemble_digest;
pub mod assign;
pub mod cluster;
pub mod dedupe;
pub mod deep_summary;
pub mod due;
pub mod embed;
pub mod entities;
pub mod error;
pub mod evidence;
pub mod ingest;
pub mod interests;
pub mod lease;
pub mod lease_owner;
pub mod pages;
pub mod plan;
pub mod preferences;
pub mod progress;
mod prominence;
pub mod rank;
mod relevance;
pub mod replay;
pub mod rules;
pub mod runner;
pub(crate) mod search;
pub mod select;
mod signals;
pub mod task_batch;
pub mod triage;
pub mod vectors;
pub mod weights;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

pub use error::RunError;

use aha_core::digest::{Digest, Estimate, Evidence};
use aha_core::ids::{ClusterId, ItemId};
use aha_core::run::Run;
use aha_core::source::Source;
use aha_core::story::Story;
use aha_core::time::Timestamp;
use aha_core::topic::Topic;
use aha_llm::RunCallState;
use aha_store::{Lease, SharedStore};

use self::preferences::Preferences;
use self::progress::Progress;
use self::rank::Ranked;
use self::task_batch::Judgement;
use crate::app::App;

/// A step of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Ingest,
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
}

/// The stages, in order.
pub const STAGES: [Stage; 12] = [
    Stage::Ingest,
    Stage::Assign,
    Stage::Rules,
    Stage::Embed,
    Stage::Dedupe,
    Stage::Cluster,
    Stage::Select,
    Stage::Triage,
    Stage::Rank,
    Stage::DeepSummary,
    Stage::Entities,
    Stage::Digest,
];

impl Stage {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ingest => "ingest",
            Self::Assign => "assign",
            Self::Rules => "rules",
            Self::Embed => "embed",
            Self::Dedupe => "dedupe",
            Self::Cluster => "cluster",
            Self::Select => "select",
            Self::Triage => "triage",
            Self::Rank => "rank",
            Self::DeepSummary => "deep_summary",
            Self::Entities => "entities",
            Self::Digest => "digest",
        }
    }

    /// Runs the stage.
    ///
    /// # Errors
    /// When the store fails, the lease is lost or the process is asked to stop; a failing source or answer is no error.
    pub async fn run(self, context: &RunContext, state: &mut RunState) -> Result<(), RunError> {
        match self {
            Self::Ingest => ingest::run(context, state).await,
            Self::Assign => assign::run(context, state).await,
            Self::Rules => rules::run(context, state).await,
            Self::Embed => embed::run(context, state).await,
            Self::Dedupe => dedupe::run(context).await,
            Self::Cluster => cluster::run(context, state).await,
            Self::Select => select::run(context, state).await,
            Self::Triage => triage::run(context, state).await,
            Self::Rank => {
                rank::run(context, state);
                Ok(())
            }
            Self::DeepSummary => deep_summary::run(context, state).await,
            Self::Entities => entities::run(context, state).await,
            Self::Digest => assemble_digest::run(context, state).await,
        }
    }
}

/// What the stages of one attempt share and do not change.
#[derive(Debug)]
pub struct RunContext {
    pub app: App,
    pub topic: Topic,
    pub run: Run,
    pub attempt: i64,
    pub lease: Lease,
    /// Items first seen after this do not count in term frequencies.
    pub snapshot: Timestamp,
    pub vectors: cluster::Vectors,
    pub rejudge: bool,
    /// A past run is made again from what is stored: no model is asked.
    pub replays: bool,
    /// Whether a schedule began it: then sources are left alone until they want to be asked.
    pub scheduled: bool,
    /// What the attempt's calls to models know of each other.
    pub gate: Arc<RunCallState>,
    pub progress: Arc<dyn Progress>,
    pub stop: StopSignal,
    /// Pages that may still be read in this attempt.
    pub pages_left: Arc<AtomicUsize>,
}

impl RunContext {
    #[must_use]
    pub fn store(&self) -> &SharedStore {
        self.app.store()
    }

    /// # Errors
    /// [`RunError::Interrupted`] or [`RunError::LeaseLost`] once the attempt should end.
    pub fn check(&self) -> Result<(), RunError> {
        self.stop.check()
    }
}

/// What the stages hand on to one another within an attempt. All of it can be rebuilt from rows.
#[derive(Debug, Default)]
pub struct RunState {
    pub sources: Vec<Source>,
    pub source_outcomes: Vec<SourceOutcome>,
    /// Items that the run is about.
    pub scope: Vec<ItemId>,
    /// Of these, the ones that a source could not give when they were due.
    pub late: HashSet<ItemId>,
    pub muted: Vec<ItemId>,
    pub boosted: Vec<ItemId>,
    /// The space of dense vectors by which stories are put together besides their words, where all that were due are there.
    pub space: Option<String>,
    /// Why only words are compared, though a model for vectors was named.
    pub lexical_only: Option<String>,
    /// In-scope items of stories shown before that have not grown.
    pub already_delivered: usize,
    /// In-scope items of stories left out by the plan.
    pub not_considered: usize,
    /// How many of the run's items each source brought.
    pub items_by_source: HashMap<aha_core::ids::SourceId, usize>,
    /// How many of these are late.
    pub late_by_source: HashMap<aha_core::ids::SourceId, usize>,
    pub stories: Vec<Story>,
    pub evidence: HashMap<ClusterId, Evidence>,
    pub preferences: Preferences,
    pub judgements: HashMap<ClusterId, Judgement>,
    pub ranked: Vec<Ranked>,
    pub summaries: HashMap<ClusterId, Judgement>,
    pub entities: HashMap<ClusterId, Judgement>,
    /// Entities by rules, where no model is configured for them.
    pub named: HashMap<ClusterId, serde_json::Value>,
    /// What asking a model would take, where none was asked.
    pub estimates: Vec<Estimate>,
    pub digest: Option<Digest>,
}

/// What became of a source in this pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceOutcome {
    pub source: aha_core::ids::SourceId,
    /// `ok`, `waiting` or the kind of failure.
    pub status: String,
    pub error: Option<String>,
}

impl SourceOutcome {
    /// Whether it was asked and could not be read.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        self.status != "ok" && self.status != "waiting"
    }
}

/// How soon a stage that waits notices that it should end.
const STOP_POLL: Duration = Duration::from_millis(100);

/// Tells an attempt to end: somebody asked, or the lease is gone.
#[derive(Debug, Clone, Default)]
pub struct StopSignal {
    interrupted: Arc<AtomicBool>,
    lease_lost: Arc<AtomicBool>,
}

impl StopSignal {
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::SeqCst);
    }

    pub fn lease_lost(&self) {
        self.lease_lost.store(true, Ordering::SeqCst);
    }

    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }

    /// The same interruption for another attempt, with a lease of its own.
    #[must_use]
    pub fn for_next_attempt(&self) -> Self {
        Self { interrupted: Arc::clone(&self.interrupted), lease_lost: Arc::default() }
    }

    /// Waits until the attempt should end and says why; for stages that wait long for something else.
    pub async fn ended(&self) -> RunError {
        loop {
            if let Err(error) = self.check() {
                return error;
            }
            tokio::time::sleep(STOP_POLL).await;
        }
    }

    fn check(&self) -> Result<(), RunError> {
        if self.lease_lost.load(Ordering::SeqCst) {
            return Err(RunError::LeaseLost);
        }
        if self.is_interrupted() {
            return Err(RunError::Interrupted);
        }
        Ok(())
    }
}
