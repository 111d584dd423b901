//! Handles lists of several things: "two things: mend the fence on Saturday; pump up the tyres on Sunday". Also applies
//! corrections within a sentence.

use chrono::NaiveDate;

use crate::language::Today;
use crate::language::commands::command::Command;
use crate::language::commands::interpret::command;
use crate::language::text::courtesy::plain;
use crate::language::text::numbers::count;
use crate::language::text::phrases::{self, after_any, without_marks};
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary::{self, ADDING, EVENTS, ROOMS, TO_DO};
use crate::language::values::when::When;
use crate::record::Kind;

const NOUNS: &str =
    "things|todos|tasks|items|reminders|errands|jobs|to-dos|chores|changes|requests|thing|points|updates|bits";

/// Returns the sentence without the introduction of a list. A day in the introduction is added to each part.
#[must_use]
pub fn without_intro(tokens: &[Token], today: Today) -> Vec<Token> {
    let announced = (0..tokens.len().min(9)).find(|at| tokens[*at].is(":") || tokens[*at].is_one_of("-|–|—"));
    let Some(at) = announced else { return tokens.to_vec() };
    let Some(rest) = announces(&tokens[..at]) else {
        return with_day_for_each(&tokens[..at], &tokens[at + 1..], today).unwrap_or_else(|| tokens.to_vec());
    };
    let rest = after_any(rest, "to do|for me|to add|please|on my list|to remember").unwrap_or(rest);
    let when = When::read(rest, today);
    if rest.is_empty() || rest[0].is("i") {
        return tokens[at + 1..].to_vec();
    }
    if !when.covers_all(rest) {
        return tokens.to_vec();
    }
    let parts =
        tokens[at + 1..].split(|token| token.is_one_of(",|;|and")).map(without_marks).filter(|part| !part.is_empty());
    let with_day = |part: &[Token]| [part, rest, &[Token::made(";")]].concat();
    parts.flat_map(with_day).collect()
}

/// Handles "Tomorrow: wash the car; mow the lawn", "tomorrow: lunch 12:30, gym 18:00": adds the day to each part.
fn with_day_for_each(day: &[Token], rest: &[Token], today: Today) -> Option<Vec<Token>> {
    let day = after_any(day, "for|on").unwrap_or(day);
    let when = When::read(day, today);
    let parts: Vec<&[Token]> =
        rest.split(|token| token.is_one_of(",|;|.")).map(without_marks).filter(|part| !part.is_empty()).collect();
    let of_doing = |part: &&[Token]| {
        let part = after_any(part, "and|then").unwrap_or(part);
        vocabulary::begins_with_task_verb(part) && !When::read(part, today).has_schedule()
    };
    let timed: Vec<&[Token]> =
        rest.split(|token| token.is_one_of(",|;|.|and|&")).map(without_marks).filter(|part| !part.is_empty()).collect();
    let are_timed = timed.iter().all(|part| is_timed(part, today));
    let parts = if are_timed { timed } else { parts };
    let is_each = are_timed || parts.iter().all(of_doing);
    let each = parts.len() > 1 && when.date.is_some() && when.covers_all(day) && is_each;
    let with_day = |part: &&[Token]| [after_any(part, "and|then").unwrap_or(part), day, &[Token::made(";")]].concat();
    each.then(|| parts.iter().flat_map(with_day).collect())
}

/// Words between the entries of a list.
const JOINERS: &str = "and|,|&|plus|then";

/// The longest day at the end of a list, in words: "on the 3rd of next month".
const MAX_DAY_WORDS: usize = 7;

/// Returns the sentence with the day at the end or the beginning of a list on each of its entries that have a time and
/// no day: "call Ann at 9 and Bob at 10 tomorrow", "call Ann at 9 tomorrow and Bob at 10".
#[must_use]
pub fn with_shared_day(tokens: &[Token], today: Today) -> Vec<Token> {
    let sentences = tokens.split_inclusive(|token| token.is_one_of(";|.|!|?"));
    sentences.flat_map(|sentence| with_first_day(&sharing_days(sentence, today), today)).collect()
}

/// Adds the day of an entry to those after it: "call Ann at 9 tomorrow, Bob at 10 and Zoe at 11".
fn with_first_day(sentence: &[Token], today: Today) -> Vec<Token> {
    // Only with "and", or if each has a time, are the parts between commas entries of one list, of which each can lack
    // its verb.
    let mut entries = sentence.split(|token| token.is_one_of(JOINERS)).map(plain);
    let is_timed_task = vocabulary::begins_with_task_verb(plain(sentence))
        && entries.all(|entry| entry.is_empty() || ends_in_time(entry, today));
    let is_list = is_timed_task || phrases::has_any(sentence, "and|&|plus");
    let mut found: Vec<Token> = Vec::with_capacity(sentence.len());
    let mut day: Option<NaiveDate> = None;
    for part in sentence.split_inclusive(|token| token.is_one_of(JOINERS)) {
        let end = part.iter().rposition(|token| !token.is_one_of(JOINERS) && !token.is_mark()).map_or(0, |at| at + 1);
        let entry = plain(&part[..end]);
        let when = When::read(entry, today);
        let is_new = when.has_schedule() && matches!(command(entry, today), Command::Create { .. });
        let lacks_day = is_new && is_timed(entry, today) && !super::split::begins_command(entry);
        match day.filter(|_| lacks_day) {
            Some(day) => {
                if let Some(comma) = found.last_mut().filter(|last| is_list && last.is(",")) {
                    *comma = as_and(comma);
                }
                found.extend_from_slice(entry);
                found.extend([Token::made("on"), Token::made(&day.to_string())]);
                found.extend_from_slice(&part[end..]);
            }
            None => found.extend_from_slice(part),
        }
        if when.has_schedule() && !lacks_day {
            let is_clear = when.repeat.is_none() && !when.is_ambiguous && !when.vague && when.time.is_some();
            day = when.date.filter(|date| is_new && is_clear && !when.covers_all(entry) && *date >= today.date);
        }
    }
    found
}

