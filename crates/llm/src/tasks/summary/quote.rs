//! Chooses sentences to quote verbatim.
//!
//! Input: the headlines and texts of a story, and its words that matched the reader's interests. Output: the sentence
//! that matches best, else the most central one. Called by `summary`; `text::quotable` defines what must never be
//! quoted.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use aha_analysis::text::tokens::tokens;
use aha_content::quotable::{flaw, weakness};
use aha_content::sentences::{passages, sentences};

/// Characters of a sentence that can be quoted alone, and of a longer one, which is quoted if there is no other.
const SENTENCE_CHARS: RangeInclusive<usize> = 45..=320;
const LONG_SENTENCE_CHARS: RangeInclusive<usize> = 321..=600;

/// Maximum sentences of a text that are considered.
const MAX_SENTENCES: usize = 40;

/// Two sentences whose words overlap at least this much (Jaccard) are redundant.
const REDUNDANT_OVERLAP: f64 = 0.5;

/// Points for the first word that matched the reader's interests, about what a central sentence scores without one, and
/// for each further word.
const FIRST_MATCH: f64 = 2.5;
const FURTHER_MATCH: f64 = 1.0;

/// Maximum weakness of the first sentence, unless all are weaker: it must be understood without the one before it.
const FIRST_WEAKNESS: f64 = 1.0;
/// Maximum weakness of a further sentence: it may refer to the one before it, but not ask, greet or announce.
const FURTHER_WEAKNESS: f64 = 1.2;

/// Minimum number of words that the headlines lack. With fewer, a sentence only repeats them.
const MIN_NEW_TERMS: usize = 2;

/// A sentence and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Quote {
    pub(super) sentence: String,
    pub(super) source: String,
}

struct Candidate {
    quote: Quote,
    terms: BTreeSet<String>,
    score: f64,
    text: usize,
}

/// The data for scoring the sentences of a story.
struct Topic {
    /// The headlines' words, with the number of headlines that contain each.
    headline_terms: BTreeMap<String, f64>,
    headlines: Vec<String>,
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
        Self { headline_terms, headlines: headlines.to_vec(), matched }
    }

    /// Returns a sentence's score: 1.5 × the share of the headlines' words that it contains, weighted by the number of
    /// headlines; a bonus for an early position; half a point for the text that represents the story; points for
    /// matched words. Weak sentences, and those that add hardly anything to the headlines, lose points.
    /// [`add_centrality`] adds centrality.
    #[expect(clippy::cast_precision_loss, reason = "a position among MAX_SENTENCES and counts of words")]
    fn score(&self, text: usize, position: usize, sentence: &str, terms: &BTreeSet<String>) -> f64 {
        let covered: f64 =
            self.headline_terms.iter().filter(|(term, _)| terms.contains(*term)).map(|(_, times)| times).sum();
        let shared = covered / self.headline_terms.values().sum::<f64>().max(1.0);
        let early = 0.4 / (1.0 + position as f64);
        let represents = if text == 0 { 0.5 } else { 0.0 };
        let new = terms.iter().filter(|term| !self.headline_terms.contains_key(*term)).count();
        let redundancy_penalty = if new < MIN_NEW_TERMS { 1.0 } else { 0.0 };
        1.5 * shared + early + represents + self.matched_points(terms) - weakness(sentence) - redundancy_penalty
    }

    #[expect(clippy::cast_precision_loss, reason = "a number of words")]
    fn matched_points(&self, terms: &BTreeSet<String>) -> f64 {
        match self.matched.intersection(terms).count() {
            0 => 0.0,
            words => FIRST_MATCH + FURTHER_MATCH * (words - 1) as f64,
        }
    }
}

fn terms(text: &str) -> impl Iterator<Item = String> {
    tokens(text).map(|token| token.term.into_owned())
}

