//! Newer beats older: which documents another has replaced, and which sentences a newer one contradicts.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::Source;
use super::question::Question;
use super::score::Scored;
use super::vocabulary::{Vocabulary, digits, is_year, words};
use crate::stories::tokens::stem;

/// From which share of the longer sentence's words two sentences speak of the same.
const SAME_MATTER: f64 = 0.5;

/// Whether each passage may be quoted: not where its document was replaced, or where a newer one has the same title but for its numbers.
/// A question that names the year of an old document may have it.
pub(super) fn in_force(question: &Question, sources: &[Source<'_>]) -> Vec<bool> {
    let mut newest: HashMap<String, Age> = HashMap::new();
    for source in sources {
        let known = newest.entry(family(source)).or_insert_with(|| age(source));
        *known = age(source).max(*known);
    }
    let years = question.years();
    let is_named = |source: &Source<'_>| {
        let title = words(source.title.unwrap_or_default());
        title.iter().chain(&words(source.document)).any(|word| years.contains(word.as_str()))
    };
    let is_in_force = |source: &Source<'_>| {
        let is_newest = newest.get(&family(source)).is_none_or(|newest| age(source) >= *newest);
        !source.is_replaced && is_newest || is_named(source)
    };
    sources.iter().map(is_in_force).collect()
}

/// The year of the title, which goes first: an old version may name the date of the new one; then since when it holds.
type Age = (Option<u32>, i64);

fn age(source: &Source<'_>) -> Age {
    let words = words(source.title.unwrap_or(source.document));
    (words.iter().filter(|word| is_year(word)).filter_map(|year| year.parse().ok()).max(), source.dated)
}

/// A document's title without numbers; items have titles of their own and are no versions of one another.
fn family(source: &Source<'_>) -> String {
    let has_number = |word: &String| word.contains(|c: char| c.is_ascii_digit());
    let title = words(source.title.unwrap_or(source.document));
    if title.iter().any(|word| is_year(word)) {
        let plain: Vec<String> = title.into_iter().filter(|word| !has_number(word)).collect();
        return plain.join(" ");
    }
    // One without a year is only a version of itself.
    format!("{}\n{}", source.document, title.join(" "))
}

/// Of the best sentences, those that a newer one among them contradicts: they speak of the same, and give the same thing another number.
/// With the newer one.
pub(super) fn contradicted(best: &[Scored], sources: &[Source<'_>], all: &Vocabulary<'_>) -> HashMap<usize, usize> {
    let counted: Vec<(usize, Quantities)> =
        best.iter().map(|one| (one.unit, quantities(all.units[one.unit].text))).collect();
    let mut contradicted = HashMap::new();
    for (older, of_older) in &counted {
        let one = &all.units[*older];
        let newer = counted.iter().find(|(newer, of_newer)| {
            let other = &all.units[*newer];
            let is_newer = all.parts[one.passage].dated < all.parts[other.passage].dated;
            is_newer
                && sources[one.passage].document != sources[other.passage].document
                && differ(of_older, of_newer)
                && common(&one.words, &other.words, all) >= SAME_MATTER
        });
        if let Some((newer, _)) = newer {
            contradicted.insert(*older, *newer);
        }
    }
    contradicted
}

/// What is counted, by the stem of its word, and the numbers that it has.
type Quantities = BTreeMap<String, BTreeSet<String>>;

fn quantities(text: &str) -> Quantities {
    let words = words(text);
    let mut found = Quantities::new();
    for (number, what) in words.iter().zip(words.iter().skip(1)) {
        if let (Some(number), None) = (digits(number), digits(what)) {
            found.entry(stem(what).into_owned()).or_default().insert(number);
        }
    }
    found
}

/// Whether both count one thing, and no number of it is the same.
fn differ(one: &Quantities, other: &Quantities) -> bool {
    one.iter().any(|(what, numbers)| other.get(what).is_some_and(|others| numbers.is_disjoint(others)))
}

/// The share of the words of the one with more that both have, by their stems and without numbers.
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
        let source = |title, dated| Source {
            document: title,
            title: Some(title),
            section: "Fees",
            blocks: Vec::new(),
            dated,
            is_replaced: false,
            is_item: false,
        };
        let sources = [source("Prices 2025", 9), source("Prices 2026", 9), source("Tides 2025", 1)];
        assert_eq!(in_force(&Question::new("What does it cost?"), &sources), [false, true, true]);
        assert_eq!(in_force(&Question::new("What did it cost in 2025?"), &sources), [true, true, true]);
    }
}
