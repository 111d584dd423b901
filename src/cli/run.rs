//! `aha-radar run` and `--run-once`: read the sources once, print the digest.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;

use crate::app::App;
use crate::digest::terminal::Foot;
use crate::digest::{Format, render, terminal};
use crate::domain::digest::Digest;
use crate::domain::topic::{DEFAULT_TOPIC, Topic};
use crate::domain::window::Window;
use crate::pipeline::runner::{self, RunOutcome, RunRequest};
use crate::pipeline::{RunError, StopSignal};

use super::arguments::RunArguments;
use super::exit::{Exit, of_digest};
use super::progress::Bars;
use super::{opml, output};

pub(super) async fn run(app: App, arguments: RunArguments) -> Result<Exit> {
    if let Some(file) = &arguments.import {
        let added = opml::import(&app, file, &arguments.topic).await?;
        output::note(&added);
    } else if arguments.topic == DEFAULT_TOPIC {
        app.store().ensure_topic(DEFAULT_TOPIC, app.clock().now()).await?;
    }
    let topic = topic(&app, &arguments.topic).await?;
    let zone = runner::zone_of(&app, &topic)?;
    let window = arguments.window.as_deref().map(|text| Window::parse(text, zone)).transpose()?;
    let stop = StopSignal::default();
    interrupt_on_signal(stop.clone());
    let bars = Arc::new(Bars::new());
    let request = RunRequest {
        topic: arguments.topic.clone(),
        window,
        scheduled: false,
        rejudge: arguments.rejudge,
        progress: bars.clone(),
        stop,
    };
    let outcome = runner::run(&app, &request).await;
    bars.clear();
    let outcome = outcome?;
    for made in &outcome.made {
        let html = made.files.iter().find(|f| f.extension().is_some_and(|e| e == "html")).map(PathBuf::as_path);
        show(&app, &topic, &made.digest, arguments.json, html).await?;
    }
    if outcome.made.is_empty() {
        up_to_date(&app, &topic, &outcome, arguments.json).await?;
    }
    let exits = outcome.made.iter().map(|made| of_digest(&made.digest));
    Ok(exits.rev().find(|exit| *exit != Exit::Ok).unwrap_or(Exit::Ok))
}

/// Says that there is nothing to read, and shows the last digest instead.
async fn up_to_date(app: &App, topic: &Topic, outcome: &RunOutcome, json: bool) -> Result<()> {
    let until = outcome.up_to_date.map_or_else(String::new, |until| format!(" up to {until}"));
    output::note(&format!("topic {:?} has been read{until}: nothing to do before the next minute", topic.name));
    match app.store().latest_digest(topic.id).await? {
        Some(digest) => show(app, topic, &digest, json, None).await,
        None => Ok(()),
    }
}

async fn topic(app: &App, name: &str) -> Result<Topic> {
    let found = app.store().topic(name).await?;
    found.ok_or_else(|| RunError::NoTopic { name: name.to_owned() }.into())
}

async fn show(app: &App, topic: &Topic, digest: &Digest, json: bool, html: Option<&Path>) -> Result<()> {
    if json {
        return output::print(&render(digest, Format::Json)?);
    }
    let latest = app.store().latest_digest(topic.id).await?;
    let foot = Foot { html, is_latest: latest.is_some_and(|latest| latest.digest.id == digest.digest.id) };
    output::print(&terminal::render(digest, output::width(), output::colour_on_stdout(), foot))
}

/// The first SIGINT or SIGTERM asks the run to end at its next safe point; what it has done is kept.
fn interrupt_on_signal(stop: StopSignal) {
    tokio::spawn(async move {
        crate::daemon::signalled().await;
        stop.interrupt();
    });
}
