//! Removes old rows in batches: `$1` is the time before which rows are removed, `$2` the maximum number.
//!
//! Feedback is kept for ever, with the title, source and words of its item; an item that a user saved keeps its text.

use aha_core::time::Timestamp;
use async_trait::async_trait;

use super::Database;
use crate::shared::PerDatabase;
use crate::{RemovedRows, Result, RetentionStep, RetentionStore, latest_lease_end};

/// The statements of a [`RetentionStep`]: one counts the rows to remove, the other removes them.
struct Statements {
    count: &'static str,
    remove: &'static str,
}

fn of(step: RetentionStep) -> Statements {
    let (count, remove) = match step {
        RetentionStep::Digests => (COUNT_DIGESTS, REMOVE_DIGESTS),
        RetentionStep::Items => (COUNT_ITEMS, REMOVE_ITEMS),
        RetentionStep::Vectors => (COUNT_VECTORS, REMOVE_VECTORS),
        RetentionStep::Fetches => (COUNT_FETCHES, REMOVE_FETCHES),
        RetentionStep::Calls => (COUNT_CALLS, REMOVE_CALLS),
        RetentionStep::Counters => (COUNT_COUNTERS, REMOVE_COUNTERS),
    };
    Statements { count, remove }
}

/// Whether a process is running a topic: rows that it reads must not be removed meanwhile. A lease that ends after `$2`
/// counts as expired.
const RUNNING_TOPICS: &str = "
    SELECT count(*) FROM topics
    WHERE lease_holder IS NOT NULL AND lease_expires_at > $1 AND lease_expires_at <= $2";

/// A topic's newest digest is kept, however old it is.
const COUNT_DIGESTS: &str = "
    SELECT count(*) FROM digests d
    WHERE d.window_end < $1
      AND EXISTS (SELECT 1 FROM digests n WHERE n.topic_id = d.topic_id AND n.window_end > d.window_end)";

const REMOVE_DIGESTS: &str = "
    DELETE FROM digests WHERE id IN (
        SELECT d.id FROM digests d
        WHERE d.window_end < $1
          AND EXISTS (SELECT 1 FROM digests n WHERE n.topic_id = d.topic_id AND n.window_end > d.window_end)
        ORDER BY d.window_end, d.id LIMIT $2)";

const COUNT_ITEMS: &str = include_str!("count_old_items.sql");

const REMOVE_ITEMS: &str = include_str!("remove_old_items.sql");

const COUNT_VECTORS: &str = "
    SELECT count(*) FROM content_items i JOIN embeddings e ON e.item_id = i.id
    WHERE i.deleted_at IS NOT NULL AND i.item_time < $1";

const REMOVE_VECTORS: &str = "
    DELETE FROM embeddings WHERE item_id IN (
        SELECT i.id FROM content_items i
        WHERE i.deleted_at IS NOT NULL AND i.item_time < $1
          AND EXISTS (SELECT 1 FROM embeddings e WHERE e.item_id = i.id)
        ORDER BY i.item_time, i.id LIMIT $2)";

/// An unfinished run may still query which sources it has read.
const COUNT_FETCHES: &str = "
    SELECT count(*) FROM fetch_runs f JOIN runs r ON r.id = f.run_id
    WHERE f.finished_at < $1 AND r.status = 'done'";

const REMOVE_FETCHES: &str = "
    DELETE FROM fetch_runs WHERE id IN (
        SELECT f.id FROM fetch_runs f JOIN runs r ON r.id = f.run_id
        WHERE f.finished_at < $1 AND r.status = 'done' LIMIT $2)";

/// Calls with a stored answer are kept, and so are calls that are not settled or were corrected manually.
const COUNT_CALLS: &str = "
    SELECT count(*) FROM provider_calls c
    WHERE c.started_at < $1 AND c.state IN ('ok', 'error')
      AND NOT EXISTS (SELECT 1 FROM answers a WHERE a.provider_call_id = c.id)
      AND NOT EXISTS (SELECT 1 FROM budget_adjustments b WHERE b.provider_call_id = c.id)
      AND NOT EXISTS (SELECT 1 FROM content_item_deep_reviews d WHERE d.provider_call_id = c.id)";

const REMOVE_CALLS: &str = "
    DELETE FROM provider_calls WHERE id IN (
        SELECT c.id FROM provider_calls c
        WHERE c.started_at < $1 AND c.state IN ('ok', 'error')
          AND NOT EXISTS (SELECT 1 FROM answers a WHERE a.provider_call_id = c.id)
          AND NOT EXISTS (SELECT 1 FROM budget_adjustments b WHERE b.provider_call_id = c.id)
          AND NOT EXISTS (SELECT 1 FROM content_item_deep_reviews d WHERE d.provider_call_id = c.id)
        LIMIT $2)";

