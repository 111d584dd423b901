//! `feedback_events`, `feedback_unlearnt` and `topic_preference_profiles`.

use aha_core::feedback::{FeedbackEvent, FeedbackKind};
use aha_core::ids::{ItemId, TopicId, UserId};
use aha_core::time::Timestamp;
use async_trait::async_trait;
use sqlx::{FromRow, Row as _};

use super::{Connection, Database, Write, id_list};
use crate::records::OWNER;
use crate::shared::{PerDatabase, column};
use crate::{FeedbackStore, FeedbackWrite, Result, SavedProfile, StoreError, feedback_id};

/// Feedback given before is kept; giving it again changes nothing.
const GIVE: &str = "
    INSERT INTO feedback_events (id, user_id, topic_id, item_id, kind, title, source, author, terms_json, given_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    ON CONFLICT DO NOTHING";

const WITHDRAW: &str = "
    DELETE FROM feedback_events WHERE user_id = $1 AND topic_id = $2 AND item_id = $3 AND kind = $4";

/// The newest events of a user, so that reading is bounded.
const OF_TOPIC: &str = "
    SELECT item_id, kind, title, source, author, terms_json, given_at FROM feedback_events
    WHERE user_id = $1 AND topic_id = $2 ORDER BY given_at DESC, id DESC LIMIT $3";

const LEARNING_FEEDBACK: &str = "
    SELECT f.user_id, f.item_id, f.kind, f.title, f.source, f.author, f.terms_json, f.given_at FROM feedback_events f
    WHERE f.topic_id = $1
      AND (f.user_id = $3 OR EXISTS (SELECT 1 FROM accounts a WHERE a.user_id = f.user_id))
      AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.user_id = f.user_id AND a.role = 'reader')
    ORDER BY f.given_at DESC, f.id DESC LIMIT $2";

const SAVED: &str = "
    SELECT item_id, kind, title, source, author, terms_json, given_at FROM feedback_events
    WHERE user_id = $1 AND topic_id = $2 AND kind = 'save' ORDER BY given_at DESC, id DESC";

/// Uses the unique index.
const FEEDBACK_ON: &str = super::statement(PerDatabase {
    sqlite: "
        SELECT item_id, kind FROM feedback_events
        WHERE user_id = $1 AND topic_id = $2 AND item_id IN (SELECT value FROM json_each($3)) ORDER BY item_id, kind",
    postgres: "
        SELECT item_id, kind FROM feedback_events
        WHERE user_id = $1 AND topic_id = $2 AND item_id = ANY($3) ORDER BY item_id, kind",
});

const SAVE_PROFILE: &str = "
    INSERT INTO topic_preference_profiles (user_id, topic_id, profile_json, summary, events, computed_at)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (user_id, topic_id) DO UPDATE
    SET profile_json = excluded.profile_json, summary = excluded.summary, events = excluded.events,
        computed_at = excluded.computed_at";

const UNLEARNT: &str = "
    SELECT name FROM feedback_unlearnt WHERE user_id = $1 AND topic_id = $2 ORDER BY name";

/// The saved profile changes with each write, the count with a user's account.
const VERSION: &str = "
    SELECT coalesce((SELECT p.events || ' ' || p.computed_at || ' ' || p.profile_json FROM topic_preference_profiles p
                     WHERE p.user_id = $1 AND p.topic_id = $2), '') || ' ' ||
           (SELECT count(*) FROM feedback_events f
            WHERE f.topic_id = $2
              AND (f.user_id = $1 OR EXISTS (SELECT 1 FROM accounts a WHERE a.user_id = f.user_id))
              AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.user_id = f.user_id AND a.role = 'reader'))";

