//! `feedback_events`, `feedback_unlearnt` and `topic_preference_profiles`.

use aha_core::feedback::{FeedbackEvent, FeedbackKind};
use aha_core::ids::{FeedbackId, ItemId, TopicId, UserId};
use aha_core::time::Timestamp;
use async_trait::async_trait;

use super::PostgresStore;
use crate::shared::column;
use crate::shared::feedback::{self as sql, FeedbackRow};
use crate::shared::topics::OWNER;
use crate::{FeedbackStore, Result, SavedProfile};

#[async_trait]
impl FeedbackStore for PostgresStore {
    async fn give_feedback(&self, topic: TopicId, event: &FeedbackEvent) -> Result<bool> {
        let (owner, topic, item) = (UserId::of(&[OWNER]).to_string(), topic.to_string(), event.item_id.to_string());
        let mut write = self.write("give_feedback").await?;
        if let Some(opposite) = event.kind.opposite() {
            sqlx::query(sql::TAKE_BACK)
                .bind(&owner)
                .bind(&topic)
                .bind(&item)
                .bind(opposite.as_str())
                .execute(write.connection())
                .await?;
        }
        let given = sqlx::query(sql::GIVE)
            .bind(FeedbackId::of(&[&owner, &topic, &item, event.kind.as_str()]).to_string())
            .bind(&owner)
            .bind(&topic)
            .bind(&item)
            .bind(event.kind.as_str())
            .bind(column::text(&event.title))
            .bind(column::text(&event.source))
            .bind(column::optional_text(event.author.as_deref()))
            .bind(column::to_json(&event.terms)?)
            .bind(event.given_at.as_millis())
            .execute(write.connection())
            .await?;
        write.commit().await?;
        Ok(given.rows_affected() > 0)
    }

    async fn take_feedback_back(&self, topic: TopicId, item: ItemId, kind: FeedbackKind) -> Result<bool> {
        let mut write = self.write("take_feedback_back").await?;
        let taken = sqlx::query(sql::TAKE_BACK)
            .bind(UserId::of(&[OWNER]).to_string())
            .bind(topic.to_string())
            .bind(item.to_string())
            .bind(kind.as_str())
            .execute(write.connection())
            .await?;
        write.commit().await?;
        Ok(taken.rows_affected() > 0)
    }

    async fn feedback(&self, topic: TopicId, limit: i64) -> Result<Vec<FeedbackEvent>> {
        let rows: Vec<FeedbackRow> = sqlx::query_as(sql::OF_TOPIC)
            .bind(UserId::of(&[OWNER]).to_string())
            .bind(topic.to_string())
            .bind(limit)
            .fetch_all(&mut *self.reader().await?)
            .await?;
        sql::in_order(rows)
    }

    async fn unlearnt(&self, topic: TopicId) -> Result<Vec<String>> {
        Ok(sqlx::query_scalar(sql::UNLEARNT)
            .bind(UserId::of(&[OWNER]).to_string())
            .bind(topic.to_string())
            .fetch_all(&mut *self.reader().await?)
            .await?)
    }

    async fn unlearn(&self, topic: TopicId, name: &str, now: Timestamp) -> Result<bool> {
        let mut write = self.write("unlearn").await?;
        let unlearnt = sqlx::query(sql::UNLEARN)
            .bind(UserId::of(&[OWNER]).to_string())
            .bind(topic.to_string())
            .bind(column::text(name))
            .bind(now.as_millis())
            .execute(write.connection())
            .await?;
        write.commit().await?;
        Ok(unlearnt.rows_affected() > 0)
    }

    async fn relearn(&self, topic: TopicId, name: &str) -> Result<bool> {
        let mut write = self.write("relearn").await?;
        let relearnt = sqlx::query(sql::RELEARN)
            .bind(UserId::of(&[OWNER]).to_string())
            .bind(topic.to_string())
            .bind(column::text(name))
            .execute(write.connection())
            .await?;
        write.commit().await?;
        Ok(relearnt.rows_affected() > 0)
    }

    async fn save_profile(&self, topic: TopicId, profile: &SavedProfile) -> Result<()> {
        let mut write = self.write("save_profile").await?;
        sqlx::query(sql::SAVE_PROFILE)
            .bind(UserId::of(&[OWNER]).to_string())
            .bind(topic.to_string())
            .bind(column::json_text(&profile.profile_json))
            .bind(column::text(&profile.summary))
            .bind(column::count(profile.events))
            .bind(profile.computed_at.as_millis())
            .execute(write.connection())
            .await?;
        write.commit().await
    }
}
