//! Computes how the stories of a run relate to the user's likes and dislikes, and a summary in words for triage.
//!
//! Input: feedback (`feedback_events`) and unlearnt names, the items of the last weeks. Output: [`Preferences`], used
//! by the stages `select`, `triage` and `rank`, and the profile for `aha-radar feedback list`.

mod vectors;

use std::collections::HashMap;
use std::sync::Arc;

use aha_analysis::preferences::{Background, Candidate, Comparison, FeedbackDecay, FeedbackExample, Profile};
use aha_analysis::relevance::Interests;
use aha_analysis::stories::cluster::ClusterItem;
use aha_analysis::text::dense::DenseVector;
use aha_analysis::text::features::Features;
use aha_core::feedback::{FeedbackEvent, PreferenceScore};
use aha_core::ids::{ClusterId, ItemId, SourceId, TopicId, UserId};
use aha_core::item::Item;
use aha_core::ranking::Ranking;
use aha_core::source::Source;
use aha_core::story::{Story, StoryMember};
use aha_core::time::Timestamp;
use aha_core::window::Window;
use aha_store::{SharedStore, StoreError};
use vectors::ItemVectors;

use super::cluster::{cluster_items_in, stored_cluster_items};
use super::{RunContext, RunError};

/// Number of the newest feedback events that are used; older ones have decayed.
pub const EVENTS: i64 = 2_000;

/// Minimum degree at which a story is judged whatever its headline.
const MIN_LIKED_DEGREE: f64 = 0.2;

/// Days before a window whose items are used for term weights.
const BACKGROUND_DAYS: i64 = 30;

/// Number of texts read at a time.
const PART: usize = 200;

/// The user's preferences for the stories of a run.
#[derive(Debug, Default)]
pub struct Preferences {
    pub summary: String,
    /// How far feedback decides, 0 to 1 ([`Profile::feedback_weight`]).
    pub weight: f64,
    leanings: HashMap<ClusterId, PreferenceScore>,
}

impl Preferences {
    #[must_use]
    pub fn leaning(&self, story: ClusterId) -> PreferenceScore {
        self.leanings.get(&story).cloned().unwrap_or_default()
    }

    #[must_use]
    pub fn is_liked(&self, story: ClusterId) -> bool {
        self.leanings.get(&story).is_some_and(|leaning| leaning.degree >= MIN_LIKED_DEGREE)
    }
}

/// The feedback that a topic learns from, with its users, oldest first, and the names excluded from learning.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TopicFeedback {
    pub events: Vec<(UserId, FeedbackEvent)>,
    pub unlearnt: Vec<String>,
}

impl TopicFeedback {
    /// Reads the feedback of a topic.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn stored(store: &SharedStore, topic: TopicId) -> Result<Self, StoreError> {
        Ok(Self { events: store.learning_feedback(topic, EVENTS).await?, unlearnt: store.unlearnt(topic).await? })
    }
}

/// Returns a topic's profile as a run up to `at` would compute it from this feedback, lexically only.
///
/// # Errors
/// When the store fails.
pub async fn profile(
    store: &SharedStore,
    topic: TopicId,
    topic_feedback: TopicFeedback,
    at: Timestamp,
    ranking: &Ranking,
) -> Result<Profile, RunError> {
    Ok(profiles(store, topic, vec![topic_feedback], at, ranking).await?.pop().unwrap_or_default())
}

/// Returns the profiles of several sets of feedback; the background is read once.
///
/// # Errors
/// When the store fails.
pub async fn profiles(
    store: &SharedStore,
    topic: TopicId,
    topic_feedback: Vec<TopicFeedback>,
    at: Timestamp,
    ranking: &Ranking,
) -> Result<Vec<Profile>, RunError> {
    if topic_feedback.iter().all(|topic_feedback| topic_feedback.events.is_empty()) {
        return Ok(topic_feedback.iter().map(|_| Profile::default()).collect());
    }
    let digest = store.latest_digest(topic).await?.map(|digest| digest.head);
    let (start, end) = digest.map_or((at, at), |digest| (digest.window_start, digest.window_end));
    let cluster_items = stored_cluster_items(store, topic, background_window(start, end)).await?;
    let mut with_items = Vec::new();
    for topic_feedback in topic_feedback {
        let items = items_with_feedback(store, topic, &topic_feedback).await?;
        with_items.push((topic_feedback, items));
    }
    let (vectors, decay) = (ItemVectors::default(), decay(at, ranking));
    // On the blocking pool, because it counts the terms of some weeks.
    let learning = tokio::task::spawn_blocking(move || {
        let profiles = with_items.into_iter();
        profiles.map(|(feedback, items)| learn(feedback, &items, &vectors, &cluster_items, decay)).collect::<Vec<_>>()
    });
    Ok(learning.await?)
}

fn background_window(start: Timestamp, end: Timestamp) -> Window {
    Window { start: start.days_before(BACKGROUND_DAYS), end }
}

