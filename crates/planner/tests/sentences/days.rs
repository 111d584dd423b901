//! Days and times: which one a phrase means, and what is said about one that does not exist.

use aha_planner::language::{ClockChange, Reading, Selection, Today, assumed_days, read};
use aha_planner::recurrence::{Recurrence, Rule};
use aha_planner::time_of_day::TimeOfDay;
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
        ("call Bob tonight at 2:30", "2026-03-12", "02:30"),
        ("call Bob at 2 tonight", "2026-03-12", "02:00"),
        ("call Bob tomorrow night at 3", "2026-03-13", "03:00"),
        ("call Bob on Saturday night at 2:30", "2026-03-15", "02:30"),
        ("call Bob on Saturday at 2:30 at night", "2026-03-14", "02:30"),
        ("call Bob tonight at 2pm", "2026-03-11", "14:00"),
        ("call Bob tomorrow morning at 14:00", "2026-03-12", "14:00"),
    ] {
        assert_eq!(day_and_time(say), (day.to_owned(), time.to_owned()), "{say}");
    }
}

/// Today began ten minutes ago, so that the night to it has not ended.
#[test]
fn after_midnight_tonight_is_the_night_that_has_begun() {
    let now = Today { time: TimeOfDay::new(0, 10).unwrap(), ..today() };
    for (say, day) in [("call Bob at 2am tonight", 11), ("call Bob at 2am tomorrow night", 13)] {
        let reading = read(say, &state(), now, &Selection::default());
        let Reading::Plan(operations) = reading else { panic!("{say}: {reading:?}") };
        assert_eq!(operations[0].scheduled_for, Some(NaiveDate::from_ymd_opt(2026, 3, day)), "{say}");
    }
}

#[test]
fn a_day_of_this_or_the_next_month_is_in_that_month() {
    for (say, day) in [
        ("call Bob on the 31st of this month", "2026-03-31"),
        ("call Bob on the 3rd of the month", "2026-04-03"),
        ("call Bob on the 30th of next month", "2026-04-30"),
    ] {
        assert_eq!(day_and_time(say), (day.to_owned(), String::new()), "{say}");
    }
    assert!(asked("call Bob on the 3rd of this month").starts_with("2026-03-03 has passed."));
}

#[test]
fn the_one_after_next_is_a_week_after_the_next() {
    for (say, day) in [
        ("call Ann next Monday", "2026-03-16"),
        ("call Ann on the Monday after next", "2026-03-23"),
        ("call Ann next Wednesday", "2026-03-18"),
        ("call Ann Wednesday after next", "2026-03-25"),
        ("call Ann next Friday", "2026-03-20"),
        ("call Ann the Friday after next", "2026-03-27"),
        ("call Ann on the Sunday after next", "2026-03-29"),
    ] {
        assert_eq!(day_and_time(say), (day.to_owned(), String::new()), "{say}");
    }
}

#[test]
fn a_day_and_a_time_in_one_word_are_read() {
    assert_eq!(day_and_time("call Bob on 2026-03-30T10:00"), ("2026-03-30".to_owned(), "10:00".to_owned()));
}

#[test]
fn a_day_or_time_that_does_not_exist_is_no_new_title() {
    for (say, why) in [
        ("change the dentist to 31 April", "\"31 April\" does not exist."),
        ("change the dentist to 31/4", "\"31/4\" does not exist."),
        ("change the dentist to 25:00", "\"25:00\" is no time of day."),
        ("change Review contract to 9:60", "To what time should"),
        ("change Review contract to 10.70", "To what should"),
    ] {
        let question = asked(say);
        assert!(question.contains(why), "{say}: {question}");
    }
}

