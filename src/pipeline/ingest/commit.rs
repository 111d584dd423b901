//! What is stored of a fetch: its row, the source's health and schedule, and the items.

use aha_core::fetch::FetchErrorKind;
use aha_core::ids::FetchRunId;
use aha_core::item::NewItem;
use aha_core::source::{Source, SourceHealth};
use aha_core::time::Timestamp;
use aha_store::{FetchCommit, FetchStatus, IdentifiedItem};

use super::RunContext;
use crate::sources::blocking_pool::run_blocking;
use crate::sources::fetch::{FetchError, Freshness, shown_address};
use crate::sources::signal::SearchResponse;
use crate::sources::{FetchOutcome, FetchResult, fetch_schedule, identity};

pub(super) fn empty_commit(context: &RunContext, source: &Source, started_at: Timestamp) -> FetchCommit {
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
        next_check_at: None,
        check_interval: None,
        moved_to: None,
        catch_up_from: source.unread_since(),
        is_first: source.last_ok_at.is_none(),
        items: Vec::new(),
    }
}

/// Fills in what can be stored at once; returns results that are still to be read.
///
/// # Errors
/// When the items cannot be processed. Nothing is filled in then, so that the next fetch is given all of them again.
pub(super) async fn fill(
    commit: &mut FetchCommit,
    source: &Source,
    fetched: FetchResult,
) -> Result<Option<SearchResponse>, FetchError> {
    let mut results = None;
    match fetched.outcome {
        FetchOutcome::NotModified => commit.status = FetchStatus::NotModified,
        FetchOutcome::Feed(feed) => {
            for problem in &feed.problems {
                tracing::debug!(source = %shown_address(&source.url), problem, "the feed was repaired");
            }
            commit.items = identify(commit, feed.items).await?;
            identity::mark_items_of_site(&mut commit.items, &source.url, feed.link.as_deref());
            if let Some(left_out) = feed.left_out {
                tracing::warn!(source = %shown_address(&source.url), %left_out, "not all items of a feed are used");
                commit.error = Some(left_out);
            }
            commit.feed_title = feed.title.filter(|title| !title.is_empty());
        }
        FetchOutcome::Results(found) => {
            commit.feed_title = Some(found.title.clone());
            results = Some(found);
        }
    }
    commit.health = SourceHealth::Ok;
    commit.http_status = fetched.http_status;
    commit.bytes = fetched.bytes;
    commit.validators = fetched.validators;
    commit.moved_to = fetched.moved_to;
    Ok(results)
}

/// Gives the items of a fetch their ids and hashes.
///
/// # Errors
/// `unparseable` if that panics, which is a bug.
pub(super) async fn identify(commit: &FetchCommit, items: Vec<NewItem>) -> Result<Vec<IdentifiedItem>, FetchError> {
    let (id, fetched_at) = (commit.source, commit.finished_at);
    let identified = run_blocking(move || identity::identify(id, items, fetched_at)).await;
    let reason = "an item of it cannot be processed, which is a bug of Aha Radar; see the log";
    identified.await.map_err(|_| FetchError::Unparseable { reason: reason.to_owned() })
}

/// Sets the time of the next fetch after a successful one.
pub(super) fn schedule(commit: &mut FetchCommit, source: &Source, freshness: Freshness, jitter: f64) {
    let published: Vec<Timestamp> = commit.items.iter().filter_map(|item| item.published_at).collect();
    let interval = fetch_schedule::interval(source.check_interval, &published, commit.finished_at);
    commit.check_interval = Some(interval);
    // A file has no host to be polite to.
    let is_remote = commit.http_status.is_some();
    commit.next_check_at = is_remote.then(|| commit.finished_at + fetch_schedule::wait(interval, freshness, jitter));
    commit.not_before = freshness.limited_for.map(|wait| commit.finished_at + wait);
}

pub(super) fn fail(commit: &mut FetchCommit, source: &Source, error: &FetchError, jitter: f64) {
    if let FetchError::HostLimited { host, wait } = error {
        let until = commit.finished_at + *wait;
        commit.not_before = Some(until);
        let reason = format!("{host} asked for no request before {until}, when it is asked again");
        postpone(commit, reason);
        return;
    }
    if matches!(error, FetchError::HostSilent { .. }) {
        postpone(commit, error.to_string());
        return;
    }
    let (address, kind) = (shown_address(&source.url), error.kind().as_str());
    tracing::debug!(source = %address, kind, %error, "a source failed");
    commit.http_status = error.http_status();
    commit.not_before = error.retry_after().map(|wait| commit.finished_at + wait);
    mark(commit, source, error.kind(), error.to_string(), jitter);
}

/// Has the source wait because of what its host did in answer to another one. It did not fail itself, so its health and
/// its next check stay.
fn postpone(commit: &mut FetchCommit, reason: String) {
    commit.status = FetchStatus::Waiting;
    commit.error = Some(reason);
}

/// Marks the source as failed; it shows the error until a fetch succeeds.
pub(super) fn mark(commit: &mut FetchCommit, source: &Source, kind: FetchErrorKind, error: String, jitter: f64) {
    commit.status = FetchStatus::Error(kind);
    commit.health = if kind == FetchErrorKind::Gone { SourceHealth::Gone } else { SourceHealth::Failing };
    commit.error = Some(error);
    let pause = fetch_schedule::pause(source.consecutive_failures.saturating_add(1), jitter);
    commit.next_check_at = pause.map(|wait| commit.finished_at + wait);
}
