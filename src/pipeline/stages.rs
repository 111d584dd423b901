//! The stages of one attempt, one after the other; the signature of each shows its input and output.
//!
//! Input: the attempt's shared state. Output: the digest and the files to which it was written. Called by
//! [`super::runner`], and by [`super::replay`], where a stage that is not replayed returns a default: its rows already
//! exist. Everything passed between stages can be rebuilt from rows.

use std::path::PathBuf;
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
    enter(context, &mut entered, Stage::Ingest, Box::pin(ingest::run(context))).await?;
    enter(context, &mut entered, Stage::Search, Box::pin(ingest::search(context))).await?;
    let sources = ReadSources::of(context).await?;
    pin_snapshot(context).await?;
    let context = &*context;
    let assigned = enter(context, &mut entered, Stage::Assign, assign::run(context)).await?;
    let items = enter(context, &mut entered, Stage::Rules, rules::run(context, &sources, assigned)).await?;
    let vectors = enter(context, &mut entered, Stage::Embed, embed::run(context, &sources)).await?;
    enter(context, &mut entered, Stage::Dedupe, dedupe::run(context)).await?;
    enter(context, &mut entered, Stage::Cluster, cluster::run(context, vectors.space.as_deref())).await?;
    let selected = enter(context, &mut entered, Stage::Select, select::run(context, &sources, &items)).await?;
    let judged = enter(context, &mut entered, Stage::Triage, triage::run(context, &sources, &items, &selected)).await?;
    let ranking = async { Ok(rank::run(context, &sources, &items, &selected, &judged)) };
    let ranked = enter(context, &mut entered, Stage::Rank, ranking).await?;
    let summarising = deep_summary::run(context, &sources, &selected, &judged, &ranked);
    let summaries = enter(context, &mut entered, Stage::DeepSummary, summarising).await?;
    let entities =
        enter(context, &mut entered, Stage::Entities, entities::run(context, &sources, &selected, &ranked)).await?;
    let results = Results { sources, items, vectors, selected, judged, ranked, summaries, entities };
    let assembling = async { assemble_digest::run(context, &results).await.map(Some) };
    let digest = enter(context, &mut entered, Stage::Digest, assembling).await?;
    // `None` only if the stage was skipped, and this stage is also replayed.
    let digest = digest.ok_or(RunError::Interrupted)?;
    let files = enter(context, &mut entered, Stage::Publish, publish::run(context, &digest)).await?;
    debug_assert_eq!(entered.0, STAGES.len(), "a stage of STAGES was not entered: call it here");
    Ok((digest, files))
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
}

/// Runs a stage, after recording it in the run's row. A replay records nothing and skips stages that are not replayed.
async fn enter<T: Default>(
    context: &RunContext,
    entered: &mut Entered,
    stage: Stage,
    work: impl Future<Output = Result<T, RunError>>,
) -> Result<T, RunError> {
    let spec = stage.spec();
    let is_next = entered.advance_to(stage);
    debug_assert!(is_next, "stage {} is not the next one of STAGES: order `run` and the table alike", spec.name);
    if context.is_replay && !spec.replayed {
        return Ok(T::default());
    }
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
    let output = Box::pin(work).instrument(span).await?;
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
