//! Builds operations on fields other than the title and day: location, notes, end. Also swaps two records.

use super::change::{Changes, kept_end};
use super::create::set_times;
use crate::language::commands::command::Field;
use crate::language::commands::fields::end_of;
use crate::language::commands::target::TargetFilter;
use crate::language::text::tokens::Token;
use crate::language::{Question, Reader};
use crate::matching::Candidate;
use crate::operation::{Action, Operation};
use crate::record::{Item, Kind};
use crate::time_of_day::TimeOfDay;

const OPEN: TargetFilter = TargetFilter { done: false, goals: false };
const WITH_GOALS: TargetFilter = TargetFilter { done: false, goals: true };

impl Reader<'_> {
    pub fn set_field(&self, target: &[Token], field: Field, text: &[Token]) -> Changes {
        let text = match text {
            [one] => one.text.clone(),
            words => self.text(words),
        };
        if field == Field::Notes {
            return self.note_on(target, &text);
        }
        let found = self.resolve(target, OPEN)?;
        let of_event = |of: &Candidate<'_>| {
            if of.kind != Kind::Event {
                let text = format!("\"{}\" is no event, so it has no place. Which one do you mean?", of.title);
                return Err(Question::new(&text, vec![of.option()]));
            }
            let mut operation = self.update(of)?;
            operation.location = Some(Some(text.clone()));
            Ok(operation)
        };
        found.iter().map(of_event).collect()
    }

    fn note_on(&self, target: &[Token], said: &str) -> Changes {
        self.resolve(target, WITH_GOALS)?
            .iter()
            .map(|of| {
                let mut operation = self.update(of)?;
                let notes = self.notes(of);
                operation.notes = Some(if notes.is_empty() { said.to_owned() } else { format!("{notes}\n{said}") });
                Ok(operation)
            })
            .collect()
    }

    /// Returns the notes of a record, empty if it has none.
    fn notes(&self, of: &Candidate<'_>) -> &str {
        let of_goal = self.state.goal(of.id).filter(|_| of.kind == Kind::Goal).map(|goal| goal.notes.as_str());
        of_goal.or_else(|| self.state.item(of.kind, of.id).map(|item| item.notes.as_str())).unwrap_or_default()
    }

    /// Sets the end of an event, given as a time or a duration.
    pub fn end(&self, target: &[Token], words: &[Token]) -> Changes {
        let found = self.resolve(target, OPEN)?;
        let ended = |of: &Candidate<'_>| {
            let item = self.item(of)?;
            let end = match end_of(words) {
                Some(Ok(time)) => Some(time),
                Some(Err(minutes)) => item.start_time.and_then(|start| moved(start, i32::from(minutes))),
                None => None,
            };
            let start = item.start_time.filter(|_| of.kind == Kind::Event);
            // "Runs until 9", said of an event at seven in the evening, means 21:00.
            let end = end.map(|end| match start {
                Some(start) if end <= start && end.hour() < 12 => end.plus_minutes(12 * 60),
                _ => end,
            });
            self.ending_at(of, end.filter(|end| start.is_some_and(|start| *end > start)))
        };
        found.iter().map(ended).collect()
    }

    /// Returns the operation that sets an end; asks for it if there is none.
    fn ending_at(&self, of: &Candidate<'_>, end: Option<TimeOfDay>) -> Result<Operation, Question> {
        let Some(end) = end else {
            let text = format!("When should \"{}\" begin and end?", of.title);
            return Err(Question::new(&text, vec![of.option()]));
        };
        let mut operation = self.update(of)?;
        operation.end_time = Some(Some(end));
        Ok(operation)
    }

    /// Handles "Extend X by half an hour".
    pub fn lengthen(&self, target: &[Token], minutes: i32) -> Changes {
        let found = self.resolve(target, OPEN)?;
        let lengthened = |of: &Candidate<'_>| {
            let item = self.item(of)?;
            let end = item.end_time.and_then(|end| moved(end, minutes));
            self.ending_at(of, end.filter(|end| item.start_time.is_some_and(|start| *end > start)))
        };
        found.iter().map(lengthened).collect()
    }

    /// Exchanges the days of two records, and their times if both are of the same kind or on the same day.
    pub fn swap(&self, one: &[Token], other: &[Token]) -> Changes {
        let (first, second) = (self.resolve(one, OPEN)?, self.resolve(other, OPEN)?);
        let ([first], [second]) = (&first[..], &second[..]) else {
            return Err(Question::new("Which two should change places?", Vec::new()));
        };
        let (left, right) = (self.item(first)?, self.item(second)?);
        let can = first.id != second.id && !left.recurrence.repeats() && !right.recurrence.repeats();
        if !can || left.scheduled_for.is_none() || right.scheduled_for.is_none() {
            let text = "Only two records that have a day and do not repeat can change places. Which two do you mean?";
            return Err(Question::new(text, vec![first.option(), second.option()]));
        }
        if let Some(day) = left.scheduled_for.filter(|day| right.scheduled_for == Some(*day))
            && (left.time().is_none() || right.time().is_none() || left.time() == right.time())
        {
            let text = format!(
                "\"{}\" and \"{}\" are both on {day}, and not at two times that could be exchanged. To which day or \
                 time should one of them be moved?",
                left.title, right.title
            );
            return Err(Question::new(&text, vec![first.option(), second.option()]));
        }
        Ok(vec![taking(left, right), taking(right, left)])
    }
}

/// Returns the time so many minutes later. `None` if that is on another day.
fn moved(time: TimeOfDay, minutes: i32) -> Option<TimeOfDay> {
    let moved = i32::from(time.hour()) * 60 + i32::from(time.minute()) + minutes;
    let moved = u16::try_from(moved).ok()?;
    TimeOfDay::new(moved / 60, moved % 60)
}

/// Returns an operation that moves `item` to the day and time of `other`.
fn taking(item: &Item, other: &Item) -> Operation {
    let mut operation = Operation::new(item.kind, Action::Update, Some(item.id));
    operation.recurrence = Some(item.recurrence);
    operation.scheduled_for = Some(other.scheduled_for);
    let exchanges_times = item.kind == other.kind || item.scheduled_for == other.scheduled_for;
    if exchanges_times && other.time().is_some() {
        set_times(&mut operation, other.time(), kept_end(item, other.time()));
    }
    operation
}
