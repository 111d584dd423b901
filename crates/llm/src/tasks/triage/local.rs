//! The Aha score of `local`: points for facts, within the contract's bands, and a reason that names the facts with the
//! largest effect.
//!
//! What a reader asked for counts most; then likes, stories with several sources, and names that many sources mention.
//! `docs/RANKING.md` describes how each part was measured.

use aha_analysis::relevance::WEAK;
use aha_core::digest::{Evidence, Relevance};
use serde_json::{Value, json};

use super::TriageInput;

/// Initial score without evidence either way: mildly interesting.
const START: f64 = 26.0;

/// Ceiling for a story from one source that a reader with interests did not ask for.
const UNASKED_CEILING: f64 = 35.0;
/// The same for several sources, and for stories that were asked for. These are the upper ends of the contract's bands
/// mildly interesting and worth reading.
const MILD_CEILING: f64 = 50.0;
const WORTH_CEILING: f64 = 80.0;
/// Minimum sources for a score in the rare band.
const RARE_SOURCES: usize = 4;

/// Noise probability from which on it counts against a story (`docs/RANKING.md`).
const MIN_NOISE_PROBABILITY: f64 = 0.95;

/// Reasons where there is no evidence for or against a story; renderings omit them.
pub const NO_EVIDENCE: &str = "One source tells it; nothing else is known";
pub const NO_INTEREST_MATCHED: &str = "One source tells it, and none of your interests is met";

/// One fact: its points, and its description.
struct Finding {
    points: f64,
    words: String,
}

pub(in crate::tasks) fn judge(input: &TriageInput) -> Value {
    let evidence = &input.evidence;
    let is_noise = is_noise(evidence);
    json!({
        "aha_score": as_score(worth(evidence)),
        "reason": reason(input),
        "is_relevant": !evidence.has_interests || is_asked_for(evidence),
        "is_novel": input.continues_since.is_none() && evidence.resembles.is_none(),
        "categories": input.categories,
        "should_deep_summarize": !input.body.trim().is_empty() && !evidence.teaser && !is_noise,
    })
}

/// Returns the value of the facts, 0 to 100: the Aha score of `local` before rounding.
#[must_use]
pub fn worth(evidence: &Evidence) -> f64 {
    let allowed = evidence.relevance.as_ref().filter(|_| !evidence.has_interests).map_or(1.0, |found| found.allowed);
    // For a reader who only denies things, positive points count to the extent that the story is not denied.
    let effective_points =
        |finding: &Finding| if finding.points > 0.0 { allowed * finding.points } else { finding.points };
    let points: f64 = findings(evidence, &[]).iter().map(effective_points).sum();
    let ceiling = if is_noise(evidence) {
        NOISE_CEILING
    } else if evidence.has_interests && !is_asked_for(evidence) && evidence.preference <= 0.0 {
        if evidence.distinct_sources > 1 { MILD_CEILING } else { UNASKED_CEILING }
    } else if evidence.distinct_sources >= RARE_SOURCES {
        100.0
    } else {
        WORTH_CEILING
    };
    (START + points).clamp(0.0, ceiling)
}

/// Whether the story's words match what the reader asked for.
#[must_use]
pub fn is_asked_for(evidence: &Evidence) -> bool {
    evidence.relevance.as_ref().is_some_and(|relevance| relevance.matched >= WEAK)
}

fn is_noise(evidence: &Evidence) -> bool {
    !evidence.promotional.is_empty() || evidence.clickbait
}

/// The upper end of the contract's noise band.
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
const INTEREST_SCALE: f64 = 1.6;

/// Adds points for the degree of relevance, and subtracts points to the extent that the story is denied.
fn interests(evidence: &Evidence, found: &mut Vec<Finding>) {
    let Some(relevance) = evidence.relevance.as_ref() else { return };
    let points = INTEREST_POINTS * (1.0 - (-relevance.degree.max(0.0) / INTEREST_SCALE).exp());
    let words = if is_asked_for(evidence) { matched(evidence) } else { String::new() };
    add(found, points, words);
    if let Some(denied) = relevance.denied.first() {
        add(found, -DENIED_POINTS * denied_part(relevance), format!("you do not want “{denied}”"));
    }
}

/// Points that an entirely denied story loses.
const DENIED_POINTS: f64 = 12.0;

fn denied_part(relevance: &Relevance) -> f64 {
    1.0 - relevance.allowed
}

