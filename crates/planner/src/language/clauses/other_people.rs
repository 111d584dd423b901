//! Rewrites what other people say or ask: "Tom has to push our meeting to Monday", "Anna can only do Friday", "Sara's
//! ill, so cancel lunch".
//!
//! Input: a clause. Output: the clause as a command on the record whose title names the person, or a reason without a
//! command.

use super::topic::{joined, verb_of};
use crate::language::Reader;
use crate::language::commands::command::Command;
use crate::language::commands::interpret::command;
use crate::language::commands::target;
use crate::language::text::courtesy::plain;
use crate::language::text::past_forms::presents;
use crate::language::text::phrases::{self, after_any, before_end, has_any, listed};
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary::{self, MOVING, WHY, begins_with_task_verb};
use crate::language::text::words::{WordList, word_list};
use crate::language::values::shift::Shift;
use crate::language::values::when::When;

/// Words between a person and the verb of their request.
static WANTING: WordList = WordList::new(|| word_list(include_str!("../words/wanting.txt")));

/// Verbs with which people propose another time.
const DOING_WHEN: &str = "do|make|meet|come|have|manage|see|meeting|it|be|for|do it|make it|have it|meet up|doing|\
    prefers|prefer|suggests|suggested|\
    proposes|proposed|wants|offered|asked for|at|on|by";

/// Phrases that give another time for the record just mentioned.
const INSTEAD: &str = "due|due on|due by|let's do|lets do|let's make it|let's say|let's go for|let's have it|make it|\
    how about|what about|can we do|could we do|\
    can we make it|could we make it|we'll do|we could do|so let's do|better|rather|do|say|we're doing|\
    let's move it to|move to|we're now doing|\
    now|we said|we agreed on|let's try|we settled on";

/// Maximum number of words of a name.
const MAX_NAME_WORDS: usize = 2;

/// A clause that only gives a reason.
#[derive(Debug, Clone, Copy)]
pub(in crate::language) struct Reason {
    /// Record that it names.
    pub named: Option<i64>,
}

impl Reader<'_> {
    /// Recognises "Tom has to push our meeting to Monday", "Anna can only do 4pm".
    pub(super) fn wanted_by(&self, clause: &[Token]) -> Option<Vec<Token>> {
        (1..=MAX_NAME_WORDS.min(clause.len().saturating_sub(2))).find_map(|at| {
            let (who, rest) = clause.split_at(at);
            let wanting = rest.iter().take_while(|word| word.is_one_of(&WANTING)).count();
            let is_person = !who[0].is_one_of("i|we|i'm|i've|you|it|that|this|there") && self.is_one(who);
            if !is_person || verb_of(who).is_some() || begins_with_task_verb(who) {
                return None;
            }
            (0..=wanting).rev().find_map(|skipped| {
                self.pushed(who, &rest[skipped..]).or_else(|| self.at_time(who, &rest[skipped..], skipped))
            })
        })
    }

    /// Recognises "push our meeting to Monday", said by `who`.
    fn pushed(&self, who: &[Token], rest: &[Token]) -> Option<Vec<Token>> {
        let (verb, what) = rest.split_first()?;
        let moves = |word: &str| listed(&MOVING, word) && !listed("bring|pull|pop|carry|kick|assign|drag", word);
        if verb.quoted || !(moves(&verb.lower) || presents(&verb.lower).iter().any(|base| moves(base))) {
            return None;
        }
        let at = (0..what.len()).find(|at| self.is_destination(&what[*at..]))?;
        let (object, to) = what.split_at(at);
        let both = [object, who].concat();
        let target = if self.is_one(&both) {
            &both[..]
        } else {
            Some(object).filter(|object| self.is_one(object)).or(Some(who)).filter(|_| is_pronoun(object))?
        };
        self.is_one(target).then(|| joined(&["move"], target, &[], to))
    }

    fn is_destination(&self, words: &[Token]) -> bool {
        let to = after_any(words, "to|until|till|for|on|by");
        let read = |words: &[Token]| {
            let when = When::read_after("at", words, self.today);
            when.has_schedule()
                && when.repeat.is_none()
                && !when.is_ambiguous
                && when.used.iter().rev().take(words.len()).all(|used| *used)
        };
        Shift::read(words).is_some() || to.is_some_and(read)
    }

    /// Recognises "only do Tuesday at 2", "would prefer 4pm": nothing but another time. `request_length` is the number
    /// of words for the request before it.
    fn at_time(&self, who: &[Token], rest: &[Token], request_length: usize) -> Option<Vec<Token>> {
        let when = after_any(rest, DOING_WHEN)?;
        let when = before_end(when, "instead|now|please|rather").unwrap_or(when);
        // "Sara would prefer Friday for lunch".
        let object = phrases::around(when, "for|for our").filter(|(_, object)| self.is_one(&[object, who].concat()));
        let when = object.map_or(when, |(when, _)| when);
        let read = When::read_after("at", when, self.today);
        let whole = !when.is_empty() && read.used.iter().rev().take(when.len()).all(|used| *used);
        let is_only_schedule =
            read.has_schedule() && whole && read.repeat.is_none() && !read.is_ambiguous && !read.vague;
        (is_only_schedule && request_length > 0 && !has_any(rest, "not|can't"))
            .then(|| joined(&["move"], who, &["to"], when))
    }

    /// Recognises "Let's do Friday" after "Sara can't do Thursday".
    pub(super) fn instead_of_it(&self, clause: &[Token]) -> Option<Vec<Token>> {
        self.context.previous_id?;
        let when = after_any(clause, INSTEAD)?;
        let when = before_end(when, "instead|then|please").unwrap_or(when);
        let read = When::read_after("at", when, self.today);
        let is_only_schedule =
            read.has_schedule() && read.used.iter().rev().take(when.len()).all(|used| *used) && read.repeat.is_none();
        is_only_schedule.then(|| joined(&["move"], &[Token::made("it")], &["to"], when))
    }

    /// Recognises a clause that only gives a reason, if a change follows: "Sara's ill, so cancel lunch".
    pub(in crate::language) fn reason(&self, clause: &[Token], next: &[Token]) -> Option<Reason> {
        let (clause, next) = (plain(clause), plain(next));
        // "We're out of milk, add oat milk to the list".
        let lacks = after_any(
            clause,
            "we're out of|i'm out of|we've run out of|i've run out of|there's no more|\
            we ran out of|we're low on|i'm running low on",
        );
        if lacks.is_some() && after_any(next, &vocabulary::ADDING).is_some() {
            return Some(Reason { named: None });
        }
        let is_bare =
            matches!(command(clause, self.today), Command::Create { certain: false, .. } | Command::Move { .. });
        let on_change = verb_of(next).is_some() || after_any(next, INSTEAD).is_some();
        if !has_any(clause, WHY) || !is_bare || !on_change || begins_with_task_verb(clause) || verb_of(clause).is_some()
        {
            return None;
        }
        let subject =
            clause.iter().take_while(|word| !word.is_one_of(WHY) && !word.is_one_of("is|are|was|has|that")).count();
        let found = self.resolve_named(&clause[..subject], target::TargetFilter { done: false, goals: false });
        let named = found.ok().filter(|found| found.len() == 1).map(|found| found[0].id);
        // A statement with a time is more than a reason, unless it cancels the time.
        let names_time = When::read(clause, self.today).has_schedule();
        (!names_time || named.is_some()).then_some(Reason { named })
    }
}

fn is_pronoun(words: &[Token]) -> bool {
    matches!(words, [one] if one.is_one_of("it|that|this|us")) || words.is_empty()
}
