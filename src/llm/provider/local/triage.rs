//! The Aha Score of `local`: points for facts, within the contract's bands, and a reason that names them.

use serde_json::{Value, json};

use crate::domain::digest::Evidence;

use super::super::super::input::TriageInput;

/// Where a story with no evidence either way stands: mildly interesting.
const START: f64 = 26.0;

/// From this likelihood of noise on it counts against a story: of 1,415 titles of real feeds about one in sixteen.
const WORTH_SAYING: f64 = 0.8;

/// One reading of the evidence: points, and the fact in words.
struct Finding {
    points: f64,
    words: String,
}

pub(super) fn judge(input: &TriageInput) -> Value {
    let findings = findings(input);
    let score = (START + findings.iter().map(|f| f.points).sum::<f64>()).round().clamp(0.0, 100.0);
    let evidence = &input.evidence;
    let is_noise = !evidence.promotional.is_empty() || evidence.clickbait;
    json!({
        "aha_score": as_score(if is_noise { score.min(NOISE_CEILING) } else { score }),
        "reason": reason(input, &findings),
        "is_relevant": !evidence.has_interests || !evidence.matched_interests.is_empty(),
        "is_novel": input.continues_since.is_none() && evidence.resembles.is_none(),
        "categories": input.categories,
        "should_deep_summarize": !input.body.trim().is_empty() && !evidence.teaser && !is_noise,
    })
}

/// The contract's band of noise ends here.
const NOISE_CEILING: f64 = 20.0;

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=100 before")]
fn as_score(score: f64) -> u8 {
    score.clamp(0.0, 100.0) as u8
}

fn findings(input: &TriageInput) -> Vec<Finding> {
    let evidence = &input.evidence;
    let mut found = Vec::new();
    corroboration(input, &mut found);
    interests(evidence, &mut found);
    rarity(input, &mut found);
    newness(input, &mut found);
    engagement(evidence, &mut found);
    caveats(evidence, &mut found);
    found
}

fn add(found: &mut Vec<Finding>, points: f64, words: impl Into<String>) {
    found.push(Finding { points, words: words.into() });
}

/// 18 points a doubling of independent sources, at most 42.
#[expect(clippy::cast_precision_loss, reason = "a number of sources")]
fn corroboration(input: &TriageInput, found: &mut Vec<Finding>) {
    let sources = input.evidence.distinct_sources;
    if sources < 2 {
        return;
    }
    let mut names: Vec<&str> = Vec::new();
    for member in &input.members {
        if !names.contains(&member.source.as_str()) {
            names.push(&member.source);
        }
    }
    let listed = list(&names, 3);
    add(found, (18.0 * (sources as f64).log2()).min(42.0), format!("told by {sources} sources: {listed}"));
}

/// 22 points for the first of the owner's phrases, 6 for each further, at most 34.
#[expect(clippy::cast_precision_loss, reason = "a number of phrases")]
fn interests(evidence: &Evidence, found: &mut Vec<Finding>) {
    let matched = &evidence.matched_interests;
    if matched.is_empty() {
        return;
    }
    let quoted: Vec<String> = matched.iter().take(3).map(|m| format!("“{m}”")).collect();
    let points = (22.0 + 6.0 * (matched.len() - 1) as f64).min(34.0);
    add(found, points, format!("matches your {}", quoted.join(", ")));
}

/// A silence of this many days is worth saying.
const DAYS_WORTH_SAYING: f64 = 7.0;

/// A source with more than this share of the window is loud.
const LOUD_SHARE: f64 = 0.15;

/// A voice that is seldom heard gains up to 14 points; one that fills the window loses up to 8.
fn rarity(input: &TriageInput, found: &mut Vec<Finding>) {
    let evidence = &input.evidence;
    let source = input.members.first().map_or("this source", |m| m.source.as_str());
    match evidence.source_gap_days {
        Some(gap) if gap >= DAYS_WORTH_SAYING => {
            let points = (4.0 * (gap / DAYS_WORTH_SAYING).log2() + 5.0).min(14.0);
            add(found, points, format!("first post in {gap:.0} days from {source}"));
        }
        _ => {}
    }
    if evidence.source_share > LOUD_SHARE && evidence.distinct_sources < 2 {
        let points = -(40.0 * (evidence.source_share - LOUD_SHARE)).min(8.0);
        let share = evidence.source_share * 100.0;
        add(found, points, format!("from {source}, which fills {share:.0} % of this window"));
    }
}

/// Terms never seen here before gain up to 8 points; what resembles or continues an earlier story loses 6.
#[expect(clippy::cast_precision_loss, reason = "a number of terms")]
fn newness(input: &TriageInput, found: &mut Vec<Finding>) {
    let evidence = &input.evidence;
    if let Some(since) = input.continues_since {
        add(found, -6.0, format!("continues a story of {}", since.to_utc().format("%-d %b")));
    } else if let Some(earlier) = &evidence.resembles {
        add(found, -6.0, format!("resembles “{earlier}”"));
    }
    if !evidence.new_terms.is_empty() {
        let points = (2.0 * evidence.new_terms.len() as f64).min(8.0);
        let terms: Vec<&str> = evidence.new_terms.iter().map(String::as_str).collect();
        add(found, points, format!("new here: {}", list(&terms, 3)));
    }
}

