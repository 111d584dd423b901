//! Fetches the sources of a stage: of each host one after the other, and several hosts at once. Input: the sources that
//! are due. Output: their fetches, in the order of the sources, to be stored. Called by the ingest stage.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use aha_core::fetch::FetchErrorKind;
use aha_core::source::{Source, SourceHealth, SourceKind, Validators};
use aha_core::time::Timestamp;
use aha_llm::{Executed, NotSent};
use aha_store::{FetchCommit, FetchStatus, StoreError};
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use tokio::sync::mpsc;

use super::commit::{empty_commit, fail, fill, schedule};
use super::held_bytes::{Held, HeldBytes};
use super::host_queues::{HostQueues, Queued};
use super::{RunContext, RunError};
use crate::pipeline::signals::{self, DisabledReason};
use crate::pipeline::task_batch::scope_for;
use crate::pipeline::{documents, full_text, paid_search};
use crate::sources::FetchResult;
use crate::sources::fetch::{FetchError, Fetcher, Freshness, MAX_RETRY_AFTER, shown_address};
use crate::sources::signal::SearchResponse;

/// Maximum number of fetches in progress.
const FETCHES_IN_PROGRESS: usize = 30;
/// While fetched sources of this many bytes are not stored yet, only the one to be stored next is fetched. Bounds what
/// waits to be stored, also while its pages are read; the bodies of fetches in progress come on top.
const MAX_HELD_BYTES: u64 = 16 * 1024 * 1024;

/// A fetch with the memory that it holds until it is stored.
pub(super) type HeldFetch = (SourceFetch, Held);

/// What fetches the sources of a stage.
pub(super) struct Fetches<'a> {
    context: &'a RunContext,
    fetcher: Fetcher,
    held: Arc<HeldBytes>,
}

/// A part of a fetch, with the place at which it is stored.
enum Step {
    Request(Box<Queued>),
    /// The pages that a source's teasers link to. They occupy no host, because they may be of any.
    Pages(usize, Box<(Source, FetchCommit, Held)>),
}

/// A part of a fetch that has ended. The host is that of a request.
struct Ended {
    place: usize,
    host: Option<String>,
    fetch: Result<HeldFetch, RunError>,
}

impl<'a> Fetches<'a> {
    /// `is_paid`: the sources are searches. They are stored after the last one, so none waits for another to be stored.
    pub(super) fn of(context: &'a RunContext, is_paid: bool) -> Self {
        let max_held_bytes = if is_paid { u64::MAX } else { MAX_HELD_BYTES };
        Self { context, fetcher: context.app.fetcher().for_run(), held: HeldBytes::up_to(max_held_bytes) }
    }

    /// Fetches all, and sends them on in their order until the receiver is dropped.
    pub(super) async fn run(
        &self,
        due: Vec<Source>,
        finished: mpsc::UnboundedSender<Result<HeldFetch, RunError>>,
    ) -> Result<(), RunError> {
        let mut waiting = HostQueues::of(due);
        let mut in_progress = FuturesUnordered::new();
        let mut ready: BTreeMap<usize, Result<HeldFetch, RunError>> = BTreeMap::new();
        let mut next_place = 0;
        loop {
            while in_progress.len() < FETCHES_IN_PROGRESS {
                let next = if self.held.is_full() { waiting.at(next_place) } else { waiting.next() };
                let Some(queued) = next else { break };
                in_progress.push(self.step(Step::Request(Box::new(queued))));
            }
            let ended = tokio::select! {
                ended = in_progress.next() => ended,
                () = self.held.freed() => continue,
            };
            // Nothing is left to be started either: without a fetch in progress, no host is occupied.
            let Some(Ended { place, host, fetch }) = ended else { return Ok(()) };
            waiting.release(host.as_deref());
            match fetch {
                Ok((SourceFetch { commit, next: Next::Pages(source) }, held)) => {
                    in_progress.push(self.step(Step::Pages(place, Box::new((*source, commit, held)))));
                }
                fetch => {
                    ready.insert(place, fetch);
                }
            }
            while let Some(fetch) = ready.remove(&next_place) {
                next_place += 1;
                if finished.send(fetch).is_err() {
                    return Ok(());
                }
            }
        }
    }

