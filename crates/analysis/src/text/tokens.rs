//! Normalises words for comparison: lower case, stemmed, without stop words.

use std::borrow::Cow;
use std::cell::RefCell;
use std::hash::BuildHasher as _;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::{FxBuildHasher, FxHashSet};
use unicode_segmentation::UnicodeSegmentation;

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

static STOPS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| STOP_WORDS.iter().copied().collect());

/// Function words of English and the most common ones of German, French and Spanish, sorted.
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "again", "against", "all", "also", "am", "an", "and", "any", "are", "as", "at", "au", "auf",
    "aus", "avec", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by", "can", "con",
    "could", "dans", "das", "de", "del", "dem", "den", "der", "des", "did", "die", "do", "does", "doing", "don",
    "down", "du", "during", "each", "ein", "eine", "el", "en", "est", "et", "few", "for", "from", "further", "für",
    "get", "had", "has", "have", "having", "he", "her", "here", "hers", "him", "his", "how", "i", "if", "in", "into",
    "is", "ist", "it", "its", "just", "la", "las", "le", "les", "los", "may", "me", "mehr", "mit", "more", "most",
    "my", "nicht", "no", "nor", "not", "now", "of", "off", "on", "once", "one", "only", "or", "other", "our", "out",
    "over", "own", "para", "pas", "por", "pour", "que", "qui", "s", "said", "same", "say", "says", "se", "she",
    "should", "sich", "sind", "so", "some", "such", "sur", "t", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "those", "through", "to", "too", "two", "un", "una", "und", "under", "une",
    "until", "up", "us", "very", "von", "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom",
    "why", "will", "with", "would", "you", "your", "zu", "zum", "zur",
];

/// In bytes. Longer words are not looked up.
const MAX_STOP_WORD_BYTES: usize = 7;

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token<'a, T = Cow<'a, str>> {
    /// As written.
    pub written: &'a str,
    /// In the normalised form, for comparison.
    pub term: T,
    /// Whether it begins a sentence, where capitalisation is not evidence.
    pub opens_sentence: bool,
}

/// Returns the content words of `text`, in order.
pub fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    tokens_as(text, compared)
}

/// Like [`tokens`], but with terms from `compared`; words for which it returns `None` are skipped.
pub(crate) fn tokens_as<'a, T>(
    text: &'a str,
    compared: fn(&'a str) -> Option<T>,
) -> impl Iterator<Item = Token<'a, T>> {
    let mut end_of_last = 0;
    let mut fresh = true;
    text.unicode_word_indices().filter_map(move |(at, written)| {
        let opens_sentence = fresh || ends_sentence(text.get(end_of_last..at).unwrap_or(""));
        end_of_last = at + written.len();
        fresh = false;
        Some(Token { written, term: compared(written)?, opens_sentence })
    })
}

/// Returns whether the text between two words ends a sentence. It is usually one space.
fn ends_sentence(between: &str) -> bool {
    between != " " && between.contains(['.', '!', '?', '\n', ':', '“', '"', '•', '—'])
}

/// Returns the normalised form of a word; `None` for stop words. Most words are already in lower case and are not
/// copied.
pub(crate) fn compared(written: &str) -> Option<Cow<'_, str>> {
    if written.bytes().all(|b| b.is_ascii() && !b.is_ascii_uppercase()) {
        return bare(written).map(snowball_stem);
    }
    let lower = written.to_lowercase();
    bare(&lower).map(|bare| Cow::Owned(snowball_stem(bare).into_owned()))
}

/// Returns a lower-case word without its genitive; `None` for a single letter and for [`STOP_WORDS`].
fn bare(lower: &str) -> Option<&str> {
    let bare = lower.strip_suffix("'s").or_else(|| lower.strip_suffix("’s")).unwrap_or(lower);
    let single = bare.chars().nth(1).is_none() && bare.is_ascii() && !bare.starts_with(|c: char| c.is_ascii_digit());
    let is_stop_word = || bare.len() <= MAX_STOP_WORD_BYTES && STOPS.contains(bare);
    (!single && !is_stop_word()).then_some(bare)
}

