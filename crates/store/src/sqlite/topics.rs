//! `users`, and the owner's half of `topics`.

use aha_core::ids::{TopicId, UserId};
use aha_core::time::Timestamp;
use aha_core::topic::{BudgetTier, Topic};
use async_trait::async_trait;

use super::SqliteStore;
use crate::shared::topics::{self as sql, TopicRow};
use crate::shared::{column, found};
use crate::{Lease, Result, StoreError, TopicStore};

impl SqliteStore {
    /// Topics of that name, or all, by name.
    async fn topics_named(&self, name: Option<&str>) -> Result<Vec<Topic>> {
        let rows: Vec<TopicRow> =
            sqlx::query_as(sql::TOPICS_NAMED).bind(column::optional_text(name)).fetch_all(&self.reader).await?;
        rows.into_iter().map(Topic::try_from).collect()
    }

    async fn insert_topic(&self, name: &str, now: Timestamp) -> Result<()> {
        let owner = UserId::of(&[sql::OWNER]).to_string();
        let mut write = self.write("ensure_topic").await?;
        sqlx::query(sql::INSERT_USER)
            .bind(&owner)
            .bind(sql::OWNER)
            .bind(now.as_millis())
            .execute(write.connection())
            .await?;
        sqlx::query(sql::INSERT_TOPIC)
            .bind(TopicId::of(&[name]).to_string())
            .bind(&owner)
            .bind(column::text(name))
            .bind(sql::DEFAULT_DEPTH)
            .bind(sql::DEFAULT_DECAY_HOURS)
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
        let saved = sqlx::query(sql::SAVE_TOPIC)
            .bind(topic.id.to_string())
            .bind(column::text(&topic.name))
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
            .execute(write.connection())
            .await?;
        found(saved.rows_affected(), "topic", topic.id)?;
        write.commit().await
    }

    async fn remove_topic(&self, lease: &Lease) -> Result<()> {
        let mut write = self.write_fenced("remove_topic", lease).await?;
        for statement in sql::REMOVE {
            sqlx::query(statement).bind(lease.topic.to_string()).execute(write.connection()).await?;
        }
        write.commit().await
    }

    async fn set_next_run(&self, topic: TopicId, at: Option<Timestamp>) -> Result<()> {
        let mut write = self.write("set_next_run").await?;
        let saved = sqlx::query(sql::SET_NEXT_RUN)
            .bind(topic.to_string())
            .bind(column::millis(at))
            .execute(write.connection())
            .await?;
        found(saved.rows_affected(), "topic", topic)?;
        write.commit().await
    }

    async fn set_cursor(&self, topic: TopicId, at: Timestamp) -> Result<()> {
        let mut write = self.write("set_cursor").await?;
        let saved = sqlx::query(sql::SET_CURSOR)
            .bind(topic.to_string())
            .bind(at.as_millis())
            .execute(write.connection())
            .await?;
        found(saved.rows_affected(), "topic", topic)?;
        write.commit().await
    }
}
