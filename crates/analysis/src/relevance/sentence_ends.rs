//! Marks between sentences that end none: "Golf? No thanks.", "Paris - museums", and the numbers of a list.
//!
//! Input: the words and marks of interests. Output: the same, with pauses in place of such marks, and ends of sentences
//! in place of the numbers. Called by [`super::clauses`].

use super::phrases::{Phrase, find, is_no, is_yes};
use super::places::Places;
use super::tokens::{Mark, Token};
use super::words::is_function_word;

/// Maximum words of an answer: "no thank you".
const MAX_ANSWER_WORDS: usize = 4;
/// Maximum tokens of the places before a dash, so that a long text is read in linear time.
const MAX_PLACE_TOKENS: usize = 12;

/// Joins sentences that belong together. `text`: what the tokens are of.
pub(super) fn join_sentences(text: &str, tokens: &mut [Token]) {
    for at in 0..tokens.len() {
        let Token { mark: Mark::SentenceEnd, start, end, .. } = tokens[at] else { continue };
        let mark = text.get(start..end).unwrap_or_default();
        let is_dash = mark.starts_with(' ') && mark.contains(['-', '–', '—']);
        if mark.contains('?') && is_answer(&tokens[at + 1..])
            || is_dash && (is_answer(&tokens[at + 1..]) || is_place(&tokens[..at]))
        {
            tokens[at].mark = Mark::Pause;
        }
    }
}

/// Whether the sentence at the start of `tokens` only answers the one before.
fn is_answer(tokens: &[Token]) -> bool {
    let words = tokens.iter().take_while(|token| token.mark != Mark::SentenceEnd);
    let words: Vec<&str> = words.take(MAX_ANSWER_WORDS + 1).map(word).collect();
    let is_one_phrase = |found| matches!(found, Some((Phrase::TrailingDenial, length)) if length == words.len());
    let begins = words.first().is_some_and(|first| is_no(first) || is_yes(first));
    let says_no_more = || words.iter().all(|word| is_function_word(word) || is_thanks(word));
    words.len() <= MAX_ANSWER_WORDS && (is_one_phrase(find(&words, None)) || begins && says_no_more())
}

fn is_thanks(word: &str) -> bool {
    ["thanks", "thank", "danke", "merci", "please", "bitte"].contains(&word)
}

/// Whether the sentence at the end of `tokens` names places alone.
fn is_place(tokens: &[Token]) -> bool {
    let length = tokens.iter().rev().take_while(|token| token.mark != Mark::SentenceEnd).take(MAX_PLACE_TOKENS).count();
    if length == MAX_PLACE_TOKENS {
        return false;
    }
    let words: Vec<&str> =
        tokens[tokens.len() - length..].iter().filter(|token| token.mark == Mark::None).map(word).collect();
    let mut at = 0;
    while at < words.len() {
        let Some((_, length)) = Places::shipped().find(&words[at..]) else { return false };
        at += length;
    }
    at > 0
}

fn word(token: &Token) -> &str {
    token.word.as_str()
}

/// Makes the numbers of a list ("1. chess 2. ferries") ends of sentences. `text`: what the tokens are of.
pub(super) fn number_lists(text: &str, tokens: &mut [Token]) {
    let mut next = 1;
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let rest = text.get(token.end..).unwrap_or_default();
        let is_numbered = (rest.starts_with(". ") || rest.starts_with(") ")) && token.word == next.to_string();
        if is_numbered {
            found.push(at);
            next += 1;
        }
    }
    if found.len() > 1 {
        for at in found {
            tokens[at].mark = Mark::SentenceEnd;
            tokens[at].word.clear();
        }
    }
}
