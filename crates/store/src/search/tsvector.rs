//! The terms of an entry, and the phrases of a query, in the syntax of Postgres' text search.
//!
//! Input: terms. Output: text of the types `tsvector` and `tsquery`. Called for each entry and each query on Postgres.
//!
//! A `tsvector` has no more than 256 positions of a term, and none above 16,383
//! (postgresql.org/docs/current/textsearch-limitations.html). Where a term has no position, its pairs with the terms
//! next to it are added as terms of their own, so that phrases are found in texts of any length.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use aha_content::index_terms::{ANY_ENDING, SEPARATOR};
use aha_content::stems::SearchTerms;

/// Terms have positions below it: Postgres gives it to all that come later.
const MAX_POSITION: usize = 16_383;
/// Maximum number of positions of a term.
const MAX_POSITIONS: usize = 255;
/// Maximum length of all terms: Postgres refuses more than 1 MiB, with positions.
const MAX_BYTES: usize = 700_000;

/// Renders the terms of an entry; words of the title have a higher weight.
pub(super) fn tsvector(terms: &SearchTerms) -> String {
    let title: Vec<&str> = terms.title.split_whitespace().collect();
    let body: Vec<&str> = terms.body.split_whitespace().collect();
    let mut vector = Vector { text: String::with_capacity(terms.body.len() * 2), ..Vector::default() };
    vector.push(&title, 1, "A");
    // A position is left out, as a phrase does not begin in the title and end in the text.
    vector.push(&body, title.len() + 2, "");
    vector.with_pairs(terms.title.len() + terms.body.len())
}

#[derive(Default)]
struct Vector<'t> {
    text: String,
    /// How often each term occurred.
    occurrences: HashMap<&'t str, usize>,
    /// Terms side by side of which one has no position.
    pairs: BTreeSet<(&'t str, &'t str)>,
}

impl<'t> Vector<'t> {
    fn push(&mut self, terms: &[&'t str], first_position: usize, weight: &str) {
        let mut before: Option<(&str, bool)> = None;
        for (position, term) in (first_position..).zip(terms.iter().copied()) {
            let has_position = self.push_term(term, position, weight);
            if let Some((before, had_position)) = before
                && !(had_position && has_position)
                && before != SEPARATOR
                && term != SEPARATOR
            {
                self.pairs.insert((before, term));
            }
            before = Some((term, has_position));
        }
    }

    /// Returns whether the term has its position.
    fn push_term(&mut self, term: &'t str, position: usize, weight: &str) -> bool {
        let occurrences = self.occurrences.entry(term).or_default();
        let has_position = position < MAX_POSITION && *occurrences < MAX_POSITIONS;
        if has_position {
            let _ = write!(self.text, "'{term}':{position}{weight} ");
        } else if *occurrences == 0 {
            let _ = write!(self.text, "'{term}' ");
        }
        *occurrences += 1;
        has_position
    }

    fn with_pairs(mut self, mut bytes: usize) -> String {
        for (term, next) in self.pairs {
            bytes += term.len() + next.len() + 1;
            if bytes > MAX_BYTES {
                break;
            }
            let _ = write!(self.text, "'{term} {next}' ");
        }
        self.text
    }
}

/// Renders the words of a phrase: side by side by their positions, or each two of them by their positions or as a pair,
/// at least two of them as a pair.
pub(super) fn phrase(words: &[String]) -> String {
    let quoted =
        |text: &str| text.strip_suffix(ANY_ENDING).map_or_else(|| format!("'{text}'"), |begin| format!("'{begin}':*"));
    let adjacent = |words: &[String]| words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" <-> ");
    let pairs: Vec<String> = words.windows(2).map(|pair| quoted(&pair.join(" "))).collect();
    let whole = adjacent(words);
    match pairs.as_slice() {
        [] => whole,
        [pair] => format!("{whole} | {pair}"),
        pairs => {
            let either = |(words, pair): (&[String], &String)| format!("({} | {pair})", adjacent(words));
            let each: Vec<String> = words.windows(2).zip(pairs).map(either).collect();
            format!("{whole} | ({}) & {}", pairs.join(" | "), each.join(" & "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(body: &str) -> String {
        tsvector(&SearchTerms { title: String::new(), body: body.to_owned() })
    }

    #[test]
    fn terms_without_a_position_are_held_as_pairs() {
        assert_eq!(of("a b a"), "'a':2 'b':3 'a':4 ");
        let often = of(&("the sail ".repeat(255) + "saw the light + the"));
        assert_eq!((often.matches("'the':").count(), often.matches("'sail':").count()), (255, 255));
        assert!(often.ends_with("'saw':512 'light':514 '+':515 'saw the' 'the light' "), "{often}");
        let long: Vec<String> = (0..17_000).map(|number| format!("w{number}")).collect();
        let long = of(&long.join(" "));
        assert!(long.contains("'w16380':16382 'w16381' 'w16382' "), "{}", &long[long.len() - 200..]);
        assert!(long.contains("'w16380 w16381' ") && long.contains("'w16998 w16999' "));
        assert!(!long.contains("'w16379 w16380'") && !long.contains(":16383"));
    }

    #[test]
    fn what_postgres_holds_is_bounded() {
        let terms: Vec<String> = (0..40_000).map(|number| format!("w{number:09}")).collect();
        let vector = of(&terms.join(" "));
        let held: usize = vector.split('\'').skip(1).step_by(2).map(str::len).sum();
        assert!(vector.contains("'w000016380 w000016381'") && held <= MAX_BYTES, "{held}");
    }

    #[test]
    fn a_phrase_is_found_by_positions_or_by_pairs() {
        let of = |words: &[&str]| phrase(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(of(&["heat"]), "'heat'");
        assert_eq!(of(&["ferr*"]), "'ferr':*");
        assert_eq!(of(&["heat", "pump"]), "'heat' <-> 'pump' | 'heat pump'");
        let three = "'a' <-> 'b' <-> 'c' | ('a b' | 'b c') & ('a' <-> 'b' | 'a b') & ('b' <-> 'c' | 'b c')";
        assert_eq!(of(&["a", "b", "c"]), three);
    }
}
