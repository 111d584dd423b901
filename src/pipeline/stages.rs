//! The stages of one attempt, one after the other; the signature of each shows its input and output.
//!
//! Input: the attempt's shared state. Output: the digest and the files to which it was written. Called by
//! [`super::runner`], and by [`super::replay`], which skips the stages whose rows already exist. Everything passed
//! between stages can be rebuilt from rows.

use std::path::PathBuf;
use std::pin::Pin;
use std::time::Instant;

use aha_core::digest::Digest;
use aha_core::failpoint;
use tracing::Instrument as _;

use super::ingest::ReadSources;
use super::results::Results;
use super::{
    RunContext, RunError, STAGES, Stage, assemble_digest, assign, cluster, dedupe, deep_summary, embed, entities,
    ingest, publish, rank, rules, select, triage,
};

/// Runs all stages, or in a replay those that are replayed. The sequence of the calls is the order of the stages.
pub(super) async fn run(context: &mut RunContext) -> Result<(Digest, Vec<PathBuf>), RunError> {
    let mut entered = Entered::default();
    enter_unless_replay(context, &mut entered, Stage::Ingest, Box::pin(ingest::run(context))).await?;
    enter_unless_replay(context, &mut entered, Stage::Search, Box::pin(ingest::search(context))).await?;
    let sources = ReadSources::of(context).await?;
    pin_snapshot(context).await?;
    let context = &*context;
    let assigned = enter(context, &mut entered, Stage::Assign, assign::run(context)).await?;
    let items = enter(context, &mut entered, Stage::Rules, rules::run(context, &sources, assigned)).await?;
    let embedded = enter_unless_replay(context, &mut entered, Stage::Embed, embed::run(context, &sources)).await?;
    // A replay places no items in stories, so it needs no vectors.
    let vectors = embedded.unwrap_or_default();
    enter_unless_replay(context, &mut entered, Stage::Dedupe, dedupe::run(context)).await?;
    let clustering = cluster::run(context, vectors.space.as_deref());
    enter_unless_replay(context, &mut entered, Stage::Cluster, clustering).await?;
    let selected = enter(context, &mut entered, Stage::Select, select::run(context, &sources, &items)).await?;
    let judged = enter(context, &mut entered, Stage::Triage, triage::run(context, &sources, &items, &selected)).await?;
    let ranking = async { Ok(rank::run(context, &sources, &items, &selected, &judged)) };
    let ranked = enter(context, &mut entered, Stage::Rank, ranking).await?;
    let summarising = deep_summary::run(context, &sources, &selected, &judged, &ranked);
    let summaries = enter(context, &mut entered, Stage::DeepSummary, summarising).await?;
    let naming = entities::run(context, &sources, &selected, &judged, &ranked);
    let entities = enter(context, &mut entered, Stage::Entities, naming).await?;
    let results = Results { sources, items, vectors, selected, judged, ranked, summaries, entities };
    let digest = enter(context, &mut entered, Stage::Digest, assemble_digest::run(context, &results)).await?;
    let files = enter_unless_replay(context, &mut entered, Stage::Publish, publish::run(context, &digest)).await?;
    debug_assert_eq!(entered.0, STAGES.len(), "a stage of STAGES was not entered: call it here");
    Ok((digest, files.unwrap_or_default()))
}

/// How many stages were entered, so that the order of [`run`] and that of [`STAGES`] cannot differ unnoticed.
#[derive(Debug, Default)]
struct Entered(usize);

impl Entered {
    /// Counts a stage and returns whether it is the next one of the table.
    fn advance_to(&mut self, stage: Stage) -> bool {
        let expected = STAGES.get(self.0).map(|spec| spec.stage);
        self.0 += 1;
        expected == Some(stage)
    }

    /// Counts a stage, with which the table has to agree: that it is the next one, and whether a replay runs it.
    fn assert_next(&mut self, stage: Stage, is_replayed: bool) {
        let (is_next, spec) = (self.advance_to(stage), stage.spec());
        debug_assert!(is_next, "stage {} is not the next one of STAGES: order `run` and the table alike", spec.name);
        debug_assert_eq!(is_replayed, spec.replayed, "`run` and STAGES differ: does a replay run stage {}?", spec.name);
    }
}

/// Runs a stage, also in a replay.
async fn enter<T>(
    context: &RunContext,
    entered: &mut Entered,
    stage: Stage,
    work: impl Future<Output = Result<T, RunError>>,
) -> Result<T, RunError> {
    entered.assert_next(stage, true);
    run_stage(context, stage, Box::pin(work)).await
}

/// Runs a stage that reads sources, places items or writes files; `None` in a replay, which skips it.
async fn enter_unless_replay<T>(
    context: &RunContext,
    entered: &mut Entered,
    stage: Stage,
    work: impl Future<Output = Result<T, RunError>>,
) -> Result<Option<T>, RunError> {
    entered.assert_next(stage, false);
    if context.is_replay {
        return Ok(None);
    }
    run_stage(context, stage, Box::pin(work)).await.map(Some)
}

/// Runs a stage, after recording it in the run's row. A replay records nothing.
async fn run_stage<T>(
    context: &RunContext,
    stage: Stage,
    work: Pin<Box<impl Future<Output = Result<T, RunError>>>>,
) -> Result<T, RunError> {
    let spec = stage.spec();
    // The run ends with the digest. The stage after it writes nothing to the run's row and runs even if a stop was
    // requested.
    if stage != Stage::Publish {
        context.check()?;
        note(context, stage).await?;
    }
    if !context.is_replay {
        failpoint::hit(spec.name);
    }
    let begun = Instant::now();
    let span = tracing::debug_span!("stage", name = spec.name, pays = spec.pays);
    let output = work.instrument(span).await?;
    tracing::debug!(stage = spec.name, elapsed_ms = millis_since(begun), "stage finished");
    Ok(output)
}

async fn note(context: &RunContext, stage: Stage) -> Result<(), RunError> {
    if !context.is_replay {
        context.store().record_stage(&context.lease, context.run.id, context.attempt, stage.as_str()).await?;
    }
    Ok(())
}

/// Pins the snapshot: items that arrive after the sources were read are excluded from the run's term frequencies. A
/// replay uses the run's own snapshot.
async fn pin_snapshot(context: &mut RunContext) -> Result<(), RunError> {
    if !context.is_replay {
        let now = context.app.clock().now();
        context.snapshot = context.store().pin_snapshot(&context.lease, context.run.id, now).await?;
    }
    Ok(())
}

pub(super) fn millis_since(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Entered, STAGES, Stage};

    #[test]
    fn a_stage_left_out_or_entered_twice_is_noticed() {
        let mut entered = Entered::default();
        assert!(STAGES.iter().all(|spec| entered.advance_to(spec.stage)));
        assert!(!entered.advance_to(Stage::Publish), "after the last one");
        let mut entered = Entered::default();
        assert!(entered.advance_to(Stage::Ingest) && !entered.advance_to(Stage::Assign), "search is left out");
        let mut entered = Entered::default();
        assert!(entered.advance_to(Stage::Ingest) && !entered.advance_to(Stage::Ingest), "entered twice");
    }
}
