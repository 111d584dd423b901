//! The similarity of two groups of items, and whether it is sufficient for one story.
//!
//! Input: items. Output: groups with the sums of their vectors, and the margin by which two groups belong together.
//! Groups are compared by the mean over all pairs of members: by words, and also by dense vectors if both have them.

use std::sync::OnceLock;

use aha_core::ids::SourceId;
use aha_core::thresholds::{DenseThresholds, Thresholds};
use aha_core::time::{DAY_MS, Timestamp};

use super::cluster_item::{ClusterItem, OPEN_DAYS};
use super::source_boilerplate::SourceBoilerplate;
use crate::text::dense::{Baseline, DenseSum, DenseVector};
use crate::text::features::{NAMES, WORDS};
use crate::text::similarity::{Frequencies, Weighted};
use crate::text::vocabulary::Kind;

/// Dense similarity that compensates for few words in common: above that of 99 of 100 pairs of different stories.
const SAME_BY_DENSE: f64 = 0.6;

/// Number of items nearest in time that are searched for dense similarity.
const MAX_SEARCHED: usize = 2_000;

/// Similarity within one source is mostly house style or a series: such pairs need this multiple of
/// [`Thresholds::pair`], however many items there are.
const OWN_SOURCE: f64 = 1.9;

/// The share of the required similarity below which two groups are not linked (`regions.rs`).
const LINK: f64 = 0.5;

/// Exponent by which more pairs of sources lower the required similarity.
const GROUP_POWER: f64 = 0.35;

/// Days between two groups at which their similarity counts half: it is divided by 1 + days / 14.
const HALVING_DAYS: f64 = 14.0;

/// Mean cosine of words below which two groups are one story only with [`MIN_COMMON_NAMES`].
const MIN_WORD_COSINE: f64 = 0.17;
const MIN_COMMON_NAMES: usize = 2;

/// Similarity at which common names suffice; below it, other common words are required.
const NAMES_SUFFICE: f64 = 0.45;

/// The similarity required for one story, by thresholds and the number of items.
#[derive(Debug, Clone, Copy)]
pub(super) struct Requirement {
    /// [`Thresholds::pair_among`] the items.
    pair: f64,
    /// For two items of one source.
    own_pair: f64,
    group: f64,
    dense: DenseThresholds,
}

impl Requirement {
    fn of(thresholds: Thresholds, items: usize) -> Self {
        let Thresholds { pair, group, dense, .. } = thresholds;
        Self { pair: thresholds.pair_among(items), own_pair: pair, group, dense }
    }

    /// The requirement if no pair of items is from one source, given the number of pairs of sources.
    fn between(&self, source_pairs: f64) -> f64 {
        self.lowered_by(self.pair, source_pairs)
    }

    /// The requirement if `own_share` of the pairs of items are from one source.
    fn in_all(&self, source_pairs: f64, own_share: f64) -> f64 {
        let between = self.between(source_pairs);
        if own_share <= 0.0 {
            return between;
        }
        let own = OWN_SOURCE * self.lowered_by(self.own_pair, source_pairs);
        between + (own - between) * own_share
    }

    fn lowered_by(&self, pair: f64, source_pairs: f64) -> f64 {
        let divisor = if source_pairs > 1.0 { source_pairs.powf(GROUP_POWER) } else { 1.0 };
        self.group + (pair - self.group) / divisor
    }
}

/// Items prepared for comparison. Each is weighted on first use, since most only count towards the frequencies.
#[derive(Debug)]
pub(super) struct Comparison<'a> {
    items: &'a [ClusterItem],
    frequencies: Frequencies,
    boilerplate: SourceBoilerplate,
    weighted: Vec<OnceLock<Weighted>>,
    /// `None`: dense vectors are not compared.
    baseline: Option<Baseline>,
}

/// The relation of two groups with any similarity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum PairRelation {
    /// Less than [`LINK`] of the similarity required for one story.
    Apart,
    Linked,
    /// Similar enough for one story; `margin` is the excess over the required similarity.
    OneStory {
        margin: f64,
    },
}

