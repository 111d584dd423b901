//! The order in which stories are sent to a judge whose budget may not reach for all: its answers so far tell which of
//! the remaining stories resemble those that it finds worth reading.
//!
//! Input: the stories and their evidence; before each round the scores so far. Output: points of the remaining stories.
//! The profile is that of likes and dislikes (Rocchio), learnt from the answers in the place of feedback. Called by
//! [`super::triage`] through [`super::task_batch`].

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use aha_analysis::preferences::{Background, Candidate, FeedbackDecay, FeedbackExample, Profile};
use aha_analysis::relevance::CenteredVectors;
use aha_analysis::text::features::Features;
use aha_core::digest::Evidence;
use aha_core::feedback::{FeedbackEvent, FeedbackKind};
use aha_core::ids::{ClusterId, SourceId};
use aha_core::item::Item;
use aha_core::source::Source;
use aha_core::story::Story;
use aha_core::time::Timestamp;
use aha_llm::local;

use super::RunError;
use super::word_vectors::{centered_vectors, readable};

/// Scores from here on count as liked, lower ones as disliked: the band "worth reading" begins here.
const LIKED_FROM: u64 = 51;

/// Weights of the order by facts and of the nearness by word vectors, relative to that of the words in common with
/// judged stories; each is standardised. `docs/RANKING.md` has what was measured.
const LOCAL_SCORE_WEIGHT: f64 = 0.5;
const WORD_VECTOR_WEIGHT: f64 = 1.0;

/// Orders stories by a judge's answers.
pub(super) struct TriageOrder(Arc<Candidates>);

struct Candidates {
    stories: Vec<Representative>,
    /// Computed when the first answers of a judge arrive.
    texts: OnceLock<Texts>,
    at: Timestamp,
}

/// A story's representative.
struct Representative {
    story: ClusterId,
    item: Item,
    source: String,
    score: f64,
}

impl TriageOrder {
    pub(super) fn of(
        stories: &[Story],
        evidence: &HashMap<ClusterId, Evidence>,
        sources: &HashMap<SourceId, &Source>,
        at: Timestamp,
    ) -> Self {
        let representative = |story: &Story| {
            let item = readable(story.representative());
            Representative {
                story: story.cluster_id,
                source: sources.get(&item.source_id).map(|source| source.display_name()).unwrap_or_default(),
                item,
                score: evidence.get(&story.cluster_id).map_or(0.0, local::local_score_without_ceilings),
            }
        };
        let stories = stories.iter().map(representative).collect();
        Self(Arc::new(Candidates { stories, texts: OnceLock::new(), at }))
    }

    /// Returns the points of each story that has no score yet; a higher number is more promising.
    pub(super) async fn points(&self, scores: HashMap<ClusterId, u64>) -> Result<HashMap<ClusterId, f64>, RunError> {
        let candidates = Arc::clone(&self.0);
        // Computed on the blocking pool, because it reads every word of the stories.
        Ok(tokio::task::spawn_blocking(move || candidates.points(&scores)).await?)
    }
}

impl Candidates {
    fn points(&self, scores: &HashMap<ClusterId, u64>) -> HashMap<ClusterId, f64> {
        let stories = &self.stories;
        let texts = self.texts.get_or_init(|| Texts::of(stories));
        let profile = texts.profile(stories, scores, self.at);
        let (mut liked, mut disliked, mut open) = (Vec::new(), Vec::new(), Vec::new());
        for (place, representative) in stories.iter().enumerate() {
            match scores.get(&representative.story) {
                Some(LIKED_FROM..) => liked.push(place),
                Some(_) => disliked.push(place),
                None => open.push(place),
            }
        }
        let by_vectors = texts.vectors.leanings(&liked, &disliked);
        let standardised =
            |value: &dyn Fn(usize) -> f64| standardised(open.iter().map(|place| value(*place)).collect());
        let words =
            standardised(&|place| profile.leaning(&[candidate(&stories[place], &texts.features[place])]).degree);
        let vectors = standardised(&|place| by_vectors[place]);
        let local_scores = standardised(&|place| stories[place].score);
        let points = words.iter().zip(&vectors).zip(&local_scores);
        let points =
            points.map(|((words, nearness), score)| words + WORD_VECTOR_WEIGHT * nearness + LOCAL_SCORE_WEIGHT * score);
        open.iter().map(|place| stories[*place].story).zip(points).collect()
    }
}

/// The stories' texts, prepared for comparison.
struct Texts {
    features: Vec<Arc<Features>>,
    vectors: CenteredVectors,
}

impl Texts {
    fn of(stories: &[Representative]) -> Self {
        let features = |Representative { item, .. }: &Representative| {
            Arc::new(Features::of(item.title.as_deref(), &item.body_text))
        };
        let items: Vec<&Item> = stories.iter().map(|story| &story.item).collect();
        Self { features: stories.iter().map(features).collect(), vectors: centered_vectors(&items) }
    }

    fn profile(&self, stories: &[Representative], scores: &HashMap<ClusterId, u64>, at: Timestamp) -> Profile {
        let said: Vec<FeedbackExample> =
            stories.iter().filter_map(|of| scores.get(&of.story).map(|score| said(of, *score, at))).collect();
        let background = Background { features: self.features.clone(), ..Background::default() };
        Profile::of(&said, &BTreeSet::new(), &background, FeedbackDecay { at, decay_days: 1.0 })
    }
}

/// Returns a score as feedback, given now, so that it does not decay.
fn said(of: &Representative, score: u64, at: Timestamp) -> FeedbackExample {
    let event = FeedbackEvent {
        item_id: of.item.id,
        kind: if score >= LIKED_FROM { FeedbackKind::Like } else { FeedbackKind::Dislike },
        title: of.item.display_title(),
        source: of.source.clone(),
        author: of.item.author.clone(),
        terms: Vec::new(),
        given_at: at,
    };
    FeedbackExample { event, body: Some(of.item.body_text.clone()), vector: None }
}

fn candidate<'a>(of: &'a Representative, features: &'a Features) -> Candidate<'a> {
    Candidate {
        id: of.item.id,
        title: of.item.title.as_deref().unwrap_or_default(),
        features,
        vector: None,
        source: &of.source,
        author: of.item.author.as_deref(),
    }
}

/// Returns the values less their mean, divided by their standard deviation; 0 for each if they are equal.
fn standardised(values: Vec<f64>) -> Vec<f64> {
    #[expect(clippy::cast_precision_loss, reason = "a count of stories")]
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
    values.into_iter().map(|value| if deviation > 0.0 { (value - mean) / deviation } else { 0.0 }).collect()
}
