//! Finds the documents of which others are newer versions: of one title, except for its date, and with many of the same
//! sentences. Input: the sentences of whole documents with their dates. Output: which of them are older versions. Pure;
//! called by `src/ask/versions.rs`.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use aha_core::time::Timestamp;
use regex::Regex;

use super::kinds::pattern;
use super::question::Question;
use super::vocabulary::{as_f64, words};

/// Minimum share of the shorter document's sentences that two versions have in common. Versions have 0.4 and more,
/// leaflets of one kind about two things 0.24, minutes and other documents of a series less than 0.1.
const MIN_SHARED: f64 = 0.3;
/// Minimum number of these sentences.
const MIN_SENTENCES: usize = 3;
/// Shorter sentences are labels, which other documents have as well.
const MIN_WORDS: usize = 3;

pattern!(
    DATE,
    r"(?i)\b(?:19|20)\d\d-\d\d-\d\d\b|\b\d{1,2}\.\d{1,2}\.(?:19|20)\d\d\b|(?:\b\d{1,2}(?:st|nd|rd|th|\.)?\s+)?\b(?:january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember)\b(?:\s+\d{1,2}\b)?|\b(?:19|20)\d\d(?:[/–-](?:(?:19|20)\d\d|\d\d))?\b"
);

/// A document with all its sentences.
#[derive(Debug, Clone)]
pub struct DocumentVersion<'a> {
    pub title: &'a str,
    /// The date that it states, in Unix milliseconds.
    pub dated: i64,
    pub sentences: Vec<&'a str>,
}

/// Returns the words of a title without its date, separated by single spaces.
#[must_use]
pub fn undated_title(title: &str) -> String {
    let undated = DATE.as_ref().map_or(Cow::Borrowed(title), |date| date.replace_all(title, " "));
    words(&undated).join(" ")
}

/// Returns of each document whether another one is a newer version of it. One that is dated after the time of the
/// question, or after the years that it names, replaces none, nor does any replace one whose date the question names.
#[must_use]
pub fn older_versions(question: &Question, documents: &[DocumentVersion<'_>]) -> Vec<bool> {
    let asked: HashSet<String> = words(&question.text).into_iter().collect();
    let last_year = question.years().into_iter().max();
    let may_replace = |document: &DocumentVersion<'_>| {
        let is_of_year = |last: &str| Timestamp::from_millis(document.dated).to_string().get(..4) <= Some(last);
        question.asked_at.is_none_or(|now| document.dated <= now) && last_year.is_none_or(is_of_year)
    };
    let compared: Vec<Compared> = documents.iter().map(Compared::of).collect();
    let is_older = |(document, old): (&DocumentVersion<'_>, &Compared)| {
        documents.iter().zip(&compared).any(|(other, new)| {
            other.dated > document.dated
                && may_replace(other)
                && new.title == old.title
                && old.date.difference(&new.date).all(|word| !asked.contains(word))
                && old.shares_enough_with(new)
        })
    };
    documents.iter().zip(&compared).map(is_older).collect()
}

/// What two documents are compared by.
struct Compared {
    /// Without its date.
    title: String,
    /// The words of the date in the title.
    date: HashSet<String>,
    sentences: HashSet<String>,
}

impl Compared {
    fn of(document: &DocumentVersion<'_>) -> Self {
        let title = undated_title(document.title);
        let is_of_date = |word: &String| title.split(' ').all(|other| other != word);
        let date = words(document.title).into_iter().filter(is_of_date).collect();
        let words_of = document.sentences.iter().map(|sentence| words(sentence));
        let sentences = words_of.filter(|words| words.len() >= MIN_WORDS).map(|words| words.join(" ")).collect();
        Self { title, date, sentences }
    }

