//! `aha-radar migrate`: brings the database to this program's schema, or shows the pending migrations. Every other
//! command also migrates when it opens the database.

use anyhow::Result;
use serde_json::json;

use super::arguments::MigrateArguments;
use super::exit::Exit;
use super::output;
use crate::config::Config;
use crate::services::database::{self, SchemaVersion, StoreError};

pub(super) async fn run(config: &Config, arguments: &MigrateArguments) -> Result<Exit> {
    if arguments.check {
        return check(config, arguments.json).await;
    }
    database::migrate(config).await?;
    output::print(&format!("{} has the schema of this program.", config.database_url))?;
    Ok(Exit::Ok)
}

/// Changes nothing. Returns exit code 1 unless the schema is up to date.
async fn check(config: &Config, as_json: bool) -> Result<Exit> {
    let version = database::schema_version(config).await?;
    let state = state(&version);
    if as_json {
        output::print_json(&json!({
            "database": config.database_url.to_string(), "state": state, "applied": version.applied,
            "known": version.known, "pending": version.pending,
        }))?;
    } else {
        output::print(&format!("{}: {}", config.database_url, in_words(&version, state)))?;
    }
    Ok(if state == "up_to_date" { Exit::Ok } else { Exit::Failed })
}

fn state(version: &SchemaVersion) -> &'static str {
    if version.applied > version.known {
        "newer"
    } else if version.changed.is_some() {
        "changed"
    } else if version.pending.is_empty() {
        "up_to_date"
    } else {
        "pending"
    }
}

fn in_words(version: &SchemaVersion, state: &str) -> String {
    let SchemaVersion { applied, known, pending, changed } = version;
    match (state, changed) {
        ("newer", _) => StoreError::NewerSchema { found: *applied, known: *known }.to_string(),
        (_, Some(version)) => StoreError::ChangedSchema { version: *version }.to_string(),
        ("pending", _) => {
            let names: Vec<String> = pending.iter().map(|m| format!("{} ({})", m.version, m.name)).collect();
            format!(
                "the database has schema version {applied}, this program brings {known}; pending: {}. Make a backup, then run `aha-radar migrate`",
                names.join(", ")
            )
        }
        _ => format!("up to date: the database has schema version {applied}, the one this program brings"),
    }
}
