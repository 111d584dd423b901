//! Splits lists without commas, of places or of subjects.
//!
//! Input: a part of a sentence of interests. Output: a part for each name, if it has nothing else.

use super::lexicon::Lexicon;
use super::parts::Part;
use super::places::Places;
use super::words::light_stem;

/// Fewer places without commas may be one subject, such as the relations of two countries.
const MIN_LISTED_PLACES: usize = 3;

/// Fewer names of subjects without commas may be one subject of several words.
const MIN_LISTED_NAMES: usize = 4;
/// What the names together have at least, if they are one less.
const MIN_LISTED_WORDS: usize = 5;

/// Splits a list without commas: of places ("Israel Gaza Lebanon Iran"), or of subjects if it is the whole sentence
/// ("climate policy chess archaeology rugby").
pub(super) fn listed(part: Part<'_>, is_whole: bool) -> Vec<Part<'_>> {
    let words: Vec<&str> = part.tokens.iter().map(|token| token.word.as_str()).collect();
    let place = |at: usize| Places::shipped().find(&words[at..]).map(|(_, length)| length);
    let cut = |lengths: &[usize]| {
        let ends = lengths.iter().scan(0, |end, length| {
            *end += length;
            Some(*end)
        });
        let tokens = ends.zip(lengths).map(|(end, length)| part.tokens[end - length..end].to_vec());
        tokens.map(|tokens| Part { tokens, ..part.clone() }).collect()
    };
    if let Some(places) = lengths(words.len(), place).filter(|places| places.len() >= MIN_LISTED_PLACES) {
        return cut(&places);
    }
    let stems: Vec<String> = words.iter().map(|word| light_stem(word)).collect();
    let name = |at: usize| place(at).or_else(|| Lexicon::shipped().name_at(&stems[at..]));
    let is_list = |names: &Vec<usize>| {
        names.len() >= MIN_LISTED_NAMES || names.len() + 1 == MIN_LISTED_NAMES && words.len() >= MIN_LISTED_WORDS
    };
    match lengths(words.len(), name).filter(|names| is_whole && is_list(names)) {
        Some(names) => cut(&names),
        None => vec![part],
    }
}

/// Returns the lengths of the names that make up `count` words; `None` if other words are among them.
fn lengths(count: usize, name: impl Fn(usize) -> Option<usize>) -> Option<Vec<usize>> {
    let mut at = 0;
    let mut found = Vec::new();
    while at < count {
        found.push(name(at)?);
        at += found.last()?;
    }
    Some(found)
}
