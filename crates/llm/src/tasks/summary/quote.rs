//! Chooses sentences to quote verbatim.
//!
//! Input: the headlines and texts of a story, and its words that matched the reader's interests. Output: the sentence
//! that tells most of what the headlines and the matching interests name, preferably of a text's beginning. Called by
//! `summary`; `aha_content::quotable` defines what must never be quoted.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use aha_analysis::text::tokens::tokens;
use aha_content::quotable::{flaw, weakness};
use aha_content::references::is_reference;
use aha_content::sentences::{passages, sentences};

use super::dependence::{dependence, is_in_first_person};

/// Characters of a sentence that can be quoted alone, and of a longer one, which is quoted if there is no other.
const SENTENCE_CHARS: RangeInclusive<usize> = 45..=320;
const LONG_SENTENCE_CHARS: RangeInclusive<usize> = 321..=600;

/// Maximum sentences of a text that are considered.
const MAX_SENTENCES: usize = 40;

/// Two sentences whose words overlap at least this much (Jaccard) are redundant.
const REDUNDANT_OVERLAP: f64 = 0.5;

/// Points for the share of the headlines' words in a sentence, the largest share that counts, points for each of those
/// words, and how many of them count: a long headline is not told in one sentence.
const HEADLINE_SHARE: f64 = 2.0;
const MAX_HEADLINE_SHARE: f64 = 0.6;
const HEADLINE_WORD: f64 = 0.5;
const MAX_HEADLINE_WORDS: usize = 2;

/// Points of the first sentence, decreasing to none at this position; and points of the text that represents the story.
const BEGINNING: f64 = 1.0;
const END_OF_BEGINNING: usize = 6;
const REPRESENTS: f64 = 0.6;

/// Points for the first word that matched the reader's interests and for each further one, and the number of words that
/// count; and points if the sentence is among the first of its text: below, a match is often a detail.
const FIRST_MATCH: f64 = 1.0;
const FURTHER_MATCH: f64 = 0.3;
const MAX_MATCHES: usize = 3;
const MATCH_IN_LEAD: f64 = 1.3;
const LEAD_SENTENCES: usize = 3;

/// Maximum weakness of the first sentence, unless all are weaker: it must be understood without the one before it.
const FIRST_WEAKNESS: f64 = 1.0;
/// Maximum weakness of a further sentence: it may refer to the one before it, but not ask, greet or announce.
const FURTHER_WEAKNESS: f64 = 1.2;

/// Minimum number of words that the headlines lack. With fewer, or if most words are of one headline, a sentence only
/// repeats it and loses points.
const MIN_NEW_TERMS: usize = 2;
const REPEATS: f64 = 1.5;

/// Number of content words from which on a sentence says enough, and the points lost for each that it lacks.
const ENOUGH_TERMS: usize = 6;
const LACKING_TERM: f64 = 0.4;

/// Points lost by a sentence of the author about themselves or to the reader.
const IN_FIRST_PERSON: f64 = 0.4;

/// A sentence and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Quote {
    pub(super) sentence: String,
    pub(super) source: String,
}

struct Candidate {
    quote: Quote,
    terms: BTreeSet<String>,
    weakness: f64,
    score: f64,
    text: usize,
}

/// The data for scoring the sentences of a story.
struct Topic {
    /// The headlines' words, with the number of headlines that contain each.
    headline_terms: BTreeMap<String, f64>,
    headlines: Vec<String>,
    terms_of_headlines: Vec<BTreeSet<String>>,
    /// The words that matched the reader's interests.
    matched: BTreeSet<String>,
}

impl Topic {
    fn of(headlines: &[String], matched: &[String]) -> Self {
        let mut headline_terms: BTreeMap<String, f64> = BTreeMap::new();
        for term in headlines.iter().flat_map(|headline| terms(headline)) {
            *headline_terms.entry(term).or_default() += 1.0;
        }
        let matched = matched.iter().flat_map(|words| terms(words)).collect();
        let terms_of_headlines = headlines.iter().map(|headline| terms(headline).collect()).collect();
        Self { headline_terms, headlines: headlines.to_vec(), terms_of_headlines, matched }
    }

