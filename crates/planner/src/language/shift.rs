//! By how much something is moved: "by a week", "back two days", "one day earlier".

use chrono::NaiveDate;

use super::dates::{Span, span};
use super::phrases::without_marks;
use super::tokens::Token;

/// A span, to a later or an earlier day.
#[derive(Debug, Clone, Copy)]
pub struct Shift {
    span: Span,
    earlier: bool,
}

impl PartialEq for Shift {
    fn eq(&self, other: &Self) -> bool {
        let day = NaiveDate::default();
        self.from(day) == other.from(day)
    }
}

const EARLIER: &str = "forward|earlier|sooner|ahead";
const LATER: &str = "back|later|out";

impl Shift {
    /// The whole of `tokens`.
    #[must_use]
    pub fn read(tokens: &[Token]) -> Option<Self> {
        let mut rest = without_marks(tokens);
        let mut earlier = None;
        let mut led = false;
        while let Some(first) = rest.first().filter(|token| token.is("by") || direction(token).is_some()) {
            earlier = earlier.or(direction(first));
            led = true;
            rest = &rest[1..];
        }
        let another = usize::from(rest.first().is_some_and(|token| token.is("another")));
        let (length, span) = if another == 1 {
            let (length, span) = single(&rest[1..])?;
            led = true;
            (length + 1, span)
        } else {
            span(rest)?
        };
        rest = &rest[length..];
        if let Some(token) = rest.first().filter(|token| direction(token).is_some()) {
            earlier = earlier.or(direction(token));
            led = true;
            rest = &rest[1..];
        }
        (led && rest.is_empty()).then_some(Self { span, earlier: earlier.unwrap_or(false) })
    }

    /// The day that is reached from `day`.
    #[must_use]
    pub fn from(self, day: NaiveDate) -> Option<NaiveDate> {
        if self.earlier { self.span.before(day) } else { self.span.after(day) }
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
    Some((1, Span::Days(days)))
}
