//! `aha-radar retain`: removes what is older than the settings keep, or shows what it would remove.

use anyhow::Result;
use serde_json::json;

use crate::app::App;
use crate::retention::{self, Outcome};

use super::arguments::RetainArguments;
use super::exit::Exit;
use super::output;

pub(super) async fn run(app: &App, arguments: &RetainArguments) -> Result<Exit> {
    let dry = arguments.dry_run;
    let outcome = if dry { retention::preview(app).await? } else { retention::run(app).await? };
    if arguments.json {
        let Outcome { kinds, interrupted, problem } = &outcome;
        output::print_json(&json!({ "dry_run": dry, "kinds": kinds, "interrupted": interrupted, "problem": problem }))?;
    } else {
        let mut table = output::table(&["what", "older than", if dry { "would go" } else { "removed" }]);
        for kind in &outcome.kinds {
            let before = kind.before.map_or_else(|| "kept for good".to_owned(), |before| before.to_string());
            table.add_row(vec![kind.what.to_owned(), before, kind.rows.to_string()]);
        }
        output::print(&table.to_string())?;
    }
    if outcome.interrupted {
        output::note("a run is under way: nothing more is removed; do this again when it has ended");
    }
    if let Some(problem) = outcome.problem {
        anyhow::bail!("not all old files could be removed: {problem}");
    }
    Ok(if outcome.interrupted { Exit::Failed } else { Exit::Ok })
}
