//! Findings about calls that cost more than was reserved for them, so that they may have passed a cap.

use aha_content::numbers::count;
use aha_store::{CallFilter, CallRecord, SharedStore};

use super::super::Result;
use super::Findings;

/// How many of the newest calls are examined.
const CALLS: i64 = 10_000;

pub(super) async fn calls(store: &SharedStore, findings: &mut Findings) -> Result<()> {
    let calls = store.calls(&CallFilter { limit: CALLS, ..CallFilter::default() }).await?;
    let overcharged = calls.iter().filter(|call| call.is_overcharged()).collect::<Vec<&CallRecord>>();
    if let Some(newest) = overcharged.first() {
        let CallRecord { provider, model, started_at, .. } = newest;
        findings.note(
            "ledger",
            format!(
                "{} cost more than was reserved, the last at {started_at} by {provider}/{model}: a cap may have been \
                 passed; compare its price and usage with the provider's bill (`aha-radar calls`)",
                count(overcharged.len(), "call", "calls")
            ),
        );
    }
    Ok(())
}
