//! `users`, and the owner's half of `topics`.

use async_trait::async_trait;
use sqlx::FromRow;

use super::{SqliteStore, column, found};
use crate::domain::ids::{TopicId, UserId};
use crate::domain::time::Timestamp;
use crate::domain::topic::{BudgetTier, Topic};
use crate::store::error::tier_of;
use crate::store::{Result, StoreError, TopicStore};

/// The one user, until there are more.
const OWNER: &str = "owner";

/// How much a new topic considers, of 100.
const DEFAULT_DEPTH: i64 = 50;
const DEFAULT_DECAY_HOURS: f64 = 48.0;

#[derive(FromRow)]
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
}

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
            depth: column::number("topic's depth", row.depth)?,
            decay_hours: row.decay_hours,
            cursor_end: column::optional_time(row.cursor_end),
            next_run_at: column::optional_time(row.next_run_at),
        })
    }
}

impl SqliteStore {
    /// Topics of that name, or all, by name.
    async fn topics_named(&self, name: Option<&str>) -> Result<Vec<Topic>> {
        let rows: Vec<TopicRow> = sqlx::query_as(
            "SELECT id, name, schedule, timezone, interests, rules_json, budget_tier, depth, decay_hours, cursor_end,
                    next_run_at
             FROM topics WHERE $1 IS NULL OR name = $1 ORDER BY name",
        )
        .bind(name)
        .fetch_all(&self.reader)
        .await?;
        rows.into_iter().map(Topic::try_from).collect()
    }

    async fn insert_topic(&self, name: &str, now: Timestamp) -> Result<()> {
        let owner = UserId::of(&[OWNER]).to_string();
        let mut write = self.write("ensure_topic").await?;
        sqlx::query("INSERT INTO users (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING")
            .bind(&owner)
            .bind(OWNER)
            .bind(now.as_millis())
            .execute(write.connection())
            .await?;
        sqlx::query(
            "INSERT INTO topics (id, user_id, name, depth, decay_hours, created_at) VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT DO NOTHING",
        )
        .bind(TopicId::of(&[name]).to_string())
        .bind(&owner)
        .bind(name)
        .bind(DEFAULT_DEPTH)
        .bind(DEFAULT_DECAY_HOURS)
        .bind(now.as_millis())
        .execute(write.connection())
        .await?;
        write.commit().await
    }
}

#[async_trait]
impl TopicStore for SqliteStore {
    async fn ensure_topic(&self, name: &str, now: Timestamp) -> Result<Topic> {
        if let Some(topic) = self.topic(name).await? {
            return Ok(topic);
        }
        self.insert_topic(name, now).await?;
        self.topic(name).await?.ok_or_else(|| StoreError::NotFound { what: "topic", id: name.to_owned() })
    }

    async fn topic(&self, name: &str) -> Result<Option<Topic>> {
        Ok(self.topics_named(Some(name)).await?.pop())
    }

    async fn topics(&self) -> Result<Vec<Topic>> {
        self.topics_named(None).await
    }

    async fn save_topic(&self, topic: &Topic) -> Result<()> {
        let mut write = self.write("save_topic").await?;
        let saved = sqlx::query(
            "UPDATE topics SET name = $2, schedule = $3, timezone = $4, interests = $5, rules_json = $6,
                    budget_tier = $7, depth = $8, decay_hours = $9
             WHERE id = $1",
        )
        .bind(topic.id.to_string())
        .bind(&topic.name)
        .bind(&topic.schedule)
        .bind(&topic.timezone)
        .bind(&topic.interests)
        .bind(column::to_json(&topic.rules)?)
        .bind(topic.budget_tier.map(BudgetTier::as_str))
        .bind(i64::from(topic.depth))
        .bind(topic.decay_hours)
        .execute(write.connection())
        .await?;
        found(saved.rows_affected(), "topic", topic.id)?;
        write.commit().await
    }

    async fn set_next_run(&self, topic: TopicId, at: Option<Timestamp>) -> Result<()> {
        let mut write = self.write("set_next_run").await?;
        let saved = sqlx::query("UPDATE topics SET next_run_at = $2 WHERE id = $1")
            .bind(topic.to_string())
            .bind(column::millis(at))
            .execute(write.connection())
            .await?;
        found(saved.rows_affected(), "topic", topic)?;
        write.commit().await
    }
}
