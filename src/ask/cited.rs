//! Builds an answer from its sentences, with the citations of their passages.

use aha_analysis::retrieval::{CandidatePassage, Extract};
use aha_core::time::Timestamp;

use super::passages::{Found, Passage};
use super::{Answer, Citation, CitedSentence, MAX_PASSAGES};

/// Builds the answer from sentences that a model wrote and its passages support. `best`: the passages sent to it, which
/// `candidates` has in the same order.
pub(super) fn written_answer(
    sentences: Vec<(String, Vec<usize>)>,
    best: &[usize],
    candidates: &[CandidatePassage<'_>],
    found: &Found,
) -> Answer {
    let mut citations: Vec<Citation> = Vec::new();
    let mut cite = |place: usize| {
        let passage = best[place];
        cited_place(&mut citations, &candidates[place], &found.passages[passage], by_rank(place))
    };
    let sentences: Vec<CitedSentence> = sentences
        .into_iter()
        .map(|(text, places)| {
            let mut citations: Vec<usize> = Vec::new();
            for citation in places.into_iter().map(&mut cite) {
                // Two passages may be of one section.
                if !citations.contains(&citation) {
                    citations.push(citation);
                }
            }
            CitedSentence { text, citations }
        })
        .collect();
    Answer { answer: joined(&sentences), sentences, citations, note: None, degraded: None }
}

/// Returns the relevance of the passage with this index: the passage found first is the most relevant.
#[expect(clippy::cast_precision_loss, reason = "a place among a few passages")]
fn by_rank(place: usize) -> f64 {
    1.0 - place as f64 / (MAX_PASSAGES as f64 + 1.0)
}

pub(super) fn cited(picked: &Extract, candidates: &[CandidatePassage<'_>], found: &Found) -> Answer {
    let mut citations: Vec<Citation> = Vec::new();
    let sentences: Vec<CitedSentence> = picked
        .quotes
        .iter()
        .map(|quote| {
            let relevance = (quote.score * picked.probability * 1000.0).round() / 1000.0;
            let (candidate, passage) = (&candidates[quote.passage], &found.passages[quote.passage]);
            let place = cited_place(&mut citations, candidate, passage, relevance);
            CitedSentence { text: quote.text.clone(), citations: vec![place] }
        })
        .collect();
    let name = |passage: usize| candidates[passage].document;
    let note = picked.outdated.map(|(old, new)| {
        format!("{} says otherwise and is older than {}, which is followed here", name(old), name(new))
    });
    let note = note.or_else(|| picked.older.map(older_note));
    Answer { answer: joined(&sentences), sentences, citations, note, degraded: None }
}

/// Says that an answer is older than the period that was asked for. `dated`: in Unix milliseconds; 0 if unknown.
pub(super) fn older_note(dated: i64) -> String {
    let date: String = Timestamp::from_millis(dated).to_string().chars().take(10).collect();
    let newest = if dated == 0 { "the text quoted has no date".to_owned() } else { format!("the newest is of {date}") };
    format!("no text about it is as recent as asked for; {newest}")
}

/// Returns the index of a passage's citation, which is added unless its section of the same text is cited already.
pub(super) fn cited_place(
    citations: &mut Vec<Citation>,
    candidate: &CandidatePassage<'_>,
    passage: &Passage,
    relevance_score: f64,
) -> usize {
    let is_cited = |one: &Citation| {
        let is_same_text = one.item == passage.item && one.url == passage.url;
        is_same_text && one.document == candidate.document && one.section == candidate.section
    };
    if let Some(place) = citations.iter().position(is_cited) {
        return place;
    }
    // The time of a file is often that of its copying.
    let is_dated = candidate.dated != 0 && (candidate.is_item || candidate.is_date_stated);
    citations.push(Citation {
        document: candidate.document.to_owned(),
        section: candidate.section.to_owned(),
        relevance_score,
        url: passage.url.clone(),
        time: is_dated.then(|| Timestamp::from_millis(candidate.dated)),
        title: candidate.title.map(str::to_owned),
        item: passage.item,
    });
    citations.len() - 1
}

/// Returns the sentences as one text. A title or a row before another sentence gets the full stop that it lacks.
fn joined(sentences: &[CitedSentence]) -> String {
    let mut text = String::new();
    for sentence in sentences {
        if text.ends_with(|c: char| c.is_alphanumeric()) {
            text.push('.');
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&sentence.text);
    }
    text
}
