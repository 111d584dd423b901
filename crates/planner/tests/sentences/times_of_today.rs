//! Times at the end of a day, without a start, and of today when they have passed.

use aha_planner::language::{Reading, Selection, read};

use crate::shown::{are_read_as, records, wednesday_at};

#[test]
fn midnight_ends_the_day_of_a_deadline() {
    are_read_as(
        &records(&["todo pay the rent"]),
        wednesday_at(8, 0),
        &[
            ("the rent is due at midnight on Friday", "update 1 2026-11-13 23:59"),
            ("send the form by midnight on Friday", "todo \"send the form\" 2026-11-13 23:59"),
            ("essay on Hume due on Friday at midnight", "todo \"essay on Hume\" 2026-11-13 23:59"),
            ("application closes on 15 November at midnight", "todo \"application closes\" 2026-11-15 23:59"),
            ("submit the application by midnight", "todo \"submit the application\" 2026-11-11 23:59"),
            ("party tonight at midnight", "event \"party\" 2026-11-12 00:00"),
        ],
    );
}

#[test]
fn an_end_without_a_start_is_no_time_of_day() {
    are_read_as(
        &records(&[]),
        wednesday_at(8, 0),
        &[
            ("sleep until noon tomorrow", "todo \"sleep until noon\" 2026-11-12"),
            ("stay at Oma's until 3pm on Friday", "todo \"stay at Oma's until 3pm\" 2026-11-13"),
            ("sleep from 10 until noon tomorrow", "event \"sleep\" 2026-11-12 10:00-12:00"),
            ("finish the report by noon tomorrow", "todo \"finish the report\" 2026-11-12 12:00"),
        ],
    );
}

#[test]
fn nothing_is_planned_for_a_time_that_has_passed() {
    let nothing = records(&[]);
    are_read_as(
        &nothing,
        wednesday_at(23, 10),
        &[
            ("call Sam this afternoon", "? has passed"),
            ("call Sam today at noon", "? has passed"),
            ("revise for the exam tonight", "todo \"revise for the exam\" 2026-11-11"),
            ("call Sam in the afternoon", "todo \"call Sam\" 2026-11-12 12:00"),
            ("call Sam tomorrow at noon", "todo \"call Sam\" 2026-11-12 12:00"),
        ],
    );
    let today = wednesday_at(12, 30);
    are_read_as(&nothing, today, &[("call Sam this afternoon", "todo \"call Sam\" 2026-11-11")]);
    are_read_as(&nothing, today, &[("call Sam this evening", "todo \"call Sam\" 2026-11-11 19:00")]);
    let tomorrow = today.date.succ_opt();
    let selection = Selection { date: tomorrow, ..Selection::default() };
    let Reading::Plan(made) = read("call Sam this morning", &nothing, today, &selection) else { panic!("asked again") };
    assert_eq!(made[0].scheduled_for.flatten(), tomorrow);
}
