//! Corrects typing errors in interests: a word unknown to the texts and tables is replaced by the most frequent English
//! word at edit distance 1, or divided into two words.
//!
//! Input: clauses, and the texts they are searched in. Output: the clauses with corrected words, and a list of the
//! corrections.

use strsim::osa_distance;

use super::clauses::Clause;
use super::documents::Corpus;
use super::frequencies::DocumentFrequencies;
use super::lexicon::Lexicon;
use super::places::Places;
use super::word_vectors::WordVectors;
use super::wordings::abbreviated;
use super::words::{function_words, is_content, is_function_word, light_stem, next_word};

/// Shorter words have too many neighbours, except by an exchange of two letters.
const MIN_LETTERS: usize = 5;
const MIN_LETTERS_OF_EXCHANGE: usize = 4;
/// Letters from which on a second error is corrected.
const MIN_LETTERS_OF_TWO_ERRORS: usize = 8;
/// Letters of each word that an unknown one is divided into.
const MIN_LETTERS_OF_PART: usize = 4;
/// A word that at most this many stored texts have is an error if this many have the word that it lacks one letter of.
const MAX_TEXTS_OF_ERROR: usize = 1;
const MIN_TEXTS_OF_CORRECTION: usize = 5;
/// Corrections are limited to this many of the most frequent English words.
const FREQUENT: usize = 15_000;

/// A word of interests, and its correction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    pub written: String,
    pub read_as: String,
}

impl Correction {
    /// Returns a text with the word, given in lower case, put right, with a capital if it has one there or names a place.
    #[must_use]
    pub fn apply(&self, text: &str) -> String {
        let mut put_right = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(word) = next_word(rest) {
            let (before, after) = (&rest[..word.start], &rest[word.start + word.text.len()..word.end]);
            let is_capital = word.text.starts_with(char::is_uppercase) || Places::shipped().is_named_by(&self.read_as);
            put_right.push_str(before);
            match self.read_as.chars().next().filter(|_| word.text.to_lowercase() == self.written) {
                Some(first) if is_capital => {
                    put_right.extend(first.to_uppercase());
                    put_right.push_str(&self.read_as[first.len_utf8()..]);
                }
                Some(_) => put_right.push_str(&self.read_as),
                None => put_right.push_str(word.text),
            }
            put_right.push_str(after);
            rest = &rest[word.end..];
        }
        put_right + rest
    }
}

/// Corrects the words of `clauses` in place and returns the corrections. A word is corrected if it consists of at least
/// [`MIN_LETTERS`] lower-case ASCII letters and occurs neither in the corpus, the stored items, nor the tables. It is
/// replaced by the most frequent English word with the same first letter at an optimal string alignment distance of 1
/// (a letter missing, added, replaced or transposed), or of 2 if it is long, there is no nearer one, and the last letter
/// is the same. Of words at the same distance, one that is a subject together with the word beside it comes first, then
/// one with two letters exchanged, since most errors of that look are exchanges ("balck"). A word of four letters is
/// replaced only by such a one. A word that consists of two is read as these, if they name a subject or stand side by
/// side in a text. A word with two letters of a function word exchanged is left out. Clauses with English wordings are
/// unchanged. If most words are unknown even when corrected, or none is known and not all can be corrected, the
/// interests are assumed to be in another language and nothing is corrected.
pub(super) fn correct(
    clauses: &mut [Clause],
    corpus: &Corpus,
    frequencies: &dyn DocumentFrequencies,
) -> Vec<Correction> {
    let is_known = |word: &str| {
        WordVectors::shipped().rank(word).is_some()
            || Lexicon::shipped().is_of_topics(word)
            || (corpus.id(word).is_some() || frequencies.documents_with(word) > 0) && !lacks_letter(word, frequencies)
    };
    let all: Vec<&String> = clauses.iter().flat_map(|clause| &clause.words).collect();
    let known = all.iter().filter(|word| is_known(word)).count();
    let corrected = all.iter().filter(|word| is_plain(word) && !is_known(word) && nearest(word, &[]).is_some()).count();
    // Interests of which few words are known even when corrected, or none and not all can be, are in another language.
    if known == 0 && corrected < all.len() || 2 * (known + corrected) < all.len() {
        return Vec::new();
    }
    let mut corrections = Vec::new();
    for clause in clauses.iter_mut().filter(|clause| clause.english.is_empty()) {
        let mut words = Vec::with_capacity(clause.words.len());
        for (at, word) in clause.words.iter().enumerate() {
            let is_error = is_plain(word) && !is_known(word);
            let beside = || pairs(&clause.words, at);
            let read_as = if is_error { apart(word, corpus).or_else(|| nearest_form(word, &beside())) } else { None };
            words.extend(read_as.as_ref().unwrap_or(word).split(' ').map(str::to_owned));
            corrections.extend(read_as.map(|read_as| Correction { written: word.clone(), read_as }));
        }
        if words != clause.words {
            let is_one_of_several = words.iter().any(|word| is_content(word));
            words.retain(|word| !is_one_of_several || is_content(word));
            words = abbreviated(&words.iter().map(String::as_str).collect::<Vec<_>>());
        }
        clause.words = words;
        leave_out_function_words(&mut clause.words, is_known);
    }
    corrections
}

