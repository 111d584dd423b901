//! An answer in words. Without a model it answers questions about what is planned, done, open or overdue, and names
//! what else the message asks. To a greeting it lists the planner items of the days ahead.

use aha_llm::tasks::assistant;
use aha_planner::language::{AskedHours, AskedPart, Inquiry, asked_parts, asked_records};
use aha_planner::record::{GoalStatus, Item, Kind};
use chrono::{Days, NaiveDate};
use serde_json::Value;

use super::context::Planned;
use super::model::{self, ModelReply};
use super::plain_text::plain_text;
use super::{Draft, context};
use crate::app::App;
use crate::services::Result;

/// Days after today that are listed if the message asks about none.
const DAYS_AHEAD: u64 = 6;
const MAX_LINES: usize = 20;
/// A longer part of a message is cut off where it is repeated.
const MAX_QUOTED_CHARS: usize = 80;

/// What can be asked if something was not understood.
const CAN_ANSWER: &str = "Without a model, only questions about what is planned, open, done or overdue are answered. \
    Ask, for example, \"what's on tomorrow\", \"what is overdue\" or \"when is the dentist\". A change is a sentence \
    of its own, such as \"add buy milk tomorrow\".";

pub(super) async fn run(app: &App, draft: &mut Draft<'_>) -> Result<()> {
    draft.checked = None;
    if let ModelReply::Answered(answer) = model::ask(app, assistant::CHAT, draft, Value::Null).await?
        && let Some(said) = plain_text(&answer)
    {
        draft.made_by_model(&answer);
        draft.text = said;
    } else {
        draft.text = by_rules(draft);
    }
    Ok(())
}

fn by_rules(draft: &Draft<'_>) -> String {
    let today = draft.today.date;
    let parts = asked_parts(&draft.message.text, draft.today);
    if parts.is_empty() {
        return on_days(draft, today, today.checked_add_days(Days::new(DAYS_AHEAD)).unwrap_or(today), None, None);
    }
    let not_understood: Vec<String> =
        parts.iter().filter(|part| part.inquiry.is_none()).map(|part| quoted(&part.text)).collect();
    let mut said: Vec<String> = parts.iter().filter_map(|part| answer(draft, part)).collect();
    if !not_understood.is_empty() {
        said.push(format!("Not understood: {}. {CAN_ANSWER}", lines(not_understood)));
    }
    said.join(" ")
}

/// Returns the answer to a part of the message, if it asks about the records.
fn answer(draft: &Draft<'_>, part: &AskedPart) -> Option<String> {
    Some(match part.inquiry.as_ref()? {
        Inquiry::Planned { first, last, kind } => on_days(draft, *first, *last, *kind, part.hours),
        Inquiry::Done { first, last } => done(draft, *first, *last),
        Inquiry::Overdue => overdue(draft).unwrap_or_else(|| "Nothing is overdue.".to_owned()),
        Inquiry::Open(kind) => open(draft, *kind),
        Inquiry::Record(words) => record(draft, words),
    })
}

fn quoted(text: &str) -> String {
    let cut: String = text.chars().take(MAX_QUOTED_CHARS).collect();
    if cut.len() < text.len() { format!("\"{cut}…\"") } else { format!("\"{cut}\"") }
}

/// Lists what is planned on some days: what is open, and on past days also what was done. If today is among them, the
/// overdue todos follow. With hours, only what may take place in them is listed.
fn on_days(
    draft: &Draft<'_>,
    first: NaiveDate,
    last: NaiveDate,
    kind: Option<Kind>,
    hours: Option<AskedHours>,
) -> String {
    let today = draft.today.date;
    let mut found = context::planned(&draft.state, first, last);
    found.retain(|one| kind.is_none_or(|kind| one.item.kind == kind) && (one.day < today || !one.is_done));
    found.retain(|one| hours.is_none_or(|hours| hours.include(one.item)));
    let days = format!("{}{}", days(first, last), hours.map(within).unwrap_or_default());
    let what = kind.map_or_else(|| "Nothing".to_owned(), |kind| format!("No {kind}"));
    let mut text = if found.is_empty() {
        format!("{what} is planned {days}. Say what to add, for example: add buy milk tomorrow.")
    } else {
        format!("Planned {days}: {}.", lines(found.iter().map(|one| line(one, first != last)).collect()))
    };
    let has_today = first <= today && today <= last && kind.is_none_or(|kind| kind == Kind::Todo);
    if let Some(late) = overdue(draft).filter(|_| has_today) {
        text = format!("{text} {late}");
    }
    text
}

