//! Stories: finds one by its rank or id, and gathers everything that explains it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use aha_core::digest::{DigestHead, DigestStory};
use aha_core::feedback::FeedbackKind;
use aha_core::ids::{DigestItemId, ItemId, TopicId};
use aha_core::story::fingerprint;
use aha_core::topic::{BudgetTier, DEFAULT_TOPIC, topic_option};
use aha_llm::tasks::{deep_summary, entity_extract, triage};
pub use aha_store::StoryAppearance;
use aha_store::{AnswerKey, DigestItemRecord};
use serde::Serialize;

use super::accounts::FeedbackUser;
use super::calls::CallRecord;
use super::id_prefix::{self, MIN_DIGITS, id_prefix};
use super::{Result, ServiceError, digests, topics};
use crate::app::App;

/// A rank has at most this number of digits; more are the beginning of an id.
const MAX_RANK_DIGITS: usize = 3;

/// The next step where an id is wrong.
const WHERE_IDS_ARE: &str = "`aha-radar digest` and `aha-radar search` show the ids";

/// Digest items read for the beginning of an id: one more than are named.
const READ: i64 = 6;

/// A line of a digest, and that digest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundStory {
    pub digest: DigestHead,
    pub story: DigestStory,
}

/// Returns whether its digest shows the story. It may have left the story out, or show it no longer since it was made
/// again; the store then returns the story without rank and scores, by the id that its line had or would have.
#[must_use]
pub fn is_shown(story: &DigestStory) -> bool {
    story.rank > 0
}

/// Finds a story by its rank in the topic's latest digest with stories, or by the id of a line of any digest or the
/// beginning of it, also of a line that the digest had before it was made again. The whole id of an item stands for its
/// line as well, in that topic if it has one there.
///
/// # Errors
/// When nothing matches, or more than one.
pub async fn find(app: &App, item: &str, topic: &str) -> Result<FoundStory> {
    let is_rank = item.len() <= MAX_RANK_DIGITS && item.bytes().all(|byte| byte.is_ascii_digit());
    match item.parse::<usize>().ok().filter(|_| is_rank) {
        Some(rank) => by_rank(app, rank, topic).await,
        None => by_line_or_item(app, item, topic).await,
    }
}

/// Like [`find`], in the topic `default` if none is given. A given topic applies to ids, too.
///
/// # Errors
/// When nothing matches, or more than one, or the story is of another topic than the given one.
pub async fn find_in(app: &App, item: &str, topic: Option<&str>) -> Result<FoundStory> {
    let found = find(app, item, topic.unwrap_or(DEFAULT_TOPIC)).await?;
    let Some(topic) = topic.filter(|topic| found.digest.topic != *topic) else { return Ok(found) };
    topics::find(app, topic).await?;
    let of = &found.digest.topic;
    let next = format!("leave out --topic, or take an id that `aha-radar search{}` shows", topic_option(topic));
    Err(ServiceError::invalid("topic", format!("{item} is a story of topic {of:?}, not of topic {topic:?}; {next}")))
}

async fn by_line_or_item(app: &App, item: &str, topic: &str) -> Result<FoundStory> {
    let no_line = match by_id(app, find_id(app, item).await?).await {
        Err(error @ ServiceError::NotFound { .. }) => error,
        found => return found,
    };
    let Ok(item) = item.parse::<ItemId>() else { return Err(no_line) };
    let topics: Vec<TopicId> = app.store().topic(topic).await?.into_iter().map(|topic| topic.id).collect();
    match lines(app, &[item], &topics).await?.get(&item) {
        Some(line) => by_id(app, line.id).await,
        None => Err(no_line),
    }
}

async fn by_rank(app: &App, rank: usize, topic: &str) -> Result<FoundStory> {
    let digest = digests::latest_with_stories(app, topic).await?;
    let count = digest.stories.len();
    let found = digest.stories.into_iter().find(|story| story.rank == rank);
    let there = match count {
        0 => format!("no digest of topic {topic:?} has a story"),
        count => format!("the newest digest of topic {topic:?} with stories has the ranks 1 to {count}"),
    };
    let none = || format!("{there}; got {rank}. Each line of any digest shows the story's id, which does as well");
    let story = found.ok_or_else(|| ServiceError::not_found("story", none()))?;
    Ok(FoundStory { digest: digest.head, story })
}

/// Returns a story by the id of its line.
///
/// # Errors
/// When no digest has it.
pub async fn by_id(app: &App, id: DigestItemId) -> Result<FoundStory> {
    let found = app.store().digest_line(id).await?.map(|(digest, story)| FoundStory { digest, story });
    found.ok_or_else(|| ServiceError::not_found("story", format!("no digest has an item {id}; {WHERE_IDS_ARE}")))
}

/// Resolves an id or the beginning of one.
async fn find_id(app: &App, item: &str) -> Result<DigestItemId> {
    if let Ok(id) = item.parse() {
        return Ok(id);
    }
    let Some(prefix) = id_prefix(item) else {
        let expected = format!(
            "a rank in the newest digest nor the id of a digest item, or {MIN_DIGITS} or more of its first digits"
        );
        return Err(ServiceError::invalid("item", format!("{item:?} is neither {expected}; {WHERE_IDS_ARE}")));
    };
    let found = app.store().digest_items(&prefix, READ).await?;
    match found.as_slice() {
        [] => {
            let message = format!("no digest has an item whose id begins with {prefix}; {WHERE_IDS_ARE}");
            Err(ServiceError::not_found("story", message))
        }
        [one] => Ok(one.id),
        several => Err(ServiceError::invalid("item", ambiguous(&prefix, several))),
    }
}