/// Leaves out words with two letters of a function word exchanged ("migth"), unless nothing else is left.
fn leave_out_function_words(words: &mut Vec<String>, is_known: impl Fn(&str) -> bool) {
    let is_function = |word: &String| is_plain(word) && !is_known(word) && is_exchanged_function_word(word);
    if !words.iter().all(is_function) {
        words.retain(|word| !is_function(word));
    }
}

fn is_exchanged_function_word(word: &str) -> bool {
    let is_exchange = |known: &str| has_same_letters(known, word) && osa_distance(known, word) == 1;
    function_words().any(is_exchange)
}

/// Returns the two words that an unknown one consists of, if they name a subject or a text has them side by side:
/// "boardgames", "screentime".
fn apart(word: &str, corpus: &Corpus) -> Option<String> {
    let is_subject = |one: &str, other: &str| {
        let stems = [light_stem(one), light_stem(other)];
        Lexicon::shipped().name_at(&stems) == Some(stems.len())
    };
    let is_word = |part: &str| WordVectors::shipped().rank(part).is_some();
    let splits = (MIN_LETTERS_OF_PART..=word.len().checked_sub(MIN_LETTERS_OF_PART)?).map(|at| word.split_at(at));
    let mut parts = splits.filter(|(one, other)| is_word(one) && is_word(other));
    let found = parts.find(|(one, other)| is_subject(one, other) || corpus.has_pair(one, other));
    found.map(|(one, other)| format!("{one} {other}"))
}

/// Returns the nearest word, or that to the singular.
fn nearest_form(word: &str, beside: &[Beside]) -> Option<String> {
    let singular = || word.strip_suffix('s').filter(|singular| is_plain(singular));
    nearest(word, beside).or_else(|| nearest(singular()?, beside)).map(str::to_owned)
}

fn is_plain(word: &str) -> bool {
    word.len() >= MIN_LETTERS_OF_EXCHANGE && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Whether hardly a stored text has a word, and many have the one that it lacks a letter of: the texts have errors too.
/// A name may differ from a frequent word by another letter.
fn lacks_letter(word: &str, frequencies: &dyn DocumentFrequencies) -> bool {
    let is_rare = is_plain(word) && frequencies.documents_with(word) <= MAX_TEXTS_OF_ERROR;
    let whole = if is_rare { nearest(word, &[]).filter(|whole| whole.len() == word.len() + 1) } else { None };
    whole.is_some_and(|whole| frequencies.documents_with(whole) >= MIN_TEXTS_OF_CORRECTION)
}

/// A word beside another, given its stem.
#[derive(Debug, Clone)]
enum Beside {
    Before(String),
    After(String),
}

impl Beside {
    /// Whether it is a subject's name together with a word: "black holes", "interest rates".
    fn names_subject_with(&self, word: &str) -> bool {
        let stem = light_stem(word);
        let pair = match self {
            Self::Before(other) => [other.clone(), stem],
            Self::After(other) => [stem, other.clone()],
        };
        Lexicon::shipped().name_at(&pair) == Some(pair.len())
    }
}

/// Returns the words before and after that at `at`.
fn pairs(words: &[String], at: usize) -> Vec<Beside> {
    let before = at.checked_sub(1).and_then(|before| words.get(before)).map(|word| Beside::Before(light_stem(word)));
    let after = words.get(at + 1).map(|word| Beside::After(light_stem(word)));
    before.into_iter().chain(after).collect()
}

/// Whether two words of one distance have the same letters, two of them exchanged.
fn has_same_letters(one: &str, other: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters = word.as_bytes().to_vec();
        letters.sort_unstable();
        letters
    };
    one.len() == other.len() && sorted(one) == sorted(other)
}

