//! Prefers newer passages: which documents are in force, and which sentences a newer one contradicts.

use std::collections::{HashMap, HashSet};

use aha_core::time::Timestamp;

use super::CandidatePassage;
use super::names::is_month;
use super::quantities::{Quantities, differ, has_sum, quantities};
use super::question::{Question, is_measure};
use super::score::Scored;
use super::siblings::differing_word;
use super::vocabulary::{Vocabulary, as_f64, digits, is_year, words};
use crate::text::tokens::snowball_stem;

/// Minimum share of the longer sentence's words for two sentences to be about the same subject.
const SAME_SUBJECT: f64 = 0.5;
/// How much lower a newer sentence may score than the older one that it outdates. One with less than a seventh of its
/// likelihood fits the question worse and would not be quoted beside it either.
const MAX_SCORE_GAP: f64 = 2.0;

/// Returns whether each passage may be quoted. It may not if its document was replaced, if a newer one has the same
/// title except for the year, or if its document is yet to come into force and another version of it is in force. A
/// question that names the year of a document may use it in any case.
pub(super) fn in_force(question: &Question, candidates: &[CandidatePassage<'_>]) -> Vec<bool> {
    let mut newest: HashMap<String, Age> = HashMap::new();
    let mut with_current: HashSet<String> = HashSet::new();
    for candidate in candidates.iter().filter(|candidate| !is_yet_to_come(question, candidate)) {
        let known = newest.entry(family(candidate)).or_insert_with(|| age(candidate));
        *known = age(candidate).max(*known);
        if !candidate.is_replaced {
            with_current.insert(family(candidate));
        }
    }
    let years = question.years();
    let is_named = |candidate: &CandidatePassage<'_>| {
        let title = words(candidate.title.unwrap_or_default());
        title.iter().chain(&words(candidate.document)).any(|word| years.contains(word.as_str()))
    };
    let is_in_force = |candidate: &CandidatePassage<'_>| {
        let family = family(candidate);
        let is_valid = if is_yet_to_come(question, candidate) {
            !with_current.contains(&family)
        } else {
            newest.get(&family).is_none_or(|newest| age(candidate) >= *newest)
        };
        !candidate.is_replaced && is_valid || is_named(candidate)
    };
    candidates.iter().map(is_in_force).collect()
}

/// Returns whether a document's date is after the time of the question, and so is the year in its title or name: a date
/// alone may be the end of its validity. Without that time, and for items, it is not.
fn is_yet_to_come(question: &Question, candidate: &CandidatePassage<'_>) -> bool {
    let is_later = |now: i64| {
        let (title, name) = (words(candidate.title.unwrap_or_default()), words(candidate.document));
        let this_year = Timestamp::from_millis(now).to_string();
        let mut years = title.iter().chain(&name).filter(|word| is_year(word));
        candidate.dated > now && years.any(|year| this_year.get(..4).is_some_and(|this| year.as_str() > this))
    };
    !candidate.is_item && question.asked_at.is_some_and(is_later)
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

/// Returns whether two documents are of a series, such as minutes of meetings: their titles differ only in the date.
fn are_of_series(one: &CandidatePassage<'_>, other: &CandidatePassage<'_>) -> bool {
    let without_date = |candidate: &CandidatePassage<'_>| -> Vec<String> {
        let title = words(candidate.title.unwrap_or_else(|| without_extension(candidate.document)));
        let is_of_date = |word: &String| word.contains(|c: char| c.is_ascii_digit()) || is_month(word);
        title.into_iter().filter(|word| !is_of_date(word)).collect()
    };
    let title = without_date(one);
    !one.is_item && !other.is_item && !title.is_empty() && title == without_date(other)
}

/// Returns a file's path without the extension of its name.
fn without_extension(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(stem, extension)| if extension.contains('/') { path } else { stem })
}

/// A sentence, for comparison with others about the same subject.
struct Claim {
    unit: usize,
    score: f64,
    quantities: Quantities,
    /// Indexes of the terms of the question that it meets.
    terms: HashSet<usize>,
    /// The sentence that it completes, if it begins with a pronoun.
    completed: Option<usize>,
    /// The terms that it meets together with that sentence.
    terms_of_both: HashSet<usize>,
}

impl Claim {
    /// Returns whether the sentence meets all terms that the other one meets, and scores about as high: then words of
    /// similar meaning do not favour the other one either. One that completes another scores as high as its neighbour
    /// makes it, and is quoted for that one.
    fn fits_as_well_as(&self, other: &Self) -> bool {
        let is_as_likely = self.score >= other.score - MAX_SCORE_GAP || other.completed.is_some();
        other.terms.is_subset(&self.terms_of_both) && is_as_likely
    }
}

