//! The Aha score of `local`: points for facts, within the bands of the glossary, and a reason that names the facts with the
//! largest effect.
//!
//! What a reader asked for counts most; then likes, stories with several sources, and names that many sources mention.
//! `docs/RANKING.md` describes how each part was measured.

use std::collections::BTreeSet;

use aha_analysis::relevance::{WEAK, light_stem};
use aha_core::digest::{Evidence, Relevance};
use serde_json::{Value, json};

use super::TriageInput;

/// Initial score without evidence either way: mildly interesting.
const START: f64 = 26.0;

/// Ceilings for a story that a reader with interests did not ask for, from one source and from several. The second leaves
/// room below the band worth reading for stories that match in part (`docs/RANKING.md`).
const UNASKED_CEILING: f64 = 35.0;
const UNASKED_SEVERAL_CEILING: f64 = 43.0;
/// Ceiling for stories that were asked for: the upper end of the band worth reading.
const WORTH_CEILING: f64 = 80.0;
/// Minimum sources for a score in the rare band.
const RARE_SOURCES: usize = 4;

/// Noise probability from which on it counts against a story (`docs/RANKING.md`).
const MIN_NOISE_PROBABILITY: f64 = 0.95;

/// Reasons where there is no evidence for or against a story; lists omit them.
pub const NO_EVIDENCE: &str = "One source tells it; nothing else is known";
pub const NO_INTEREST_MATCHED: &str = "One source tells it, and no match with your interests was found";

/// One fact: its points, and its description.
struct Finding {
    points: f64,
    words: String,
}

pub(in crate::tasks) fn judge(input: &TriageInput) -> Value {
    let evidence = &input.evidence;
    let is_noise = is_noise(evidence);
    json!({
        "aha_score": as_score(local_score(evidence)),
        "reason": reason(input),
        "is_relevant": !evidence.has_interests || is_close_to_interests(evidence),
        "is_novel": input.continues.is_none() && evidence.resembles.is_none(),
        "categories": input.categories,
        "should_deep_summarize": !input.body.trim().is_empty() && !evidence.teaser && !is_noise,
    })
}

/// Returns the value of the facts, 0 to 100: the Aha score of `local` before rounding.
#[must_use]
pub fn local_score(evidence: &Evidence) -> f64 {
    let ceiling = if is_noise(evidence) {
        NOISE_CEILING
    } else if evidence.has_interests && !matches_interests(evidence) && evidence.preference <= 0.0 {
        if evidence.distinct_sources > 1 { UNASKED_SEVERAL_CEILING } else { UNASKED_CEILING }
    } else if !evidence.has_interests && evidence.relevance.as_ref().is_some_and(is_denied) {
        UNASKED_CEILING
    } else if evidence.distinct_sources >= RARE_SOURCES {
        100.0
    } else {
        WORTH_CEILING
    };
    points(evidence).max(named_floor(evidence)).clamp(0.0, ceiling)
}

/// Minimum score of a story whose text matches or touches an interest: above the ceilings of those that do not. With
/// 51, as much as any story that no reason names an interest for, nDCG@10 of the 51 texts is 0.006 less.
const NAMED_FLOOR: f64 = 48.0;
/// The share that denied clauses must leave for it.
const MIN_ALLOWED: f64 = 0.75;

fn named_floor(evidence: &Evidence) -> f64 {
    let relevance = evidence.relevance.as_ref();
    let is_filed = relevance.is_some_and(|relevance| !relevance.filed_under.is_empty());
    let is_named = !evidence.matched_interests.is_empty() || !evidence.touched_interests.is_empty() && !is_filed;
    let allowed = relevance.map_or(1.0, |relevance| relevance.allowed);
    if is_named && evidence.has_interests && allowed >= MIN_ALLOWED { NAMED_FLOOR } else { 0.0 }
}

/// Returns the same without the ceilings of stories that are no noise. It orders the stories that a model could judge,
/// of which many have the ceiling of those that nobody asked for.
#[must_use]
pub fn local_score_without_ceilings(evidence: &Evidence) -> f64 {
    let points = points(evidence).max(0.0);
    if is_noise(evidence) { points.min(NOISE_CEILING) } else { points }
}

fn points(evidence: &Evidence) -> f64 {
    let allowed = evidence.relevance.as_ref().filter(|_| !evidence.has_interests).map_or(1.0, |found| found.allowed);
    // For a reader who only denies things, positive points count to the extent that the story is not denied.
    let effective_points =
        |finding: &Finding| if finding.points > 0.0 { allowed * finding.points } else { finding.points };
    START + findings(evidence, &[]).iter().map(effective_points).sum::<f64>()
}

/// Minimum cosine by a sentence model for a match without words (`docs/RANKING.md`).
const MIN_SENTENCE_SIMILARITY: f64 = 0.35;