#[test]
fn what_is_forbidden_is_neither_done_nor_added() {
    for say in ["do not delete the milk", "don't move the dentist", "never cancel the meeting with Tom"] {
        assert!(asked(say).contains("asks for nothing to be changed"), "{say}");
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
        ("call Ann at 25.30", "\"25.30\" is no time of day.", "from 00:00 to 23:59"),
        ("call Ann at 25h", "\"25h\" is no time of day.", "from 00:00 to 23:59"),
        ("call Ann at 2400 hours", "\"2400 hours\" is no time of day.", "from 00:00 to 23:59"),
        ("call Ann tomorrow from 9 to 25", "\"25\" is no time of day.", "from 00:00 to 23:59"),
        ("call Ann at 27 o'clock", "\"27 o'clock\" is no time of day.", "from 00:00 to 23:59"),
        ("call Ann on 31 February", "\"31 February\" does not exist.", "Say \"28 February\" or \"1 March\"."),
        ("call Ann on the 31st of April", "\"the 31st of April\" does not exist.", "Say \"30 April\" or \"1 May\"."),
        ("call Ann on the thirty-first of April", "\"the thirty-first of April\" does not exist.", "\"30 April\""),
        ("call Ann on 30.2. at 10", "\"30.2.\" does not exist.", "Say \"28 February\" or \"1 March\"."),
        ("call Ann on 31.4", "\"31.4\" does not exist.", "Say \"30 April\" or \"1 May\"."),
        ("call Ann on the 31/4 at 10", "\"31/4\" does not exist.", "Say \"30 April\" or \"1 May\"."),
        ("call Ann on 4/31", "\"4/31\" does not exist.", "Say \"30 April\" or \"1 May\"."),
        ("call Ann on 32/4 at 10", "\"32/4\" does not exist.", "Say \"30 April\" or \"1 May\"."),
        (
            "call Ann on the 31st of next month",
            "\"the 31st of next month\" does not exist.",
            "Say \"30 April 2026\" or \"1 May 2026\".",
        ),
        ("team meeting on Friday 9:00-25:00", "\"25:00\" is no time of day.", "from 00:00 to 23:59"),
        ("team meeting on Friday 10:00 - 9:60", "\"9:60\" is no time of day.", "from 00:00 to 23:59"),
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
        ("read psalm 89:15 tomorrow", "2026-03-12", ""),
        ("call Ann on 30.4. at 10", "2026-04-30", "10:00"),
        ("buy petrol at 25.30 euros tomorrow", "2026-03-12", ""),
    ] {
        assert_eq!(day_and_time(say), (day.to_owned(), time.to_owned()), "{say}");
    }
}

#[test]
fn the_last_minute_of_a_day_ends_what_lasts_until_midnight() {
    for (say, start) in [
        ("party tomorrow 10:00 until 24:00", "10:00"),
        ("party tomorrow 10:00-24:00", "10:00"),
        ("party tomorrow at 20:00 until 24:00", "20:00"),
        ("party tomorrow from 22:00 to midnight", "22:00"),
        ("party tomorrow from 9 to 24", "09:00"),
    ] {
        let operations = plan(say, &state(), &[]);
        let text = |time: Option<TimeOfDay>| time.map(|time| time.to_string()).unwrap_or_default();
        let times = (text(operations[0].start_time.flatten()), text(operations[0].end_time.flatten()));
        assert_eq!(times, (start.to_owned(), "23:59".to_owned()), "{say}");
        assert_eq!(operations[0].title.as_deref(), Some("party"), "{say}");
    }
}

#[test]
fn a_day_at_the_end_of_a_list_is_that_of_each_entry_with_a_time() {
    for (say, expected) in [
        ("call Ann at 9 and Bob at 10 tomorrow", "12 09:00, 12 10:00"),
        ("call Ann at 9 and email Bob at 10 on Friday", "13 09:00, 13 10:00"),
        ("call Ann at 9, Bob at 10 and Zoe at 11 tomorrow", "12 09:00, 12 10:00, 12 11:00"),
        ("add a call with Ann at 9 and a call with Bob at 10 tomorrow", "12 09:00, 12 10:00"),
        ("call Ann at 9 and Bob tomorrow at 10", "11 09:00, 12 10:00"),
    ] {
        let made: Vec<String> = plan(say, &state(), &[])
            .iter()
            .map(|one| {
                let time = one.start_time.or(one.time_of_day).flatten().unwrap();
                format!("{} {time}", one.scheduled_for.flatten().unwrap().format("%d"))
            })
            .collect();
        assert_eq!(made.join(", "), expected, "{say}");
    }
}