    async fn step(&self, step: Step) -> Ended {
        match step {
            Step::Request(queued) => {
                let Queued { place, source, host } = *queued;
                let fetch = fetch(self, source).await.map(|fetch| self.holding(fetch));
                Ended { place, host, fetch }
            }
            Step::Pages(place, fetched) => {
                let (source, mut commit, held) = *fetched;
                if full_text::read(self.context, &self.fetcher, &source, &mut commit.items).await {
                    // So that the next fetch is given the items again.
                    commit.validators = Validators::default();
                }
                Ended { place, host: None, fetch: Ok((commit.into(), held)) }
            }
        }
    }

    /// A fetch without items holds next to nothing.
    fn holding(&self, fetch: SourceFetch) -> HeldFetch {
        let bytes = if fetch.commit.items.is_empty() { 0 } else { fetch.commit.bytes };
        (fetch, self.held.hold(bytes))
    }
}

/// A fetch of a source.
pub(super) struct SourceFetch {
    pub(super) commit: FetchCommit,
    pub(super) next: Next,
}

/// What is to be done before a fetch is stored.
pub(super) enum Next {
    Store,
    /// Read the pages that the source's teasers link to.
    Pages(Box<Source>),
    /// Read the results of a search. With the response's freshness.
    Results(Box<(Source, SearchResponse, Freshness)>),
}

impl From<FetchCommit> for SourceFetch {
    fn from(commit: FetchCommit) -> Self {
        Self { commit, next: Next::Store }
    }
}

/// Fetches a source. A failure of the source is not an error but is stored.
async fn fetch(fetches: &Fetches<'_>, source: Source) -> Result<SourceFetch, RunError> {
    let context = fetches.context;
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
    let response = match (source.kind, context.app.connectors().of(source.kind)) {
        (_, None) => return Ok(read_documents(context, &source, commit).await?.into()),
        (SourceKind::Signal, _) => searched(context, &source).await?,
        (_, Some(connector)) => connector.fetch(&source, &fetches.fetcher).await,
    };
    commit.finished_at = clock.now();
    let filled = match response {
        Ok(result) => {
            let freshness = result.freshness;
            fill(&mut commit, &source, result).await.map(|found| (found, freshness))
        }
        Err(error) => Err(error),
    };
    match filled {
        Ok((Some(found), freshness)) => {
            return Ok(SourceFetch { commit, next: Next::Results(Box::new((source, found, freshness))) });
        }
        Ok((None, freshness)) => {
            schedule(&mut commit, &source, freshness, context.app.jitter());
            if source.full_text {
                return Ok(SourceFetch { commit, next: Next::Pages(Box::new(source)) });
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
    let read = documents::refresh(&context.app, Some(&context.lease), source).await;
    commit.finished_at = context.app.clock().now();
    match read {
        Ok(refreshed) => {
            commit.health = SourceHealth::Ok;
            for (path, reason) in &refreshed.failed {
                tracing::warn!(source = %shown_address(&source.url), %path, %reason, "a document cannot be read");
            }
            let others = refreshed.failed.len().saturating_sub(1);
            commit.error = refreshed.failed.into_iter().next().map(|(path, reason)| {
                let more = if others == 0 { String::new() } else { format!(", and {others} more") };
                format!("{path}: {reason}{more}")
            });
        }
        Err(RunError::Fetch(error)) => fail(&mut commit, source, &error, context.app.jitter()),
        Err(RunError::Store(StoreError::NotFound { .. })) => {
            let source = shown_address(&source.url);
            tracing::info!(%source, "the source was removed while its documents were read");
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
    match paid_search::search(&context.app, &scope_for(context, String::new()), source).await? {
        Executed::Answered(fetched) => Ok(fetched),
        Executed::Failed(failed) => disabled((FetchErrorKind::SearchFailed, failed.error.to_string())),
        Executed::NotSent(NotSent::NoBudget(exhausted)) => disabled((FetchErrorKind::NoBudget, exhausted.why)),
        Executed::NotSent(NotSent::CircuitOpen { why, .. } | NotSent::Unusable(why)) => {
            disabled((FetchErrorKind::NotSent, why))
        }
        Executed::NotSent(NotSent::Interrupted) => Err(RunError::Interrupted),
    }
}

/// Whether a time is to come, at most that far. One that is further away was noted by a clock that was wrong.
pub(super) fn is_within(time: Option<Timestamp>, now: Timestamp, limit: Duration) -> bool {
    time.is_some_and(|time| now < time && time <= now + limit)
}
