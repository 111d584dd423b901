//! Recognises sentences that delete a record.

use super::command::Command;
use super::target::{without_period, without_possessive};
use crate::language::Today;
use crate::language::text::phrases::{after, after_any, before_end, has_any};
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary;
use crate::language::text::words::{WordList, word_list};
use crate::language::values::when::When;

/// Beginnings of sentences about something that is no longer needed.
static NOT_NEEDED: WordList = WordList::new(|| word_list(include_str!("../words/not_needed.txt")));

/// Ends of sentences about something that does not take place.
static CALLED_OFF: WordList = WordList::new(|| word_list(include_str!("../words/called_off.txt")));

/// Beginnings of commands that delete a record.
static DELETING_LEADS: WordList = WordList::new(|| word_list(include_str!("../words/deleting_leads.txt")));

pub fn deleting(clause: &[Token], today: Today) -> Option<Command<'_>> {
    let of = |target| Some(Command::Delete { target });
    if let Some(target) = after_any(clause, &NOT_NEEDED) {
        return of(before_end(target, "anymore|any more|any longer|after all").unwrap_or(target));
    }
    let called_off = before_end(clause, "for good|for ever|altogether").unwrap_or(clause);
    if let Some(target) = before_end(called_off, &CALLED_OFF).filter(|target| !target.is_empty()) {
        return of(target);
    }
    if let Some(target) = after_any(clause, &DELETING_LEADS) {
        // "Chuck it on the list" adds it.
        if vocabulary::place_at(target).is_some_and(|(at, _)| target[at].is_one_of("on|onto|in|into|to")) {
            return None;
        }
        let place = "from my list|from the list|off my list|from my todo list|from my calendar|from the calendar|\
            from my todos|\
        from my tasks|from my agenda|off the list|from my schedule|from my habits|from my goals|from my events|\
        from the schedule|from my diary|from the diary|\
        from my to-do list|from my planner|out of my calendar|out of the calendar|off my calendar|off the calendar";
        let off_list = before_end(target, place);
        if off_list.is_none() && is_to_do(clause) {
            return None;
        }
        let target = off_list.unwrap_or(target);
        return of(before_end(target, "any more|anymore|altogether|for good|completely|entirely").unwrap_or(target));
    }
    // "Skip the stand-up tomorrow" is about a day; "skip" alone does not say what should become of the record.
    if let Some(target) = after_any(clause, "skip").filter(|target| names_days(target, today)) {
        return of(target);
    }
    if let Some(pronoun) =
        before_end(clause, "out|off|away").filter(|rest| rest.len() == 2 && rest[1].is_one_of("it|that|this|them"))
    {
        return after(pronoun, "take").map(|target| Command::Delete { target });
    }
    if let Some(target) = after_any(clause, "call|sack|bin|blow")
        && let Some(target) = before_end(target, "off").filter(|target| !target.is_empty())
    {
        return of(target);
    }
    let taken = after_any(clause, "take|strike|get|scrub|wipe|pull|knock|have|kick|throw|rub")?;
    let taken = before_end(taken, "for good|altogether|completely|entirely|for ever|forever|please").unwrap_or(taken);
    let place = "off my list|off the list|off my calendar|off the calendar|off my todo list|off my agenda|\
        off my schedule|\
        off my plate|off the agenda|off my diary|off the schedule|off my to-do list|from my list|from the list|\
        from my calendar|from the calendar|out of my calendar|out of the calendar|out of my diary|out of my list|\
        out of my schedule|out of my life|off the books|out of the diary|out of my agenda";
    let object = before_end(taken, place);
    of(object.or_else(|| before_end(taken, "off").filter(|_| clause[0].is_one_of("take|scrub")))?)
}

/// Matches "drop off the parcel", "drop Max off at nursery", "drop in on Ann", "clear out the flat": the verb and its
/// particle name something to do.
fn is_to_do(clause: &[Token]) -> bool {
    let begins_with = |verb: &str, particles: &str| {
        after(clause, verb).and_then(<[Token]>::first).is_some_and(|next| next.is_one_of(particles))
    };
    if has_any(clause, "it|that|this|them|these|those|everything|anything|all|whatever|whichever|both") {
        return false;
    }
    let drops_off = after(clause, "drop").is_some_and(|rest| has_any(rest, "off|round"));
    drops_off || begins_with("drop", "in|by") || begins_with("clear", "out|up|away|off")
}

fn names_days(words: &[Token], today: Today) -> bool {
    let words = without_possessive(words);
    When::read(&words, today).date.is_some() || without_period(&words, today).is_some()
}
