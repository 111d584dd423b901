//! Parses by how much a record is moved: "by a week", "back two days", "one day earlier".

use chrono::NaiveDate;

use super::spans::{Span, date_span};
use crate::language::text::phrases::without_marks;
use crate::language::text::tokens::Token;

/// A span by which a day or time is moved, and its direction.
#[derive(Debug, Clone, Copy)]
pub struct Shift {
    by: By,
    earlier: bool,
}

#[derive(Debug, Clone, Copy)]
enum By {
    Span(Span),
    Minutes(u16),
}

impl PartialEq for Shift {
    fn eq(&self, other: &Self) -> bool {
        let day = NaiveDate::default();
        (self.from(day), self.minutes()) == (other.from(day), other.minutes())
    }
}

const EARLIER: &str = "forward|forwards|earlier|sooner|ahead|up|before";
const LATER: &str = "back|later|out|backwards|on";

impl Shift {
    /// Parses the whole of `tokens`.
    #[must_use]
    pub fn read(tokens: &[Token]) -> Option<Self> {
        Self::parse(tokens, false, false)
    }

    /// Parses the same after a verb that implies the direction.
    #[must_use]
    pub fn read_towards(tokens: &[Token], earlier: bool) -> Option<Self> {
        Self::parse(tokens, true, earlier)
    }

    fn parse(tokens: &[Token], mut is_explicit: bool, by_verb: bool) -> Option<Self> {
        let mut rest = without_marks(tokens);
        let mut earlier = None;

        while let Some(first) = rest.first().filter(|token| token.is("by") || direction(token).is_some()) {
            earlier = earlier.or(direction(first));
            is_explicit = true;
            rest = &rest[1..];
        }
        let another = usize::from(rest.first().is_some_and(|token| token.is("another")));
        let (length, by) = if another == 1 {
            let (length, span) = single(&rest[1..]).or_else(|| date_span(&rest[1..]))?;
            is_explicit = true;
            (length + 1, By::Span(span))
        } else if let Some((length, minutes)) = super::durations::minutes(rest) {
            (length, By::Minutes(minutes))
        } else {
            let (length, span) = date_span(rest)?;
            (length, By::Span(span))
        };
        rest = &rest[length..];
        if let Some(token) = rest.first().filter(|token| direction(token).is_some()) {
            earlier = earlier.or(direction(token));
            is_explicit = true;
            rest = &rest[1..];
        }
        (is_explicit && rest.is_empty()).then_some(Self { by, earlier: earlier.unwrap_or(by_verb) })
    }

    /// Returns the shifted day.
    #[must_use]
    pub fn from(self, day: NaiveDate) -> Option<NaiveDate> {
        match self.by {
            By::Span(span) if self.earlier => span.before(day),
            By::Span(span) => span.after(day),
            By::Minutes(_) => Some(day),
        }
    }

    /// Returns the shift within the day in minutes, negative for earlier. `None` for a shift by days.
    #[must_use]
    pub fn minutes(self) -> Option<i32> {
        match self.by {
            By::Span(_) => None,
            By::Minutes(minutes) => Some(if self.earlier { -i32::from(minutes) } else { i32::from(minutes) }),
        }
    }
}

fn direction(token: &Token) -> Option<bool> {
    if token.is_one_of(EARLIER) {
        return Some(true);
    }
    token.is_one_of(LATER).then_some(false)
}

/// Parses "week" after "another".
fn single(tokens: &[Token]) -> Option<(usize, Span)> {
    let days = match tokens.first()?.lower.as_str() {
        "day" => 1,
        "week" => 7,
        _ => return None,
    };
    Some((1, Span::days(days)))
}
