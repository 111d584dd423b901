//! Builds operations that complete or reopen records, on the days that the words name.

use chrono::NaiveDate;

use super::change::Changes;
use super::done_days::without_done;
use crate::language::commands::target::TargetFilter;
use crate::language::text::phrases::without_marks;
use crate::language::text::tokens::Token;
use crate::language::{Question, Reader};
use crate::matching::Candidate;
use crate::operation::{Action, Operation};
use crate::record::{GoalStatus, Item, Kind};

const WITH_GOALS: TargetFilter = TargetFilter { done: false, goals: true };

impl Reader<'_> {
    /// Completes or reopens records. For a repeating record this affects one day, today's if no other is named.
    pub fn complete(&self, target: &[Token], done: bool) -> Changes {
        let (words, days) = self.with_days(target, false);
        let words = if days.len() > 1 { without_done(&words) } else { &words };
        self.completions(&self.resolve(words, TargetFilter { done: !done, goals: done })?, done, &days)
    }

    /// Completes records on the named days, or today: "Tick X off for yesterday".
    pub fn complete_on(&self, target: &[Token], days: &[Token]) -> Changes {
        if without_marks(days).is_empty() {
            return self.complete(target, true);
        }
        match self.days_in(days) {
            Some(days) => self.completions(&self.resolve(target, WITH_GOALS)?, true, &days),
            None => self.complete(&[target, days].concat(), true),
        }
    }

    /// Completes or reopens each record on each of the days.
    pub(in crate::language) fn completions(&self, found: &[Candidate<'_>], done: bool, days: &[NaiveDate]) -> Changes {
        let mut made: Vec<Operation> = Vec::new();
        for of in found {
            if days.is_empty() {
                made.push(self.completion(of, done, None)?);
            }
            for day in days {
                let operation = self.completion(of, done, Some(*day))?;
                // A record that does not repeat is completed once.
                if !made.contains(&operation) {
                    made.push(operation);
                }
            }
        }
        Ok(made)
    }

    /// Completes or reopens one record.
    fn completion(&self, of: &Candidate<'_>, done: bool, day: Option<NaiveDate>) -> Result<Operation, Question> {
        if of.kind == Kind::Goal {
            let mut operation = Operation::new(of.kind, Action::Update, Some(of.id));
            operation.status = Some(GoalStatus::Completed);
            return Ok(operation);
        }
        let item = self.item(of)?;
        if day.is_some_and(|day| day > self.today.date) {
            let text = if done {
                format!("Is \"{}\" done already, or should it be moved to another day?", of.title)
            } else {
                format!("That day of \"{}\" is still to come. Which day of it is not done?", of.title)
            };
            return Err(Question::new(&text, vec![of.option()]));
        }
        let action = if item.recurrence.repeats() { Action::CompleteOccurrence } else { Action::Complete };
        let mut operation = Operation::new(of.kind, action, Some(of.id));
        operation.completed = (!done).then_some(false);
        if action == Action::CompleteOccurrence {
            operation.occurrence_date = Some(self.occurrence(item, day)?);
        }
        Ok(operation)
    }

    fn occurrence(&self, item: &Item, day: Option<NaiveDate>) -> Result<NaiveDate, Question> {
        let due = |day| item.scheduled_for.is_some_and(|anchor| item.recurrence.occurs_on(anchor, day));
        match day {
            Some(day) if due(day) => Ok(day),
            None if due(self.today.date) => Ok(self.today.date),
            None => {
                let last = item.scheduled_for.and_then(|anchor| item.recurrence.last_until(anchor, self.today.date));
                last.ok_or_else(|| none_has_come(item))
            }
            Some(day) => {
                let text = format!("\"{}\" is not due on {day}. Which day of it is done?", item.title);
                Err(Question::new(&text, vec![item.into()]))
            }
        }
    }
}

/// Explains that nothing is done of a repeating record of which no day has come.
fn none_has_come(item: &Item) -> Question {
    let begins = item.scheduled_for.map(|day| format!("begins on {day}, so ")).unwrap_or_default();
    let text = format!(
        "\"{}\" {begins}none of its days has come yet. Say it on one of its days, or move it to an \
         earlier day first.",
        item.title
    );
    Question::new(&text, Vec::new())
}
