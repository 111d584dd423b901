//! `users`, and the owner's settings in `topics`.

use aha_core::ids::{TopicId, UserId};
use aha_core::time::Timestamp;
use aha_core::topic::{BudgetTier, DigestSizes, Topic};
use async_trait::async_trait;

use super::accounts::INSERT_USER;
use super::{Database, Write};
use crate::error::tier_of;
use crate::records::OWNER;
use crate::shared::{column, require_row};
use crate::{Lease, Result, StoreError, TopicReset, TopicStore};

/// Default depth of a new topic, of 100.
const DEFAULT_DEPTH: i64 = 50;
const DEFAULT_DECAY_HOURS: f64 = 48.0;

const TOPICS_NAMED: &str = "
    SELECT id, name, schedule, timezone, interests, rules_json, budget_tier, depth, decay_hours, cursor_end,
           next_run_at, budget_share_percent, top_stories, scan_stories, least_score
    FROM topics WHERE CAST($1 AS TEXT) IS NULL OR name = $1 ORDER BY name";

const INSERT_TOPIC: &str = "
    INSERT INTO topics (id, user_id, name, depth, decay_hours, created_at) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT DO NOTHING";

/// Without the name, from which the id is made.
const SAVE_TOPIC: &str = "
    UPDATE topics SET schedule = $2, timezone = $3, interests = $4, rules_json = $5, budget_tier = $6, depth = $7,
           decay_hours = $8, budget_share_percent = $9, top_stories = $10, scan_stories = $11, least_score = $12
    WHERE id = $1";

/// Makes other writers of the row wait until the transaction ends.
const LOCK_TOPIC: &str = "UPDATE topics SET name = name WHERE id = $1";
const LOCK_SOURCES: &str = "UPDATE sources SET enabled = enabled WHERE topic_id = $1";

/// Statements that remove all rows of a topic, referring rows before the rows that they refer to. Calls stay in the
/// ledger, because the money has been spent. Items stay until retention empties them, because other topics may share
/// them; those that another topic's source has as well become items of that source.
const REMOVE: [&str; 16] = [
    "UPDATE provider_calls SET run_id = NULL WHERE run_id IN (SELECT id FROM runs WHERE topic_id = $1)",
    "UPDATE provider_calls SET topic_id = NULL WHERE topic_id = $1",
    "DELETE FROM digests WHERE topic_id = $1",
    "DELETE FROM cluster_items WHERE topic_id = $1",
    "DELETE FROM clusters WHERE topic_id = $1",
    "DELETE FROM topic_items WHERE topic_id = $1",
    "DELETE FROM fetch_runs WHERE run_id IN (SELECT id FROM runs WHERE topic_id = $1)",
    "DELETE FROM run_attempts WHERE run_id IN (SELECT id FROM runs WHERE topic_id = $1)",
    "DELETE FROM runs WHERE topic_id = $1",
    "DELETE FROM feedback_events WHERE topic_id = $1",
    "DELETE FROM feedback_unlearnt WHERE topic_id = $1",
    "DELETE FROM topic_preference_profiles WHERE topic_id = $1",
    "UPDATE content_items SET (source_id, external_id) = (
        SELECT p.source_id, p.external_id FROM content_item_sources p
        WHERE p.item_id = content_items.id AND p.source_id NOT IN (SELECT s.id FROM sources s WHERE s.topic_id = $1)
        ORDER BY p.first_seen_at, p.source_id, p.external_id LIMIT 1)
     WHERE source_id IN (SELECT s.id FROM sources s WHERE s.topic_id = $1)
       AND id IN (SELECT o.item_id FROM content_item_sources o JOIN sources s ON s.id = o.source_id
                  WHERE s.topic_id = $1)
       AND EXISTS (SELECT 1 FROM content_item_sources p
                   WHERE p.item_id = content_items.id
                     AND p.source_id NOT IN (SELECT s.id FROM sources s WHERE s.topic_id = $1))",
    "DELETE FROM content_item_sources WHERE source_id IN (SELECT id FROM sources WHERE topic_id = $1)",
    "DELETE FROM sources WHERE topic_id = $1",
    "DELETE FROM topics WHERE id = $1",
];

