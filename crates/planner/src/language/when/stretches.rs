//! For how long something repeats: "for the next five days", "every day next week", "every Monday in April", "six
//! times".

use chrono::{Datelike as _, NaiveDate};

use super::When;
use crate::language::Today;
use crate::language::day_arithmetic::{Phrase, monday, next_date, plus, word};
use crate::language::numbers::{count, month};
use crate::language::phrases::after_any;
use crate::language::repeats::Repeat;
use crate::language::spans::{Span, span};
use crate::language::tokens::Token;
use crate::recurrence::Rule;

/// First and last day.
type Stretch = (NaiveDate, NaiveDate);

impl When {
    /// "for the next five days", which without a rule is on each of them; "every day next week", "daily in April".
    pub(super) fn read_stretch(&mut self, rest: &[Token], today: Today) -> Option<usize> {
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

    /// "six times", "for eight lessons", behind a rule.
    pub(super) fn read_number_of_times(&mut self, rest: &[Token], at: usize) -> Option<usize> {
        let led = usize::from(rest[0].is("for"));
        let behind = led == 1 || (at > 0 && (self.used[at - 1] || (at > 1 && self.used[at - 2])));
        let number =
            rest.get(led).and_then(|token| count(&token.lower)).filter(|number| self.repeats && *number > 1)?;
        let noun = rest.get(led + 1)?.is_one_of("times|sessions|lessons|occurrences|classes|evenings");
        let in_all = after_any(rest.get(led + 2..)?, "in total|in all|altogether").map_or(0, |_| 2);
        (behind && noun).then(|| self.times_in_all = Some(number))?;
        Some(led + 2 + in_all)
    }

    /// The last day of so many times from the first.
    pub(super) fn settle_times(&mut self, today: NaiveDate) {
        let Some(number) = self.times_in_all.filter(|_| self.until.is_none()) else { return };
        let first = self.date.unwrap_or(today);
        let step = match &self.repeat {
            Some(Repeat::Rule(Rule::Daily)) => 1,
            Some(Repeat::Rule(Rule::Weekly)) => 7,
            Some(Repeat::On(days)) if days.len() == 1 => 7,
            Some(Repeat::Rule(Rule::EveryNDays(days))) => *days,
            Some(Repeat::OnEach(_, weeks)) => weeks.saturating_mul(7),
            // For how long is not known.
            _ => {
                self.vague = true;
                return;
            }
        };
        self.until = Some(plus(first, u64::from(step) * u64::from(number - 1)));
    }
}

/// "for the next five days", "over the coming week", "for the rest of the month".
fn days_to_come(rest: &[Token], start: NaiveDate) -> Phrase<Stretch> {
    let led = after_any(rest, "for|over|during|in")?;
    let rest_of = after_any(led, "the rest of the|the rest of this|the remainder of the|the rest of");
    if let Some(behind) = rest_of {
        let (length, (_, last)) = of_period(behind, start, false)?;
        return Some((rest.len() - behind.len() + length, (start, last)));
    }
    let next = after_any(led, "the next|the coming|the following|the upcoming").filter(|_| !rest[0].is("in"))?;
    let before = rest.len() - next.len();
    let single = || Some((1, Span::of(1, word(next, 0)).filter(|_| !word(next, 0).ends_with('s'))?));
    let (length, span) = span(next).or_else(single)?;
    Some((before + length, (start, span.after(start)?.pred_opt()?)))
}

/// "this week", "next month", "in April", "throughout May".
fn period(rest: &[Token], today: NaiveDate) -> Phrase<Stretch> {
    let led = after_any(rest, "in|during|throughout|all through|all of|for all of|for the whole of|all");
    let behind = led.unwrap_or(rest);
    let before = rest.len() - behind.len();
    if let Some(number) = month(word(behind, 0)).filter(|_| led.is_some()) {
        let first = if number == today.month() { today } else { next_date(today, number, 1)? };
        let last = Span::months(1).after(first.with_day(1)?)?.pred_opt()?;
        return Some((before + 1, (first, last)));
    }
    let next = match word(behind, 0) {
        "next" => true,
        "this" => false,
        _ => return None,
    };
    let (length, stretch) = of_period(&behind[1..], today, next)?;
    Some((before + 1 + length, stretch))
}

fn of_period(tokens: &[Token], today: NaiveDate, next: bool) -> Phrase<Stretch> {
    let (first, span) = match word(tokens, 0) {
        "week" => (plus(monday(today), if next { 7 } else { 0 }), Span::days(7)),
        "month" => (Span::months(u32::from(next)).after(today.with_day(1)?)?, Span::months(1)),
        "year" if !next => (today.with_day(1)?.with_month(1)?, Span::months(12)),
        _ => return None,
    };
    Some((1, (first, span.after(first)?.pred_opt()?)))
}
