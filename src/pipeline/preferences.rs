//! What the owner's likes and dislikes say about the stories of a run, and in words for the judge.

use std::collections::HashMap;

use super::RunContext;
use crate::domain::feedback::Leaning;
use crate::domain::ids::{ClusterId, SourceId, TopicId};
use crate::domain::ranking::Ranking;
use crate::domain::source::Source;
use crate::domain::story::Story;
use crate::domain::time::Timestamp;
use crate::store::{SharedStore, StoreError};
use crate::stories::preferences::Profile;

/// The newest sayings count; older ones have decayed.
pub const EVENTS: i64 = 2_000;

/// From this leaning on a story is judged whatever its headline.
const WANTED: f64 = 0.1;

/// What is known of the owner's taste, for the stories of a run.
#[derive(Debug, Default)]
pub struct Preferences {
    pub summary: String,
    leanings: HashMap<ClusterId, Leaning>,
}

impl Preferences {
    #[must_use]
    pub fn leaning(&self, story: ClusterId) -> Leaning {
        self.leanings.get(&story).cloned().unwrap_or_default()
    }

    #[must_use]
    pub fn wants(&self, story: ClusterId) -> bool {
        self.leanings.get(&story).is_some_and(|leaning| leaning.degree >= WANTED)
    }
}

/// A topic's profile at a time.
///
/// # Errors
/// When the store fails.
pub async fn profile(
    store: &SharedStore,
    topic: TopicId,
    at: Timestamp,
    ranking: &Ranking,
) -> Result<Profile, StoreError> {
    Ok(Profile::of(&store.feedback(topic, EVENTS).await?, at, ranking.decay_days))
}

pub(super) async fn gather(
    context: &RunContext,
    sources: &[Source],
    stories: &[Story],
) -> Result<Preferences, StoreError> {
    let ranking = &context.run.settings.ranking;
    let profile = profile(context.store(), context.topic.id, context.run.window.end, ranking).await?;
    if profile.is_empty() {
        return Ok(Preferences::default());
    }
    let names: HashMap<SourceId, String> = sources.iter().map(|source| (source.id, source.display_name())).collect();
    let leanings = stories.iter().map(|story| {
        let item = story.representative();
        let source = names.get(&item.source_id).map_or("", String::as_str);
        (story.cluster_id, profile.leaning(&item.display_title(), &item.body_text, source, item.author.as_deref()))
    });
    Ok(Preferences { summary: profile.summary(), leanings: leanings.collect() })
}