const SET_NEXT_RUN: &str = "UPDATE topics SET next_run_at = $2 WHERE id = $1";
const SET_CURSOR: &str = "UPDATE topics SET cursor_end = $2 WHERE id = $1";

struct TopicRow {
    id: String,
    name: String,
    schedule: Option<String>,
    timezone: Option<String>,
    interests: String,
    rules_json: String,
    budget_tier: Option<String>,
    depth: i64,
    decay_hours: f64,
    cursor_end: Option<i64>,
    next_run_at: Option<i64>,
    budget_share_percent: Option<i64>,
    top_stories: i64,
    scan_stories: i64,
    least_score: i64,
}

from_row!(TopicRow {
    id,
    name,
    schedule,
    timezone,
    interests,
    rules_json,
    budget_tier,
    depth,
    decay_hours,
    cursor_end,
    next_run_at,
    budget_share_percent,
    top_stories,
    scan_stories,
    least_score
});

impl TryFrom<TopicRow> for Topic {
    type Error = StoreError;

    fn try_from(row: TopicRow) -> Result<Self> {
        Ok(Self {
            id: column::id("topic id", &row.id)?,
            name: row.name,
            schedule: row.schedule,
            timezone: row.timezone,
            interests: row.interests,
            rules: column::json("topic's rules", &row.rules_json)?,
            budget_tier: row.budget_tier.as_deref().map(tier_of).transpose()?,
            budget_share_percent: row
                .budget_share_percent
                .map(|percent| column::number("topic's share of the budget", percent))
                .transpose()?,
            depth: column::number("topic's depth", row.depth)?,
            decay_hours: row.decay_hours,
            sizes: DigestSizes {
                top: column::number("topic's size of the top section", row.top_stories)?,
                scan: column::number("topic's size of the scan section", row.scan_stories)?,
                at_least: column::number("topic's least score", row.least_score)?,
            },
            cursor_end: column::optional_time(row.cursor_end),
            next_run_at: column::optional_time(row.next_run_at),
        })
    }
}

impl Database {
    /// Returns the topic of that name, or all topics, by name.
    async fn topics_named(&self, name: Option<&str>) -> Result<Vec<Topic>> {
        let rows: Vec<TopicRow> = sqlx::query_as(TOPICS_NAMED)
            .bind(column::optional_text(name))
            .fetch_all(&mut *self.reader().await?)
            .await?;
        rows.into_iter().map(Topic::try_from).collect()
    }
}

impl Write {
    /// Inserts the topic and its user if they do not exist. Returns false if the topic existed.
    async fn insert_topic(&mut self, name: &str, now: Timestamp) -> Result<bool> {
        let owner = UserId::of(&[OWNER]).to_string();
        sqlx::query(INSERT_USER).bind(&owner).bind(OWNER).bind(now.as_millis()).execute(self.connection()).await?;
        let inserted = sqlx::query(INSERT_TOPIC)
            .bind(TopicId::of(&[name]).to_string())
            .bind(&owner)
            .bind(column::text(name))
            .bind(DEFAULT_DEPTH)
            .bind(DEFAULT_DECAY_HOURS)
            .bind(now.as_millis())
            .execute(self.connection())
            .await?;
        Ok(inserted.rows_affected() > 0)
    }

