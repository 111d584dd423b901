//! The terms of the index: stems without accents, and each character of scripts without spaces as a word of its own.
//!
//! Input: texts, and the words of a query. Output: terms, which both databases store and look up unchanged. Called
//! when items and documents are stored, and for each query. Pure.
//!
//! A stemmer needs the accents of its language ("información", "informar"), so a word is stemmed first. If its spelling
//! without accents has another stem, that one is added behind the text, where it is found but is no part of a phrase.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use aha_content::search_terms::{SearchTerms, TermExtractor, each_index_word, phrase_stems, query_stems};

/// A word or phrase in each form in which it may be indexed. One form has to occur, its words adjacent. A word that
/// ends in `*` stands for all that begin with it.
pub type Forms = Vec<Vec<String>>;

/// Between the added terms, so that they form no phrase. No query contains it: words do not begin with `+`.
const SEPARATOR: &str = "+";
/// Ends a word of a query that stands for all words that begin with it.
pub(super) const ANY_ENDING: char = '*';
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

/// Computes the terms of many texts.
#[derive(Debug, Default)]
pub(crate) struct IndexTerms {
    stems: TermExtractor,
    /// By language, words with accents, and their stem without accents if it is another one. Texts share most words.
    others: HashMap<String, HashMap<String, Option<String>>>,
}

impl IndexTerms {
    /// Returns the terms of a text. `language` is an ISO 639-1 code; English if it is unknown.
    pub(crate) fn terms(&mut self, title: &str, body: &str, language: Option<&str>) -> SearchTerms {
        let (title, body) = (separated(title), separated(body));
        let stems = self.stems.terms(&title, &body, language);
        SearchTerms {
            title: self.without_accents(&title, stems.title, language),
            body: self.without_accents(&body, stems.body, language),
        }
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

/// Returns a text in lower case without the accents of Latin, Greek and Cyrillic letters.
#[must_use]
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            folded.push(c.to_ascii_lowercase());
        } else if !is_mark(c) {
            // "İ" is "i" with a mark in lower case.
            for lower in c.to_lowercase().filter(|lower| !is_mark(*lower)) {
                match without_accent(lower) {
                    Some(plain) => folded.push_str(plain),
                    None => folded.push(wide_to_ascii(lower).unwrap_or(lower)),
                }
            }
        }
    }
    folded
}

/// Whether it is an accent that follows its letter, as in texts in the decomposed form of Unicode.
#[must_use]
pub const fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// Whether a character is a word of its own: Chinese, Japanese and Korean, which have no spaces where words end.
#[must_use]
pub const fn is_word_alone(c: char) -> bool {
    matches!(c,
        '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{3096}' | '\u{309d}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}'
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
/// punctuation, which comes before the first Latin letter with an accent or in a block of its own.
fn has_other_letters(text: &str) -> bool {
    !text.is_ascii() && text.chars().any(|c| c >= '\u{c0}' && !matches!(c, '\u{2000}'..='\u{2bff}'))
}

/// Returns the forms of a word or phrase of a query; empty if it contains no letter or digit.
#[must_use]
pub fn forms(text: &str) -> Forms {
    let mut forms = Forms::new();
    let separated = separated(text);
    let plain = fold(&separated);
    for text in [text, &*separated, plain.as_str()] {
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
    let is_between = |c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#');
    text.to_lowercase().split(is_between).map(word).collect::<Vec<_>>().join(" ")
}

/// Returns forms as they are, which entries of an earlier version have, and as they are indexed.
pub(super) fn indexed(forms: &Forms) -> Forms {
    let mut all = Forms::new();
    extend_once(&mut all, forms.iter().cloned());
    extend_once(&mut all, forms.iter().map(|words| words.iter().flat_map(|word| pieces(word)).collect()));
    all
}

/// Returns the terms of a stem: several if it contains characters that are words of their own.
pub(crate) fn pieces(stem: &str) -> Vec<String> {
    fold(&separated(stem)).split_whitespace().map(str::to_owned).collect()
}

fn extend_once(forms: &mut Forms, more: impl IntoIterator<Item = Vec<String>>) {
    for form in more {
        if !form.is_empty() && !forms.contains(&form) {
            forms.push(form);
        }
    }
}

/// Full-width letters and digits, which Chinese and Japanese texts use for Latin ones.
fn wide_to_ascii(c: char) -> Option<char> {
    if !matches!(c, '\u{ff10}'..='\u{ff19}' | '\u{ff41}'..='\u{ff5a}') {
        return None;
    }
    char::from_u32(u32::from(c) - 0xfee0)
}

/// Returns a letter in lower case without its accent; `None` if it has none. As Unicode decomposes it, or for letters
/// with a stroke and ligatures as Lucene's `ASCIIFoldingFilter` writes them.
const fn without_accent(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'þ' => "th",
        'æ' => "ae",
        'œ' => "oe",
        'ĳ' => "ij",
        'ﬀ' => "ff",
        'ﬁ' => "fi",
        'ﬂ' => "fl",
        'ﬃ' => "ffi",
        'ﬄ' => "ffl",
        'ﬅ' | 'ﬆ' => "st",
        '\u{e0}'..='\u{e5}' | '\u{101}' | '\u{103}' | '\u{105}' => "a",
        'ç' | '\u{107}' | '\u{109}' | '\u{10b}' | '\u{10d}' => "c",
        'ð' | '\u{10f}' | '\u{111}' => "d",
        '\u{e8}'..='\u{eb}' | '\u{113}' | '\u{115}' | '\u{117}' | '\u{119}' | '\u{11b}' => "e",
        '\u{11d}' | '\u{11f}' | '\u{121}' | '\u{123}' => "g",
        '\u{125}' | '\u{127}' => "h",
        '\u{ec}'..='\u{ef}' | '\u{129}' | '\u{12b}' | '\u{12d}' | '\u{12f}' | '\u{131}' => "i",
        '\u{135}' => "j",
        '\u{137}' => "k",
        '\u{13a}' | '\u{13c}' | '\u{13e}' | '\u{140}' | '\u{142}' => "l",
        'ñ' | '\u{144}' | '\u{146}' | '\u{148}' => "n",
        '\u{f2}'..='\u{f6}' | 'ø' | '\u{14d}' | '\u{14f}' | '\u{151}' => "o",
        '\u{155}' | '\u{157}' | '\u{159}' => "r",
        '\u{15b}' | '\u{15d}' | '\u{15f}' | '\u{161}' => "s",
        '\u{163}' | '\u{165}' | '\u{167}' => "t",
        '\u{f9}'..='\u{fc}' | '\u{169}' | '\u{16b}' | '\u{16d}' | '\u{16f}' | '\u{171}' | '\u{173}' => "u",
        '\u{175}' => "w",
        'ý' | 'ÿ' | '\u{177}' => "y",
        '\u{17a}' | '\u{17c}' | '\u{17e}' => "z",
        '\u{180}'..='\u{24f}' => return without_rare_accent(c),
        '\u{370}'..='\u{45f}' => return without_greek_or_cyrillic_accent(c),
        '\u{1e00}'..='\u{1eff}' => return without_additional_accent(c),
        _ => return None,
    })
}

/// Latin Extended-B.
const fn without_rare_accent(c: char) -> Option<&'static str> {
    Some(match c {
        'ǽ' | 'ǣ' => "ae",
        'ǎ' | 'ǟ' | 'ǡ' | 'ǻ' | 'ȁ' | 'ȃ' | 'ȧ' => "a",
        'ȅ' | 'ȇ' | 'ȩ' => "e",
        'ǧ' | 'ǵ' => "g",
        'ȟ' => "h",
        'ǐ' | 'ȉ' | 'ȋ' => "i",
        'ǰ' => "j",
        'ǩ' => "k",
        'ǹ' => "n",
        'ơ' | 'ǒ' | 'ǫ' | 'ǭ' | 'ǿ' | 'ȍ' | 'ȏ' | 'ȫ' | 'ȭ' | 'ȯ' | 'ȱ' => "o",
        'ȑ' | 'ȓ' => "r",
        'ș' => "s",
        'ț' => "t",
        'ư' | 'ǔ' | 'ǖ' | 'ǘ' | 'ǚ' | 'ǜ' | 'ȕ' | 'ȗ' => "u",
        'ȳ' => "y",
        _ => return None,
    })
}

