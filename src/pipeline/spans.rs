//! Splits a topic's items without a story into spans of time that are placed one after the other.
//!
//! Input: the times of such items. Output: spans, each with the window of the items that it is compared with. Called by
//! the stages `embed`, `dedupe` and `cluster`. A source may bring an item of years ago: with a single window, all that
//! is stored since then would be read, compared, and counted in the term frequencies of today's items.

use aha_analysis::stories::cluster::{FREQUENCY_DAYS, OPEN_DAYS};
use aha_analysis::text::features::LOCAL_SPACE;
use aha_core::time::{DAY_MS, Timestamp};
use aha_core::window::Window;

use super::{RunContext, RunError};

/// Maximum days between an item without a story and the next one of its span. After a longer gap, the next one's window
/// begins later than every item that can be in a story with the one before.
const MAX_GAP_DAYS: i64 = FREQUENCY_DAYS + OPEN_DAYS;

/// Items without a story that are placed together, by the times of the first and the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    first: Timestamp,
    last: Timestamp,
}

impl Span {
    /// Returns the window from `days` before the first item to the last time at which an item can belong to a story
    /// with the last one.
    pub(super) fn window(self, days: i64) -> Window {
        Window { start: self.first.days_before(days), end: self.last.days_after(OPEN_DAYS + 1) }
    }
}

/// Returns the spans of the topic's items that have features but no story, in order.
pub(super) async fn unplaced_spans(context: &RunContext) -> Result<Vec<Span>, RunError> {
    Ok(spans(&context.store().unclustered_days(context.topic.id, LOCAL_SPACE).await?))
}

/// Joins days, given by the times of their first and last items in order, to spans.
fn spans(days: &[(Timestamp, Timestamp)]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for (first, last) in days {
        match spans.last_mut() {
            Some(span) if *first - span.last <= MAX_GAP_DAYS * DAY_MS => span.last = *last,
            _ => spans.push(Span { first: *first, last: *last }),
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(day: i64) -> Timestamp {
        Timestamp::from_millis(day * DAY_MS)
    }

    fn span(first: i64, last: i64) -> Span {
        Span { first: at(first), last: at(last) }
    }

    #[test]
    fn a_gap_of_more_than_ninety_days_begins_a_new_span() {
        let days = |days: &[i64]| days.iter().map(|day| (at(*day), at(*day))).collect::<Vec<_>>();
        assert_eq!(spans(&days(&[])), []);
        assert_eq!(spans(&days(&[5])), [span(5, 5)]);
        assert_eq!(spans(&days(&[5, 95, 100, 190])), [span(5, 190)]);
        assert_eq!(spans(&days(&[5, 96, 100, 4_000])), [span(5, 5), span(96, 100), span(4_000, 4_000)]);
        let all_day = (at(1), Timestamp::from_millis(2 * DAY_MS - 1));
        assert_eq!(spans(&[all_day, (at(91), at(91))]).len(), 1);
    }

    #[test]
    fn no_item_of_a_span_is_compared_with_or_counted_for_one_of_another() {
        let next = Timestamp::from_millis(at(MAX_GAP_DAYS).as_millis() + 1);
        let days = [(at(0), at(0)), (next, next)];
        let [earlier, later] = spans(&days)[..] else { panic!("two are expected") };
        let last_compared = at(0).days_after(OPEN_DAYS);
        assert!(earlier.window(FREQUENCY_DAYS).contains(last_compared));
        assert!(!later.window(FREQUENCY_DAYS).contains(last_compared));
        assert!(!earlier.window(0).contains(next.days_before(OPEN_DAYS)));
    }
}