const UNLEARN: &str = "
    INSERT INTO feedback_unlearnt (user_id, topic_id, name, unlearnt_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT DO NOTHING";

const RELEARN: &str = "
    DELETE FROM feedback_unlearnt WHERE user_id = $1 AND topic_id = $2 AND name = $3";

struct FeedbackRow {
    item_id: String,
    kind: String,
    title: String,
    source: String,
    author: Option<String>,
    terms_json: String,
    given_at: i64,
}

from_row!(FeedbackRow { item_id, kind, title, source, author, terms_json, given_at });

struct TeachingRow {
    user_id: String,
    feedback: FeedbackRow,
}

impl FromRow<'_, super::Row> for TeachingRow {
    fn from_row(row: &super::Row) -> sqlx::Result<Self> {
        Ok(Self { user_id: row.try_get("user_id")?, feedback: FeedbackRow::from_row(row)? })
    }
}

impl TryFrom<FeedbackRow> for FeedbackEvent {
    type Error = StoreError;

    fn try_from(row: FeedbackRow) -> Result<Self> {
        Ok(Self {
            item_id: column::id("feedback's item", &row.item_id)?,
            kind: column::word("feedback's kind", &row.kind)?,
            title: row.title,
            source: row.source,
            author: row.author,
            terms: column::json("feedback's terms", &row.terms_json)?,
            given_at: Timestamp::from_millis(row.given_at),
        })
    }
}

/// Converts rows, newest first, to events, oldest first, which is the order for adding them up.
fn in_order(rows: Vec<FeedbackRow>) -> Result<Vec<FeedbackEvent>> {
    rows.into_iter().rev().map(FeedbackEvent::try_from).collect()
}

