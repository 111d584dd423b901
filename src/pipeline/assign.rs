//! Determines the run's items.
//!
//! A cursor run claims items that no run has claimed: older than the window's end, at most 48 hours older than its
//! start, at most 50 per source, newest first. For a source that had been failing it claims items since the source's
//! last successful fetch, up to seven days back. It claims again the items of stories that the last digest shows
//! without a judgement because triage failed. Older items are stored as seen: they are never judged, but they count for
//! novelty, word frequencies and cadence. The same applies to items without a date that were in their source when it
//! was first read. A window run reads all items of its window and claims nothing.

use std::collections::{HashMap, HashSet};

use aha_content::numbers::count;
use aha_core::ids::{ItemId, SourceId};
use aha_core::run::RunMode;
use aha_core::time::Timestamp;
use aha_core::window::Window;
use aha_store::ItemHeader;

use super::{RunContext, RunError, Stage};

/// Late items are still accepted for this long: for example published at 08:50, first seen at 09:10.
pub(super) const LATENESS_HOURS: i64 = 48;

/// Maximum time before the window's end from which a source that had been failing is caught up.
const CATCH_UP_DAYS: i64 = 7;

/// Maximum number of items that one source may contribute to a run.
const ITEMS_A_SOURCE: usize = 50;

/// The run's items.
#[derive(Debug, Default)]
pub(super) struct Assigned {
    pub(super) items: Vec<ItemId>,
    /// Those of them that a source could not deliver when they were due.
    pub(super) late: HashSet<ItemId>,
}

pub(super) async fn run(context: &RunContext) -> Result<Assigned, RunError> {
    context.progress.begin(Stage::Assign, 0);
    let (store, run) = (context.store(), &context.run);
    let assigned = match run.mode {
        RunMode::Window => {
            Assigned { items: store.items_in_window(context.topic.id, run.window).await?, late: HashSet::new() }
        }
        RunMode::Cursor => {
            let mut items = store.assigned_items(run.id).await?;
            if context.is_replay {
                // It uses what the run had, even if a later run has claimed a part or all of it again.
                items.extend(store.reclaimed_items(run.id).await?);
            } else if items.is_empty() {
                items = claim(context).await?;
            }
            Assigned { items, late: store.late_items(run.id, run.window.start).await?.into_iter().collect() }
        }
    };
    context.progress.end(Stage::Assign, &format!("{} in the run", count(assigned.items.len(), "item", "items")));
    Ok(assigned)
}

async fn claim(context: &RunContext) -> Result<Vec<ItemId>, RunError> {
    let window = context.run.window;
    let unassigned = context.store().unassigned_items(context.topic.id, window.end).await?;
    let (fresh, old): (Vec<ItemHeader>, Vec<ItemHeader>) =
        unassigned.into_iter().partition(|item| !item.is_of_unknown_age && item.time >= oldest(item, window));
    let assigned = newest_of_each(fresh);
    let seen: Vec<ItemId> = old.into_iter().map(|item| item.id).collect();
    let failed_since = window.start.hours_before(LATENESS_HOURS);
    context.store().assign_items(&context.lease, context.run.id, &assigned, &seen, failed_since).await?;
    Ok(context.store().assigned_items(context.run.id).await?)
}

/// Returns the minimum time of an item for it to be claimed.
fn oldest(item: &ItemHeader, window: Window) -> Timestamp {
    let of_the_window = window.start.hours_before(LATENESS_HOURS);
    let catch_up = item.catch_up_from.map(|from| from.hours_before(LATENESS_HOURS));
    catch_up.map_or(of_the_window, |from| of_the_window.min(from.max(window.end.days_before(CATCH_UP_DAYS))))
}

/// Returns the newest [`ITEMS_A_SOURCE`] of each source; the others stay unassigned for the next run.
fn newest_of_each(mut items: Vec<ItemHeader>) -> Vec<ItemId> {
    items.sort_by(|a, b| b.time.cmp(&a.time).then(a.id.cmp(&b.id)));
    let mut taken: HashMap<SourceId, usize> = HashMap::new();
    items
        .into_iter()
        .filter(|item| {
            let count = taken.entry(item.source).or_default();
            *count += 1;
            *count <= ITEMS_A_SOURCE
        })
        .map(|item| item.id)
        .collect()
}

#[cfg(test)]
mod tests {
    use aha_core::time::{DAY_MS, HOUR_MS};

    use super::*;

    fn item(id: &str, source: SourceId, time: i64) -> ItemHeader {
        let time = Timestamp::from_millis(time);
        ItemHeader { id: ItemId::of(&[id]), source, time, catch_up_from: None, is_of_unknown_age: false }
    }

    #[test]
    fn a_source_that_had_failed_is_caught_up_from_its_last_good_fetch_for_seven_days_at_most() {
        let at = |day: i64| Timestamp::from_millis(day * DAY_MS);
        let window = Window { start: at(19), end: at(20) };
        let oldest_after = |from: Option<i64>| {
            let item = ItemHeader { catch_up_from: from.map(at), ..item("a", SourceId::of(&["s"]), 0) };
            (oldest(&item, window) - at(0)) / HOUR_MS
        };
        assert_eq!(oldest_after(None), 17 * 24);
        assert_eq!(oldest_after(Some(19)), 17 * 24);
        assert_eq!(oldest_after(Some(16)), 14 * 24);
        assert_eq!(oldest_after(Some(15)), 13 * 24);
        assert_eq!(oldest_after(Some(2)), 13 * 24);
    }

    #[test]
    fn a_prolific_source_is_limited_to_its_newest_items() {
        let source = SourceId::of(&["loud"]);
        let items: Vec<ItemHeader> = (0..80).map(|n| item(&n.to_string(), source, n)).collect();
        let kept = newest_of_each(items);
        assert_eq!(kept.len(), ITEMS_A_SOURCE);
        assert_eq!(kept[0], ItemId::of(&["79"]));
        assert!(!kept.contains(&ItemId::of(&["29"])));
    }
}
