//! Indexes passages as sentences of numbered words, for comparison with questions.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::duration_words::in_digits;
use super::prompt_injection::is_prompt_injection;
use super::quotable::{is_statement, refers_back};
use super::{Block, CandidatePassage};
use crate::text::tokens::snowball_stem;

/// Maximum words of an answer. A longer sentence cannot be quoted.
pub const MAX_WORDS: usize = 60;

static ENGLISH: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("function_words/en.txt").split_whitespace().collect());

/// The words of other languages that have no content in a question of any language.
static FOREIGN: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("question_words.txt").split_whitespace().collect());

/// Returns the words of a text in lower case, in order. `9.20`, `09:30` and `94,000` are one word each, "hasn't" is
/// "has not", and "we'll" is "we".
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
            continue;
        }
        let joins = matches!(c, '.' | ',' | ':') && word.ends_with(|c: char| c.is_ascii_digit());
        if joins && chars.peek().is_some_and(char::is_ascii_digit) {
            word.push(c);
            continue;
        }
        if matches!(c, '\'' | '’') && !word.is_empty() {
            let ending: String = chars.clone().take_while(|c| c.is_alphanumeric()).collect();
            match ending.to_lowercase().as_str() {
                // Neither a possessive ending nor a shortened verb is a word.
                "s" | "re" | "ve" | "ll" | "d" | "m" => skip(&mut chars, &ending),
                "t" if word.ends_with('n') => {
                    skip(&mut chars, &ending);
                    words.push(without_negation(&word));
                    "not".clone_into(&mut word);
                }
                _ => {}
            }
        }
        if !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

fn skip(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, ending: &str) {
    chars.by_ref().take(ending.chars().count()).for_each(drop);
}

/// Returns the verb of a contraction with "not", of which what stands before the apostrophe is given: "has" for "hasn".
fn without_negation(word: &str) -> String {
    match word {
        "ca" | "can" => "can",
        "wo" | "won" => "will",
        "sha" | "shan" => "shall",
        "ai" | "ain" => "is",
        _ => word.strip_suffix('n').unwrap_or(word),
    }
    .to_owned()
}

/// Returns whether a lower-case word is a content word.
pub(super) fn is_content(word: &str) -> bool {
    let is_number = word.starts_with(|c: char| c.is_ascii_digit());
    (is_number || word.chars().nth(1).is_some()) && !ENGLISH.contains(word) && !FOREIGN.contains(word)
}

/// Returns whether a lower-case word has no content in English.
pub(super) fn is_english_word(word: &str) -> bool {
    ENGLISH.contains(word)
}

/// Returns whether a lower-case word stands in a text with a capital, after its first word: then it is a name.
#[must_use]
pub fn is_capitalised(text: &str, word: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.skip(1).any(|one| one.starts_with(char::is_uppercase) && one.to_lowercase() == word)
}

/// Returns the words of a text that have content, without duplicates.
#[must_use]
pub fn contents(text: &str) -> Vec<String> {
    distinct_contents(words(text))
}

/// The same of a question, with its durations and dozens in digits, as those of passages are compared.
pub(super) fn contents_in_digits(question: &str) -> Vec<String> {
    distinct_contents(in_digits(words(question)))
}

fn distinct_contents(words: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    words.into_iter().filter(|word| is_content(word) && seen.insert(word.clone())).collect()
}

/// Maximum number of words of a heading in the line of its text.
const MAX_LABEL_WORDS: usize = 3;

/// The number of all passages, and how many contain each stem.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PassageFrequencies {
    pub passages: usize,
    pub having: HashMap<String, usize>,
}

/// A sentence of a passage, or a part of a long one.
#[derive(Debug)]
pub(super) struct Unit<'a> {
    pub(super) passage: usize,
    /// The number of its paragraph, list entry or row among those of all passages.
    pub(super) block: usize,
    pub(super) text: &'a str,
    /// Indexes of its content words.
    pub(super) words: Vec<usize>,
    /// Number of all its words.
    pub(super) length: usize,
    /// Whether it may be quoted.
    pub(super) is_quotable: bool,
}

/// A passage without the content of its sentences.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) heading: Vec<usize>,
    pub(super) title: Vec<usize>,
    /// The range of its sentences.
    pub(super) units: std::ops::Range<usize>,
    pub(super) dated: i64,
}

/// All candidate passages of a question.
#[derive(Debug, Default)]
pub(super) struct Vocabulary<'a> {
    numbers: HashMap<String, usize>,
    pub(super) words: Vec<String>,
    pub(super) stems: Vec<String>,
    pub(super) units: Vec<Unit<'a>>,
    pub(super) parts: Vec<Part>,
    /// Number of passages per stem.
    frequencies: HashMap<String, usize>,
    /// Frequencies in the whole collection, if these passages are a part of it.
    collection: Option<&'a PassageFrequencies>,
}

