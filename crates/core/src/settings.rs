//! Reads settings from variables and collects the problems of each.

use std::fmt;

use serde::de::value::Error;
use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;

/// A variable that is missing or cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub variable: String,
    /// As given; `None` if it is missing.
    pub value: Option<String>,
    pub expected: String,
    pub example: &'static str,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { variable, expected, example, .. } = self;
        match &self.value {
            Some(value) => write!(f, "{variable}={value:?} cannot be used: it expects {expected}"),
            None => write!(f, "{variable} is not set: it expects {expected}"),
        }?;
        write!(f, ", for example {variable}={example}")
    }
}

/// Parses values and collects the problems.
#[derive(Debug, Default)]
pub struct Reader {
    pub problems: Vec<Problem>,
}

impl Reader {
    /// Returns the parsed value of a variable. If it cannot be parsed, records the problem and returns the default.
    /// `what` is (name, expected value, example).
    pub fn or<T>(
        &mut self,
        text: Option<String>,
        what: (&str, &str, &'static str),
        default: T,
        parse: impl Fn(&str) -> Option<T>,
    ) -> T {
        self.maybe(text, what, parse).unwrap_or(default)
    }

    /// Returns the parsed value of a variable without a default; `None` if it is missing or cannot be parsed.
    pub fn maybe<T>(
        &mut self,
        text: Option<String>,
        (variable, expected, example): (&str, &str, &'static str),
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = text?;
        let read = parse(text.trim());
        if read.is_none() {
            self.problem(variable, Some(text), expected, example);
        }
        read
    }

    pub fn problem(&mut self, variable: &str, value: Option<String>, expected: &str, example: &'static str) {
        self.problems.push(Problem { variable: variable.to_owned(), value, expected: expected.to_owned(), example });
    }
}

/// Returns a parser of whole numbers from `min` to `max`.
pub fn number(min: u64, max: u64) -> impl Fn(&str) -> Option<u64> {
    move |text| text.parse::<u64>().ok().filter(|n| (min..=max).contains(n))
}

#[must_use]
pub fn size(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// Returns the names of a struct's fields, as its derived `Deserialize` requests them.
#[must_use]
pub fn field_names<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    let mut fields: &'static [&'static str] = &[];
    // This returns an error by design: the fields are recorded when they are requested.
    let _ = T::deserialize(Names(&mut fields));
    fields
}

struct Names<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Names<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("names alone"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        *self.0 = fields;
        Err(Error::custom("names alone"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
