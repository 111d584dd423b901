//! Determines the days on which a record was done: "yesterday and the day before", "on Monday and Tuesday".
//!
//! Input: the words of a completion. Output: the days, and the words of the record. Called by [`super::complete`] and
//! [`super::past`].

use chrono::{Datelike as _, Days, Months, NaiveDate};

use crate::language::clauses::topic::joined;
use crate::language::commands::target::TargetFilter;
use crate::language::text::phrases::{after, after_any, has_any, without_marks};
use crate::language::text::tokens::Token;
use crate::language::values::dates;
use crate::language::values::when::When;
use crate::language::{Question, Reader, Today};
use crate::operation::Operation;

impl Reader<'_> {
    /// Splits the days at the end of a target from it. With `alone` the target may consist of days only.
    pub(super) fn with_days(&self, target: &[Token], alone: bool) -> (Vec<Token>, Vec<NaiveDate>) {
        let is_ambiguous = (usize::from(!alone)..target.len())
            .find_map(|at| self.days_in(&target[at..]).filter(|days| days.len() > 1).map(|days| (&target[..at], days)));
        if let Some((words, days)) = is_ambiguous {
            return (words.to_vec(), days);
        }
        let (words, day) = self.with_day(target, alone);
        let day = day.map(|day| self.past_day(day, &target[words.len()..]));
        (words, day.into_iter().collect())
    }

    /// Splits "… for yesterday" and the words of completion from a target. With `alone` the target may consist of the
    /// day only.
    pub(in crate::language) fn with_day(&self, target: &[Token], alone: bool) -> (Vec<Token>, Option<NaiveDate>) {
        let when = When::read(target, self.today);
        let Some(day) = when.date.filter(|_| !when.is_ambiguous) else { return (target.to_vec(), None) };
        let first = when.used.iter().position(|used| *used).unwrap_or(target.len());
        if (first == 0 && !alone)
            || !when.used[first..].iter().all(|used| *used) && !trailing_done(&target[first..], &when.used[first..])
        {
            return (target.to_vec(), None);
        }
        (without_done(&target[..first]).to_vec(), Some(day))
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

    /// Returns the past day that the words of a day mean: something done on Monday was done on the last Monday, and
    /// "the 9th" is that of this month or the last one. A day without its year is the nearer one, so that on 29
    /// November "27 November" has passed and "1 December" is to come. A day that is to come stays as it is, and is
    /// asked about.
    pub(in crate::language) fn past_day(&self, day: NaiveDate, words: &[Token]) -> NaiveDate {
        let today = self.today.date;
        // "Finish the report by Sunday" is about a day to come.
        if day <= today || has_any(words, "by|until|till|before|in|next|coming|tomorrow") {
            return day;
        }
        let read_on = |date: Option<NaiveDate>| {
            let earlier = Today { date: date?, ..self.today };
            When::read_after("on", words, earlier).date
        };
        // "Three days from now" is equally far ahead on each day.
        if read_on(today.pred_opt()) == day.pred_opt() {
            return day;
        }
        let past = |date: Option<NaiveDate>| read_on(date).filter(|read| *read <= today);
        let in_week = past(today.checked_sub_days(Days::new(7)));
        let in_month = past(today.checked_sub_months(Months::new(1))).filter(|read| read.day() == day.day());
        let in_year = past(today.checked_sub_months(Months::new(12))).filter(|read| today - *read < day - today);
        in_week.or(in_month).or(in_year).unwrap_or(day)
    }

    /// Parses days that make up the whole of `words`.
    pub(super) fn days_in(&self, words: &[Token]) -> Option<Vec<NaiveDate>> {
        let mut rest = without_marks(words);
        let mut days: Vec<NaiveDate> = Vec::new();
        while !rest.is_empty() {
            let lead = after_any(rest, "for both|both|for|on").unwrap_or(rest);
            if let (Some(day), Some(following)) = (days.last(), after_any(lead, "the day before that|the day before")) {
                days.push(day.pred_opt()?);
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

const DONE_WORDS: &str = "as|done|complete|completed|finished|not|undone|is";

/// Returns the words without "as done" at the end.
pub(super) fn without_done(mut words: &[Token]) -> &[Token] {
    while let Some((_, rest)) = words.split_last().filter(|(last, rest)| last.is_one_of(DONE_WORDS) && !rest.is_empty())
    {
        words = rest;
    }
    words
}

fn trailing_done(words: &[Token], used: &[bool]) -> bool {
    words.iter().zip(used).all(|(word, used)| *used || word.is_one_of(DONE_WORDS) || word.is_mark())
}
