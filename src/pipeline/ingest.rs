//! Stage 1: looks at every source that is due, in parallel, and stores what they bring, in the order of their addresses.
//!
//! Comes in: the topic's enabled sources. Goes out: `fetch_runs`, `content_items`, source health. A source that fails is
//! marked with the reason; the others go on. Committing in a fixed order makes it certain which of two sources that bring
//! one link is its first, however fast each server answers.

use std::collections::HashSet;
use std::sync::Arc;

use futures::StreamExt as _;

use crate::domain::ids::{FetchRunId, SourceId};
use crate::domain::source::{Source, SourceHealth};
use crate::domain::time::Timestamp;
use crate::sources::fetch::FetchError;
use crate::sources::{LookOutcome, Looked, identity};
use crate::store::{FetchCommit, FetchCounts, FetchStatus};

use super::{RunContext, RunError, RunState, SourceOutcome, Stage};

/// Looks that may be finished or under way while an earlier one is still awaited; bounds what is held in memory.
const LOOK_AHEAD: usize = 64;

pub(super) async fn run(context: &RunContext, state: &mut RunState) -> Result<(), RunError> {
    let sources: Vec<Source> =
        context.store().sources(context.topic.id).await?.into_iter().filter(|source| source.enabled).collect();
    let from_attempt = context.run.pass_attempt;
    let done: HashSet<SourceId> =
        context.store().fetched_sources(context.run.id, from_attempt).await?.into_iter().collect();
    let due: Vec<&Source> = sources.iter().filter(|source| !done.contains(&source.id)).collect();
    context.progress.begin(Stage::Ingest, due.len());
    let looks: Vec<_> = due.into_iter().map(|source| look(context, source)).collect();
    let mut looks = futures::stream::iter(looks).buffered(LOOK_AHEAD);
    let mut total = FetchCounts::default();
    loop {
        // A slow server does not keep the process from ending.
        let commit = tokio::select! {
            commit = looks.next() => commit,
            error = context.stop.ended() => return Err(error),
        };
        let Some(commit) = commit else { break };
        context.check()?;
        let counts = context.store().commit_fetch(&context.lease, &commit).await?;
        total.seen += counts.seen;
        total.new += counts.new;
        total.updated += counts.updated;
        context.progress.step(&commit.source.to_string());
    }
    drop(looks);
    state.source_outcomes = outcomes(context).await?;
    state.sources = context.store().sources(context.topic.id).await?;
    context
        .progress
        .end(Stage::Ingest, &format!("{} items read, {} new, {} changed", total.seen, total.new, total.updated));
    Ok(())
}

/// What became of each source in the run's pass.
pub(super) async fn outcomes(context: &RunContext) -> Result<Vec<SourceOutcome>, RunError> {
    let records = context.store().fetch_outcomes(context.run.id, context.run.pass_attempt).await?;
    Ok(records
        .into_iter()
        .map(|record| SourceOutcome {
            source: record.source,
            status: match (record.status.as_str(), record.error_kind) {
                ("error", Some(kind)) => kind,
                ("not_modified", _) => "ok".to_owned(),
                (status, _) => status.to_owned(),
            },
            error: record.error,
        })
        .collect())
}

/// One look at one source, as it will be stored. Never fails: a failure is what is stored.
async fn look(context: &RunContext, source: &Source) -> FetchCommit {
    let clock = context.app.clock();
    let started_at = clock.now();
    let mut commit = empty_commit(context, source, started_at);
    if source.not_before.is_some_and(|until| until > started_at) {
        commit.status = FetchStatus::Waiting;
        commit.not_before = source.not_before;
        return commit;
    }
    let Some(connector) = context.app.connectors().of(&source.kind) else {
        let reason = format!("this version has no connector for sources of kind {:?}; remove the source", source.kind);
        commit.status = FetchStatus::Error;
        commit.error = Some(("unknown_kind".to_owned(), reason));
        commit.health = SourceHealth::Failing;
        return commit;
    };
    let looked = connector.look(source, context.app.fetcher()).await;
    commit.finished_at = clock.now();
    match looked {
        Ok(looked) => fill(&mut commit, source, looked).await,
        Err(error) => fail(&mut commit, source, &error),
    }
    commit
}

fn empty_commit(context: &RunContext, source: &Source, started_at: Timestamp) -> FetchCommit {
    let (run, attempt) = (context.run.id.to_string(), context.attempt.to_string());
    FetchCommit {
        id: FetchRunId::of(&[&run, &attempt, &source.id.to_string()]),
        run: context.run.id,
        attempt: context.attempt,
        source: source.id,
        status: FetchStatus::Ok,
        error: None,
        http_status: None,
        bytes: 0,
        started_at,
        finished_at: started_at,
        health: source.health,
        feed_title: None,
        validators: source.validators.clone(),
        not_before: None,
        moved_to: None,
        items: Vec::new(),
    }
}

async fn fill(commit: &mut FetchCommit, source: &Source, looked: Looked) {
    commit.health = SourceHealth::Ok;
    commit.http_status = looked.http_status;
    commit.bytes = looked.bytes;
    commit.validators = looked.validators;
    commit.moved_to = looked.moved_to;
    match looked.outcome {
        LookOutcome::NotModified => commit.status = FetchStatus::NotModified,
        LookOutcome::Feed(feed) => {
            for problem in &feed.problems {
                tracing::debug!(source = %source.url, problem, "the feed was repaired");
            }
            commit.feed_title = feed.title;
            let (id, fetched_at) = (source.id, commit.finished_at);
            let items = Arc::new(feed.items);
            let identified =
                tokio::task::spawn_blocking(move || identity::identify(id, Arc::unwrap_or_clone(items), fetched_at));
            commit.items = identified.await.unwrap_or_default();
        }
    }
}

fn fail(commit: &mut FetchCommit, source: &Source, error: &FetchError) {
    tracing::warn!(source = %source.url, kind = error.kind(), %error, "a source failed; the others go on");
    commit.status = FetchStatus::Error;
    commit.error = Some((error.kind().to_owned(), error.to_string()));
    commit.http_status = error.http_status();
    commit.health = if error.kind() == "gone" { SourceHealth::Gone } else { SourceHealth::Failing };
    commit.not_before = error.retry_after().map(|wait| commit.finished_at + wait);
}
