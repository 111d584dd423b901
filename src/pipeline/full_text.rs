//! Part of stage 1: reads the pages that a source's teasers link to, if that is enabled for it. Input: items as the
//! source gave them. Output: items whose page has more text contain that text. Called by the ingest stage for one
//! source at a time.

use std::cmp::Reverse;
use std::sync::atomic::Ordering;

use aha_core::item::{FullTextFetch, PageOutcome, TEASER_CHARS};
use aha_core::source::Source;
use aha_store::IdentifiedItem;

use super::RunContext;
use crate::sources::identity::text_hash;

/// Maximum number of pages read in one attempt, over all sources.
pub(super) const MAX_PAGES_PER_ATTEMPT: usize = 200;
/// Maximum number of pages per source: there is a pause between two requests to its host.
const PAGES_A_SOURCE: usize = 20;

/// Reads the pages of the newest items whose page was not read before. Returns whether pages are left, which later runs
/// read while the source still lists them.
pub(super) async fn read(context: &RunContext, source: &Source, items: &mut [IdentifiedItem]) -> bool {
    let notes = match context.store().full_text_hashes(source.id).await {
        Ok(notes) => notes,
        Err(error) => {
            tracing::warn!(source = %source.url, %error, "no page of this source is read this time");
            return true;
        }
    };
    let should_read = |item: &&mut IdentifiedItem| {
        let is_new = match notes.get(&item.external_id) {
            None => true,
            Some(read_before) => read_before.as_ref().is_some_and(|hash| *hash != item.hash_text),
        };
        is_new && item.url.is_some() && item.body_text.chars().count() < TEASER_CHARS
    };
    let mut to_read: Vec<&mut IdentifiedItem> = items.iter_mut().filter(should_read).collect();
    to_read.sort_by_key(|item| Reverse(item.time));
    let are_left = to_read.len() > PAGES_A_SOURCE;
    for item in to_read.into_iter().take(PAGES_A_SOURCE) {
        let remaining =
            context.pages_left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |remaining| remaining.checked_sub(1));
        if remaining.is_err() || context.check().is_err() {
            return true;
        }
        read_one(context, item).await;
    }
    are_left
}

async fn read_one(context: &RunContext, item: &mut IdentifiedItem) {
    let Some(url) = item.url.clone() else { return };
    let page = context.app.pages().read(context.app.fetcher(), &url).await;
    item.metadata.full_text = Some(FullTextFetch { outcome: page.outcome, source_hash: item.hash_text.clone() });
    // A page with less text than the teaser is not the intended one.
    if page.outcome == PageOutcome::Read && page.text.len() > item.body_text.len() {
        item.body_text = page.text;
        item.hash_text = text_hash(item.title.as_deref().unwrap_or_default(), &item.body_text);
    }
}