/// Returns those of the best sentences that a newer one among them contradicts, with the newer one. They are about the
/// same subject and give different numbers of the same thing, and the newer one fits the question as well. A document
/// that is yet to come into force contradicts none.
pub(super) fn contradicted(
    question: &Question,
    best: &[Scored],
    candidates: &[CandidatePassage<'_>],
    all: &Vocabulary<'_>,
) -> HashMap<usize, usize> {
    let claim = |one: &Scored| Claim {
        unit: one.unit,
        score: one.score,
        quantities: quantities(all.units[one.unit].text),
        terms: terms_met(question, one.unit, None, all),
        completed: all.completed_by(one.unit),
        terms_of_both: terms_met(question, one.unit, all.completed_by(one.unit), all),
    };
    let claims: Vec<Claim> = best.iter().map(claim).collect();
    let outdates = |newer: &Claim, older: &Claim| {
        let (new, old) = (&all.units[newer.unit], &all.units[older.unit]);
        let is_newer = all.parts[old.passage].dated < all.parts[new.passage].dated;
        let (newer_text, older_text) = (&candidates[new.passage], &candidates[old.passage]);
        is_newer
            && !are_copied_together(newer_text, older_text)
            && !is_yet_to_come(question, &candidates[new.passage])
            && candidates[old.passage].document != candidates[new.passage].document
            && newer.fits_as_well_as(older)
            && differ(&older.quantities, &newer.quantities)
            && differing_word(&all.parts[old.passage].title, &all.parts[new.passage].title, all).is_none()
            && (are_about_same(older, newer, all) || is_later_of_series(older, newer, candidates, all))
    };
    let mut contradicted = HashMap::new();
    for older in &claims {
        if let Some(newer) = claims.iter().find(|newer| outdates(newer, older)) {
            contradicted.insert(older.unit, newer.unit);
        }
    }
    contradicted
}

/// Returns whether a newer sentence is about the same subject as an older one. That of one that begins with a pronoun is
/// in the sentence before it: it says nothing of another one that shares most of its words.
fn are_about_same(older: &Claim, newer: &Claim, all: &Vocabulary<'_>) -> bool {
    let words = |unit: usize| all.units[unit].words.as_slice();
    let heading = |claim: &Claim| all.parts[all.units[claim.unit].passage].heading.as_slice();
    let with_completed = |claim: &Claim| {
        let completed = claim.completed.map_or(&[][..], words);
        [completed, words(claim.unit)].concat()
    };
    let (old, new) = (words(older.unit), words(newer.unit));
    let subject_of = |claim: &Claim| subject(&with_completed(claim), heading(claim), all);
    let (old_subject, new_subject) = (subject_of(older), subject_of(newer));
    let is_same_said = || {
        let shared = as_f64(old_subject.intersection(&new_subject).count());
        let fewer = as_f64(old_subject.len().min(new_subject.len()));
        common(old, &with_completed(newer), all, usize::min) >= SAME_SUBJECT && shared >= SAME_SUBJECT * fewer
    };
    let is_shared = !old_subject.is_disjoint(&new_subject) || old_subject.is_empty() && new_subject.is_empty();
    is_shared && (common(old, new, all, usize::max) >= SAME_SUBJECT || older.completed.is_some() && is_same_said())
}

/// Returns whether a newer sentence is of the next document of a series, and gives another sum under the same heading.
fn is_later_of_series(older: &Claim, newer: &Claim, candidates: &[CandidatePassage<'_>], all: &Vocabulary<'_>) -> bool {
    let (old, new) = (all.units[older.unit].passage, all.units[newer.unit].passage);
    let heading = |passage: usize| stems_of_subject(&all.parts[passage].heading, all);
    !heading(old).is_empty()
        && heading(old) == heading(new)
        && has_sum(&older.quantities)
        && has_sum(&newer.quantities)
        && are_of_series(&candidates[old], &candidates[new])
}

/// Returns whether two documents state no date and their files are of about one time, which is that of their copying.
fn are_copied_together(one: &CandidatePassage<'_>, other: &CandidatePassage<'_>) -> bool {
    const MILLISECONDS_OF_DAY: u64 = 86_400_000;
    let is_undated = |candidate: &CandidatePassage<'_>| !candidate.is_date_stated && !candidate.is_item;
    is_undated(one) && is_undated(other) && one.dated.abs_diff(other.dated) < MILLISECONDS_OF_DAY
}

/// Returns which terms of the question a sentence, its heading or the title of its document contains, by stem, or the
/// sentence that it completes, if one is given. Measure words do not count: a text with another word for "cost" is about
/// the same thing.
fn terms_met(question: &Question, unit: usize, completed: Option<usize>, all: &Vocabulary<'_>) -> HashSet<usize> {
    let part = &all.parts[all.units[unit].passage];
    let words = completed.into_iter().chain([unit]).flat_map(|one| &all.units[one].words);
    let words = words.chain(&part.heading).chain(&part.title);
    let stems: HashSet<&str> = words.map(|word| all.stems[*word].as_str()).collect();
    let is_met = |term: &str| !is_measure(term) && stems.contains(&*snowball_stem(term));
    question.terms.iter().enumerate().filter(|(_, term)| is_met(term)).map(|(at, _)| at).collect()
}

/// Returns the stems of the words that are neither numbers nor measures: "costs 6 euros" is said of many things. A
/// sentence without any is about its heading: "The price is 6 euros".
fn subject(words: &[usize], heading: &[usize], all: &Vocabulary<'_>) -> HashSet<String> {
    let own = stems_of_subject(words, all);
    if own.is_empty() { stems_of_subject(heading, all) } else { own }
}

fn stems_of_subject(words: &[usize], all: &Vocabulary<'_>) -> HashSet<String> {
    let is_subject = |word: &&usize| !is_measure(&all.words[**word]) && digits(&all.words[**word]).is_none();
    words.iter().filter(is_subject).map(|word| all.stems[*word].clone()).collect()
}

/// Returns the number of common stems, without numbers, as a share of the larger or the smaller set.
fn common(one: &[usize], other: &[usize], all: &Vocabulary<'_>, of: impl Fn(usize, usize) -> usize) -> f64 {
    let stems = |words: &[usize]| -> HashSet<String> {
        let plain = words.iter().filter(|word| digits(&all.words[**word]).is_none());
        plain.map(|word| all.stems[*word].clone()).collect()
    };
    let (one, other) = (stems(one), stems(other));
    let all = of(one.len(), other.len());
    if all == 0 {
        return 0.0;
    }
    as_f64(one.intersection(&other).count()) / as_f64(all)
}

#[cfg(test)]
mod tests {
    use super::super::Block;
    use super::*;

    #[test]
    fn a_year_in_the_title_goes_before_the_date() {
        let candidate = |title, dated| CandidatePassage {
            document: title,
            title: Some(title),
            section: "Fees",
            blocks: Vec::new(),
            dated,
            is_date_stated: true,
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
            is_date_stated: true,
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

    const QUAY: &str = "A night at the quay costs nine euros.";
    const QUAY_UPDATED: &str = "A night at the quay costs eleven euros.";
    const ISLAND: &str = "A night at the island costs eleven euros.";

    fn dated<'a>(document: &'a str, title: Option<&'a str>, text: &'a str, dated: i64) -> CandidatePassage<'a> {
        let blocks = vec![Block { text, sentences: vec![text] }];
        CandidatePassage {
            document,
            title,
            section: "Fees",
            blocks,
            dated,
            is_date_stated: true,
            is_replaced: false,
            is_item: false,
        }
    }

    /// Returns the contradicted sentences of passages with one sentence each, given the scores of these.
    fn outdated(question: &Question, candidates: &[CandidatePassage<'_>], scores: &[f64]) -> Vec<(usize, usize)> {
        let best: Vec<Scored> = scores.iter().enumerate().map(|(unit, score)| Scored { unit, score: *score }).collect();
        contradicted(question, &best, candidates, &Vocabulary::of(candidates, None)).into_iter().collect()
    }

    #[test]
    fn a_newer_document_about_something_else_outdates_nothing() {
        let question = Question::new("What does a night at the quay cost?");
        let elsewhere = [dated("quay.md", None, QUAY, 1), dated("island.md", None, ISLAND, 2)];
        assert!(outdated(&question, &elsewhere, &[9.0, 9.0]).is_empty());
        let warranty = [
            dated("kestrel.md", Some("Kestrel"), "The warranty lasts three years.", 1),
            dated("heron.md", Some("Heron"), "The warranty lasts five years.", 2),
        ];
        let question = Question::new("How long does the warranty of the Kestrel last?");
        assert!(outdated(&question, &warranty, &[9.0, 9.0]).is_empty());
    }

    #[test]
    fn a_document_about_another_thing_outdates_nothing_and_a_notice_about_the_same_does() {
        let question = Question::new("How long are the tablets taken?");
        let (hip, knee) = ("The tablets are taken for 35 days.", "The tablets are taken for 14 days.");
        let of = |document, title, text, at| dated(document, Some(title), text, at);
        let leaflets =
            [of("knee.md", "After your knee replacement", knee, 1), of("hip.md", "After your hip replacement", hip, 2)];
        assert!(outdated(&question, &leaflets, &[9.0, 9.0]).is_empty());
        let sheets = [of("4b.md", "Ward 4B: Visitors", knee, 1), of("6a.md", "Ward 6A: Visitors", hip, 2)];
        assert!(outdated(&question, &sheets, &[9.0, 9.0]).is_empty());
        let notice =
            [of("rules.md", "Knee replacement", knee, 1), of("notice.md", "Notice on the knee, May 2026", hip, 2)];
        assert_eq!(outdated(&question, &notice, &[9.0, 9.0]), [(0, 1)]);
    }

    #[test]
    fn the_next_of_a_series_outdates_a_sum_under_the_same_heading() {
        let question = Question::new("How much does the pier cost?");
        let of = |document, title, text, at| CandidatePassage {
            section: "1 Pier",
            ..dated(document, Some(title), text, at)
        };
        let (old, new) = ("Two builders were asked: Kay wants £68,400.", "The bill rises to £81,250.");
        let minutes =
            [of("june.md", "Minutes of 9 June 2026", old, 1), of("sept.md", "Minutes of 22 September 2026", new, 2)];
        assert_eq!(outdated(&question, &minutes, &[9.0, 8.0]), [(0, 1)]);
        let others = [minutes[0].clone(), of("sept.md", "Letters of 22 September 2026", new, 2)];
        assert!(outdated(&question, &others, &[9.0, 8.0]).is_empty());
    }

    #[test]
    fn a_sentence_that_names_only_a_measure_is_about_its_heading() {
        let question = Question::new("How much is a crossing?");
        let of = |section, document, text, at| CandidatePassage { section, ..dated(document, None, text, at) };
        let (old, new) = ("The price is 6 euros.", "The price is 7 euros.");
        let crossings = [of("Crossing", "a.md", old, 1), of("Crossing", "b.md", new, 2)];
        assert_eq!(outdated(&question, &crossings, &[9.0, 9.0]), [(0, 1)]);
        let with_locker = [of("Crossing", "a.md", old, 1), of("Locker", "b.md", new, 2)];
        let price = Question::new("What is the price?");
        assert!(outdated(&price, &with_locker, &[9.0, 9.0]).is_empty());
        let (crossing, locker) = ("A crossing costs 6 euros.", "A locker costs 7 euros.");
        let named = [dated("a.md", None, crossing, 1), dated("b.md", None, locker, 2)];
        assert!(outdated(&price, &named, &[9.0, 9.0]).is_empty());
    }

    #[test]
    fn an_update_outdates_if_it_fits_the_question_as_well() {
        let question = Question::new("How much must I pay for a night at the quay?");
        let title = Some("Quay prices");
        let update = [dated("prices.md", title, QUAY, 1), dated("prices-new.md", title, QUAY_UPDATED, 2)];
        assert_eq!(outdated(&question, &update, &[9.0, 8.5]), [(0, 1)]);
        assert!(outdated(&question, &update, &[9.0, 6.5]).is_empty());
        let reworded = "For a night at the quay eleven euros are charged.";
        let reworded = [dated("prices.md", title, QUAY, 1), dated("prices-new.md", title, reworded, 2)];
        let question = Question::new("What does a night at the quay cost?");
        assert_eq!(outdated(&question, &reworded, &[9.0, 8.5]), [(0, 1)]);
    }

    #[test]
    fn what_is_yet_to_come_neither_replaces_nor_outdates() {
        let question = |text| Question::new(text).asked_at(5);
        let fees = [
            dated("fees-2026.md", Some("Fees 2026"), QUAY, 3),
            dated("fees-2027.md", Some("Fees 2027"), QUAY_UPDATED, 7),
            dated("plan-2027.md", Some("Plan 2027"), ISLAND, 7),
        ];
        let now = question("What does a night cost?");
        assert_eq!(in_force(&now, &fees), [true, false, true]);
        assert!(outdated(&now, &fees, &[9.0, 9.0, 9.0]).is_empty());
        assert_eq!(in_force(&question("What will a night cost in 2027?"), &fees), [true, true, true]);
        let later = Question::new("What does a night cost?").asked_at(8);
        assert_eq!(in_force(&later, &fees), [false, true, true]);
        let replaced = [CandidatePassage { is_replaced: true, ..fees[0].clone() }, fees[1].clone()];
        assert_eq!(in_force(&now, &replaced), [false, true]);
    }
}
