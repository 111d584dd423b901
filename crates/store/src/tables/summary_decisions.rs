//! `content_item_deep_reviews`: the owner's decision on a pasted text.

use aha_core::ids::ItemId;
use aha_core::time::Timestamp;

use super::Connection;
use crate::shared::column;
use crate::{Result, SummaryDecision};

const UPSERT_REVIEW: &str = "
    INSERT INTO content_item_deep_reviews (content_item_id, decision, summary_json, provider_call_id, decided_at)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (content_item_id) DO UPDATE
    SET decision = excluded.decision, summary_json = excluded.summary_json,
        provider_call_id = excluded.provider_call_id, decided_at = excluded.decided_at";

const REVIEW: &str = "
    SELECT summary_json, provider_call_id, decided_at FROM content_item_deep_reviews WHERE content_item_id = $1";

pub(super) async fn put_summary_decision(connection: &mut Connection, review: &SummaryDecision) -> Result<()> {
    let decision = if review.summary_json.is_some() { "promoted" } else { "dropped" };
    sqlx::query(UPSERT_REVIEW)
        .bind(review.item.to_string())
        .bind(decision)
        .bind(review.summary_json.as_deref().map(column::json_text))
        .bind(review.call.as_deref())
        .bind(review.at.as_millis())
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn get_summary_decision(connection: &mut Connection, item: ItemId) -> Result<Option<SummaryDecision>> {
    let row: Option<(Option<String>, Option<String>, i64)> =
        sqlx::query_as(REVIEW).bind(item.to_string()).fetch_optional(connection).await?;
    Ok(row.map(|(summary_json, call, at)| SummaryDecision { item, summary_json, call, at: Timestamp::from_millis(at) }))
}