/// Ten hours from now the clocks are put forward, and 66 hours and 40 minutes from now back.
#[test]
fn hours_are_counted_across_clock_changes() {
    let change = |in_minutes, forward_minutes| Some(ClockChange { in_minutes, forward_minutes });
    let now = Today { clock_changes: [change(600, 60), change(4_000, -60)], ..today() };
    for (say, expected) in [
        ("call Ann in 9 hours", "2026-03-11 17:00"),
        ("call Ann in 10 hours", "2026-03-11 19:00"),
        ("call Ann in 65 hours", "2026-03-14 02:00"),
        ("call Ann in 70 hours", "2026-03-14 06:00"),
    ] {
        let reading = read(say, &state(), now, &Selection::default());
        let Reading::Plan(operations) = reading else { panic!("{say}: {reading:?}") };
        let (day, time) =
            (operations[0].scheduled_for.flatten().unwrap(), operations[0].time_of_day.flatten().unwrap());
        assert_eq!(format!("{day} {time}"), expected, "{say}");
    }
}

#[test]
fn a_repetition_of_days_names_no_record() {
    for say in ["check the oven every day at 2:30am", "check the oven every day"] {
        let operations = plan(say, &state(), &[]);
        assert_eq!(operations[0].title.as_deref(), Some("check the oven"), "{say}");
        assert_eq!(operations[0].recurrence, Some(Recurrence::of(Rule::Daily)), "{say}");
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
        ("call Ann on 29 February", "\"29 February\" does not exist in 2027: Tuesday, 2028-02-29 was taken."),
        ("call Ann on the 29th of February", "\"the 29th of February\" does not exist in 2027: Tuesday, 2028-02-29"),
    ] {
        let said = assumed(say);
        assert!(said.len() == 1 && said[0].starts_with(taken), "{say}: {said:?}");
    }
    for say in [
        "call Ann on 29 February 2028",
        "call Ann on 2028-02-29",
        "email Raj on Monday next week",
        "email Raj next week on Monday",
        "email Raj on Monday",
        "email Raj at the beginning of next week",
        "every day next week feed the cat",
    ] {
        assert_eq!(assumed(say), [""; 0], "{say}");
    }
}

/// Today is Sunday, 29 March.
#[test]
fn a_day_of_something_done_is_the_one_written_and_without_its_year_the_nearer_one() {
    let now = Today { date: NaiveDate::from_ymd_opt(2026, 3, 29).unwrap(), ..today() };
    let read_now = |say: &str| read(say, &state(), now, &Selection::default());
    for (say, day) in [
        ("I meditated on Mar 27", "2026-03-27"),
        ("I meditated on 27 March", "2026-03-27"),
        ("I meditated on 25/3", "2026-03-25"),
        ("log meditate for Mar 27", "2026-03-27"),
        ("mark meditate done on 2026-03-20", "2026-03-20"),
        ("I meditated on Monday", "2026-03-23"),
        ("I meditated on the 3rd", "2026-03-03"),
        ("mark meditate undone on 20 March", "2026-03-20"),
    ] {
        let Reading::Plan(made) = read_now(say) else { panic!("{say}: {:?}", read_now(say)) };
        assert_eq!(made[0].op, "complete_occurrence", "{say}");
        assert_eq!(made[0].occurrence_date.map(|day| day.to_string()).as_deref(), Some(day), "{say}");
    }
    for say in [
        "mark meditate done on 2026-04-01",
        "complete meditate on 1 April",
        "meditate is done for 2 April",
        "complete meditate on 2026-04-20",
        "mark meditate undone on 2026-04-01",
        "mark buy milk done on 3 April",
    ] {
        let Reading::Clarify(question) = read_now(say) else { panic!("{say}: {:?}", read_now(say)) };
        let asks = question.question.contains("done already, or should it be moved");
        assert!(asks || question.question.contains("is still to come"), "{say}: {question:?}");
    }
    let Reading::Plan(made) = read_now("I paid the electricity bill on 20 March") else { panic!("it is done") };
    assert_eq!(made[0].op, "complete");
}