/// The similarity of two groups.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoryMatch {
    /// The excess over the similarity required for one story.
    pub(super) margin: f64,
    similarity: f64,
    same_by_dense: bool,
}

/// Items treated as one story.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) members: Vec<usize>,
    pub(super) sum: Weighted,
    dense: Option<DenseSum>,
    first: Timestamp,
    last: Timestamp,
    /// By ascending source, with the number of items of each.
    sources: Vec<(SourceId, u32)>,
    /// Whether one of them was shown in a digest: its story keeps its id.
    delivered: bool,
    /// Whether one of them is new.
    pub(super) changed: bool,
}

impl Group {
    #[expect(clippy::cast_precision_loss, reason = "members of a story")]
    fn size(&self) -> f64 {
        self.members.len() as f64
    }

    /// Merges two groups.
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            sum: self.sum.plus(&other.sum),
            dense: match (self.dense, other.dense) {
                (Some(one), Some(two)) => one.plus(&two),
                (one, two) => one.or(two),
            },
            members: self.members.into_iter().chain(other.members).collect(),
            first: self.first.min(other.first),
            last: self.last.max(other.last),
            sources: summed_by_source(self.sources.into_iter().chain(other.sources).collect()),
            delivered: self.delivered || other.delivered,
            changed: self.changed || other.changed,
        }
    }

    /// A cheap test before comparing: whether their mean word similarity is at least `min_similarity`, or both have
    /// dense vectors.
    pub(super) fn may_be_one(&self, other: &Self, sum: f64, min_similarity: f64) -> bool {
        sum >= min_similarity * self.size() * other.size() || (self.dense.is_some() && other.dense.is_some())
    }

    /// Returns whether the later group began while the earlier one was open.
    pub(super) fn is_in_range(&self, other: &Self) -> bool {
        self.gap_ms(other) <= OPEN_DAYS * DAY_MS
    }

    #[expect(clippy::cast_precision_loss, reason = "sources of a story")]
    fn source_pairs(&self, other: &Self) -> f64 {
        self.sources.len() as f64 * other.sources.len() as f64
    }

    /// Returns the share of the pairs of items that are from one source.
    fn own_share(&self, other: &Self) -> f64 {
        let (few, many) = if self.sources.len() <= other.sources.len() { (self, other) } else { (other, self) };
        let of_one = few.sources.iter().filter_map(|(source, items)| {
            let index = many.sources.binary_search_by_key(source, |(source, _)| *source).ok()?;
            Some(f64::from(*items) * f64::from(many.sources[index].1))
        });
        of_one.sum::<f64>() / (self.size() * other.size())
    }

    /// Returns the days between the last item of the earlier group and the first of the later.
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of days")]
    fn gap_days(&self, other: &Self) -> f64 {
        self.gap_ms(other) as f64 / DAY_MS as f64
    }

    fn gap_ms(&self, other: &Self) -> i64 {
        (self.first - other.last).max(other.first - self.last).max(0)
    }
}

/// Sums the counts by source, in ascending order.
fn summed_by_source(mut sources: Vec<(SourceId, u32)>) -> Vec<(SourceId, u32)> {
    // A stable sort merges two sorted lists.
    sources.sort_by_key(|(source, _)| *source);
    sources.dedup_by(|(next, items), (source, sum)| {
        let is_same = next == source;
        *sum += if is_same { *items } else { 0 };
        is_same
    });
    sources
}

impl<'a> Comparison<'a> {
    pub(super) fn of(items: &'a [ClusterItem]) -> Self {
        let vectors: Vec<&DenseVector> = items.iter().filter_map(|d| d.dense.as_deref()).collect();
        Self {
            items,
            frequencies: Frequencies::of(items.iter().map(|d| &*d.features)),
            boilerplate: SourceBoilerplate::of(items),
            weighted: vec![OnceLock::new(); items.len()],
            baseline: Baseline::of(&vectors),
        }
    }

    /// Returns the similarity that groups of these items require to be one story.
    pub(super) fn requirement(&self, thresholds: Thresholds) -> Requirement {
        Requirement::of(thresholds, self.frequencies.documents())
    }

