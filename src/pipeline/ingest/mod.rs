//! Stages 1 and 2, ingest and search: fetch every source that is due, in parallel, and store their items, in the order
//! of the sources' addresses. Searches are the sources that cost credits.
//!
//! Input: the topic's enabled sources; in a scheduled run only those whose next check is due. Output: `fetch_runs`,
//! `content_items`, source health. A source that fails is marked with the reason; the others continue. Committing in a
//! fixed order determines which of two sources with the same link comes first, however fast each server answers.

mod commit;

use std::collections::{HashMap, HashSet};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use aha_content::numbers::count;
use aha_core::failures::{Failure, group_failures};
use aha_core::ids::SourceId;
use aha_core::source::{Source, SourceHealth, SourceKind, Validators};
use aha_core::time::Timestamp;
use aha_llm::{Executed, NotSent};
use aha_store::{FetchCommit, FetchCounts, FetchStatus, StoreError};
use commit::{empty_commit, fail, fill, identify, mark, schedule};
use futures::{Stream, StreamExt as _};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::signals::DisabledReason;
use super::task_batch::{scope_for, until_stopped};
use super::{RunContext, RunError, SourceOutcome, Stage, documents, full_text, signals};
use crate::sources::FetchResult;
use crate::sources::fetch::{FetchError, Freshness, MAX_RETRY_AFTER};
use crate::sources::fetch_schedule;
use crate::sources::signal::SearchResponse;

/// Maximum number of fetches finished or under way while an earlier one is still awaited or stored; bounds memory use.
const FETCHES_AHEAD: usize = 30;
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

/// Stage 2: reads the sources that are searches, which cost money. Their addresses sort after all others, so they are
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

/// Whether a time is to come, at most that far. One that is further away was noted by a clock that was wrong.
fn is_within(time: Option<Timestamp>, now: Timestamp, limit: Duration) -> bool {
    time.is_some_and(|time| now < time && time <= now + limit)
}

async fn read(context: &RunContext, stage: Stage, due: Vec<Source>) -> Result<(), RunError> {
    context.progress.begin(stage, due.len());
    let urls: HashMap<SourceId, String> = due.iter().map(|source| (source.id, source.url.clone())).collect();
    let mut failed = Vec::new();
    let is_paid = stage == Stage::Search;
    let permits = Arc::new(Semaphore::new(if is_paid { due.len() } else { FETCHES_AHEAD }));
    let fetches =
        futures::stream::iter(due).map(|source| fetch_with_permit(context, source, &permits)).buffered(FETCHES_AHEAD);
    let (finished, to_commit) = mpsc::unbounded_channel();
    let ended = if is_paid {
        // Searches under way are not dropped when the attempt is to end, because their results are paid for.
        until_stopped(context, forward(fetches, finished)).await?;
        commit_all(context, to_commit, &mut failed).await
    } else {
        // While one fetch is being read or stored the others continue: their servers do not wait.
        let both = tokio::try_join!(commit_all(context, to_commit, &mut failed), forward(fetches, finished));
        both.map(|(total, ())| total)
    };
    log_failures(&urls, &failed);
    let total = ended?;
    let read = count(total.seen, "item", "items");
    context.progress.end(stage, &format!("{read} read, {} new, {} changed", total.new, total.updated));
    Ok(())
}

/// A source, with the kind and the message of its failure.
type Failed = (SourceId, String, String);

/// Logs identical failures in one line.
fn log_failures(urls: &HashMap<SourceId, String>, failed: &[Failed]) {
    let url = |id| urls.get(id).map_or("", String::as_str);
    for group in group_failures(failed.iter().map(|(id, kind, reason)| Failure { url: url(id), kind, reason })) {
        let (failed, sources) = (group.urls.len(), group.names());
        tracing::warn!(failed, %sources, kind = group.kind, error = %group.reason, "sources failed; the others go on");
    }
}

