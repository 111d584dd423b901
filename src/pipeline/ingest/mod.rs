//! Two stages, ingest and search: fetch every source that is due, in parallel, and store their items, in the order of
//! the sources' addresses. Searches are the sources that cost credits.
//!
//! Input: the topic's enabled sources; in a scheduled run only those whose next check is due. Output: `fetch_runs`,
//! `content_items`, source health. A source that fails is marked with the reason; the others continue. Committing in a
//! fixed order determines which of two sources with the same link comes first, however fast each server answers.
//! Fetching has an order of its own (`host_queues`), so that a host that does not answer delays no other.

mod commit;
mod fetches;
mod held_bytes;
mod host_queues;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use aha_content::numbers::count;
use aha_core::failures::{Failure, group_failures};
use aha_core::fetch::{FetchErrorKind, SourceStatus};
use aha_core::ids::SourceId;
use aha_core::source::{Source, SourceHealth, SourceKind};
use aha_core::time::Timestamp;
use aha_store::{FetchCommit, FetchCounts, FetchStatus};
use commit::{fail, identify, mark, schedule};
use fetches::{Fetches, HeldFetch, Next, SourceFetch, is_within};
use tokio::sync::mpsc;

use super::task_batch::until_stopped;
use super::{RunContext, RunError, SourceOutcome, Stage, signals};
use crate::sources::fetch::shown_address;
use crate::sources::fetch_schedule;

/// Maximum number of fetches committed together. The more there are, the fewer index pages are written twice.
const MAX_COMMITTED_TOGETHER: usize = 24;

/// The topic's sources after those that were due have been read.
#[derive(Debug)]
pub(super) struct ReadSources {
    pub(super) all: Vec<Source>,
    /// Outcomes of the sources fetched in this pass, and of failing ones that were not.
    pub(super) outcomes: Vec<SourceOutcome>,
}

impl ReadSources {
    pub(super) async fn of(context: &RunContext) -> Result<Self, RunError> {
        let all = context.store().sources(context.topic.id).await?;
        let outcomes = outcomes(context, &all).await?;
        Ok(Self { all, outcomes })
    }

    pub(super) fn by_id(&self) -> HashMap<SourceId, &Source> {
        self.all.iter().map(|source| (source.id, source)).collect()
    }
}

/// Reads all sources except searches.
pub(super) async fn run(context: &RunContext) -> Result<(), RunError> {
    let due = due(context, |source| source.kind != SourceKind::Signal).await?;
    read(context, Stage::Ingest, due).await
}

/// Reads the sources that are searches, which cost money. Their addresses sort after all others, so they are
/// committed in the order of addresses as well.
pub(super) async fn search(context: &RunContext) -> Result<(), RunError> {
    let due = due(context, |source| source.kind == SourceKind::Signal).await?;
    if due.is_empty() { Ok(()) } else { read(context, Stage::Search, due).await }
}

/// Returns the enabled sources that are due and were not read in this pass.
async fn due(context: &RunContext, is_of_stage: impl Fn(&Source) -> bool) -> Result<Vec<Source>, RunError> {
    let sources = context.store().sources(context.topic.id).await?.into_iter().filter(|source| source.enabled);
    let from_attempt = context.run.pass_attempt;
    let done: HashSet<SourceId> =
        context.store().fetched_sources(context.run.id, from_attempt).await?.into_iter().collect();
    let now = context.app.clock().now();
    let is_due =
        |source: &Source| !context.scheduled || !is_within(source.next_check_at, now, fetch_schedule::MAX_WAIT);
    Ok(sources.filter(|source| is_of_stage(source) && !done.contains(&source.id)).filter(is_due).collect())
}

