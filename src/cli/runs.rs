//! `aha-radar runs`: lists runs, and how each attempt went.

use aha_core::ids::DigestId;
use anyhow::Result;

use super::arguments::RunsArguments;
use super::exit::Exit;
use super::listing::Listing;
use super::output;
use crate::app::App;
use crate::services::digests;
use crate::services::runs::{self, PastRun};

pub(super) async fn run(app: &App, arguments: RunsArguments) -> Result<Exit> {
    let runs = runs::history(app, arguments.topic.as_deref(), i64::from(arguments.limit)).await?;
    if arguments.json {
        output::print_json(&runs)?;
        return Ok(Exit::Ok);
    }
    let done: Vec<DigestId> = runs.iter().filter(|past| past.run.done).map(|past| past.digest_id).collect();
    let failures = digests::total_failures(app, &done).await?;
    let headings = ["window", "kind", "state", "attempt", "outcome", "reached", "digest", "what went wrong"];
    let mut table = Listing::new(&headings, &["what went wrong", "reached", "attempt", "kind"]);
    // Scripts pass the id on to the API, which takes whole ones.
    let id = |id: DigestId| {
        if output::terminal_width().is_some() { output::short_id(id) } else { id.to_string() }
    };
    for PastRun { run, digest_id, attempts } in &runs {
        let failure = failures.get(digest_id);
        for attempt in attempts {
            let failure = failure.filter(|_| attempt.outcome == "done");
            table.add_row(vec![
                run.window.to_string(),
                run.mode.as_str().to_owned(),
                if run.done { "done" } else { "unfinished" }.to_owned(),
                attempt.attempt.to_string(),
                attempt.outcome.clone(),
                attempt.stage.clone().unwrap_or_default(),
                if run.done { id(*digest_id) } else { String::new() },
                attempt.error.as_ref().or(failure).cloned().unwrap_or_default(),
            ]);
        }
    }
    if runs.is_empty() {
        output::note("no run yet; start one with `aha-radar run`");
    } else {
        output::print(&table.to_string())?;
    }
    Ok(Exit::Ok)
}
