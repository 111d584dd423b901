//! Times with a time zone, which are asked about instead of being stored as times of the user's zone.

use aha_planner::language::{Reading, Selection, read};

use crate::{plan, state, today};

#[test]
fn a_time_of_another_zone_is_asked_about() {
    for (say, zone) in [
        ("call with the New York team tomorrow at 3pm EST", "EST"),
        ("at 9am JST on Friday call Kenji", "JST"),
        ("call Bo tomorrow 5pm PST", "PST"),
        ("call Bo 3pm UTC tomorrow", "UTC"),
        ("call Bo 10:00 London time tomorrow", "London time"),
        ("call Bo at 10 New York time tomorrow", "New York time"),
        ("call Bo tomorrow at 15 UTC", "UTC"),
        ("call Bo tomorrow 15:00 GMT+2", "GMT+2"),
        ("call Bo tomorrow at 15:00 UTC -5", "UTC -5"),
        ("call Bo tomorrow 15:00Z", "Z"),
        ("call Bo 2026-03-12T15:00:00Z", "Z"),
        ("call Bo tomorrow 15:00+01:00", "+01:00"),
        ("call Bo tomorrow 3pm (CET)", "CET"),
        ("call Bo at 3pm tomorrow, Eastern Standard Time", "Eastern Standard Time"),
        ("call Bo tomorrow at 3pm Eastern", "Eastern"),
        ("call Bo at 3pm ET tomorrow", "ET"),
        ("call Bo at 10:00 Europe/London tomorrow", "Europe/London"),
        ("meeting with Bo tomorrow from 3 to 4 EST", "EST"),
        ("meeting with Bo tomorrow from 3pm until 4 EST", "EST"),
        ("every Monday at 5pm EST call the team", "EST"),
        ("move the dentist to 3pm EST", "EST"),
        ("change the dentist to Friday 3pm CEST", "CEST"),
        ("make the stand-up repeat every Monday at 5pm EST", "EST"),
    ] {
        for ids in [Vec::new(), vec![11]] {
            let reading = read(say, &state(), today(), &Selection { ids, ..Selection::default() });
            let Reading::Clarify(question) = reading else { panic!("{say}: {reading:?}") };
            let text = question.question;
            assert!(text.starts_with(&format!("\"{zone}\" is a time zone")), "{say}: {text}");
        }
    }
}

#[test]
fn the_users_own_zone_needs_no_question() {
    for say in ["call Bo at 16:00 local time tomorrow", "call Bo tomorrow at 4pm (my time)"] {
        let made = plan(say, &state(), &[]);
        let at = made[0].start_time.or(made[0].time_of_day).flatten().map(|time| time.to_string());
        assert_eq!((made[0].title.as_deref(), at.as_deref()), (Some("call Bo"), Some("16:00")), "{say}");
    }
}

#[test]
fn what_is_no_zone_of_the_time_stays_in_the_title() {
    for (say, title, time) in [
        ("call the EST team tomorrow at 3pm", "call the EST team", "15:00"),
        ("PT session tomorrow at 5pm", "PT session", "17:00"),
        ("reserve 7pm Movie Time tomorrow", "reserve Movie Time", "19:00"),
        ("at 3pm West End tour tomorrow", "West End tour", "15:00"),
        ("lunch tomorrow at 1pm eat out", "lunch eat out", "13:00"),
        ("call Bo tomorrow at 5 in London", "call Bo in London", "17:00"),
        ("bring 3+2 apples at 15:00 tomorrow", "bring 3+2 apples", "15:00"),
        ("prepare UTC migration tomorrow at 10", "prepare UTC migration", "10:00"),
        ("call Bo at 3pm \"EST\" tomorrow", "call Bo \"EST\"", "15:00"),
    ] {
        let made = plan(say, &state(), &[]);
        let at = made[0].start_time.or(made[0].time_of_day).flatten().map(|time| time.to_string());
        assert_eq!((made[0].title.as_deref(), at.as_deref()), (Some(title), Some(time)), "{say}");
    }
}
