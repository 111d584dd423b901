//! What a story's place in a digest rests on: the facts about it, and every term of its score. Part of the digest's JSON.

use serde::{Deserialize, Serialize};

use super::feedback::Leaning;
use super::ranking::Ranking;

/// Every term of a story's final score (`score_debug_json`).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ScoreDebug {
    /// Aha score / 100, when there is one.
    pub ai: Option<f64>,
    /// What stands in for the Aha score where there is none: what `local` would say, 0 to 100.
    #[serde(default)]
    pub stand_in: f64,
    /// Points that recency, engagement, novelty, decay and likes add to the judgement, within its band.
    #[serde(default)]
    pub shift: f64,
    /// Linear over the window, or over the day before its end where that is longer: 1 at its end, 0 at its start.
    pub recency: f64,
    /// Against the source's own usual, 0–1.
    pub engagement: f64,
    /// 0.6 recency + 0.4 engagement.
    pub heuristic: f64,
    /// Likes minus dislikes of its terms, weighted.
    pub preference: f64,
    /// 1 − highest similarity to the topic's earlier stories.
    pub novelty: f64,
    pub base: f64,
    pub source_weight: f64,
    /// By likes and dislikes of the source and author.
    pub user_weight: f64,
    /// What of likes and dislikes fits the story.
    #[serde(default)]
    pub leaning: Leaning,
    pub rule_boost: f64,
    /// What the stand-in for a judgement is multiplied by where the story was too likely noise to be paid for; else 1.
    #[serde(default = "one")]
    pub noise_factor: f64,
    pub age_hours: f64,
    /// The topic's decay time, or the window's length where that is longer.
    pub decay_hours: f64,
    /// exp(−age / decay hours), age reckoned from the window's end.
    pub decay: f64,
    pub final_score: f64,
    /// What digests of earlier versions divided the score by; else 1.
    pub diversity_divisor: f64,
    /// Points that it lost for stories above it of its source, author or kind.
    #[serde(default)]
    pub diversity: f64,
    /// The settings that the terms were weighed by.
    #[serde(default)]
    pub weights: Ranking,
    pub evidence: Evidence,
}

const fn one() -> f64 {
    1.0
}

/// How far a story is what the reader asked for (`docs/RANKING.md`).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Relevance {
    /// The whole: words, meaning and source together, less what is denied.
    pub degree: f64,
    /// By words alone, less what is denied: about 1 where one clause is met in a title.
    pub matched: f64,
    /// By meaning: cosines with the clauses, added up and divided by the root of their number.
    pub sense: f64,
    /// The share of the source's other items that matched, 0 to 1.
    pub source_prior: f64,
    /// What is left after denials, 0 to 1.
    pub allowed: f64,
    /// The words of the text by which its clauses are met, in lower case.
    pub words: Vec<String>,
    /// Clauses that it meets though they were denied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub denied: Vec<String>,
}

/// The facts about a story that `local` judges by and that reasons cite.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Evidence {
    /// Clauses of the reader's interests that the story meets, as written, the most first.
    pub matched_interests: Vec<String>,
    /// Clauses of which it meets less than half.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touched_interests: Vec<String>,
    /// How far it is what the reader asked for; nothing where no interests are set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance: Option<Relevance>,
    /// By likes and dislikes, −1 to 1.
    #[serde(default)]
    pub preference: f64,
    /// What it is like of what was liked or disliked, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preference_reason: Option<String>,
    /// Mean number of sources in the window that name its eight most shared names, each weighed by its rarity.
    #[serde(default)]
    pub shared_names: f64,
    /// The share of its source's other items that other sources brought, too, 0 to 1.
    #[serde(default)]
    pub corroborated_share: f64,
    /// Other sources of the run that bring something like it, for a reader without interests.
    #[serde(default)]
    pub near_sources: usize,
    pub has_interests: bool,
    pub distinct_sources: usize,
    /// Days since the representative's source last published before this, when that is known.
    pub source_gap_days: Option<f64>,
    /// The source's usual gap between items, in days (median), when known.
    pub source_usual_gap_days: Option<f64>,
    /// Share of the run's items that come from this source.
    pub source_share: f64,
    /// Terms never seen before in this topic, as written.
    pub new_terms: Vec<String>,
    pub score: Option<i64>,
    pub comments: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub views: Option<i64>,
    /// Engagement against the source's own items, 0–1.
    pub engagement_percentile: Option<f64>,
    pub teaser: bool,
    /// Words that give a promotion or job advertisement away.
    pub promotional: Vec<String>,
    pub clickbait: bool,
    /// How likely its headline is noise (clickbait, lists, promotions, job advertisements), 0–1, by a model trained on headlines.
    #[serde(default)]
    pub noise: f64,
    /// An earlier story that this resembles.
    pub resembles: Option<String>,
    pub novelty: f64,
    pub age_hours: f64,
}
