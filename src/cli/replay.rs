//! `aha-radar replay`: a past run ranked and rendered again by other weights, from stored answers. It works on a copy of the database that
//! goes with the command: nothing is asked, nothing is written.

use aha_content::numbers::count;
use aha_core::digest::Digest;
use aha_core::ids::DigestId;
use aha_core::ranking::Ranking;
use aha_core::run::Run;
use aha_core::topic::Topic;
use anyhow::Result;

use super::arguments::ReplayArguments;
use super::exit::{Exit, UsageError};
use super::output;
use super::run::interrupt_on_signal;
use crate::app::App;
use crate::config::Config;
use crate::digest::terminal::Footer;
use crate::digest::{Format, render, terminal};
use crate::pipeline::{StopSignal, replay};
use crate::services::scratch::Scratch;

/// Runs that are looked through, the newest windows first.
const RUNS: i64 = 100_000;

pub(super) async fn run(config: Config, arguments: ReplayArguments) -> Result<Exit> {
    let stop = StopSignal::default();
    interrupt_on_signal(stop.clone());
    let scratch = Scratch::new()?;
    let app = tokio::select! {
        app = scratch.app(config) => app?,
        reason = stop.ended() => return Err(reason.into()),
    };
    let (topic, run) = find(&app, &arguments.run).await?;
    let ranking = ranking(run.settings.ranking, &arguments.weight)?;
    let before = app.store().digest(DigestId::of(&[&run.id.to_string()])).await?;
    let digest = Box::pin(replay::replay(&app, &topic, &run, ranking, &stop)).await?;
    if arguments.json {
        output::print(&render(&digest, Format::Json)?)?;
    } else {
        let footer = Footer { html: None, is_latest: false };
        output::print(&terminal::render(&digest, output::width(), output::colour_on_stdout(), footer))?;
    }
    output::note(&moved(before.as_ref(), &digest));
    Ok(Exit::Ok)
}

/// A finished run by its id, its digest's id, or `latest`.
async fn find(app: &App, name: &str) -> Result<(Topic, Run)> {
    let runs = app.store().runs(None, RUNS).await?;
    let is_meant = |run: &Run| {
        name == "latest" || run.id.to_string() == name || DigestId::of(&[&run.id.to_string()]).to_string() == name
    };
    let found = runs.into_iter().map(|(run, _)| run).find(|run| run.done && is_meant(run));
    let run = found.ok_or_else(|| {
        UsageError(format!(
            "{name:?} is neither `latest` nor the id of a finished run or its digest; see `aha-radar runs`"
        ))
    })?;
    let topics = app.store().topics().await?;
    let topic = topics.into_iter().find(|topic| topic.id == run.topic_id);
    Ok((topic.ok_or_else(|| UsageError("the run's topic is gone".to_owned()))?, run))
}

fn ranking(mut ranking: Ranking, weights: &[String]) -> Result<Ranking> {
    for weight in weights {
        ranking.set(weight).map_err(|error| UsageError(error.to_string()))?;
    }
    Ok(ranking)
}

/// How many stories stand elsewhere than in the run's own digest.
fn moved(before: Option<&Digest>, after: &Digest) -> String {
    let Some(before) = before else { return "a replay; the run's own digest is gone".to_owned() };
    let place = |story| before.stories.iter().find(|old| old.id == story).map(|old| old.rank);
    let new = after.stories.iter().filter(|story| place(story.id).is_none()).count();
    let moved = after.stories.iter().filter(|story| place(story.id).is_some_and(|rank| rank != story.rank)).count();
    let moved = count(moved, "story stands", "stories stand");
    let new = match new {
        0 => String::new(),
        n => format!(", {} not in it", count(n, "is", "are")),
    };
    format!("a replay, nothing is stored: {moved} elsewhere than in the run's digest{new}")
}
