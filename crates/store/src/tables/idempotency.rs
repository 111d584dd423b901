//! `idempotency_keys`.

use aha_core::time::Timestamp;
use async_trait::async_trait;

use super::Database;
use crate::shared::column;
use crate::{IdempotencyStore, IdempotentRequest, RequestState, Result, StoredResponse};

const REMOVE_OLD_KEYS: &str = "DELETE FROM idempotency_keys WHERE begun_at < $1";

const CLAIM_REQUEST: &str = "
    INSERT INTO idempotency_keys (user_name, key, request_hash, begun_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (user_name, key) DO UPDATE SET begun_at = excluded.begun_at
        WHERE idempotency_keys.status IS NULL AND idempotency_keys.begun_at < $5
          AND idempotency_keys.request_hash = excluded.request_hash";

const KEY: &str = "
    SELECT request_hash, status, answer, location FROM idempotency_keys WHERE user_name = $1 AND key = $2";

const STORE_RESPONSE: &str = "
    UPDATE idempotency_keys SET status = $3, answer = $4, location = $5
    WHERE user_name = $1 AND key = $2 AND status IS NULL";

const RELEASE_REQUEST: &str = "DELETE FROM idempotency_keys WHERE user_name = $1 AND key = $2 AND status IS NULL";

struct KeyRow {
    request_hash: String,
    status: Option<i64>,
    answer: Option<String>,
    location: Option<String>,
}

from_row!(KeyRow { request_hash, status, answer, location });

impl KeyRow {
    fn state(self, of: &IdempotentRequest) -> Result<RequestState> {
        if self.request_hash != of.request_hash {
            return Ok(RequestState::UsedByAnotherRequest);
        }
        let (Some(status), Some(body)) = (self.status, self.answer) else { return Ok(RequestState::InProgress) };
        Ok(RequestState::Answered(StoredResponse {
            status: column::number("status", status)?,
            body,
            location: self.location,
        }))
    }
}

#[async_trait]
impl IdempotencyStore for Database {
    #[tracing::instrument(level = "debug", skip_all)]
    async fn claim_request(
        &self,
        of: &IdempotentRequest,
        now: Timestamp,
        abandoned_before: Timestamp,
        remove_before: Timestamp,
    ) -> Result<RequestState> {
        let (user, key) = (column::text(&of.user), column::text(&of.key));
        let mut write = self.write("claim_request").await?;
        sqlx::query(REMOVE_OLD_KEYS).bind(remove_before.as_millis()).execute(write.connection()).await?;
        let state = loop {
            let claimed = sqlx::query(CLAIM_REQUEST)
                .bind(&user)
                .bind(&key)
                .bind(&of.request_hash)
                .bind(now.as_millis())
                .bind(abandoned_before.as_millis())
                .execute(write.connection())
                .await?;
            if claimed.rows_affected() > 0 {
                break RequestState::Claimed;
            }
            // On Postgres, another request may have released the key since; then it can be claimed.
            let row: Option<KeyRow> =
                sqlx::query_as(KEY).bind(&user).bind(&key).fetch_optional(write.connection()).await?;
            if let Some(row) = row {
                break row.state(of)?;
            }
        };
        write.commit().await?;
        Ok(state)
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn store_response(&self, of: &IdempotentRequest, response: &StoredResponse) -> Result<()> {
        let mut write = self.write("store_response").await?;
        sqlx::query(STORE_RESPONSE)
            .bind(column::text(&of.user))
            .bind(column::text(&of.key))
            .bind(i64::from(response.status))
            .bind(column::text(&response.body))
            .bind(column::optional_text(response.location.as_deref()))
            .execute(write.connection())
            .await?;
        write.commit().await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn release_request(&self, of: &IdempotentRequest) -> Result<()> {
        let mut write = self.write("release_request").await?;
        sqlx::query(RELEASE_REQUEST)
            .bind(column::text(&of.user))
            .bind(column::text(&of.key))
            .execute(write.connection())
            .await?;
        write.commit().await
    }
}