fn done(draft: &Draft<'_>, first: NaiveDate, last: NaiveDate) -> String {
    if first > draft.today.date {
        let asked = if first == last { format!("on {first}") } else { format!("from {first} to {last}") };
        return format!(
            "Nothing is done {} yet, since that is still to come. For what is planned then, ask \"what is planned \
             {asked}\".",
            days(first, last)
        );
    }
    let found: Vec<Planned<'_>> =
        context::planned(&draft.state, first, last).into_iter().filter(|one| one.is_done).collect();
    let days = days(first, last);
    if found.is_empty() {
        return format!("Nothing that was planned {days} is marked as done.");
    }
    format!("Done of what was planned {days}: {}.", lines(found.iter().map(|one| line(one, first != last)).collect()))
}

fn overdue(draft: &Draft<'_>) -> Option<String> {
    let late = context::overdue(&draft.state, draft.today.date);
    let dated = |(day, item): &(NaiveDate, &Item)| format!("{} ({})", item.title, day_name(*day));
    (!late.is_empty()).then(|| format!("Overdue: {}.", lines(late.iter().map(dated).collect())))
}

/// Lists all that is open, by its next day, with what has no day at the end.
fn open(draft: &Draft<'_>, kind: Option<Kind>) -> String {
    let today = draft.today.date;
    let of_kind = |one: Kind| kind.is_none_or(|kind| one == kind);
    let mut items: Vec<(Option<NaiveDate>, &Item)> = draft
        .state
        .items()
        .filter(|item| of_kind(item.kind) && item.is_open(today))
        .map(|item| (item.next_day(today), item))
        .collect();
    items.sort_by_key(|(day, item)| (day.is_none(), *day, item.time(), item.id));
    let goals = draft.state.goals().filter(|goal| of_kind(Kind::Goal) && goal.status == GoalStatus::Active);
    let listed: Vec<String> = items
        .iter()
        .map(|(day, item)| format!("{}{}", item.title, day.map(|day| moment(day, item)).unwrap_or_default()))
        .chain(goals.map(|goal| format!("{} (goal)", goal.title)))
        .collect();
    if listed.is_empty() {
        return "Nothing is open. Say what to add, for example: add buy milk tomorrow.".to_owned();
    }
    format!("Open, {} in all: {}.", listed.len(), lines(listed))
}

/// Says when the records are that a question names, and whether they are done.
fn record(draft: &Draft<'_>, words: &str) -> String {
    let today = draft.today.date;
    let found = asked_records(&draft.state, words, today);
    if found.is_empty() {
        return format!("Nothing is called \"{words}\". Ask \"what is open\" for all that is planned.");
    }
    let said = |item: &&Item| {
        let is_done = !item.recurrence.repeats() && item.completed;
        let when = item.next_day(today).map(|day| moment(day, item)).unwrap_or_default();
        let often = if item.recurrence.repeats() { format!(", {}", item.recurrence.in_words()) } else { String::new() };
        let place = item.location.as_ref().map(|place| format!(", at {place}")).unwrap_or_default();
        let state = if is_done { "done" } else { "open" };
        format!("\"{}\" is {state}{when}{often}{place}", item.title)
    };
    format!("{}.", lines(found.iter().map(said).collect()))
}

/// Joins the lines, at most [`MAX_LINES`] of them.
fn lines(mut lines: Vec<String>) -> String {
    let left_out = lines.len().saturating_sub(MAX_LINES);
    lines.truncate(MAX_LINES);
    if left_out > 0 {
        lines.push(format!("and {left_out} more"));
    }
    lines.join("; ")
}

fn line(one: &Planned<'_>, with_day: bool) -> String {
    let day = if with_day { format!("{} ", day_name(one.day)) } else { String::new() };
    let time = one.item.time().map(|time| format!("{time} ")).unwrap_or_default();
    let done = if one.is_done { " (done)" } else { "" };
    format!("{day}{time}{}{done}", one.item.title)
}

/// Returns "on Mon 2026-11-30", or "from Mon 2026-11-30 to Sun 2026-12-06".
fn days(first: NaiveDate, last: NaiveDate) -> String {
    if first == last {
        format!("on {}", day_name(first))
    } else {
        format!("from {} to {}", day_name(first), day_name(last))
    }
}

/// Returns " at 14:00", or " between 14:00 and 16:00".
fn within(hours: AskedHours) -> String {
    let AskedHours { from, to } = hours;
    if from == to { format!(" at {from}") } else { format!(" between {from} and {to}") }
}

fn day_name(day: NaiveDate) -> String {
    day.format("%a %Y-%m-%d").to_string()
}

/// Returns " on Mon 2026-11-30 at 15:00".
fn moment(day: NaiveDate, item: &Item) -> String {
    let time = item.time().map(|time| format!(" at {time}")).unwrap_or_default();
    format!(" on {}{time}", day_name(day))
}
