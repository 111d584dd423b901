//! Splits a sentence into clauses with one command each, and removes courtesies.

use crate::language::Today;
use crate::language::commands::command::Command;
use crate::language::commands::interpret::command;
use crate::language::text::courtesy::plain;
use crate::language::text::numbers;
use crate::language::text::past_forms;
use crate::language::text::phrases::{self, after_any};
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary::{self, TASK_VERBS};
use crate::language::text::words::{WordList, word_list};
use crate::language::values::{clock, when};

/// Words that begin a command.
static COMMANDS: WordList = WordList::new(|| word_list(include_str!("../words/commands.txt")));

/// Phrases that propose another time.
const PROPOSALS: &str =
    "let's do|let's make it|let's say|let's move|how about|what about|can we do|could we do|we could do|we'll do";

/// Returns whether the sentence is a single clause that explicitly asks to add something.
#[must_use]
pub fn is_certain_create(tokens: &[Token], today: Today) -> bool {
    matches!(clauses(tokens)[..], [only] if matches!(command(plain(only), today), Command::Create { certain: true, .. }))
}

/// Returns whether a command begins at the first token.
#[must_use]
pub fn begins_command(tokens: &[Token]) -> bool {
    let begins = |tokens: &[Token], phrases: &str| after_any(tokens, phrases).is_some_and(|rest| !rest.is_empty());
    let tokens_plain = plain(tokens);
    // "The trip is on Friday, leave at 8".
    if tokens_plain.first().is_some_and(|first| first.is_one_of("leave|hold"))
        && !phrases::has_any(tokens_plain, "until|till")
    {
        return false;
    }
    begins(tokens, PROPOSALS) || begins(tokens_plain, &COMMANDS) || begins(tokens_plain, &vocabulary::MOVING)
}

/// Returns the clauses of a sentence. It is split at semicolons and full stops, and at "and", "then" or a comma before
/// a command.
#[must_use]
pub fn clauses(tokens: &[Token]) -> Vec<&[Token]> {
    let mut found = Vec::new();
    let mut start = 0;
    for at in 0..tokens.len() {
        let token = &tokens[at];
        let rest = &tokens[at + 1..];
        let joins = token.is_one_of("and|then|,|&|plus|so")
            && !is_only_schedule(&tokens[start..at])
            && (begins_command(rest)
                || continues_in_past(&tokens[start..at], rest)
                || continues_with_due(&tokens[start..at], rest));
        // "Email Raj!!! tomorrow" is one clause.
        let continues = token.is("!")
            && rest
                .iter()
                .find(|next| !next.is("!"))
                .is_some_and(|next| !next.is_mark() && next.text.starts_with(char::is_lowercase));
        let continues = continues && !plain(&tokens[start..at]).is_empty() && !begins_command(rest);
        let ends = (token.is_one_of(";|!|?") && !continues)
            || (token.is(".")
                && !abbreviates(&tokens[..at], rest)
                && (begins_sentence(rest) || begins_command(rest) || begins_in_lower_case(tokens, start, at)));
        // In "Dentist appointment, move to the 18th" the object is before the comma.
        let joins = joins && !(token.is(",") && lacks_object(rest));
        if (joins || ends) && at >= start {
            found.push(&tokens[start..at]);
            start = at + 1;
        }
    }
    found.push(&tokens[start..]);
    found.into_iter().filter(|clause| !plain(clause).is_empty()).collect()
}

/// Matches "move to the 18th".
fn lacks_object(rest: &[Token]) -> bool {
    let following = after_any(plain(rest), &vocabulary::MOVING);
    following.is_some_and(|following| following.first().is_some_and(|next| next.is_one_of("to|until|till|by")))
}

/// Matches "Make the passport high priority and due 1 June".
fn continues_with_due(before: &[Token], rest: &[Token]) -> bool {
    let asked = super::topic::verb_of(before).is_some_and(|verb| verb.len() < before.len());
    asked && after_any(rest, "due").is_some_and(|rest| !rest.is_empty())
}

/// Matches "From 1 April until 30 April, log the mileage every day": the words before the comma belong to the rest.
fn is_only_schedule(tokens: &[Token]) -> bool {
    let tokens = plain(tokens);
    let read = |time| when::When::read(tokens, Today::new(chrono::NaiveDate::default(), time));
    crate::time_of_day::TimeOfDay::new(12, 0).is_some_and(|noon| read(noon).covers_all(tokens))
}

