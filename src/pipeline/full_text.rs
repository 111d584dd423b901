//! Part of stage 1: reads the pages that a source's teasers link to, if that is enabled for it. Input: items as the
//! source gave them. Output: items whose page has more text contain that text. Called by the ingest stage for one
//! source at a time.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::atomic::Ordering;

use aha_core::item::{FullTextFetch, PageOutcome, TEASER_CHARS};
use aha_core::source::Source;
use aha_store::IdentifiedItem;
use url::Url;

use super::RunContext;
use crate::sources::fetch::{FetchError, Fetcher, shown_address};
use crate::sources::identity::text_hash;

/// Maximum number of pages read in one attempt, over all sources.
pub(super) const MAX_PAGES_PER_ATTEMPT: usize = 200;
/// Maximum number of pages per source: there is a pause between two requests to its host.
const PAGES_A_SOURCE: usize = 20;
/// After this many temporary failures, or a single rate limit, a host is not asked again for this source. One page that
/// always fails does not keep the host's other pages from being read.
const FAILURES_A_HOST: usize = 3;

/// Reads the pages of the newest items whose page was not read before. Returns whether pages are left, which later runs
/// read while the source still lists them.
pub(super) async fn read(
    context: &RunContext,
    fetcher: &Fetcher,
    source: &Source,
    items: &mut [IdentifiedItem],
) -> bool {
    let notes = match context.store().full_text_hashes(source.id).await {
        Ok(notes) => notes,
        Err(error) => {
            let source = shown_address(&source.url);
            tracing::warn!(%source, %error, "no page of this source is read this time");
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
    read_in_order(context, fetcher, to_read).await
}

/// Returns whether pages are left.
async fn read_in_order(context: &RunContext, fetcher: &Fetcher, to_read: Vec<&mut IdentifiedItem>) -> bool {
    let (mut are_left, mut asked) = (false, 0);
    let mut failures: HashMap<String, usize> = HashMap::new();
    for item in to_read {
        let host = host_of(item);
        if failures.get(&host).is_some_and(|count| *count >= FAILURES_A_HOST) {
            are_left = true;
            continue;
        }
        if asked == PAGES_A_SOURCE || !reserve_page(context) || context.check().is_err() {
            return true;
        }
        asked += 1;
        let Some(failure) = read_one(context, fetcher, item).await else { continue };
        are_left = true;
        let is_limit = failure.retry_after().is_some() || matches!(failure, FetchError::RateLimited { .. });
        let failed = failure.temporary_at().unwrap_or_default();
        // A redirect led to another host. The items are found by their own, which may also lead elsewhere.
        if failed != host {
            *failures.entry(host).or_default() += 1;
        }
        *failures.entry(failed.to_owned()).or_default() += if is_limit { FAILURES_A_HOST } else { 1 };
    }
    are_left
}

fn host_of(item: &IdentifiedItem) -> String {
    let url = item.url.as_deref().and_then(|url| Url::parse(url).ok());
    url.as_ref().and_then(Url::host_str).unwrap_or_default().to_owned()
}

/// Whether the attempt may read another page.
fn reserve_page(context: &RunContext) -> bool {
    let one_less = |remaining: usize| remaining.checked_sub(1);
    context.pages_left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_ok()
}

/// Returns a temporary failure. The item has no note then, so that its page is read in a later run.
async fn read_one(context: &RunContext, fetcher: &Fetcher, item: &mut IdentifiedItem) -> Option<FetchError> {
    let url = item.url.clone()?;
    let page = context.app.pages().read(fetcher, &url).await;
    if page.temporary.is_some() {
        return page.temporary;
    }
    item.metadata.full_text = Some(FullTextFetch { outcome: page.outcome, source_hash: item.hash_text.clone() });
    // A page with less text than the teaser is not the intended one.
    if page.outcome == PageOutcome::Read && page.text.len() > item.body_text.len() {
        item.body_text = page.text;
        // It is the teaser's, and would be shown instead of the text.
        item.html = None;
        item.hash_text = text_hash(item.title.as_deref().unwrap_or_default(), &item.body_text);
    }
    None
}