/// Counters begin with `day:` and the day in UTC, or with `run:` and the run's id. A run that is not finished may still
/// be charged.
const COUNT_COUNTERS: &str = super::statement(PerDatabase {
    sqlite: "
        SELECT count(*) FROM budget_counters b
        WHERE b.reserved_microcredits = 0
          AND (b.counter >= 'day:' AND b.counter < 'day:' || strftime('%Y-%m-%d', $1 / 1000, 'unixepoch')
               OR b.counter >= 'run:' AND b.counter < 'run;' AND NOT EXISTS (
                   SELECT 1 FROM runs r
                   WHERE r.id = substr(b.counter, 5, 36) AND (r.status <> 'done' OR r.finished_at >= $1)))",
    postgres: "
        SELECT count(*) FROM budget_counters b
        WHERE b.reserved_microcredits = 0
          AND (b.counter >= 'day:'
               AND b.counter < 'day:' || to_char(to_timestamp(CAST($1 AS bigint) / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')
               OR b.counter >= 'run:' AND b.counter < 'run;' AND NOT EXISTS (
                   SELECT 1 FROM runs r
                   WHERE r.id = substr(b.counter, 5, 36) AND (r.status <> 'done' OR r.finished_at >= $1)))",
});

const REMOVE_COUNTERS: &str = super::statement(PerDatabase {
    sqlite: "
        DELETE FROM budget_counters WHERE counter IN (
            SELECT b.counter FROM budget_counters b
            WHERE b.reserved_microcredits = 0
              AND (b.counter >= 'day:' AND b.counter < 'day:' || strftime('%Y-%m-%d', $1 / 1000, 'unixepoch')
                   OR b.counter >= 'run:' AND b.counter < 'run;' AND NOT EXISTS (
                       SELECT 1 FROM runs r
                       WHERE r.id = substr(b.counter, 5, 36) AND (r.status <> 'done' OR r.finished_at >= $1)))
            LIMIT $2)",
    postgres: "
        DELETE FROM budget_counters WHERE counter IN (
            SELECT b.counter FROM budget_counters b
            WHERE b.reserved_microcredits = 0
              AND (b.counter >= 'day:'
               AND b.counter < 'day:' || to_char(to_timestamp(CAST($1 AS bigint) / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')
                   OR b.counter >= 'run:' AND b.counter < 'run;' AND NOT EXISTS (
                       SELECT 1 FROM runs r
                       WHERE r.id = substr(b.counter, 5, 36) AND (r.status <> 'done' OR r.finished_at >= $1)))
            LIMIT $2)",
});

#[async_trait]
impl RetentionStore for Database {
    #[tracing::instrument(level = "debug", skip_all)]
    async fn count_old(&self, step: RetentionStep, before: Timestamp) -> Result<i64> {
        let count = of(step).count;
        Ok(sqlx::query_scalar(count).bind(before.as_millis()).fetch_one(&mut *self.reader().await?).await?)
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn remove_old(
        &self,
        step: RetentionStep,
        before: Timestamp,
        limit: i64,
        wall: Timestamp,
    ) -> Result<RemovedRows> {
        let mut write = self.write("remove_old").await?;
        write.lock_shared_items().await?;
        let running_topics: i64 = sqlx::query_scalar(RUNNING_TOPICS)
            .bind(wall.as_millis())
            .bind(latest_lease_end(wall).as_millis())
            .fetch_one(write.connection())
            .await?;
        if running_topics > 0 {
            write.roll_back().await?;
            return Ok(RemovedRows::RunInProgress);
        }
        let remove = of(step).remove;
        let remove = sqlx::query(remove).bind(before.as_millis()).bind(limit);
        let remove = if step == RetentionStep::Items { remove.bind(wall.as_millis()) } else { remove };
        let removed = remove.execute(write.connection()).await?.rows_affected();
        write.commit().await?;
        Ok(RemovedRows::Removed(removed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_counts_the_rows_that_it_removes() {
        let words = |sql: &str| {
            let code = sql.lines().filter(|line| !line.trim_start().starts_with("--"));
            code.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
        };
        for step in [
            RetentionStep::Digests,
            RetentionStep::Items,
            RetentionStep::Vectors,
            RetentionStep::Fetches,
            RetentionStep::Calls,
            RetentionStep::Counters,
        ] {
            let Statements { count, remove } = of(step);
            let (count, remove) = (words(count), words(remove));
            let (_, condition) = count.split_once(" WHERE ").unwrap();
            assert!(remove.contains(condition), "{step:?}: {condition}\n{remove}");
        }
    }
}
