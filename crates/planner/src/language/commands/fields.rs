//! Recognises changes of fields other than the title and time: location, notes. Also recognises swaps of two records.

use super::command::{Command, Field};
use crate::language::Today;
use crate::language::text::phrases::{after, after_any, around, before_end, without_marks};
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary::{ADDING, ROOMS, TO_DO};
use crate::language::values::clock;
use crate::language::values::durations;
use crate::language::values::when::When;

const SETTING: &str = "set|change|update|make|edit|put|switch|move|correct";
const PLACE_NOUNS: &str = "location|place|venue|room|address";
const NOTE_NOUNS: &str = "notes|note|description|comment|details";

/// Recognises "set the location of X to Y", "X is in room 4", "note on X: Y", "set the notes of X to Y".
pub fn field(clause: &[Token], today: Today) -> Option<Command<'_>> {
    named(clause, today).or_else(|| added_note(clause)).or_else(|| taking_place(clause, today))
}

fn named(clause: &[Token], today: Today) -> Option<Command<'_>> {
    let rest = after_any(clause, SETTING).unwrap_or(clause);
    let rest = after_any(rest, "the|a|my").unwrap_or(rest);
    let noun = rest.first().filter(|noun| !noun.quoted)?;
    let field = field_of(noun)?;
    let (target, text) =
        around(after_any(&rest[1..], "of|for|on|from")?, "to|as|:|is|=|into|should be|should read|says|will be")?;
    let text = after(text, ":").unwrap_or(text);
    // "Note for Friday: …" creates a todo.
    made(target, field, text).filter(|_| !When::read(target, today).covers_all(target))
}

fn field_of(noun: &Token) -> Option<Field> {
    let location = noun.is_one_of(PLACE_NOUNS).then_some(Field::Location);
    location.or_else(|| noun.is_one_of(NOTE_NOUNS).then_some(Field::Notes))
}

fn made<'t>(target: &'t [Token], field: Field, text: &'t [Token]) -> Option<Command<'t>> {
    let (target, text) = (without_marks(target), without_marks(text));
    (!target.is_empty() && !text.is_empty()).then_some(Command::Field { target, field, text })
}

/// Recognises "add 'bring photos' to the notes of X", "add to the notes of X: …", "note for X that …", "set X's
/// location to Y".
fn added_note(clause: &[Token]) -> Option<Command<'_>> {
    let of_notes = "to the notes of|to the notes for|to the note of|as a note to|as a note on|as a note for|\
        as note to|in the notes of|\
        to the description of|in the notes for|to the notes on|as a note against";
    if let Some(rest) = after_any(clause, "add|write|put|append|attach|leave") {
        let (text, target) = around(rest, of_notes)?;
        if text.is_empty() {
            let (target, text) = around(target, ":|that")?;
            return made(target, Field::Notes, text);
        }
        return made(target, Field::Notes, text);
    }
    let rest = after_any(clause, SETTING)?;
    let at = (1..rest.len()).find(|at| field_of(&rest[*at]).is_some())?;
    let owner = rest[at - 1].lower.ends_with("'s") || rest[at - 1].lower.ends_with("s'");
    let text = after_any(&rest[at + 1..], "to|as|:").filter(|_| owner || rest[at - 1].quoted)?;
    made(&rest[..at], field_of(&rest[at])?, text)
}

/// Recognises "the meeting with Tom is in Room 4", "move the meeting to the library", "X takes place at the town hall".
fn taking_place(clause: &[Token], today: Today) -> Option<Command<'_>> {
    let is_name = |words: &[Token]| {
        let words = after_any(words, "the").unwrap_or(words);
        words.first().is_some_and(|word| word.quoted || word.text.starts_with(char::is_uppercase))
            && !When::read(words, today).has_schedule()
    };
    let is_place = |words: &[Token]| {
        let words = after_any(words, "the|a|our|my").unwrap_or(words);
        let named = words.len() < 5 && words.iter().take(2).any(|word| word.is_one_of(ROOMS));
        named && !When::read(words, today).has_schedule()
    };
    if let Some(rest) = after_any(clause, "move|switch|relocate|change|shift") {
        let (target, place) = around(rest, "to|into").filter(|(_, place)| is_place(place))?;
        return made(target, Field::Location, place);
    }
    let phrases = "takes place in|takes place at|will take place in|will take place at|is now in|is in|will be in|\
        has moved to|\
        has been moved to|is now at|is on|is at|will be at|moved to|moves to|is moving to|should be in|will be on|\
        should take place in|\
        should be at|is held in";
    let (target, place) = around(clause, phrases).filter(|(_, place)| is_place(place) || is_name(place))?;
    made(target, Field::Location, place)
}

