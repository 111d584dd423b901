//! Choosing the sentences worth quoting, word for word.

use std::collections::{BTreeMap, BTreeSet};

use unicode_segmentation::UnicodeSegmentation;

use crate::stories::tokens::tokens;

/// Characters of a sentence that stands by itself.
const SENTENCE_CHARS: std::ops::RangeInclusive<usize> = 45..=320;

/// Sentences of a text that are looked at.
const MAX_SENTENCES: usize = 40;

/// Two sentences that share more than this of their words (Jaccard) say the same.
const REDUNDANT: f64 = 0.5;

/// A sentence and where it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Quote {
    pub(super) sentence: String,
    pub(super) source: String,
}

struct Candidate {
    quote: Quote,
    terms: BTreeSet<String>,
    merit: f64,
    text: usize,
}

/// At most `count` sentences from the texts (source, text), the weightiest first, none repeating another. A second one from
/// another text is preferred to one from the same.
pub(super) fn choose(headlines: &[String], texts: &[(String, String)], count: usize) -> Vec<Quote> {
    let mut topic: BTreeMap<String, f64> = BTreeMap::new();
    for term in headlines.iter().flat_map(|headline| tokens(headline)).map(|token| token.term.into_owned()) {
        *topic.entry(term).or_default() += 1.0;
    }
    let mut candidates: Vec<Candidate> = texts
        .iter()
        .enumerate()
        .flat_map(|(number, (source, text))| sentences(text).into_iter().enumerate().map(move |s| (number, source, s)))
        .map(|(number, source, (position, sentence))| weigh(number, source, position, sentence, &topic))
        .collect();
    add_centrality(&mut candidates);
    let mut chosen: Vec<Candidate> = Vec::new();
    while chosen.len() < count {
        candidates.retain(|c| chosen.iter().all(|taken| jaccard(&taken.terms, &c.terms) < REDUNDANT));
        let used = |text: usize| chosen.iter().any(|taken| taken.text == text);
        let best = (0..candidates.len()).max_by(|a, b| {
            let value = |c: &Candidate| c.merit - if used(c.text) { 0.5 } else { 0.0 };
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

/// Merit: 1.5 × the share of what the headlines say, weighted by how many say it; a bonus for standing early; half a point for
/// the text that represents the story. Centrality comes on top, see [`add_centrality`].
#[expect(clippy::cast_precision_loss, reason = "a position among MAX_SENTENCES")]
fn weigh(text: usize, source: &str, position: usize, sentence: String, topic: &BTreeMap<String, f64>) -> Candidate {
    let terms: BTreeSet<String> = tokens(&sentence).map(|t| t.term.into_owned()).collect();
    let said: f64 = topic.iter().filter(|(term, _)| terms.contains(*term)).map(|(_, weight)| weight).sum();
    let shared = said / topic.values().sum::<f64>().max(1.0);
    let merit = 1.5 * shared + 0.4 / (1.0 + position as f64) + if text == 0 { 0.5 } else { 0.0 };
    Candidate { quote: Quote { sentence, source: source.to_owned() }, terms, merit, text }
}

/// Half a point for what other sentences tell too: the mean share of them that a sentence's words are in, against that of the most
/// central one.
#[expect(clippy::cast_precision_loss, reason = "counts of sentences and words")]
fn add_centrality(candidates: &mut [Candidate]) {
    let mut told: BTreeMap<String, usize> = BTreeMap::new();
    for term in candidates.iter().flat_map(|candidate| &candidate.terms) {
        *told.entry(term.clone()).or_default() += 1;
    }
    let shared = |candidate: &Candidate| {
        let others: usize = candidate.terms.iter().map(|term| told.get(term).map_or(0, |count| count - 1)).sum();
        others as f64 / candidate.terms.len().max(1) as f64
    };
    let central: Vec<f64> = candidates.iter().map(shared).collect();
    let most = central.iter().copied().fold(0.0, f64::max);
    if most > 0.0 {
        candidates.iter_mut().zip(central).for_each(|(candidate, mean)| candidate.merit += 0.5 * mean / most);
    }
}

/// Sentences that stand by themselves, in order, as they stand in the text.
fn sentences(text: &str) -> Vec<String> {
    let fits =
        |s: &String| SENTENCE_CHARS.contains(&s.chars().count()) && s.ends_with(['.', '!', '?', '”', '"', '…', '。']);
    whole_sentences(text).into_iter().map(|s| s.trim().to_owned()).filter(fits).take(MAX_SENTENCES).collect()
}

/// The first sentences of a text, be they short, long or without an end.
pub(super) fn whole_sentences(text: &str) -> Vec<String> {
    let mut whole: Vec<String> = Vec::new();
    for paragraph in text.lines() {
        let mut open = String::new();
        for part in paragraph.unicode_sentences() {
            open.push_str(part);
            if !ends_in_abbreviation(open.trim_end()) {
                whole.push(std::mem::take(&mut open));
            }
        }
        whole.push(open);
        if whole.len() > MAX_SENTENCES {
            break;
        }
    }
    whole
}

/// "Mr." and "J." end no sentence.
fn ends_in_abbreviation(text: &str) -> bool {
    const ABBREVIATIONS: [&str; 14] =
        ["Mr.", "Mrs.", "Ms.", "Dr.", "Prof.", "St.", "Sen.", "Rep.", "Gov.", "Gen.", "Jr.", "vs.", "No.", "U.S."];
    let last = text.rsplit(' ').next().unwrap_or("");
    let initial = last.chars().count() == 2 && last.ends_with('.') && last.starts_with(char::is_uppercase);
    initial || ABBREVIATIONS.contains(&last)
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
        let quotes = choose(&["Ferry Marigold Star strikes quay".into()], &[("Wire".into(), text.into())], 2);
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
        let quotes = choose(&["Marigold Star".into()], &texts, 1);
        assert_eq!(quotes[0].sentence, told);
    }

    #[test]
    fn the_same_said_twice_is_quoted_once() {
        let said = "The council approved the tidal project in Ailsk Sound on Tuesday evening.";
        let texts = [("A".to_owned(), said.to_owned()), ("B".to_owned(), said.to_owned())];
        assert_eq!(choose(&["Tidal project approved".into()], &texts, 2).len(), 1);
    }
}
