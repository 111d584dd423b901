//! `aha-radar run --dry-run`: what a run would ask of models, and what that would cost.
//!
//! The run is made in a copy of the database that goes with the command, by a gateway that asks nobody. What is answered and paid
//! for already is in the copy, and so is not counted.

mod report;
mod room;

use std::sync::Arc;

use aha_core::window::Window;
use anyhow::Result;

use self::report::Report;
use super::arguments::RunArguments;
use super::exit::Exit;
use super::progress::Bars;
use super::run::{interrupt_on_signal, prepare};
use crate::app::App;
use crate::config::Config;
use crate::pipeline::StopSignal;
use crate::pipeline::due;
use crate::pipeline::runner::{self, RunRequest};
use crate::services::scratch::Scratch;

pub(super) async fn run(config: Config, arguments: &RunArguments) -> Result<Exit> {
    let stop = StopSignal::default();
    interrupt_on_signal(stop.clone());
    let scratch = Scratch::new()?;
    let app = tokio::select! {
        app = scratch.app(config) => app?,
        reason = stop.ended() => return Err(reason.into()),
    };
    let (report, imported) = estimate(&app, arguments, stop).await?;
    if arguments.json {
        report.print_json()?;
    } else {
        report.print()?;
    }
    Ok(imported)
}

async fn estimate(app: &App, arguments: &RunArguments, stop: StopSignal) -> Result<(Report, Exit)> {
    let (topic, imported) = prepare(app, arguments).await?;
    let zone = due::zone_of(app, &topic)?;
    let bars = Arc::new(Bars::new());
    let request = RunRequest {
        topic: arguments.topic.clone(),
        window: arguments.window.as_deref().map(|text| Window::parse(text, zone)).transpose()?,
        scheduled: false,
        rejudge: arguments.rejudge,
        progress: bars.clone(),
        stop,
    };
    let outcome = Box::pin(runner::run(app, &request)).await;
    bars.clear();
    Ok((Report::of(app, &topic, outcome?).await?, imported))
}
