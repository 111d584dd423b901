//! Whether an answer denies what was expected, or states what the expected answer denies: shared words and edit
//! distance do not show that. Called by [`crate::matching`]. Knows English only.

use std::collections::HashMap;

/// Words that deny something, as does a word that ends in "n't".
const NEGATIONS: [&str; 16] = [
    "not",
    "no",
    "never",
    "none",
    "cannot",
    "without",
    "nothing",
    "nobody",
    "neither",
    "nor",
    "nowhere",
    "forbidden",
    "prohibited",
    "banned",
    "refused",
    "denied",
];

/// Returns whether a sentence of the expected answer and the sentence of the answer that has most of its words, at
/// least half of them, disagree in whether they deny something. Both texts are in lower case with white space collapsed.
///
/// In the answer, a negation counts from the word before the expected words on: it may say more in the same sentence.
pub(crate) fn contradicts(answer: &str, expected: &str) -> bool {
    let answer = sentences(answer);
    sentences(expected).iter().any(|expected| {
        let places: Vec<(usize, &[&str])> = answer.iter().map(|sentence| closest(sentence, expected)).collect();
        let most = places.iter().map(|(shared, _)| *shared).max().unwrap_or(0);
        let nearest = answer.iter().zip(&places).filter(|(_, (shared, _))| *shared == most);
        let is_denied = is_negated(expected);
        let mut disagree =
            nearest.map(|(sentence, (_, words))| if is_denied { !is_negated(sentence) } else { is_negated(words) });
        most > 0 && most * 2 >= expected.len() && disagree.all(|disagrees| disagrees)
    })
}

/// Returns the words of each sentence, without the marks around them.
fn sentences(text: &str) -> Vec<Vec<&str>> {
    let mut sentences = vec![Vec::new()];
    let tokens: Vec<&str> = text.split(' ').collect();
    for (at, token) in tokens.iter().enumerate() {
        let word = token.trim_matches(|c: char| !c.is_alphanumeric());
        let is_number_next = tokens.get(at + 1).is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit()));
        let is_abbreviated = *token == "no." && is_number_next;
        if let Some(sentence) = sentences.last_mut().filter(|_| !word.is_empty() && !is_abbreviated) {
            sentence.push(word);
        }
        if token.ends_with(['.', '!', '?', ';', '·']) && !is_abbreviated {
            sentences.push(Vec::new());
        }
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// Returns how many of the expected words a sentence has, and its shortest part that has all of these, with the word
/// before it.
fn closest<'s, 't>(sentence: &'s [&'t str], expected: &[&str]) -> (usize, &'s [&'t str]) {
    let (wanted, all) = (counts(expected), counts(sentence));
    let needed = |word: &str| all.get(word).min(wanted.get(word)).copied().unwrap_or(0);
    let shared: usize = wanted.keys().map(|&word| needed(word)).sum();
    let mut found: HashMap<&str, usize> = HashMap::new();
    let (mut have, mut start, mut shortest) = (0, 0, 0..sentence.len());
    for (end, &word) in sentence.iter().enumerate() {
        let count = found.entry(word).or_default();
        *count += 1;
        have += usize::from(*count <= needed(word));
        while have == shared && start <= end {
            if end + 1 - start < shortest.len() {
                shortest = start..end + 1;
            }
            let first = found.entry(sentence[start]).or_default();
            have -= usize::from(*first <= needed(sentence[start]));
            *first -= 1;
            start += 1;
        }
    }
    (shared, &sentence[shortest.start.saturating_sub(1)..shortest.end])
}

fn counts<'t>(words: &[&'t str]) -> HashMap<&'t str, usize> {
    let mut counts = HashMap::new();
    for word in words {
        *counts.entry(*word).or_default() += 1;
    }
    counts
}

fn is_negated(words: &[&str]) -> bool {
    let is_negation = |word: &str| NEGATIONS.contains(&word) || word.ends_with("n't") || word.ends_with("n’t");
    let is_not_only = |at: usize| words[at] == "not" && words.get(at + 1) == Some(&"only");
    words.iter().enumerate().any(|(at, &word)| is_negation(word) && !is_not_only(at))
}

#[cfg(test)]
mod tests {
    use super::contradicts;

    #[test]
    fn a_denial_of_what_was_expected_contradicts_it() {
        for (answer, expected) in [
            ("dogs are not allowed on the pier.", "dogs are allowed on the pier"),
            ("dogs aren’t allowed on the pier.", "dogs are allowed on the pier."),
            ("no dogs are allowed on the pier.", "dogs are allowed on the pier"),
            ("cats are. dogs are never allowed on the pier. mind the tide.", "dogs are allowed on the pier"),
            ("dogs are allowed on the pier.", "dogs are not allowed on the pier"),
            ("the ferry carries dogs. dogs are allowed on the pier.", "cats may come. dogs may not use the pier"),
        ] {
            assert!(contradicts(answer, expected), "{answer} / {expected}");
        }
    }

    #[test]
    fn a_negation_of_something_else_does_not() {
        for (answer, expected) in [
            ("dogs are allowed on the pier, but not in the café.", "dogs are allowed on the pier"),
            ("leave that is not taken lapses. ask ten weeks ahead.", "ten weeks ahead"),
            ("an illness does not count unless it lasts two days.", "two days"),
            ("the lamp is not lit in the office.", "in the office"),
            ("dogs are never let onto the pier.", "dogs are not let onto the pier"),
            ("dogs are forbidden on the pier.", "no dogs on the pier"),
            ("dogs are allowed. cats are not allowed.", "dogs are allowed. cats are not."),
            ("boats leave pier no. 5 at nine.", "boats leave pier 5 at nine"),
            ("dogs are not only allowed on the pier.", "dogs are allowed on the pier"),
            ("no, they stay ashore.", "no"),
            ("", "dogs are not allowed"),
        ] {
            assert!(!contradicts(answer, expected), "{answer} / {expected}");
        }
    }

    #[test]
    fn a_huge_sentence_is_read_in_time() {
        assert!(contradicts(&"not tide ".repeat(2_000), &"tide ".repeat(2_000)));
    }
}
