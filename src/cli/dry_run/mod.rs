//! `aha-radar run --dry-run`: estimates a run's model calls and their cost.
//!
//! The run is made in a temporary copy of the database, through a gateway that sends nothing. Answers that are already
//! stored are in the copy, and so are not counted.

mod report;

use std::sync::Arc;

use anyhow::Result;

use super::arguments::RunArguments;
use super::exit::Exit;
use super::output;
use super::progress::Bars;
use super::run::{interrupt_on_signal, nothing_to_read, prepare, request};
use crate::app::App;
use crate::config::Config;
use crate::pipeline::StopSignal;
use crate::services::estimate::{self, RunEstimate};
use crate::services::runs;
use crate::services::scratch::Scratch;

pub(super) async fn run(config: Config, arguments: &RunArguments) -> Result<Exit> {
    config.llm.notes.iter().for_each(|note| output::note(note));
    let stop = StopSignal::default();
    interrupt_on_signal(stop.clone());
    let scratch = Scratch::new()?;
    let app = tokio::select! {
        app = scratch.app(config) => app?,
        reason = stop.ended() => return Err(reason.into()),
    };
    let (report, imported) = estimated(&app, arguments, stop).await?;
    if arguments.json {
        output::print_json(&report)?;
    } else {
        let nothing = nothing_to_read(&arguments.topic, report.up_to_date, app.clock().now());
        report::print(&report, nothing)?;
    }
    Ok(imported)
}

async fn estimated(app: &App, arguments: &RunArguments, stop: StopSignal) -> Result<(RunEstimate, Exit)> {
    let (topic, imported) = prepare(app, arguments).await?;
    let bars = Arc::new(Bars::new());
    let request = request(app, arguments, &bars, stop).await?;
    let outcome = Box::pin(runs::run(app, &request)).await;
    bars.clear();
    Ok((estimate::of_dry_run(app, &topic, outcome?).await?, imported))
}
