//! Computes how the stories of a run relate to the user's likes and dislikes, and a summary in words for triage.
//!
//! Input: feedback (`feedback_events`) and unlearnt names, the items of the last weeks. Output: [`Preferences`], used
//! by the stages `select`, `triage` and `rank`, and the profile for `aha-radar feedback list`.

use std::collections::HashMap;
use std::sync::Arc;

use aha_analysis::stories::cluster::Document;
use aha_analysis::stories::dense::{Baseline, DenseVector};
use aha_analysis::stories::features::Features;
use aha_analysis::stories::preferences::{Background, Candidate, Fading, Profile, Said};
use aha_core::feedback::{FeedbackEvent, PreferenceScore};
use aha_core::ids::{ClusterId, ItemId, SourceId, TopicId, UserId};
use aha_core::ranking::Ranking;
use aha_core::source::Source;
use aha_core::story::{Story, StoryMember};
use aha_core::time::Timestamp;
use aha_core::window::Window;
use aha_llm::embedder::EmbedRoute;
use aha_store::{SharedStore, StoreError};

use super::cluster::{documents_in, stored_documents};
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
    sayings: TopicFeedback,
    at: Timestamp,
    ranking: &Ranking,
) -> Result<Profile, RunError> {
    Ok(profiles(store, topic, vec![sayings], at, ranking).await?.pop().unwrap_or_default())
}

/// Returns the profiles of several sets of feedback; the background is read once.
///
/// # Errors
/// When the store fails.
pub async fn profiles(
    store: &SharedStore,
    topic: TopicId,
    sayings: Vec<TopicFeedback>,
    at: Timestamp,
    ranking: &Ranking,
) -> Result<Vec<Profile>, RunError> {
    if sayings.iter().all(|sayings| sayings.events.is_empty()) {
        return Ok(sayings.iter().map(|_| Profile::default()).collect());
    }
    let digest = store.latest_digest(topic).await?.map(|digest| digest.digest);
    let (start, end) = digest.map_or((at, at), |digest| (digest.window_start, digest.window_end));
    let documents = stored_documents(store, topic, background_window(start, end)).await?;
    let mut profiles = Vec::new();
    for sayings in sayings {
        profiles.push(learn(store, topic, sayings, Vectors::default(), &documents, fading(at, ranking)).await?);
    }
    Ok(profiles)
}

fn background_window(start: Timestamp, end: Timestamp) -> Window {
    Window { start: start.days_before(BACKGROUND_DAYS), end }
}

const fn fading(at: Timestamp, ranking: &Ranking) -> Fading {
    Fading { at, decay_days: ranking.decay_days }
}

/// Vectors of items, if a model computes them.
#[derive(Default)]
struct Vectors {
    of_item: HashMap<ItemId, Arc<DenseVector>>,
    baseline: Option<Baseline>,
}

impl Vectors {
    /// Reads the vectors of the space of the run's model, of any time, because items liked long ago have one, too.
    async fn read(context: &RunContext) -> Result<Self, StoreError> {
        let route = context.app.embedder().route(context.run.settings.tier).and_then(|route| route.as_ref().ok());
        let Some(space) = route.map(EmbedRoute::space) else { return Ok(Self::default()) };
        let window = Window { start: Timestamp::from_millis(0), end: context.run.window.end };
        let mut stored = context.store().vectors(context.topic.id, &space, window).await?;
        stored.sort_by_key(|(id, _)| *id);
        let read = stored.into_iter().filter_map(|(id, bytes)| Some((id, Arc::new(DenseVector::from_bytes(&bytes)?))));
        let vectors: Vec<(ItemId, Arc<DenseVector>)> = read.collect();
        let baseline = Baseline::of(&vectors.iter().map(|(_, vector)| &**vector).collect::<Vec<_>>());
        Ok(Self { of_item: vectors.into_iter().collect(), baseline })
    }
}

/// Computes a profile. Reads the texts of the items with feedback, if they are still stored.
async fn learn(
    store: &SharedStore,
    topic: TopicId,
    sayings: TopicFeedback,
    vectors: Vectors,
    documents: &[Document],
    fading: Fading,
) -> Result<Profile, StoreError> {
    let TopicFeedback { events, unlearnt } = sayings;
    let mut bodies: HashMap<ItemId, String> = HashMap::new();
    for part in events.chunks(PART) {
        let ids: Vec<ItemId> = part.iter().map(|(_, event)| event.item_id).collect();
        bodies.extend(store.load_items(topic, &ids).await?.into_iter().map(|(item, _)| (item.id, item.body_text)));
    }
    let said: Vec<Said> = events
        .into_iter()
        .map(|(_, event)| Said {
            body: bodies.get(&event.item_id).cloned(),
            vector: vectors.of_item.get(&event.item_id).cloned(),
            event,
        })
        .collect();
    let unlearnt = unlearnt.into_iter().collect();
    let features = documents.iter().map(|document| Arc::clone(&document.features)).collect();
    Ok(Profile::of(&said, &unlearnt, &Background { features, baseline: vectors.baseline }, fading))
}

pub(super) async fn gather(
    context: &RunContext,
    sources: &[Source],
    stories: &[Story],
) -> Result<Preferences, RunError> {
    let (store, topic, window) = (context.store(), context.topic.id, context.run.window);
    let sayings = TopicFeedback::stored(store, topic).await?;
    if sayings.events.is_empty() {
        return Ok(Preferences::default());
    }
    let span = background_window(window.start, window.end);
    let documents = documents_in(store, topic, &context.vectors, span, context.snapshot).await?;
    let vectors = Vectors::read(context).await?;
    let of_story = vectors.of_item.clone();
    let fading = fading(window.end, &context.run.settings.ranking);
    let profile = learn(store, topic, sayings, vectors, &documents, fading).await?;
    let known = StoryFeatures {
        names: sources.iter().map(|source| (source.id, source.display_name())).collect(),
        features: documents.into_iter().map(|document| (document.id, document.features)).collect(),
        vectors: of_story,
    };
    let leanings = stories.iter().map(|story| (story.cluster_id, known.leaning(&profile, story)));
    Ok(Preferences { summary: profile.summary(), leanings: leanings.collect() })
}

/// The data by which a story's items are compared.
struct StoryFeatures {
    names: HashMap<SourceId, String>,
    features: HashMap<ItemId, Arc<Features>>,
    vectors: HashMap<ItemId, Arc<DenseVector>>,
}

impl StoryFeatures {
    fn leaning(&self, profile: &Profile, story: &Story) -> PreferenceScore {
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
        profile.leaning(&candidates)
    }
}
