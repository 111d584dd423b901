//! How many other sources of a run bring something like a story: the more of them, the more its matter is of public interest, for who sets no
//! interests.
//!
//! Comes in: the run's stories with the features of their texts. Goes out: a number of the evidence. What it is worth was measured in
//! `docs/RANKING.md`. Called while the evidence is gathered.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use aha_analysis::stories::features::Features;
use aha_analysis::stories::lookup::{LookupIndex, Shared};
use aha_analysis::stories::similarity::{Frequencies, Weighted};
use aha_core::ids::{ItemId, SourceId};
use aha_core::story::Story;

/// From this similarity on two texts are of one matter, though they need not tell one story.
const NEAR: f64 = 0.1;

/// See the module.
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

    /// Of the story's text with the most of them.
    pub(super) fn count(&self, story: &Story, shared: &mut Shared) -> usize {
        let texts = story.in_scope().filter_map(|member| self.texts.get(*self.by_item.get(&member.item.id)?));
        texts.map(|text| self.around(text, shared)).max().unwrap_or(0)
    }

    fn around(&self, (source, text): &(SourceId, Weighted), shared: &mut Shared) -> usize {
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