const fn without_greek_or_cyrillic_accent(c: char) -> Option<&'static str> {
    Some(match c {
        'ά' => "α",
        'έ' => "ε",
        'ή' => "η",
        'ί' | 'ϊ' | 'ΐ' => "ι",
        'ό' => "ο",
        'ύ' | 'ϋ' | 'ΰ' => "υ",
        'ώ' => "ω",
        'ς' => "σ",
        'ё' => "е",
        'й' => "и",
        'ї' => "і",
        'ў' => "у",
        _ => return None,
    })
}

/// Latin Extended Additional, in which lower case and upper case alternate.
const fn without_additional_accent(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{1e00}'..='\u{1e01}' | '\u{1e9a}' | '\u{1ea0}'..='\u{1eb7}' => "a",
        '\u{1e02}'..='\u{1e07}' => "b",
        '\u{1e08}'..='\u{1e09}' => "c",
        '\u{1e0a}'..='\u{1e13}' => "d",
        '\u{1e14}'..='\u{1e1d}' | '\u{1eb8}'..='\u{1ec7}' => "e",
        '\u{1e1e}'..='\u{1e1f}' => "f",
        '\u{1e20}'..='\u{1e21}' => "g",
        '\u{1e22}'..='\u{1e2b}' | '\u{1e96}' => "h",
        '\u{1e2c}'..='\u{1e2f}' | '\u{1ec8}'..='\u{1ecb}' => "i",
        '\u{1e30}'..='\u{1e35}' => "k",
        '\u{1e36}'..='\u{1e3d}' => "l",
        '\u{1e3e}'..='\u{1e43}' => "m",
        '\u{1e44}'..='\u{1e4b}' => "n",
        '\u{1e4c}'..='\u{1e53}' | '\u{1ecc}'..='\u{1ee3}' => "o",
        '\u{1e54}'..='\u{1e57}' => "p",
        '\u{1e58}'..='\u{1e5f}' => "r",
        '\u{1e60}'..='\u{1e69}' => "s",
        '\u{1e6a}'..='\u{1e71}' | '\u{1e97}' => "t",
        '\u{1e72}'..='\u{1e7b}' | '\u{1ee4}'..='\u{1ef1}' => "u",
        '\u{1e7c}'..='\u{1e7f}' => "v",
        '\u{1e80}'..='\u{1e89}' | '\u{1e98}' => "w",
        '\u{1e8a}'..='\u{1e8d}' => "x",
        '\u{1e8e}'..='\u{1e8f}' | '\u{1e99}' | '\u{1ef2}'..='\u{1ef9}' => "y",
        '\u{1e90}'..='\u{1e95}' => "z",
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