/// Returns the normalised form of a lower-case word: the English Snowball stem of an ASCII word, otherwise the word
/// itself.
#[must_use]
pub fn snowball_stem(word: &str) -> Cow<'_, str> {
    if word.ends_with(UNCHANGED_ENDINGS) || !word.bytes().all(|b| b.is_ascii_alphabetic()) {
        return Cow::Borrowed(word);
    }
    if word.len() > MAX_CACHED_BYTES {
        STEMMER.stem(word)
    } else {
        STEM_CACHE.with_borrow_mut(|stems| stems.stem(word))
    }
}

/// Final letters of words that the stemmer does not change.
const UNCHANGED_ENDINGS: [char; 14] = ['a', 'b', 'f', 'h', 'j', 'k', 'o', 'p', 'q', 'u', 'v', 'w', 'x', 'z'];

thread_local! {
    static STEM_CACHE: RefCell<StemCache> = RefCell::new(StemCache(vec![Default::default(); CACHED_STEMS]));
}

/// Size of each thread's stem cache, and the maximum length of a cached word, in bytes: most words of a text are a few
/// frequent ones.
const CACHED_STEMS: usize = 8_192;
const MAX_CACHED_BYTES: usize = 24;

/// A direct-mapped cache of stems: a word replaces the previous one in its slot.
struct StemCache(Vec<(Box<str>, Box<str>)>);

impl StemCache {
    fn stem<'a>(&mut self, word: &'a str) -> Cow<'a, str> {
        let hash = usize::try_from(FxBuildHasher.hash_one(word) >> 32).unwrap_or(0);
        let Some((known, stem)) = self.0.get_mut(hash % CACHED_STEMS) else { return STEMMER.stem(word) };
        if **known != *word {
            (*known, *stem) = (word.into(), STEMMER.stem(word).into());
        }
        if word.starts_with(&**stem) { Cow::Borrowed(&word[..stem.len()]) } else { Cow::Owned(stem.to_string()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_sorted_and_short() {
        assert!(STOP_WORDS.is_sorted());
        assert!(STOP_WORDS.iter().all(|word| word.len() <= MAX_STOP_WORD_BYTES));
    }

    #[test]
    fn words_are_folded_and_fillers_left_out() {
        let terms: Vec<_> = tokens("The ferry's engines FAILED; 12 ferries").map(|t| t.term).collect();
        assert_eq!(terms, ["ferri", "engin", "fail", "12", "ferri"]);
    }

    #[test]
    fn a_cached_stem_is_the_same() {
        let words: Vec<String> = (0..2 * CACHED_STEMS).map(|n| format!("{}ies", spelled(n))).collect();
        for word in
            words.iter().chain(&words).map(String::as_str).chain(["ponies", "hoping", "", "internationalisation"])
        {
            assert_eq!(snowball_stem(word), STEMMER.stem(word));
        }
    }

    #[test]
    fn what_ends_no_suffix_is_its_own_stem() {
        let beginnings = ["", "y", "ski", "sayy", "generali", "communes", "hopping", "ationaliti"];
        for (beginning, end) in beginnings.iter().flat_map(|beginning| UNCHANGED_ENDINGS.map(|end| (beginning, end))) {
            let word = format!("{beginning}{end}");
            assert_eq!(STEMMER.stem(&word), word);
        }
        for suffix in ["ing", "es", "ed", "ly", "ies", "ful", "er", "ation", "ment", "al", "ism", "ence"] {
            assert!(!suffix.ends_with(UNCHANGED_ENDINGS));
        }
    }

    fn spelled(number: usize) -> String {
        number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
    }

    #[test]
    fn a_sentence_opening_is_known() {
        let opening: Vec<bool> = tokens("Skerrow waits. Engines at Skerrow").map(|t| t.opens_sentence).collect();
        assert_eq!(opening, [true, false, true, false]);
    }
}
