//! Marks syndicated copies, so that one text published by five papers counts as one source, not five.

use std::collections::HashSet;

use aha_analysis::stories::cluster::COPY_DAYS;
use aha_analysis::stories::copies::copies;
use aha_content::numbers::count;
use aha_core::ids::ItemId;

use super::cluster::cluster_items_of;
use super::spans::{Span, unplaced_spans};
use super::{RunContext, RunError, Stage};

pub(super) async fn run(context: &RunContext) -> Result<(), RunError> {
    context.progress.begin(Stage::Dedupe, 0);
    let spans = unplaced_spans(context).await?;
    if spans.is_empty() {
        context.progress.end(Stage::Dedupe, "nothing new");
        return Ok(());
    }
    let mut marked = 0;
    for span in spans {
        context.check()?;
        marked += mark_copies(context, span).await?;
    }
    context.progress.end(Stage::Dedupe, &count(marked, "copy", "copies"));
    Ok(())
}

/// Marks the copies among the items of a span, and returns their number.
async fn mark_copies(context: &RunContext, span: Span) -> Result<usize, RunError> {
    let cluster_items = cluster_items_of(context, span, COPY_DAYS).await?;
    let placed: HashSet<ItemId> = cluster_items.iter().filter(|d| d.cluster.is_some()).map(|d| d.id).collect();
    let found = tokio::task::spawn_blocking(move || copies(&cluster_items)).await;
    let new: Vec<(ItemId, ItemId)> = found?.into_iter().filter(|(copy, _)| !placed.contains(copy)).collect();
    context.store().commit_duplicates(&context.lease, &new).await?;
    Ok(new.len())
}
