//! The lease half of `topics`.

use std::time::Duration;

use aha_core::ids::TopicId;
use aha_core::time::Timestamp;

use crate::{LEASE_SECONDS, LeaseAttempt, Result, StoreError};

pub(crate) const ACQUIRE: &str = "
    UPDATE topics SET lease_holder = $2, lease_token = lease_token + 1, lease_expires_at = $3
    WHERE id = $1 AND (lease_holder IS NULL OR lease_expires_at <= $4 OR lease_holder = $5)
    RETURNING lease_token";

pub(crate) const RENEW: &str = "UPDATE topics SET lease_expires_at = $2 WHERE id = $1";

pub(crate) const RELEASE: &str = "
    UPDATE topics SET lease_holder = NULL, lease_expires_at = NULL
    WHERE id = $1 AND lease_token = $2 AND lease_holder = $3";

pub(crate) const PRESENT_HOLDER: &str = "SELECT lease_holder, lease_expires_at FROM topics WHERE id = $1";

/// Topics that somebody holds, and until when.
pub(crate) const HOLDERS: &str = "
    SELECT name, lease_holder, lease_expires_at FROM topics WHERE lease_holder IS NOT NULL ORDER BY name";

pub(crate) type HolderRow = (Option<String>, Option<i64>);

pub(crate) fn expiry(wall: Timestamp) -> i64 {
    (wall + Duration::from_secs(LEASE_SECONDS)).as_millis()
}

/// Who stood in the way, read in the transaction that was refused the lease.
pub fn held(topic: TopicId, row: Option<HolderRow>) -> Result<LeaseAttempt> {
    match row {
        Some((Some(holder), Some(expires_at))) => {
            Ok(LeaseAttempt::Held { holder, expires_at: Timestamp::from_millis(expires_at) })
        }
        Some((None, None)) => Ok(LeaseAttempt::Busy),
        Some(_) => Err(StoreError::corrupt("lease", format_args!("topic {topic} is half held"))),
        None => Err(StoreError::NotFound { what: "topic", id: topic.to_string() }),
    }
}
