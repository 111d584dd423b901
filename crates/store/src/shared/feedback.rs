//! `feedback_events` and `topic_preference_profiles`.

use aha_core::feedback::FeedbackEvent;
use aha_core::time::Timestamp;
use sqlx::FromRow;

use super::column;
use crate::{Result, StoreError};

/// What was said before counts; saying it again changes nothing.
pub(crate) const GIVE: &str = "
    INSERT INTO feedback_events (id, user_id, topic_id, item_id, kind, title, source, author, terms_json, given_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    ON CONFLICT DO NOTHING";

pub(crate) const TAKE_BACK: &str = "
    DELETE FROM feedback_events WHERE user_id = $1 AND topic_id = $2 AND item_id = $3 AND kind = $4";

/// The newest of a topic's, so that reading them is bounded.
pub(crate) const OF_TOPIC: &str = "
    SELECT item_id, kind, title, source, author, terms_json, given_at FROM feedback_events
    WHERE user_id = $1 AND topic_id = $2 ORDER BY given_at DESC, id DESC LIMIT $3";

pub(crate) const SAVE_PROFILE: &str = "
    INSERT INTO topic_preference_profiles (user_id, topic_id, profile_json, summary, events, computed_at)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (user_id, topic_id) DO UPDATE
    SET profile_json = excluded.profile_json, summary = excluded.summary, events = excluded.events,
        computed_at = excluded.computed_at";

pub(crate) const UNLEARNT: &str = "
    SELECT name FROM feedback_unlearnt WHERE user_id = $1 AND topic_id = $2 ORDER BY name";

pub(crate) const UNLEARN: &str = "
    INSERT INTO feedback_unlearnt (user_id, topic_id, name, unlearnt_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT DO NOTHING";

pub(crate) const RELEARN: &str = "
    DELETE FROM feedback_unlearnt WHERE user_id = $1 AND topic_id = $2 AND name = $3";

#[derive(FromRow)]
pub(crate) struct FeedbackRow {
    item_id: String,
    kind: String,
    title: String,
    source: String,
    author: Option<String>,
    terms_json: String,
    given_at: i64,
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

/// Oldest first, as they are added up.
pub fn in_order(rows: Vec<FeedbackRow>) -> Result<Vec<FeedbackEvent>> {
    rows.into_iter().rev().map(FeedbackEvent::try_from).collect()
}
