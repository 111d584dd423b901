//! Stage 9: the order of the digest, every term of it kept.
//!
//! With the default weights (`domain::ranking`): base = 0.8 · ai / 100 + 0.15 · heuristic + preference; final = (base + 0.05 · novelty) × source weight × preference weight ×
//! rule boost × exp(−age / decay), with age reckoned from the window's end; in a window longer than the decay time the window's
//! length takes its place, or a digest of a week would be one of its last day. Then a greedy choice in which each story already
//! taken of the same kind, source or author makes the next one dearer.

use std::collections::HashMap;

use crate::domain::digest::{Evidence, Label, ScoreDebug, Section};
use crate::domain::feedback::Leaning;
use crate::domain::ids::SourceId;
use crate::domain::ranking::Ranking;
use crate::domain::source::Source;
use crate::domain::story::Story;
use crate::domain::verdict::Verdict;
use crate::stories::cadence::Cadence;

use super::judge::{Judgement, Skip};
use super::plan::{SCAN_STORIES, TOP_OF_ONE_SOURCE, TOP_STORIES};
use super::select::{heuristic, recency};
use super::{RunContext, RunState, Stage};

/// Engagement of an item nobody counted: neither for nor against it.
const UNKNOWN_ENGAGEMENT: f64 = 0.5;

/// A story in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Index into the state's stories.
    pub story: usize,
    /// `None`: ranked below what is shown.
    pub section: Option<Section>,
    pub label: Label,
    /// Share of the other ranked stories that stand below it by final score, 0–100.
    pub percentile: u8,
    pub debug: ScoreDebug,
}

pub(super) fn run(context: &RunContext, state: &mut RunState) {
    context.progress.begin(Stage::Rank, 0);
    let sources: HashMap<SourceId, &Source> = state.sources.iter().map(|s| (s.id, s)).collect();
    let mut ranked: Vec<Ranked> =
        (0..state.stories.len()).map(|index| score(context, state, &sources, index)).collect();
    ranked.sort_by(|a, b| {
        let key = |r: &Ranked| (std::cmp::Reverse(state.stories[r.story].latest()), state.stories[r.story].cluster_id);
        b.debug.final_score.total_cmp(&a.debug.final_score).then_with(|| key(a).cmp(&key(b)))
    });
    set_percentiles(&mut ranked);
    let ranked = diversify(&state.stories, &sources, ranked, &context.run.settings.ranking);
    let shown = ranked.iter().filter(|r| r.section.is_some()).count();
    context.progress.end(Stage::Rank, &format!("{shown} of {} stories shown", ranked.len()));
    state.ranked = ranked;
}

fn score(context: &RunContext, state: &RunState, sources: &HashMap<SourceId, &Source>, index: usize) -> Ranked {
    let story = &state.stories[index];
    let ranking = &context.run.settings.ranking;
    let evidence = state.evidence.get(&story.cluster_id).cloned().unwrap_or_default();
    let judgement = state.judgements.get(&story.cluster_id);
    let verdict: Option<Verdict> = judgement.and_then(Judgement::read);
    let is_noise = judgement.is_some_and(|judgement| judgement.skipped == Some(Skip::Noise));
    let boosted = story.in_scope().any(|member| state.boosted.contains(&member.item.id));
    let terms = Terms {
        ai: verdict.map(|verdict| f64::from(verdict.aha_score) / 100.0),
        recency: recency(story.latest(), context.run.window),
        engagement: evidence.engagement_percentile.unwrap_or(UNKNOWN_ENGAGEMENT),
        source_weight: sources.get(&story.representative().source_id).map_or(1.0, |s| s.weight).clamp(0.1, 3.0),
        rule_boost: if boosted { crate::domain::topic::BOOST } else { 1.0 },
        noise_factor: if is_noise { 1.0 - evidence.noise } else { 1.0 },
        decay_hours: context.run.settings.decay_hours.max(context.run.window.hours()),
        leaning: state.preferences.leaning(story.cluster_id),
    };
    let label = label(story, &evidence);
    Ranked { story: index, section: None, label, percentile: 0, debug: terms.weigh(ranking, evidence) }
}

struct Terms {
    ai: Option<f64>,
    recency: f64,
    engagement: f64,
    source_weight: f64,
    rule_boost: f64,
    noise_factor: f64,
    decay_hours: f64,
    leaning: Leaning,
}

impl Terms {
    fn weigh(self, ranking: &Ranking, evidence: Evidence) -> ScoreDebug {
        let heuristic = heuristic(self.recency, self.engagement);
        let preference = ranking.preference * self.leaning.terms;
        // Without a judgement the heuristic stands in for its share: the story is ranked, its score stays unknown.
        let base =
            ranking.ai * self.ai.unwrap_or(heuristic * self.noise_factor) + ranking.heuristic * heuristic + preference;
        let decay = (-evidence.age_hours / self.decay_hours).exp();
        let user_weight = 1.0 + ranking.voice * self.leaning.voice;
        let final_score =
            (base + ranking.novelty * evidence.novelty) * self.source_weight * user_weight * self.rule_boost * decay;
        ScoreDebug {
            ai: self.ai,
            recency: round(self.recency),
            engagement: round(self.engagement),
            heuristic: round(heuristic),
            preference: round(preference),
            novelty: evidence.novelty,
            base: round(base),
            source_weight: self.source_weight,
            user_weight: round(user_weight),
            leaning: self.leaning,
            rule_boost: self.rule_boost,
            noise_factor: round(self.noise_factor),
            age_hours: evidence.age_hours,
            decay_hours: round(self.decay_hours),
            decay: round(decay),
            final_score: round(final_score),
            diversity_divisor: 1.0,
            weights: *ranking,
            evidence,
        }
    }
}