async fn read(context: &RunContext, stage: Stage, due: Vec<Source>) -> Result<(), RunError> {
    context.progress.begin(stage, due.len());
    let urls: HashMap<SourceId, String> = due.iter().map(|source| (source.id, shown_address(&source.url))).collect();
    let mut failed = Vec::new();
    let is_paid = stage.spec().pays;
    let fetches = Fetches::of(context, is_paid);
    let (finished, to_commit) = mpsc::unbounded_channel();
    let ended = if is_paid {
        // Searches under way are not dropped when the attempt is to end, because their results are paid for.
        until_stopped(context, fetches.run(due, finished)).await?;
        commit_all(context, to_commit, &mut failed).await
    } else {
        // While one fetch is being read or stored the others continue: their servers do not wait.
        let both = tokio::try_join!(commit_all(context, to_commit, &mut failed), fetches.run(due, finished));
        both.map(|(total, ())| total)
    };
    log_failures(&urls, &failed);
    let total = ended?;
    let read = count(total.seen, "item", "items");
    context.progress.end(stage, &format!("{read} read, {} new, {} changed", total.new, total.updated));
    Ok(())
}

/// A source, with the kind and the message of its failure.
type Failed = (SourceId, FetchErrorKind, String);

/// Logs identical failures in one line.
fn log_failures(urls: &HashMap<SourceId, String>, failed: &[Failed]) {
    let url = |id| urls.get(id).map_or("", String::as_str);
    let failures = failed.iter().map(|(id, kind, reason)| Failure { url: url(id), kind: kind.as_str(), reason });
    for group in group_failures(failures) {
        let (failed, sources) = (group.urls.len(), group.names());
        tracing::warn!(failed, %sources, kind = group.kind, error = %group.reason, "sources failed; the others go on");
    }
}

async fn commit_all(
    context: &RunContext,
    mut fetches: mpsc::UnboundedReceiver<Result<HeldFetch, RunError>>,
    failed: &mut Vec<Failed>,
) -> Result<FetchCounts, RunError> {
    let mut total = FetchCounts::default();
    loop {
        // A slow server must not delay the end of the process.
        let fetch = tokio::select! {
            fetch = fetches.recv() => fetch,
            error = context.stop.ended() => return Err(error),
        };
        let Some(fetch) = fetch else { return Ok(total) };
        context.check()?;
        total += commit_together(context, fetch?, &mut fetches, failed).await?;
    }
}

/// Commits a fetch together with those that have finished by now.
async fn commit_together(
    context: &RunContext,
    first: HeldFetch,
    fetches: &mut mpsc::UnboundedReceiver<Result<HeldFetch, RunError>>,
    failed: &mut Vec<Failed>,
) -> Result<FetchCounts, RunError> {
    let (fetch, memory) = first;
    let (mut commits, mut held) = (vec![read_search_results(context, fetch).await?], vec![memory]);
    while commits.len() < MAX_COMMITTED_TOGETHER
        && let Ok(fetch) = fetches.try_recv()
    {
        let (fetch, memory) = fetch?;
        commits.push(read_search_results(context, fetch).await?);
        held.push(memory);
    }
    // A separate task, so that this one continues with the fetches.
    let (store, lease) = (Arc::clone(context.store()), context.lease.clone());
    let committing =
        tokio::spawn(async move { store.commit_fetches(&lease, &commits).await.map(|counts| (counts, commits)) });
    let (counts, commits) = committing.await??;
    for commit in commits {
        context.progress.step();
        if let (FetchStatus::Error(kind), Some(reason)) = (commit.status, commit.error) {
            failed.push((commit.source, kind, reason));
        }
    }
    Ok(counts)
}

