//! Days and times: which one a phrase means, and what is said about one that does not exist.

use aha_planner::language::{Reading, Selection, assumed_days, read};
use aha_planner::recurrence::Recurrence;
use chrono::NaiveDate;

use crate::{plan, state, today};

/// Day and time of the one record, which does not repeat, that a sentence adds; empty where there is none.
fn day_and_time(say: &str) -> (String, String) {
    let Reading::Plan(operations) = read(say, &state(), today(), &Selection::default()) else { return <_>::default() };
    let [operation] = operations.as_slice() else { return <_>::default() };
    if operation.recurrence != Some(Recurrence::NONE) {
        return <_>::default();
    }
    let time = operation.time_of_day.or(operation.start_time).flatten();
    let day = operation.scheduled_for.flatten().map(|day| day.to_string());
    (day.unwrap_or_default(), time.map(|time| time.to_string()).unwrap_or_default())
}

/// Today is Wednesday, 11 March.
#[test]
fn a_night_lasts_until_the_morning_and_what_is_written_is_not_overridden() {
    for (say, day, time) in [
        ("call Bob at 1am tonight", "2026-03-12", "01:00"),
        ("party tonight at 1 am", "2026-03-12", "01:00"),
        ("sail at 1.30am tonight", "2026-03-12", "01:30"),
        ("take pills tonight at midnight", "2026-03-12", "00:00"),
        ("take pills tonight at 12", "2026-03-12", "00:00"),
        ("take pills at 12 tonight", "2026-03-12", "00:00"),
        ("call Ann tomorrow night at 2am", "2026-03-13", "02:00"),
        ("call Ann at 11 tonight", "2026-03-11", "23:00"),
        ("call Ann tonight at 9", "2026-03-11", "21:00"),
        ("call mum tomorrow at midnight", "2026-03-12", "00:00"),
        ("lunch tomorrow at 12", "2026-03-12", "12:00"),
    ] {
        assert_eq!(day_and_time(say), (day.to_owned(), time.to_owned()), "{say}");
    }
}

#[test]
fn working_days_are_counted_and_do_not_repeat() {
    for (say, day) in [
        ("submit the form in 3 business days", "2026-03-16"),
        ("submit the form in three working days", "2026-03-16"),
        ("pay the invoice within 5 working days", "2026-03-18"),
        ("send the form 2 working days before Friday", "2026-03-11"),
        ("send the form 2 business days from now", "2026-03-13"),
        ("call Ann next Friday week", "2026-03-20"),
    ] {
        assert_eq!(day_and_time(say), (day.to_owned(), String::new()), "{say}");
    }
}

#[test]
fn a_day_of_the_week_that_the_month_does_not_have_is_asked_about() {
    for (say, day) in [
        ("submit the form on the fifth Monday in March", "2026-03-30"),
        ("submit the form on the fourth Monday in April", "2026-04-27"),
        ("submit the form on the fifth Thursday in April", "2026-04-30"),
    ] {
        assert_eq!(day_and_time(say), (day.to_owned(), String::new()), "{say}");
    }
    for say in [
        "Add event board meeting on the fifth Monday in April at 10",
        "submit the form on the 5th Monday of April",
        "submit the form by the fifth Friday of the month",
        "Move Pay electricity bill to the fifth Friday of March",
    ] {
        let reading = read(say, &state(), today(), &Selection::default());
        assert!(matches!(reading, Reading::Clarify(_)), "{say}: {reading:?}");
    }
}

/// What is asked about a sentence.
#[track_caller]
fn asked(say: &str) -> String {
    let reading = read(say, &state(), today(), &Selection::default());
    assert!(matches!(reading, Reading::Clarify(_)), "{say}: {reading:?}");
    if let Reading::Clarify(question) = reading { question.question } else { String::new() }
}

