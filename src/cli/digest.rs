//! `aha-radar digest`: a digest again, in any form.

use aha_core::digest::Digest;
use aha_core::topic::topic_option;
use anyhow::Result;

use super::arguments::DigestArguments;
use super::exit::{Exit, UsageError};
use super::output;
use crate::app::App;
use crate::digest::terminal::Foot;
use crate::digest::{Format, render, terminal};
use crate::pipeline::RunError;

pub(super) async fn run(app: &App, arguments: DigestArguments) -> Result<Exit> {
    let format = match arguments.format.as_deref() {
        Some(name) => Some(name.parse::<Format>().map_err(|error| UsageError(error.to_string()))?),
        None => arguments.json.then_some(Format::Json),
    };
    let digest = find(app, &arguments).await?;
    let foot = Foot { html: None, is_latest: arguments.which == "latest" };
    match format {
        Some(format) => output::print(&render(&digest, format)?)?,
        None => output::print(&terminal::render(&digest, output::width(), output::colour_on_stdout(), foot))?,
    }
    Ok(Exit::Ok)
}

async fn find(app: &App, arguments: &DigestArguments) -> Result<Digest> {
    if arguments.which == "latest" {
        return latest(app, &arguments.topic).await;
    }
    let id = arguments.which.parse().map_err(|_| {
        UsageError(format!(
            "{:?} is neither `latest` nor the id of a digest; `aha-radar runs` lists them",
            arguments.which
        ))
    })?;
    let found = app.store().digest(id).await?;
    Ok(found.ok_or_else(|| UsageError(format!("there is no digest {id}; `aha-radar runs` lists them")))?)
}

pub(super) async fn latest(app: &App, topic: &str) -> Result<Digest> {
    let found = app.store().topic(topic).await?.ok_or_else(|| RunError::NoTopic { name: topic.to_owned() })?;
    let digest = app.store().latest_digest(found.id).await?;
    Ok(digest.ok_or_else(|| {
        let run = format!("aha-radar run{}", topic_option(topic));
        UsageError(format!("topic {topic:?} has no digest yet; make one with `{run}`"))
    })?)
}
