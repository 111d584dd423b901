//! `aha-radar copy --to URL`: copies all rows into another, empty database, and compares both.

use aha_content::numbers::count;
use aha_core::database_url::DatabaseUrl;
use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::arguments::CopyArguments;
use super::exit::Exit;
use super::output;
use crate::config::Config;
use crate::services::database::{self, CopiedTable};

/// Hexadecimal digits of a hash that are shown for comparison by eye.
const HASH_DIGITS: usize = 16;

pub(super) async fn run(config: &Config, arguments: &CopyArguments) -> Result<Exit> {
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg:32} [{bar:30}] {human_pos}/{human_len} rows") {
        bar.set_style(style.progress_chars("━╸ "));
    }
    let progress = |table: &str, rows: u64, all: u64| {
        bar.set_length(all);
        bar.set_position(rows);
        bar.set_message(table.to_owned());
        tracing::info!(table, rows, all, "copying");
    };
    let target = DatabaseUrl::new(arguments.to.clone());
    let copied = database::copy(config, &target, &progress).await;
    bar.finish_and_clear();
    show(config, &target, &copied?, arguments.json)?;
    Ok(Exit::Ok)
}

fn show(config: &Config, target: &DatabaseUrl, tables: &[CopiedTable], as_json: bool) -> Result<()> {
    let rows: u64 = tables.iter().map(|table| table.rows).sum();
    if as_json {
        let (from, to) = (config.database_url.to_string(), target.to_string());
        return output::print_json(
            &json!({ "from": from, "to": to, "verified": true, "rows": rows, "tables": tables }),
        );
    }
    let mut shown = output::table(&["table", "rows", "hash on both sides"]);
    for table in tables {
        let hash = table.hash.chars().take(HASH_DIGITS).collect();
        shown.add_row(vec![table.table.clone(), table.rows.to_string(), hash]);
    }
    output::print(&shown.to_string())?;
    output::note(&format!(
        "{} of {} are in {target}, the same as here. To continue there, stop the processes that use this database and set DATABASE_URL to the copy. Then run `aha-radar reindex` once: the index is not copied, and without it searches and questions find nothing.",
        count(rows, "row", "rows"),
        count(tables.len(), "table", "tables")
    ));
    Ok(())
}
