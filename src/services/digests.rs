//! Digests: the latest, one by its id, and the archive by day and topic.

use std::collections::HashMap;

use aha_core::digest::{Digest, DigestHead, DigestStatus, Section};
use aha_core::ids::{DigestId, TopicId};
use aha_core::time::{DAY_MS, Timestamp};
use aha_core::topic::{Topic, topic_option};
pub use aha_store::DigestNeighbours;
use aha_store::{DigestEntry, DigestFilter};
use chrono::NaiveDate;
use chrono_tz::Tz;
use serde::Serialize;

use super::id_prefix::{self, MIN_DIGITS, id_prefix};
use super::{Result, ServiceError, topics};
use crate::app::App;
use crate::digest::{all_sources_failed, header_line};

/// Digests read for the beginning of an id: one more than are named.
const READ: i64 = 6;

/// Stands for a topic's newest digest in place of an id.
pub const LATEST: &str = "latest";

/// Returns a topic's newest digest or its only one of a day, or one of any topic by its id or the beginning of it.
///
/// # Errors
/// When `which` is neither `latest` nor a day nor an id, or no digest matches, or several do.
pub async fn find(app: &App, which: &str, topic: &str) -> Result<Digest> {
    if which == LATEST {
        return latest_by_name(app, topic).await;
    }
    if let Ok(day) = which.parse::<NaiveDate>() {
        return of_day(app, day, topic).await;
    }
    let id = match which.parse() {
        Ok(id) => id,
        Err(_) => find_id(app, which).await?,
    };
    by_id(app, id).await
}

/// Returns the topic's only digest whose window has that last day, as `digest list` shows it.
async fn of_day(app: &App, day: NaiveDate, topic: &str) -> Result<Digest> {
    let filter = ArchiveFilter { topic: Some(topic.to_owned()), first: Some(day), last: Some(day), limit: usize::MAX };
    let found = archive(app, &filter).await?;
    match found.as_slice() {
        [] => {
            let next = format!("`aha-radar digest list{}` shows the days that have one", topic_option(topic));
            let message = format!("no digest of topic {topic:?} has {day} as the last day of its window; {next}");
            Err(ServiceError::not_found("digest", message))
        }
        [one] => by_id(app, one.entry.head.id).await,
        several => {
            let lines = id_prefix::named(several.iter().map(|digest| line(&digest.entry.head)));
            let message =
                format!("several digests of topic {topic:?} have {day} as their last day; give an id:{lines}");
            Err(ServiceError::invalid("digest", message))
        }
    }
}

/// Formats what tells one digest from others: id, topic and window.
fn line(head: &DigestHead) -> String {
    format!("{}  {}  {}..{}", head.id, head.topic, head.window_start, head.window_end)
}

/// Resolves the beginning of an id.
async fn find_id(app: &App, which: &str) -> Result<DigestId> {
    let Some(prefix) = id_prefix(which) else {
        let id = format!("the id of a digest, or {MIN_DIGITS} or more of its first digits");
        let expected = format!("`latest` nor {id}, nor a day such as 2026-11-19");
        let message = format!("{which:?} is neither {expected}; `aha-radar digest list` shows them");
        return Err(ServiceError::invalid("digest", message));
    };
    let found = app.store().digests_by_id_prefix(&prefix, READ).await?;
    match found.as_slice() {
        [] => {
            let message = format!("no digest has an id that begins with {prefix}; `aha-radar digest list` shows them");
            Err(ServiceError::not_found("digest", message))
        }
        [one] => Ok(one.id),
        several => {
            let lines = several.iter().map(line);
            Err(ServiceError::invalid("digest", id_prefix::ambiguous("digests", &prefix, lines)))
        }
    }
}

/// Returns the digest of that id; `None` if there is none, or retention has removed it.
///
/// # Errors
/// When the store fails.
pub async fn find_by_id(app: &App, id: DigestId) -> Result<Option<Digest>> {
    Ok(app.store().digest(id).await?)
}

/// # Errors
/// When there is no digest of that id.
pub async fn by_id(app: &App, id: DigestId) -> Result<Digest> {
    find_by_id(app, id).await?.ok_or_else(|| {
        ServiceError::not_found("digest", format!("there is no digest {id}; `aha-radar digest list` shows them"))
    })
}

/// Returns the digest of a topic with the latest end of its window; of several, the one made last.
///
/// # Errors
/// When there is no such topic, or it has no digest yet.
pub async fn latest_by_name(app: &App, topic: &str) -> Result<Digest> {
    let found = topics::find(app, topic).await?;
    let digest = app.store().latest_digest(found.id).await?;
    digest.ok_or_else(|| {
        let run = format!("aha-radar run{}", topic_option(topic));
        ServiceError::not_found("digest", format!("topic {topic:?} has no digest yet; make one with `{run}`"))
    })
}

/// Returns a topic's digest as [`latest_by_name`] does, of those with stories if there are any: an empty one, of a
/// window in which nothing was published or read, has no ranks.
///
/// # Errors
/// When there is no such topic, or it has no digest yet.
pub async fn latest_with_stories(app: &App, topic: &str) -> Result<Digest> {
    let of_topic = topics::find(app, topic).await?.id;
    match app.store().newest_with_stories(of_topic).await? {
        Some(head) => by_id(app, head.id).await,
        None => latest_by_name(app, topic).await,
    }
}