/// Returns "and" at the place of a comma: the rules for lists read "and", and a title has the comma that is written.
fn as_and(comma: &Token) -> Token {
    Token { start: comma.start, end: comma.end, ..Token::made("and") }
}

fn sharing_days(sentence: &[Token], today: Today) -> Vec<Token> {
    let days = shared_days(sentence, today);
    let mut found = Vec::with_capacity(sentence.len());
    for (at, token) in sentence.iter().enumerate() {
        let Some((_, day)) = days.iter().find(|(end, _)| *end == at) else {
            found.push(token.clone());
            continue;
        };
        found.extend(day.iter().map(|word| Token { start: 0, end: 0, ..word.clone() }));
        let is_comma = token.is(",") && sentence.get(at + 1).is_some_and(|next| !next.is_one_of(JOINERS));
        found.push(if is_comma { as_and(token) } else { token.clone() });
    }
    found
}

/// Returns where the entries end that have a time and no day, each with the day that ends their list.
fn shared_days(sentence: &[Token], today: Today) -> Vec<(usize, &[Token])> {
    let mut found = Vec::new();
    let mut without_day: Vec<usize> = Vec::new();
    let mut start = 0;
    for end in 0..=sentence.len() {
        if sentence.get(end).is_some_and(|token| !token.is_one_of(JOINERS)) {
            continue;
        }
        let entry = plain(&sentence[start..end]);
        start = end + 1;
        let when = When::read(entry, today);
        if !when.has_schedule() {
            continue;
        }
        // "Move the dentist to 9am and the review to 10am tomorrow" leaves the dentist on its day.
        let is_new = matches!(command(entry, today), Command::Create { .. } | Command::Place { .. });
        if is_new && is_timed(entry, today) {
            without_day.push(end);
            continue;
        }
        let day = if is_new && !without_day.is_empty() { day_at_end(entry, today) } else { None };
        if let Some(day) = day {
            found.extend(without_day.iter().map(|end| (*end, day)));
        }
        without_day.clear();
    }
    found
}

/// Matches "Bob at 10": an entry with a time at its end and no day.
fn is_timed(entry: &[Token], today: Today) -> bool {
    let when = When::read(entry, today);
    when.date.is_none() && !when.no_date && ends_in_time(entry, today)
}

/// Matches "Bob at 10", "Bob at 10 tomorrow": an entry with a time, and with it or a day at its end.
fn ends_in_time(entry: &[Token], today: Today) -> bool {
    let when = When::read(entry, today);
    let is_named = entry.iter().zip(&when.used).any(|(word, used)| !*used && !word.is_mark());
    is_named && when.time.is_some() && when.repeat.is_none() && when.used.last() == Some(&true)
}

/// Returns the sentence with the entries apart that each have their own time, where the verb before them is not
/// theirs: "email Bob at 10am; gym at 6pm".
#[must_use]
pub fn with_items_apart(tokens: &[Token], today: Today) -> Vec<Token> {
    let mut found = tokens.to_vec();
    let mut start = 0;
    for sentence in tokens.split_inclusive(|token| token.is_one_of(";|.|!|?")) {
        for joiner in joiners_of_items(sentence, today).unwrap_or_default() {
            let joiner = &mut found[start + joiner];
            *joiner = Token { start: joiner.start, end: joiner.end, ..Token::made(";") };
        }
        start += sentence.len();
    }
    found
}

