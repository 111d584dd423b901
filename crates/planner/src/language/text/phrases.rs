//! Searches for words in tokens. Lists of words and phrases are strings separated by `|`.

use super::tokens::Token;

/// Returns the tokens after the phrase that `tokens` begin with.
#[must_use]
pub fn after<'t>(tokens: &'t [Token], phrase: &str) -> Option<&'t [Token]> {
    let mut rest = tokens;
    for word in phrase.split(' ') {
        let (first, more) = rest.split_first()?;
        if !first.is(word) {
            return None;
        }
        rest = more;
    }
    Some(rest)
}

/// Returns the tokens after the longest of the phrases that `tokens` begin with.
#[must_use]
pub fn after_any<'t>(tokens: &'t [Token], phrases: &str) -> Option<&'t [Token]> {
    let first = tokens.first()?;
    if !phrases.contains(&*first.lower) {
        return None;
    }
    // Most phrases begin with another word, which is checked without splitting them.
    let may = |phrase: &&str| phrase.starts_with(first.lower.as_str());
    phrases.split('|').filter(may).filter_map(|phrase| after(tokens, phrase)).min_by_key(|rest| rest.len())
}

/// Returns the tokens before and after the earliest occurrence of any of the phrases.
#[must_use]
pub fn around<'t>(tokens: &'t [Token], phrases: &str) -> Option<(&'t [Token], &'t [Token])> {
    (0..tokens.len()).find_map(|at| Some((&tokens[..at], after_any(&tokens[at..], phrases)?)))
}

/// Returns the tokens before the longest of the phrases that `tokens` end with.
#[must_use]
pub fn before_end<'t>(tokens: &'t [Token], phrases: &str) -> Option<&'t [Token]> {
    let tokens = without_marks(tokens);
    let last = tokens.last().filter(|last| phrases.contains(&*last.lower))?;
    // Most phrases end with another word, which is checked without splitting them.
    let may = |phrase: &&str| phrase.ends_with(last.lower.as_str());
    let before = |phrase: &str| {
        let start = tokens.len().checked_sub(phrase.split(' ').count())?;
        after(&tokens[start..], phrase)?;
        Some(&tokens[..start])
    };
    phrases.split('|').filter(may).filter_map(before).min_by_key(|before| before.len())
}

/// Removes punctuation marks at the ends.
#[must_use]
pub fn without_marks(mut tokens: &[Token]) -> &[Token] {
    while let [first, rest @ ..] = tokens {
        if !first.is_mark() {
            break;
        }
        tokens = rest;
    }
    while let [rest @ .., last] = tokens {
        if !last.is_mark() {
            break;
        }
        tokens = rest;
    }
    tokens
}

/// Returns whether one of the words occurs in the tokens.
#[must_use]
pub fn has_any(tokens: &[Token], words: &str) -> bool {
    tokens.iter().any(|token| token.is_one_of(words))
}

/// Returns whether the word is in the list.
#[must_use]
pub fn listed(list: &str, word: &str) -> bool {
    list.contains(word) && list.split('|').any(|listed| listed == word)
}
