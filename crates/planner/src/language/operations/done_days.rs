//! Determines the days on which a repeating record was done: "yesterday and the day before", "on Monday and Tuesday".

use chrono::{Datelike as _, Days, Months, NaiveDate};

use super::change::Changes;
use crate::language::clauses::topic::joined;
use crate::language::commands::target::TargetFilter;
use crate::language::text::numbers;
use crate::language::text::phrases::{after, after_any, has_any, without_marks};
use crate::language::text::tokens::Token;
use crate::language::values::dates;
use crate::language::{Question, Reader};
use crate::matching::Candidate;
use crate::operation::Operation;

const OPEN: TargetFilter = TargetFilter { done: false, goals: true };

impl Reader<'_> {
    /// Completes records on the named days, or today: "Tick X off for yesterday".
    pub fn complete_on(&self, target: &[Token], days: &[Token]) -> Changes {
        if without_marks(days).is_empty() {
            return self.complete(target, true);
        }
        match self.days_in(days) {
            Some(days) => self.completions(&self.resolve(target, OPEN)?, true, &days),
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

    /// Splits the days at the end of a target from it. With `alone` the target may consist of days only.
    pub(super) fn with_days(&self, target: &[Token], alone: bool) -> (Vec<Token>, Vec<NaiveDate>) {
        let is_ambiguous = (usize::from(!alone)..target.len())
            .find_map(|at| self.days_in(&target[at..]).filter(|days| days.len() > 1).map(|days| (&target[..at], days)));
        if let Some((words, days)) = is_ambiguous {
            return (words.to_vec(), days);
        }
        let (words, day) = self.with_day(target, alone);
        // "Finish the report by Sunday" is about a day to come.
        let is_to_come = has_any(&target[words.len()..], "by|until|till|before|in|next|coming|tomorrow");
        let past = |day| if is_to_come { day } else { self.past_day(day, target) };
        (words, day.map(past).into_iter().collect())
    }

    /// Recognises "Log meditating for last Sunday": completes a repeating record on a day.
    pub(in crate::language) fn logged(&self, clause: &[Token]) -> Option<Vec<Token>> {
        let rest = after_any(clause, "log|record")?;
        let (target, days) = self.with_days(rest, false);
        let found = self.resolve_named(&target, TargetFilter { done: false, goals: false }).ok()?;
        let repeats = found.iter().all(|of| self.item(of).is_ok_and(|item| item.recurrence.repeats()));
        let passed = days.iter().all(|day| *day <= self.today.date);
        (found.len() == 1 && repeats && passed).then(|| joined(&["complete"], rest, &[], &[]))
    }

    /// Returns the past day that the words mean: something done on Monday was done on the last Monday.
    pub(in crate::language) fn past_day(&self, day: NaiveDate, words: &[Token]) -> NaiveDate {
        let week = Days::new(7);
        // "For the 9th" means this month or the last one.
        let month_said = words.iter().any(|word| numbers::month(&word.lower).is_some());
        if let Some(earlier) = day.checked_sub_months(Months::new(1)).filter(|_| !month_said)
            && earlier <= self.today.date
            && earlier.day() == day.day()
            && day - week > self.today.date
        {
            return earlier;
        }
        if day > self.today.date && day - week <= self.today.date { day - week } else { day }
    }

    /// Parses days that make up the whole of `words`.
    fn days_in(&self, words: &[Token]) -> Option<Vec<NaiveDate>> {
        let mut rest = without_marks(words);
        let mut days: Vec<NaiveDate> = Vec::new();
        while !rest.is_empty() {
            let lead = after_any(rest, "for both|both|for|on").unwrap_or(rest);
            if let (Some(day), Some(following)) = (days.last(), after_any(lead, "the day before that|the day before")) {
                days.push(*day - Days::new(1));
                rest = following;
            } else {
                let (length, day) = dates::day(lead, self.today.date, true)?;
                days.push(self.past_day(day, &lead[..length]));
                rest = &lead[length..];
            }
            let joined = after_any(rest, ", and|and|,|&|plus|as well as");
            rest = match joined {
                Some(more) => more,
                None if rest.is_empty() || after(rest, "both").is_some_and(<[Token]>::is_empty) => break,
                None => return None,
            };
        }
        (!days.is_empty()).then_some(days)
    }

    /// Applies the last day to the completions before it, too: "Went for a run and meditated yesterday".
    pub(in crate::language) fn share_day(&self, operations: &mut [Operation], day: NaiveDate) -> Result<(), Question> {
        for operation in operations.iter_mut().filter(|one| one.occurrence_date.is_some()) {
            let item = operation.id.and_then(|id| self.state.item(operation.kind, id));
            let due = |item: &crate::record::Item| {
                item.scheduled_for.is_some_and(|anchor| item.recurrence.occurs_on(anchor, day))
            };
            if let Some(item) = item.filter(|item| !due(item)) {
                let text = format!("\"{}\" is not due on {day}. Which day of it is done?", item.title);
                return Err(Question::new(&text, vec![item.into()]));
            }
            operation.occurrence_date = Some(day);
        }
        Ok(())
    }
}
