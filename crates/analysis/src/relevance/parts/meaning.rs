//! What the phrases of a sentence mean where they stand: "bores me" denies what precedes it, "golf I can't stand" too.

use std::slice;

use super::super::phrases::{
    Phrase, find, is_after_preferred, is_judgement, is_leaving_out, is_less, is_no, is_tedious, is_wish_verb, is_yes,
    past,
};
use super::super::tokens::Mark;
use super::super::words::is_content;
use super::{Comparison, Splitter, has_content};

impl Splitter<'_> {
    /// Returns the phrase at `at`, and its number of words.
    pub(super) fn phrase(&self, at: usize) -> Option<(Phrase, usize)> {
        if self.ends_segment(at + 1) && self.object().is_some() {
            if is_no(self.words[at]) {
                return Some((Phrase::TrailingDenial, 1));
            }
            if is_yes(self.words[at]) {
                return Some((Phrase::TrailingWish, 1));
            }
        }
        if self.ends_segment(at + 1) && at > 0 && is_content(self.words[at - 1]) {
            match is_less(self.words[at]) {
                Some(true) => return Some((Phrase::TrailingDenial, 1)),
                Some(false) => return Some((Phrase::TrailingWish, 1)),
                None => {}
            }
        }
        if let Some(found) = self.by_position(at) {
            return Some(found);
        }
        if let Some(length) = past(&self.words[at..]).filter(|_| self.may_begin_story()) {
            return Some((Phrase::Background, length));
        }
        let named = self.subject_name(at);
        if named == 0 && self.begins_wish(at) {
            return Some((Phrase::Wish, 1));
        }
        let found = find(&self.words[at..], self.language).filter(|(_, length)| named == 0 || *length > named)?;
        if found.0 == Phrase::Choice && !self.is_whole_clause(at + found.1) {
            return None;
        }
        let (phrase, length) = found;
        let ends = self.ends_segment(at + length);
        Some(match phrase {
            Phrase::TrailingDenial if self.is_relative(at) => return None,
            Phrase::TrailingDenial if self.is_before_its_object(at + length) => (Phrase::Denial, length),
            Phrase::EitherDenial if ends && self.object().is_some() => (Phrase::TrailingDenial, length),
            Phrase::Denial if ends && self.follows_object(at, at + length) => (Phrase::TrailingDenial, length),
            Phrase::Lesser if !self.has_wanted() => (Phrase::Denial, length),
            _ => found,
        })
    }

    /// Returns what a word means by what stands around it, and the number of words.
    fn by_position(&self, at: usize) -> Option<(Phrase, usize)> {
        let word = self.words[at];
        let part = self.parts.last()?;
        if is_tedious(word) && self.ends_segment(at + 1) && has_content(&self.parts[self.segment..]) {
            let mut before = self.parts[self.segment..].iter().flat_map(|part| &part.tokens);
            return before.any(|token| is_judgement(&token.word)).then_some((Phrase::TrailingDenial, 1));
        }
        if is_leaving_out(word) && part.tokens.is_empty() {
            let mut segment = self.sentence[at + 1..].iter().take_while(|token| token.mark == Mark::None).skip(1);
            return segment
                .any(|token| ["out", "raus", "weg"].contains(&token.word.as_str()))
                .then_some((Phrase::Denial, 1));
        }
        let is_compared = self.comparison == Some(Comparison::Prefer) && has_content(slice::from_ref(part));
        (is_compared && is_after_preferred(word) && !self.ends_segment(at + 1)).then_some((Phrase::Than, 1))
    }

    /// Whether the verb at `at` says what people may do with what precedes, and nothing of its worth: "places where we
    /// can go".
    fn is_relative(&self, at: usize) -> bool {
        const WHO: [&str; 6] = ["i", "you", "we", "they", "people", "one"];
        at > 0 && ["can", "may", "should"].contains(&self.words[at]) && WHO.contains(&self.words[at - 1])
    }

    /// Whether a negation from `at`, which ends its segment at `end`, is of what precedes it: "chess is fun, golf
    /// isn't", "golf I can't stand".
    fn follows_object(&self, at: usize, end: usize) -> bool {
        let before = |count: usize| at.checked_sub(count).map_or("", |at| self.words[at]);
        let stands_for_verb = ["t", "isnt", "arent", "dont", "doesnt", "not", "nicht"].contains(&self.words[end - 1])
            && is_content(before(1));
        let is_of_reader =
            ["i", "we", "ich", "wir"].contains(&before(1)) && !["that", "which", "who"].contains(&before(2));
        (stands_for_verb || is_of_reader) && has_content(&self.parts[self.segment..])
    }

    /// Whether the sentence wants something so far.
    fn has_wanted(&self) -> bool {
        self.parts.iter().any(|part| !part.denied && !part.is_background && has_content(slice::from_ref(part)))
    }

    /// Whether the verb at `at` wishes for what follows, after a denial: "I dislike football and enjoy cycling".
    fn begins_wish(&self, at: usize) -> bool {
        self.ends_denial()
            && self.parts.last().is_some_and(|part| part.tokens.is_empty())
            && is_wish_verb(self.words[at], self.words[self.denial_at])
    }

    /// Whether nothing of the part is said yet.
    fn may_begin_story(&self) -> bool {
        !self.denied && self.parts.last().is_some_and(|part| part.tokens.is_empty())
    }

    /// Whether what would deny what precedes it denies what follows instead: "me aburre el fútbol".
    fn is_before_its_object(&self, end: usize) -> bool {
        let follows = self.sentence[end..].iter().take_while(|token| token.mark == Mark::None);
        !has_content(&self.parts[self.segment..]) && follows.into_iter().any(|token| is_content(&token.word))
    }
}
