//! Renders an iCalendar file (RFC 5545) that a calendar program can subscribe to: events as VEVENT, todos and habits as
//! VTODO.
//!
//! Dates and times are written without a time zone, as they are stored: they are the user's local ones. A completed
//! occurrence of a todo or habit is written as EXDATE; a completed item that does not repeat has a STATUS.

use chrono::{NaiveDate, NaiveDateTime};
use icalendar::{Calendar, CalendarDateTime, Component as _, DatePerhapsTime, Event, EventLike as _, Todo, TodoStatus};

use crate::record::{Item, Kind, Priority};
use crate::recurrence::{Recurrence, Rule};
use crate::time_of_day::TimeOfDay;

/// Number of days after the anchor that are searched for the first occurrence. The longest possible gap is a weekend.
const FIRST_WITHIN_DAYS: u64 = 7;

/// Renders the items as a calendar. An item whose rule has no occurrence is omitted.
#[must_use]
pub fn render(name: &str, items: &[Item]) -> String {
    let mut calendar = Calendar::new();
    calendar.name(name);
    for item in items {
        match item.kind {
            Kind::Event => event(item).map(|event| calendar.push(event)),
            _ => todo(item).map(|todo| calendar.push(todo)),
        };
    }
    calendar.to_string()
}

fn event(item: &Item) -> Option<Event> {
    let day = first_day(item)??;
    let mut event = Event::new();
    describe(&mut event, item);
    event.starts(moment(day, item.time()));
    // iCalendar has no end that equals the start; an event without an end takes no time.
    if let (Some(start), Some(end)) = (item.time(), item.end_time)
        && end > start
    {
        event.ends(moment(day, Some(end)));
    }
    if let Some(location) = &item.location {
        event.location(location);
    }
    repeat(&mut event, item, day);
    Some(event.done())
}

fn todo(item: &Item) -> Option<Todo> {
    let day = first_day(item)?;
    let mut todo = Todo::new();
    describe(&mut todo, item);
    todo.priority(match item.priority {
        Priority::High => 1,
        Priority::Medium => 5,
        Priority::Low => 9,
    });
    if let Some(day) = day {
        let at = moment(day, item.time());
        if item.recurrence.repeats() {
            todo.starts(at);
            repeat(&mut todo, item, day);
            for done in item.completed_dates.iter().filter(|done| item.recurrence.occurs_on(day, **done)) {
                todo.exdate(moment(*done, item.time()));
            }
        } else {
            todo.due(at);
        }
    }
    if item.completed {
        todo.status(TodoStatus::Completed).completed(item.updated_at.to_utc()).percent_complete(100);
    } else {
        todo.status(TodoStatus::NeedsAction);
    }
    Some(todo.done())
}

/// Returns the first occurrence. It is needed because iCalendar counts DTSTART as an occurrence, whatever the rule is.
/// `None` if the rule has no occurrence, `Some(None)` for an item without a date.
#[expect(clippy::option_option, reason = "no date and no day in the rule are two things")]
fn first_day(item: &Item) -> Option<Option<NaiveDate>> {
    let Some(anchor) = item.scheduled_for else { return Some(None) };
    let until = anchor + chrono::Days::new(FIRST_WITHIN_DAYS);
    item.recurrence.occurrences(anchor, anchor, until).first().copied().map(Some)
}

fn describe<C: icalendar::Component>(component: &mut C, item: &Item) {
    component.uid(&format!("{}-{}@aha-radar", item.kind, item.id));
    component.summary(&item.title);
    component.timestamp(item.updated_at.to_utc());
    component.created(item.created_at.to_utc());
    component.last_modified(item.updated_at.to_utc());
    if !item.notes.is_empty() {
        component.description(&item.notes);
    }
    // Only a full URL can be opened by another program.
    if let Some(link) = item.link.as_deref().filter(|link| link.starts_with("http")) {
        component.url(link);
    }
}

fn moment(day: NaiveDate, time: Option<TimeOfDay>) -> DatePerhapsTime {
    match time {
        Some(time) => CalendarDateTime::Floating(NaiveDateTime::new(day, time.to_naive())).into(),
        None => day.into(),
    }
}

fn repeat<C: icalendar::Component>(component: &mut C, item: &Item, first: NaiveDate) {
    if let Some(rule) = rule(item.recurrence, item.time().is_some(), first) {
        component.add_property("RRULE", rule);
    }
}

/// Renders the RRULE. UNTIL has the type of DTSTART: a date, or a local date and time.
fn rule(recurrence: Recurrence, timed: bool, first: NaiveDate) -> Option<String> {
    let rule = match recurrence.rule {
        Rule::None => return None,
        Rule::Daily => "FREQ=DAILY".to_owned(),
        Rule::Weekdays => "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR".to_owned(),
        Rule::Weekly => "FREQ=WEEKLY".to_owned(),
        Rule::EveryNDays(interval) => format!("FREQ=DAILY;INTERVAL={interval}"),
    };
    let end = if timed { "T235959" } else { "" };
    let until = recurrence.until.map(|until| format!(";UNTIL={}{end}", until.max(first).format("%Y%m%d")));
    Some(rule + &until.unwrap_or_default())
}