/// Returns at most `count` sentences from the texts (source, text), the highest score first, without redundant ones. A
/// second sentence from another text is preferred to one from the same. `matched` are the words, as written, that
/// matched the reader's interests: a sentence with more of them is preferred to one with fewer, and to one that is
/// merely central.
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
        let is_usable = |c: &Candidate| weakness(&c.quote.sentence) <= max_weakness;
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
            let score = topic.score(text, position, sentence, &terms);
            let quote = Quote { sentence: sentence.to_owned(), source: source.clone() };
            found.push(Candidate { quote, terms, score, text });
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
        .filter(|passage| flaw(passage).is_none())
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
mod tests {
    use super::*;

    #[test]
    fn quotes_stand_in_the_text_word_for_word() {
        let text = "The ferry Marigold Star struck the quay at Kelmouth on Monday, said Mr. Hallan. Nobody expected it. \
                    Fourteen passengers were hurt when the ferry hit Berth 3 at walking speed.";
        let quotes = choose(&["Ferry Marigold Star strikes quay".into()], &[("Wire".into(), text.into())], &[], 2);
        assert_eq!(quotes.len(), 2);
        assert!(quotes.iter().all(|q| text.contains(&q.sentence)), "{quotes:?}");
        assert!(quotes[0].sentence.ends_with("Hallan."));
    }

    #[test]
    fn of_two_asides_the_one_that_others_tell_too_is_quoted() {
        let aside = "Pigeons had been seen on the roof of the chapel a week before that.";
        let told = "Divers will inspect the damaged hull below the waterline on Friday morning.";
        let again = "The damaged hull is inspected by divers below the waterline, said the owner on Friday.";
        let texts = [("A".to_owned(), format!("{aside} {told}")), ("B".to_owned(), again.to_owned())];
        let quotes = choose(&["Marigold Star".into()], &texts, &[], 1);
        assert_eq!(quotes[0].sentence, told);
    }

    #[test]
    fn the_same_said_twice_is_quoted_once() {
        let said = "The council approved the tidal project in Ailsk Sound on Tuesday evening.";
        let texts = [("A".to_owned(), said.to_owned()), ("B".to_owned(), said.to_owned())];
        assert_eq!(choose(&["Tidal project approved".into()], &texts, &[], 2).len(), 1);
    }

    fn chosen(text: &str, matched: &[&str]) -> String {
        let matched: Vec<String> = matched.iter().map(|word| (*word).to_owned()).collect();
        let quotes = choose(&["Marigold Star strikes quay".into()], &[("Wire".into(), text.into())], &matched, 1);
        quotes.first().map(|quote| quote.sentence.clone()).unwrap_or_default()
    }

    #[test]
    fn a_tag_is_no_part_of_a_quote() {
        let said = "The ferry Marigold Star struck the quay at Kelmouth on Monday, said the owner.";
        let quoted = "“The ferry Marigold Star struck the quay at Kelmouth on Monday,” said the owner.";
        for sentence in [said, quoted] {
            assert_eq!(chosen(&format!("[Harbour Gazette] {sentence}"), &[]), sentence);
        }
    }

    #[test]
    fn a_dateline_is_no_part_of_a_quote() {
        let said = "The ferry Marigold Star struck the quay at Kelmouth on Monday, said the owner.";
        for dateline in ["LONDON (Reuters) - ", "NEW YORK, Jan. 5 — ", "Kelmouth, Nov 16 (Wireline) – ", "PARIS – "]
        {
            assert_eq!(chosen(&format!("{dateline}{said}"), &[]), said);
        }
        for sentence in [
            "Kelmouth — The port that the ferry had left in the morning was closed on Monday.",
            "NATO ships left the harbour of Kelmouth on Monday - nobody knows for which port.",
            "The owner (a bank) and the crew had said before the trip - The ferry is safe.",
        ] {
            assert_eq!(chosen(sentence, &[]), sentence);
        }
    }

