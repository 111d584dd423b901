//! Our recurrences against the `rrule` crate, over ten years in zones that change their clocks.

#![expect(clippy::unwrap_used, reason = "a failed one is the report")]

use aha_planner::recurrence::{Recurrence, Rule};
use chrono::{Days, NaiveDate, TimeZone as _};
use proptest::prelude::*;
use rrule::{RRuleSet, Tz};
use serde_json::json;

const ZONES: [Tz; 4] = [Tz::Europe__Berlin, Tz::America__New_York, Tz::Australia__Lord_Howe, Tz::America__Santiago];

fn rule_text(rule: Rule) -> String {
    match rule {
        Rule::None => "FREQ=DAILY;COUNT=1".to_owned(),
        Rule::Daily => "FREQ=DAILY".to_owned(),
        Rule::Weekdays => "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR".to_owned(),
        Rule::Weekly => "FREQ=WEEKLY".to_owned(),
        Rule::EveryNDays(interval) => format!("FREQ=DAILY;INTERVAL={interval}"),
    }
}

/// What `rrule` makes of it at noon, which no change of clocks skips.
fn by_rrule(recurrence: Recurrence, anchor: NaiveDate, from: NaiveDate, to: NaiveDate, zone: Tz) -> Vec<NaiveDate> {
    let at = |day: NaiveDate, hour| zone.from_local_datetime(&day.and_hms_opt(hour, 0, 0).unwrap()).earliest().unwrap();
    let last = recurrence.until.map_or(to, |until| until.min(to));
    if last < from || last < anchor {
        return Vec::new();
    }
    let set: RRuleSet = format!(
        "DTSTART;TZID={}:{}T120000\nRRULE:{}",
        zone.name(),
        anchor.format("%Y%m%d"),
        rule_text(recurrence.rule)
    )
    .parse()
    .unwrap();
    // Not at midnight, which a change of clocks skips in Santiago.
    let set = set.after(at(from, 3)).before(at(last, 23));
    set.all(u16::MAX).dates.into_iter().map(|date| date.date_naive()).collect()
}

fn rules() -> impl Strategy<Value = Rule> {
    prop_oneof![
        Just(Rule::None),
        Just(Rule::Daily),
        Just(Rule::Weekdays),
        Just(Rule::Weekly),
        (1_u32..400).prop_map(Rule::EveryNDays),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn occurrences_are_those_of_rrule(
        rule in rules(),
        anchor in 0_u64..3653,
        from in 0_u64..3653,
        length in 0_u64..800,
        until in proptest::option::of(0_u64..3653),
        zone in 0..ZONES.len(),
    ) {
        let day = |offset| NaiveDate::from_ymd_opt(2020, 1, 1).unwrap() + Days::new(offset);
        let until = until.filter(|until| *until >= anchor && rule != Rule::None).map(day);
        let (recurrence, anchor, from, to) = (Recurrence { rule, until }, day(anchor), day(from), day(from + length));
        let ours = recurrence.occurrences(anchor, from, to);
        prop_assert_eq!(&ours, &by_rrule(recurrence, anchor, from, to, ZONES[zone]));
        for date in from.iter_days().take_while(|date| *date <= to) {
            prop_assert_eq!(ours.contains(&date), recurrence.occurs_on(anchor, date));
        }
    }
}

#[test]
fn ten_years_of_every_rule_are_those_of_rrule() {
    let (from, to) = (NaiveDate::from_ymd_opt(2020, 2, 29).unwrap(), NaiveDate::from_ymd_opt(2030, 2, 28).unwrap());
    for rule in [Rule::Daily, Rule::Weekdays, Rule::Weekly, Rule::EveryNDays(3), Rule::EveryNDays(31)] {
        let recurrence = Recurrence::of(rule);
        for zone in ZONES {
            assert_eq!(recurrence.occurrences(from, from, to), by_rrule(recurrence, from, from, to, zone), "{rule:?}");
        }
    }
}

#[test]
fn until_is_inclusive_and_expansion_stays_between_the_dates() {
    let day = |d| NaiveDate::from_ymd_opt(2026, 3, d).unwrap();
    let daily = Recurrence { rule: Rule::Daily, until: Some(day(12)) };
    assert_eq!(daily.occurrences(day(10), day(1), day(31)), [day(10), day(11), day(12)]);
    assert_eq!(daily.occurrences(day(10), day(11), day(11)), [day(11)]);
    assert!(daily.occurrences(day(10), day(20), day(15)).is_empty());
}

#[test]
fn the_last_occurrence_is_found_however_long_the_interval() {
    let day = |text: &str| text.parse::<NaiveDate>().unwrap();
    let (anchor, today) = (day("2025-09-01"), day("2026-11-30"));
    let until = |until: &str| Recurrence { until: Some(day(until)), ..Recurrence::of(Rule::Weekly) };
    for (recurrence, expected) in [
        (Recurrence::NONE, Some("2025-09-01")),
        (Recurrence::of(Rule::Daily), Some("2026-11-30")),
        (Recurrence::of(Rule::Weekly), Some("2026-11-30")),
        (Recurrence::of(Rule::EveryNDays(500)), Some("2025-09-01")),
        (Recurrence::of(Rule::EveryNDays(400)), Some("2026-10-06")),
        (until("2025-09-20"), Some("2025-09-15")),
        (until("2025-08-20"), None),
    ] {
        assert_eq!(recurrence.last_until(anchor, today), expected.map(day), "{recurrence:?}");
    }
    assert_eq!(Recurrence::of(Rule::Weekdays).last_until(anchor, day("2026-11-29")), Some(day("2026-11-27")));
    assert_eq!(Recurrence::of(Rule::Daily).last_until(anchor, day("2025-08-31")), None);
}

#[test]
fn an_interval_that_contradicts_its_rule_is_refused() {
    for (kind, interval, is_valid) in [
        ("weekly", 3, false),
        ("weekly", 7, true),
        ("weekly", 1, true),
        ("daily", 2, false),
        ("every_n_days", 21, true),
    ] {
        let rule = serde_json::from_value::<Recurrence>(json!({ "type": kind, "intervalDays": interval }));
        assert_eq!(rule.is_ok(), is_valid, "{kind} {interval}");
    }
}
