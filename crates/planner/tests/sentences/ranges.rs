//! The start and the end of an event, in words.

use crate::shown::{are_read_as, records, wednesday_at};

#[test]
fn a_range_that_would_end_before_it_begins_crosses_noon() {
    are_read_as(
        &records(&[]),
        wednesday_at(8, 0),
        &[
            ("nursing shift on Monday from 7 to half past 11", "event \"nursing shift\" 2026-11-16 07:00-11:30"),
            ("seminar on Monday from 7 to 11:30", "event \"seminar\" 2026-11-16 07:00-11:30"),
            ("seminar on Monday from 2 to half past 10", "event \"seminar\" 2026-11-16 14:00-22:30"),
            ("seminar on Monday 7 to quarter past 11", "event \"seminar\" 2026-11-16 07:00-11:15"),
            ("seminar on Monday from 8 to half past 10", "event \"seminar\" 2026-11-16 08:00-10:30"),
            ("seminar on Monday from 7 to half past 3", "event \"seminar\" 2026-11-16 07:00-15:30"),
            ("seminar on Monday between 7 and 11:30", "event \"seminar\" 2026-11-16 07:00-11:30"),
            ("seminar on Monday 7-11:30", "event \"seminar\" 2026-11-16 07:00-11:30"),
            ("seminar on Monday from 6 to 10", "event \"seminar\" 2026-11-16 18:00-22:00"),
            ("seminar on Monday from 7 to 9", "event \"seminar\" 2026-11-16 19:00-21:00"),
            ("dinner on Monday from 7 to half past 11", "event \"dinner\" 2026-11-16 19:00-23:30"),
            ("party on Saturday from 8 to half past 11", "event \"party\" 2026-11-14 20:00-23:30"),
        ],
    );
}

#[test]
fn numbers_that_count_something_are_no_range() {
    are_read_as(
        &records(&[]),
        wednesday_at(8, 0),
        &[
            ("grow the team from 5 to 10 people by Friday", "todo \"grow the team from 5 to 10 people\" 2026-11-13"),
            ("extend running from 5 to 8 km on Friday", "todo \"extend running from 5 to 8 km\" 2026-11-13"),
        ],
    );
}