/// The first that fits.
fn label(story: &Story, evidence: &Evidence) -> Label {
    let cadence = Cadence { gap_days: evidence.source_gap_days, usual_gap_days: evidence.source_usual_gap_days };
    if story.distinct_sources().len() >= 2 {
        Label::ToldBySeveral
    } else if !evidence.matched_interests.is_empty() {
        Label::YourWords
    } else if cadence.is_rare() {
        Label::RareVoices
    } else {
        Label::NewHere
    }
}

/// By place in the order of final scores: equals are told apart by the same keys as in the digest.
#[expect(clippy::cast_possible_truncation, reason = "a percentage")]
fn set_percentiles(ranked: &mut [Ranked]) {
    let others = ranked.len().saturating_sub(1);
    for (place, entry) in ranked.iter_mut().enumerate() {
        entry.percentile = ((others - place) * 100).checked_div(others).unwrap_or(100) as u8;
    }
}

/// What the stories taken so far have in common with the next.
#[derive(Default)]
struct Taken<'a> {
    kinds: HashMap<&'a str, u32>,
    sources: HashMap<SourceId, u32>,
    authors: HashMap<String, u32>,
}

impl<'a> Taken<'a> {
    fn divisor(&self, story: &Story, kind: &str, ranking: &Ranking) -> f64 {
        let item = story.representative();
        let count = |n: Option<&u32>| f64::from(n.copied().unwrap_or(0));
        let author = item.author.as_ref().map(|author| author.to_lowercase());
        1.0 + ranking.same_kind * count(self.kinds.get(kind))
            + ranking.same_source * count(self.sources.get(&item.source_id))
            + ranking.same_author * author.map_or(0.0, |author| count(self.authors.get(&author)))
    }

    fn add(&mut self, story: &Story, kind: &'a str) {
        let item = story.representative();
        *self.kinds.entry(kind).or_default() += 1;
        *self.sources.entry(item.source_id).or_default() += 1;
        if let Some(author) = &item.author {
            *self.authors.entry(author.to_lowercase()).or_default() += 1;
        }
    }
}

/// Takes the stories one by one, each time the best after division; the order of taking is the order of the digest.
fn diversify(
    stories: &[Story],
    sources: &HashMap<SourceId, &Source>,
    mut open: Vec<Ranked>,
    ranking: &Ranking,
) -> Vec<Ranked> {
    let kind = |story: &Story| sources.get(&story.representative().source_id).map_or("feed", |s| s.kind.as_str());
    let mut taken = Taken::default();
    let mut order: Vec<Ranked> = Vec::new();
    while order.len() < TOP_STORIES + SCAN_STORIES {
        let section = if order.len() < TOP_STORIES { Section::Top } else { Section::Scan };
        let full = |story: &Story| {
            let of_source = taken.sources.get(&story.representative().source_id).copied().unwrap_or(0);
            section == Section::Top && of_source as usize >= TOP_OF_ONE_SOURCE
        };
        // Strictly greater keeps the earlier of equals: `open` is sorted by score and natural keys.
        let mut best: Option<(usize, f64, f64)> = None;
        for (index, ranked) in open.iter().enumerate() {
            let story = &stories[ranked.story];
            if full(story) {
                continue;
            }
            let divisor = taken.divisor(story, kind(story), ranking);
            let value = ranked.debug.final_score / divisor;
            if best.is_none_or(|(_, highest, _)| value > highest) {
                best = Some((index, value, divisor));
            }
        }
        let Some((index, _, divisor)) = best else { break };
        let mut next = open.remove(index);
        taken.add(&stories[next.story], kind(&stories[next.story]));
        next.section = Some(section);
        next.debug.diversity_divisor = round(divisor);
        order.push(next);
    }
    fill_scan(&mut order, &mut open);
    order.extend(open);
    order
}

/// Where too few sources leave the top short, the best of the rest go to the scan section.
fn fill_scan(order: &mut Vec<Ranked>, open: &mut Vec<Ranked>) {
    if order.iter().any(|ranked| ranked.section == Some(Section::Scan)) {
        return;
    }
    for mut ranked in open.drain(..open.len().min(SCAN_STORIES)) {
        ranked.section = Some(Section::Scan);
        order.push(ranked);
    }
}

/// To six digits, so that what is stored reads back the same on either database.
fn round(value: f64) -> f64 {
    (value * 1_000_000.0).round() / 1_000_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weigh(ai: Option<f64>, age_hours: f64) -> ScoreDebug {
        let terms = Terms {
            ai,
            recency: 0.5,
            engagement: 0.5,
            source_weight: 1.0,
            rule_boost: 1.0,
            noise_factor: 1.0,
            decay_hours: 48.0,
            leaning: Leaning::default(),
        };
        terms.weigh(&Ranking::default(), Evidence { novelty: 1.0, age_hours, ..Evidence::default() })
    }

    #[test]
    fn the_formula_is_the_documented_one() {
        // (0.8 · 0.7 + 0.15 · 0.5 + 0.05 · 1) · e^(−24/48)
        let expected = (0.8 * 0.7 + 0.15 * 0.5 + 0.05) * (-0.5_f64).exp();
        assert!((weigh(Some(0.7), 24.0).final_score - expected).abs() < 1e-6);
    }

    #[test]
    fn no_judgement_is_not_a_judgement_of_zero() {
        let unknown = weigh(None, 0.0);
        assert_eq!(unknown.ai, None);
        assert!(unknown.final_score > weigh(Some(0.0), 0.0).final_score);
    }
}
