//! What of a headline is weighed: hashed words, pairs and triples of words, pieces of three to five characters, forms.

use std::collections::BTreeSet;

/// Slots of a family of hashed features.
pub(super) const BUCKETS: usize = 1 << 16;
pub(super) const FORMS: usize = 16;
pub(super) const FAMILIES: usize = 4;

/// More of a headline is not read.
const MAX_CHARS: usize = 300;

/// The slots that a headline fills, by family: words, neighbours, pieces, forms.
pub(super) fn features(headline: &str) -> [BTreeSet<usize>; FAMILIES] {
    let words = words(headline);
    [
        words.iter().map(|word| bucket(word)).collect(),
        neighbours(&words),
        words.iter().flat_map(|word| pieces(word)).collect(),
        forms(&words),
    ]
}

/// Lower case, digits as 0, apostrophes left out; signs of percent and money are words.
fn words(headline: &str) -> Vec<String> {
    let opening: String = headline.chars().take(MAX_CHARS).collect();
    let mut words = vec![String::new()];
    for character in opening.to_lowercase().chars() {
        if is_of_a_word(character) {
            let shown = if character.is_ascii_digit() { '0' } else { character };
            words.last_mut().into_iter().for_each(|word| word.push(shown));
        } else if !matches!(character, '\'' | '’' | '‘') {
            words.extend(sign(character).map(str::to_owned));
            words.push(String::new());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

const fn sign(character: char) -> Option<&'static str> {
    match character {
        '%' => Some("%"),
        '$' | '€' | '£' => Some("$"),
        _ => None,
    }
}

/// By ranges of code points, which both sides of the training know, not by tables that differ from release to release.
fn is_of_a_word(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_alphanumeric();
    }
    let is_mark = matches!(character, '\u{d7}' | '\u{f7}' | '\u{2000}'..='\u{2bff}' | '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff0f}');
    matches!(character, '\u{c0}'..='\u{1efff}') && !is_mark
}

/// Pairs and triples, with marks for where the headline begins and ends.
fn neighbours(words: &[String]) -> BTreeSet<usize> {
    let marked: Vec<&str> =
        std::iter::once("<").chain(words.iter().map(String::as_str)).chain(std::iter::once(">")).collect();
    marked.windows(2).chain(marked.windows(3)).map(|run| bucket(&run.join(" "))).collect()
}

/// Of three to five characters, with marks for where the word begins and ends.
fn pieces(word: &str) -> Vec<usize> {
    let framed: Vec<char> = std::iter::once('<').chain(word.chars()).chain(std::iter::once('>')).collect();
    (3..=5).flat_map(|length| framed.windows(length)).map(|piece| bucket(&piece.iter().collect::<String>())).collect()
}

/// How long the headline is, how it opens, how many of its words are short.
fn forms(words: &[String]) -> BTreeSet<usize> {
    let short = words.iter().filter(|word| word.chars().count() <= 3).count();
    let mut found = BTreeSet::from([(words.len() / 3).min(6), 10 + (4 * short / words.len().max(1)).min(3)]);
    if let Some(first) = words.first().filter(|word| word.chars().all(|character| character == '0')) {
        found.insert(if first.len() <= 2 { 8 } else { 9 });
    }
    found
}

/// FNV-1a of 32 bits, folded.
fn bucket(text: &str) -> usize {
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    usize::try_from((hash ^ (hash >> 16)) & 0xffff).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_folded_and_signs_are_words() {
        assert_eq!(words("Don’t pay $1,200 — it's 20%"), ["dont", "pay", "$", "0", "000", "its", "00", "%"]);
    }

    #[test]
    fn nothing_is_a_headline_of_no_words() {
        let [words, neighbours, pieces, forms] = features(" — ");
        assert!(words.is_empty() && pieces.is_empty());
        assert_eq!((neighbours.len(), forms), (1, BTreeSet::from([0, 10])));
    }
}
