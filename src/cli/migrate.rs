//! `aha-radar migrate`: brings the database to this program's schema. Every other command does so too when it opens it.

use anyhow::Result;

use crate::config::Config;
use crate::store::OpenMode;

use super::exit::Exit;
use super::output;

pub(super) async fn run(config: &Config) -> Result<Exit> {
    crate::store::open(config.database_url.as_str(), OpenMode::CreateIfMissing).await?;
    output::print(&format!("{} has the schema of this program.", config.database_url))?;
    Ok(Exit::Ok)
}
