//! Newer beats older: which documents another has replaced, and which sentences a newer one contradicts.

use std::collections::{HashMap, HashSet};

use super::Source;
use super::question::{Question, is_year};
use super::score::Scored;
use super::vocabulary::{Vocabulary, digits, words};

/// From which share of the shorter sentence's words two sentences speak of the same.
const SAME_MATTER: f64 = 0.5;

/// Whether each passage may be quoted: not where its document was replaced, or where a newer one has the same title but for its numbers.
/// A question that names the year of an old document may have it.
pub(super) fn in_force(question: &Question, sources: &[Source<'_>]) -> Vec<bool> {
    let mut newest: HashMap<String, i64> = HashMap::new();
    for source in sources {
        let dated = newest.entry(family(source)).or_insert(source.dated);
        *dated = source.dated.max(*dated);
    }
    let years = question.years();
    let is_named = |source: &Source<'_>| {
        let title = words(source.title.unwrap_or_default());
        title.iter().chain(&words(source.document)).any(|word| years.contains(word.as_str()))
    };
    let is_in_force = |source: &Source<'_>| {
        let is_newest = newest.get(&family(source)).is_none_or(|newest| source.dated >= *newest);
        !source.is_replaced && is_newest || is_named(source)
    };
    sources.iter().map(is_in_force).collect()
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

/// Of the best sentences, those that a newer one among them contradicts: they speak of the same and give other numbers. With the newer one.
pub(super) fn contradicted(best: &[Scored], sources: &[Source<'_>], all: &Vocabulary<'_>) -> HashMap<usize, usize> {
    let mut contradicted = HashMap::new();
    for older in best {
        let one = &all.units[older.unit];
        for newer in best {
            let other = &all.units[newer.unit];
            let (of_one, of_other) = (&sources[one.passage], &sources[other.passage]);
            let is_newer = all.parts[one.passage].dated < all.parts[other.passage].dated;
            if !is_newer || of_one.document == of_other.document || one.numbers.is_empty() || other.numbers.is_empty() {
                continue;
            }
            let differ = one.numbers.iter().any(|number| !other.numbers.contains(number));
            if differ && common(one.words.as_slice(), &other.words, all) >= SAME_MATTER {
                contradicted.insert(older.unit, newer.unit);
                break;
            }
        }
    }
    contradicted
}

/// The share of the words of the one with fewer that both have, by their stems and without numbers.
fn common(one: &[usize], other: &[usize], all: &Vocabulary<'_>) -> f64 {
    let stems = |words: &[usize]| -> HashSet<String> {
        let plain = words.iter().filter(|word| digits(&all.words[**word]).is_none());
        plain.map(|word| all.stems[*word].clone()).collect()
    };
    let (one, other) = (stems(one), stems(other));
    let fewer = one.len().min(other.len());
    if fewer == 0 {
        return 0.0;
    }
    super::vocabulary::as_f64(one.intersection(&other).count()) / super::vocabulary::as_f64(fewer)
}
