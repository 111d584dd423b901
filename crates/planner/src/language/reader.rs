//! Reads a sentence clause by clause, each in the context of the clauses before it.
//!
//! Input: the words of a sentence. Output: its [`Reading`]. Called by [`super::read`].

use chrono::NaiveDate;

use super::change::Changes;
use super::clauses::clauses;
use super::command::Command;
use super::interpret::command;
use super::tokens::Token;
use super::when::When;
use super::{Question, Reader, Reading, courtesy};
use crate::operation::{Action, Operation};
use crate::record::Kind;

/// State of reading a sentence, after some of its clauses.
#[derive(Debug, Default)]
struct ParseProgress {
    operations: Vec<Operation>,
    /// Whether a clause before was a todo, so that "and cancel the card" may be another one.
    follows_todo: bool,
    /// Whether the clause before reports something done.
    follows_completion: bool,
    /// Number of completions at the end of `operations` that have no day yet.
    undated_completions: usize,
}

impl Reader<'_> {
    pub(super) fn read(mut self, tokens: &[Token]) -> Reading {
        let clauses = clauses(tokens);
        if clauses.is_empty() && tokens.iter().any(|token| !token.is_mark()) {
            // The sentence contains only courtesies.
            return Reading::Chat;
        }
        self.is_only_clause = clauses.len() == 1;
        let mut progress = ParseProgress::default();
        for (at, clause) in clauses.iter().enumerate() {
            if let Some(id) = clauses.get(at + 1).and_then(|next| self.mentioned(clause, next)) {
                self.previous_id = Some(id);
                continue;
            }
            if let Some(reason) = clauses.get(at + 1).and_then(|next| self.reason(clause, next)) {
                self.previous_id = reason.named.or(self.previous_id);
                self.mentioned_id = reason.named;
                continue;
            }
            let plain_clause = courtesy::plain(clause);
            let clause = self.in_order(plain_clause);
            if progress.operations.last_mut().is_some_and(|last| self.amend(&clause, last)) {
                continue;
            }
            let read = match self.clause(&clause, &mut progress) {
                Some(read) => read.and_then(|made| {
                    self.check_one_or_all(plain_clause, &made)?;
                    self.check_new_change(plain_clause, &made)?;
                    self.check_certain(tokens, plain_clause, &made)?;
                    self.take_in(&clause, made, &mut progress)
                }),
                None => return Reading::Chat,
            };
            if let Err(question) = read {
                return Reading::Clarify(question);
            }
        }
        self.plan(progress.operations)
    }

    /// Interprets one clause. Returns `None` if it is only talk and no clause before it made an operation.
    fn clause(&self, clause: &[Token], progress: &mut ParseProgress) -> Option<Changes> {
        if let Some(changes) = self.end_of_repetition(clause).or_else(|| self.goal_change(clause)) {
            return Some(changes);
        }
        let command = command(clause, self.today);
        if command == Command::Chat && progress.operations.is_empty() {
            return None;
        }
        let follows_todo = progress.follows_todo && !progress.operations.is_empty();
        progress.follows_todo |= matches!(command, Command::Create { kind: Some(Kind::Todo), certain: true, .. });
        Some(self.operations(clause, command, follows_todo, progress.follows_completion))
    }

    /// Appends the operations of a clause to those of the clauses before it.
    fn take_in(
        &mut self,
        clause: &[Token],
        made: Vec<Operation>,
        progress: &mut ParseProgress,
    ) -> Result<(), Question> {
        self.previous_id = made.last().and_then(|operation| operation.id);
        self.mentioned_id = None;
        let day = self.day_done(clause, &made);
        progress.follows_completion = !made.is_empty() && made.iter().all(is_completion);
        if !progress.follows_completion {
            progress.undated_completions = 0;
        } else if let Some(day) = day {
            let start = progress.operations.len() - progress.undated_completions;
            self.share_day(&mut progress.operations[start..], day)?;
            progress.undated_completions = 0;
            self.completion_day = Some(day);
        }
        for operation in made {
            // "Tom called off our meeting, delete it" asks for the same twice.
            if operation.id.is_none() || !progress.operations.contains(&operation) {
                progress.undated_completions +=
                    usize::from(progress.follows_completion && day.is_none() && self.completion_day.is_none());
                progress.operations.push(operation);
            }
        }
        if !progress.follows_completion {
            self.completion_day = None;
        }
        Ok(())
    }

    /// Returns the day of the completions in a clause, if it names exactly one.
    fn day_done(&self, clause: &[Token], made: &[Operation]) -> Option<NaiveDate> {
        let day = When::read(clause, self.today).date?;
        made.iter()
            .all(|one| {
                is_completion(one) && one.occurrence_date.is_none_or(|known| known == self.past_day(day, clause))
            })
            .then(|| self.past_day(day, clause))
    }
}

fn is_completion(operation: &Operation) -> bool {
    matches!(operation.action, Action::Complete | Action::CompleteOccurrence) && operation.completed.is_none()
}
