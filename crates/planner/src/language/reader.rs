//! Reads a sentence clause by clause: what each comes to, with what those before it have said.
//!
//! Comes in: the words of a sentence. Goes out: its [`Reading`]. Called by [`super::read`].

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

/// How far a sentence is read.
#[derive(Debug, Default)]
struct Course {
    operations: Vec<Operation>,
    /// A clause of things to do stands before, so that "and cancel the card" may be one more.
    to_do: bool,
    /// The clause before says what was done.
    said_done: bool,
    /// So many operations at the end say what was done, without a day.
    undated: usize,
}

impl Reader<'_> {
    pub(super) fn read(mut self, tokens: &[Token]) -> Reading {
        let clauses = clauses(tokens);
        if clauses.is_empty() && tokens.iter().any(|token| !token.is_mark()) {
            // Courtesies alone.
            return Reading::Chat;
        }
        let mut course = Course::default();
        for (at, clause) in clauses.iter().enumerate() {
            if let Some(id) = clauses.get(at + 1).and_then(|next| self.mentioned(clause, next)) {
                self.before = Some(id);
                continue;
            }
            if let Some(reason) = clauses.get(at + 1).and_then(|next| self.reason(clause, next)) {
                self.before = reason.named.or(self.before);
                self.spoken_of = reason.named;
                continue;
            }
            let said = courtesy::plain(clause);
            let clause = self.in_order(said);
            if course.operations.last_mut().is_some_and(|last| self.amend(&clause, last)) {
                continue;
            }
            let read = match self.clause(&clause, &mut course) {
                Some(read) => read.and_then(|made| {
                    self.check_one_or_all(tokens, said, &made)?;
                    self.check_new_change(said, &made)?;
                    self.check_certain(tokens, said, &made)?;
                    self.take_in(&clause, made, &mut course)
                }),
                None => return Reading::Chat,
            };
            if let Err(question) = read {
                return Reading::Clarify(question);
            }
        }
        self.plan(course.operations)
    }

    /// What one clause comes to; `None` where it is talk and nothing stands before.
    fn clause(&self, clause: &[Token], course: &mut Course) -> Option<Changes> {
        if let Some(changes) = self.end_of_repetition(clause).or_else(|| self.goal_change(clause)) {
            return Some(changes);
        }
        let command = command(clause, self.today);
        if command == Command::Chat && course.operations.is_empty() {
            return None;
        }
        let goes_on = course.to_do && !course.operations.is_empty();
        course.to_do |= matches!(command, Command::Create { kind: Some(Kind::Todo), certain: true, .. });
        Some(self.operations(clause, command, goes_on, course.said_done))
    }

    /// Puts what a clause comes to behind what those before it did.
    fn take_in(&mut self, clause: &[Token], made: Vec<Operation>, course: &mut Course) -> Result<(), Question> {
        self.before = made.last().and_then(|operation| operation.id);
        self.spoken_of = None;
        let day = self.day_done(clause, &made);
        course.said_done = !made.is_empty() && made.iter().all(is_completion);
        if !course.said_done {
            course.undated = 0;
        } else if let Some(day) = day {
            let start = course.operations.len() - course.undated;
            self.share_day(&mut course.operations[start..], day)?;
            course.undated = 0;
            self.day_before = Some(day);
        }
        for operation in made {
            // "Tom called off our meeting, delete it" says the same twice.
            if operation.id.is_none() || !course.operations.contains(&operation) {
                course.undated += usize::from(course.said_done && day.is_none() && self.day_before.is_none());
                course.operations.push(operation);
            }
        }
        if !course.said_done {
            self.day_before = None;
        }
        Ok(())
    }

    /// The one day that a clause says of what was done.
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