/// A fetch with its permit, which is released once the fetch is stored. This limits the number of fetches in memory.
type PermittedFetch = (SourceFetch, Option<OwnedSemaphorePermit>);

async fn fetch_with_permit(
    context: &RunContext,
    source: Source,
    permits: &Arc<Semaphore>,
) -> Result<PermittedFetch, RunError> {
    // The semaphore is never closed.
    let permit = Arc::clone(permits).acquire_owned().await.ok();
    Ok((fetch(context, source).await?, permit))
}

/// Sends the fetches on, in order, until the receiver is dropped.
async fn forward(
    fetches: impl Stream<Item = Result<PermittedFetch, RunError>>,
    finished: mpsc::UnboundedSender<Result<PermittedFetch, RunError>>,
) -> Result<(), RunError> {
    let mut fetches = pin!(fetches);
    while let Some(fetch) = fetches.next().await {
        if finished.send(fetch).is_err() {
            break;
        }
    }
    Ok(())
}

async fn commit_all(
    context: &RunContext,
    mut fetches: mpsc::UnboundedReceiver<Result<PermittedFetch, RunError>>,
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
    first: PermittedFetch,
    fetches: &mut mpsc::UnboundedReceiver<Result<PermittedFetch, RunError>>,
    failed: &mut Vec<Failed>,
) -> Result<FetchCounts, RunError> {
    let (fetch, permit) = first;
    let (mut commits, mut permits) = (vec![read_search_results(context, fetch).await?], vec![permit]);
    while commits.len() < MAX_COMMITTED_TOGETHER
        && let Ok(fetch) = fetches.try_recv()
    {
        let (fetch, permit) = fetch?;
        commits.push(read_search_results(context, fetch).await?);
        permits.push(permit);
    }
    // A separate task, so that this one continues with the fetches.
    let (store, lease) = (Arc::clone(context.store()), context.lease.clone());
    let committing =
        tokio::spawn(async move { store.commit_fetches(&lease, &commits).await.map(|counts| (counts, commits)) });
    let (counts, commits) = committing.await??;
    for commit in commits {
        context.progress.step(&commit.source.to_string());
        if let (FetchStatus::Error, Some((kind, reason))) = (commit.status, commit.error) {
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
        status: source.last_error_kind.clone().unwrap_or_else(|| "failing".to_owned()),
        error: source.last_error.clone(),
    });
    Ok(records
        .into_iter()
        .map(|record| SourceOutcome {
            source: record.source,
            status: match (record.status, record.error_kind) {
                (FetchStatus::Error, Some(kind)) => kind,
                (FetchStatus::NotModified, _) => FetchStatus::Ok.as_str().to_owned(),
                (status, _) => status.as_str().to_owned(),
            },
            error: record.error,
        })
        .chain(not_fetched)
        .collect())
}

/// A fetch of a source, ready to be stored.
struct SourceFetch {
    commit: FetchCommit,
    /// The results of a search that have not been read yet, and the response's freshness.
    found: Option<(Source, SearchResponse, Freshness)>,
}

impl From<FetchCommit> for SourceFetch {
    fn from(commit: FetchCommit) -> Self {
        Self { commit, found: None }
    }
}