fn ambiguous(prefix: &str, several: &[DigestItemRecord]) -> String {
    let lines = several.iter().map(|one| format!("{}  {}  {}", one.id, one.window_end, one.title));
    id_prefix::ambiguous("digest items", prefix, lines)
}

/// Returns the markup of the story's items that have some, sanitised for display in a page.
///
/// # Errors
/// When the store fails.
pub async fn markup(app: &App, story: &DigestStory) -> Result<BTreeMap<ItemId, String>> {
    let items: Vec<ItemId> = story.sources.iter().map(|source| source.item_id).collect();
    Ok(app.store().items_html(&items).await?.into_iter().collect())
}

/// Returns the newest digest line of each of these items, in all topics.
///
/// # Errors
/// When the store fails.
pub async fn newest_lines(app: &App, items: &[ItemId]) -> Result<HashMap<ItemId, DigestItemId>> {
    Ok(app.store().newest_digest_items_of_all_topics(items).await?.into_iter().collect())
}

/// The digest line of an item's story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoryLine {
    pub id: DigestItemId,
    /// False if the digest does not show the story: the id is then that of the line that it would have.
    pub is_shown: bool,
}

/// Returns the line by which the story of each of these items is named in these topics: the newest that their digests
/// show, else that of a story that they leave out, else the newest of another topic. No topics stand for all.
///
/// # Errors
/// When the store fails.
pub async fn lines(app: &App, items: &[ItemId], topics: &[TopicId]) -> Result<HashMap<ItemId, StoryLine>> {
    let store = app.store();
    let mut lines: HashMap<ItemId, StoryLine> = HashMap::new();
    let mut add = |found: Vec<(ItemId, DigestItemId)>, is_shown| -> Vec<ItemId> {
        for (item, id) in found {
            lines.entry(item).or_insert(StoryLine { id, is_shown });
        }
        items.iter().filter(|item| !lines.contains_key(*item)).copied().collect()
    };
    let mut missing = items.to_vec();
    for topic in topics {
        missing = add(store.newest_digest_items(*topic, &missing).await?, true);
    }
    if topics.is_empty() {
        missing = add(store.newest_digest_items_of_all_topics(&missing).await?, true);
    }
    if !missing.is_empty() {
        missing = add(store.unshown_digest_items(topics, &missing).await?, false);
    }
    if !missing.is_empty() && !topics.is_empty() {
        add(store.newest_digest_items_of_all_topics(&missing).await?, true);
    }
    Ok(lines)
}

/// Everything known about a story in a digest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedStory {
    pub digest: DigestHead,
    /// With its members, the judgement, and every term of its score.
    pub story: DigestStory,
    /// All digests that showed it, this one included, the newest first.
    pub appearances: Vec<StoryAppearance>,
    /// The calls whose answers it is based on. One call may have been about several stories: see `stories`.
    pub calls: Vec<CallRecord>,
    /// The user's feedback on it.
    pub feedback: BTreeSet<FeedbackKind>,
}

/// Explains a story.
///
/// # Errors
/// When the store fails.
pub async fn explain(app: &App, user: FeedbackUser, found: FoundStory) -> Result<ExplainedStory> {
    let FoundStory { digest, story } = found;
    Ok(ExplainedStory {
        appearances: app.store().story_appearances(story.cluster_id).await?,
        calls: calls_about(app, &story).await?,
        feedback: feedback_on(app, user, &digest.topic, &story).await?,
        digest,
        story,
    })
}

/// Returns the calls for the judgement, the summary and the entities that the digest shows.
async fn calls_about(app: &App, story: &DigestStory) -> Result<Vec<CallRecord>> {
    let entities = story.entities.as_ref().map(|entities| &entities["prompt_id"]);
    let answered = [
        (triage::TASK, story.triage.as_ref().map(|triage| triage.prompt_id.clone())),
        (deep_summary::TASK, story.summary.as_ref().map(|summary| summary.prompt_id.clone())),
        (entity_extract::TASK, entities.and_then(|id| id.as_str()).map(str::to_owned)),
    ];
    let mut calls: BTreeMap<String, CallRecord> = BTreeMap::new();
    for (task, prompt_id) in answered {
        let Some(prompt_id) = prompt_id else { continue };
        let key = AnswerKey {
            task: task.as_str(),
            tier: BudgetTier::Low,
            prompt_id,
            schema_version: task.schema_version(),
            fingerprint: fingerprint(story.cluster_id, story.score_debug.evidence.distinct_sources),
        };
        let made = app.store().calls_of_answer(&key).await?.into_iter();
        calls.extend(made.map(|call| (call.id.clone(), call)));
    }
    let mut calls: Vec<CallRecord> = calls.into_values().collect();
    calls.sort_by_key(|call| call.started_at);
    Ok(calls)
}

async fn feedback_on(
    app: &App,
    user: FeedbackUser,
    topic: &str,
    story: &DigestStory,
) -> Result<BTreeSet<FeedbackKind>> {
    let topic = topics::find(app, topic).await?;
    let items: Vec<ItemId> = story.sources.iter().map(|source| source.item_id).collect();
    let said = app.store().feedback_on(user.id(), topic.id, &items).await?;
    Ok(said.into_iter().map(|(_, kind)| kind).collect())
}
