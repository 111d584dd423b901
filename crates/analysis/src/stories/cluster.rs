//! Clustering: each item without a story joins one or starts one, and the affected stories are corrected.
//!
//! Input: the topic's items of the last days, with their stories. Output: the story of each new item, merged stories,
//! and items that moved because their story was split. Average link decides first whether groups belong together
//! (`comparison.rs`), then whether a merged group is a single event (`split.rs`). Stories without new items are
//! unchanged. Called by the cluster stage and by `calibrate`.

use aha_core::ids::TopicId;
use aha_core::thresholds::Thresholds;
use rayon::prelude::*;

use super::agglomerate::{Edge, agglomerate};
use super::candidates::Candidates;
pub use super::cluster_item::{ClusterItem, OPEN_DAYS};
use super::comparison::{Comparison, Group};
use super::identity::identify;
pub use super::identity::{Merge, Placed, Placement};
use super::lookup::Limits;
use super::split::Splits;

/// Term frequencies are counted over items of this long before the first new one: the rarity of a word shows over a
/// season, not a month.
pub const FREQUENCY_DAYS: i64 = 60;

/// How far back copies are searched for.
pub const COPY_DAYS: i64 = 30;

/// Assigns a story to every item that has none. `items` are sorted by time, then id.
#[must_use]
pub fn place(topic: TopicId, items: &[ClusterItem], thresholds: Thresholds) -> Placed {
    Clustering::of(items, Limits::DEFAULT).place(topic, thresholds)
}

/// Items prepared for comparison: everything that does not depend on thresholds is computed once.
#[derive(Debug)]
pub struct Clustering<'a> {
    items: &'a [ClusterItem],
    comparison: Comparison<'a>,
    /// New items, and the stories in range that they may belong to.
    groups: Vec<Group>,
    edges: Vec<Edge>,
    limits: Limits,
}

impl<'a> Clustering<'a> {
    #[must_use]
    pub fn of(items: &'a [ClusterItem], limits: Limits) -> Self {
        let comparison = Comparison::of(items);
        let Candidates { groups, edges } = Candidates::of(&comparison, items, limits);
        Self { items, comparison, groups, edges, limits }
    }

    /// Clusters the items with these thresholds.
    #[must_use]
    pub fn place(&self, topic: TopicId, thresholds: Thresholds) -> Placed {
        let groups = self.groups(thresholds);
        let parts = groups.par_iter().flat_map_iter(|group| self.split(&mut Splits::default(), group, thresholds));
        let parts = parts.collect();
        identify(topic, self.items, parts, &|number| self.comparison.get(number))
    }

    /// Returns the groups that average link forms.
    pub(super) fn groups(&self, thresholds: Thresholds) -> Vec<Group> {
        agglomerate(
            &self.comparison,
            self.comparison.requirement(thresholds),
            &self.groups,
            &self.edges,
            self.limits.min_similarity,
        )
    }

