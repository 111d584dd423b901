//! Repeats a verb that applies to several records: "move Anna to Tuesday and Tom to Wednesday", "add a goal to … and a
//! habit to …".
//!
//! Input: the words of a sentence. Output: the same with the verb before each part that it applies to. Called by
//! [`crate::language::read`].

use super::split::begins_command;
use crate::language::Today;
use crate::language::commands::command::Destination;
use crate::language::commands::moving::destination;
use crate::language::text::courtesy::plain;
use crate::language::text::phrases::{after_any, listed};
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary::{ADDING, EVENTS, MOVING, ROOMS, TO_DO, begins_with_task_verb, kind_noun};
use crate::language::values::priorities::level;
use crate::language::values::when::When;

/// Adjectives before a noun for a kind.
const ADJECTIVES: &str = "new|daily|weekly|recurring|quick|weekday|high|low|priority|small|fortnightly|calendar";

/// Words between the parts of a list.
const JOINERS: &str = "and|,|&|plus|then";

/// Phrases before the name of a record that gets another priority.
const PRIORITY_OF: &str = "set the priority of|set priority of|change the priority of|change priority of|\
    raise the priority of|raise priority of|lower the priority of|lower priority of|make the priority of";

/// Returns the sentence with the verb before each part.
#[must_use]
pub fn with_repeated_verbs(tokens: &[Token], today: Today) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut start = 0;
    // The verb that was put before `start`, which may apply to the next part as well.
    let mut verb: Vec<Token> = Vec::new();
    for at in 0..tokens.len() {
        found.push(tokens[at].clone());
        if tokens[at].is_one_of(";|.|!|?") {
            (start, verb) = (at + 1, Vec::new());
        }
        let rest = &tokens[at + 1..];
        let joins = tokens[at].is_one_of("and|,|&|plus") && at > start;
        if !joins || rest.first().is_none_or(|next| next.is_one_of("and|then|&|to")) || begins_command(rest) {
            continue;
        }
        let part = rest.split(|token| token.is_one_of("and|,|;|.|&|!|?")).next().unwrap_or(rest);
        let in_list = tokens[at].is(",");
        let before = [&verb[..], plain(&tokens[start..at])].concat();
        if let Some(lead) = repeated(&before, part, today, in_list) {
            found.extend_from_slice(&lead);
            (start, verb) = (at + 1, lead);
        }
    }
    found
}

/// Returns the part with the verb of the words before it, if that applies to the part as well.
fn repeated(before: &[Token], part: &[Token], today: Today, in_list: bool) -> Option<Vec<Token>> {
    if let Some(rest) = after_any(before, &ADDING).or_else(|| after_any(before, "i want|i'd like|i need|make")) {
        let adds = names_kind(part) && names_kind(rest);
        return adds.then(|| before[..before.len() - rest.len()].to_vec());
    }
    if let Some(rest) = after_any(before, PRIORITY_OF)
        && names_level(rest)
        && names_level(part)
    {
        return Some(before[..before.len() - rest.len()].to_vec());
    }
    if let Some(verb) = verb_of_doing(before, part, today).filter(|_| !in_list) {
        return Some(verb);
    }
    let rest = after_any(before, &MOVING)?;
    let moves = |words: &[Token]| {
        let has_preposition = words.iter().any(|word| word.is_one_of("to|until|till|by|for"));
        let (target, to) = destination(words, today);
        has_preposition && !target.is_empty() && !matches!(to, Destination::Nowhere | Destination::NoDate)
    };
    (moves(rest) && moves(part)).then(|| before[..before.len() - rest.len()].to_vec())
}

