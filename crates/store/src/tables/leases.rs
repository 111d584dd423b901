//! The lease columns of `topics`: which process may run a topic, until when, under which token.

use std::time::Duration;

use aha_core::ids::TopicId;
use aha_core::time::Timestamp;
use async_trait::async_trait;

use super::Database;
use crate::{LEASE_SECONDS, Lease, LeaseAttempt, LeaseStore, Result, StoreError, latest_lease_end};

const ACQUIRE: &str = "
    UPDATE topics SET lease_holder = $2, lease_token = lease_token + 1, lease_expires_at = $3
    WHERE id = $1 AND (lease_holder IS NULL OR lease_expires_at <= $4 OR lease_holder = $5)
    RETURNING lease_token";

const RENEW: &str = "UPDATE topics SET lease_expires_at = $2 WHERE id = $1";

const RELEASE: &str = "
    UPDATE topics SET lease_holder = NULL, lease_expires_at = NULL
    WHERE id = $1 AND lease_token = $2 AND lease_holder = $3";

const CURRENT_OWNER: &str = "SELECT lease_holder, lease_expires_at FROM topics WHERE id = $1";

const OWNER_AND_TOKEN: &str = "SELECT lease_holder, lease_expires_at, lease_token FROM topics WHERE id = $1";

/// Topics that have a lease owner, with the end of the lease.
pub(crate) const LEASE_OWNERS: &str = "
    SELECT name, lease_holder, lease_expires_at FROM topics WHERE lease_holder IS NOT NULL ORDER BY name";

type OwnerRow = (Option<String>, Option<i64>);

fn expiry(wall: Timestamp) -> i64 {
    (wall + Duration::from_secs(LEASE_SECONDS)).as_millis()
}

/// The lease's current owner, read in the same transaction in which acquiring it failed.
fn held(topic: TopicId, row: Option<OwnerRow>) -> Result<LeaseAttempt> {
    match row {
        Some((Some(owner), Some(expires_at))) => {
            Ok(LeaseAttempt::Held { owner, expires_at: Timestamp::from_millis(expires_at) })
        }
        Some((None, None)) => Ok(LeaseAttempt::Busy),
        Some(_) => Err(StoreError::corrupt("lease", format_args!("topic {topic} is half held"))),
        None => Err(StoreError::NotFound { what: "topic", id: topic.to_string() }),
    }
}

#[async_trait]
impl LeaseStore for Database {
    #[tracing::instrument(level = "debug", skip_all)]
    async fn acquire_lease(
        &self,
        topic: TopicId,
        owner: &str,
        wall: Timestamp,
        replaced_owner: Option<&str>,
    ) -> Result<LeaseAttempt> {
        let mut write = self.write("acquire_lease").await?;
        // An owner in the middle of a commit has locked the topic's row: it is reported at once instead of waiting for
        // it.
        let mut token: Option<i64> = None;
        if write.try_lock_topic(topic).await? {
            token = sqlx::query_scalar(ACQUIRE)
                .bind(topic.to_string())
                .bind(owner)
                .bind(expiry(wall))
                .bind(wall.as_millis())
                .bind(replaced_owner)
                .fetch_optional(write.connection())
                .await?;
        }
        let Some(token) = token else {
            let row = sqlx::query_as(CURRENT_OWNER).bind(topic.to_string()).fetch_optional(write.connection()).await?;
            // A dropped transaction would keep the row locked for a moment, and the next caller would skip it.
            write.roll_back().await?;
            return held(topic, row);
        };
        write.commit().await?;
        Ok(LeaseAttempt::Acquired(Lease { topic, owner: owner.to_owned(), token }))
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn renew_lease(&self, lease: &Lease, wall: Timestamp) -> Result<()> {
        let mut write = self.write_fenced("renew_lease", lease).await?;
        sqlx::query(RENEW).bind(lease.topic.to_string()).bind(expiry(wall)).execute(write.connection()).await?;
        write.commit().await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn lease_owner(&self, topic: TopicId, wall: Timestamp) -> Result<(Option<String>, i64)> {
        let row: Option<(Option<String>, Option<i64>, i64)> =
            sqlx::query_as(OWNER_AND_TOKEN).bind(topic.to_string()).fetch_optional(&mut *self.reader().await?).await?;
        let (owner, expires_at, token) = row.unwrap_or_default();
        let (now, latest) = (wall.as_millis(), latest_lease_end(wall).as_millis());
        Ok((owner.filter(|_| expires_at.is_some_and(|at| at > now && at <= latest)), token))
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn lease_end(&self, topic: TopicId) -> Result<Option<(String, Timestamp)>> {
        let row: Option<OwnerRow> =
            sqlx::query_as(CURRENT_OWNER).bind(topic.to_string()).fetch_optional(&mut *self.reader().await?).await?;
        let held = row.and_then(|(owner, expires_at)| owner.zip(expires_at));
        Ok(held.map(|(owner, expires_at)| (owner, Timestamp::from_millis(expires_at))))
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn release_lease(&self, lease: &Lease) -> Result<()> {
        let mut write = self.write("release_lease").await?;
        sqlx::query(RELEASE)
            .bind(lease.topic.to_string())
            .bind(lease.token)
            .bind(&lease.owner)
            .execute(write.connection())
            .await?;
        write.commit().await
    }
}