/// Returns the outcome of each source that was fetched, and of those that were not fetched because they failed
/// repeatedly.
async fn outcomes(context: &RunContext, sources: &[Source]) -> Result<Vec<SourceOutcome>, RunError> {
    let records = context.store().fetch_outcomes(context.run.id, context.run.pass_attempt).await?;
    let fetched_ids: HashSet<SourceId> = records.iter().map(|record| record.source).collect();
    let not_fetched =
        sources.iter().filter(|s| s.enabled && s.health == SourceHealth::Failing && !fetched_ids.contains(&s.id));
    let not_fetched = not_fetched.map(|source| SourceOutcome {
        source: source.id,
        status: source.last_error_kind.map_or(SourceStatus::Failing, SourceStatus::Failed),
        error: source.last_error.clone(),
    });
    let now = context.app.clock().now();
    let is_left_out = |id: &SourceId| sources.iter().any(|source| source.id == *id && waits_for_host(source, now));
    Ok(records
        .into_iter()
        .map(|record| SourceOutcome {
            source: record.source,
            status: match record.status {
                FetchStatus::Ok | FetchStatus::NotModified => SourceStatus::Ok,
                // The digest lacks it like one that failed.
                FetchStatus::Waiting if is_left_out(&record.source) => SourceStatus::Failed(FetchErrorKind::HostSilent),
                FetchStatus::Waiting => SourceStatus::Waiting,
                FetchStatus::Error(kind) => SourceStatus::Failed(kind),
            },
            error: record.error,
        })
        .chain(not_fetched)
        .collect())
}

/// A time before which a source is not asked that is longer past is of an earlier run.
const MAX_RUN_MILLIS: i64 = 60 * 60 * 1_000;

/// Whether a source that waited in a run was not asked because its host answers nothing. One that waits for itself has a
/// time before which it is not asked; a search waits in a dry run alone.
fn waits_for_host(source: &Source, now: Timestamp) -> bool {
    let is_of_earlier_run = |until: Timestamp| now.as_millis() - until.as_millis() > MAX_RUN_MILLIS;
    source.kind != SourceKind::Signal && source.not_before.is_none_or(is_of_earlier_run)
}

/// Reads the results of a search, one source after the other, so that a call under way is awaited when a run is to end.
async fn read_search_results(context: &RunContext, fetch: SourceFetch) -> Result<FetchCommit, RunError> {
    let SourceFetch { mut commit, next: Next::Results(results) } = fetch else { return Ok(fetch.commit) };
    let (source, found, freshness) = *results;
    let read = signals::read(context, &found).await?;
    commit.finished_at = context.app.clock().now();
    match identify(&commit, read.items).await {
        Ok(items) => commit.items = items,
        Err(error) => {
            fail(&mut commit, &source, &error, context.app.jitter());
            return Ok(commit);
        }
    }
    schedule(&mut commit, &source, freshness, context.app.jitter());
    if let Some(left_out) = read.left_out {
        tracing::warn!(source = %shown_address(&source.url), %left_out, "not all that a search found is used");
        commit.error = Some(left_out);
    }
    if let Some((kind, reason)) = read.disabled {
        mark(&mut commit, &source, kind, reason, context.app.jitter());
    }
    Ok(commit)
}

#[cfg(test)]
mod tests {
    use aha_core::ids::TopicId;
    use aha_core::source::{NewSource, Source, SourceKind};
    use aha_core::time::Timestamp;

    use super::waits_for_host;

    #[test]
    fn a_pause_of_an_earlier_run_does_not_explain_why_a_source_was_not_asked() {
        let now = Timestamp::parse_rfc3339("2026-11-19T07:00:00Z").unwrap();
        let source = |kind, not_before: Option<&str>| Source {
            kind,
            not_before: not_before.map(|time| Timestamp::parse_rfc3339(time).unwrap()),
            ..Source::never_fetched(TopicId::of(&["t"]), &NewSource::default())
        };
        for (not_before, expected) in [
            (None, true),
            (Some("2026-11-18T07:00:00Z"), true),
            (Some("2026-11-19T06:30:00Z"), false),
            (Some("2026-11-19T09:00:00Z"), false),
        ] {
            assert_eq!(waits_for_host(&source(SourceKind::Feed, not_before), now), expected, "{not_before:?}");
            assert!(!waits_for_host(&source(SourceKind::Signal, not_before), now), "{not_before:?}");
        }
    }
}
