//! The ways to say a clause: its words with abbreviations in them, and in English where they are in another language.
//!
//! Comes in: the words of a clause. Goes out: words and places that a text is to have.

use super::lexicon::{LONGEST, Lexicon};
use super::places::{PlaceId, Places};
use super::translations::{Language, Translations};
use super::words::{is_content, is_function_word, stem};

/// What a text is to have, in other words than the clause's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wording {
    pub(super) words: Vec<String>,
    pub(super) places: Vec<PlaceId>,
}

/// The English wordings of a part; none where no word of it is translated. Words that are not in the table stay as they are: names, most of them.
pub(super) fn english(words: &[&str], language: Language) -> Vec<Wording> {
    let mut phrases: Vec<Vec<String>> = Vec::new();
    let mut most = 0;
    let mut at = 0;
    while at < words.len() {
        let place = Places::shipped().find(&words[at..]).map_or(0, |(_, length)| length);
        let translated = Translations::shipped()
            .find(language, &words[at..])
            .filter(|(_, length)| *length > place && (*length > 1 || is_content(words[at])));
        if let Some((alternatives, length)) = translated {
            most = most.max(alternatives.len());
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
        let said = phrases.iter().filter_map(|ways| ways.get(number).or_else(|| ways.first()));
        wording(&said.flat_map(|phrase| phrase.split(' ')).collect::<Vec<_>>())
    };
    (0..most).map(nth).collect()
}

/// Words of a table as those of a text: places, and abbreviations in the place of what they stand for.
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

/// With abbreviations in the place of what they stand for, without repetition.
pub(super) fn abbreviated(words: &[&str]) -> Vec<String> {
    let stems: Vec<String> = words.iter().map(|word| stem(word)).collect();
    let mut found: Vec<String> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let short = (2..=LONGEST.min(words.len() - at))
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