impl<'a> Vocabulary<'a> {
    /// Indexes the passages. Blocks that give instructions to their reader are skipped, sentences that are too long to
    /// quote are divided.
    pub(super) fn of(candidates: &[CandidatePassage<'a>], collection: Option<&'a PassageFrequencies>) -> Self {
        let mut vocabulary = Self { collection, ..Self::default() };
        let mut number = 0;
        for (passage, candidate) in candidates.iter().enumerate() {
            let heading = vocabulary.content_words(candidate.section);
            let title = vocabulary.content_words(candidate.title.unwrap_or(candidate.document));
            let first = vocabulary.units.len();
            for block in candidate.blocks.iter().filter(|block| !is_prompt_injection(block.text)) {
                let label = run_in_heading(block).or_else(|| lone_cell(block, candidate));
                number += 1;
                for part in block.sentences.iter().flat_map(|sentence| quotable_parts(sentence)) {
                    let mut unit = vocabulary.unit(passage, number, part);
                    unit.is_quotable &= Some(part) != label;
                    vocabulary.units.push(unit);
                }
            }
            let units = first..vocabulary.units.len();
            vocabulary.count(&heading, units.clone());
            vocabulary.parts.push(Part { heading, title, units, dated: candidate.dated });
        }
        vocabulary
    }

    fn unit(&mut self, passage: usize, block: usize, text: &'a str) -> Unit<'a> {
        let all = in_digits(words(text));
        let content = all.iter().filter(|word| is_content(word)).map(|word| self.number(word)).collect();
        let length = word_count(text);
        let is_quotable = length <= MAX_WORDS && is_statement(text);
        Unit { passage, block, text, words: content, length, is_quotable }
    }

    fn content_words(&mut self, text: &str) -> Vec<usize> {
        words(text).iter().filter(|word| is_content(word)).map(|word| self.number(word)).collect()
    }

    fn number(&mut self, word: &str) -> usize {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        let number = self.words.len();
        self.numbers.insert(word.to_owned(), number);
        self.words.push(word.to_owned());
        self.stems.push(snowball_stem(word).into_owned());
        number
    }

    fn count(&mut self, heading: &[usize], units: std::ops::Range<usize>) {
        let inside = self.units[units].iter().flat_map(|unit| &unit.words);
        let stems: HashSet<&String> = inside.chain(heading).map(|word| &self.stems[*word]).collect();
        for stem in stems {
            *self.frequencies.entry(stem.clone()).or_default() += 1;
        }
    }

    /// Returns the words of a passage, its heading and its document's title, by index.
    pub(super) fn words_of<'p>(&'p self, part: &'p Part) -> impl Iterator<Item = usize> + 'p {
        let inside = self.units[part.units.clone()].iter().flat_map(|unit| &unit.words);
        inside.chain(&part.heading).chain(&part.title).copied()
    }

    /// Returns the sentence after another one in its paragraph, if it begins with a pronoun and so completes that one.
    pub(super) fn completing(&self, unit: usize) -> Option<usize> {
        self.following(unit).filter(|next| refers_back(self.units[*next].text))
    }

    /// Returns the sentence after another one in its paragraph.
    pub(super) fn following(&self, unit: usize) -> Option<usize> {
        let next = self.units.get(unit + 1)?;
        (next.block == self.units[unit].block).then_some(unit + 1)
    }

    /// Returns the sentence that another one completes.
    pub(super) fn completed_by(&self, unit: usize) -> Option<usize> {
        unit.checked_sub(1).filter(|before| self.completing(*before) == Some(unit))
    }

    /// Returns the number of passages of the whole collection.
    pub(super) fn passages(&self) -> usize {
        self.collection.map_or(self.parts.len(), |all| all.passages)
    }

    /// Returns how rare a stem is among the passages: 0 to 1, where 1 means that no passage contains it.
    pub(super) fn rarity(&self, stem: &str) -> f64 {
        let (count, frequencies) = match self.collection {
            Some(all) => (as_f64(all.passages), &all.having),
            None => (as_f64(self.parts.len()), &self.frequencies),
        };
        let having = as_f64(frequencies.get(stem).copied().unwrap_or(0)).min(count);
        let weight = |having: f64| (1.0 + (count - having + 0.5) / (having + 0.5)).ln();
        weight(having) / weight(0.0)
    }
}

/// Returns the first sentence of a block if it only names what the others are about: "Remote copies. They are encrypted."
fn run_in_heading<'a>(block: &Block<'a>) -> Option<&'a str> {
    let (first, others) = block.sentences.split_first()?;
    let all = words(first);
    let is_answer =
        matches!(all.first().map(String::as_str), Some("yes" | "no" | "never" | "ja" | "nein" | "oui" | "non" | "sí"));
    let is_label = !others.is_empty() && all.len() <= MAX_LABEL_WORDS && !first.contains(|c: char| c.is_ascii_digit());
    (is_label && !is_answer && first.ends_with('.')).then_some(*first)
}