#[async_trait]
impl FeedbackStore for Database {
    #[tracing::instrument(level = "debug", skip_all)]
    async fn write_feedback(
        &self,
        user: UserId,
        topic: TopicId,
        feedback: &[FeedbackWrite],
        profile: &SavedProfile,
        version: &str,
    ) -> Result<Option<usize>> {
        let mut write = self.write("write_feedback").await?;
        write.lock_topic(topic).await?;
        if version_of(write.connection(), topic).await? != version {
            write.roll_back().await?;
            return Ok(None);
        }
        let mut changed = 0;
        for change in feedback {
            changed += match change {
                FeedbackWrite::Give(events) => {
                    let mut given = 0;
                    for event in events {
                        if let Some(opposite) = event.kind.opposite() {
                            write.withdraw(user, topic, event.item_id, opposite).await?;
                        }
                        given += write.give(user, topic, event).await?;
                    }
                    given
                }
                FeedbackWrite::Withdraw { item, kind } => write.withdraw(user, topic, *item, *kind).await?,
                FeedbackWrite::Unlearn { name, at } => write.unlearn(topic, name, *at).await?,
                FeedbackWrite::Relearn { name } => write.relearn(topic, name).await?,
            };
        }
        write.save_profile(topic, profile).await?;
        write.commit().await?;
        Ok(Some(usize::try_from(changed).unwrap_or(usize::MAX)))
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn feedback(&self, user: UserId, topic: TopicId, limit: i64) -> Result<Vec<FeedbackEvent>> {
        let rows: Vec<FeedbackRow> = sqlx::query_as(OF_TOPIC)
            .bind(user.to_string())
            .bind(topic.to_string())
            .bind(limit)
            .fetch_all(&mut *self.reader().await?)
            .await?;
        in_order(rows)
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn saved_feedback(&self, user: UserId, topic: TopicId) -> Result<Vec<FeedbackEvent>> {
        let rows: Vec<FeedbackRow> = sqlx::query_as(SAVED)
            .bind(user.to_string())
            .bind(topic.to_string())
            .fetch_all(&mut *self.reader().await?)
            .await?;
        rows.into_iter().map(FeedbackEvent::try_from).collect()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn feedback_on(&self, user: UserId, topic: TopicId, items: &[ItemId]) -> Result<Vec<(ItemId, FeedbackKind)>> {
        let rows: Vec<(String, String)> = sqlx::query_as(FEEDBACK_ON)
            .bind(user.to_string())
            .bind(topic.to_string())
            .bind(id_list(items)?)
            .fetch_all(&mut *self.reader().await?)
            .await?;
        let read = |(item, kind): (String, String)| {
            Ok((column::id("feedback's item", &item)?, column::word("feedback's kind", &kind)?))
        };
        rows.into_iter().map(read).collect()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn learning_feedback(&self, topic: TopicId, limit: i64) -> Result<Vec<(UserId, FeedbackEvent)>> {
        let rows: Vec<TeachingRow> = sqlx::query_as(LEARNING_FEEDBACK)
            .bind(topic.to_string())
            .bind(limit)
            .bind(owner())
            .fetch_all(&mut *self.reader().await?)
            .await?;
        let event = |row: TeachingRow| Ok((column::id("feedback's user", &row.user_id)?, row.feedback.try_into()?));
        rows.into_iter().rev().map(event).collect()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn unlearnt(&self, topic: TopicId) -> Result<Vec<String>> {
        Ok(sqlx::query_scalar(UNLEARNT)
            .bind(owner())
            .bind(topic.to_string())
            .fetch_all(&mut *self.reader().await?)
            .await?)
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn feedback_version(&self, topic: TopicId) -> Result<String> {
        version_of(&mut *self.reader().await?, topic).await
    }
}

async fn version_of(connection: &mut Connection, topic: TopicId) -> Result<String> {
    Ok(sqlx::query_scalar(VERSION).bind(owner()).bind(topic.to_string()).fetch_one(connection).await?)
}

/// The statements of [`FeedbackStore::write_feedback`]; each returns the number of changed rows.
impl Write {
    async fn give(&mut self, user: UserId, topic: TopicId, event: &FeedbackEvent) -> Result<u64> {
        let given = sqlx::query(GIVE)
            .bind(feedback_id(user, topic, event.item_id, event.kind).to_string())
            .bind(user.to_string())
            .bind(topic.to_string())
            .bind(event.item_id.to_string())
            .bind(event.kind.as_str())
            .bind(column::text(&event.title))
            .bind(column::text(&event.source))
            .bind(column::optional_text(event.author.as_deref()))
            .bind(column::to_json(&event.terms)?)
            .bind(event.given_at.as_millis())
            .execute(self.connection())
            .await?;
        Ok(given.rows_affected())
    }

    async fn withdraw(&mut self, user: UserId, topic: TopicId, item: ItemId, kind: FeedbackKind) -> Result<u64> {
        let taken = sqlx::query(WITHDRAW)
            .bind(user.to_string())
            .bind(topic.to_string())
            .bind(item.to_string())
            .bind(kind.as_str())
            .execute(self.connection())
            .await?;
        Ok(taken.rows_affected())
    }

    async fn unlearn(&mut self, topic: TopicId, name: &str, at: Timestamp) -> Result<u64> {
        let unlearnt = sqlx::query(UNLEARN)
            .bind(owner())
            .bind(topic.to_string())
            .bind(column::text(name))
            .bind(at.as_millis())
            .execute(self.connection())
            .await?;
        Ok(unlearnt.rows_affected())
    }

    async fn relearn(&mut self, topic: TopicId, name: &str) -> Result<u64> {
        let relearnt = sqlx::query(RELEARN)
            .bind(owner())
            .bind(topic.to_string())
            .bind(column::text(name))
            .execute(self.connection())
            .await?;
        Ok(relearnt.rows_affected())
    }

    async fn save_profile(&mut self, topic: TopicId, profile: &SavedProfile) -> Result<()> {
        sqlx::query(SAVE_PROFILE)
            .bind(owner())
            .bind(topic.to_string())
            .bind(column::json_text(&profile.profile_json))
            .bind(column::text(&profile.summary))
            .bind(column::count(profile.events))
            .bind(profile.computed_at.as_millis())
            .execute(self.connection())
            .await?;
        Ok(())
    }
}

/// Profiles and unlearnt names belong to the topic and are stored under its owner.
fn owner() -> String {
    UserId::of(&[OWNER]).to_string()
}