    async fn save_topic(&mut self, topic: &Topic) -> Result<()> {
        let saved = sqlx::query(SAVE_TOPIC)
            .bind(topic.id.to_string())
            .bind(column::optional_text(topic.schedule.as_deref()))
            .bind(column::optional_text(topic.timezone.as_deref()))
            .bind(column::text(&topic.interests))
            .bind(column::to_json(&topic.rules)?)
            .bind(topic.budget_tier.map(BudgetTier::as_str))
            .bind(i64::from(topic.depth))
            .bind(topic.decay_hours)
            .bind(topic.budget_share_percent.map(i64::from))
            .bind(column::count(topic.sizes.top))
            .bind(column::count(topic.sizes.scan))
            .bind(i64::from(topic.sizes.at_least))
            .execute(self.connection())
            .await?;
        require_row(saved.rows_affected(), "topic", topic.id)
    }

    /// Locks a topic's row, and returns whether its settings are those of `topic`.
    ///
    /// # Errors
    /// When there is no such topic.
    async fn has_settings_of(&mut self, topic: &Topic) -> Result<bool> {
        let locked = sqlx::query(LOCK_TOPIC).bind(topic.id.to_string()).execute(self.connection()).await?;
        require_row(locked.rows_affected(), "topic", topic.id)?;
        let row: TopicRow =
            sqlx::query_as(TOPICS_NAMED).bind(column::text(&topic.name)).fetch_one(self.connection()).await?;
        let stored = Topic::try_from(row)?;
        let Topic { cursor_end, next_run_at, .. } = stored;
        Ok(stored == Topic { cursor_end, next_run_at, ..topic.clone() })
    }

    async fn set_next_run(&mut self, topic: TopicId, at: Option<Timestamp>) -> Result<()> {
        let saved = sqlx::query(SET_NEXT_RUN)
            .bind(topic.to_string())
            .bind(column::millis(at))
            .execute(self.connection())
            .await?;
        require_row(saved.rows_affected(), "topic", topic)
    }
}

#[async_trait]
impl TopicStore for Database {
    #[tracing::instrument(level = "debug", skip_all)]
    async fn ensure_topic(&self, name: &str, now: Timestamp) -> Result<Topic> {
        if let Some(topic) = self.topic(name).await? {
            return Ok(topic);
        }
        let mut write = self.write("ensure_topic").await?;
        write.insert_topic(name, now).await?;
        write.commit().await?;
        self.topic(name).await?.ok_or_else(|| StoreError::NotFound { what: "topic", id: name.to_owned() })
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn topic(&self, name: &str) -> Result<Option<Topic>> {
        Ok(self.topics_named(Some(name)).await?.pop())
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn topics(&self) -> Result<Vec<Topic>> {
        self.topics_named(None).await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn add_topic(&self, topic: &Topic, now: Timestamp) -> Result<bool> {
        let mut write = self.write("add_topic").await?;
        if !write.insert_topic(&topic.name, now).await? {
            return Ok(false);
        }
        write.save_topic(topic).await?;
        write.commit().await?;
        Ok(true)
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn save_topic(&self, before: &Topic, topic: &Topic, reset: TopicReset) -> Result<bool> {
        let mut write = self.write("save_topic").await?;
        if !write.has_settings_of(before).await? {
            return Ok(false);
        }
        write.save_topic(topic).await?;
        if reset.next_run {
            write.set_next_run(topic.id, None).await?;
        }
        if let Some(until) = reset.read_until {
            sqlx::query(SET_CURSOR)
                .bind(topic.id.to_string())
                .bind(until.as_millis())
                .execute(write.connection())
                .await?;
        }
        write.commit().await?;
        Ok(true)
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn remove_topic(&self, lease: &Lease) -> Result<()> {
        let mut write = self.write_fenced("remove_topic", lease).await?;
        sqlx::query(LOCK_SOURCES).bind(lease.topic.to_string()).execute(write.connection()).await?;
        write.lock_shared_items().await?;
        for statement in REMOVE {
            sqlx::query(statement).bind(lease.topic.to_string()).execute(write.connection()).await?;
        }
        write.commit().await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn set_next_run(&self, topic: TopicId, at: Option<Timestamp>) -> Result<()> {
        let mut write = self.write("set_next_run").await?;
        write.set_next_run(topic, at).await?;
        write.commit().await
    }
}