/// Whether the story matches what the reader asked for at least weakly, by words or by a sentence model.
#[must_use]
pub fn matches_interests(evidence: &Evidence) -> bool {
    evidence.relevance.as_ref().is_some_and(|relevance| relevance.matched >= WEAK || is_by_sentence(relevance))
}

fn is_by_sentence(relevance: &Relevance) -> bool {
    relevance.sentence_similarity.map_or(0.0, |cosine| relevance.allowed * cosine) >= MIN_SENTENCE_SIMILARITY
}

/// Minimum degree of relevance of a story close to the interests. Of the stories below it that match no clause as a
/// whole, one of five was of interest to the readers of the development labels, of those above it one of two
/// (`docs/RANKING.md`).
const MIN_CLOSE_DEGREE: f64 = 1.25;

/// Whether the story matches a clause of the interests as a whole, or is more likely of interest than not. By its
/// degree it is only if there is a clause to name: of 13 stories that lack the place of each clause, none was of
/// interest.
#[must_use]
pub fn is_close_to_interests(evidence: &Evidence) -> bool {
    let has_name = !evidence.touched_interests.is_empty() || evidence.nearest_interest.is_some();
    let is_close = |relevance: &Relevance| {
        relevance.meets_clause || (has_name && relevance.degree >= MIN_CLOSE_DEGREE) || is_by_sentence(relevance)
    };
    matches_interests(evidence)
        && (!evidence.matched_interests.is_empty() || evidence.relevance.as_ref().is_some_and(is_close))
}

fn is_noise(evidence: &Evidence) -> bool {
    !evidence.promotional.is_empty() || evidence.clickbait
}

/// The upper end of the noise band.
const NOISE_CEILING: f64 = 20.0;

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=100 before")]
fn as_score(score: f64) -> u8 {
    score.round().clamp(0.0, 100.0) as u8
}

/// Returns all findings. `sources`: names of the sources that report the story.
fn findings(evidence: &Evidence, sources: &[&str]) -> Vec<Finding> {
    let mut found = Vec::new();
    interests(evidence, &mut found);
    preference(evidence, &mut found);
    corroboration(evidence, sources, &mut found);
    engagement(evidence, &mut found);
    caveats(evidence, &mut found);
    found
}

fn add(found: &mut Vec<Finding>, points: f64, words: impl Into<String>) {
    found.push(Finding { points, words: words.into() });
}

/// Points of the highest degree, and the degree at which 63 % of them are reached.
const INTEREST_POINTS: f64 = 54.0;
const INTEREST_SCALE: f64 = 1.9;

/// Adds points for the degree of relevance, and subtracts points to the extent that the story is denied.
fn interests(evidence: &Evidence, found: &mut Vec<Finding>) {
    let Some(relevance) = evidence.relevance.as_ref() else { return };
    let points = INTEREST_POINTS * (1.0 - (-relevance.degree.max(0.0) / INTEREST_SCALE).exp());
    add(found, points, if matches_interests(evidence) { matched(evidence) } else { String::new() });
    if let Some(denied) = relevance.denied.first() {
        add(found, -DENIED_POINTS * denied_part(relevance), format!("you do not want “{denied}”"));
    }
}

/// Points that an entirely denied story loses.
const DENIED_POINTS: f64 = 12.0;

fn denied_part(relevance: &Relevance) -> f64 {
    1.0 - relevance.allowed
}

/// Share of a denied subject from which on a story is one that the reader, who asks for nothing else, did not ask for.
const MIN_DENIED_PART: f64 = 0.25;

fn is_denied(relevance: &Relevance) -> bool {
    denied_part(relevance) >= MIN_DENIED_PART
}

fn matched(evidence: &Evidence) -> String {
    match (&evidence.matched_interests[..], &evidence.touched_interests[..]) {
        ([], []) if !is_close_to_interests(evidence) => String::new(),
        // Its words are close to several interests, but match none sufficiently.
        ([], []) => match &evidence.nearest_interest {
            Some(nearest) => format!("comes near to your “{nearest}”{}", near_words(evidence)),
            None => "comes near to your interests".to_owned(),
        },
        ([], touched) => format!("touches your {}{}", quoted(touched, 3), touching_words(evidence, touched)),
        (met, _) => format!("matches your {}", with_other_words(evidence, met)),
    }
}

/// Formats clauses that a story matches, those of which it has no word last, each with the words that it has.
fn with_other_words(evidence: &Evidence, met: &[String]) -> String {
    let other_words = evidence.relevance.as_ref().map_or(&[][..], |relevance| &relevance.other_words);
    let of_clause = |clause: &String| other_words.iter().find(|other| other.interest == *clause);
    let shown = || met.iter().take(3);
    let own: Vec<String> = shown().filter(|clause| of_clause(clause).is_none()).cloned().collect();
    let by_others = shown().filter_map(of_clause);
    let by_others = by_others.map(|other| format!("“{}” with {}", other.interest, quoted(&other.words, 2)));
    let own = (!own.is_empty()).then(|| quoted(&own, 3));
    own.into_iter().chain(by_others).collect::<Vec<_>>().join(", and ")
}

