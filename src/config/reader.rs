//! Reading one variable after the other, keeping what is wrong with each.

use std::fmt;

use super::catalogue::CatalogueProblem;

/// Something wrong with one variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub variable: String,
    /// As it stands; `None` when it is missing.
    pub value: Option<String>,
    pub wants: String,
    pub example: &'static str,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { variable, wants, example, .. } = self;
        match &self.value {
            Some(value) => write!(f, "{variable}={value:?} cannot be used: it wants {wants}"),
            None => write!(f, "{variable} is not set: it wants {wants}"),
        }?;
        write!(f, ", for example {variable}={example}")
    }
}

#[derive(Default)]
pub(super) struct Reader {
    pub(super) problems: Vec<Problem>,
    /// Those of the file that `AHA_LLM_CONFIG` names.
    pub(super) of_catalogue: Vec<CatalogueProblem>,
}

impl Reader {
    /// The value of a variable: parsed, or the default with the problem noted. It is (name, what it wants, an example).
    pub(super) fn or<T>(
        &mut self,
        text: Option<String>,
        what: (&str, &str, &'static str),
        default: T,
        parse: impl Fn(&str) -> Option<T>,
    ) -> T {
        self.maybe(text, what, parse).unwrap_or(default)
    }

    /// The value of a variable that has no default.
    pub(super) fn maybe<T>(
        &mut self,
        text: Option<String>,
        (variable, wants, example): (&str, &str, &'static str),
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = text?;
        let read = parse(text.trim());
        if read.is_none() {
            self.problem(variable, Some(text), wants, example);
        }
        read
    }

    pub(super) fn problem(&mut self, variable: &str, value: Option<String>, wants: &str, example: &'static str) {
        self.problems.push(Problem { variable: variable.to_owned(), value, wants: wants.to_owned(), example });
    }
}

/// A whole number in a range.
pub(super) fn number(least: u64, most: u64) -> impl Fn(&str) -> Option<u64> {
    move |text| text.parse::<u64>().ok().filter(|n| (least..=most).contains(n))
}

pub(super) fn size(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}
