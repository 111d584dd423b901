//! Prefers newer passages: which documents have been replaced, and which sentences a newer one contradicts.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::CandidatePassage;
use super::question::Question;
use super::score::Scored;
use super::vocabulary::{Vocabulary, digits, is_year, words};
use crate::text::tokens::snowball_stem;

/// Minimum share of the longer sentence's words for two sentences to be about the same subject.
const SAME_SUBJECT: f64 = 0.5;

/// Returns whether each passage may be quoted. It may not if its document was replaced, or if a newer one has the same
/// title except for the year. A question that names the year of an old document may use it.
pub(super) fn in_force(question: &Question, candidates: &[CandidatePassage<'_>]) -> Vec<bool> {
    let mut newest: HashMap<String, Age> = HashMap::new();
    for candidate in candidates {
        let known = newest.entry(family(candidate)).or_insert_with(|| age(candidate));
        *known = age(candidate).max(*known);
    }
    let years = question.years();
    let is_named = |candidate: &CandidatePassage<'_>| {
        let title = words(candidate.title.unwrap_or_default());
        title.iter().chain(&words(candidate.document)).any(|word| years.contains(word.as_str()))
    };
    let is_in_force = |candidate: &CandidatePassage<'_>| {
        let is_newest = newest.get(&family(candidate)).is_none_or(|newest| age(candidate) >= *newest);
        !candidate.is_replaced && is_newest || is_named(candidate)
    };
    candidates.iter().map(is_in_force).collect()
}

/// The year in the title, then the document's date. The year goes first because an old version may mention the date of
/// the new one.
type Age = (Option<u32>, i64);

fn age(candidate: &CandidatePassage<'_>) -> Age {
    let words = words(candidate.title.unwrap_or(candidate.document));
    (words.iter().filter(|word| is_year(word)).filter_map(|year| year.parse().ok()).max(), candidate.dated)
}

/// Returns a document's title without its year, if that is its only number; otherwise a key of its own. Documents that
/// differ in a month, a day or a quarter are not versions of each other, and neither are items.
fn family(candidate: &CandidatePassage<'_>) -> String {
    let has_number = |word: &&String| word.contains(|c: char| c.is_ascii_digit());
    let title = words(candidate.title.unwrap_or_else(|| without_extension(candidate.document)));
    let (numbers, plain): (Vec<&String>, Vec<&String>) = title.iter().partition(has_number);
    let has_only_year = matches!(numbers[..], [number] if is_year(number));
    if candidate.is_item || plain.is_empty() || !has_only_year {
        return format!("{}\n{}", candidate.document, title.join(" "));
    }
    plain.into_iter().map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// Returns a file's path without the extension of its name.
fn without_extension(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(stem, extension)| if extension.contains('/') { path } else { stem })
}

/// Returns those of the best sentences that a newer one among them contradicts, with the newer one. They are about the
/// same subject and give different numbers of the same thing.
pub(super) fn contradicted(
    best: &[Scored],
    candidates: &[CandidatePassage<'_>],
    all: &Vocabulary<'_>,
) -> HashMap<usize, usize> {
    let with_quantities: Vec<(usize, Quantities)> =
        best.iter().map(|one| (one.unit, quantities(all.units[one.unit].text))).collect();
    let mut contradicted = HashMap::new();
    for (older, of_older) in &with_quantities {
        let one = &all.units[*older];
        let newer = with_quantities.iter().find(|(newer, of_newer)| {
            let other = &all.units[*newer];
            let is_newer = all.parts[one.passage].dated < all.parts[other.passage].dated;
            is_newer
                && candidates[one.passage].document != candidates[other.passage].document
                && differ(of_older, of_newer)
                && common(&one.words, &other.words, all) >= SAME_SUBJECT
        });
        if let Some((newer, _)) = newer {
            contradicted.insert(*older, *newer);
        }
    }
    contradicted
}

/// The numbers in a text by the stem of the counted word.
type Quantities = BTreeMap<String, BTreeSet<String>>;

fn quantities(text: &str) -> Quantities {
    let words = words(text);
    let mut found = Quantities::new();
    for (number, what) in words.iter().zip(words.iter().skip(1)) {
        if let (Some(number), None) = (digits(number), digits(what)) {
            found.entry(snowball_stem(what).into_owned()).or_default().insert(number);
        }
    }
    found
}

/// Returns whether both count the same thing and share no number of it.
fn differ(one: &Quantities, other: &Quantities) -> bool {
    one.iter().any(|(what, numbers)| other.get(what).is_some_and(|others| numbers.is_disjoint(others)))
}

/// Returns the number of common stems, without numbers, as a share of the larger set.
fn common(one: &[usize], other: &[usize], all: &Vocabulary<'_>) -> f64 {
    let stems = |words: &[usize]| -> HashSet<String> {
        let plain = words.iter().filter(|word| digits(&all.words[**word]).is_none());
        plain.map(|word| all.stems[*word].clone()).collect()
    };
    let (one, other) = (stems(one), stems(other));
    let more = one.len().max(other.len());
    if more == 0 {
        return 0.0;
    }
    super::vocabulary::as_f64(one.intersection(&other).count()) / super::vocabulary::as_f64(more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_thing_with_another_number_differs() {
        let differs = |one, other| differ(&quantities(one), &quantities(other));
        assert!(differs("A night costs nine euros.", "A night costs 11 euros."));
        assert!(!differs("Divers found 40 octopuses.", "Divers found 900 sponges."));
        assert!(!differs("It opens for six hours.", "It opens for 6 hours and two days."));
        assert!(!differs("It is open.", "It is open for nine hours."));
    }

    #[test]
    fn a_year_in_the_title_goes_before_the_date() {
        let candidate = |title, dated| CandidatePassage {
            document: title,
            title: Some(title),
            section: "Fees",
            blocks: Vec::new(),
            dated,
            is_replaced: false,
            is_item: false,
        };
        let candidates = [candidate("Prices 2025", 9), candidate("Prices 2026", 9), candidate("Tides 2025", 1)];
        assert_eq!(in_force(&Question::new("What does it cost?"), &candidates), [false, true, true]);
        assert_eq!(in_force(&Question::new("What did it cost in 2025?"), &candidates), [true, true, true]);
    }

    #[test]
    fn titles_that_differ_in_more_than_the_year_are_of_different_documents() {
        let question = Question::new("Who keeps the key?");
        let candidate = |document, title, is_item| CandidatePassage {
            document,
            title,
            section: "Keys",
            blocks: Vec::new(),
            dated: i64::try_from(document.len()).unwrap(),
            is_replaced: false,
            is_item,
        };
        let document = |document, title| candidate(document, title, false);
        for pair in [
            [document("a.md", Some("Minutes 2025-03-01")), document("bb.md", Some("Minutes 2025-03-08"))],
            [document("a.md", Some("Q1 2025 report")), document("bb.md", Some("Q2 2025 report"))],
            [document("minutes/2025.md", None), document("letters/2026.md", None)],
            [document("2025.md", Some("2025")), document("2026-b.md", Some("2026"))],
            [candidate("1", Some("Roundup 2025"), true), candidate("22", Some("Roundup 2026"), true)],
        ] {
            assert_eq!(in_force(&question, &pair), [true, true], "{pair:?}");
        }
        let versions = [document("fees/2025.md", None), document("fees/2026.md", None)];
        assert_eq!(in_force(&question, &versions), [false, true]);
    }
}