/// Up to 10 points for more response than the source's own items usually get.
fn engagement(evidence: &Evidence, found: &mut Vec<Finding>) {
    let Some(percentile) = evidence.engagement_percentile else { return };
    let what = match (evidence.score, evidence.comments) {
        (Some(score), Some(comments)) => format!("{} and {}", counted(score, "point"), counted(comments, "comment")),
        (Some(score), None) => counted(score, "point"),
        (None, Some(comments)) => counted(comments, "comment"),
        (None, None) => counted(evidence.views.unwrap_or_default(), "view"),
    };
    let beats = percentile * 100.0;
    let words = match percentile {
        p if p >= 1.0 => format!("{what}, the most of its source's items"),
        p if p > 0.5 => format!("{what}, more than {beats:.0} % of its source's items"),
        _ => what,
    };
    add(found, 10.0 * percentile, words);
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
        let percent = evidence.noise * 100.0;
        add(found, points, format!("promotional: its headline is {percent:.0} % like advertisements and bait"));
    }
    if evidence.teaser {
        add(found, -5.0, "only a teaser, the text is elsewhere");
    }
}

/// The facts, those that speak for it first, then by weight. A story that nothing speaks for or against is told by where and when it stands.
fn reason(input: &TriageInput, findings: &[Finding]) -> String {
    let mut by_weight: Vec<&Finding> = findings.iter().collect();
    by_weight.sort_by(|a, b| {
        let key = |finding: &Finding| (finding.points > 0.0, finding.points.abs());
        let ((speaks_for, x), (also_for, y)) = (key(a), key(b));
        also_for.cmp(&speaks_for).then(y.total_cmp(&x)).then_with(|| a.words.cmp(&b.words))
    });
    let mut facts: Vec<String> = by_weight.iter().take(4).map(|f| f.words.clone()).collect();
    if !by_weight.iter().any(|finding| finding.points > 0.0) {
        facts.insert(0, plain_fact(input));
    }
    let mut text = crate::domain::item::first_words(&facts.join("; "), 500);
    if let Some(first) = text.chars().next() {
        text.replace_range(..first.len_utf8(), &first.to_uppercase().to_string());
    }
    text
}

fn plain_fact(input: &TriageInput) -> String {
    let source = input.members.first().map_or("one source", |m| m.source.as_str());
    let usual = input.evidence.source_usual_gap_days.map(|days| match days {
        d if d < 1.0 => format!(", which posts every {:.0} h", (d * 24.0).max(1.0)),
        d => format!(", which posts every {d:.0} days"),
    });
    format!(
        "told by {source} alone{}, {:.0} h before the window's end",
        usual.unwrap_or_default(),
        input.evidence.age_hours
    )
}

fn counted(n: i64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

fn list(names: &[&str], most: usize) -> String {
    let shown = names.iter().take(most).copied().collect::<Vec<_>>().join(", ");
    if names.len() > most { format!("{shown} and {} more", names.len() - most) } else { shown }
}

/// Up to 15 points less for a headline of noise, unless the owner asked for its words or several sources tell it, or it was
/// found to be noise by its very words.
fn noise_points(evidence: &Evidence) -> Option<f64> {
    let is_excused = evidence.distinct_sources >= 2 || !evidence.matched_interests.is_empty();
    let is_known = evidence.clickbait || !evidence.promotional.is_empty();
    (evidence.noise > WORTH_SAYING && !is_excused && !is_known)
        .then(|| -15.0 * (evidence.noise - WORTH_SAYING) / (1.0 - WORTH_SAYING))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::topic::BudgetTier;
    use crate::llm::input::MemberInput;

    fn input(evidence: Evidence) -> TriageInput {
        TriageInput {
            title: "Ferry adrift".into(),
            body: "The ferry lost power.".into(),
            members: vec![MemberInput { title: "Ferry adrift".into(), url: None, source: "Harbour Post".into() }],
            provenance: vec!["feed".into()],
            preference_summary: String::new(),
            tier: BudgetTier::Normal,
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
            ..Evidence::default()
        });
        assert!((21..=50).contains(&plain), "{plain}");
        assert!((51..=80).contains(&told), "{told}");
        assert!(wanted > told && wanted > 70, "{wanted}");
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
        let noisy = Evidence { distinct_sources: 1, noise: 0.95, ..Evidence::default() };
        let asked = Evidence { matched_interests: vec!["jobs".into()], has_interests: true, ..noisy.clone() };
        let calm = |evidence: &Evidence| score(Evidence { noise: 0.1, ..evidence.clone() });
        assert!(score(noisy.clone()) < calm(&noisy));
        assert_eq!(score(asked.clone()), calm(&asked));
        assert!(judge(&input(noisy))["reason"].as_str().unwrap().contains("romotional"));
    }

    #[test]
    fn relevance_means_interests_matched_or_none_set() {
        let relevant = |evidence| judge(&input(evidence))["is_relevant"].as_bool().unwrap();
        assert!(relevant(Evidence::default()));
        assert!(!relevant(Evidence { has_interests: true, ..Evidence::default() }));
    }

    #[test]
    fn a_reason_always_names_a_fact() {
        let answer = judge(&input(Evidence { distinct_sources: 1, age_hours: 5.0, ..Evidence::default() }));
        assert_eq!(answer["reason"], "Told by Harbour Post alone, 5 h before the window's end");
    }
}