/// Returns the verb, with its particle or preposition, if each part has its own day or time: "Call mum tonight and dad
/// tomorrow", "pick up the kids at 3 and the parcel at 4".
fn verb_of_doing(before: &[Token], part: &[Token], today: Today) -> Option<Vec<Token>> {
    const PARTICLES: &str = "up|off|out|in|on|over|back|away|down|round|to|with|for|at|after|by";
    let before = after_any(before, &TO_DO).unwrap_or(before);
    let before = last_task(before, today)?;
    let verb = before.first().filter(|_| !begins_with_task_verb(part))?;
    let (first, second) = (When::read(before, today), When::read(part, today));
    let has_time = |words: &[Token], when: &When| {
        let is_named = named(words, when).next().is_some();
        let ends_in_time = when.used.first() == Some(&false) && when.used.last() == Some(&true);
        (when.date.is_some() || when.time.is_some()) && when.repeat.is_none() && is_named && ends_in_time
    };
    let changes =
        listed(&MOVING, &verb.lower) || verb.is_one_of("cancel|mark|make|set|change|put|tick|complete|schedule|book");
    // The day of the first part may be that of the second one, which says none.
    let lacks_day = first.date.is_some() && second.date.is_none();
    if changes || lacks_day || !has_time(before, &first) || !has_time(part, &second) {
        return None;
    }
    let is_particle = |at: &usize| before[*at].is_one_of(PARTICLES) && !first.used[*at];
    let length = 1 + (1..before.len()).take_while(is_particle).count();
    has_like_object(&before[length..], part, today).then(|| before[..length].to_vec())
}

/// Returns the words from the last task on: of "call Ann at 9, email Bob at 10" those about Bob. `None` if it has
/// several parts with a day or time, since it is then unclear what the verb is about: "call Ann at 9, Bob at 10".
fn last_task(before: &[Token], today: Today) -> Option<&[Token]> {
    let begins = |at: &usize| *at == 0 || before[at - 1].is_one_of(JOINERS);
    let at = (0..before.len()).rfind(|at| begins(at) && begins_with_task_verb(&before[*at..]))?;
    let task = &before[at..];
    let is_timed = |part: &&[Token]| {
        let when = When::read(part, today);
        when.has_schedule() && named(part, &when).next().is_some()
    };
    (task.split(|token| token.is_one_of(JOINERS)).filter(is_timed).count() < 2).then_some(task)
}

/// Returns whether the verb of the one object can be that of the other, too: both are names or neither is, and the
/// other is no event or place unless the one is. In "call Ann at 9 and gym at 6" the gym is not called.
fn has_like_object(one: &[Token], other: &[Token], today: Today) -> bool {
    let first = |words: &[Token]| named(words, &When::read(words, today)).next().cloned();
    let is_described = |words: &[Token]| first(words).is_some_and(|word| word.is_one_of("the|my|our|a|an|his|her"));
    let is_name = |words: &[Token]| first(words).is_some_and(|word| word.text.starts_with(char::is_uppercase));
    let is_event = |words: &[Token]| {
        named(words, &When::read(words, today)).any(|word| listed(&EVENTS, &word.lower) || listed(ROOMS, &word.lower))
    };
    let names_alike = is_described(one) || is_name(one) == is_name(other);
    is_described(other) || names_alike && (is_event(one) || !is_event(other))
}

/// Returns the words that are neither a mark nor part of a day or time.
fn named<'t>(words: &'t [Token], when: &'t When) -> impl Iterator<Item = &'t Token> {
    words.iter().zip(&when.used).filter(|(word, used)| !**used && !word.is_mark()).map(|(word, _)| word)
}

/// Matches "buy milk to high".
fn names_level(words: &[Token]) -> bool {
    matches!(words, [_, .., to, word] if to.is_one_of("to|:|=") && !word.quoted && level(&word.lower).is_some())
}

/// Returns whether the words begin with a noun for a kind: "a daily habit to …".
fn names_kind(words: &[Token]) -> bool {
    let Some(mut rest) = after_any(words, "a|an|the|another|one") else { return false };
    while rest.first().is_some_and(|word| word.is_one_of(ADJECTIVES)) {
        rest = &rest[1..];
    }
    rest.first().is_some_and(|noun| !noun.quoted && kind_noun(&noun.lower).is_some())
}
