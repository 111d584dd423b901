//! Features of a headline: hashed words, word n-grams (2 and 3), character n-grams (3 to 5), and surface forms.

use std::collections::BTreeSet;

/// Hash buckets of a feature family.
pub(super) const BUCKETS: usize = 1 << 16;
pub(super) const FORMS: usize = 16;
pub(super) const FAMILIES: usize = 4;

/// The rest of a longer headline is ignored.
const MAX_CHARS: usize = 300;

/// Returns the active features of a headline by family: words, word n-grams, character n-grams, forms.
pub(super) fn features(headline: &str) -> [BTreeSet<usize>; FAMILIES] {
    let words = words(headline);
    [
        words.iter().map(|word| bucket(word)).collect(),
        neighbours(&words),
        words.iter().flat_map(|word| pieces(word)).collect(),
        forms(&words),
    ]
}

/// Splits into lower-case words with digits as 0 and without apostrophes. Percent and currency signs are words.
fn words(headline: &str) -> Vec<String> {
    let opening: String = headline.chars().take(MAX_CHARS).collect();
    let mut words = vec![String::new()];
    for character in opening.to_lowercase().chars() {
        if is_word_char(character) {
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

/// Uses ranges of code points, which the training script shares, instead of Unicode tables, which differ between
/// releases.
fn is_word_char(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_alphanumeric();
    }
    let is_mark = matches!(character, '\u{d7}' | '\u{f7}' | '\u{2000}'..='\u{2bff}' | '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff0f}');
    matches!(character, '\u{c0}'..='\u{1efff}') && !is_mark
}

/// Hashes pairs and triples of words, with markers for the beginning and end of the headline.
fn neighbours(words: &[String]) -> BTreeSet<usize> {
    let marked: Vec<&str> =
        std::iter::once("<").chain(words.iter().map(String::as_str)).chain(std::iter::once(">")).collect();
    marked.windows(2).chain(marked.windows(3)).map(|run| bucket(&run.join(" "))).collect()
}

/// Hashes character n-grams of three to five characters, with markers for the beginning and end of the word.
fn pieces(word: &str) -> Vec<usize> {
    let marked: Vec<char> = std::iter::once('<').chain(word.chars()).chain(std::iter::once('>')).collect();
    (3..=5).flat_map(|length| marked.windows(length)).map(|piece| bucket(&piece.iter().collect::<String>())).collect()
}

/// Encodes the length of the headline, a leading number, and the share of short words.
fn forms(words: &[String]) -> BTreeSet<usize> {
    let short = words.iter().filter(|word| word.chars().count() <= 3).count();
    let mut found = BTreeSet::from([(words.len() / 3).min(6), 10 + (4 * short / words.len().max(1)).min(3)]);
    if let Some(first) = words.first().filter(|word| word.chars().all(|character| character == '0')) {
        found.insert(if first.len() <= 2 { 8 } else { 9 });
    }
    found
}

/// FNV-1a with 32 bits, folded to 16.
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
