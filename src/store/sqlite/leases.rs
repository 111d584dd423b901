//! The lease half of `topics`: who may run a topic, until when, under which token.

use std::time::Duration;

use async_trait::async_trait;

use super::{SqliteStore, Write, found};
use crate::domain::ids::TopicId;
use crate::domain::time::Timestamp;
use crate::store::{LEASE_SECONDS, Lease, LeaseAttempt, LeaseStore, Result, StoreError};

fn expiry(wall: Timestamp) -> i64 {
    (wall + Duration::from_secs(LEASE_SECONDS)).as_millis()
}

#[async_trait]
impl LeaseStore for SqliteStore {
    async fn acquire_lease(
        &self,
        topic: TopicId,
        holder: &str,
        wall: Timestamp,
        dead_holder: Option<&str>,
    ) -> Result<LeaseAttempt> {
        let mut write = self.write("acquire_lease").await?;
        let token: Option<i64> = sqlx::query_scalar(
            "UPDATE topics SET lease_holder = $2, lease_token = lease_token + 1, lease_expires_at = $3
             WHERE id = $1 AND (lease_holder IS NULL OR lease_expires_at <= $4 OR lease_holder = $5)
             RETURNING lease_token",
        )
        .bind(topic.to_string())
        .bind(holder)
        .bind(expiry(wall))
        .bind(wall.as_millis())
        .bind(dead_holder)
        .fetch_optional(write.connection())
        .await?;
        let Some(token) = token else { return present_holder(&mut write, topic).await };
        write.commit().await?;
        Ok(LeaseAttempt::Acquired(Lease { topic, holder: holder.to_owned(), token }))
    }

    async fn renew_lease(&self, lease: &Lease, wall: Timestamp) -> Result<()> {
        let mut write = self.write_fenced("renew_lease", lease).await?;
        sqlx::query("UPDATE topics SET lease_expires_at = $2 WHERE id = $1")
            .bind(lease.topic.to_string())
            .bind(expiry(wall))
            .execute(write.connection())
            .await?;
        write.commit().await
    }

    async fn release_lease(&self, lease: &Lease) -> Result<()> {
        let mut write = self.write("release_lease").await?;
        sqlx::query(
            "UPDATE topics SET lease_holder = NULL, lease_expires_at = NULL
             WHERE id = $1 AND lease_token = $2 AND lease_holder = $3",
        )
        .bind(lease.topic.to_string())
        .bind(lease.token)
        .bind(&lease.holder)
        .execute(write.connection())
        .await?;
        write.commit().await
    }
}

/// Asked in the transaction that was refused the lease, so the holder is the one that stood in the way.
async fn present_holder(write: &mut Write, topic: TopicId) -> Result<LeaseAttempt> {
    let held: Option<(Option<String>, Option<i64>)> =
        sqlx::query_as("SELECT lease_holder, lease_expires_at FROM topics WHERE id = $1")
            .bind(topic.to_string())
            .fetch_optional(write.connection())
            .await?;
    found(u64::from(held.is_some()), "topic", topic)?;
    let Some((Some(holder), Some(expires_at))) = held else {
        return Err(StoreError::corrupt("lease", format_args!("topic {topic} is neither free nor held")));
    };
    Ok(LeaseAttempt::Held { holder, expires_at: Timestamp::from_millis(expires_at) })
}