/// Returns the positions of the joiners before items without a verb. `None` if an entry may be no item: a name alone
/// says not what to do, and in "the train leaves at 9 and arrives at 11" both times are of one thing.
fn joiners_of_items(sentence: &[Token], today: Today) -> Option<Vec<usize>> {
    const SUBJECTS: &str = "i|we|he|she|they|you|it|i've|we've|i'm|we're";
    const CONTINUING: &str = "arrive|arrives|end|ends|leave|leaves|start|starts|begin|begins|finish|finishes|return|\
        returns|depart|departs|land|lands|be|get|back|home|again|also|another|one|two|half|me|him|her|them|it|that";
    let mut joiners = Vec::new();
    let (mut start, mut follows_timed) = (0, false);
    for end in 0..=sentence.len() {
        if sentence.get(end).is_some_and(|token| !token.is_one_of(JOINERS)) {
            continue;
        }
        let entry = plain(&sentence[start..end]);
        let joiner = start.saturating_sub(1);
        let continues_verb = sentence.get(start).is_some_and(|first| first.is("to"));
        start = end + 1;
        let Some(first) = entry.first() else { continue };
        let has_verb =
            continues_verb || vocabulary::begins_with_task_verb(entry) || super::split::begins_command(entry);
        let (has_time, meant) = (ends_in_time(entry, today), command(entry, today));
        let is_item = has_time && matches!(meant, Command::Create { .. });
        if follows_timed && !has_verb {
            let is_event = phrases::listed(&EVENTS, &first.lower) || phrases::listed(ROOMS, &first.lower);
            let is_name = first.text.starts_with(char::is_uppercase) && !is_event;
            if !is_item || is_name || first.is_one_of(CONTINUING) {
                return None;
            }
            joiners.push(joiner);
        } else if has_time && !follows_timed {
            // "Add an event … and …" is about two events, and "I had lunch at 12 and tea at 3" about nothing to plan.
            let is_of_kind = matches!(meant, Command::Create { kind: Some(kind), .. } if kind != Kind::Todo)
                && after_any(entry, &ADDING).is_some();
            let is_report = first.is_one_of(SUBJECTS) && after_any(entry, &TO_DO).is_none();
            if !is_item || is_of_kind || is_report {
                return None;
            }
        }
        follows_timed |= is_item;
    }
    // "Lunch at 12 and gym at 6?" asks for nothing to be added.
    (!sentence.last()?.is("?")).then_some(joiners)
}

/// Returns the day after the time of an entry: "Bob at 10 tomorrow".
fn day_at_end(entry: &[Token], today: Today) -> Option<&[Token]> {
    let first = entry.len().saturating_sub(MAX_DAY_WORDS).max(1);
    (first..entry.len()).map(|at| entry.split_at(at)).find_map(|(timed, day)| {
        let when = When::read(day, today);
        let is_day = when.covers_all(day) && when.repeat.is_none() && !when.is_ambiguous && !when.vague;
        let has_come = when.date.is_some_and(|date| date >= today.date);
        (is_day && has_come && is_timed(timed, today)).then_some(day)
    })
}

/// Phrases that correct what precedes them.
const CORRECTIONS: &str = ", no ,|actually make that|actually make it|actually , make that|no wait|wait no|wait , no|\
    no , wait|scratch that|i mean|or rather|correction|\
    sorry , i mean|strike that|i meant|no sorry|\
    no , sorry|sorry , no|make that";

/// Returns the sentence with corrections applied: "on Monday, no wait, on Tuesday".
#[must_use]
pub fn corrected(tokens: &[Token], today: Today) -> Vec<Token> {
    let Some((before, after)) = phrases::around(tokens, CORRECTIONS) else {
        return tokens.to_vec();
    };
    let (before, after) = (without_marks(before), without_marks(after));
    if after.is_empty() || before.iter().any(|token| token.quoted) && before.len() == 1 {
        return tokens.to_vec();
    }
    if super::split::begins_command(after) {
        return after.to_vec();
    }
    let with_at = [&[Token::made("at")], after].concat();
    let after = if When::read(after, today).has_schedule() { after } else { &with_at };
    let read = When::read(after, today);
    if read.has_schedule() && read.covers_all(after) {
        let old = When::read(before, today);
        let kept = before.iter().zip(&old.used).filter(|(_, used)| !**used).map(|(token, _)| token.clone());
        // "On Friday at 1, no, at 2" is still on Friday.
        let day = old.date.filter(|_| read.date.is_none() && old.repeat.is_none());
        let time = old.time.filter(|_| read.time.is_none());
        let day = day.map(|day| Token::made(&day.to_string())).into_iter();
        let time = time.into_iter().flat_map(|time| [Token::made("at"), Token::made(&time.to_string())]);
        return kept.chain(day).chain(time).chain(after.iter().cloned()).collect();
    }
    let after = if std::ptr::eq(after.as_ptr(), with_at.as_ptr()) { &with_at[1..] } else { after };
    match super::topic::verb_of(before) {
        Some(verb) => [verb, after].concat(),
        None => after.to_vec(),
    }
}

/// Returns the words after "three things", "a few errands", "todos".
fn announces(tokens: &[Token]) -> Option<&[Token]> {
    let rest = after_any(
        tokens,
        "i have|i've got|there are|here are|please add|add|please note|note|my|the following|just|ok|so",
    )
    .unwrap_or(tokens);
    let counted = |rest: &[Token]| {
        rest.first()
            .is_some_and(|first| count(&first.lower).is_some() || first.is_one_of("some|few|several|my|the|these|more"))
    };
    let mut rest = rest;
    for _ in 0..3 {
        if counted(rest) || rest.first().is_some_and(|first| first.is_one_of("of|new|quick|other|small")) {
            rest = &rest[1..];
        }
    }
    let (noun, rest) = rest.split_first()?;
    noun.is_one_of(NOUNS).then_some(rest)
}
