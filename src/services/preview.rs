//! Previews the effect of a change of a topic before it is saved: its last digest with stories, made once with the
//! current settings and once with the proposed ones.
//!
//! Both are replays on a copy of the database: no model is asked, nothing is stored. The delivered digest is not used
//! for the comparison, as feedback has been given since.

use std::collections::{BTreeMap, BTreeSet};

use aha_core::digest::{Digest, DigestStory, Section};
use aha_core::ids::{DigestId, DigestItemId};
use aha_core::model::LOCAL_PROVIDER;
use aha_core::run::{Run, RunSettings};
use aha_core::time::Timestamp;
use aha_core::topic::Topic;
use serde::Serialize;

use super::scratch::{self, REPLAYS, Scratch};
use super::{Result, ServiceError};
use crate::app::App;
use crate::pipeline::{StopSignal, replay};

/// The differences in the last digest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangePreview {
    pub digest: DigestId,
    pub window_end: Timestamp,
    /// By rank after the change; those that leave by rank before it.
    pub entering: Vec<PreviewedStory>,
    pub leaving: Vec<PreviewedStory>,
    pub rising: Vec<PreviewedStory>,
    pub falling: Vec<PreviewedStory>,
    /// Stories with the same position but other sources.
    pub retold: Vec<PreviewedStory>,
    /// The number of stories that stay the same.
    pub unchanged: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PreviewedStory {
    pub id: DigestItemId,
    pub title: String,
    pub source: String,
    pub before: Option<StoryPlace>,
    pub after: Option<StoryPlace>,
}

/// A story's position in a digest.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StoryPlace {
    pub rank: usize,
    pub section: Section,
    pub score: f64,
    /// Number of its items.
    pub members: usize,
}

impl ChangePreview {
    /// Returns whether the digest would be the same.
    #[must_use]
    pub const fn is_nothing(&self) -> bool {
        self.entering.is_empty()
            && self.leaving.is_empty()
            && self.rising.is_empty()
            && self.falling.is_empty()
            && self.retold.is_empty()
    }
}

/// Compares a topic's last digest that has stories, otherwise its last, with what it would be if the topic were as
/// proposed. `None` if it has no digest yet.
///
/// # Errors
/// When the topic does not exist, the copy or the replay fails, or too many replays and previews wait already.
pub async fn preview(app: &App, proposed: Topic) -> Result<Option<ChangePreview>> {
    let serving = app.clone();
    scratch::in_turn(app, &REPLAYS, async move || Box::pin(made(&serving, &proposed)).await).await
}

async fn made(app: &App, proposed: &Topic) -> Result<Option<ChangePreview>> {
    let mut config = app.config().clone();
    if is_judged_by_local(app, proposed).await? {
        // Models that were configured later have judged none of its stories.
        (config.llm.openai, config.llm.catalogue) = (None, None);
    }
    let (first, second) = (Scratch::new()?, Scratch::new()?);
    first.fill(&config).await?;
    second.fill_from(&first).await?;
    let copy = first.open(config.clone()).await?.sharing(app);
    let Some(before) = last_digest(&copy, &proposed.name, None).await? else { return Ok(None) };
    let copy = second.open(config).await?.sharing(app);
    let after = last_digest(&copy, &proposed.name, Some(proposed)).await?;
    Ok(after.map(|after| compared(&before, &after)))
}

async fn is_judged_by_local(app: &App, topic: &Topic) -> Result<bool> {
    let run = previewed_run(app, topic).await?;
    let digest = match run {
        Some(run) => app.store().digest(DigestId::of(&[&run.id.to_string()])).await?,
        None => None,
    };
    let verdicts = digest.iter().flat_map(|digest| &digest.stories).filter_map(|story| story.triage.as_ref());
    Ok(verdicts.into_iter().any(|verdict| verdict.provider == LOCAL_PROVIDER))
}

/// Returns the run of a topic's last digest with stories: on one of a window without items, no change has an effect.
/// Without such a digest it is the last finished run.
async fn previewed_run(app: &App, topic: &Topic) -> Result<Option<Run>> {
    let run = match app.store().newest_with_stories(topic.id).await? {
        Some(head) => app.store().run(head.run_id).await?,
        None => None,
    };
    match run {
        Some((run, _)) if run.done => Ok(Some(run)),
        _ => Ok(app.store().latest_finished_run(Some(topic.id)).await?),
    }
}

/// Returns a topic's last digest with the current settings, or with the proposed ones. Each needs its own copy, as a
/// replayed run keeps the settings with which it began.
async fn last_digest(copy: &App, name: &str, proposed: Option<&Topic>) -> Result<Option<Digest>> {
    let gone = || ServiceError::not_found("topic", format!("there is no topic {name:?} any more; choose another"));
    let topic = copy.store().topic(name).await?.ok_or_else(gone)?;
    let Some(run) = previewed_run(copy, &topic).await? else { return Ok(None) };
    let settings = settings(&run, proposed.unwrap_or(&topic));
    Ok(Some(Box::pin(replay::replay(copy, &topic, &run, settings, &StopSignal::default())).await?))
}

/// Returns the run's own settings, except those that a change of the topic may affect.
fn settings(run: &Run, topic: &Topic) -> RunSettings {
    RunSettings {
        interests: topic.interests.clone(),
        rules: topic.rules.clone(),
        sizes: topic.sizes,
        depth: topic.depth,
        decay_hours: topic.decay_hours,
        ..run.settings.clone()
    }
}

fn compared(before: &Digest, after: &Digest) -> ChangePreview {
    let mut old: BTreeMap<DigestItemId, &DigestStory> = before.stories.iter().map(|story| (story.id, story)).collect();
    let mut preview = ChangePreview {
        digest: before.head.id,
        window_end: before.head.window_end,
        entering: Vec::new(),
        leaving: Vec::new(),
        rising: Vec::new(),
        falling: Vec::new(),
        retold: Vec::new(),
        unchanged: 0,
    };
    for story in &after.stories {
        let was = old.remove(&story.id);
        let moved = previewed(story, was, Some(story));
        let is_retold = was.is_some_and(|was| !has_same_members(was, story));
        match was.map(|was| was.rank.cmp(&story.rank)) {
            None => preview.entering.push(moved),
            Some(std::cmp::Ordering::Greater) => preview.rising.push(moved),
            Some(std::cmp::Ordering::Less) => preview.falling.push(moved),
            Some(std::cmp::Ordering::Equal) if is_retold => preview.retold.push(moved),
            Some(std::cmp::Ordering::Equal) => preview.unchanged += 1,
        }
    }
    let left = before.stories.iter().filter(|story| old.contains_key(&story.id));
    preview.leaving = left.map(|story| previewed(story, Some(story), None)).collect();
    preview
}

fn has_same_members(one: &DigestStory, other: &DigestStory) -> bool {
    let members = |story: &DigestStory| story.sources.iter().map(|source| source.item_id).collect::<BTreeSet<_>>();
    members(one) == members(other)
}

fn previewed(story: &DigestStory, before: Option<&DigestStory>, after: Option<&DigestStory>) -> PreviewedStory {
    let place = |story: &DigestStory| StoryPlace {
        rank: story.rank,
        section: story.section,
        score: story.final_score,
        members: story.sources.len(),
    };
    PreviewedStory {
        id: story.id,
        title: story.title.clone(),
        source: story.sources.first().map(|source| source.name.clone()).unwrap_or_default(),
        before: before.map(place),
        after: after.map(place),
    }
}
