//! Words that ask for a record in some sentences and are a part of its title in others.

use crate::shown::{are_read_as, records, wednesday_at};

#[test]
fn a_word_of_the_title_is_not_taken_for_a_command() {
    are_read_as(
        &records(&["dentist on 20 November at 10:00"]),
        wednesday_at(8, 0),
        &[
            ("book club on Thursday at 7", "event \"book club\" 2026-11-12 19:00"),
            ("book group on Thursday at 7", "event \"book group\" 2026-11-12 19:00"),
            ("book fair on Saturday", "event \"book fair\" 2026-11-14"),
            ("New Year's Eve party on 31 December at 8pm", "event \"New Year's Eve party\" 2026-12-31 20:00"),
            ("new year's brunch on 1 January at 11", "event \"new year's brunch\" 2027-01-01 11:00"),
            ("new shoes for Lena", "todo \"new shoes for Lena\""),
            ("new job interview on Friday at 10", "event \"new job interview\" 2026-11-13 10:00"),
            ("set off for Berlin on Friday at 7", "todo \"set off for Berlin\" 2026-11-13 19:00"),
            ("set off for the dentist on 20 November at 9", "todo \"set off for the dentist\" 2026-11-20 09:00"),
            ("set up the crib on Saturday", "todo \"set up the crib\" 2026-11-14"),
            ("set up new phone on Friday", "todo \"set up new phone\" 2026-11-13"),
            ("put in the washing machine", "todo \"put in the washing machine\""),
            ("take down the tree on Friday", "todo \"take down the tree\" 2026-11-13"),
            ("add Tom to the guest list", "todo \"add Tom to the guest list\""),
            ("the Monday after next pay nursery fee", "todo \"pay nursery fee\" 2026-11-23"),
        ],
    );
}

#[test]
fn a_command_is_no_part_of_the_title() {
    are_read_as(
        &records(&[]),
        wednesday_at(8, 0),
        &[
            ("book a haircut on Friday at 10", "event \"haircut\" 2026-11-13 10:00"),
            ("new meeting with Tom on Friday at 10", "event \"meeting with Tom\" 2026-11-13 10:00"),
            ("new todo buy milk", "todo \"buy milk\""),
            ("new todo: new shoes", "todo \"new shoes\""),
            ("new buy milk", "todo \"buy milk\""),
            ("set up a meeting with Tom on Friday at 10", "event \"meeting with Tom\" 2026-11-13 10:00"),
            ("set up yoga on Friday at 6", "event \"yoga\" 2026-11-13 18:00"),
            ("set up a reminder to call Tom on Friday", "todo \"call Tom\" 2026-11-13"),
            ("add eggs to my list", "todo \"eggs\""),
        ],
    );
}