/// Fetches a source. A failure of the source is not an error but is stored.
async fn fetch(context: &RunContext, source: Source) -> Result<SourceFetch, RunError> {
    let clock = context.app.clock();
    let started_at = clock.now();
    let mut commit = empty_commit(context, &source, started_at);
    if is_within(source.not_before, started_at, MAX_RETRY_AFTER) {
        commit.status = FetchStatus::Waiting;
        commit.not_before = source.not_before;
        return Ok(commit.into());
    }
    // Results of a search could not be read in a dry run, so the search is not paid for.
    if source.kind == SourceKind::Signal && context.app.gateway().is_dry_run() {
        commit.status = FetchStatus::Waiting;
        return Ok(commit.into());
    }
    let fetched = match (source.kind, context.app.connectors().of(source.kind)) {
        (_, None) => return Ok(read_documents(context, &source, commit).await?.into()),
        (SourceKind::Signal, _) => searched(context, &source).await?,
        (_, Some(connector)) => connector.fetch(&source, context.app.fetcher()).await,
    };
    commit.finished_at = clock.now();
    let filled = match fetched {
        Ok(fetched) => {
            let freshness = fetched.freshness;
            fill(&mut commit, &source, fetched).await.map(|found| (found, freshness))
        }
        Err(error) => Err(error),
    };
    match filled {
        Ok((Some(found), freshness)) => return Ok(SourceFetch { commit, found: Some((source, found, freshness)) }),
        Ok((None, freshness)) => {
            schedule(&mut commit, &source, freshness, context.app.jitter());
            if source.full_text {
                let are_pages_left = full_text::read(context, &source, &mut commit.items).await;
                if are_pages_left {
                    // So that the next fetch is given the items again.
                    commit.validators = Validators::default();
                }
            }
        }
        Err(error) => fail(&mut commit, &source, &error, context.app.jitter()),
    }
    Ok(commit.into())
}

/// Documents are stored separately and are not items; the run only records whether they could be read.
async fn read_documents(
    context: &RunContext,
    source: &Source,
    mut commit: FetchCommit,
) -> Result<FetchCommit, RunError> {
    let read = documents::refresh(&context.app, source).await;
    commit.finished_at = context.app.clock().now();
    match read {
        Ok(refreshed) => {
            commit.health = SourceHealth::Ok;
            for (path, reason) in &refreshed.failed {
                tracing::warn!(source = %source.url, %path, %reason, "a document cannot be read");
            }
            let others = refreshed.failed.len().saturating_sub(1);
            commit.error = refreshed.failed.into_iter().next().map(|(path, reason)| {
                let more = if others == 0 { String::new() } else { format!(", and {others} more") };
                (String::new(), format!("{path}: {reason}{more}"))
            });
        }
        Err(RunError::Fetch(error)) => fail(&mut commit, source, &error, context.app.jitter()),
        Err(RunError::Store(StoreError::NotFound { .. })) => {
            tracing::info!(source = %source.url, "the source was removed while its documents were read");
        }
        Err(error) => return Err(error),
    }
    Ok(commit)
}

/// A search costs money. It is made only if its results can be read, and the budget covers both.
async fn searched(context: &RunContext, source: &Source) -> Result<Result<FetchResult, FetchError>, RunError> {
    let disabled = |(kind, reason): DisabledReason| Ok(Err(FetchError::Search { kind, status: None, reason }));
    if let Some(why) = signals::disabled(context).await? {
        return disabled(why);
    }
    match super::paid_search::search(&context.app, &scope_for(context, String::new()), source).await? {
        Executed::Answered(fetched) => Ok(fetched),
        Executed::Failed(error) => disabled((error.kind(), error.to_string())),
        Executed::NotSent(NotSent::NoBudget(exhausted)) => disabled(("no_budget", exhausted.why)),
        Executed::NotSent(NotSent::CircuitOpen(why) | NotSent::Unusable(why)) => disabled(("not_sent", why)),
        Executed::NotSent(NotSent::Interrupted) => Err(RunError::Interrupted),
    }
}

/// Reads the results of a search, one source after the other, so that a call under way is awaited when a run is to end.
async fn read_search_results(context: &RunContext, fetch: SourceFetch) -> Result<FetchCommit, RunError> {
    let SourceFetch { mut commit, found: Some((source, found, freshness)) } = fetch else { return Ok(fetch.commit) };
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
        tracing::warn!(source = %source.url, %left_out, "not all that a search found is used");
        commit.error = Some((String::new(), left_out));
    }
    if let Some((kind, reason)) = read.disabled {
        mark(&mut commit, &source, (kind.to_owned(), reason), context.app.jitter());
    }
    Ok(commit)
}