/// Matches "I bought milk and paid the bill": both parts report something done.
fn continues_in_past(before: &[Token], rest: &[Token]) -> bool {
    let subjectless =
        |tokens: &[Token]| after_any(tokens, past_forms::SUBJECTS).map_or(0, |rest| tokens.len() - rest.len());
    let is_past = |tokens: &[Token]| {
        let tokens = plain(tokens);
        // "Yesterday I meditated".
        let subject = (1..tokens.len().min(4)).find(|at| tokens[*at].is_one_of("i|we|i've|we've"));
        let tokens = subject.filter(|at| is_only_schedule(&tokens[..*at])).map_or(tokens, |at| &tokens[at..]);
        let verb = tokens.get(subjectless(tokens));
        verb.is_some_and(|verb| !verb.quoted && verb.lower.len() > 2 && !past_forms::presents(&verb.lower).is_empty())
    };
    let is_passive = |tokens: &[Token]| {
        matches!(tokens, [_, .., aux, verb] if aux.is_one_of("is|are|was|were|been|got")
            && !past_forms::presents(&verb.lower).is_empty())
    };
    let rest_is_passive = (2..=rest.len()).any(|end| is_passive(&rest[..end]));
    let ends_in_participle = |tokens: &[Token]| {
        let tokens = plain(tokens);
        let is_named = |first: &Token| tokens.len() == 2 || !first.is_one_of(&TASK_VERBS);
        tokens.len() > 1 && tokens.len() < 5 && is_named(&tokens[0]) && tokens.last().is_some_and(is_participle)
    };
    let part = rest.split(|token| token.is_one_of("and|,|&|;|.")).next().unwrap_or(rest);
    (is_past(before) && is_past(rest) && rest.len() > 1)
        || (is_passive(plain(before)) && rest_is_passive)
        || (ends_in_participle(before) && ends_in_participle(part))
}

fn is_participle(token: &Token) -> bool {
    !token.quoted && token.lower.len() > 3 && !past_forms::presents(&token.lower).is_empty()
}

/// Abbreviations whose full stop ends no sentence if a small letter or a number follows: "ref. order 5", "vol. 2".
const SHORT: &str = "re|ref|incl|excl|max|min|ext|nr|attn|resp|vol|fig|dept|misc|temp|chap|sect|para";

/// Abbreviations whose full stop ends no sentence if a number follows: "ch. 3". So do those of [`SHORT`], unless they
/// are written like a name: "Max".
const NUMBERED: &str = "ch|chap|sec|sect|para|p|pp|vol|vols|fig|nr|art|ext|ref";

/// Returns whether the full stop after `before` is part of an abbreviation, as in "Dr. Brandt", "ch. 3", "Mt. Fuji".
/// Only listed words are abbreviations: any other short word may end a sentence, as in "call mum. 3 eggs".
fn abbreviates(before: &[Token], rest: &[Token]) -> bool {
    const TITLES: &str = "dr|mr|mrs|ms|prof|st|vs|approx|ca|no|tel|inc|ltd|jr|sr|rev|hon|e.g|i.e|etc";
    const BEFORE_A_NAME: &str = "mt|ft|lt|sgt";
    let Some(last) = before.last().filter(|last| !last.quoted) else { return false };
    if last.is_one_of(TITLES) || (last.text.len() == 1 && last.text.starts_with(char::is_uppercase)) {
        return true;
    }
    let is_number = |token: &Token| token.text.starts_with(|c: char| c.is_ascii_digit());
    // In "plan for 5 min. 3 eggs" it is a unit.
    let is_unit = before.iter().rev().nth(1).is_some_and(is_number);
    let is_in_capitals = last.text.chars().all(char::is_uppercase);
    let Some(next) = rest.first().filter(|_| !is_unit && !is_in_capitals) else { return false };
    let is_short = last.is_one_of(SHORT) && last.text.starts_with(char::is_lowercase);
    let begins_time = clock::written(rest).is_some_and(|(_, time)| time.certain);
    let is_before_number = is_number(next) && !begins_time && (is_short || last.is_one_of(NUMBERED));
    is_before_number || (last.is_one_of(BEFORE_A_NAME) && next.text.starts_with(char::is_uppercase))
}

