//! `content_item_deep_reviews`: the user's decision on a pasted text.

use aha_core::ids::ItemId;
use aha_core::time::Timestamp;
use async_trait::async_trait;

use super::Database;
use crate::shared::column;
use crate::{Result, SummaryDecision, SummaryDecisionStore};

const UPSERT_DECISION: &str = "
    INSERT INTO content_item_deep_reviews (content_item_id, decision, summary_json, provider_call_id, decided_at)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (content_item_id) DO UPDATE
    SET decision = excluded.decision, summary_json = excluded.summary_json,
        provider_call_id = excluded.provider_call_id, decided_at = excluded.decided_at";

const DECISION: &str = "
    SELECT summary_json, provider_call_id, decided_at FROM content_item_deep_reviews WHERE content_item_id = $1";

#[async_trait]
impl SummaryDecisionStore for Database {
    #[tracing::instrument(level = "debug", skip_all)]
    async fn commit_summary_decision(&self, decision: &SummaryDecision) -> Result<()> {
        let mut write = self.write("commit_summary_decision").await?;
        sqlx::query(UPSERT_DECISION)
            .bind(decision.item.to_string())
            .bind(if decision.summary_json.is_some() { "promoted" } else { "dropped" })
            .bind(decision.summary_json.as_deref().map(column::json_text))
            .bind(decision.call.as_deref())
            .bind(decision.at.as_millis())
            .execute(write.connection())
            .await?;
        write.commit().await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn summary_decision(&self, item: ItemId) -> Result<Option<SummaryDecision>> {
        let row: Option<(Option<String>, Option<String>, i64)> =
            sqlx::query_as(DECISION).bind(item.to_string()).fetch_optional(&mut *self.reader().await?).await?;
        Ok(row.map(|(summary_json, call, at)| SummaryDecision {
            item,
            summary_json,
            call,
            at: Timestamp::from_millis(at),
        }))
    }
}