/// Names the words by which a story touches clauses: of “self-hosting” it may have only “hosting”. Of several forms of a
/// word, the first; none that are forms of a whole clause. If only its source's categories have them, names these.
fn touching_words(evidence: &Evidence, touched: &[String]) -> String {
    if let Some(relevance) = evidence.relevance.as_ref().filter(|relevance| !relevance.filed_under.is_empty()) {
        return format!(": its source files it under {}", quoted(&relevance.filed_under, 2));
    }
    // Of “self-hosted”, “self” and the stem of “hosted”.
    let parts = |word: &str| {
        let (before, last) = word.rsplit_once('-').unwrap_or(("", word));
        (before.to_owned(), light_stem(last))
    };
    let is_whole = |word: &str| {
        touched.iter().any(|clause| {
            let (clause, word) = (clause.to_lowercase(), word.to_lowercase());
            clause == word || parts(&clause) == parts(&word)
        })
    };
    let mut stems = BTreeSet::new();
    let found = evidence.relevance.iter().flat_map(|relevance| &relevance.words);
    let words: Vec<String> =
        found.filter(|word| !is_whole(word) && stems.insert(parts(&word.to_lowercase()).1)).cloned().collect();
    if words.is_empty() { String::new() } else { format!(" with {}", quoted(&words, 2)) }
}

/// Names the words by which a story comes near to the clause that it comes nearest to.
fn near_words(evidence: &Evidence) -> String {
    let words: Vec<String> = evidence.near_words().into_iter().map(str::to_owned).collect();
    if words.is_empty() { String::new() } else { format!(" with {}", quoted(&words, 2)) }
}

fn quoted(texts: &[String], max: usize) -> String {
    let quoted: Vec<String> = texts.iter().take(max).map(|text| format!("“{text}”")).collect();
    match &quoted[..] {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => quoted.concat(),
    }
}

/// Maximum points of likes and dislikes, in either direction; with interests set, they count less.
const PREFERENCE_POINTS: f64 = 50.0;
const PREFERENCE_POINTS_WITH_INTERESTS: f64 = 15.0;

fn preference(evidence: &Evidence, found: &mut Vec<Finding>) {
    if evidence.preference.abs() <= f64::EPSILON {
        return;
    }
    let max = if evidence.has_interests { PREFERENCE_POINTS_WITH_INTERESTS } else { PREFERENCE_POINTS };
    let points = max * evidence.preference;
    let words = evidence.preference_reason.as_ref().filter(|_| points.abs() >= 0.5);
    add(found, points, words.map_or_else(String::new, |words| format!("{points:+.0}: {words}")));
}

/// Points for each doubling of independent sources, and the maximum number of doublings; with interests set, or as far as
/// feedback decides, they count less.
const SOURCE_POINTS: f64 = 18.0;
const SOURCE_POINTS_WITH_INTERESTS: f64 = 1.5;
const SOURCE_POINTS_UNASKED: f64 = 8.0;
const MAX_DOUBLINGS: f64 = 3.0;
/// Points for each doubling of the sources that mention the same names; and points for a source whose items others all
/// report as well, because a story that only one source has so far may reach others later.
const NAME_POINTS: f64 = 4.0;
const CORROBORATED_POINTS: f64 = 14.0;
/// Points for each doubling of the other sources with similar items.
const NEAR_POINTS: f64 = 3.0;

#[expect(clippy::cast_precision_loss, reason = "numbers of sources")]
fn corroboration(evidence: &Evidence, names: &[&str], found: &mut Vec<Finding>) {
    let sources = evidence.distinct_sources;
    let general = 1.0 - evidence.feedback_weight;
    let points_per_doubling = match (evidence.has_interests, matches_interests(evidence)) {
        (false, _) => general * SOURCE_POINTS + evidence.feedback_weight * SOURCE_POINTS_WITH_INTERESTS,
        (true, true) => SOURCE_POINTS_WITH_INTERESTS,
        (true, false) => SOURCE_POINTS_UNASKED,
    };
    if sources > 1 {
        let points = points_per_doubling * (sources as f64).log2().min(MAX_DOUBLINGS);
        let listed = if names.is_empty() { String::new() } else { format!(": {}", list(names, 3)) };
        add(found, points, format!("told by {sources} sources{listed}"));
    }
    // Applies even if likes are known: a story must not lose points for being liked.
    if !evidence.has_interests {
        add(found, NEAR_POINTS * (1.0 + evidence.near_sources as f64).log2(), "");
    }
    if !evidence.has_interests {
        add(found, general * NAME_POINTS * (1.0 + evidence.shared_names).log2(), "");
        if sources < 2 {
            add(found, general * CORROBORATED_POINTS * evidence.corroborated_share, "");
        }
    }
}