/// Returns whether `rest` can begin a sentence. In "5. May" the full stop does not end one.
fn begins_sentence(rest: &[Token]) -> bool {
    rest.first().is_none_or(|next| {
        numbers::month(&next.lower).is_none()
            && next.text.starts_with(|c: char| c.is_uppercase() || next.quoted || !c.is_alphabetic())
    })
}

/// Returns whether the full stop at `at` ends a sentence although a small letter follows: "buy bread. call mum". The
/// clause begins at `start`.
fn begins_in_lower_case(tokens: &[Token], start: usize, at: usize) -> bool {
    let rest = &tokens[at + 1..];
    let Some((before, next)) = tokens[start..at].last().zip(rest.first()) else { return false };
    let is_apart = before.end == tokens[at].start && tokens[at].end < next.start;
    // In "1. call mum" the number is not a sentence.
    let is_number = before.text.bytes().all(|byte| byte.is_ascii_digit());
    let begins = rest.len() > 1 && vocabulary::begins_with_task_verb(rest);
    let both_name_topics = names_topic(&tokens[start..at]) && names_topic(rest);
    let continues = both_name_topics || continues_in_past(&tokens[start..at], rest);
    is_apart && !is_number && !before.is_one_of(SHORT) && (begins || continues)
}

/// Matches "milk: tomorrow": a topic before a colon. A field of a new record is none: "note: two litres".
fn names_topic(tokens: &[Token]) -> bool {
    const MAX_TOPIC_WORDS: usize = 6;
    const FIELDS: &str = "note|notes|detail|details|description|comment|remark|location|venue|place|where|room|address|\
        priority|prio|due|deadline|date|day|time|when|target|current|progress|repeat|repeats|tag|tags|link|url";
    let tokens = plain(tokens);
    let Some(colon) = tokens.iter().position(Token::is_mark).filter(|at| tokens[*at].is(":")) else { return false };
    let is_field = colon > 0 && tokens[colon - 1].is_one_of(FIELDS);
    let names_kind = tokens[..colon].iter().any(|word| vocabulary::kind_noun(&word.lower).is_some());
    (1..=MAX_TOPIC_WORDS).contains(&colon) && !is_field && !names_kind && !begins_command(tokens)
}

/// Splits a clause before another thing to do, for clauses that make no sense as a whole: "delete the report and buy
/// bread".
#[must_use]
pub fn split_at_task(clause: &[Token]) -> Option<[&[Token]; 2]> {
    let parts = |at: usize| [&clause[..at], &clause[at + 1..]];
    let at = (1..clause.len()).find(|at| {
        let [before, after] = parts(*at);
        let task = plain(after);
        clause[*at].is_one_of("and|,|&|then|plus")
            && !plain(before).is_empty()
            && task.len() > 1
            && vocabulary::begins_with_task_verb(task)
    })?;
    Some(parts(at))
}

/// Splits tokens into tasks. "Call the bank and email Jo" is two tasks, since each part begins with a verb and has an
/// object.
#[must_use]
pub fn split_tasks(tokens: &[Token]) -> Vec<&[Token]> {
    // In "Paint, brushes and tape on Saturday" the day after the verb is not an object.
    let names_day = |next: &Token| {
        next.is_one_of("on|at|by|tomorrow|today|tonight|next|this|every|until|before|and|,")
            || numbers::weekday(&next.lower, true).is_some()
    };
    let begins = |tokens: &[Token]| tokens.len() > 1 && tokens[0].is_one_of(&TASK_VERBS) && !names_day(&tokens[1]);
    if !tokens.first().is_some_and(|first| first.is_one_of(&TASK_VERBS)) || tokens.len() < 2 {
        return vec![tokens];
    }
    let mut found = Vec::new();
    let mut start = 0;
    for at in 0..tokens.len() {
        let joins = tokens[at].is_one_of("and|,|&|then");
        let mut next = at + 1;
        while tokens.get(next).is_some_and(|token| token.is_one_of("and|then|to")) {
            next += 1;
        }
        if joins && at > start + 1 && tokens.get(next..).is_some_and(begins) {
            found.push(&tokens[start..at]);
            start = next;
        }
    }
    found.push(&tokens[start..]);
    found
}