/// Returns the most frequent of the nearest words with the same first letter, or of them the one that fits best what
/// stands `beside` it, or has the same letters; `None` if none is near enough.
fn nearest(word: &str, beside: &[Beside]) -> Option<&'static str> {
    let max = if word.len() >= MIN_LETTERS_OF_TWO_ERRORS { 2 } else { 1 };
    let frequent = WordVectors::shipped().words().iter().take(FREQUENT);
    let near =
        frequent.filter(|known| known.len().abs_diff(word.len()) <= max && known.as_bytes()[0] == word.as_bytes()[0]);
    let near = near.filter(|known| !is_function_word(known));
    // Other endings are forms of another word: "falconry" is not "falcons".
    let is_form = |known: &&str| known.as_bytes().last() == word.as_bytes().last();
    let near: Vec<(usize, &'static str)> =
        near.map(|known| (osa_distance(known, word), *known)).filter(|(distance, _)| *distance <= max).collect();
    let distance = near.iter().map(|(distance, _)| *distance).min()?;
    let nearest = near.iter().filter(|(other, _)| *other == distance).map(|(_, known)| *known);
    // Of equal ones, `min_by_key` returns the first, which is the most frequent.
    let nearest = nearest.min_by_key(|known| {
        let is_pair = beside.iter().any(|beside| beside.names_subject_with(known));
        (!is_pair, distance > 1 || !has_same_letters(known, word))
    });
    let is_short = word.len() < MIN_LETTERS;
    nearest.filter(|known| if is_short { has_same_letters(known, word) } else { distance <= 1 || is_form(known) })
}

#[cfg(test)]
mod tests {
    use super::super::clauses::Interests;
    use super::super::documents::TextParts;
    use super::super::frequencies::NoFrequencies;
    use super::*;

    fn corrected(interests: &str, text: &str) -> Vec<(String, String)> {
        let corpus = Corpus::of(&[TextParts { title: text, body: "", categories: &[], is_english: true }]);
        let mut clauses = Interests::parse(interests).clauses;
        let found = correct(&mut clauses, &corpus, &NoFrequencies);
        found.into_iter().map(|correction| (correction.written, correction.read_as)).collect()
    }

    #[test]
    fn a_typing_error_is_put_right() {
        let pair = |written: &str, read_as: &str| (written.to_owned(), read_as.to_owned());
        assert_eq!(corrected("intrest rates and taxes", "Bread"), [pair("intrest", "interest")]);
        assert_eq!(corrected("vacines for children", "Bread"), [pair("vacines", "vaccines")]);
        assert_eq!(corrected("chidlren, schools", "Bread"), [pair("chidlren", "children")]);
        assert_eq!(corrected("astromony, schools", "Bread"), [pair("astromony", "astronomy")]);
        assert_eq!(corrected("survailance", "Bread"), [pair("survailance", "surveillance")]);
        let both = [pair("astromony", "astronomy"), pair("phsyics", "physics")];
        assert_eq!(corrected("astromony, phsyics and animals", "Bread"), both);
    }

    #[test]
    fn exchanged_letters_are_put_back() {
        let pair = |written: &str, read_as: &str| (written.to_owned(), read_as.to_owned());
        assert_eq!(corrected("balck holes", "Bread"), [pair("balck", "black")], "not “back”");
        assert_eq!(corrected("balck friday, schools", "Bread"), [pair("balck", "black")]);
        assert_eq!(corrected("wolrd records", "Bread"), [pair("wolrd", "world")]);
        assert_eq!(corrected("family lfie", "Bread"), [pair("lfie", "life")], "four letters");
        assert_eq!(corrected("family lifx", "Bread"), [], "four letters, of which one is another");
    }