    /// Splits a group into stories; a group without new items is unchanged.
    pub(super) fn split(&self, splits: &mut Splits, group: &Group, thresholds: Thresholds) -> Vec<Vec<usize>> {
        if !group.changed {
            return vec![group.members.clone()];
        }
        splits.parts(&group.members, &|number| self.comparison.get(number), thresholds.split)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use aha_core::ids::{ClusterId, ItemId, SourceId};
    use aha_core::time::Timestamp;

    use crate::text::dense::DenseVector;
    use crate::text::features::Features;
    use aha_core::thresholds::LOCAL_THRESHOLDS;

    use super::*;

    /// Twelve items on different subjects with orthogonal vectors, and two items on one subject in different words.
    fn items() -> Vec<ClusterItem> {
        let texts = (0..12).map(|n| (format!("thing{n} stuff{n} matter{n}"), n));
        let pair = [("ferry stranded harbour".to_owned(), 12), ("harbour vessel aground".to_owned(), 12)];
        let item = |(place, (text, axis)): (usize, (String, usize))| {
            let mut numbers = [0.0_f32; 13];
            numbers[axis] = 1.0;
            ClusterItem {
                id: ItemId::of(&[&place.to_string()]),
                source: SourceId::of(&[&place.to_string()]),
                time: Timestamp::from_millis(i64::try_from(place).unwrap()),
                cluster: None,
                delivered: false,
                copy: false,
                features: Arc::new(Features::of(None, &text)),
                dense: DenseVector::from_bytes(&DenseVector::to_bytes(&numbers)).map(Arc::new),
            }
        };
        texts.chain(pair).enumerate().map(item).collect()
    }

    fn joined(items: &[ClusterItem]) -> Vec<ItemId> {
        place(TopicId::of(&["t"]), items, LOCAL_THRESHOLDS)
            .placements
            .iter()
            .filter(|p| !p.began)
            .map(|p| p.item)
            .collect()
    }

    #[test]
    fn items_with_similar_vectors_are_one_story_despite_few_common_words() {
        let items = items();
        assert_eq!(joined(&items), [items[13].id]);
    }

    fn telling(texts: &[(&str, &str)]) -> Vec<ClusterItem> {
        let one = |(place, (source, text)): (usize, &(&str, &str))| ClusterItem {
            id: ItemId::of(&[&place.to_string()]),
            source: SourceId::of(&[source]),
            time: Timestamp::from_millis(i64::try_from(place).unwrap()),
            cluster: None,
            delivered: false,
            copy: false,
            features: Arc::new(Features::of(None, text)),
            dense: None,
        };
        texts.iter().enumerate().map(one).collect()
    }

    fn place_all(items: &[ClusterItem]) -> Placed {
        place(TopicId::of(&["t"]), items, LOCAL_THRESHOLDS)
    }

    const STORM: [(&str, &str); 3] = [
        ("a", "storm tears roof off the school in Kelmouth"),
        ("b", "school in Kelmouth loses its roof in the storm"),
        ("c", "new tax on heat pumps is voted down"),
    ];

    #[test]
    fn forms_versions_and_dates_make_no_story() {
        let series = [
            ("a", "Daily discussion – 12 May"),
            ("b", "Daily discussion – 12 May"),
            ("c", "Release v1.2.3: bug fixes and improvements"),
            ("d", "Release v1.2.3: bug fixes and improvements"),
        ];
        assert!(place_all(&telling(&series)).placements.iter().all(|placement| placement.began));
    }

    #[test]
    fn names_alone_make_no_story() {
        let topic = [("a", "See it all about Skerrow and Aldermane"), ("b", "What was eaten by Skerrow and Aldermane")];
        assert!(place_all(&telling(&topic)).placements.iter().all(|placement| placement.began));
    }

    #[test]
    fn what_is_in_a_story_stays_and_two_that_are_one_merge_unless_both_were_shown() {
        let mut items = telling(&STORM);
        let stories = ["x", "y"].map(|name| ClusterId::of(&[name]));
        items.extend(telling(&[
            ("d", "roof of Kelmouth school torn off by storm"),
            ("e", "roof of Kelmouth school torn off by storm: pictures"),
        ]));
        for (place, item) in items.iter_mut().enumerate() {
            (item.id, item.time) =
                (ItemId::of(&[&place.to_string()]), Timestamp::from_millis(i64::try_from(place).unwrap()));
        }
        items[0].cluster = Some(stories[0]);
        items[1].cluster = Some(stories[1]);
        items[1].delivered = true;
        let placed = place_all(&items);
        assert_eq!(placed.merges, [Merge { from: stories[0], into: stories[1] }]);
        assert_eq!([0, 1, 3, 4].map(|place| placed.assignments[place]), [Some(stories[1]); 4]);
        items[0].delivered = true;
        let placed = place_all(&items);
        assert_eq!(placed.merges, []);
        assert_eq!([0, 1].map(|place| placed.assignments[place]), stories.map(Some));
    }

    #[test]
    fn the_number_of_threads_does_not_change_the_stories() {
        let texts: Vec<(String, String)> =
            (0..240).map(|n| (format!("s{}", n % 40), format!("{} number{}", STORM[n % 3].1, n % 7))).collect();
        let labelled: Vec<(&str, &str)> = texts.iter().map(|(source, text)| (source.as_str(), text.as_str())).collect();
        let items = telling(&labelled);
        let placed_by = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| place_all(&items))
        };
        let placed = placed_by(1);
        assert!(placed.placements.iter().any(|placement| !placement.began));
        assert_eq!(placed, placed_by(4));
    }

    #[test]
    fn without_news_nothing_moves() {
        let mut items = telling(&STORM);
        for (place, item) in items.iter_mut().enumerate() {
            item.cluster = Some(ClusterId::of(&[&place.to_string()]));
        }
        let placed = place_all(&items);
        assert_eq!((placed.placements, placed.merges, placed.changed), (vec![], vec![], BTreeSet::new()));
    }

    #[test]
    fn two_events_in_a_shown_story_part_and_the_larger_keeps_its_id() {
        let raid = |ship: &str, taken: u32, n: u32| {
            format!("navy warship captured pirates gulf report{n}: the {ship} took {taken} men {ship} {taken}")
        };
        let texts: Vec<String> =
            (0..3).map(|n| raid("Mysore", 23, n)).chain((3..9).map(|n| raid("Sukanya", 26, n))).collect();
        let sources: Vec<String> = (0..9).map(|n| format!("s{n}")).collect();
        let labelled: Vec<(&str, &str)> = sources.iter().zip(&texts).map(|(s, t)| (s.as_str(), t.as_str())).collect();
        let mut items = telling(&labelled);
        let story = ClusterId::of(&["raids"]);
        for item in &mut items[..8] {
            (item.cluster, item.delivered) = (Some(story), true);
        }
        let placed = place_all(&items);
        assert!(placed.assignments[3..].iter().all(|assignment| *assignment == Some(story)));
        assert!(
            placed.assignments[..3]
                .iter()
                .all(|assignment| *assignment == placed.assignments[0] && *assignment != Some(story))
        );
        assert_eq!(placed.placements.iter().filter(|placement| placement.began).count(), 1);
        assert!(placed.changed.contains(&story));
    }

    #[test]
    fn an_item_without_a_vector_is_compared_by_words_alone() {
        let mut items = items();
        items[13].dense = None;
        assert_eq!(joined(&items), []);
        items[13].features = Arc::clone(&items[12].features);
        assert_eq!(joined(&items), [items[13].id]);
    }

    #[test]
    fn vectors_of_two_lengths_are_never_compared() {
        let mut items = items();
        let other: Vec<f32> = vec![1.0; 8];
        items[13].dense = DenseVector::from_bytes(&DenseVector::to_bytes(&other)).map(Arc::new);
        assert_eq!(joined(&items), []);
    }
}
