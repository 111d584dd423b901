//! The wordings of a clause: its words with abbreviations, and English translations if it is in another language.
//!
//! Input: the words of a clause. Output: words and places expected in a text.

use super::lexicon::{Lexicon, MAX_PHRASE_WORDS};
use super::places::{PlaceId, Places};
use super::translations::{Language, Translations};
use super::words::{is_content, is_function_word, light_stem};

/// An alternative wording of a clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wording {
    pub(super) words: Vec<String>,
    pub(super) places: Vec<PlaceId>,
}

/// Returns the English wordings of a clause; empty if no word of it is translated. Words that are not in the table stay
/// as they are, since most are names.
pub(super) fn english(words: &[&str], language: Language) -> Vec<Wording> {
    let mut phrases: Vec<Vec<String>> = Vec::new();
    let mut max_alternatives = 0;
    let mut at = 0;
    while at < words.len() {
        let place = Places::shipped().find(&words[at..]).map_or(0, |(_, length)| length);
        let translated = Translations::shipped()
            .find(language, &words[at..])
            .filter(|(_, length)| *length > place && (*length > 1 || is_content(words[at])));
        if let Some((alternatives, length)) = translated {
            max_alternatives = max_alternatives.max(alternatives.len());
            phrases.push(alternatives);
            at += length;
        } else {
            let length = place.max(1);
            if place > 0 || is_content(words[at]) {
                phrases.push(vec![words[at..at + length].join(" ")]);
            }
            at += length;
        }
    }
    let nth = |number: usize| {
        let chosen = phrases.iter().filter_map(|ways| ways.get(number).or_else(|| ways.first()));
        wording(&chosen.flat_map(|phrase| phrase.split(' ')).collect::<Vec<_>>())
    };
    (0..max_alternatives).map(nth).collect()
}

/// Splits translated words into places and other words, with abbreviations.
fn wording(words: &[&str]) -> Wording {
    let (mut places, mut kept, mut at) = (Vec::new(), Vec::new(), 0);
    while at < words.len() {
        if let Some((place, length)) = Places::shipped().find(&words[at..]) {
            places.push(place);
            at += length;
        } else {
            kept.extend(Some(words[at]).filter(|word| !is_function_word(word)));
            at += 1;
        }
    }
    Wording { words: abbreviated(&kept), places }
}

/// Replaces phrases with their abbreviations, and removes duplicates.
pub(super) fn abbreviated(words: &[&str]) -> Vec<String> {
    let stems: Vec<String> = words.iter().map(|word| light_stem(word)).collect();
    let mut found: Vec<String> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let short = (2..=MAX_PHRASE_WORDS.min(words.len() - at))
            .rev()
            .find_map(|length| Some((Lexicon::shipped().abbreviation(&stems[at..at + length])?, length)));
        let (word, length) = short.unwrap_or((words[at], 1));
        if !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
        at += length;
    }
    found
}
