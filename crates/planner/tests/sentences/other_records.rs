//! Sentences that share a word with a record and do not name it.

use aha_planner::apply::State;

use crate::shown::{are_read_as, records, wednesday_at};

fn known() -> State {
    records(&[
        "drop off the library card on Tuesday",
        "work on the thesis on 25 November",
        "sell the sofa on 20 November",
        "essay writing about Kant on 23 November",
        "todo take the bins out",
    ])
}

#[test]
fn a_statement_moves_no_record_that_it_does_not_name() {
    are_read_as(
        &known(),
        wednesday_at(8, 0),
        &[
            ("I'm off on Friday", "? What should be done with"),
            ("I'm working on Sunday", "? What should be done with"),
            ("we're selling on Sunday", "? What should be done with"),
            ("I'm out on Saturday", "? What should be done with"),
            ("I'm writing on Friday", "? What should be done with"),
            ("essay due tomorrow at midnight", "? is there already, or something like it"),
            ("the essay is due tomorrow", "? What should be done with"),
            ("I'm selling the sofa on Friday", "update 3 2026-11-13"),
            ("the sofa is due tomorrow", "update 3 2026-11-12"),
            ("I'll drop off the library card on Friday", "update 1 2026-11-13"),
            ("the thesis due on Friday", "update 2 2026-11-13"),
        ],
    );
}

#[test]
fn something_to_do_is_new_unless_a_record_has_that_name() {
    are_read_as(
        &records(&[
            "todo pay nursery fee",
            "todo wake Max up",
            "todo order the turkey",
            "todo order new bins",
            "todo buy bin bags",
            "patient round on Friday at 9",
            "todo paint the flat",
            "lab safety quiz on Monday at 10",
            "yoga every Friday at 18:00",
        ]),
        wednesday_at(8, 0),
        &[
            ("drop Max off at nursery at 8 tomorrow", "todo \"drop Max off at nursery\" 2026-11-12 08:00"),
            ("remove Max's stitches on Friday at 9", "todo \"remove Max's stitches\" 2026-11-13 09:00"),
            ("put the turkey in the oven", "todo \"put the turkey in the oven\""),
            ("put the turkey in the oven at 3 on Sunday", "todo \"put the turkey in the oven\" 2026-11-15 15:00"),
            ("put the bins out this evening", "todo \"put the bins out\" 2026-11-11 19:00"),
            ("check up on patient Meyer", "todo \"check up on patient Meyer\""),
            ("clear out the flat", "todo \"clear out the flat\""),
            ("shift on Monday from 7 to half past 3", "event \"shift\" 2026-11-16 07:00-15:30"),
            ("finish the lab report by Thursday 5pm", "todo \"finish the lab report\" 2026-11-12 17:00"),
            ("clear out whatever isn't important", "? Nothing open is called"),
            ("remove Max's stitches", "? Nothing open is called"),
            ("cancel the dentist on Friday", "? Nothing open is called"),
            ("move wake Bob", "? Nothing open is called"),
            ("drop yoga off the list", "delete 9"),
            ("drop yoga", "delete 9"),
        ],
    );
}

#[test]
fn what_is_put_somewhere_may_be_there_already() {
    are_read_as(
        &records(&["take out the bins every Thursday"]),
        wednesday_at(8, 0),
        &[
            ("put the bins out this evening", "? is there already, or something like it"),
            ("add put the bins out this evening", "todo \"put the bins out\" 2026-11-11 19:00"),
        ],
    );
}

#[test]
fn a_series_of_every_few_weeks_is_not_moved_without_a_question() {
    are_read_as(
        &records(&["clean the fridge every 2 weeks from 14 November", "water the fern every 5 days"]),
        wednesday_at(8, 0),
        &[
            ("put off cleaning the fridge until the week after next", "? Should all of it be changed"),
            ("move clean the fridge to Sunday", "? Should all of it be changed"),
            ("change clean the fridge to every 3 weeks", "update 1 2026-11-14 every 21 days"),
            ("postpone watering the fern to tomorrow", "update 2 2026-11-12 every 5 days"),
        ],
    );
}
