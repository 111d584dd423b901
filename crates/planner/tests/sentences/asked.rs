//! Questions about the time of a day, and about one record.

use aha_planner::language::{Inquiry, asked_parts, asked_records, inquiry};

use crate::shown::{are_read_as, records, wednesday_at};

#[test]
fn a_question_has_the_hours_that_it_names() {
    for (say, expected) in [
        ("am I free tomorrow between 2 and 4?", Some("14:00-16:00")),
        ("am I busy on Saturday morning?", Some("00:00-12:00")),
        ("what is on at noon today?", Some("12:00-12:00")),
        ("am I free this evening?", Some("18:00-23:59")),
        ("am I free on 3 December", None),
        ("what is overdue this morning", None),
    ] {
        let parts = asked_parts(say, wednesday_at(8, 0));
        let hours = parts[0].hours.map(|hours| format!("{}-{}", hours.from, hours.to));
        assert_eq!(hours.as_deref(), expected, "{say}");
    }
}

#[test]
fn hours_include_what_takes_place_in_them() {
    let state = records(&[
        "lunch with Sara tomorrow from 13:00 to 14:30",
        "dentist tomorrow at 15:00",
        "dinner tomorrow at 19:00",
        "buy milk tomorrow",
    ]);
    for (say, expected) in [
        ("am I free tomorrow between 2 and 4?", "lunch with Sara, dentist, buy milk"),
        ("am I free tomorrow evening?", "dinner, buy milk"),
        ("am I free tomorrow at 1pm?", "lunch with Sara, buy milk"),
        ("what's on before 3pm tomorrow?", "lunch with Sara, buy milk"),
        ("what's on after 3pm tomorrow?", "dentist, dinner, buy milk"),
        ("what's on from 3pm tomorrow?", "dentist, dinner, buy milk"),
    ] {
        let hours = asked_parts(say, wednesday_at(8, 0))[0].hours.unwrap();
        let found: Vec<&str> = state.items().filter(|item| hours.include(item)).map(|item| &*item.title).collect();
        let mut expected: Vec<&str> = expected.split(", ").collect();
        expected.sort_by_key(|title| found.iter().position(|found| found == title));
        assert_eq!(found, expected, "{say}");
    }
}

#[test]
fn a_record_is_found_by_the_words_of_a_question() {
    let state = records(&[
        "piano every Monday at 17:00",
        "dentist on 20 November at 10:00",
        "yoga every Friday at 18:00",
        "Lena's party on Saturday at 15:00",
        "pay the rent on 1 December",
    ]);
    let today = wednesday_at(8, 0);
    for (say, title) in [
        ("when is my next dentist appointment?", "dentist"),
        ("when is the piano appointment?", "piano"),
        ("when does piano start?", "piano"),
        ("is Lena's party on saturday or sunday?", "Lena's party"),
        ("is the dentist at 10?", "dentist"),
        ("is the dentist tomorrow?", "dentist"),
        ("is Lena's party on Saturday at 3?", "Lena's party"),
        ("is the rent paid?", "pay the rent"),
        ("is the rent due?", "pay the rent"),
        ("do I have yoga on Friday?", "yoga"),
    ] {
        let Some(Inquiry::Record(words)) = inquiry(say, today) else { panic!("{say}: {:?}", inquiry(say, today)) };
        let found: Vec<&str> = asked_records(&state, &words, today.date).iter().map(|item| &*item.title).collect();
        assert_eq!(found, [title], "{say}");
        are_read_as(&state, today, &[(say, "chat")]);
    }
    assert_eq!(inquiry("is not closed", today), None);
    assert_eq!(inquiry("what did I miss?", today), Some(Inquiry::Overdue));
    assert_eq!(inquiry("do I have time for coffee on Friday?", today), None);
}
