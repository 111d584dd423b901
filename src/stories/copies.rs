//! Copies: texts that another source has word for word.
//!
//! Comes in: documents. Goes out: pairs of a copy and its original. Called by the dedupe stage.

use crate::domain::ids::ItemId;
use crate::domain::time::{DAY_MS, Timestamp};

use super::cluster::{COPY_DAYS, Document};
use super::comparison::Comparison;
use super::lookup::{LookupIndex, Shared};

/// Cosine of words at which one text is a copy of another.
const COPY: f64 = 0.995;

/// Shorter texts are not called copies of one another: "Open thread" is not one story.
const COPY_WORDS: usize = 20;

/// Pairs (copy, original): near-identical texts within [`COPY_DAYS`], the original being the older. What has a story is looked
/// at no more: it is a copy or an original already.
#[must_use]
pub fn copies(documents: &[Document]) -> Vec<(ItemId, ItemId)> {
    let weighted = Comparison::of(documents);
    let is_looked_at = |number: &usize| documents[*number].features.length() >= COPY_WORDS && !documents[*number].copy;
    weighted.weigh_all(&(0..documents.len()).filter(is_looked_at).collect::<Vec<_>>());
    let (mut index, mut shared) = (LookupIndex::default(), Shared::default());
    let mut found = Vec::new();
    for (number, document) in documents.iter().enumerate() {
        if !is_looked_at(&number) {
            continue;
        }
        let own = weighted.get(number);
        let heavy = index.heavy(own);
        let is_copied = |older: &usize| {
            within_days(documents[*older].time, document.time, COPY_DAYS)
                && weighted.get(*older).word_cosine(own) >= COPY
        };
        let candidates = match document.cluster {
            None => index.candidates(&index.look(&heavy), &mut shared),
            Some(_) => Vec::new(),
        };
        match candidates.into_iter().find(is_copied) {
            Some(older) => found.push((document.id, documents[older].id)),
            None => {
                index.insert(number, &heavy);
            }
        }
    }
    found
}

fn within_days(a: Timestamp, b: Timestamp, days: i64) -> bool {
    (a - b).abs() <= days * DAY_MS
}