    /// Returns a sentence's score without its weakness: points for what it has of the headlines and of the words that
    /// matched, for an early position, and for the text that represents the story; fewer if it is short, repeats the
    /// headlines or is about its author. [`add_centrality`] adds centrality.
    #[expect(clippy::cast_precision_loss, reason = "a position among MAX_SENTENCES and counts of words")]
    fn score(&self, text: usize, position: usize, sentence: &str, terms: &BTreeSet<String>) -> f64 {
        let of_headlines = terms.iter().filter(|term| self.headline_terms.contains_key(*term)).count();
        let covered: f64 =
            self.headline_terms.iter().filter(|(term, _)| terms.contains(*term)).map(|(_, times)| times).sum();
        let share = covered / self.headline_terms.values().sum::<f64>().max(1.0);
        let of_headlines_points = HEADLINE_SHARE * share.min(MAX_HEADLINE_SHARE)
            + HEADLINE_WORD * of_headlines.min(MAX_HEADLINE_WORDS) as f64;
        let early = BEGINNING * (1.0 - position as f64 / END_OF_BEGINNING as f64).max(0.0);
        let represents = if text == 0 { REPRESENTS } else { 0.0 };
        let new = terms.len() - of_headlines;
        let is_mostly = |headline: &BTreeSet<String>| 2 * headline.intersection(terms).count() > terms.len();
        let is_repeated = new < MIN_NEW_TERMS || self.terms_of_headlines.iter().any(is_mostly);
        let repeats = if is_repeated { REPEATS } else { 0.0 };
        let lacking = LACKING_TERM * ENOUGH_TERMS.saturating_sub(terms.len()) as f64;
        let personal = if is_in_first_person(sentence) { IN_FIRST_PERSON } else { 0.0 };
        of_headlines_points + early + represents + self.matched_points(position, terms) - repeats - lacking - personal
    }

    #[expect(clippy::cast_precision_loss, reason = "a number of words")]
    fn matched_points(&self, position: usize, terms: &BTreeSet<String>) -> f64 {
        let in_lead = if position < LEAD_SENTENCES { MATCH_IN_LEAD } else { 0.0 };
        match self.matched.intersection(terms).count().min(MAX_MATCHES) {
            0 => 0.0,
            words => FIRST_MATCH + FURTHER_MATCH * (words - 1) as f64 + in_lead,
        }
    }
}

fn terms(text: &str) -> impl Iterator<Item = String> {
    tokens(text).map(|token| token.term.into_owned())
}

/// Returns at most `count` sentences from the texts (source, text), the highest score first, without redundant ones. A
/// second sentence from another text is preferred to one from the same. `matched` are the words, as written, that
/// matched the reader's interests: of the first sentences of a text, one with more of them is preferred to one with
/// fewer, and to one that is merely central.
pub(super) fn choose(headlines: &[String], texts: &[(String, String)], matched: &[String], count: usize) -> Vec<Quote> {
    let topic = Topic::of(headlines, matched);
    let mut candidates = candidates(&topic, texts, &SENTENCE_CHARS);
    if candidates.is_empty() {
        candidates = self::candidates(&topic, texts, &LONG_SENTENCE_CHARS);
    }
    add_centrality(&mut candidates);
    let mut chosen: Vec<Candidate> = Vec::new();
    while chosen.len() < count {
        // A weak sentence is better than none, but not as a second one.
        let max_weakness = if chosen.is_empty() { FIRST_WEAKNESS } else { FURTHER_WEAKNESS };
        let is_usable = |candidate: &Candidate| candidate.weakness <= max_weakness;
        if !chosen.is_empty() || candidates.iter().any(is_usable) {
            candidates.retain(is_usable);
        }
        candidates.retain(|c| chosen.iter().all(|taken| jaccard(&taken.terms, &c.terms) < REDUNDANT_OVERLAP));
        let used = |text: usize| chosen.iter().any(|taken| taken.text == text);
        let best = (0..candidates.len()).max_by(|a, b| {
            let value = |c: &Candidate| c.score - if used(c.text) { 0.5 } else { 0.0 };
            let (x, y) = (&candidates[*a], &candidates[*b]);
            value(x).total_cmp(&value(y)).then_with(|| y.quote.sentence.cmp(&x.quote.sentence))
        });
        match best {
            Some(index) => chosen.push(candidates.swap_remove(index)),
            None => break,
        }
    }
    chosen.into_iter().map(|candidate| candidate.quote).collect()
}

/// Returns the sentences of the given length in characters, with their scores.
fn candidates(topic: &Topic, texts: &[(String, String)], chars: &RangeInclusive<usize>) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (text, (source, body)) in texts.iter().enumerate() {
        for (position, sentence) in quotable(body, chars).enumerate() {
            if topic.headlines.iter().any(|headline| is_joined_to_headline(headline, sentence)) {
                continue;
            }
            let terms: BTreeSet<String> = terms(sentence).collect();
            let weakness = weakness(sentence) + dependence(sentence);
            let score = topic.score(text, position, sentence, &terms) - weakness;
            let quote = Quote { sentence: sentence.to_owned(), source: source.clone() };
            found.push(Candidate { quote, terms, weakness, score, text });
        }
    }
    found
}

