//! `aha-radar source add`: adds sources by address, path or short name; from a page, the feed that it links to.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use aha_content::numbers::count;
use aha_core::shell;
use aha_core::source::{NewSource, SourceKind};
use aha_core::topic::topic_option;
use anyhow::{Result, anyhow};

use super::arguments::AddArguments;
use super::exit::{Exit, UsageError};
use super::output;
use crate::app::App;
use crate::pipeline::documents::Refreshed;
use crate::services::sources::add::{AddNote, SourcesToAdd, add_and_read};
use crate::services::sources::{SourceChange, SourcesAdded};
use crate::services::{ServiceError, documents};
use crate::sources::fetch::FetchError;
use crate::sources::{SourceLocation, location_from_argument};

/// Bytes at the beginning of a file in which its first element is searched for.
const BEGINNING: u64 = 2_000;

pub(super) async fn run(app: &App, arguments: AddArguments) -> Result<Exit> {
    let AddArguments { locations, topic, kind, title, weight, as_is, full_text } = arguments;
    if kind.as_deref() == Some(SourceKind::Documents.as_str()) {
        return add_documents(app, &locations, &topic, title.as_deref()).await;
    }
    for location in &locations {
        check_is_no_other_path(location, &topic)?;
    }
    let new = SourcesToAdd { locations, topic, title, weight, as_is, full_text, allow_paths: true };
    let (counts, left_out) = add_each(app, &new).await?;
    let mut text = output::sources_added(counts);
    if left_out > 0 {
        let _ = write!(text, ", {left_out} left out");
    }
    if left_out == new.locations.len() {
        output::print(&text)?;
        return Ok(Exit::Failed);
    }
    if let Some(weight) = weight {
        let _ = write!(text, "; their weight is now {weight}");
    }
    output::print(&text)?;
    Ok(if left_out == 0 { Exit::Ok } else { Exit::Partial })
}

/// Adds the sources one by one, so that one that cannot be added is reported and the others are added. Returns also how
/// many were left out. The error of a single source is returned as such.
async fn add_each(app: &App, new: &SourcesToAdd) -> Result<(SourcesAdded, usize)> {
    let mut notes = Vec::new();
    let mut note = |note: AddNote| {
        let text = note.to_string();
        if !notes.contains(&text) {
            output::note(&text);
            notes.push(text);
        }
    };
    // A title for several is refused as a whole.
    if new.locations.len() == 1 || new.title.is_some() {
        let added = add_and_read(app, new, &mut note).await.map_err(|error| with_documents(error, new))?;
        return Ok((added.counts, 0));
    }
    check_all(app, new)?;
    let (mut counts, mut left_out) = (SourcesAdded::default(), 0);
    for location in &new.locations {
        let one = SourcesToAdd { locations: vec![location.clone()], ..new.clone() };
        match add_and_read(app, &one, &mut note).await {
            Ok(added) => {
                counts.added += added.counts.added;
                counts.known += added.counts.known;
            }
            Err(error @ (ServiceError::Fetch(_) | ServiceError::Invalid { field: "locations", .. })) => {
                left_out += 1;
                let why = with_documents(error, &one).to_string();
                let why = why.strip_prefix(&format!("{location}: ")).unwrap_or(&why);
                output::note(&format!("{location} is not added: {why}"));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok((counts, left_out))
}

/// Checks what can be checked without a request, before any source is added.
fn check_all(app: &App, new: &SourcesToAdd) -> Result<()> {
    SourceChange { weight: new.weight, ..SourceChange::default() }.check()?;
    for location in &new.locations {
        location_from_argument(location, &app.config().sources.sites).map_err(|error| UsageError(error.to_string()))?;
    }
    Ok(())
}

/// Refuses a folder and a list of sources, which other commands take.
fn check_is_no_other_path(location: &str, topic: &str) -> Result<()> {
    let (path, word, option) = (Path::new(location), shell::word(location), topic_option(topic));
    if path.is_dir() {
        return Err(anyhow!(
            "{location} is a folder, no regular file; to search the documents in it and ask about them, add it with \
             `aha-radar source add --type documents {word}{option}`"
        ));
    }
    let is_named_list = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("opml"));
    if is_named_list && !location.contains(':') && !path.exists() {
        let next_step = "check the path; a list of sources is imported with `aha-radar opml import FILE`";
        return Err(UsageError(format!("there is no file {location}; {next_step}")).into());
    }
    if path.is_file() && is_opml(path) {
        return Err(anyhow!(
            "{location} is a list of sources (OPML), not a feed; add all of them with \
             `aha-radar opml import {word}{option}`"
        ));
    }
    Ok(())
}

/// Returns whether the first element of a file is that of a list of sources. A feed may mention it further on.
fn is_opml(path: &Path) -> bool {
    let mut bytes = Vec::new();
    if File::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut bytes)).is_err() {
        return false;
    }
    let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
    let is_element = |tag: &&str| tag.starts_with(|c: char| c.is_ascii_alphabetic());
    text.split('<').skip(1).find(is_element).is_some_and(|tag| tag.starts_with("opml"))
}

/// Says how a local file that is no feed is added as a document.
fn with_documents(error: ServiceError, new: &SourcesToAdd) -> anyhow::Error {
    let ([location], ServiceError::Fetch(FetchError::NotAFeed { .. })) = (&new.locations[..], &error) else {
        return error.into();
    };
    if !Path::new(location).is_file() {
        return error.into();
    }
    let (word, option) = (shell::word(location), topic_option(&new.topic));
    anyhow!(
        "{location}: {error}. If it is a document of your own, add it with \
         `aha-radar source add --type documents {word}{option}`"
    )
}

/// Adds the user's own folders or files, which are read at once.
async fn add_documents(app: &App, locations: &[String], topic: &str, title: Option<&str>) -> Result<Exit> {
    let mut new = Vec::new();
    for location in locations {
        let SourceLocation { url, .. } = location_from_argument(location, &app.config().sources.sites)
            .map_err(|error| UsageError(error.to_string()))?;
        if !url.starts_with("file:") {
            let why = "is no local folder or file; documents are read from this machine";
            return Err(UsageError(format!("{location} {why}")).into());
        }
        let title = title.map(str::to_owned);
        new.push(NewSource { kind: SourceKind::Documents, url, title, ..NewSource::default() });
    }
    let mut lines = Vec::new();
    let added = documents::add(app, topic, &new).await?;
    let is_other = |new: &&NewSource| !added.iter().any(|(source, _)| source.url == new.url);
    if let Some(other) = new.iter().find(is_other) {
        let (url, option) = (output::one_safe_text(&other.url), topic_option(topic));
        let next_step = format!("remove it first with `aha-radar source remove {url}{option}`");
        return Err(UsageError(format!("{url} is a source already, but not as documents; {next_step}")).into());
    }
    let mut exit = Exit::Ok;
    for (source, refreshed) in added {
        let Refreshed { read, unchanged, removed, failed } = refreshed?;
        let documents = count(read + unchanged, "document", "documents");
        lines.push(format!("{documents} in {} ({read} read, {removed} removed)", output::one_safe_text(&source.url)));
        if read + unchanged == 0 && !failed.is_empty() {
            exit = Exit::Partial;
        }
        for (path, reason) in failed {
            output::note(&format!("{path} is left out: {reason}"));
        }
    }
    output::print(&lines.join("\n"))?;
    Ok(exit)
}
