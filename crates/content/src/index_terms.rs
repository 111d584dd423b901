//! The terms of the index: stems without accents, and each character of scripts without spaces as a word of its own.
//!
//! Input: texts, and the words of a query. Output: terms, which both databases store and look up unchanged. Called when
//! items and documents are stored, and for each query. Pure, except that the process remembers the stems of words.
//!
//! A stemmer needs the accents of its language ("información", "informar"), so a word is stemmed first. If its spelling
//! without accents has another stem, that one is added behind the text, where it is found but is no part of a phrase.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use foldhash::HashMap;
use memchr::memchr_iter;

use crate::accents::{fold, is_mark, without_accent};
use crate::stems::{SearchTerms, TermExtractor, each_index_word, is_part_of_word, phrase_stems, query_stems};

/// A word or phrase in each form in which it may be indexed. One form has to occur, its words adjacent. A word that
/// ends in `*` stands for all that begin with it.
pub type Forms = Vec<Vec<String>>;

/// Between the added terms, so that they form no phrase. No query contains it: words do not begin with `+`.
pub const SEPARATOR: &str = "+";
/// Ends a word of a query that stands for all words that begin with it.
pub const ANY_ENDING: char = '*';
/// Endings as they are written without accents, and with those that a stemmer needs.
const ENDINGS: [(&str, &str); 10] = [
    ("acion", "ación"),
    ("ucion", "ución"),
    ("acao", "ação"),
    ("acoes", "ações"),
    ("ucao", "ução"),
    ("ucoes", "uções"),
    ("ees", "ées"),
    ("ee", "ée"),
    ("ites", "ités"),
    ("ite", "ité"),
];

/// Those that the process computes share what they know of words.
static SHARED: LazyLock<Mutex<IndexTerms>> = LazyLock::new(Mutex::default);
/// Maximum number of words and languages that are known. When it is reached, all are forgotten before the next text.
const MAX_KNOWN_WORDS: usize = 32_768;

/// Computes the terms of many texts.
#[derive(Debug, Default)]
pub struct IndexTerms {
    stems: TermExtractor,
    /// By language, words with accents, and their stem without accents if it is another one. Texts share most words.
    others: HashMap<String, HashMap<String, Option<String>>>,
}

impl IndexTerms {
    /// Returns what the whole process uses. To be held for some texts at most, and not while waiting for anything.
    pub fn shared() -> MutexGuard<'static, Self> {
        SHARED.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the terms of a text. `language` is an ISO 639-1 code; English if it is unknown.
    pub fn terms(&mut self, title: &str, body: &str, language: Option<&str>) -> SearchTerms {
        if self.known_words() >= MAX_KNOWN_WORDS {
            *self = Self::default();
        }
        let (title, body) = (separated(title), separated(body));
        let stems = self.stems.terms(&title, &body, language);
        SearchTerms {
            title: self.without_accents(&title, stems.title, language),
            body: self.without_accents(&body, stems.body, language),
        }
    }

    /// Number of words and languages that are known.
    fn known_words(&self) -> usize {
        self.stems.known_words() + self.others.values().map(|words| words.len() + 1).sum::<usize>()
    }

    /// Removes the accents of a text's stems, and adds the stems of its words as they are written without accents.
    fn without_accents(&mut self, text: &str, stems: String, language: Option<&str>) -> String {
        if !has_other_letters(text) {
            return stems;
        }
        let mut terms = fold(&stems);
        for plain in self.other_stems(text, language) {
            for part in [" ", SEPARATOR, " ", plain.as_str()] {
                terms.push_str(part);
            }
        }
        terms
    }

    /// Returns the stems of a text's words as they are written without accents, if they are other ones.
    fn other_stems(&mut self, text: &str, language: Option<&str>) -> BTreeSet<String> {
        let Self { stems, others } = self;
        let others = others.entry(language.unwrap_or_default().to_owned()).or_default();
        let mut found = BTreeSet::new();
        each_index_word(text, |word| {
            if word.is_ascii() || !word.chars().any(|c| without_accent(c).is_some()) {
                return;
            }
            if let Some(other) = others.get(word) {
                found.extend(other.clone());
                return;
            }
            let plain = stems.terms(&fold(word), "", language).title;
            let other = (plain != fold(&stems.terms(word, "", language).title)).then_some(plain);
            found.extend(other.clone());
            others.insert(word.to_owned(), other);
        });
        found
    }
}

