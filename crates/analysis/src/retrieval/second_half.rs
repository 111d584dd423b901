//! The second half of a question that asks for two things: "What does it cost, and what is included?"

use std::sync::LazyLock;

use regex::Regex;

use super::foreign_kinds;
use super::kinds::{Kind, pattern, wanted};
use super::language::Language;
use super::vocabulary::contents_in_digits;

// What follows has to be a question of its own: "salt and pepper" are no two things asked for.
pattern!(
    AND,
    r"(?i)\b(?:and|und|et|y)(?: (?:on|in|at|by|for|from|to|with|bis|ab|seit|à|de))? (?:what|which|who|whom|whose|where|when|why|how|is|are|does|do|did|can|may|must|was|welche\w*|wer|wem|wo|wann|warum|wie\w*|que|qu|quel\w*|combien|où|quand|qui|comment|pourquoi|qué|cuánt\w*|cuándo|dónde|quién)\b.*$"
);

/// The second thing that a question asks for.
#[derive(Debug, Clone)]
pub(super) struct SecondHalf {
    /// Its content words in lower case.
    pub(super) terms: Vec<String>,
    wanted: Option<Kind>,
    language: Option<Language>,
}

impl SecondHalf {
    /// `None` if the question asks for one thing.
    pub(super) fn of(question: &str, language: Option<Language>) -> Option<Self> {
        let text = AND.as_ref().and_then(|pattern: &Regex| pattern.find(question))?.as_str();
        let wanted = language.map_or_else(|| wanted(text), |_| foreign_kinds::wanted(text));
        let has_content = |word: &String| !language.is_some_and(|language| language.is_function_word(word));
        let terms = contents_in_digits(text).into_iter().filter(has_content).collect();
        Some(Self { terms, wanted, language })
    }

    /// Returns whether a text has the kind of thing that it asks for, as far as that is recognised by how it is
    /// written.
    pub(super) fn has_kind(&self, text: &str) -> bool {
        let is_in = |kind: Kind| kind.is_in(text) || self.language.is_some() && foreign_kinds::is_in(kind, text);
        self.wanted.is_some_and(|kind| kind.is_unmistakable() && is_in(kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_second_question_is_a_second_half() {
        let terms = |text| SecondHalf::of(text, Language::of(text)).map(|half| half.terms);
        assert_eq!(terms("What is the fee, and how many nights are included?").unwrap(), ["nights", "included"]);
        assert_eq!(terms("Was kostet das Boot, und was muss man extra zahlen?").unwrap(), ["extra", "zahlen"]);
        assert!(terms("Who sells salt and pepper?").is_none());
        let half = SecondHalf::of("Who pays, and how much does it cost?", None).unwrap();
        assert!(half.has_kind("It costs nine euros.") && !half.has_kind("Ida pays."));
    }
}
