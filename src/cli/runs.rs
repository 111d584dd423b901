//! `aha-radar runs`: what was run, and how each attempt went.

use aha_core::ids::DigestId;
use anyhow::Result;
use serde_json::json;

use super::arguments::RunsArguments;
use super::exit::Exit;
use super::output;
use crate::app::App;
use crate::pipeline::RunError;

pub(super) async fn run(app: &App, arguments: RunsArguments) -> Result<Exit> {
    let topic = match &arguments.topic {
        Some(name) => {
            let found = app.store().topic(name).await?;
            Some(found.ok_or_else(|| RunError::NoTopic { name: name.clone() })?.id)
        }
        None => None,
    };
    let runs = app.store().runs(topic, i64::from(arguments.limit)).await?;
    if arguments.json {
        let rows: Vec<_> = runs
            .iter()
            .map(|(run, attempts)| json!({ "run": run, "digest_id": DigestId::of(&[&run.id.to_string()]), "attempts": attempts }))
            .collect();
        output::print_json(&rows)?;
        return Ok(Exit::Ok);
    }
    let mut table =
        output::table(&["window", "kind", "state", "attempt", "outcome", "reached", "digest", "what went wrong"]);
    for (run, attempts) in &runs {
        for attempt in attempts {
            table.add_row(vec![
                run.window.to_string(),
                run.mode.as_str().to_owned(),
                if run.done { "done" } else { "unfinished" }.to_owned(),
                attempt.attempt.to_string(),
                attempt.outcome.clone(),
                attempt.stage.clone().unwrap_or_default(),
                if run.done { DigestId::of(&[&run.id.to_string()]).to_string() } else { String::new() },
                output::one_safe_text(attempt.error.as_deref().unwrap_or("")),
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