/// Adds up to half a point for centrality: the mean number of other sentences that contain each of a sentence's words,
/// relative to the most central sentence.
#[expect(clippy::cast_precision_loss, reason = "counts of sentences and words")]
fn add_centrality(candidates: &mut [Candidate]) {
    let mut term_counts: BTreeMap<String, usize> = BTreeMap::new();
    for term in candidates.iter().flat_map(|candidate| &candidate.terms) {
        *term_counts.entry(term.clone()).or_default() += 1;
    }
    let shared = |candidate: &Candidate| {
        let others: usize = candidate.terms.iter().map(|term| term_counts.get(term).map_or(0, |count| count - 1)).sum();
        others as f64 / candidate.terms.len().max(1) as f64
    };
    let central: Vec<f64> = candidates.iter().map(shared).collect();
    let max = central.iter().copied().fold(0.0, f64::max);
    if max > 0.0 {
        candidates.iter_mut().zip(central).for_each(|(candidate, mean)| candidate.score += 0.5 * mean / max);
    }
}

/// Returns sentences of the given length that are quotable alone, in order, as in the text.
fn quotable<'t>(text: &'t str, chars: &RangeInclusive<usize>) -> impl Iterator<Item = &'t str> {
    let max_chars = *chars.end();
    let marks = ['•', '-', '–', '—', '*', '>', '·', '▪', '◦', '‣', ' ', '\u{a0}'];
    text.lines()
        .flat_map(move |paragraph| passages(paragraph, max_chars))
        .map(move |passage| without_dateline(without_tag(passage.trim_start_matches(marks))))
        .filter(move |passage| chars.contains(&passage.chars().count()))
        .take(MAX_SENTENCES)
        .filter(|passage| flaw(passage).is_none() && !is_reference(passage))
}

/// Removes a leading tag such as "[Harbour Gazette] The ferry …", which is not part of the sentence.
fn without_tag(sentence: &str) -> &str {
    let untagged = sentence.strip_prefix('[').and_then(|rest| rest.split_once("] ")).map(|(_, untagged)| untagged);
    let opens = |untagged: &str| untagged.trim_start_matches(['“', '"', '‘']).starts_with(char::is_uppercase);
    untagged.filter(|untagged| opens(untagged)).unwrap_or(sentence)
}

/// Maximum words and bytes of a dateline.
const MAX_DATELINE_WORDS: usize = 7;
const MAX_DATELINE_BYTES: usize = 60;

/// Removes a leading place, date and agency, as in "LONDON, Jan. 5 (Reuters) - The ferry …". The place is in capitals,
/// or an agency in parentheses ends the dateline.
fn without_dateline(sentence: &str) -> &str {
    let splits = [" — ", " – ", " - "].iter().filter_map(|dash| sentence.split_once(dash));
    let Some((head, rest)) = splits.min_by_key(|(head, _)| head.len()) else { return sentence };
    let place = head.split([',', ' ']).next().unwrap_or_default();
    let has_capital_place = place.chars().count() > 2 && place.chars().all(char::is_uppercase);
    let has_agency = head.ends_with(')') && head.contains(" (");
    let is_short = head.len() <= MAX_DATELINE_BYTES && head.split_whitespace().count() <= MAX_DATELINE_WORDS;
    let is_dateline = is_short && head.starts_with(char::is_uppercase) && (has_capital_place || has_agency);
    if is_dateline && rest.starts_with(char::is_uppercase) { rest } else { sentence }
}

/// Returns the first sentences of a text, whatever their length, even without an end.
pub(in crate::tasks) fn whole_sentences(text: &str) -> Vec<&str> {
    let mut whole = Vec::new();
    for paragraph in text.lines() {
        whole.extend(sentences(paragraph));
        if whole.len() > MAX_SENTENCES {
            break;
        }
    }
    whole
}

/// Whether a sentence is a headline joined to the following text, because the markup between them is lost: "Ferry
/// strikes quay The ferry …".
fn is_joined_to_headline(headline: &str, sentence: &str) -> bool {
    let prefix = sentence.get(..headline.len()).filter(|start| start.eq_ignore_ascii_case(headline));
    let rest = prefix.and(sentence.get(headline.len()..)).and_then(|rest| rest.strip_prefix(' '));
    headline.contains(' ') && rest.is_some_and(|rest| rest.starts_with(char::is_uppercase))
}

#[expect(clippy::cast_precision_loss, reason = "counts of words")]
fn jaccard(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let union = a.union(b).count();
    if union == 0 { 1.0 } else { a.intersection(b).count() as f64 / union as f64 }
}

#[cfg(test)]
mod tests;