/// Returns the text of a row of which only the first cell has content, as others of its table show.
fn lone_cell<'a>(block: &Block<'a>, candidate: &CandidatePassage<'_>) -> Option<&'a str> {
    let (column, _) = block.text.split_once(": ").filter(|_| !block.text.contains(" · "))?;
    let has_more = |other: &Block<'_>| {
        other.text.strip_prefix(column).is_some_and(|rest| rest.starts_with(": ") && rest.contains(" · "))
    };
    candidate.blocks.iter().any(has_more).then_some(block.text)
}

fn word_count(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Divides a row of more than [`MAX_WORDS`] words into parts, each of as many cells as can be quoted together. One alone
/// may still be too long. A sentence is not divided: a part may mean the opposite alone ("not covered are fire; theft").
fn quotable_parts(sentence: &str) -> Vec<&str> {
    let separator = " · ";
    if word_count(sentence) <= MAX_WORDS {
        return vec![sentence];
    }
    let (mut parts, mut start, mut end, mut next) = (Vec::new(), 0, 0, 0);
    for (at, found) in sentence.match_indices(separator).chain([(sentence.len(), "")]) {
        if end > start && word_count(&sentence[start..at]) > MAX_WORDS {
            parts.push(&sentence[start..end]);
            start = next;
        }
        (end, next) = (at, at + found.len());
    }
    parts.push(&sentence[start..end]);
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Number words from 1 to 20.
const NUMBER_WORDS: [&str; 20] = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];

/// Returns a number as digits; `None` for other words.
pub(super) fn digits(word: &str) -> Option<String> {
    if word.contains(|c: char| c.is_ascii_digit()) {
        return Some(word.to_owned());
    }
    NUMBER_WORDS.iter().position(|letters| *letters == word).map(|at| (at + 1).to_string())
}

#[expect(clippy::cast_precision_loss, reason = "counts of passages")]
pub(super) const fn as_f64(count: usize) -> f64 {
    count as f64
}

pub(super) fn is_year(word: &str) -> bool {
    word.len() == 4 && (word.starts_with("19") || word.starts_with("20")) && word.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_with_a_capital_within_a_text_is_a_name() {
        let question = "Hallbenach lies where, near Hallbenach or Ostrevik?";
        assert!(is_capitalised(question, "hallbenach") && is_capitalised(question, "ostrevik"));
        assert!(!is_capitalised("Traking costs what, and near where?", "traking"));
    }

    #[test]
    fn numbers_stay_whole_and_possessives_go() {
        assert_eq!(
            words("The keeper's fee: 9.20, at 09:30 (94,000)."),
            ["the", "keeper", "fee", "9.20", "at", "09:30", "94,000"]
        );
        assert_eq!(words("1. Größe, it's 5.x"), ["1", "größe", "it", "5", "x"]);
    }

    #[test]
    fn contractions_leave_no_content() {
        assert_eq!(words("He hasn't, can’t and won't."), ["he", "has", "not", "can", "not", "and", "will", "not"]);
        assert_eq!(words("We'll say they've gone; I'd go."), ["we", "say", "they", "gone", "i", "go"]);
        for question in [
            "Why isn't it, doesn't it, hadn't they, mustn't we, shouldn't they?",
            "What's there, who'd be and who'll be there?",
            "Qu'est-ce qu'il y a, et jusqu'à quand, s'il vous plaît ?",
        ] {
            assert!(contents(question).iter().all(|word| ["vous", "plaît"].contains(&word.as_str())), "{question}");
        }
        assert_eq!(contents("l'accès d'Ida à l'île"), ["accès", "ida", "île"]);
    }

    #[test]
    fn a_long_row_is_divided_between_its_cells() {
        let cell = |words: usize| vec!["word"; words].join(" ");
        let short = format!("{} · {}", cell(20), cell(20));
        assert_eq!(quotable_parts(&short), [short.as_str()]);
        let long = [cell(20), cell(30), cell(40), cell(70)].join(" · ");
        assert_eq!(quotable_parts(&long), [[cell(20), cell(30)].join(" · "), cell(40), cell(70)]);
        assert_eq!(quotable_parts(&cell(70)), [cell(70).as_str()]);
        let denied = format!("The policy does not cover {}; {}", cell(40), cell(40));
        assert_eq!(quotable_parts(&denied), [denied.as_str()]);
    }

    #[test]
    fn a_question_leaves_its_content() {
        assert_eq!(contents("How many berths are there in zone 3?"), ["berths", "zone", "3"]);
        assert!(contents("What is it?").is_empty());
        assert_eq!(contents_in_digits("What does a half-hour crossing cost?"), ["30", "minutes", "crossing", "cost"]);
    }
}