    #[test]
    fn a_correction_fits_the_word_beside_it() {
        let read_as = |words: &[&str], at: usize| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            nearest(&words[at], &pairs(&words, at))
        };
        assert_eq!(read_as(&["artistc", "swimming"], 0), Some("artistic"));
        assert_eq!(read_as(&["academc", "publishing"], 0), Some("academic"));
        assert_eq!(read_as(&["academc"], 0), Some("academy"), "alone, the most frequent");
    }

    #[test]
    fn a_correction_is_no_function_word() {
        let pair = |written: &str, read_as: &str| (written.to_owned(), read_as.to_owned());
        let both = [pair("extrem", "extreme"), pair("wether", "weather")];
        assert_eq!(corrected("extrem wether", "Bread"), both, "not “whether”; and the stem of a word is no word");
    }

    #[test]
    fn a_word_that_consists_of_two_is_divided() {
        let pair = |written: &str, read_as: &str| (written.to_owned(), read_as.to_owned());
        assert_eq!(corrected("boardgaming, boardgame, music", "Bread"), [], "words of a subject");
        assert_eq!(corrected("gardenfences, music", "Bread"), []);
        assert_eq!(corrected("gardenfences, music", "Mending garden fences"), [pair("gardenfences", "garden fences")]);
        assert_eq!(corrected("blackholes, music", "Bread"), [pair("blackholes", "black holes")], "a subject's name");
        let mut clauses = Interests::parse("blackholes, music").clauses;
        correct(&mut clauses, &Corpus::of(&[]), &NoFrequencies);
        assert_eq!(clauses[0].words, ["black", "holes"]);
    }

    #[test]
    fn a_misspelt_function_word_is_left_out() {
        let mut clauses = Interests::parse("books that migth help").clauses;
        correct(&mut clauses, &Corpus::of(&[]), &NoFrequencies);
        assert_eq!(clauses[0].words, ["books", "help"]);
    }

    #[test]
    fn a_plural_is_corrected_as_its_singular() {
        let found = corrected("freindships, children", "Bread");
        assert_eq!(found, [("freindships".to_owned(), "friendship".to_owned())]);
    }

    struct Stored(&'static str, usize);

    impl DocumentFrequencies for Stored {
        fn documents(&self) -> usize {
            300
        }

        fn documents_with(&self, word: &str) -> usize {
            if word == self.0 { self.1 } else { usize::from(word == "batery" || word == "milei") }
        }
    }

    #[test]
    fn a_word_that_the_texts_have_once_may_lack_a_letter() {
        let read_as = |interests: &str, stored: Stored| {
            let mut clauses = Interests::parse(interests).clauses;
            correct(&mut clauses, &Corpus::of(&[]), &stored);
            clauses.remove(0).words
        };
        assert_eq!(read_as("batery, children", Stored("battery", 20)), ["battery"]);
        assert_eq!(read_as("batery, children", Stored("battery", 1)), ["batery"], "as rare");
        assert_eq!(read_as("milei, children", Stored("miles", 90)), ["milei"], "a name with another letter");
    }

    #[test]
    fn a_clause_is_written_without_its_error() {
        let correction = |written: &str, read_as: &str| Correction { written: written.into(), read_as: read_as.into() };
        let helth = correction("helth", "health");
        assert_eq!(helth.apply("helth insurance, Helth’s cost"), "health insurance, Health’s cost");
        assert_eq!(helth.apply("healthy"), "healthy");
        assert_eq!(correction("austrlian", "australian").apply("austrlian housing"), "Australian housing");
    }

    #[test]
    fn a_word_that_something_knows_is_left() {
        assert_eq!(corrected("clojure and databases", "Bread"), [], "a subject's word");
        assert_eq!(corrected("vacines for children", "All of Vacines"), [], "a word of the texts");
        assert_eq!(corrected("zzyzx, children", "Bread"), [], "a word that is near to nothing");
        assert_eq!(corrected("falconry, children", "Bread"), [], "another form");
    }

    #[test]
    fn words_of_another_language_are_left() {
        assert_eq!(corrected("partita italiano calcistico", "Bread"), []);
        assert_eq!(corrected("Klimawandl und Energie", "Bread"), []);
    }
}