    fn shares_enough_with(&self, other: &Self) -> bool {
        let shared = self.sentences.intersection(&other.sentences).count();
        let fewer = self.sentences.len().min(other.sentences.len());
        shared >= MIN_SENTENCES && as_f64(shared) >= MIN_SHARED * as_f64(fewer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAME: [&str; 3] =
        ["Boats pay at the desk.", "The desk opens at nine every day.", "Whoever leaves early pays for the night."];
    const OLD: [&str; 2] = ["The keeper is Ida Voss.", "A reservation costs two euros."];
    const NEW: [&str; 2] = ["The keeper is Tomas Reyes.", "A reservation is free."];
    /// 1 March 2023 and 1 September 2025.
    const IN_2023: i64 = 1_677_628_800_000;
    const IN_2025: i64 = 1_756_684_800_000;

    fn document<'a>(title: &'a str, dated: i64, own: &[&'a str], shared: &[&'a str]) -> DocumentVersion<'a> {
        DocumentVersion { title, dated, sentences: [own, shared].concat() }
    }

    fn older(question: &Question, documents: &[DocumentVersion<'_>]) -> Vec<bool> {
        older_versions(question, documents)
    }

    #[test]
    fn a_document_of_the_same_title_with_many_of_the_same_sentences_is_a_version() {
        let question = Question::new("Who keeps the quay?");
        for (one, other) in [
            ("Quay rules", "Quay rules"),
            ("Quay rules, 1 March 2023", "Quay rules, September 2025"),
            ("Quay rules 2023/24", "Quay rules 2025/26"),
        ] {
            let documents = [document(one, IN_2023, &OLD, &SAME), document(other, IN_2025, &NEW, &SAME)];
            assert_eq!(older(&question, &documents), [true, false], "{one}");
        }
    }

    #[test]
    fn another_title_few_common_sentences_and_one_date_are_of_different_documents() {
        let question = Question::new("Who keeps the quay?");
        let new = |title: &'static str, shared: &[&'static str]| document(title, IN_2025, &NEW, shared);
        for other in [
            new("Island rules", &SAME),
            new("Quay rules 4B", &SAME),
            new("Quay rules", &SAME[..2]),
            document("Quay rules", IN_2023, &NEW, &SAME),
        ] {
            let documents = [document("Quay rules", IN_2023, &OLD, &SAME), other];
            assert_eq!(older(&question, &documents), [false, false], "{:?}", documents[1]);
        }
        let long: Vec<String> = (0..8).map(|number| format!("Point {number} of the meeting was put off.")).collect();
        let own: Vec<&str> = long.iter().map(String::as_str).collect();
        let minutes = [document("Minutes", IN_2023, &own, &SAME), document("Minutes", IN_2025, &own[..0], &SAME)];
        assert_eq!(older(&question, &minutes), [true, false], "all of the shorter one is in the longer one");
        let other: Vec<String> = (0..8).map(|number| format!("Matter {number} was agreed to at once.")).collect();
        let other: Vec<&str> = other.iter().map(String::as_str).collect();
        let minutes = [document("Minutes", IN_2023, &own, &SAME), document("Minutes", IN_2025, &other, &SAME)];
        assert_eq!(older(&question, &minutes), [false, false]);
    }

    #[test]
    fn the_time_of_a_question_and_the_dates_it_names_count() {
        let documents = [document("Rules", IN_2023, &OLD, &SAME), document("Rules", IN_2025, &NEW, &SAME)];
        assert_eq!(older(&Question::new("Who kept it?").asked_at(IN_2025 - 1), &documents), [false, false]);
        assert_eq!(older(&Question::new("Who kept it?").asked_at(IN_2025), &documents), [true, false]);
        assert_eq!(older(&Question::new("Who kept the quay in 2024?"), &documents), [false, false]);
        assert_eq!(older(&Question::new("Who kept the quay in 2025?"), &documents), [true, false]);
        let dated = [
            document("Rules of March 2023", IN_2023, &OLD, &SAME),
            document("Rules of September 2025", IN_2025, &NEW, &SAME),
        ];
        assert_eq!(older(&Question::new("Who was the keeper in March?"), &dated), [false, false]);
    }
}
