//! The owner's own words: which of them a text contains.

use std::collections::BTreeSet;

use super::features::Features;
use super::similarity::{LEAD, WORDS};
use super::tokens::tokens;
use super::vocabulary::Term;

/// A phrase of at most this many words must be there as a whole; of a longer one each word counts by itself.
const PHRASE_WORDS: usize = 3;

/// Free text of interests, cut into phrases at commas, semicolons, line ends and full stops.
#[derive(Debug, Clone, Default)]
pub struct Interests {
    phrases: Vec<Phrase>,
}

#[derive(Debug, Clone)]
struct Phrase {
    written: String,
    terms: BTreeSet<Term>,
}

impl Interests {
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut phrases: Vec<Phrase> = Vec::new();
        for part in text.split([',', ';', '\n', '.']) {
            let words: Vec<(String, Term)> = tokens(part).map(|t| (t.written.to_owned(), Term::of(&t.term))).collect();
            if words.len() <= PHRASE_WORDS {
                let written: Vec<&str> = words.iter().map(|(written, _)| written.as_str()).collect();
                push(&mut phrases, written.join(" "), words.iter().map(|(_, term)| *term).collect());
            } else {
                for (written, term) in words {
                    push(&mut phrases, written, BTreeSet::from([term]));
                }
            }
        }
        Self { phrases }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.phrases.is_empty()
    }

    /// The phrases, as the owner wrote them, that the text is about: in its opening, or at least twice.
    #[must_use]
    pub fn matches(&self, features: &Features) -> Vec<String> {
        let about = |term: &Term| features.times(*term, LEAD) > 0 || features.times(*term, WORDS) >= 2;
        self.phrases.iter().filter(|phrase| phrase.terms.iter().all(about)).map(|p| p.written.clone()).collect()
    }
}

fn push(phrases: &mut Vec<Phrase>, written: String, terms: BTreeSet<Term>) {
    if !terms.is_empty() && !phrases.iter().any(|known| known.terms == terms) {
        phrases.push(Phrase { written, terms });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(interests: &str, text: &str) -> Vec<String> {
        Interests::parse(interests).matches(&Features::of(None, text))
    }

    #[test]
    fn short_phrases_match_as_a_whole() {
        assert_eq!(matches("heat pumps, ferries", "A heat pump for every ferry"), ["heat pumps", "ferries"]);
        assert!(matches("heat pumps", "The heat of the day").is_empty());
    }

    #[test]
    fn of_a_sentence_each_word_counts() {
        assert_eq!(matches("I would like to read about tidal energy and databases", "The database"), ["databases"]);
    }

    #[test]
    fn a_passing_mention_far_down_is_no_match() {
        let filler = "word ".repeat(20) + &"another sentence stands ".repeat(30);
        assert!(matches("ferries", &format!("{filler} one ferry")).is_empty());
    }
}
