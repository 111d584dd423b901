//! `aha-radar replay`: ranks and renders a past run again with other weights, from stored answers. It works on a
//! temporary copy of the database: no model is asked, nothing is stored.

use aha_content::numbers::count;
use anyhow::Result;

use super::arguments::ReplayArguments;
use super::exit::Exit;
use super::output;
use super::run::interrupt_on_signal;
use crate::config::Config;
use crate::digest::terminal::Footer;
use crate::digest::{Format, render, terminal};
use crate::pipeline::StopSignal;
use crate::services::replay::{Replay, ReplayChoice, replay};

pub(super) async fn run(config: Config, arguments: ReplayArguments) -> Result<Exit> {
    let stop = StopSignal::default();
    interrupt_on_signal(stop.clone());
    let choice = ReplayChoice { run: arguments.run, weights: arguments.weight, ..ReplayChoice::default() };
    let replay = replay(config, &choice, &stop).await?;
    let digest = &replay.digest;
    if arguments.json {
        output::print(&render(digest, Format::Json, None)?)?;
    } else {
        let footer = Footer { html: None, is_latest: false };
        output::print(&terminal::render(digest, output::terminal(), footer))?;
    }
    output::note(&moved(&replay));
    Ok(Exit::Ok)
}

/// Formats how many stories have another rank than in the run's own digest.
fn moved(replay: &Replay) -> String {
    if replay.before.is_none() {
        return "a replay; the run's own digest was removed".to_owned();
    }
    let shown = || replay.moves.iter().filter(|story| story.rank.is_some());
    let new = shown().filter(|story| story.rank_before.is_none()).count();
    let moved = shown().count() - new;
    let moved = count(moved, "story is", "stories are");
    let new = match new {
        0 => String::new(),
        n => format!(", {} not in it", count(n, "is", "are")),
    };
    format!("a replay, nothing is stored: {moved} at another position than in the run's digest{new}")
}
