//! Finds the records that a few words refer to, by the words of their titles, and ranks options by priority.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use serde::Serialize;

use crate::meanings::same_meaning;
use crate::record::{Goal, Item, Kind, Priority};

/// Maximum number of options offered when a reference is ambiguous.
pub const MAX_OPTIONS: usize = 5;

/// Words that do not distinguish titles.
const FILLERS: [&str; 26] = [
    "a", "an", "the", "my", "our", "your", "this", "that", "these", "those", "to", "for", "of", "on", "in", "at",
    "with", "and", "todo", "task", "item", "event", "habit", "entry", "one", "please",
];

/// An option offered to the user.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClarifyOption {
    pub id: i64,
    pub kind: Kind,
    pub title: String,
    pub scheduled_for: Option<NaiveDate>,
}

impl From<&Item> for ClarifyOption {
    fn from(item: &Item) -> Self {
        Self { id: item.id, kind: item.kind, title: item.title.clone(), scheduled_for: item.scheduled_for }
    }
}

/// A record that may be meant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate<'a> {
    pub id: i64,
    pub kind: Kind,
    pub title: &'a str,
    pub scheduled_for: Option<NaiveDate>,
    pub priority: Priority,
}

impl Candidate<'_> {
    /// Returns the record as an option.
    #[must_use]
    pub fn option(&self) -> ClarifyOption {
        ClarifyOption { id: self.id, kind: self.kind, title: self.title.to_owned(), scheduled_for: self.scheduled_for }
    }
}

impl<'a> From<&'a Item> for Candidate<'a> {
    fn from(item: &'a Item) -> Self {
        let (id, kind, scheduled_for) = (item.id, item.kind, item.scheduled_for);
        Self { id, kind, title: &item.title, scheduled_for, priority: item.priority }
    }
}

impl<'a> From<&'a Goal> for Candidate<'a> {
    fn from(goal: &'a Goal) -> Self {
        Self { id: goal.id, kind: Kind::Goal, title: &goal.title, scheduled_for: None, priority: Priority::Low }
    }
}

/// Returns the significant words of a text in lower case, without the plural "s" and possessives.
#[must_use]
pub fn tokens(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase().replace(['\'', '\u{2019}'], "'");
    let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty());
    words.map(stem).filter(|word| !word.is_empty() && !FILLERS.contains(&word.as_str())).collect()
}

fn stem(word: &str) -> String {
    let word = word.trim_matches('\'');
    let word = word.strip_suffix("'s").unwrap_or(word);
    let plural = word.len() > 2 && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us");
    word[..word.len() - usize::from(plural)].replace('\'', "")
}

/// Returns whether two words match, allowing a typing error, a longer compound and derived forms.
fn is_similar_word(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let compound = short.len() >= 4 && long.starts_with(short);
    if long.strip_suffix("ing").is_some_and(|stem| is_present(stem, short)) {
        return true;
    }
    let derived = |noun: &str, verb: &str| {
        noun.strip_suffix("ion")
            .is_some_and(|stem| stem.len() > 3 && (stem == verb || verb.strip_suffix('e') == Some(stem)))
            || noun.strip_suffix("ment") == Some(verb)
    };
    if derived(a, b) || derived(b, a) {
        return true;
    }
    compound || (short.chars().count() >= 5 && strsim::damerau_levenshtein(a, b) == 1)
}

/// Returns whether `word` has this stem of an "-ing" form: "buy" for "buying", "make" for "making", "run" for
/// "running".
fn is_present(stem: &str, word: &str) -> bool {
    let doubled = || word.chars().last().is_some_and(|last| stem.strip_suffix(last) == Some(word));
    word.len() >= 3 && (stem == word || word.strip_suffix('e') == Some(stem) || doubled())
}

/// Returns the share of the words in `query` that occur in the title, 0 to 1.
#[must_use]
pub fn coverage(query: &BTreeSet<String>, title: &BTreeSet<String>) -> f64 {
    covered(query, title, is_similar_word)
}

/// Returns whether all words of `query`, or synonyms of them, occur in a text.
#[must_use]
pub fn contains_meaning(text: &str, query: &str) -> bool {
    covered(&tokens(query), &tokens(text), |a, b| is_similar_word(a, b) || same_meaning(a, b)) >= 1.0
}

fn covered(query: &BTreeSet<String>, title: &BTreeSet<String>, same: impl Fn(&str, &str) -> bool) -> f64 {
    if query.is_empty() {
        return 0.0;
    }
    let found = query.iter().filter(|word| title.iter().any(|other| same(word, other))).count();
    ratio(found, query.len())
}

#[expect(clippy::cast_precision_loss, reason = "a sentence has few words")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Returns the records whose titles contain all words of `query`. If some titles contain no others, returns only these.
#[must_use]
pub fn matches<'a>(query: &str, candidates: impl IntoIterator<Item = Candidate<'a>>) -> Vec<Candidate<'a>> {
    matches_by(query, candidates, is_similar_word)
}

/// Like [`matches()`], but a title may contain a synonym.
#[must_use]
pub fn matches_by_meaning<'a>(query: &str, candidates: impl IntoIterator<Item = Candidate<'a>>) -> Vec<Candidate<'a>> {
    matches_by(query, candidates, |a, b| is_similar_word(a, b) || same_meaning(a, b))
}

fn matches_by<'a>(
    query: &str,
    candidates: impl IntoIterator<Item = Candidate<'a>>,
    same: impl Fn(&str, &str) -> bool,
) -> Vec<Candidate<'a>> {
    let query = tokens(query);
    let found: Vec<(Candidate<'a>, bool)> = candidates
        .into_iter()
        .map(|one| (one, tokens(one.title)))
        .filter(|(_, title)| covered(&query, title, &same) >= 1.0)
        .map(|(one, title)| (one, title.len() == query.len()))
        .collect();
    let exact: Vec<Candidate<'a>> = found.iter().filter(|(_, exact)| *exact).map(|(one, _)| *one).collect();
    if exact.is_empty() { found.into_iter().map(|(one, _)| one).collect() } else { exact }
}

/// Returns the options, best first: by the share of matching words plus a weight for the priority, then by date and id.
#[must_use]
pub fn ranked_options<'a>(query: &str, candidates: impl IntoIterator<Item = Candidate<'a>>) -> Vec<ClarifyOption> {
    let query = tokens(query);
    let score = |one: &Candidate<'a>| coverage(&query, &tokens(one.title)) + priority_weight(one.priority);
    let mut ranked: Vec<(f64, Candidate<'a>)> = candidates.into_iter().map(|one| (score(&one), one)).collect();
    ranked.sort_by(|(a, left), (b, right)| {
        let day = |one: &Candidate<'a>| one.scheduled_for.unwrap_or(NaiveDate::MAX);
        b.total_cmp(a).then_with(|| day(left).cmp(&day(right))).then_with(|| left.id.cmp(&right.id))
    });
    let some_match = ranked.first().is_some_and(|(score, _)| *score >= MIN_WORD_SCORE);
    let fits = |score: &f64| !some_match || *score >= MIN_WORD_SCORE;
    ranked.iter().filter(|(score, _)| fits(score)).take(MAX_OPTIONS).map(|(_, one)| one.option()).collect()
}

/// Minimum score of an option with at least one matching word. A priority alone scores less.
const MIN_WORD_SCORE: f64 = 0.11;

fn priority_weight(priority: Priority) -> f64 {
    match priority {
        Priority::High => 0.10,
        Priority::Medium => 0.05,
        Priority::Low => 0.0,
    }
}
