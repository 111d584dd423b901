//! `aha-radar init`: creates the database and the default topic, and shows the next steps.

use aha_content::numbers::count;
use anyhow::Result;

use super::arguments::InitArguments;
use super::exit::Exit;
use super::output;
use crate::app::App;
use crate::services::topics;

pub(super) async fn run(app: &App, arguments: InitArguments) -> Result<Exit> {
    let (_, sources) = topics::init(app, arguments.interests).await?;
    output::print(&format!(
        "The database is {}; topic \"default\" has {}.\n\nNext:\n  aha-radar source add https://example.org/feed.xml\n  aha-radar opml import subscriptions.opml\n  aha-radar topic set default --interests \"what matters to you, in your own words\"\n  aha-radar run",
        app.config().database_url,
        count(sources, "source", "sources")
    ))?;
    Ok(Exit::Ok)
}