/// Returns every term under which a word of a text or of a query can be indexed. Of a word of several parts, those of
/// all parts.
#[must_use]
pub fn index_terms(word: &str) -> BTreeSet<String> {
    let word = separated(word);
    let mut terms: BTreeSet<String> = query_stems(&word).iter().map(|stem| fold(stem)).collect();
    if !word.is_ascii() {
        terms.extend(query_stems(&fold(&word)));
    }
    terms
}

/// Whether a character is a word of its own, as of scripts that have no spaces where words end: Chinese, Japanese and
/// Korean; Thai, Lao, Burmese and Khmer.
#[must_use]
pub const fn is_word_alone(c: char) -> bool {
    matches!(c,
        '\u{e01}'..='\u{e4e}' | '\u{e81}'..='\u{ece}' | '\u{edc}'..='\u{edf}' | '\u{1000}'..='\u{103f}'
        | '\u{1050}'..='\u{108f}' | '\u{1780}'..='\u{17d3}'
        | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{3096}' | '\u{309d}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}'
        | '\u{30fc}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// Removes accents that follow their letter, which are no letters and would divide the word, and separates the
/// characters that are words of their own.
fn separated(text: &str) -> Cow<'_, str> {
    if !has_other_letters(text) || !text.chars().any(|c| is_mark(c) || is_word_alone(c)) {
        return Cow::Borrowed(text);
    }
    let mut separated = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !is_mark(*c)) {
        if is_word_alone(c) {
            separated.extend([' ', c, ' ']);
        } else {
            separated.push(c);
        }
    }
    Cow::Owned(separated)
}

/// Whether a text contains letters, or marks of letters, other than those of ASCII. Most texts only have other
/// punctuation, which comes before the first Latin letter with an accent (U+00C0) or in a block of its own (U+2000 to
/// U+2BFF). In UTF-8, the former begins with 0xc3, and the latter with 0xe2 and 0x80 to 0xaf.
fn has_other_letters(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().any(|byte| *byte >= 0xc3 && *byte != 0xe2)
        || memchr_iter(0xe2, bytes).any(|at| bytes.get(at + 1).is_some_and(|next| *next > 0xaf))
}

/// Returns the forms of a word or phrase of a query; empty if it contains no letter or digit.
#[must_use]
pub fn forms(text: &str) -> Forms {
    let mut forms = Forms::new();
    let separated = separated(text);
    let plain = fold(&separated);
    for text in [&*separated, plain.as_str()] {
        let phrases = phrase_stems(text);
        let is_word = phrases.iter().all(|words| words.len() == 1);
        let found: Vec<Vec<String>> = if is_word {
            query_stems(text).into_iter().map(|stem| vec![stem]).collect()
        } else {
            // The added terms are no part of a phrase.
            phrases.into_iter().chain(phrase_stems(&with_endings(text))).collect()
        };
        extend_once(&mut forms, found);
    }
    forms
}

/// Returns the forms of a word and of all words that begin with it; `None` if it has less than three letters or digits,
/// or several parts.
#[must_use]
pub fn forms_of_beginning(word: &str) -> Option<Forms> {
    let mut parts = Vec::new();
    each_index_word(&fold(&separated(word)), |part| parts.push(part.to_owned()));
    let [part] = parts.as_slice() else { return None };
    if part.chars().count() < 3 {
        return None;
    }
    let mut forms = forms(word);
    forms.push(vec![format!("{part}{ANY_ENDING}")]);
    Some(forms)
}

/// Writes the endings of words with the accents that they have in their language.
fn with_endings(text: &str) -> String {
    let word = |word: &str| {
        let ending = ENDINGS.iter().find_map(|(plain, accented)| Some((word.strip_suffix(plain)?, accented)));
        ending.map_or_else(|| word.to_owned(), |(root, accented)| format!("{root}{accented}"))
    };
    let is_between = |c: char| !is_part_of_word(c) && !matches!(c, '+' | '#');
    text.to_lowercase().split(is_between).map(word).collect::<Vec<_>>().join(" ")
}

/// Returns forms as they are indexed, whatever accents they have.
#[must_use]
pub fn indexed(forms: &Forms) -> Forms {
    let mut all = Forms::new();
    extend_once(&mut all, forms.iter().map(|words| words.iter().flat_map(|word| pieces(word)).collect()));
    all
}

/// Returns the terms of a stem: several if it contains characters that are words of their own.
#[must_use]
pub fn pieces(stem: &str) -> Vec<String> {
    fold(&separated(stem)).split_whitespace().map(str::to_owned).collect()
}

fn extend_once(forms: &mut Forms, more: impl IntoIterator<Item = Vec<String>>) {
    for form in more {
        if !form.is_empty() && !forms.contains(&form) {
            forms.push(form);
        }
    }
}

#[cfg(test)]
mod tests;
