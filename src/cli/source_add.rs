//! `aha-radar source add`: new sources by address, path or short name; of a page, the feed that it names.

use std::fmt::Write as _;

use anyhow::Result;

use super::arguments::AddArguments;
use super::output;
use crate::app::App;
use crate::services::sources::add::{AddNote, SourcesToAdd, add};

pub(super) async fn run(app: &App, arguments: AddArguments) -> Result<()> {
    let AddArguments { locations, topic, title, weight, as_is, full_text } = arguments;
    let new = SourcesToAdd { locations, topic, title, weight, as_is, full_text, allow_paths: true };
    let mut note = |note: AddNote| output::note(&note.to_string());
    let added = add(app, &new, &mut note).await?;
    let mut text = output::sources_added(added.counts);
    if let Some(weight) = weight {
        let _ = write!(text, "; their weight is now {weight}");
    }
    output::print(&text)
}
