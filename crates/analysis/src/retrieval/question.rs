//! An analysed question: its terms, the requested kind, and its focus.

use std::collections::HashSet;

use super::kinds::{Kind, wanted};
use super::names::names;
use super::values::Value;
use super::vocabulary::{contents, is_year, words};

/// A question; see the module.
#[derive(Debug, Clone)]
pub struct Question {
    pub text: String,
    /// Content words in lower case, without duplicates.
    pub terms: Vec<String>,
    pub wanted: Option<Kind>,
    /// The number or name that it asks for.
    pub(super) value: Option<Value>,
    /// The terms that name the requested thing: "calories" in "how many calories does it have".
    pub(super) focus: HashSet<String>,
    /// Names and years, in lower case.
    pub(super) names: Vec<String>,
    /// When it is asked, in Unix milliseconds, if that is known.
    pub(super) asked_at: Option<i64>,
}

impl Question {
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            terms: contents(text),
            wanted: wanted(text),
            value: Value::of(text, wanted(text)),
            focus: focus(text).into_iter().filter(|word| !is_measure(word)).collect(),
            names: names(text),
            asked_at: None,
        }
    }

    /// Sets the time at which it is asked, in Unix milliseconds. Documents with a later date are yet to come into
    /// force.
    #[must_use]
    pub fn asked_at(self, millis: i64) -> Self {
        Self { asked_at: Some(millis), ..self }
    }

    /// Returns the years in the question: a question about an old state may be answered by an old document.
    pub(super) fn years(&self) -> HashSet<&str> {
        self.terms.iter().map(String::as_str).filter(|term| is_year(term)).collect()
    }
}

/// Words that end the focus.
const ENDS: [&str; 48] = [
    "is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "could", "may", "might", "must",
    "should", "will", "would", "be", "there", "i", "we", "you", "they", "it", "a", "an", "the", "my", "our", "your",
    "of", "for", "in", "on", "at", "to", "from", "by", "with", "before", "after", "until", "per", "as", "that", "who",
    "which",
];

/// Measure words: they indicate the kind of answer, not its subject.
const MEASURES: [&str; 29] = [
    "people", "persons", "hours", "minutes", "days", "weeks", "months", "years", "seconds", "euros", "dollars",
    "percent", "time", "times", "money", "much", "cost", "costs", "price", "amount", "share", "part", "number",
    "charged", "pay", "paid", "nights", "hour", "day",
];

pub(super) fn is_measure(word: &str) -> bool {
    MEASURES.contains(&word)
}

fn focus(text: &str) -> Vec<String> {
    let words = words(text);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is = |at: usize, list: &[&str]| words.get(at).is_some_and(|word| list.contains(word));
    let words_from = |at: usize| {
        let rest = words.iter().skip(at);
        rest.take_while(|word| !ENDS.contains(word)).map(|word| (*word).to_owned()).collect::<Vec<_>>()
    };
    for at in 0..words.len() {
        if is(at, &["how"]) && is(at + 1, &["many", "much"]) {
            let named = words_from(at + 2);
            // "How much does it weigh": the last word is the focus.
            return if named.is_empty() {
                words.last().map(|word| (*word).to_owned()).into_iter().collect()
            } else {
                named
            };
        }
    }
    for at in 0..words.len() {
        let is_of_thing = is(at, &["what", "which"]) && is(at + 1, &["is", "was", "are", "were"]);
        if is_of_thing && is(at + 2, &["the", "our", "a", "an", "my", "your"]) {
            return words_from(at + 3);
        }
        if is(at, &["what", "which"]) {
            return words_from(at + 1);
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn focus_of(text: &str) -> Vec<String> {
        let mut focus: Vec<String> = Question::new(text).focus.into_iter().collect();
        focus.sort();
        focus
    }

    #[test]
    fn what_is_asked_for_is_found() {
        assert_eq!(focus_of("How many free berths are there at the quay?"), ["berths", "free"]);
        assert_eq!(focus_of("How much does an anchor weigh?"), ["weigh"]);
        assert_eq!(focus_of("What is the radio channel of the harbour?"), ["channel", "radio"]);
        assert_eq!(focus_of("Which company paints the hull?"), ["company", "paints"]);
        assert!(focus_of("When does the office open?").is_empty());
    }
}
