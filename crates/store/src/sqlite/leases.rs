//! The lease half of `topics`: who may run a topic, until when, under which token.

use aha_core::ids::TopicId;
use aha_core::time::Timestamp;
use async_trait::async_trait;

use super::SqliteStore;
use crate::shared::leases as sql;
use crate::{Lease, LeaseAttempt, LeaseStore, Result};

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
        let token: Option<i64> = sqlx::query_scalar(sql::ACQUIRE)
            .bind(topic.to_string())
            .bind(holder)
            .bind(sql::expiry(wall))
            .bind(wall.as_millis())
            .bind(dead_holder)
            .fetch_optional(write.connection())
            .await?;
        let Some(token) = token else {
            let holder = sqlx::query_as(sql::PRESENT_HOLDER).bind(topic.to_string());
            return sql::held(topic, holder.fetch_optional(write.connection()).await?);
        };
        write.commit().await?;
        Ok(LeaseAttempt::Acquired(Lease { topic, holder: holder.to_owned(), token }))
    }

    async fn renew_lease(&self, lease: &Lease, wall: Timestamp) -> Result<()> {
        let mut write = self.write_fenced("renew_lease", lease).await?;
        sqlx::query(sql::RENEW)
            .bind(lease.topic.to_string())
            .bind(sql::expiry(wall))
            .execute(write.connection())
            .await?;
        write.commit().await
    }

    async fn release_lease(&self, lease: &Lease) -> Result<()> {
        let mut write = self.write("release_lease").await?;
        sqlx::query(sql::RELEASE)
            .bind(lease.topic.to_string())
            .bind(lease.token)
            .bind(&lease.holder)
            .execute(write.connection())
            .await?;
        write.commit().await
    }
}