#[test]
fn a_verb_is_repeated_only_for_what_it_can_be_about_and_the_day_of_a_list_is_kept() {
    for (say, expected) in [
        ("pick up kids at 15:00 tomorrow and groceries at 16:00", "pick up kids 12 15:00, pick up groceries 12 16:00"),
        ("call Ann at 9 tomorrow, Bob at 10 and Zoe at 11", "call Ann 12 09:00, call Bob 12 10:00, call Zoe 12 11:00"),
        ("call Ann at 9 tomorrow and the plumber at 10 please", "call Ann 12 09:00, call the plumber 12 10:00"),
        ("buy bread at 9 tomorrow and haircut at 10", "buy bread 12 09:00, haircut 12 10:00"),
        (
            "drop off keys at 9 tomorrow, laundry at 10 and parcel at 11",
            "drop off keys 12 09:00, drop off laundry 12 10:00, drop off parcel 12 11:00",
        ),
        ("tomorrow: haircut 9:00, supper 18:30, gym 20:00", "haircut 12 09:00, supper 12 18:30, gym 12 20:00"),
        ("buy bread at 9 tomorrow, cheese at 10", "buy bread 12 09:00, buy cheese 12 10:00"),
        ("email Bob at 10am tomorrow and gym at 6pm", "email Bob 12 10:00, gym 12 18:00"),
        (
            "call Ann at 9am tomorrow, email Bob at 10am and gym at 6pm",
            "call Ann 12 09:00, email Bob 12 10:00, gym 12 18:00",
        ),
        (
            "pick up kids at 15:00 tomorrow, groceries at 16:00 and gym at 18:00",
            "pick up kids 12 15:00, pick up groceries 12 16:00, gym 12 18:00",
        ),
    ] {
        let made: Vec<String> = plan(say, &state(), &[])
            .iter()
            .map(|one| {
                let time = one.start_time.or(one.time_of_day).flatten().unwrap();
                let day = one.scheduled_for.flatten().unwrap().format("%d");
                format!("{} {day} {time}", one.title.as_deref().unwrap())
            })
            .collect();
        assert_eq!(made.join(", "), expected, "{say}");
    }
    // A name alone does not say what to do, and no question has words that are not in the sentence.
    for say in [
        "meet Bob at 9 tomorrow, gym at 10 and Zoe at 11",
        "lunch at 12 tomorrow and Zoe at 11",
        "buy milk at 8 tomorrow; lunch at 12 tomorrow and Zoe at 11",
        "the train leaves at 9 tomorrow and arrives at 11",
    ] {
        let question = asked(say);
        assert!(!question.contains("2026-03-12"), "{say}: {question}");
    }
    // The question has the commas of the sentence.
    let question = asked("meet Bob at 9 tomorrow, gym at 10 and Zoe at 11");
    assert!(question.contains("\"meet Bob, gym and Zoe\""), "{question}");
}

#[test]
fn the_question_names_what_a_record_cannot_hold() {
    for (say, why) in [
        ("party on Saturday 10pm to 2am", "say \"from 22:00 to midnight\""),
        ("party on Saturday 22:00-02:00", "say \"from 22:00 to midnight\""),
        ("party on Saturday 10pm-2am", "say \"from 22:00 to midnight\""),
        ("fitting with Zoe on Friday at 9, Bob at 11", "at 09:00 or at 11:00?"),
        ("vacation from 20 December to 3 January", "On which day does \"vacation\" begin?"),
        ("camp from Friday to Sunday", "On which day does \"camp\" begin?"),
    ] {
        let question = asked(say);
        assert!(question.contains(why), "{say}: {question}");
    }
    // The day is the answer to the question for it.
    let selection = Selection { date: NaiveDate::from_ymd_opt(2026, 12, 20), ..Selection::default() };
    let reading = read("vacation from 20 December to 3 January", &state(), today(), &selection);
    let Reading::Plan(made) = reading else { panic!("{reading:?}") };
    assert_eq!((made[0].title.as_deref(), made[0].scheduled_for), (Some("vacation"), Some(selection.date)));
}

#[test]
fn what_repeats_begins_on_its_next_day_to_come() {
    let at = |day, hour| Today::new(NaiveDate::from_ymd_opt(2026, 3, day).unwrap(), TimeOfDay::new(hour, 0).unwrap());
    for (say, now, day) in [
        ("stretch every day at 7am", at(15, 22), "2026-03-16"),
        ("stretch every day at 11pm", at(15, 22), "2026-03-15"),
        ("stretch every weekday at 9", at(15, 8), "2026-03-16"),
        ("stretch every Sunday at 9am", at(15, 22), "2026-03-22"),
        ("stretch every Sunday at 11pm", at(15, 22), "2026-03-15"),
        ("stretch every day", at(15, 22), "2026-03-15"),
    ] {
        let reading = read(say, &state(), now, &Selection::default());
        let Reading::Plan(made) = reading else { panic!("{say}: {reading:?}") };
        assert_eq!(made[0].scheduled_for.flatten().map(|day| day.to_string()).as_deref(), Some(day), "{say}");
    }
}