/// Recognises "extend X until 3", "X ends at 15:30", "X should last 90 minutes".
pub fn ending(clause: &[Token], _: Today) -> Option<Command<'_>> {
    if let Some(longer) = lengthening(clause) {
        return Some(longer);
    }
    let of = |(target, words): (_, _)| Some(Command::End { target, words });
    let is_end = |words: &[Token]| end_of(words).is_some();
    let end_of_it = after_any(clause, "set|change|move|push|put").and_then(|rest| {
        after_any(rest, "the end of|the end time of|the finish of|the finishing time of|the end time for|the end for")
    });
    if let Some(rest) = after_any(clause, "extend|shorten|end|finish|lengthen|cut").or(end_of_it) {
        let (target, words) = around(rest, "until|till|to|at")?;
        return (!target.is_empty() && is_end(words)).then(|| of((target, words))).flatten();
    }
    if let Some(rest) = after_any(clause, "make|set|let|have") {
        let at = (1..rest.len())
            .find(|at| durations::minutes(&rest[*at..]).is_some_and(|found| rest[at + found.0..].len() < 2))?;
        // "Make the meeting 45 minutes".
        if durations::minutes(&rest[at..]).is_some_and(|found| at + found.0 == rest.len()) && clause[0].is("make") {
            return of((&rest[..at], &rest[at..]));
        }
        return rest.last().filter(|last| last.is("long")).and_then(|_| of((&rest[..at], &rest[at..rest.len() - 1])));
    }
    let phrases = "will last until|will last till|lasts until|will go on until|should last until|will finish at|\
        will be over at|is over at|is until|\
        now lasts|only lasts|only takes|now takes|ends at|will end at|should end at|now ends at|finishes at|\
        should finish at|ends|\
        runs until|should run until|goes on until|\
        will last|should last|lasts|should take|will take|takes|is going to last|needs to last|will run until|is";
    let (target, words) = around(clause, phrases)?;
    let adds = after_any(clause, &TO_DO).or_else(|| after_any(clause, &ADDING)).is_some();
    let words = before_end(words, "long").unwrap_or(words);
    let is_end = is_end(words) || durations::is_length(words);
    let whole = !target.is_empty() && !adds && !target.iter().any(Token::is_mark) && is_end;
    // "Is 3pm" gives the start.
    let names_duration = durations::minutes(words).is_some() && end_of(words).is_some();
    let by_is = clause[target.len()].is("is");
    (whole && (!by_is || names_duration)).then(|| of((target, words))).flatten()
}

/// Recognises "extend X by half an hour", "make X an hour longer".
fn lengthening(clause: &[Token]) -> Option<Command<'_>> {
    let made = |target, length: &[Token], shorter: bool| {
        let (used, minutes) = durations::minutes(length)?;
        let minutes = if shorter { -i32::from(minutes) } else { i32::from(minutes) };
        (used == length.len()).then_some(Command::Lengthen { target, minutes })
    };
    if let Some(rest) = after_any(clause, "extend|lengthen|prolong|shorten|cut") {
        let (target, length) = around(rest, "short by|down by|by")?;
        return made(target, length, clause[0].is_one_of("shorten|cut"));
    }
    let rest = after_any(clause, "make|let|have|keep")?;
    let rest = before_end(rest, "in total|please").unwrap_or(rest);
    let shorter = before_end(rest, "shorter|less");
    let rest = shorter.or_else(|| before_end(rest, "longer|more"))?;
    (1..rest.len()).find_map(|at| {
        let target = before_end(&rest[..at], "go on|run|last|be|take").unwrap_or(&rest[..at]);
        made(target, &rest[at..], shorter.is_some())
    })
}

/// Parses a time, or a length in minutes, that makes up all the words.
pub(in crate::language) fn end_of(words: &[Token]) -> Option<Result<crate::time_of_day::TimeOfDay, u16>> {
    let whole = |length: usize| length == words.len();
    if let Some((_, minutes)) = durations::minutes(words).filter(|found| whole(found.0)) {
        return Some(Err(minutes));
    }
    let (_, time) = clock::written(words).filter(|found| whole(found.0))?;
    time.time().map(Ok)
}

/// Recognises "swap X and Y", "swap X with Y", "exchange X for Y".
pub fn swap(clause: &[Token], today: Today) -> Option<Command<'_>> {
    let rest = after_any(
        clause,
        "swap the dates of|swap the days of|swap the times of|swap round|swap around|swap over|swap|exchange|\
            switch round|switch",
    )?;
    // "Swap lunch to Friday" moves it.
    if (1..rest.len()).any(|at| rest[at].is("to") && When::read_after("at", &rest[at + 1..], today).has_schedule()) {
        return None;
    }
    let rest = before_end(rest, "around|round|over").unwrap_or(rest);
    let swaps = clause[0].is_one_of("swap|exchange");
    let (one, other) = around(rest, if swaps { "with|for|and|&" } else { "with|and" })?;
    // In "meeting with Tom and meeting with Anna" the "and" separates the two.
    let (one, other) = around(rest, "and|&").filter(|(_, other)| !other.is_empty()).unwrap_or((one, other));
    (!one.is_empty() && !other.is_empty()).then_some(Command::Swap { one, other })
}
