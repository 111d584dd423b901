//! The basis of a story's rank in a digest: the facts about it and every term of its score. Part of the digest's JSON.

use serde::{Deserialize, Serialize};

use super::feedback::PreferenceScore;
use super::ranking::Ranking;

/// Every term of a story's final score (`score_debug_json`).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ScoreDebug {
    /// Aha score / 100, when there is one.
    pub ai: Option<f64>,
    /// Replacement for a missing Aha score: the score that `local` would give, 0 to 100.
    #[serde(default)]
    pub stand_in: f64,
    /// Points that recency, engagement, novelty, decay and likes add to the judgement, within its band.
    #[serde(default)]
    pub shift: f64,
    /// Linear over the window, or over the day before its end if that is longer: 1 at the window's end, 0 at the
    /// start.
    pub recency: f64,
    /// Relative to the source's typical engagement, 0–1.
    pub engagement: f64,
    /// 0.6 recency + 0.4 engagement.
    pub heuristic: f64,
    /// Points by which feedback moves a model's judgement; 0 for one of `local`, which contains them.
    pub preference: f64,
    /// 1 − highest similarity to the topic's earlier stories.
    pub novelty: f64,
    pub base: f64,
    pub source_weight: f64,
    /// Likes and dislikes that match the story.
    #[serde(default)]
    pub leaning: PreferenceScore,
    pub rule_boost: f64,
    /// Factor applied to the stand-in score if the story was too likely noise to pay for a judgement; otherwise 1.
    #[serde(default = "one")]
    pub noise_factor: f64,
    pub age_hours: f64,
    /// The topic's decay time, or the window's length if that is longer.
    pub decay_hours: f64,
    /// exp(−age / decay hours), with the age measured from the window's end.
    pub decay: f64,
    pub final_score: f64,
    /// Points subtracted because stories of the same source, author or kind rank above it.
    #[serde(default)]
    pub diversity: f64,
    /// Weights applied to the terms.
    #[serde(default)]
    pub weights: Ranking,
    pub evidence: Evidence,
}

const fn one() -> f64 {
    1.0
}

/// How well a story matches the reader's interests (`docs/RANKING.md`).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Relevance {
    /// Total: lexical match, dense similarity and source prior together, less denied clauses.
    pub degree: f64,
    /// Lexical match alone, less denied clauses: about 1 if one clause matches a title.
    pub matched: f64,
    /// Dense similarity: the sum of the cosines with the clauses, divided by the square root of their number.
    #[serde(rename = "sense")]
    pub dense_similarity: f64,
    /// By a sentence model: the cosine of the interests and the text's title or opening, −1 to 1; `None` without a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence_similarity: Option<f64>,
    /// Share of the source's other items that matched, 0 to 1.
    pub source_prior: f64,
    /// Factor that remains after denied clauses, 0 to 1.
    pub allowed: f64,
    /// Words of the text that match its clauses, as it writes them.
    pub words: Vec<String>,
    /// The words by which it matches clauses of which it has no word: a translation, or another name of a place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_words: Vec<OtherWords>,
    /// The categories of its source that alone have the words of the clauses that it touches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filed_under: Vec<String>,
    /// The words by which it comes near to the clause that it comes nearest to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near_words: Vec<String>,
    /// Whether it meets a clause as a whole, by the text or the source's categories, however a reason names the clause.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub meets_clause: bool,
    /// Denied clauses that it matches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub denied: Vec<String>,
}

/// Words of a story, as it writes them, by which it matches an interest that has other words.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OtherWords {
    pub interest: String,
    pub words: Vec<String>,
}

