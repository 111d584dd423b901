//! Prominence of a story, for readers without interests: how many sources mention its names, and how often other
//! sources also publish what its source publishes.
//!
//! Input: the items of the window and of the days before it, with their stories. Output: two numbers for the evidence.
//! Their value was measured in `docs/RANKING.md`.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use aha_analysis::stories::cluster::ClusterItem;
use aha_analysis::text::features::Features;
use aha_analysis::text::similarity::Frequencies;
use aha_analysis::text::vocabulary::Term;
use aha_core::ids::{ClusterId, ItemId, SourceId};
use aha_core::story::Story;

use super::share_of;

/// Number of a text's names that are used: those with the highest product of sources and rarity.
const MAX_NAMES: usize = 8;
/// Weight ln(1 + N / df) of a name that counts as one: approximately that of a name in one of twenty texts.
const REFERENCE_WEIGHT: f64 = 3.0;
/// Smoothing: number of items without other sources added to every source.
const SMOOTHING_ITEMS: usize = 3;

/// Counts by name and by source.
#[derive(Debug)]
pub(super) struct Prominence {
    /// The sources with a name in the opening of an item in the window.
    sources_with_name: HashMap<Term, HashSet<SourceId>>,
    /// For each source, the number of its items that others also published, and of all its items.
    corroborated: HashMap<SourceId, (usize, usize)>,
    of_several: HashSet<ClusterId>,
}

impl Prominence {
    /// `is_in_window`: whether an item is in the run's window; the others are from the days before.
    pub(super) fn of(cluster_items: &[ClusterItem], is_in_window: impl Fn(&ClusterItem) -> bool) -> Self {
        let mut first_source: HashMap<ClusterId, SourceId> = HashMap::new();
        let mut of_several: HashSet<ClusterId> = HashSet::new();
        for (cluster, source) in cluster_items.iter().filter_map(|d| Some((d.cluster?, d.source))) {
            if *first_source.entry(cluster).or_insert(source) != source {
                of_several.insert(cluster);
            }
        }
        let mut corroborated: HashMap<SourceId, (usize, usize)> = HashMap::new();
        let mut sources_with_name: HashMap<Term, HashSet<SourceId>> = HashMap::new();
        for cluster_item in cluster_items.iter().filter(|cluster_item| !cluster_item.copy) {
            let (by_others, all) = corroborated.entry(cluster_item.source).or_default();
            *by_others += usize::from(cluster_item.cluster.is_some_and(|cluster| of_several.contains(&cluster)));
            *all += 1;
            if is_in_window(cluster_item) {
                for name in cluster_item.features.names_in_lead() {
                    sources_with_name.entry(name).or_default().insert(cluster_item.source);
                }
            }
        }
        Self { sources_with_name, corroborated, of_several }
    }

    /// Returns the mean number of sources that mention the most shared names of the story's best text, each name
    /// weighted by its rarity.
    pub(super) fn shared_names(
        &self,
        story: &Story,
        features: &HashMap<ItemId, Arc<Features>>,
        frequencies: &Frequencies,
    ) -> f64 {
        let of_text = |features: &Arc<Features>| {
            let mut counts: Vec<f64> = features
                .names_in_lead()
                .filter_map(|name| {
                    Some(share_of(self.sources_with_name.get(&name)?.len(), 1) * frequencies.inverse_of_term(name))
                })
                .collect();
            counts.sort_unstable_by(|a, b| b.total_cmp(a));
            counts.truncate(MAX_NAMES);
            counts.iter().sum::<f64>() / REFERENCE_WEIGHT / share_of(MAX_NAMES, 1)
        };
        let texts = story.in_scope().filter_map(|member| features.get(&member.item.id));
        texts.map(of_text).fold(0.0, f64::max)
    }

    /// Returns the share of the other items of the story's source that other sources also published.
    pub(super) fn corroborated_share(&self, story: &Story) -> f64 {
        let Some((by_others, all)) = self.corroborated.get(&story.representative().source_id) else { return 0.0 };
        let own = usize::from(self.of_several.contains(&story.cluster_id));
        share_of(by_others.saturating_sub(own), all.saturating_sub(1) + SMOOTHING_ITEMS)
    }
}