fn matched(evidence: &Evidence) -> String {
    let (verb, clauses) = match (&evidence.matched_interests[..], &evidence.touched_interests[..]) {
        ([], touched) => ("touches", touched),
        (met, _) => ("matches", met),
    };
    let quoted: Vec<String> = clauses.iter().take(3).map(|clause| format!("“{clause}”")).collect();
    match &quoted[..] {
        // Its words are close to several interests, but match none sufficiently.
        [] => "comes near to your interests".to_owned(),
        [one] => format!("{verb} your {one}"),
        [others @ .., last] => format!("{verb} your {} and {last}", others.join(", ")),
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

/// Points for each doubling of independent sources, and the maximum number of doublings; with interests set, they count
/// less.
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
    let is_preferred = evidence.preference.abs() > f64::EPSILON;
    let points_per_doubling = match (evidence.has_interests, is_asked_for(evidence)) {
        (false, _) if is_preferred => SOURCE_POINTS_WITH_INTERESTS,
        (false, _) => SOURCE_POINTS,
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
    if !evidence.has_interests && !is_preferred {
        add(found, NAME_POINTS * (1.0 + evidence.shared_names).log2(), "");
        if sources < 2 {
            add(found, CORROBORATED_POINTS * evidence.corroborated_share, "");
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
        p if p > 0.5 => format!("{what}, more than {:.0} % of its source's items", percentile * 100.0),
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
    if let Some(since) = input.continues_since {
        add(&mut findings, 0.0, format!("continues a story of {}", since.to_utc().format("%-d %b")));
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
    let is_excused = evidence.distinct_sources >= 2 || is_asked_for(evidence);
    (evidence.noise > MIN_NOISE_PROBABILITY && !is_excused && !is_noise(evidence))
        .then(|| -15.0 * (evidence.noise - MIN_NOISE_PROBABILITY) / (1.0 - MIN_NOISE_PROBABILITY))
}

#[cfg(test)]
mod tests {
    use super::super::MemberInput;
    use super::*;

    fn input(evidence: Evidence) -> TriageInput {
        TriageInput {
            title: "Ferry adrift".into(),
            body: "The ferry lost power.".into(),
            members: vec![MemberInput { title: "Ferry adrift".into(), url: None, source: "Harbour Post".into() }],
            provenance: vec!["feed".into()],
            preference_summary: String::new(),
            interests: String::new(),
            categories: vec![],
            continues_since: None,
            evidence,
        }
    }

    fn score(evidence: Evidence) -> i64 {
        judge(&input(evidence))["aha_score"].as_i64().unwrap()
    }

    #[test]
    fn more_voices_and_the_owners_words_raise_the_score() {
        let plain = score(Evidence { distinct_sources: 1, ..Evidence::default() });
        let told = score(Evidence { distinct_sources: 4, ..Evidence::default() });
        let wanted = score(Evidence {
            distinct_sources: 4,
            has_interests: true,
            matched_interests: vec!["ferries".into()],
            relevance: Some(asked_for()),
            ..Evidence::default()
        });
        assert!((21..=50).contains(&plain), "{plain}");
        assert!((51..=80).contains(&told), "{told}");
        assert!(wanted > 55 && told > 50, "{wanted} and {told}");
    }

    #[test]
    fn an_advertisement_is_noise_whoever_tells_it() {
        let evidence = Evidence {
            distinct_sources: 5,
            promotional: vec!["giveaway".into(), "sponsored".into()],
            ..Evidence::default()
        };
        assert!(score(evidence) <= 20);
    }

    #[test]
    fn a_headline_of_noise_counts_against_a_story_unless_it_was_asked_for() {
        let noisy = Evidence { distinct_sources: 1, noise: 0.99, ..Evidence::default() };
        let asked = Evidence { relevance: Some(asked_for()), has_interests: true, ..noisy.clone() };
        let calm = |evidence: &Evidence| score(Evidence { noise: 0.1, ..evidence.clone() });
        assert!(score(noisy.clone()) < calm(&noisy));
        assert_eq!(score(asked.clone()), calm(&asked));
        assert!(judge(&input(noisy))["reason"].as_str().unwrap().contains("advertisement"));
    }

    #[test]
    fn relevance_means_interests_matched_or_none_set() {
        let relevant = |evidence| judge(&input(evidence))["is_relevant"].as_bool().unwrap();
        assert!(relevant(Evidence::default()));
        assert!(!relevant(Evidence { has_interests: true, ..Evidence::default() }));
    }

    #[test]
    fn a_reason_always_names_a_fact() {
        let reason = |evidence| judge(&input(evidence))["reason"].as_str().unwrap().to_owned();
        assert_eq!(reason(Evidence { distinct_sources: 1, ..Evidence::default() }), NO_EVIDENCE);
        let liked = Evidence {
            preference: 0.24,
            preference_reason: Some("like two stories you saved".into()),
            ..Evidence::default()
        };
        assert_eq!(reason(liked), "+12: like two stories you saved");
    }

    #[test]
    fn what_was_not_asked_for_is_mildly_interesting_at_best() {
        let unasked = |sources| Evidence {
            has_interests: true,
            distinct_sources: sources,
            relevance: Some(Relevance { degree: 3.0, allowed: 1.0, ..Relevance::default() }),
            ..Evidence::default()
        };
        assert_eq!((score(unasked(1)), score(unasked(2))), (35, 50));
        let asked = Evidence { relevance: Some(asked_for()), ..unasked(1) };
        assert!((51..=80).contains(&score(asked)));
    }

    #[test]
    fn a_clause_that_is_met_in_part_is_touched() {
        let evidence = Evidence {
            has_interests: true,
            touched_interests: vec!["self-hosting".into()],
            relevance: Some(asked_for()),
            ..Evidence::default()
        };
        let reason = |evidence: &Evidence| judge(&input(evidence.clone()))["reason"].as_str().unwrap().to_owned();
        assert_eq!(reason(&evidence), "Touches your “self-hosting”");
        let near = Evidence { touched_interests: Vec::new(), ..evidence.clone() };
        assert_eq!(
            reason(&near),
            "Comes near to your interests",
            "enough of its words are met, and of no clause enough"
        );
        let met = Evidence { matched_interests: vec!["ferries".into()], ..evidence };
        assert_eq!(reason(&met), "Matches your “ferries”");
    }

    #[test]
    fn of_what_one_source_tells_that_counts_whose_source_is_often_borne_out() {
        let told = |corroborated_share, distinct_sources| {
            worth(&Evidence { corroborated_share, distinct_sources, ..Evidence::default() })
        };
        assert!(told(0.3, 1) > told(0.0, 1) + 4.0 && told(0.3, 1) < told(0.0, 2));
        assert!((told(0.3, 2) - told(0.0, 2)).abs() < f64::EPSILON);
    }

    #[test]
    fn a_matter_that_more_sources_bring_is_worth_more_to_who_sets_no_interests() {
        let near = |near_sources, has_interests| {
            worth(&Evidence { near_sources, has_interests, distinct_sources: 1, ..Evidence::default() })
        };
        assert!(near(7, false) > near(0, false) + 8.0 && near(7, true) <= near(0, true));
    }

    #[test]
    fn what_is_denied_is_said() {
        let relevance = Relevance { allowed: 0.2, matched: 0.2, denied: vec!["release notes".into()], ..asked_for() };
        let evidence = Evidence { has_interests: true, relevance: Some(relevance), ..Evidence::default() };
        let answer = judge(&input(evidence.clone()));
        assert!(answer["reason"].as_str().unwrap().contains("ou do not want “release notes”"), "{answer}");
    }

    #[test]
    fn what_is_denied_sinks_for_who_asks_for_nothing_and_the_reason_says_so_last() {
        let told = |allowed: f64| {
            let denied = if allowed < 1.0 { vec!["football".to_owned()] } else { Vec::new() };
            let relevance = Relevance { allowed, denied, ..Relevance::default() };
            Evidence { distinct_sources: 4, relevance: Some(relevance), ..Evidence::default() }
        };
        let scores = [1.0, 0.5, 0.0].map(|allowed| score(told(allowed)));
        assert!(scores[0] > 50 && scores[1] < scores[0] && scores[2] <= 20, "{scores:?}");
        let denied = judge(&input(told(0.5)));
        assert!(denied["reason"].as_str().unwrap().ends_with("; but you do not want “football”"), "{denied}");
    }

    #[test]
    fn a_handful_of_comments_is_no_reason() {
        let with = |comments| {
            let evidence =
                Evidence { comments: Some(comments), engagement_percentile: Some(0.9), ..Evidence::default() };
            judge(&input(evidence))["reason"].as_str().unwrap().to_owned()
        };
        assert!(with(40).starts_with("40 comments") && !with(2).contains("comment"), "{}", with(2));
    }

    /// A clause matched in a title.
    fn asked_for() -> Relevance {
        Relevance { degree: 1.2, matched: 1.2, allowed: 1.0, ..Relevance::default() }
    }
}