const fn decay(at: Timestamp, ranking: &Ranking) -> FeedbackDecay {
    FeedbackDecay { at, decay_days: ranking.decay_days }
}

/// Reads the items that feedback was given on, as far as they are still stored.
async fn items_with_feedback(
    store: &SharedStore,
    topic: TopicId,
    topic_feedback: &TopicFeedback,
) -> Result<HashMap<ItemId, Item>, StoreError> {
    let mut items = HashMap::new();
    for part in topic_feedback.events.chunks(PART) {
        let ids: Vec<ItemId> = part.iter().map(|(_, event)| event.item_id).collect();
        items.extend(store.load_items(topic, &ids).await?.into_iter().map(|(item, _)| (item.id, item)));
    }
    Ok(items)
}

/// Computes a profile from feedback and the items that it was given on.
fn learn(
    topic_feedback: TopicFeedback,
    items: &HashMap<ItemId, Item>,
    vectors: &ItemVectors,
    cluster_items: &[ClusterItem],
    decay: FeedbackDecay,
) -> Profile {
    let TopicFeedback { events, unlearnt } = topic_feedback;
    let said: Vec<FeedbackExample> = events
        .into_iter()
        .map(|(_, event)| FeedbackExample {
            body: items.get(&event.item_id).map(|item| item.body_text.clone()),
            vector: vectors.of_item.get(&event.item_id).cloned(),
            event,
        })
        .collect();
    let unlearnt = unlearnt.into_iter().collect();
    let features = cluster_items.iter().map(|cluster_item| Arc::clone(&cluster_item.features)).collect();
    let background = Background { features, baseline: vectors.baseline, vectors: vectors.kind };
    Profile::of(&said, &unlearnt, &background, decay)
}

/// Computed on the blocking pool, because it compares every story with all feedback.
pub(super) async fn gather(
    context: &RunContext,
    sources: &[Source],
    stories: &Arc<Vec<Story>>,
) -> Result<Preferences, RunError> {
    let (store, topic, window) = (context.store(), context.topic.id, context.run.window);
    let topic_feedback = TopicFeedback::stored(store, topic).await?;
    if topic_feedback.events.is_empty() {
        return Ok(Preferences::default());
    }
    let span = background_window(window.start, window.end);
    let cluster_items = cluster_items_in(store, topic, &context.feature_cache, span, context.snapshot).await?;
    let items = items_with_feedback(store, topic, &topic_feedback).await?;
    let vectors = ItemVectors::of(context, stories, items.values()).await?;
    let decay = decay(window.end, &context.run.settings.ranking);
    let names = sources.iter().map(|source| (source.id, source.display_name())).collect();
    let has_interests = !Interests::parse(&context.run.settings.interests).is_empty();
    let stories = Arc::clone(stories);
    let comparing = tokio::task::spawn_blocking(move || {
        let profile = learn(topic_feedback, &items, &vectors, &cluster_items, decay);
        let features = cluster_items.into_iter().map(|cluster_item| (cluster_item.id, cluster_item.features)).collect();
        let known = StoryFeatures { names, features, vectors: vectors.of_item };
        let compared: Vec<Comparison> = stories.iter().map(|story| known.compare(&profile, story)).collect();
        let leanings: Vec<PreferenceScore> = if has_interests {
            profile.unusual(compared)
        } else {
            compared.into_iter().map(|story| story.leaning).collect()
        };
        let leanings = stories.iter().map(|story| story.cluster_id).zip(leanings).collect();
        Preferences { summary: profile.summary(), weight: profile.feedback_weight(), leanings }
    });
    Ok(comparing.await?)
}

/// The data by which a story's items are compared.
struct StoryFeatures {
    names: HashMap<SourceId, String>,
    features: HashMap<ItemId, Arc<Features>>,
    vectors: HashMap<ItemId, Arc<DenseVector>>,
}

impl StoryFeatures {
    fn compare(&self, profile: &Profile, story: &Story) -> Comparison {
        let mut members: Vec<&StoryMember> = story.in_scope().collect();
        if members.is_empty() {
            members.extend(story.members.get(story.representative));
        }
        let read: Vec<(String, Arc<Features>)> = members
            .iter()
            .map(|member| {
                let item = &member.item;
                let stored = self.features.get(&item.id).cloned();
                let made = || Arc::new(Features::of(item.title.as_deref(), &item.body_text));
                (item.display_title(), stored.unwrap_or_else(made))
            })
            .collect();
        let candidates: Vec<Candidate<'_>> = members
            .iter()
            .zip(&read)
            .map(|(member, (title, features))| Candidate {
                id: member.item.id,
                title,
                features,
                vector: self.vectors.get(&member.item.id).map(|vector| &**vector),
                source: self.names.get(&member.item.source_id).map_or("", String::as_str),
                author: member.item.author.as_deref(),
            })
            .collect();
        profile.compare(&candidates)
    }
}