#[test]
fn a_day_or_time_that_does_not_exist_is_named_with_what_to_say_instead() {
    for (say, why, instead) in [
        ("call Ann at 25:00", "\"25:00\" is no time of day.", "from 00:00 to 23:59"),
        ("call Ann on Friday at 12:75", "\"12:75\" is no time of day.", "from 00:00 to 23:59"),
        ("call Ann at 3:75pm", "\"3:75pm\" is no time of day.", "from 00:00 to 23:59"),
        ("call Ann at 13pm", "\"13pm\" is no time of day.", "Say \"13:00\""),
        ("call Ann at 27 o'clock", "\"27 o'clock\" is no time of day.", "from 00:00 to 23:59"),
        ("call Ann on 31 February", "\"31 February\" does not exist.", "Say \"28 February\" or \"1 March\"."),
        ("call Ann on the 31st of April", "\"the 31st of April\" does not exist.", "Say \"30 April\" or \"1 May\"."),
        ("call Ann on 31st April", "\"31st April\" does not exist.", "Say \"30 April\" or \"1 May\"."),
        (
            "call Ann on 29 February 2027",
            "\"29 February 2027\" does not exist.",
            "Say \"28 February 2027\" or \"1 March 2027\".",
        ),
        ("call Ann on 2027-02-30", "\"2027-02-30\" does not exist.", "Say \"28 February 2027\""),
        ("call Ann on 30.02.2027", "\"30.02.2027\" does not exist.", "Say \"28 February 2027\""),
        ("call Ann on the 32nd", "There is no \"the 32nd\"", "at most 31 days"),
        ("submit the form on the fifth Monday in April", "There is no \"the fifth Monday in April\"", "only four"),
        ("call Ann on 4/5", "\"4/5\" can be 4 May or 5 April.", "Say the month by its name."),
        ("move Review contract to 31 February", "\"31 February\" does not exist.", "\"1 March\". To which day"),
    ] {
        let question = asked(say);
        assert!(question.contains(why) && question.contains(instead), "{say}: {question}");
    }
    for (say, day, time) in [
        ("call Ann at 23:59 on 28 February 2027", "2027-02-28", "23:59"),
        ("call Ann on 29 February 2028", "2028-02-29", ""),
        ("call Ann on 31 March", "2026-03-31", ""),
    ] {
        assert_eq!(day_and_time(say), (day.to_owned(), time.to_owned()), "{say}");
    }
}

#[test]
fn a_selected_day_answers_the_question_for_the_day() {
    let selection = Selection { date: NaiveDate::from_ymd_opt(2026, 4, 2), ..Selection::default() };
    let answered = |say: &str| -> Vec<(Option<i64>, Option<NaiveDate>)> {
        match read(say, &state(), today(), &selection) {
            Reading::Plan(operations) => operations.iter().map(|one| (one.id, one.scheduled_for.flatten())).collect(),
            Reading::Clarify(_) | Reading::Chat => Vec::new(),
        }
    };
    for (say, id) in [
        ("call Ann on 31 February", None),
        ("call Ann later", None),
        ("call Ann", None),
        ("move Review contract to 31 February", Some(8)),
    ] {
        assert_eq!(answered(say), [(id, selection.date)], "{say}");
    }
    // A day does not answer at which time.
    assert!(answered("call Ann at 25:00").is_empty());
    // What the sentence says is not replaced.
    assert_eq!(answered("call Ann on Friday"), [(None, NaiveDate::from_ymd_opt(2026, 3, 13))]);
}

#[test]
fn the_day_taken_for_a_period_without_one_is_said() {
    let assumed = |say: &str| assumed_days(say, &plan(say, &state(), &[]), today());
    for (say, taken) in [
        ("email Raj next week", "\"next week\" names no day: Monday, 2026-03-16 was taken."),
        ("email Raj early next week", "\"early next week\" names no day: Monday, 2026-03-16 was taken."),
        ("move Review contract to next week", "\"next week\" names no day: Monday, 2026-03-16 was taken."),
        ("mow the lawn this weekend", "\"this weekend\" names no day: Saturday, 2026-03-14 was taken."),
    ] {
        let said = assumed(say);
        assert!(said.len() == 1 && said[0].starts_with(taken), "{say}: {said:?}");
    }
    for say in [
        "email Raj on Monday next week",
        "email Raj next week on Monday",
        "email Raj on Monday",
        "email Raj at the beginning of next week",
        "every day next week feed the cat",
    ] {
        assert_eq!(assumed(say), [""; 0], "{say}");
    }
}
