//! The terms that tell which source a text is from, not what it tells.

use std::collections::HashMap;

use aha_core::ids::SourceId;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::document::Document;
use super::vocabulary::Term;

/// Terms in so large a share of a source's texts say which source it is, not what it tells.
const HOUSE_SHARE: f64 = 0.5;
/// Of fewer texts nothing is said.
const LEAST_TEXTS: usize = 8;
/// So many of the latest texts tell it, however many there are.
const MOST_TEXTS: usize = 256;

/// The terms that each source has in most of its texts: its name, its series' titles, "read more".
#[derive(Debug)]
pub(super) struct HouseWords(HashMap<SourceId, FxHashSet<Term>>);

impl HouseWords {
    pub(super) fn of(documents: &[Document]) -> Self {
        let mut by_source: HashMap<SourceId, Vec<&Document>> = HashMap::new();
        for document in documents.iter().rev() {
            let texts = by_source.entry(document.source).or_default();
            if texts.len() < MOST_TEXTS {
                texts.push(document);
            }
        }
        by_source.retain(|_, texts| texts.len() >= LEAST_TEXTS);
        Self(by_source.into_par_iter().map(|(source, texts)| (source, most_used(&texts))).collect())
    }

    pub(super) fn of_source(&self, source: SourceId) -> Option<&FxHashSet<Term>> {
        self.0.get(&source)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of items")]
fn most_used(texts: &[&Document]) -> FxHashSet<Term> {
    let mut counts: FxHashMap<Term, usize> = FxHashMap::default();
    for term in texts.iter().flat_map(|document| document.features.words()) {
        *counts.entry(term).or_default() += 1;
    }
    let most = texts.len() as f64 * HOUSE_SHARE;
    counts.into_iter().filter(|(_, texts)| *texts as f64 > most).map(|(term, _)| term).collect()
}
