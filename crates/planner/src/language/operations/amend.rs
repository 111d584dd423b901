//! Applies a clause to the record that the clause before it creates: "I should get the boiler serviced, put that down
//! for the 25th".

use super::create::set_times;
use crate::language::Reader;
use crate::language::text::phrases::{self, after_any, before_end};
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary::place_at;
use crate::language::values::priorities;
use crate::language::values::when::When;
use crate::operation::{Action, Operation};
use crate::record::Kind;
use crate::recurrence::Recurrence;

const AMENDING_VERBS: &str = "repeat|let|put|make|set|schedule|do|book|plan|pencil|mark|have|note|jot|get|stick|add|\
    remind me of|\
    remind me about|\
    remind me|let's say|let's do|let's make|say|i want|i'd like|i need|i'll do|should be|can be|write|log|enter|pop";

const NEW_RECORD_PRONOUNS: &str = "it|that|this|them|that one|this one|that one down";

impl Reader<'_> {
    /// Adds what the clause contains to `last`. Returns whether the clause was such an addition.
    pub(in crate::language) fn amend(&self, clause: &[Token], last: &mut Operation) -> bool {
        if last.action != Action::Create || last.kind == Kind::Goal {
            return false;
        }
        if let Some(place) = named_list(clause) {
            set_kind(place, last);
            return true;
        }
        let place = after_any(
            clause,
            "it's at|it's in|it is at|it is in|it takes place at|it takes place in|\
            the venue is|the location is|the place is|location is",
        );
        if let Some(place) = place.filter(|place| !place.is_empty() && !When::read(place, self.today).has_schedule())
            && last.kind == Kind::Event
            && last.location.is_none()
        {
            last.location = Some(Some(self.text(place)));
            return true;
        }
        // "…; urgent".
        let only_priority = priorities::priority_phrase(clause).filter(|(length, _)| *length == clause.len());
        if let Some((_, priority)) = only_priority {
            last.priority = Some(priority);
            return true;
        }
        let Some(words) = amendment(clause) else { return false };
        let when = When::read_after("at", words, self.today);
        let whole = when.used.iter().rev().zip(words.iter().rev()).all(|(used, word)| *used || word.is_mark());
        if !whole || when.vague || when.is_ambiguous || !(when.has_schedule() || when.priority.is_some()) {
            return false;
        }
        self.take(&when, last)
    }

    fn take(&self, when: &When, last: &mut Operation) -> bool {
        let known = last.scheduled_for.flatten();
        let is_new = |day| known.is_none_or(|known| known == day);
        if !when.date.is_none_or(is_new) {
            return false;
        }
        let day = when.date.or(known).or_else(|| when.time.map(|time| self.today.next(time)));
        let mut first = (day, last.recurrence.unwrap_or(Recurrence::NONE));
        match when.recurrences(day.unwrap_or(self.today.date)).as_deref() {
            Some([]) => {}
            Some([(day, rule)]) => first = (Some(*day), *rule),
            _ => return false,
        }
        last.scheduled_for = first.0.map(Some);
        last.recurrence = Some(first.1);
        last.priority = when.priority.or(last.priority);
        if when.time.is_some() {
            set_times(last, when.time, when.end_time);
        }
        true
    }
}

/// Returns "to the calendar" from "add it to the calendar".
fn named_list(clause: &[Token]) -> Option<&[Token]> {
    let rest = after_any(after_any(clause, AMENDING_VERBS)?, NEW_RECORD_PRONOUNS)?;
    let rest = after_any(rest, "down|as well|too").unwrap_or(rest);
    let (at, length) = place_at(rest)?;
    (at == 0 && length == rest.len()).then_some(rest)
}

/// Turns the record into an event: "Add it to the calendar".
fn set_kind(place: &[Token], last: &mut Operation) {
    let calendar = phrases::has_any(place, "calendar|agenda|diary|planner");
    if calendar && last.kind == Kind::Todo && last.scheduled_for.flatten().is_some() {
        last.kind = Kind::Event;
        last.start_time = last.time_of_day.take();
    }
}

/// Returns "for the 25th" from "put that down for the 25th".
fn amendment(clause: &[Token]) -> Option<&[Token]> {
    let rest = after_any(clause, AMENDING_VERBS).unwrap_or(clause);
    // "And repeat weekly".
    let rest = match after_any(clause, "repeat|repeats|repeating|recurring") {
        Some(rest) => after_any(rest, NEW_RECORD_PRONOUNS).unwrap_or(rest),
        None => after_any(rest, NEW_RECORD_PRONOUNS)?,
    };
    let rest =
        after_any(rest, "down|in|up|should be|is|has to be|needs to be|must be|happens|would be").unwrap_or(rest);
    let rest = before_end(rest, "please|if you can|then|on my list|on the list|in my calendar").unwrap_or(rest);
    Some(after_any(rest, "as|a").unwrap_or(rest)).filter(|rest| !rest.is_empty())
}
