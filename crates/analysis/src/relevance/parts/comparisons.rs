//! What is wanted less than something else: "more science than sport", "low priority: golf".

use std::slice;

use super::super::phrases::{is_comparative, is_preference};
use super::super::words::is_content;
use super::{Comparison, Part, Splitter, has_content};

impl Splitter<'_> {
    /// What is wanted less is not excluded. `end`: the index after the phrase.
    pub(super) fn minor(&mut self, end: usize) {
        let heads_list = self.sentence.get(end).is_some_and(|next| self.text[next.start..next.end].contains(':'));
        self.is_minor_list |= heads_list;
        if self.ends_denial() {
            self.turn();
            self.begin_part();
        }
        self.parts.last_mut().into_iter().for_each(|part| part.is_minor = true);
    }

    pub(super) fn comparison_in(&self, at: usize, length: usize) -> Option<Comparison> {
        let words = &self.words[at..at + length];
        if words.iter().any(|word| is_preference(word)) {
            return Some(Comparison::Prefer);
        }
        words.iter().any(|word| is_comparative(word)).then_some(Comparison::More)
    }

    /// Begins what is wanted less, after a comparative; the word at `at` is another word of the part otherwise.
    pub(super) fn lesser(&mut self, at: usize) {
        // Other words than "than" also begin a relative clause or a role.
        let is_compared = |part: &Part<'_>| {
            let mut words = part.tokens.iter().map(|token| token.word.as_str());
            let is_than = self.words[at..].iter().take(2).any(|word| *word == "than");
            has_content(slice::from_ref(part)) && (is_than || words.all(is_content))
        };
        if self.comparison.is_some() && self.parts.last().is_some_and(is_compared) {
            self.begin_part();
            self.parts.last_mut().into_iter().for_each(|part| part.is_minor = true);
        } else {
            self.word(at);
        }
    }
}
