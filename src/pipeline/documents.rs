//! Refreshes sources of the kind `documents`: at each run, and when they are added. Called by the stage `ingest` and by
//! [`crate::services::documents`].

use std::collections::BTreeMap;

use aha_core::source::Source;
use aha_store::{Lease, NewDocument};
use serde::Serialize;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::RunError;
use crate::app::App;
use crate::sentences::{self, PassageInContext};
use crate::sources::documents::{Changes, changes};
use crate::sources::fetch::FetchError;

/// Result of reading a source's documents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Refreshed {
    pub read: usize,
    pub unchanged: usize,
    pub removed: usize,
    /// Path and reason of each document that could not be read.
    pub failed: Vec<(String, String)>,
}

/// Reads new and changed documents of a source, and removes deleted ones. They are stored in batches, so that others
/// can write in between, and what was stored is not read again after a kill. `lease`: of the run that this is part of.
///
/// # Errors
/// When its folder cannot be read, the store fails or the lease is lost; the batches stored before that stay.
pub async fn refresh(app: &App, lease: Option<&Lease>, source: &Source) -> Result<Refreshed, RunError> {
    let known: BTreeMap<String, String> = app.store().documents(source.id).await?.into_iter().collect();
    let (url, pdf_reader, now) = (source.url.clone(), app.pdf_reader().clone(), app.clock().now());
    let stop = CancellationToken::new();
    // An attempt that ends drops this future, and the process ends only after its threads.
    let _stopped_when_dropped = stop.clone().drop_guard();
    let (batch_tx, mut batches) = mpsc::channel(1);
    // A PDF can take long, and a folder can be large.
    let reading = tokio::task::spawn_blocking(move || {
        let hand_over = |batch| {
            // Storing an earlier batch failed.
            if batch_tx.blocking_send(batch).is_err() {
                stop.cancel();
            }
        };
        changes(&url, &known, &pdf_reader, &stop, now, hand_over)
    });
    let mut refreshed = Refreshed::default();
    while let Some(batch) = batches.recv().await {
        store(app, lease, source, batch, &mut refreshed).await?;
    }
    let gave_up = |_| FetchError::Unparseable { reason: "reading the documents was given up".to_owned() };
    let last = reading.await.map_err(gave_up).and_then(|found| found)?;
    store(app, lease, source, last, &mut refreshed).await?;
    Ok(refreshed)
}

/// Stores a batch in one transaction, and adds it to what was stored before.
async fn store(
    app: &App,
    lease: Option<&Lease>,
    source: &Source,
    batch: Changes,
    refreshed: &mut Refreshed,
) -> Result<(), RunError> {
    let Changes { mut read, unreadable, hashes, removed, unchanged, failed } = batch;
    refreshed.read += read.len();
    refreshed.unchanged += unchanged;
    refreshed.removed += removed.len();
    refreshed.failed.extend(failed);
    read.extend(unreadable);
    if !read.is_empty() || !removed.is_empty() {
        app.store().replace_documents(lease, source.id, &read, &removed).await?;
        sentences::compute_missing(app, &passages(&read)).await?;
    }
    if !hashes.is_empty() {
        app.store().set_document_hashes(lease, source.id, &hashes).await?;
    }
    Ok(())
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
