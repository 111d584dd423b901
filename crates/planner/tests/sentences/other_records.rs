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
