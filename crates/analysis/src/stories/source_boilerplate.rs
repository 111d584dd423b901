//! Detects the terms that identify a source rather than the subject of a text.

use std::collections::HashMap;

use aha_core::ids::SourceId;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::cluster_item::ClusterItem;
use crate::text::vocabulary::Term;

/// Minimum share of a source's texts for a term to be boilerplate.
const BOILERPLATE_SHARE: f64 = 0.5;
/// Sources with fewer texts are not analysed.
const MIN_TEXTS: usize = 8;
/// Maximum number of latest texts that are analysed.
const MAX_TEXTS: usize = 256;

/// The terms that occur in most texts of a source: its name, titles of series, "read more".
#[derive(Debug)]
pub(super) struct SourceBoilerplate(HashMap<SourceId, FxHashSet<Term>>);

impl SourceBoilerplate {
    pub(super) fn of(items: &[ClusterItem]) -> Self {
        let mut by_source: HashMap<SourceId, Vec<&ClusterItem>> = HashMap::new();
        for item in items.iter().rev() {
            let texts = by_source.entry(item.source).or_default();
            if texts.len() < MAX_TEXTS {
                texts.push(item);
            }
        }
        by_source.retain(|_, texts| texts.len() >= MIN_TEXTS);
        Self(by_source.into_par_iter().map(|(source, texts)| (source, frequent_terms(&texts))).collect())
    }

    pub(super) fn of_source(&self, source: SourceId) -> Option<&FxHashSet<Term>> {
        self.0.get(&source)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of items")]
fn frequent_terms(texts: &[&ClusterItem]) -> FxHashSet<Term> {
    let mut counts: FxHashMap<Term, usize> = FxHashMap::default();
    for term in texts.iter().flat_map(|item| item.features.words()) {
        *counts.entry(term).or_default() += 1;
    }
    let min_texts = texts.len() as f64 * BOILERPLATE_SHARE;
    counts.into_iter().filter(|(_, texts)| *texts as f64 > min_texts).map(|(term, _)| term).collect()
}
