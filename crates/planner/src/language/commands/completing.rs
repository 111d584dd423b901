//! Recognises sentences that complete or reopen a record.

use super::command::Command;
use crate::language::Today;
use crate::language::text::past_forms;
use crate::language::text::phrases::{after, after_any, around, before_end, listed};
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary;
use crate::language::text::words::{WordList, word_list};
use crate::language::values::when::When;

/// Verbs that reopen a record, each also with a hyphen after its first syllable: "un-complete".
const REOPENING: &str = "reopen|unfinish|uncheck|untick|unmark|uncomplete|undo|undone";

/// Phrases after "mark X" that reopen a record, and those that complete it.
const UNDONE: &str = "as not done|not done|as undone|undone|as incomplete|incomplete|as open|as not completed|\
    as pending|\
    as unfinished";
const AS_DONE: &str = "as done|done|as complete|as completed|complete|completed|as finished|finished|to done|\
    to completed|to complete|to finished|to achieved|\
    as being done|off|as achieved|as ticked|as sorted|as handled";

/// Phrases before a verb which indicate that something was finally done.
const FINALLY_DONE: &str = "i've been|i have been|been|i've just been|just been|got round to|got around to|i got round to|\
    i got around to|i've got round to|i've gotten around to|\
    i managed to|managed to|i've managed to|i have managed to|we managed to|we got round to|we've managed to|\
    i succeeded in|\
    i remembered to|remembered to|i was able to|i've finally got round to|i'm done|i am done|done|i'm finished|\
    i've got around to|i have got round to|i finished|finished|i've finished|i have finished";

static COMPLETING_LEADS: WordList = WordList::new(|| word_list(include_str!("../words/completing_leads.txt")));

const ENDS: &str = "is done|is finished|is complete|is completed|are done|has been done|was done|done|- done|\
    is done now|\
    ✓|✔|☑|\
    is now done|completed|finished|has been completed|have been done|is all done|is sorted|is taken care of|\
    has been taken care of|\
    is done and dusted|done and dusted|over and done with|are finished|is dealt with|all done|sorted|\
    has been finished|are complete|is behind me|\
    is out of the way|\
    can be ticked off|can be checked off|can be crossed off|can be marked as done|is handled|has been handled|\
    has been sorted";

pub fn completing(clause: &[Token], today: Today) -> Option<Command<'_>> {
    if let Some((_, target)) = clause.split_first().filter(|(verb, _)| reopens(verb)) {
        return Some(of(target, false));
    }
    if let Some(rest) = after_any(clause, "mark|set|flag") {
        let named = |phrases| without_when(rest, phrases).or_else(|| before_day(rest, phrases, today));
        return match named(UNDONE) {
            Some(target) => Some(of(target, false)),
            None => named(AS_DONE).or_else(|| as_participle(rest)).map(|target| of(target, true)),
        };
    }
    ticked_off(clause)
        .or_else(|| finally_done(clause))
        .or_else(|| by_leading_phrase(clause))
        .or_else(|| done_statement(clause))
}

fn reopens(verb: &Token) -> bool {
    let joined = verb.lower.replacen('-', "", 1);
    !verb.quoted && listed(REOPENING, &joined)
}

/// Recognises "The report is finally finished". "Remind me that the laundry is done" is a todo instead.
fn done_statement(clause: &[Token]) -> Option<Command<'_>> {
    let adds = after_any(clause, &vocabulary::TO_DO).or_else(|| after_any(clause, &vocabulary::ADDING));
    let target = without_when(clause, ENDS).filter(|_| adds.is_none() && !clause[0].is("get"))?;
    let auxiliary = "is finally|is now|is already|is all|are finally|are now|are already|are all|is completely|\
        is fully|finally|has finally been";
    Some(of(before_end(target, auxiliary).filter(|target| !target.is_empty()).unwrap_or(target), true))
}

/// Recognises "Mark the bill paid", "mark the milk as bought".
fn as_participle(rest: &[Token]) -> Option<&[Token]> {
    let (verb, target) = rest.split_last().filter(|(verb, _)| !verb.quoted)?;
    let is_past = !past_forms::presents(&verb.lower).is_empty();
    let target = before_end(target, "as").unwrap_or(target);
    (is_past && !target.is_empty()).then_some(target)
}

fn of(target: &[Token], done: bool) -> Command<'_> {
    Command::Complete { target, done }
}

/// Recognises "Tick the milk off": the particle is after the object, and a day may follow.
fn ticked_off(clause: &[Token]) -> Option<Command<'_>> {
    let rest = after_any(clause, "tick|check|sign|cross|strike")?;
    let (target, day) = around(rest, "off").filter(|(target, _)| !target.is_empty())?;
    let day = after_any(day, "my list|the list|as done").unwrap_or(day);
    Some(Command::CompleteOn { target, day })
}

/// Recognises "Finally got round to booking the flights".
fn finally_done(clause: &[Token]) -> Option<Command<'_>> {
    let target = after_any(clause, FINALLY_DONE).filter(|target| target.len() > 1)?;
    let begins_so =
        after_any(clause, "done|i'm done|i am done|i'm finished|i've been|i have been|been|i've just been|just been")
            .is_some();
    if target[0].is_one_of("meaning|thinking|planning|trying|hoping|wanting|asked|told|meant") {
        return None;
    }
    (target[0].lower.ends_with("ing") || !begins_so).then(|| of(target, true))
}

/// Recognises "Finished the report", "that's the report done".
fn by_leading_phrase(clause: &[Token]) -> Option<Command<'_>> {
    let target = after_any(clause, &COMPLETING_LEADS)?;
    // "Check in for the flight" is a thing to do.
    if clause[0].is("check") && target.first().is_some_and(|next| next.is("in")) {
        return None;
    }
    let target = before_end(target, "off|off my list|off the list").unwrap_or(target);
    // "That's the report done", "got the report done".
    let gets = after_any(clause, "that's|i got|got|we got|i've got|we've got|i have got").is_some();
    let done = before_end(target, "done|finished|sorted|out of the way|completed|ticked off");
    if gets && done.is_none() {
        return None;
    }
    let target = done.filter(|_| gets).unwrap_or(target);
    Some(of(after(target, ":").unwrap_or(target), true))
}

/// Returns all the words if one of the phrases and then nothing but a day is at their end: "… done next Tuesday".
fn before_day<'t>(tokens: &'t [Token], phrases: &str, today: Today) -> Option<&'t [Token]> {
    let is_day = |rest: &[Token]| {
        let when = When::read(rest, today);
        when.date.is_some() && when.covers_all(rest)
    };
    let ends = |at: usize| phrases.split('|').any(|phrase| after(&tokens[at..], phrase).is_some_and(is_day));
    (1..tokens.len()).any(ends).then_some(tokens)
}

/// Returns the words before one of the phrases at the end. If the phrase is followed by a day ("… as done yesterday"),
/// returns all the words.
fn without_when<'t>(tokens: &'t [Token], phrases: &str) -> Option<&'t [Token]> {
    if let Some(before) = before_end(tokens, phrases) {
        return Some(before);
    }
    let day_words = "for|today|yesterday|on|tomorrow";
    let longest_first = |at: &usize| {
        phrases.split('|').any(|phrase| {
            after(&tokens[*at..], phrase).is_some_and(|rest| rest.first().is_some_and(|next| next.is_one_of(day_words)))
        })
    };
    (1..tokens.len()).find(longest_first).map(|_| tokens)
}