/// Up to 4 points for more engagement than the source's own items usually get.
const ENGAGEMENT_POINTS: f64 = 4.0;
/// Minimum points, comments or views that count as a reason to read a story.
const MIN_NOTABLE_COUNT: i64 = 10;

fn engagement(evidence: &Evidence, found: &mut Vec<Finding>) {
    let Some(percentile) = evidence.engagement_percentile else { return };
    let what = match (evidence.score, evidence.comments) {
        (Some(score), Some(comments)) => {
            format!("{} and {}", with_unit(score, "point"), with_unit(comments, "comment"))
        }
        (Some(score), None) => with_unit(score, "point"),
        (None, Some(comments)) => with_unit(comments, "comment"),
        (None, None) => with_unit(evidence.views.unwrap_or_default(), "view"),
    };
    let counts = [evidence.score, evidence.comments, evidence.views];
    let words = match percentile {
        _ if counts.into_iter().flatten().all(|count| count < MIN_NOTABLE_COUNT) => String::new(),
        p if p >= 1.0 => format!("{what}, the most of its source's items"),
        p if p > 0.5 => format!("{what}, more than {:.0} % of its source's items have", percentile * 100.0),
        _ => String::new(),
    };
    add(found, ENGAGEMENT_POINTS * percentile, words);
}

fn caveats(evidence: &Evidence, found: &mut Vec<Finding>) {
    if !evidence.promotional.is_empty() {
        let phrases: Vec<String> = evidence.promotional.iter().map(|p| format!("“{p}”")).collect();
        add(found, -30.0, format!("reads as an advertisement: {}", phrases.join(", ")));
    }
    if evidence.clickbait {
        add(found, -20.0, "the headline promises instead of telling");
    }
    if let Some(points) = noise_points(evidence) {
        add(found, points, "its headline is that of an advertisement or of bait");
    }
    if let Some(earlier) = &evidence.resembles {
        add(found, -4.0, format!("resembles “{earlier}”"));
    }
    if evidence.teaser {
        add(found, -2.0, "");
    }
}

/// Returns the facts with the largest effect, positive ones first.
fn reason(input: &TriageInput) -> String {
    let mut sources: Vec<&str> = Vec::new();
    for member in &input.members {
        if !sources.contains(&member.source.as_str()) {
            sources.push(&member.source);
        }
    }
    let mut findings = findings(&input.evidence, &sources);
    if let Some(earlier) = &input.continues {
        add(&mut findings, 0.0, format!("continues a story of {}", earlier.day));
    }
    findings.retain(|finding| !finding.words.is_empty());
    findings.sort_by(|a, b| {
        let key = |finding: &Finding| (finding.points > 0.0, finding.points.abs());
        let ((is_positive, x), (other_is_positive, y)) = (key(a), key(b));
        other_is_positive.cmp(&is_positive).then(y.total_cmp(&x)).then_with(|| a.words.cmp(&b.words))
    });
    findings.truncate(3);
    // Objections follow what speaks for it.
    if findings.first().is_some_and(|first| first.points > 0.0)
        && let Some(objection) = findings.iter_mut().find(|finding| finding.points < 0.0)
    {
        objection.words.insert_str(0, "but ");
    }
    let facts: Vec<String> = findings.into_iter().map(|finding| finding.words).collect();
    if facts.is_empty() {
        return if input.evidence.has_interests { NO_INTEREST_MATCHED } else { NO_EVIDENCE }.to_owned();
    }
    let mut text = aha_core::item::first_words(&facts.join("; "), 500);
    if let Some(first) = text.chars().next() {
        text.replace_range(..first.len_utf8(), &first.to_uppercase().to_string());
    }
    text
}

fn with_unit(n: i64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

fn list(names: &[&str], max: usize) -> String {
    let shown = names.iter().take(max).copied().collect::<Vec<_>>().join(", ");
    if names.len() > max { format!("{shown} and {} more", names.len() - max) } else { shown }
}

/// Returns the deduction of up to 15 points for a headline that is very likely noise. None if the reader asked for it,
/// several sources report it, or its words were already found to be noise.
fn noise_points(evidence: &Evidence) -> Option<f64> {
    let is_excused = evidence.distinct_sources >= 2 || matches_interests(evidence);
    (evidence.noise > MIN_NOISE_PROBABILITY && !is_excused && !is_noise(evidence))
        .then(|| -15.0 * (evidence.noise - MIN_NOISE_PROBABILITY) / (1.0 - MIN_NOISE_PROBABILITY))
}

#[cfg(test)]
mod tests;
