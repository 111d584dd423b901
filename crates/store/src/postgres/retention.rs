//! What is removed for its age.

use aha_core::time::Timestamp;
use async_trait::async_trait;

use super::PostgresStore;
use crate::shared::retention as sql;
use crate::{RemovedRows, Result, RetentionStep, RetentionStore};

#[async_trait]
impl RetentionStore for PostgresStore {
    async fn count_old(&self, step: RetentionStep, before: Timestamp) -> Result<i64> {
        let count = sql::of(step).count;
        Ok(sqlx::query_scalar(count).bind(before.as_millis()).fetch_one(&mut *self.reader().await?).await?)
    }

    async fn remove_old(
        &self,
        step: RetentionStep,
        before: Timestamp,
        limit: i64,
        wall: Timestamp,
    ) -> Result<RemovedRows> {
        let mut write = self.write("remove_old").await?;
        write.lock_contents().await?;
        let at_work: i64 =
            sqlx::query_scalar(sql::AT_WORK).bind(wall.as_millis()).fetch_one(write.connection()).await?;
        if at_work > 0 {
            return Ok(RemovedRows::AtWork);
        }
        let remove = sql::of(step).remove;
        let remove = sqlx::query(remove).bind(before.as_millis()).bind(limit);
        let remove = if step == RetentionStep::Items { remove.bind(wall.as_millis()) } else { remove };
        let removed = remove.execute(write.connection()).await?.rows_affected();
        write.commit().await?;
        Ok(RemovedRows::Removed(removed))
    }
}
