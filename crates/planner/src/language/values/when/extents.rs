//! Parses the extent of a repetition: "for the next five days", "every day next week", "every Monday in April", "six
//! times".

use chrono::{Datelike as _, NaiveDate, Weekday};

use super::{When, on_or_after};
use crate::language::Today;
use crate::language::text::numbers::{count, month};
use crate::language::text::phrases::after_any;
use crate::language::text::tokens::Token;
use crate::language::values::day_arithmetic::{Phrase, monday, next_date, plus, word};
use crate::language::values::repeats::Repeat;
use crate::language::values::spans::{Span, date_span};
use crate::recurrence::Rule;

/// Nouns for what takes place several times.
const OCCURRENCES: &str = "times|sessions|lessons|occurrences|classes|evenings";

/// First and last day.
type DateRange = (NaiveDate, NaiveDate);

impl When {
    /// Parses "for the next five days", which means daily if there is no rule; "every day next week", "daily in April".
    pub(super) fn read_extent(&mut self, rest: &[Token], today: Today) -> Option<usize> {
        if let Some((length, (first, last))) = days_to_come(rest, self.date.unwrap_or(today.date)) {
            self.date = self.date.or(Some(first));
            self.until = Some(last);
            if !self.repeats {
                (self.repeat, self.repeats) = (Some(Repeat::Rule(Rule::Daily)), true);
            }
            return Some(length);
        }
        let (length, (first, last)) = period(rest, today.date).filter(|_| self.each_day)?;
        (self.date, self.until) = (Some(first.max(today.date)), Some(last));
        Some(length)
    }

    /// Parses "six times", "for eight lessons", after a rule, and "ten sessions of" or "ten physio sessions" in a
    /// clause with one.
    pub(super) fn read_number_of_times(&mut self, rest: &[Token], at: usize) -> Option<usize> {
        let skipped = usize::from(rest[0].is("for"));
        let follows_rule = skipped == 1 || (at > 0 && (self.used[at - 1] || (at > 1 && self.used[at - 2])));
        let number =
            rest.get(skipped).and_then(|token| count(&token.lower)).filter(|number| self.repeats && *number > 1)?;
        let is_noun = |at: usize| rest.get(at).is_some_and(|noun| noun.is_one_of(OCCURRENCES));
        if skipped == 0 && is_noun(2) && !rest[1].is_mark() && self.used[..at].iter().all(|used| *used) {
            self.occurrence_count = Some(number);
            return Some(1);
        }
        if !is_noun(skipped + 1) {
            return None;
        }
        if skipped == 0 && rest.get(2).is_some_and(|next| next.is("of")) {
            self.occurrence_count = Some(number);
            return Some(3);
        }
        let in_all = after_any(rest.get(skipped + 2..)?, "in total|in all|altogether").map_or(0, |_| 2);
        follows_rule.then(|| self.occurrence_count = Some(number))?;
        Some(skipped + 2 + in_all)
    }

    /// Computes the last day from the number of occurrences, of which the first is on `day_of_week` if that is given.
    pub(super) fn resolve_occurrence_count(&mut self, today: NaiveDate, day_of_week: Option<Weekday>) {
        let Some(number) = self.occurrence_count.filter(|_| self.until.is_none()) else { return };
        let from = self.date.unwrap_or(today);
        let first = day_of_week.map_or(from, |day| on_or_after(from, day));
        let step = match &self.repeat {
            Some(Repeat::Rule(Rule::Daily)) => 1,
            Some(Repeat::Rule(Rule::Weekly)) => 7,
            Some(Repeat::On(days)) if days.len() == 1 => 7,
            Some(Repeat::Rule(Rule::EveryNDays(days))) => *days,
            Some(Repeat::OnEach(_, weeks)) => weeks.saturating_mul(7),
            // The interval is not known.
            _ => {
                self.vague = true;
                return;
            }
        };
        self.until = Some(plus(first, u64::from(step) * u64::from(number - 1)));
    }
}

/// Parses "for the next five days", "over the coming week", "for the rest of the month".
fn days_to_come(rest: &[Token], start: NaiveDate) -> Phrase<DateRange> {
    let after_lead = after_any(rest, "for|over|during|in")?;
    let rest_of = after_any(after_lead, "the rest of the|the rest of this|the remainder of the|the rest of");
    if let Some(following) = rest_of {
        let (length, (_, last)) = of_period(following, start, false)?;
        return Some((rest.len() - following.len() + length, (start, last)));
    }
    let next = after_any(after_lead, "the next|the coming|the following|the upcoming").filter(|_| !rest[0].is("in"))?;
    let before = rest.len() - next.len();
    let single = || Some((1, Span::of(1, word(next, 0)).filter(|_| !word(next, 0).ends_with('s'))?));
    let (length, span) = date_span(next).or_else(single)?;
    Some((before + length, (start, span.after(start)?.pred_opt()?)))
}

/// Parses "this week", "next month", "in April", "throughout May".
fn period(rest: &[Token], today: NaiveDate) -> Phrase<DateRange> {
    let after_lead = after_any(rest, "in|during|throughout|all through|all of|for all of|for the whole of|all");
    let following = after_lead.unwrap_or(rest);
    let before = rest.len() - following.len();
    if let Some(number) = month(word(following, 0)).filter(|_| after_lead.is_some()) {
        let first = if number == today.month() { today } else { next_date(today, number, 1)? };
        let last = Span::months(1).after(first.with_day(1)?)?.pred_opt()?;
        return Some((before + 1, (first, last)));
    }
    let next = match word(following, 0) {
        "next" => true,
        "this" => false,
        _ => return None,
    };
    let (length, range) = of_period(&following[1..], today, next)?;
    Some((before + 1 + length, range))
}

fn of_period(tokens: &[Token], today: NaiveDate, next: bool) -> Phrase<DateRange> {
    let (first, span) = match word(tokens, 0) {
        "week" => (plus(monday(today), if next { 7 } else { 0 }), Span::days(7)),
        "month" => (Span::months(u32::from(next)).after(today.with_day(1)?)?, Span::months(1)),
        "year" if !next => (today.with_day(1)?.with_month(1)?, Span::months(12)),
        _ => return None,
    };
    Some((1, (first, span.after(first)?.pred_opt()?)))
}