    pub(super) fn get(&self, number: usize) -> &Weighted {
        self.weighted[number].get_or_init(|| {
            let item = &self.items[number];
            let boilerplate = self.boilerplate.of_source(item.source);
            self.frequencies.weigh_without(&item.features, boilerplate)
        })
    }

    /// Returns the memory used by term frequencies, in bytes.
    pub(super) fn frequency_bytes(&self) -> usize {
        self.frequencies.bytes()
    }

    /// Returns the group of these items.
    pub(super) fn group(&self, members: Vec<usize>) -> Group {
        let of_members = || members.iter().map(|number| &self.items[*number]);
        let times = || of_members().map(|item| item.time);
        let vectors = of_members().filter_map(|item| item.dense.as_deref());
        Group {
            sum: Weighted::sum(&members.iter().map(|number| self.get(*number)).collect::<Vec<_>>()),
            dense: self
                .baseline
                .and_then(|_| vectors.map(DenseSum::of).reduce(|one, other| one.plus(&other).unwrap_or(one))),
            first: times().min().unwrap_or_default(),
            last: times().max().unwrap_or_default(),
            sources: summed_by_source(of_members().map(|item| (item.source, 1)).collect()),
            delivered: of_members().any(|item| item.delivered),
            changed: of_members().any(|item| item.cluster.is_none()),
            members,
        }
    }

    /// Returns the items nearby in time with sufficient dense similarity for one story, whatever their words.
    pub(super) fn near(&self, number: usize) -> Vec<usize> {
        let (Some(baseline), Some(own)) = (self.baseline, self.items[number].dense.as_deref()) else {
            return Vec::new();
        };
        let first = number.saturating_sub(MAX_SEARCHED / 2);
        let last = number.saturating_add(MAX_SEARCHED / 2).min(self.items.len());
        let is_near = |other: &usize| {
            let cosine = self.items[*other].dense.as_deref().and_then(|other| own.cosine(other));
            *other != number && cosine.is_some_and(|cosine| baseline.similarity(cosine) >= SAME_BY_DENSE)
        };
        (first..last).filter(is_near).collect()
    }

    /// Returns the current relation of two groups. `sum` is the sum of word similarity over all pairs.
    pub(super) fn relation(&self, requirement: &Requirement, one: &Group, other: &Group, sum: f64) -> PairRelation {
        let (similarity, dense) = self.similarity(requirement.dense, one, other, sum);
        let extra = if dense.is_some() { requirement.dense.extra } else { 0.0 };
        if similarity < LINK * (requirement.between(one.source_pairs(other)) + extra) {
            return PairRelation::Apart;
        }
        let story_match = self.story_match(requirement, one, other, sum);
        story_match.map_or(PairRelation::Linked, |story_match| PairRelation::OneStory { margin: story_match.margin })
    }

    /// Returns the mean similarity over all pairs, and the dense similarity if both have vectors.
    fn similarity(&self, dense: DenseThresholds, one: &Group, other: &Group, sum: f64) -> (f64, Option<f64>) {
        let words = sum / (one.size() * other.size());
        let cosines = self.dense_similarity(one, other);
        (cosines.map_or(words, |cosines| dense.weight * cosines + (1.0 - dense.weight) * words), cosines)
    }

    /// Returns the similarity of two groups if it is sufficient for one story. `sum` is the sum of word similarity over
    /// all pairs.
    pub(super) fn story_match(
        &self,
        requirement: &Requirement,
        one: &Group,
        other: &Group,
        sum: f64,
    ) -> Option<StoryMatch> {
        let has_news = one.changed || other.changed;
        if !has_news || (one.delivered && other.delivered) || !one.is_in_range(other) {
            return None;
        }
        let (similarity, dense) = self.similarity(requirement.dense, one, other, sum);
        let extra = if dense.is_some() { requirement.dense.extra } else { 0.0 };
        let (source_pairs, damped) = (one.source_pairs(other), similarity / (1.0 + one.gap_days(other) / HALVING_DAYS));
        // Most pairs are far below; the next term only raises the requirement.
        if damped < requirement.between(source_pairs) + extra {
            return None;
        }
        let margin = damped - requirement.in_all(source_pairs, one.own_share(other)) - extra;
        let same_by_dense = dense.is_some_and(|dense| dense >= SAME_BY_DENSE);
        (margin >= 0.0).then_some(StoryMatch { margin, similarity, same_by_dense })
    }

