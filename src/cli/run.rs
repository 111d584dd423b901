//! `aha-radar run` and `--run-once`: reads the sources once and prints the digest.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use aha_core::digest::Digest;
use aha_core::shell;
use aha_core::time::Timestamp;
use aha_core::topic::{DEFAULT_TOPIC, Topic};
use anyhow::Result;

use super::arguments::RunArguments;
use super::database_retries::with_database_retries;
use super::exit::{Exit, of_digest};
use super::progress::Bars;
use super::{opml, output};
use crate::app::App;
use crate::config::Config;
use crate::digest::terminal::Footer;
use crate::digest::{Format, render, terminal};
use crate::pipeline::progress::Progress;
use crate::pipeline::runner::{RunOutcome, RunRequest};
use crate::pipeline::{RunError, StopSignal};
use crate::services::ServiceError;
use crate::services::database::{self, Absent};
use crate::services::runs::{self, RunChoice};
use crate::services::{digests, topics};

pub(super) async fn run(config: Config, arguments: RunArguments) -> Result<Exit> {
    config.llm.notes.iter().for_each(|note| output::note(note));
    let stop = StopSignal::default();
    interrupt_on_signal(stop.clone());
    let opening = async || {
        tokio::select! {
            opened = database::open(config.clone(), Absent::Create) => Ok(opened?),
            reason = stop.ended() => Err(reason.into()),
        }
    };
    let app = with_database_retries(&stop, opening).await?;
    let (topic, imported) = with_database_retries(&stop, async || prepare(&app, &arguments).await).await?;
    let bars = Arc::new(Bars::new());
    let request = request(&app, &arguments, &bars, stop).await?;
    let outcome = with_database_retries(&request.stop, async || Ok(Box::pin(runs::run(&app, &request)).await?)).await;
    bars.clear();
    let failure = outcome.as_ref().err().and_then(|error| error.downcast_ref::<ServiceError>());
    if let Some(ServiceError::Run(RunError::Output { digest, .. })) = failure {
        // It is stored and paid for; only its files are missing, which the error says afterwards.
        with_database_retries(&request.stop, async || show(&app, &topic, digest, arguments.json, None).await).await?;
    }
    let outcome = outcome?;
    for made in &outcome.outputs {
        let html = made.files.iter().find(|f| f.extension().is_some_and(|e| e == "html")).map(PathBuf::as_path);
        with_database_retries(&request.stop, async || show(&app, &topic, &made.digest, arguments.json, html).await)
            .await?;
        if let Some(alert) = &made.digest.cost.near_cap {
            output::note(alert);
        }
    }
    let mut exit = imported;
    if outcome.outputs.is_empty() {
        let shown = async || up_to_date(&app, &topic, &outcome, arguments.json).await;
        exit = exit.or(with_database_retries(&request.stop, shown).await?);
    }
    Ok(outcome.outputs.iter().map(|output| of_digest(&output.digest)).fold(exit, Exit::or))
}

/// Imports the given list of sources, if any, and finds the topic. Returns also whether all sources could be imported.
pub(super) async fn prepare(app: &App, arguments: &RunArguments) -> Result<(Topic, Exit)> {
    let mut imported = Exit::Ok;
    if let Some(file) = &arguments.import {
        let (said, exit) = opml::import(app, file, &arguments.topic).await?;
        output::note(&said);
        imported = exit;
    } else if arguments.topic == DEFAULT_TOPIC {
        topics::init(app, None).await?;
    }
    Ok((topics::find(app, &arguments.topic).await?, imported))
}

/// Builds the run request from the arguments.
pub(super) async fn request(
    app: &App,
    arguments: &RunArguments,
    bars: &Arc<Bars>,
    stop: StopSignal,
) -> Result<RunRequest> {
    let (topic, window) = (arguments.topic.clone(), arguments.window.clone());
    let choice = RunChoice { topic, window, rejudge: arguments.rejudge };
    let progress: Arc<dyn Progress> = Arc::<Bars>::clone(bars);
    Ok(runs::to_run_request(app, &choice, progress, stop).await?)
}

/// Reports that there is nothing new to read, and shows the last digest instead. Returns the exit code for that digest.
async fn up_to_date(app: &App, topic: &Topic, outcome: &RunOutcome, json: bool) -> Result<Exit> {
    output::note(&nothing_to_read(&topic.name, outcome.up_to_date, app.clock().now()));
    let Some(digest) = digests::find_latest(app, topic).await? else { return Ok(Exit::Ok) };
    show(app, topic, &digest, json, None).await?;
    Ok(of_digest(&digest))
}

/// Formats that a topic has nothing to read before the next minute, or until the clock has reached the end of what it
/// has read.
pub(super) fn nothing_to_read(topic: &str, until: Option<Timestamp>, now: Timestamp) -> String {
    let read = until.map_or_else(String::new, |until| format!(" up to {until}"));
    let next = match until {
        Some(until) if until > now => {
            let now = now.floor_to_minute();
            let command = shell::topic_set(topic, &format!("--read-from {now}"));
            format!(
                ", which is ahead of the clock ({now}): nothing is read until then; if the clock is right, set the topic back with `{command}`"
            )
        }
        _ => ": nothing to do before the next minute".to_owned(),
    };
    format!("topic {topic:?} has been read{read}{next}")
}

async fn show(app: &App, topic: &Topic, digest: &Digest, json: bool, html: Option<&Path>) -> Result<()> {
    if json {
        return output::print(&render(digest, Format::Json, None)?);
    }
    let latest = digests::find_latest(app, topic).await?;
    let footer = Footer { html, is_latest: latest.is_some_and(|latest| latest.head.id == digest.head.id) };
    output::print(&terminal::render(digest, output::terminal(), footer))
}

/// Lets the first SIGINT, SIGTERM or SIGHUP end the run at its next safe point; completed work is kept. The second one
/// ends the process at once.
pub(super) fn interrupt_on_signal(stop: StopSignal) {
    tokio::spawn(async move {
        crate::shutdown::asked_to_stop().await;
        stop.interrupt();
    });
}
