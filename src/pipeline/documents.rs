//! Refreshes sources of the kind `documents`: at each run, and when they are added. Called by the stage `ingest` and by
//! [`crate::services::documents`].

use std::collections::BTreeMap;

use aha_core::source::Source;
use aha_store::NewDocument;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::RunError;
use crate::app::App;
use crate::sentences::{self, PassageInContext};
use crate::sources::documents::{Changes, changes};
use crate::sources::fetch::FetchError;

/// Result of reading a source's documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refreshed {
    pub read: usize,
    pub unchanged: usize,
    pub removed: usize,
    /// Path and reason of each document that could not be read.
    pub failed: Vec<(String, String)>,
}

/// Reads new and changed documents of a source, and removes deleted ones.
///
/// # Errors
/// When its folder cannot be read, or the store fails.
pub async fn refresh(app: &App, source: &Source) -> Result<Refreshed, RunError> {
    let known: BTreeMap<String, String> = app.store().documents(source.id).await?.into_iter().collect();
    let (url, pdf_reader, now) = (source.url.clone(), app.pdf_reader().clone(), app.clock().now());
    let stop = CancellationToken::new();
    // An attempt that ends drops this future, and the process ends only after its threads.
    let _stopped_when_dropped = stop.clone().drop_guard();
    // A PDF can take long, and a folder can be large.
    let reading = tokio::task::spawn_blocking(move || changes(&url, &known, &pdf_reader, &stop, now));
    let gave_up = |_| FetchError::Unparseable { reason: "reading the documents was given up".to_owned() };
    let found = reading.await.map_err(gave_up).and_then(|found| found);
    let Changes { read, unreadable, hashes, removed, unchanged, failed } = found?;
    if !read.is_empty() || !removed.is_empty() {
        app.store().replace_documents(source.id, &read, &removed).await?;
        sentences::compute_missing(app, &passages(&read)).await?;
    }
    if !unreadable.is_empty() {
        app.store().replace_documents(source.id, &unreadable, &[]).await?;
    }
    if !hashes.is_empty() {
        app.store().set_document_hashes(source.id, &hashes).await?;
    }
    Ok(Refreshed { read: read.len(), unchanged, removed: removed.len(), failed })
}

fn passages(read: &[NewDocument]) -> Vec<PassageInContext<'_>> {
    let all = read.iter().flat_map(|document| document.passages.iter().map(move |passage| (document, passage)));
    all.map(|(document, (section, text))| PassageInContext {
        document: &document.name,
        title: document.title.as_deref(),
        section,
        text,
    })
    .collect()
}
