//! Puts a clause into the word order of a command: the verb, the target, the rest.
//!
//! Input: a clause. Output: the clause that [`super::commands`] recognises, or the clause itself. Called by
//! [`super::reader`]. The rules that need only the words and the records' titles are in [`super::clauses`]; here are
//! those that try out which operations a command would make, and the order of all of them.

use std::ops::ControlFlow;

use super::Reader;
use super::clauses::topic::{joined, verb_of};
use super::commands::command::Command;
use super::commands::interpret::command;
use super::commands::target::TargetFilter;
use super::text::courtesy::plain;
use super::text::past_forms::{self, presents};
use super::text::phrases::{after_any, listed};
use super::text::tokens::Token;
use super::text::vocabulary::{MOVING, NOT_TO_DO};
use crate::matching;

impl Reader<'_> {
    /// Returns the clause in the word order of a command. Removes reasons and replaced values first, then applies the
    /// first rule that matches, so their order matters; returns the cleaned clause if none does.
    pub(super) fn in_order(&self, clause: &[Token]) -> Vec<Token> {
        let clause = match self.cleaned(clause) {
            ControlFlow::Break(command) => return command,
            ControlFlow::Continue(clause) => clause,
        };
        self.not_to_do(&clause)
            .or_else(|| self.wish_to_change(&clause))
            .or_else(|| self.moved_by_owner(&clause))
            .or_else(|| self.led_by_topic(&clause))
            .or_else(|| self.logged(&clause))
            .or_else(|| self.stated(&clause))
            .unwrap_or(clause)
    }

    /// Returns the record whose title words are all in the statement, if the next clause is a command on "it": "Sara
    /// can't make lunch, so cancel it". `None` if the clause is a command itself.
    pub(super) fn mentioned(&self, clause: &[Token], next: &[Token]) -> Option<i64> {
        let (clause, next) = (plain(clause), plain(next));
        let on_pronoun = verb_of(next)
            .is_some_and(|verb| next.get(verb.len()).is_some_and(|word| word.is_one_of("it|that|this|them")));
        let is_bare = matches!(command(clause, self.today), Command::Create { certain: false, .. });
        if !on_pronoun || !is_bare || verb_of(clause).is_some() {
            return None;
        }
        let clause_words = matching::tokens(&self.text(clause));
        let candidates = self.state.candidates(self.today.date, false);
        let named: Vec<_> =
            candidates.filter(|one| matching::coverage(&matching::tokens(one.title), &clause_words) >= 1.0).collect();
        let in_order = self.in_order(clause) == clause;
        matches!(named[..], [_]).then(|| named[0].id).filter(|_| in_order)
    }

    /// Recognises "don't buy milk today", where buying milk is open: it may be for deletion, also if it is on another
    /// day. Else it is the title of a todo: "don't eat sugar".
    fn not_to_do(&self, clause: &[Token]) -> Option<Vec<Token>> {
        let rest = after_any(clause, NOT_TO_DO).filter(|rest| !rest.is_empty())?;
        let (named, _) = self.with_day(rest, false);
        let is_known = self.is_one(rest) || self.matches_any_title(&named);
        // A day of a series cannot be deleted, which is said only with the day.
        let found = self.resolve_named(&named, TargetFilter { done: false, goals: false }).unwrap_or_default();
        let is_single = |of: &matching::Candidate<'_>| self.item(of).is_ok_and(|item| !item.recurrence.repeats());
        let target = if !self.is_one(rest) && found.iter().all(is_single) { &named } else { rest };
        // What a goal says may be done otherwise: "don't read in bed".
        (is_known && !found.is_empty() && !self.is_one(clause)).then(|| joined(&["delete"], target, &[], &[]))
    }

    /// Recognises "I need to move lunch with Sara to Friday", "how about moving it": a change of an existing record,
    /// not a new todo.
    fn wish_to_change(&self, clause: &[Token]) -> Option<Vec<Token>> {
        let rest = after_any(
            clause,
            "i need to|i have to|i'd like to|i would like to|i want to|we need to|we have to|i've got to|we've got to|\
                i must|need to|have to|\
            i'll have to|we'll have to|i'm going to have to|i'd love to|we want to|we'd like to|we must|how about|\
            what about|i'd rather|i think we should|\
            i'm afraid i have to|i'm afraid i need to|it'd be better to|it would be better to|better to|time to|\
            i've decided to|we've decided to|let me",
        )?;
        verb_of(rest).or_else(|| after_any(rest, "swap|exchange|call off"))?;
        let command = command(rest, self.today);
        let changes = matches!(
            command,
            Command::Move { .. }
                | Command::Place { .. }
                | Command::Delete { .. }
                | Command::Rename { .. }
                | Command::Prioritise { .. }
                | Command::Repeat { .. }
                | Command::Swap { .. }
                | Command::End { .. }
                | Command::Change { .. }
        );
        (changes && self.changes_existing(command)).then(|| rest.to_vec())
    }

    /// Recognises "I've moved the dentist appointment to Thursday", "we agreed to push the report to Monday".
    fn moved_by_owner(&self, clause: &[Token]) -> Option<Vec<Token>> {
        const DECIDED: &str = "i had to|we had to|i've had to|we've had to|we agreed to|we've agreed to|i agreed to|\
            i decided to|we decided to|\
            we're going to|i'm going to|i am going to|we are going to|i managed to|i was able to|it was decided to|\
            they asked me to|i was asked to";
        let rest = after_any(clause, DECIDED).or_else(|| after_any(clause, past_forms::SUBJECTS))?;
        let (verb, following) = rest.split_first().filter(|(verb, _)| !verb.quoted)?;
        let moves = |base: &str| listed(&MOVING, base) || base == "rename";
        let bases = [presents(&verb.lower), vec![verb.lower.clone()]].concat();
        let base = bases.into_iter().find(|base| moves(base))?;
        let turned = joined(&[&base], following, &[], &[]);
        let command = command(&turned, self.today);
        let changes = matches!(command, Command::Move { .. } | Command::Rename { .. } | Command::Swap { .. });
        (changes && self.changes_existing(command)).then_some(turned)
    }

    /// Returns whether the command can be carried out, and only on records that exist.
    fn changes_existing(&self, command: Command<'_>) -> bool {
        self.carry_out(command).is_ok_and(|made| made.iter().all(|one| one.id.is_some()))
    }
}
