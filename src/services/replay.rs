//! Ranks and renders a past run again with other settings, from stored answers, to show the effect of other weights,
//! interests or rules. It works on a copy of the database: no model is asked, nothing is stored.

use std::collections::BTreeMap;

use aha_core::digest::Digest;
use aha_core::ids::{DigestId, DigestItemId};
use aha_core::run::{Run, RunSettings};
use aha_core::topic::{Rule, RuleAction, Topic};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::digests::LATEST;
use super::runs::one_by_id;
use super::scratch::{self, REPLAYS, Scratch};
use super::topics::{at_most, check_interests};
use super::{Result, ServiceError};
use crate::app::App;
use crate::config::Config;
use crate::pipeline::{StopSignal, replay as pipeline};

/// A finished run, and the settings to change.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReplayChoice {
    /// The id of the run or of its digest, the beginning of one, or `latest`.
    pub run: String,
    /// The topic of `latest`; `None` for all topics.
    pub topic: Option<String>,
    /// Weights of the ranking, each `NAME=NUMBER`.
    pub weights: Vec<String>,
    pub interests: Option<String>,
    /// All rules, which replace the run's own.
    pub rules: Option<ReplayRules>,
    /// The minimum score that is shown, 0 to 100.
    pub at_least: Option<u8>,
}

/// Rules, written `word:PATTERN`, `source:PATTERN` or `author:PATTERN`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReplayRules {
    pub mute: Vec<String>,
    pub boost: Vec<String>,
}

impl Default for ReplayChoice {
    /// The latest run without changes.
    fn default() -> Self {
        Self { run: LATEST.to_owned(), topic: None, weights: Vec::new(), interests: None, rules: None, at_least: None }
    }
}

/// The replayed digest, and the original one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Replay {
    /// The run's own digest; `None` if retention removed it.
    pub before: Option<Digest>,
    pub digest: Digest,
    /// The stories with another position, by their rank in the replay; those that it lacks come last.
    pub moves: Vec<Move>,
}

/// A story's position before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Move {
    pub id: DigestItemId,
    pub title: String,
    pub rank_before: Option<usize>,
    pub rank: Option<usize>,
}

/// Does the same as [`replay`] for a process that serves several users: in its turn, and until the process is asked to
/// stop.
///
/// # Errors
/// Those of [`replay`]; also when too many replays and previews wait already.
pub async fn replay_in_turn(app: &App, choice: ReplayChoice) -> Result<Replay> {
    let config = app.config().clone();
    scratch::in_turn(app, &REPLAYS, async move || replay(config, &choice, &StopSignal::default()).await).await
}

/// Makes the digest of a run again with other settings.
///
/// # Errors
/// When there is no such run, a setting cannot be used, or the replay is interrupted.
pub async fn replay(config: Config, choice: &ReplayChoice, stop: &StopSignal) -> Result<Replay> {
    let scratch = Scratch::new()?;
    let app = tokio::select! {
        app = scratch.app(config) => app?,
        reason = stop.ended() => return Err(reason.into()),
    };
    let (topic, run) = find(&app, choice).await?;
    let settings = changed(&run.settings, choice)?;
    let before = app.store().digest(DigestId::of(&[&run.id.to_string()])).await?;
    let digest = Box::pin(pipeline::replay(&app, &topic, &run, settings, stop)).await?;
    let moves = before.as_ref().map(|before| moves(before, &digest)).unwrap_or_default();
    Ok(Replay { before, digest, moves })
}

/// Finds a finished run by its id, its digest's id, the beginning of one, or `latest`.
async fn find(app: &App, choice: &ReplayChoice) -> Result<(Topic, Run)> {
    let name = choice.run.as_str();
    let wanted = match &choice.topic {
        Some(topic) => Some(super::topics::find(app, topic).await?.id),
        None => None,
    };
    let found = if name == LATEST {
        app.store().latest_finished_run(wanted).await?
    } else {
        one_by_id(app, name, |run| run.done && wanted.is_none_or(|topic| run.topic_id == topic)).await?
    };
    let run = found.ok_or_else(|| {
        let expected = "`latest` nor the id of a finished run or its digest, or the first digits of one";
        ServiceError::not_found("run", format!("{name:?} is neither {expected}; see `aha-radar runs`"))
    })?;
    let topics = app.store().topics().await?;
    let topic = topics.into_iter().find(|topic| topic.id == run.topic_id);
    let none = "the run's topic was removed; choose another run, `aha-radar runs` lists them";
    Ok((topic.ok_or_else(|| ServiceError::not_found("topic", none))?, run))
}

fn changed(settings: &RunSettings, choice: &ReplayChoice) -> Result<RunSettings> {
    let mut settings = settings.clone();
    for weight in &choice.weights {
        settings.ranking.set(weight).map_err(|error| ServiceError::invalid("weights", error.to_string()))?;
    }
    if let Some(interests) = &choice.interests {
        check_interests(interests)?;
        settings.interests.clone_from(interests);
    }
    if let Some(rules) = &choice.rules {
        let parsed = |action, texts: &[String]| {
            texts.iter().map(|text| Ok(Rule::parse(action, text)?)).collect::<Result<Vec<Rule>>>()
        };
        settings.rules = parsed(RuleAction::Mute, &rules.mute)?;
        settings.rules.extend(parsed(RuleAction::Boost, &rules.boost)?);
    }
    at_most("at_least", choice.at_least.unwrap_or_default(), 100)?;
    settings.sizes.at_least = choice.at_least.unwrap_or(settings.sizes.at_least);
    Ok(settings)
}

fn moves(before: &Digest, after: &Digest) -> Vec<Move> {
    let mut old: BTreeMap<DigestItemId, usize> = before.stories.iter().map(|story| (story.id, story.rank)).collect();
    let mut moves = Vec::new();
    for story in &after.stories {
        let rank_before = old.remove(&story.id);
        if rank_before != Some(story.rank) {
            moves.push(Move { id: story.id, title: story.title.clone(), rank_before, rank: Some(story.rank) });
        }
    }
    let gone = before.stories.iter().filter(|story| old.contains_key(&story.id));
    moves.extend(gone.map(|story| Move {
        id: story.id,
        title: story.title.clone(),
        rank_before: Some(story.rank),
        rank: None,
    }));
    moves
}
