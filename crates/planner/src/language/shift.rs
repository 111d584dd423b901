//! By how much something is moved: "by a week", "back two days", "one day earlier".

use chrono::NaiveDate;

use super::phrases::without_marks;
use super::spans::{Span, span};
use super::tokens::Token;

/// A span, to a later or an earlier day or time.
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
    /// The whole of `tokens`.
    #[must_use]
    pub fn read(tokens: &[Token]) -> Option<Self> {
        Self::led(tokens, false, false)
    }

    /// The same behind a verb that says by itself which way.
    #[must_use]
    pub fn read_towards(tokens: &[Token], earlier: bool) -> Option<Self> {
        Self::led(tokens, true, earlier)
    }

    fn led(tokens: &[Token], mut led: bool, by_verb: bool) -> Option<Self> {
        let mut rest = without_marks(tokens);
        let mut earlier = None;

        while let Some(first) = rest.first().filter(|token| token.is("by") || direction(token).is_some()) {
            earlier = earlier.or(direction(first));
            led = true;
            rest = &rest[1..];
        }
        let another = usize::from(rest.first().is_some_and(|token| token.is("another")));
        let (length, by) = if another == 1 {
            let (length, span) = single(&rest[1..]).or_else(|| span(&rest[1..]))?;
            led = true;
            (length + 1, By::Span(span))
        } else if let Some((length, minutes)) = super::durations::minutes(rest) {
            (length, By::Minutes(minutes))
        } else {
            let (length, span) = span(rest)?;
            (length, By::Span(span))
        };
        rest = &rest[length..];
        if let Some(token) = rest.first().filter(|token| direction(token).is_some()) {
            earlier = earlier.or(direction(token));
            led = true;
            rest = &rest[1..];
        }
        (led && rest.is_empty()).then_some(Self { by, earlier: earlier.unwrap_or(by_verb) })
    }

    /// The day that is reached from `day`.
    #[must_use]
    pub fn from(self, day: NaiveDate) -> Option<NaiveDate> {
        match self.by {
            By::Span(span) if self.earlier => span.before(day),
            By::Span(span) => span.after(day),
            By::Minutes(_) => Some(day),
        }
    }

    /// Within the day, later or (negative) earlier; `None` for another day.
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

/// "week" after "another".
fn single(tokens: &[Token]) -> Option<(usize, Span)> {
    let days = match tokens.first()?.lower.as_str() {
        "day" => 1,
        "week" => 7,
        _ => return None,
    };
    Some((1, Span::days(days)))
}
