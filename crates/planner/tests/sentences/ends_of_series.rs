//! The last day of a series, in words that name it or do not.

use crate::shown::{are_read_as, records, wednesday_at};

#[test]
fn an_end_that_names_no_day_is_asked_for() {
    are_read_as(
        &records(&["yoga every Friday at 18:00"]),
        wednesday_at(8, 0),
        &[
            ("open the calendar every day until Advent", "? The day of \"until Advent\" is not known"),
            ("revise every day until the exam", "? The day of \"until the exam\" is not known"),
            ("revise every day until the exam at 9", "? The day of \"until the exam\" is not known"),
            ("wake Max up every day until the end of term", "? The day of \"until the end of term\" is not known"),
            ("walk the dog every day until Lena is back", "? The day of \"until Lena is back\" is not known"),
            ("swim every Tuesday until the holidays", "? The day of \"until the holidays\" is not known"),
            ("make yoga daily until my graduation", "? The day of \"until my graduation\" is not known"),
            ("read every night until I fall asleep", "todo \"read until I fall asleep\" 2026-11-11 22:00 daily"),
            ("run every day until noon", "todo \"run until noon\" 2026-11-11 daily"),
            ("stretch every day until Christmas", "todo \"stretch\" 2026-11-11 daily until 2026-12-25"),
            ("revise \"until the exam\" every day", "todo \"revise \"until the exam\"\" 2026-11-11 daily"),
            ("revise until the exam", "todo \"revise until the exam\""),
        ],
    );
}

#[test]
fn an_end_without_a_rule_is_asked_about() {
    are_read_as(
        &records(&[]),
        wednesday_at(8, 0),
        &[
            ("wake Max up until the end of November", "? be done once, or every day"),
            ("wake Max up at 7 until 30 November", "? be done once, or every day"),
            ("wake Max up every day until 30 November", "todo \"wake Max up\" 2026-11-11 daily until 2026-11-30"),
            ("wake Max up by 30 November", "todo \"wake Max up\" 2026-11-30"),
            ("finish the essay until Friday", "todo \"finish the essay\" 2026-11-13"),
        ],
    );
}

#[test]
fn a_number_of_sessions_ends_the_series_wherever_it_is() {
    are_read_as(
        &records(&[]),
        wednesday_at(8, 0),
        &[
            ("10 sessions of physio every Friday at 9", "event \"physio\" 2026-11-13 09:00 weekly until 2027-01-15"),
            ("physio every Friday at 9 for 10 sessions", "event \"physio\" 2026-11-13 09:00 weekly until 2027-01-15"),
            ("6 piano lessons every Monday at 5", "event \"piano lessons\" 2026-11-16 17:00 weekly until 2026-12-21"),
            ("10 push-ups every day", "todo \"10 push-ups\" 2026-11-11 daily"),
            ("10 sessions of physio", "todo \"10 sessions of physio\""),
        ],
    );
}
