//! Counts the other sources of a run with an item similar to a story. The more there are, the more its subject is of
//! public interest; used for readers without interests.
//!
//! Input: the run's stories with the features of their texts. Output: a number for the evidence. Its value was measured
//! in `docs/RANKING.md`. Called while the evidence is gathered.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use aha_analysis::stories::lookup::{LookupIndex, Shared};
use aha_analysis::text::features::Features;
use aha_analysis::text::similarity::{Frequencies, Weighted};
use aha_core::ids::{ItemId, SourceId};
use aha_core::story::Story;

/// Minimum similarity of two texts on the same subject, though not necessarily the same story.
const NEAR: f64 = 0.1;

/// Index of the run's texts.
#[derive(Debug, Default)]
pub(super) struct NearSources {
    texts: Vec<(SourceId, Weighted)>,
    by_item: HashMap<ItemId, usize>,
    index: LookupIndex,
}

impl NearSources {
    pub(super) fn of(stories: &[Story], features: &HashMap<ItemId, Arc<Features>>, frequencies: &Frequencies) -> Self {
        let mut near = Self::default();
        for item in stories.iter().flat_map(Story::in_scope).map(|member| &member.item) {
            let Some(features) = features.get(&item.id) else { continue };
            let weighted = frequencies.weigh(features);
            let number = near.texts.len();
            near.index.insert(number, &near.index.heavy(&weighted));
            near.by_item.insert(item.id, number);
            near.texts.push((item.source_id, weighted));
        }
        near
    }

    /// Returns the count of the story's text that has the most similar sources.
    pub(super) fn count(&self, story: &Story, shared: &mut Shared) -> usize {
        let texts = story.in_scope().filter_map(|member| self.texts.get(*self.by_item.get(&member.item.id)?));
        texts.map(|text| self.count_near(text, shared)).max().unwrap_or(0)
    }

    fn count_near(&self, (source, text): &(SourceId, Weighted), shared: &mut Shared) -> usize {
        let query = self.index.lookup(&self.index.heavy(text));
        let mut sources: HashSet<SourceId> = HashSet::new();
        for (other, candidate) in self.index.candidates(&query, shared).into_iter().map(|number| &self.texts[number]) {
            if other != source && !sources.contains(other) && candidate.similarity(text) >= NEAR {
                sources.insert(*other);
            }
        }
        sources.len()
    }
}