/// Returns what is wrong with those of the digests for which no source could be read.
///
/// # Errors
/// When the store fails.
pub async fn total_failures(app: &App, digests: &[ArchivedDigest]) -> Result<HashMap<DigestId, String>> {
    let mut failures = HashMap::new();
    for ArchivedDigest { entry, .. } in digests {
        // Only the whole digest tells, and most need not be read for it.
        if entry.head.items > 0 || entry.stories > 0 || entry.head.status != DigestStatus::Partial {
            continue;
        }
        let digest = find_by_id(app, entry.head.id).await?;
        if let Some(digest) = digest.filter(all_sources_failed) {
            failures.insert(digest.head.id, header_line(&digest));
        }
    }
    Ok(failures)
}

/// Returns the digest of a known topic as [`latest_by_name`] does, if there is one.
///
/// # Errors
/// When the store fails.
pub async fn find_latest(app: &App, topic: &Topic) -> Result<Option<Digest>> {
    Ok(app.store().latest_digest(topic.id).await?)
}

/// Returns the id of the newest digest of the topic with that name; `None` if it has none.
///
/// # Errors
/// When there is no such topic or the store fails.
pub async fn latest_id_by_name(app: &App, topic: &str) -> Result<Option<DigestId>> {
    latest_id(app, topics::find(app, topic).await?.id).await
}

/// Returns the id of a topic's newest digest, without reading its stories.
///
/// # Errors
/// When the store fails.
pub(crate) async fn latest_id(app: &App, topic: TopicId) -> Result<Option<DigestId>> {
    let newest = DigestFilter { topic: Some(topic), ends_after: None, ends_until: None, limit: 1 };
    Ok(app.store().digest_entries(&newest).await?.pop().map(|entry| entry.head.id))
}

/// Returns a topic's newest digests, with only the stories of `section` if one is given.
///
/// # Errors
/// When there is no such topic or the store fails.
pub async fn latest_several(app: &App, topic: &str, limit: i64, section: Option<Section>) -> Result<Vec<Digest>> {
    let topic = topics::find(app, topic).await?.id;
    Ok(app.store().recent_digests(topic, limit, section).await?)
}

/// Returns the digests of its topic between which a digest stands.
///
/// # Errors
/// When the store fails.
pub async fn neighbours(app: &App, digest: DigestId) -> Result<DigestNeighbours> {
    Ok(app.store().digest_neighbours(digest).await?)
}

/// Which digests to list: of one topic or all, of days from `first` to `last`, both included.
#[derive(Debug, Clone, Default)]
pub struct ArchiveFilter {
    pub topic: Option<String>,
    pub first: Option<NaiveDate>,
    pub last: Option<NaiveDate>,
    /// Maximum number of digests, the newest first.
    pub limit: usize,
}

/// A digest in the archive.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArchivedDigest {
    /// The last day of its window, in its own time zone.
    pub day: NaiveDate,
    #[serde(flatten)]
    pub entry: DigestEntry,
}

/// Lists digests, the newest window first.
///
/// # Errors
/// When the last day is before the first, the topic does not exist or the store fails.
pub async fn archive(app: &App, filter: &ArchiveFilter) -> Result<Vec<ArchivedDigest>> {
    if let (Some(first), Some(last)) = (filter.first, filter.last)
        && last < first
    {
        return Err(ServiceError::reversed_days(first, last));
    }
    let topic = match &filter.topic {
        Some(name) => Some(topics::find(app, name).await?.id),
        None => None,
    };
    // A day in another zone begins and ends up to a day before or after that in UTC. The query is wider; the exact day
    // is checked afterwards.
    let wanted = DigestFilter {
        topic,
        ends_after: filter.first.map(|day| start_of(day).days_before(1)),
        ends_until: filter.last.map(|day| start_of(day).days_after(2)),
        limit: if filter.first.or(filter.last).is_some() {
            i64::MAX
        } else {
            i64::try_from(filter.limit).unwrap_or(i64::MAX)
        },
    };
    let entries = app.store().digest_entries(&wanted).await?;
    let dated = entries.into_iter().map(|entry| ArchivedDigest { day: day_of(&entry.head), entry });
    let is_wanted = |digest: &ArchivedDigest| {
        filter.first.is_none_or(|first| digest.day >= first) && filter.last.is_none_or(|last| digest.day <= last)
    };
    Ok(dated.filter(is_wanted).take(filter.limit).collect())
}

/// Returns the last day of the window `[start, end)`: one that ends at midnight belongs to the day before.
fn day_of(head: &DigestHead) -> NaiveDate {
    let zone: Tz = head.timezone.parse().unwrap_or(Tz::UTC);
    let last = Timestamp::from_millis(head.window_end.as_millis() - 1).max(head.window_start);
    last.to_utc().with_timezone(&zone).date_naive()
}

fn start_of(day: NaiveDate) -> Timestamp {
    Timestamp::from_millis(i64::from(day.to_epoch_days()) * DAY_MS)
}
