//! `answer_feedback`.

use aha_core::ids::UserId;
use aha_core::time::Timestamp;
use async_trait::async_trait;

use super::Database;
use super::accounts::INSERT_USER;
use crate::shared::{PerDatabase, column};
use crate::{AnswerFeedback, AnswerFeedbackStore, Result};

/// On Postgres a question may be too long for an index, and its hash is unique instead.
const PUT: &str = super::statement(PerDatabase {
    sqlite: "
        INSERT INTO answer_feedback (user_id, question, answer, is_right, given_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (user_id, question)
        DO UPDATE SET answer = excluded.answer, is_right = excluded.is_right, given_at = excluded.given_at",
    postgres: "
        INSERT INTO answer_feedback (user_id, question, answer, is_right, given_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (user_id, md5(question))
        DO UPDATE SET answer = excluded.answer, is_right = excluded.is_right, given_at = excluded.given_at",
});

const ALL: &str = "
    SELECT u.name, f.question, f.answer, f.is_right, f.given_at
    FROM answer_feedback f JOIN users u ON u.id = f.user_id
    ORDER BY f.given_at, u.name, f.question";

#[async_trait]
impl AnswerFeedbackStore for Database {
    #[tracing::instrument(level = "debug", skip_all)]
    async fn put_answer_feedback(&self, feedback: &AnswerFeedback) -> Result<()> {
        let AnswerFeedback { user, question, answer, is_right, given_at } = feedback;
        let id = UserId::of(&[user]).to_string();
        let mut write = self.write("put_answer_feedback").await?;
        sqlx::query(INSERT_USER)
            .bind(&id)
            .bind(column::text(user))
            .bind(given_at.as_millis())
            .execute(write.connection())
            .await?;
        sqlx::query(PUT)
            .bind(&id)
            .bind(column::text(question))
            .bind(answer.as_deref().map(column::text))
            .bind(i64::from(*is_right))
            .bind(given_at.as_millis())
            .execute(write.connection())
            .await?;
        write.commit().await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn answer_feedback(&self) -> Result<Vec<AnswerFeedback>> {
        let rows: Vec<(String, String, Option<String>, i64, i64)> =
            sqlx::query_as(ALL).fetch_all(&mut *self.reader().await?).await?;
        let feedback = |(user, question, answer, is_right, given_at)| AnswerFeedback {
            user,
            question,
            answer,
            is_right: is_right != 0,
            given_at: Timestamp::from_millis(given_at),
        };
        Ok(rows.into_iter().map(feedback).collect())
    }
}