    /// Returns whether two groups share a subject, and not only names.
    pub(super) fn is_one_story(one: &Group, other: &Group, story_match: StoryMatch) -> bool {
        story_match.same_by_dense || Self::same_subject(one, other, story_match.similarity)
    }

    fn dense_similarity(&self, one: &Group, other: &Group) -> Option<f64> {
        let cosine = one.dense.as_ref()?.mean_cosine(other.dense.as_ref()?)?;
        Some(self.baseline?.similarity(cosine))
    }

    /// Returns whether two groups share what a story is about. That must be more than the form of a publication, its
    /// number and date, and more than names, which identify who and where, but not what.
    fn same_subject(one: &Group, other: &Group, similarity: f64) -> bool {
        let (mut words, mut names, mut plain, mut subjects) = (0.0, 0, 0, 0);
        one.sum.shared(&other.sum, |mine, theirs| {
            let both = |part| mine.has(part) && theirs.has(part);
            names += usize::from(both(NAMES));
            if both(WORDS) {
                words += mine.word_product(theirs);
                let is_subject = mine.term.kind() == Kind::Subject;
                subjects += usize::from(is_subject);
                plain += usize::from(is_subject && !mine.has(NAMES) && !theirs.has(NAMES));
            }
        });
        let lengths = one.sum.words_length() * other.sum.words_length();
        let has_overlap = names >= MIN_COMMON_NAMES || (lengths > 0.0 && words / lengths >= MIN_WORD_COSINE);
        let is_specific = plain > 0 || subjects >= MANY_SUBJECTS || similarity >= NAMES_SUFFICE;
        has_overlap && subjects >= MIN_COMMON_SUBJECTS && is_specific
    }
}

/// Minimum number of common terms that identify a subject.
const MIN_COMMON_SUBJECTS: usize = 2;
/// This many are sufficient even if all are names: in German every noun looks like a name.
const MANY_SUBJECTS: usize = 5;

#[cfg(test)]
mod tests {
    use aha_core::thresholds::LOCAL_THRESHOLDS;

    use super::*;

    #[test]
    fn vectors_count_by_what_made_them() {
        assert_eq!(DenseThresholds::of("local-sparse-v1+static/0a#first512_v1/256"), DenseThresholds::STATIC_WEIGHTS);
        assert_eq!(DenseThresholds::of("openai/static/x#text_v1"), DenseThresholds::PROVIDER_MODEL);
        assert_eq!(Thresholds::shipped("local-sparse-v1"), LOCAL_THRESHOLDS);
    }

    #[test]
    fn more_sources_need_less_and_items_of_one_more() {
        let thresholds = Thresholds { pair: 0.25, group: 0.05, ..LOCAL_THRESHOLDS };
        let requirement = |pairs, own| Requirement::of(thresholds, 1_000).in_all(pairs, own);
        assert!((requirement(1.0, 0.0) - 0.25).abs() < 1e-9 && (requirement(1.0, 1.0) - 0.475).abs() < 1e-9);
        assert!(requirement(4.0, 0.0) < 0.2 && requirement(100.0, 0.0) < 0.1 && requirement(1e9, 0.0) > 0.05);
        assert!(requirement(4.0, 0.5) > requirement(4.0, 0.0));
    }

    #[test]
    fn more_documents_need_more_within_bounds_and_items_of_one_source_the_same() {
        let requirement = |items, own| Requirement::of(LOCAL_THRESHOLDS, items).in_all(1.0, own);
        let across = [0, 10, 500, 1_000, 2_000, 1_000_000].map(|items| requirement(items, 0.0));
        assert!(across.is_sorted() && (across[3] - 0.24).abs() < 1e-9);
        assert!((across[0] - 0.19).abs() < 1e-9 && (across[5] - 0.27).abs() < 1e-9);
        assert!([10, 500, 1_000_000].iter().all(|items| (requirement(*items, 1.0) - 0.456).abs() < 1e-9));
    }
}