/// Facts about a story, used by `local` for its judgement and cited in reasons.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Evidence {
    /// Clauses of the reader's interests that the story matches, as written, best match first.
    pub matched_interests: Vec<String>,
    /// Clauses of which it matches less than half.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touched_interests: Vec<String>,
    /// The clause that it comes nearest to by its words, if it neither matches nor touches one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest_interest: Option<String>,
    /// How well it matches the reader's interests; `None` if no interests are set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance: Option<Relevance>,
    /// From likes and dislikes, −1 to 1.
    #[serde(default)]
    pub preference: f64,
    /// How far the user's likes, rather than general worth, decide the score: 0 without a like, near 1 from the first one
    /// on, until it fades.
    #[serde(default, skip_serializing_if = "crate::feedback::is_zero")]
    pub feedback_weight: f64,
    /// Sentence naming the liked or disliked stories, sources or words that it resembles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preference_reason: Option<String>,
    /// Mean number of sources in the window that contain each of its eight most shared names, weighted by the name's
    /// rarity.
    #[serde(default)]
    pub shared_names: f64,
    /// Share of its source's other items that other sources also published, 0 to 1.
    #[serde(default)]
    pub corroborated_share: f64,
    /// Other sources of the run with a similar item; used if the reader has no interests.
    #[serde(default)]
    pub near_sources: usize,
    pub has_interests: bool,
    pub distinct_sources: usize,
    /// Days between the source's previous item and the representative, if known.
    pub source_gap_days: Option<f64>,
    /// The source's median gap between items in days, if known.
    pub source_usual_gap_days: Option<f64>,
    /// Share of the run's items that come from this source.
    pub source_share: f64,
    /// Terms not seen in this topic before, as written.
    pub new_terms: Vec<String>,
    pub score: Option<i64>,
    pub comments: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub views: Option<i64>,
    /// Engagement relative to the source's other items, 0–1.
    pub engagement_percentile: Option<f64>,
    pub teaser: bool,
    /// Words that indicate a promotion or job advertisement.
    pub promotional: Vec<String>,
    pub clickbait: bool,
    /// Probability that its headline is noise (clickbait, lists, promotions, job advertisements), 0–1, by a model
    /// trained on headlines.
    #[serde(default)]
    pub noise: f64,
    /// An earlier story that this resembles.
    pub resembles: Option<String>,
    pub novelty: f64,
    pub age_hours: f64,
}

impl Evidence {
    /// Returns the words by which the story comes near to the clause that it comes nearest to, without that clause
    /// itself.
    #[must_use]
    pub fn near_words(&self) -> Vec<&str> {
        let (Some(nearest), Some(relevance)) = (&self.nearest_interest, &self.relevance) else { return Vec::new() };
        let nearest = nearest.to_lowercase();
        relevance.near_words.iter().map(String::as_str).filter(|word| word.to_lowercase() != nearest).collect()
    }

    /// Describes the clause that the story comes nearest to, as `“physics”, by “quark”`; `None` if it matches or
    /// touches one, or none is near.
    #[must_use]
    pub fn nearest_in_words(&self) -> Option<String> {
        let nearest = self.nearest_interest.as_ref()?;
        let words: Vec<String> = self.near_words().iter().map(|word| format!("“{word}”")).collect();
        let by = if words.is_empty() { String::new() } else { format!(", by {}", words.join(" and ")) };
        Some(format!("“{nearest}”{by}"))
    }
}

#[cfg(test)]
mod tests {
    use super::{Evidence, Relevance, ScoreDebug};

    #[test]
    fn the_nearest_interest_is_described_by_words_that_are_not_it() {
        let near = |words: &[&str]| Evidence {
            nearest_interest: Some("physics".to_owned()),
            relevance: Some(Relevance {
                near_words: words.iter().map(|word| (*word).to_owned()).collect(),
                ..Relevance::default()
            }),
            ..Evidence::default()
        };
        let described = |words: &[&str]| near(words).nearest_in_words();
        assert_eq!(described(&["quark", "Physics"]).as_deref(), Some("“physics”, by “quark”"));
        assert_eq!(described(&["Physics"]).as_deref(), Some("“physics”"));
        assert_eq!(Evidence::default().nearest_in_words(), None);
    }

    #[test]
    fn scores_stored_by_earlier_versions_are_read() {
        let score = ScoreDebug { final_score: 42.0, diversity: 1.5, ..ScoreDebug::default() };
        let mut stored = serde_json::to_value(&score).unwrap();
        let terms = stored.as_object_mut().unwrap();
        for always_one in ["user_weight", "diversity_divisor"] {
            let before = terms.insert(always_one.to_owned(), serde_json::json!(1.0));
            assert_eq!(before, None, "{always_one} is stored no longer");
        }
        assert_eq!(serde_json::from_value::<ScoreDebug>(stored).unwrap(), score);
    }
}
