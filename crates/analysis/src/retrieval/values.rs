//! Whether a sentence contains a new value: a number or a name that the question asks for and does not itself contain.

use std::collections::HashSet;

use super::kinds::Kind;
use super::vocabulary::{digits, is_content, words};

/// The kind of value that a question asks for.
#[derive(Debug, Clone)]
pub(super) struct Value {
    is_number: bool,
    /// The words of the question, with numbers as digits.
    asked: HashSet<String>,
}

impl Value {
    /// Analyses a question; `None` if it asks for neither a number nor a name, as with "why" or "does".
    pub(super) fn of(question: &str, wanted: Option<Kind>) -> Option<Self> {
        let lower = words(question);
        let asks_which = lower.iter().any(|word| matches!(word.as_str(), "which" | "what" | "whose"));
        let is_number = match wanted {
            Some(
                Kind::Number
                | Kind::Money
                | Kind::Duration
                | Kind::Time
                | Kind::Year
                | Kind::Share
                | Kind::Degrees
                | Kind::IpAddress
                | Kind::Telephone,
            ) => true,
            Some(Kind::Person | Kind::Place | Kind::Name) => false,
            None if asks_which => false,
            Some(Kind::Reason | Kind::Frequency | Kind::Email | Kind::Version) | None => return None,
        };
        Some(Self { is_number, asked: lower.iter().map(|word| as_number(word)).collect() })
    }

    /// Returns whether a sentence contains such a value that is not in the question.
    pub(super) fn is_in(&self, sentence: &str) -> bool {
        if self.is_number {
            return self.has_new_number(sentence);
        }
        let tokens: Vec<&str> = sentence.split_whitespace().collect();
        let is_name = |at: usize| {
            let is_first = at == 0 || tokens[at - 1].ends_with(['.', '?', '!', ':']);
            let goes_on = || tokens.get(at + 1).is_some_and(|next| is_capital(next));
            is_capital(tokens[at]) && (!is_first || goes_on()) && self.is_new(tokens[at])
        };
        (0..tokens.len()).any(is_name)
    }

    /// Returns whether a sentence contains a number that is not in the question.
    pub(super) fn has_new_number(&self, sentence: &str) -> bool {
        words(sentence).iter().filter_map(|word| digits(word)).any(|number| !self.asked.contains(&number))
    }

    fn is_new(&self, token: &str) -> bool {
        words(token).iter().any(|word| is_content(word) && !self.asked.contains(word))
    }
}

fn as_number(word: &str) -> String {
    digits(word).unwrap_or_else(|| word.to_owned())
}

/// Returns whether a word begins with a capital letter, ignoring leading quotes and brackets.
pub(super) fn is_capital(token: &str) -> bool {
    let token = token.trim_start_matches(|c: char| !c.is_alphanumeric());
    token.starts_with(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::super::kinds::wanted;
    use super::*;

    fn says(question: &str, sentence: &str) -> Option<bool> {
        Value::of(question, wanted(question)).map(|value| value.is_in(sentence))
    }

    #[test]
    fn a_number_that_is_asked_for_is_not_the_question_s() {
        assert_eq!(says("How many boats has pier 3?", "There are twelve at pier 3."), Some(true));
        assert_eq!(says("How many boats has pier 3?", "Pier three is closed."), Some(false));
        assert_eq!(says("How many boats has pier 3?", "Boats leave pier 3."), Some(false));
    }

    #[test]
    fn a_name_that_is_asked_for_is_not_the_question_s() {
        assert_eq!(says("Who wrote Harbour Lights?", "Harbour Lights was written by Ida Voss."), Some(true));
        assert_eq!(says("Who wrote Harbour Lights?", "The author of Harbour Lights is well known."), Some(false));
        assert_eq!(says("Which port is it?", "Ida Voss came home."), Some(true));
        assert_eq!(says("Which port is it?", "Home at last."), Some(false));
        assert_eq!(says("Why is it closed?", "By order of Ida Voss."), None);
    }
}