    #[test]
    fn the_sentence_with_the_readers_words_is_preferred() {
        let central = "The ferry Marigold Star struck the quay at Kelmouth on Monday, said the owner.";
        let one = "Engineers blame the battery pack, which had been installed in the spring.";
        let both = "A second pump in the engine room had been run from the same batteries.";
        let text = format!("{central} {one} {both}");
        assert_eq!(chosen(&text, &[]), central);
        assert_eq!(chosen(&text, &["battery"]), one);
        assert_eq!(chosen(&text, &["battery pumps"]), both);
        assert_eq!(chosen(&text, &["walrus"]), central);
    }

    #[test]
    fn what_must_not_be_quoted_is_not_though_it_matches() {
        let said = "The ferry Marigold Star struck the quay at Kelmouth on Monday, said the owner.";
        for flawed in [
            "Subscribe to our newsletter about ferry batteries, delivered each week to your inbox.",
            "Disclosure: I own shares of the maker of the batteries in the Marigold Star.",
            "Photo: The batteries of the Marigold Star, which struck the quay at Kelmouth.",
            "“The batteries of the Marigold Star were old when she struck the quay.",
            "and the batteries of the Marigold Star were old when she struck the quay.",
            "Marigold Star strikes quay The batteries of the Marigold Star were old.",
            "Marigold Star, Batteries, Quay, Ferries, Kelmouth, Harbour, Monday, Owner.",
        ] {
            assert_eq!(chosen(&format!("{said}\n{flawed}"), &["batteries"]), said, "{flawed}");
            assert_eq!(chosen(flawed, &["batteries"]), "", "{flawed}");
        }
    }

    #[test]
    fn a_reference_to_the_sentence_before_is_quoted_last() {
        let refers = "But it had struck the quay before, say those who stood at the harbour.";
        let plain = "Divers will inspect the damaged hull below the waterline on Friday morning.";
        assert_eq!(chosen(&format!("{refers} {plain}"), &[]), plain);
        assert_eq!(chosen(refers, &[]), refers);
    }

    #[test]
    fn what_depends_on_its_context_is_not_quoted_though_it_matches() {
        let plain = "Divers will inspect the damaged hull below the waterline on Friday morning.";
        for depends in [
            "There, the batteries of the Marigold Star were found to be old and swollen.",
            "Next, the batteries of the Marigold Star were taken out of the engine room.",
            "He just turned the batteries of the Marigold Star off, says the report.",
            "Who put the old batteries into the engine room of the Marigold Star at all?",
        ] {
            assert_eq!(chosen(&format!("{depends} {plain}"), &["batteries"]), plain, "{depends}");
            assert_eq!(chosen(depends, &["batteries"]), depends);
        }
        for alone in [
            "There are batteries on board the Marigold Star that nobody has looked at for years.",
            "Next week the batteries of the Marigold Star are taken out of the engine room.",
        ] {
            assert_eq!(chosen(&format!("{plain} {alone}"), &["batteries"]), alone);
        }
    }

    #[test]
    fn a_long_sentence_is_quoted_where_there_is_no_other() {
        let long =
            format!("The ferry {}struck the quay.", "that had left the harbour of Kelmouth in the morning ".repeat(7));
        assert!(LONG_SENTENCE_CHARS.contains(&long.len()));
        assert_eq!(chosen(&long, &[]), long);
        let plain = "Divers will inspect the damaged hull below the waterline on Friday morning.";
        assert_eq!(chosen(&format!("{long} {plain}"), &[]), plain);
    }

    #[test]
    fn a_second_sentence_does_not_ask_or_greet() {
        let said = "The ferry Marigold Star struck the quay at Kelmouth on Monday, said the owner.";
        let asks = "Who would have thought that a captain could miss a whole harbour by so much?";
        let texts = [("Wire".to_owned(), format!("{said} {asks}"))];
        assert_eq!(choose(&["Marigold Star".into()], &texts, &[], 2).len(), 1);
    }
}
