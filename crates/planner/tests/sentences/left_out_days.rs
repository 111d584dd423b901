//! Series of which single days are left out, which no rule can hold.

use crate::shown::{are_read_as, records, wednesday_at};

#[test]
fn a_date_is_not_left_out_of_a_series_in_any_words() {
    let days_left_out = "? Days cannot be left out of a repetition";
    let cases = [
        "swimming on Thursdays at 4 but not on the 19th",
        "swimming on Thursdays at 4 apart from 24 November",
        "swimming on Thursdays at 4 but not on 30 November",
        "swimming on Thursdays at 4 other than the 26th",
        "swimming on Thursdays at 4 save for 26 November",
        "swimming on Thursdays at 4, not tomorrow",
        "training every Friday at 6 without 27 November",
        "training every Friday at 6, no training on 27 November",
        "training every Friday at 6, never on the 26th",
        "training every Friday at 6, not on the 27th",
        "training every Friday at 6 not on the 23rd",
        "training every Friday at 6 but skip 2026-11-27",
        "meditate every day, not on Sundays",
    ]
    .map(|say| (say, days_left_out));
    are_read_as(&records(&[]), wednesday_at(8, 0), &cases);
}

#[test]
fn what_is_denied_without_leaving_a_day_out_is_read_as_before() {
    are_read_as(
        &records(&["stand-up every Monday at 9"]),
        wednesday_at(8, 0),
        &[
            ("stand-up every Tuesday, not Monday", "update 1 2026-11-17 weekly"),
            ("run every day, not at 7 but at 8", "todo \"run\" 2026-11-11 08:00 daily"),
            ("coffee without sugar every day", "todo \"coffee without sugar\" 2026-11-11 daily"),
            ("call with no notes on 27 November", "event \"call with no notes\" 2026-11-27"),
        ],
    );
}
