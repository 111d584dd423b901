//! Past runs with their attempts.

use std::collections::HashSet;

use aha_core::ids::{DigestId, RunId};
use aha_core::run::{AttemptOutcome, Run, RunAttempt, RunMode};
use aha_core::time::Timestamp;
use aha_store::DigestFilter;
use serde::Serialize;

use super::RunChoice;
use crate::app::App;
use crate::services::id_prefix::{self, id_prefix};
use crate::services::{Result, ServiceError, topics};

/// A run with its attempts, and the id of its digest once it is done. Retention may have removed the digest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PastRun {
    pub run: Run,
    pub digest_id: DigestId,
    pub attempts: Vec<RunAttempt>,
}

/// Returns a run by its id.
///
/// # Errors
/// When there is none.
pub async fn by_id(app: &App, id: RunId) -> Result<PastRun> {
    let found = app.store().run(id).await?;
    let none = || ServiceError::not_found("run", format!("there is no run {id}; `aha-radar runs` lists them"));
    found.map(PastRun::from).ok_or_else(none)
}

/// Returns a run by its id or that of its digest, or the beginning of one.
///
/// # Errors
/// When there is none, or several match.
pub async fn by_prefix(app: &App, id: &str) -> Result<PastRun> {
    let none = || ServiceError::not_found("run", format!("no run is {id:?}; `aha-radar runs` lists them"));
    let run = one_by_id(app, id, |_| true).await?.ok_or_else(none)?;
    by_id(app, run.id).await
}

/// Returns the choice that continues a past run, or makes it once more.
///
/// # Errors
/// When its topic no longer exists.
pub async fn choice_to_repeat(app: &App, past: &PastRun) -> Result<RunChoice> {
    let topic = topics::list(app).await?.into_iter().find(|topic| topic.id == past.run.topic_id);
    let none = "the run's topic was removed; choose another run, `aha-radar runs` lists them";
    let topic = topic.ok_or_else(|| ServiceError::not_found("topic", none))?;
    Ok(past.choice_to_repeat(&topic.name))
}

/// Lists runs of one topic or of all, the newest window first.
///
/// # Errors
/// When there is no such topic.
pub async fn history(app: &App, topic: Option<&str>, limit: i64) -> Result<Vec<PastRun>> {
    let topic = match topic {
        Some(name) => Some(topics::find(app, name).await?.id),
        None => None,
    };
    Ok(app.store().runs(topic, limit).await?.into_iter().map(PastRun::from).collect())
}

/// Returns ids of stored digests of a topic, at least those of the given runs; retention removes digests, and keeps
/// runs. All runs belong to one topic.
///
/// # Errors
/// When the store fails.
pub async fn stored_digests(app: &App, runs: &[PastRun]) -> Result<HashSet<DigestId>> {
    let Some(first) = runs.iter().map(|past| &past.run).min_by_key(|run| run.window.end) else {
        return Ok(HashSet::new());
    };
    let before_first = Timestamp::from_millis(first.window.end.as_millis() - 1);
    let filter =
        DigestFilter { topic: Some(first.topic_id), ends_after: Some(before_first), ends_until: None, limit: i64::MAX };
    Ok(app.store().digest_entries(&filter).await?.into_iter().map(|entry| entry.head.id).collect())
}

/// Returns a topic's run by its id.
///
/// # Errors
/// When there is no such topic or run.
pub async fn find(app: &App, topic: &str, id: RunId) -> Result<PastRun> {
    let of_topic = topics::find(app, topic).await?.id;
    let found = app.store().run(id).await?.filter(|(run, _)| run.topic_id == of_topic);
    let none = || format!("topic {topic:?} has no run {id}; `aha-radar runs` lists them");
    found.map(PastRun::from).ok_or_else(|| ServiceError::not_found("run", none()))
}

/// Returns the run whose id, or whose stored digest's, is `id` or begins with it, of those that `is_candidate` accepts;
/// `None` if no run matches, or `id` is none.
///
/// # Errors
/// When several match.
pub(in crate::services) async fn one_by_id(
    app: &App,
    id: &str,
    is_candidate: impl Fn(&Run) -> bool,
) -> Result<Option<Run>> {
    let Some(prefix) = id_prefix(id) else { return Ok(None) };
    let mut found = app.store().runs_by_id_prefix(&prefix).await?;
    found.retain(is_candidate);
    if found.len() > 1 {
        let digest = |run: &Run| DigestId::of(&[&run.id.to_string()]).to_string();
        let lines = found.iter().map(|run| format!("{}  {}, with the digest {}", run.id, run.window, digest(run)));
        return Err(ServiceError::invalid("run", id_prefix::ambiguous("runs or digests", &prefix, lines)));
    }
    Ok(found.pop())
}

impl From<(Run, Vec<RunAttempt>)> for PastRun {
    fn from((run, attempts): (Run, Vec<RunAttempt>)) -> Self {
        Self { digest_id: DigestId::of(&[&run.id.to_string()]), run, attempts }
    }
}

impl PastRun {
    /// Returns the choice that continues it, or makes it once more.
    #[must_use]
    pub fn choice_to_repeat(&self, topic: &str) -> RunChoice {
        let window = match self.run.mode {
            // A cursor run continues the unfinished run.
            RunMode::Cursor => None,
            RunMode::Window => Some(format!("{}..{}", self.run.window.start, self.run.window.end)),
        };
        RunChoice { topic: topic.to_owned(), window, rejudge: false }
    }

    /// Returns whether no attempt has finished it and no process is running it.
    #[must_use]
    pub fn is_broken_off(&self) -> bool {
        !self.run.done && self.attempts.last().is_none_or(|attempt| attempt.outcome != AttemptOutcome::Running)
    }
}
