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
            ("add todo pay invoice 2026-11 on Friday", "todo \"pay invoice 2026-11\" 2026-11-13"),
            ("extend running from 5 to 8 km on Friday", "todo \"extend running from 5 to 8 km\" 2026-11-13"),
        ],
    );
}

#[test]
fn a_start_and_a_duration_make_an_end_in_any_order() {
    are_read_as(
        &records(&[]),
        wednesday_at(8, 0),
        &[
            (
                "study for the exam for two hours on saturday from 10",
                "event \"study for the exam\" 2026-11-14 10:00-12:00",
            ),
            ("work from 10 for two hours on Saturday", "event \"work\" 2026-11-14 10:00-12:00"),
            ("paint the wall for two hours on Saturday from 10am", "event \"paint the wall\" 2026-11-14 10:00-12:00"),
            ("cook dinner on Friday at 6 for two hours", "event \"cook dinner\" 2026-11-13 18:00-20:00"),
            ("market on Saturday from 8", "event \"market\" 2026-11-14 08:00"),
            ("study for two hours on Saturday", "todo \"study for two hours\" 2026-11-14"),
            ("read for 20 minutes every day at 9", "todo \"read for 20 minutes\" 2026-11-11 09:00 daily"),
            ("stretch for ten minutes at nine", "todo \"stretch for ten minutes\" 2026-11-11 09:00"),
            ("tickets on Friday from 10 euros", "todo \"tickets from 10 euros\" 2026-11-13"),
            ("swim from 10 December for 30 minutes every day", "todo \"swim for 30 minutes\" 2026-12-10 daily"),
        ],
    );
}
