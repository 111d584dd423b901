//! `aha-radar runs`: lists runs, and how each attempt went.

use std::collections::HashMap;

use aha_core::digest::DigestStatus;
use aha_core::ids::DigestId;
use aha_core::run::AttemptOutcome;
use anyhow::Result;

use super::arguments::RunsArguments;
use super::exit::Exit;
use super::listing::Listing;
use super::output;
use crate::app::App;
use crate::digest::gaps_line;
use crate::services::digests::{self, ArchiveFilter, ArchivedDigest};
use crate::services::runs::{self, PastRun};

pub(super) async fn run(app: &App, arguments: RunsArguments) -> Result<Exit> {
    let runs = runs::history(app, arguments.topic.as_deref(), i64::from(arguments.limit)).await?;
    if arguments.json {
        output::print_json(&runs)?;
        return Ok(Exit::Ok);
    }
    let failures = failures(app, arguments.topic, &runs).await?;
    let headings = ["window", "kind", "state", "attempt", "outcome", "reached", "digest", "what went wrong"];
    let mut table = Listing::new(&headings, &["what went wrong", "reached", "attempt", "kind"]);
    // Scripts pass the id on to the API, which takes whole ones.
    let id = |id: DigestId| {
        if output::terminal_width().is_some() { output::short_id(id) } else { id.to_string() }
    };
    for PastRun { run, digest_id, attempts } in &runs {
        let failure = failures.get(digest_id);
        for attempt in attempts {
            let failure = failure.filter(|_| attempt.outcome == AttemptOutcome::Done);
            table.add_row(vec![
                run.window.to_string(),
                run.mode.as_str().to_owned(),
                if run.done { "done" } else { "unfinished" }.to_owned(),
                attempt.attempt.to_string(),
                attempt.outcome.as_str().to_owned(),
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

/// Returns what the runs' digests lack: all sources, or whatever their first lines name.
async fn failures(app: &App, topic: Option<String>, runs: &[PastRun]) -> Result<HashMap<DigestId, String>> {
    let Some(oldest) = runs.iter().map(|past| past.run.window.end).min() else { return Ok(HashMap::new()) };
    // The day of a digest is that of its own time zone: up to one earlier than in UTC.
    let first = Some(oldest.days_before(1).to_utc().date_naive());
    let of_runs = ArchiveFilter { topic, first, last: None, limit: usize::MAX };
    let archived = digests::archive(app, &of_runs).await?;
    let mut failures = digests::total_failures(app, &archived).await?;
    for ArchivedDigest { entry, .. } in &archived {
        let id = entry.head.id;
        let is_listed = entry.head.status == DigestStatus::Partial && runs.iter().any(|past| past.digest_id == id);
        if !is_listed || failures.contains_key(&id) {
            continue;
        }
        let gaps = digests::find_by_id(app, id).await?.as_ref().and_then(gaps_line);
        failures.extend(gaps.map(|gaps| (id, gaps)));
    }
    Ok(failures)
}
