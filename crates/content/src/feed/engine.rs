//! Runs feed-rs within limits. Input: a document; output: the feed that feed-rs reads. Called by the parser.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use feed_rs::model::Feed;
use feed_rs::parser::Builder;
use url::Url;

use super::dates::read_date;
use super::limits::Deadline;

/// Returns the feed, and those of its dates, in Unix milliseconds, that were written without a zone.
pub(super) fn run_feed_rs(text: &str, base: Option<&Url>, deadline: Deadline) -> Result<(Feed, HashSet<i64>), String> {
    let zoneless = Arc::new(Mutex::new(HashSet::new()));
    let recorder = Arc::clone(&zoneless);
    let parser = Builder::new()
        .id_generator(|_, _, _| String::new())
        .timestamp_parser(move |text| {
            let read = read_date(text)?;
            if !read.has_zone {
                recorder.lock().unwrap_or_else(PoisonError::into_inner).insert(read.at.timestamp_millis());
            }
            Some(read.at)
        })
        .sanitize_content(false)
        .base_uri(base)
        .build();
    // feed-rs 3.0 panics on some durations; one hostile item must not end the daemon's thread.
    let feed = catch_unwind(AssertUnwindSafe(|| parser.parse(deadline.over(text.as_bytes()))))
        .map_err(|_| "the parser gave up on it".to_owned())?
        .map_err(|error| error.to_string())?;
    let zoneless = std::mem::take(&mut *zoneless.lock().unwrap_or_else(PoisonError::into_inner));
    Ok((feed, zoneless))
}
