//! How alike two groups of items are, and whether that is enough for one story.
//!
//! Comes in: documents. Goes out: groups with the sums of their vectors, and the margin by which two of them belong together. Two groups
//! are compared by the mean over all pairs of their members: by words, and where a model gave both of them vectors, by those as well.

use std::sync::OnceLock;

use aha_core::ids::SourceId;
use aha_core::thresholds::{DenseThresholds, Thresholds};
use aha_core::time::{DAY_MS, Timestamp};

use super::dense::{Baseline, DenseSum, DenseVector};
use super::document::{Document, OPEN_DAYS};
use super::features::{NAMES, WORDS};
use super::house_words::HouseWords;
use super::similarity::{Frequencies, Weighted};
use super::vocabulary::Kind;

/// Likeness of vectors that makes up for few words in common: above what 99 of 100 pairs of different stories have.
const SAME_BY_DENSE: f64 = 0.6;

/// So many items, of the times nearest, are looked through for what a model finds alike.
const LOOKED_THROUGH: usize = 2_000;

/// Within one source likeness is mostly a house style or a series: pairs of one need so many times [`Thresholds::pair`], however many
/// documents there are.
const OWN_SOURCE: f64 = 1.9;

/// The share of what one story needs below which two groups do not link what is around them (`regions.rs`).
const LINK: f64 = 0.5;

/// How fast more pairs need less.
const GROUP_POWER: f64 = 0.35;

/// Days between two groups after which a likeness counts for half: it is divided by 1 + days / 14.
const HALVING_DAYS: f64 = 14.0;

/// Mean cosine of words below which two groups are one story only with [`NAMES_IN_COMMON`].
const FEW_WORDS: f64 = 0.17;
const NAMES_IN_COMMON: usize = 2;

/// Similarity at which names alone make a story: below, something must be told of them as well.
const NAMES_ALONE: f64 = 0.45;

/// What two groups need to be one story, by thresholds and the number of documents.
#[derive(Debug, Clone, Copy)]
pub(super) struct Needed {
    /// [`Thresholds::pair_among`] the documents.
    pair: f64,
    /// Of two items of one source.
    own_pair: f64,
    group: f64,
    dense: DenseThresholds,
}

impl Needed {
    fn of(thresholds: Thresholds, documents: usize) -> Self {
        let Thresholds { pair, group, dense, .. } = thresholds;
        Self { pair: thresholds.pair_among(documents), own_pair: pair, group, dense }
    }

    /// Of so many pairs of sources, when no pair of items is of one source.
    fn between(&self, source_pairs: f64) -> f64 {
        self.fallen(self.pair, source_pairs)
    }

    /// The same when that share of the pairs of items is of one source.
    fn in_all(&self, source_pairs: f64, own_share: f64) -> f64 {
        let between = self.between(source_pairs);
        if own_share <= 0.0 {
            return between;
        }
        let own = OWN_SOURCE * self.fallen(self.own_pair, source_pairs);
        between + (own - between) * own_share
    }

    fn fallen(&self, pair: f64, source_pairs: f64) -> f64 {
        let witnesses = if source_pairs > 1.0 { source_pairs.powf(GROUP_POWER) } else { 1.0 };
        self.group + (pair - self.group) / witnesses
    }
}

/// Documents as they are compared, each weighed when it first is: most only count towards the frequencies.
#[derive(Debug)]
pub(super) struct Comparison<'a> {
    documents: &'a [Document],
    frequencies: Frequencies,
    house_words: HouseWords,
    weighted: Vec<OnceLock<Weighted>>,
    /// `None`: nothing is compared by vectors.
    baseline: Option<Baseline>,
}

/// How two groups stand to each other that are alike at all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum PairRelation {
    /// Less than [`LINK`] of what one story needs.
    Apart,
    Linked,
    /// Alike enough for one story: by how much more than it has to be.
    OneStory {
        margin: f64,
    },
}

/// How alike two groups are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Likeness {
    /// By how much more than one story has to be.
    pub(super) margin: f64,
    similarity: f64,
    same_by_dense: bool,
}

/// Items that are told as one.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) members: Vec<usize>,
    pub(super) sum: Weighted,
    dense: Option<DenseSum>,
    first: Timestamp,
    last: Timestamp,
    /// By rising source, with the items of each.
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

    /// Both in one.
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
            sources: added_up(self.sources.into_iter().chain(other.sources).collect()),
            delivered: self.delivered || other.delivered,
            changed: self.changed || other.changed,
        }
    }

    /// Whether it is worth asking: they are that alike by words, or have vectors as well.
    pub(super) fn may_be_one(&self, other: &Self, sum: f64, least: f64) -> bool {
        sum >= least * self.size() * other.size() || (self.dense.is_some() && other.dense.is_some())
    }

    /// Whether the later one began while the earlier one was open.
    pub(super) fn is_in_reach(&self, other: &Self) -> bool {
        self.gap_ms(other) <= OPEN_DAYS * DAY_MS
    }

    #[expect(clippy::cast_precision_loss, reason = "sources of a story")]
    fn source_pairs(&self, other: &Self) -> f64 {
        self.sources.len() as f64 * other.sources.len() as f64
    }

    /// The share of the pairs of items that are of one source.
    fn own_share(&self, other: &Self) -> f64 {
        let (few, many) = if self.sources.len() <= other.sources.len() { (self, other) } else { (other, self) };
        let of_one = few.sources.iter().filter_map(|(source, items)| {
            let place = many.sources.binary_search_by_key(source, |(source, _)| *source).ok()?;
            Some(f64::from(*items) * f64::from(many.sources[place].1))
        });
        of_one.sum::<f64>() / (self.size() * other.size())
    }

    /// Days between the last item of the earlier one and the first of the later.
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of days")]
    fn gap_days(&self, other: &Self) -> f64 {
        self.gap_ms(other) as f64 / DAY_MS as f64
    }

    fn gap_ms(&self, other: &Self) -> i64 {
        (self.first - other.last).max(other.first - self.last).max(0)
    }
}

/// By rising source, each once.
fn added_up(mut sources: Vec<(SourceId, u32)>) -> Vec<(SourceId, u32)> {
    // Two lists in order are merged.
    sources.sort_by_key(|(source, _)| *source);
    sources.dedup_by(|(next, items), (source, sum)| {
        let is_same = next == source;
        *sum += if is_same { *items } else { 0 };
        is_same
    });
    sources
}

impl<'a> Comparison<'a> {
    pub(super) fn of(documents: &'a [Document]) -> Self {
        let vectors: Vec<&DenseVector> = documents.iter().filter_map(|d| d.dense.as_deref()).collect();
        Self {
            documents,
            frequencies: Frequencies::of(documents.iter().map(|d| &*d.features)),
            house_words: HouseWords::of(documents),
            weighted: vec![OnceLock::new(); documents.len()],
            baseline: Baseline::of(&vectors),
        }
    }

    /// What groups of these documents need to be one story.
    pub(super) fn needed(&self, thresholds: Thresholds) -> Needed {
        Needed::of(thresholds, self.frequencies.documents())
    }

    pub(super) fn get(&self, number: usize) -> &Weighted {
        self.weighted[number].get_or_init(|| {
            let document = &self.documents[number];
            let house_words = self.house_words.of_source(document.source);
            self.frequencies.weigh_without(&document.features, house_words)
        })
    }

    /// The bytes that the frequencies of terms take.
    pub(super) fn frequency_bytes(&self) -> usize {
        self.frequencies.bytes()
    }

    /// The group of these documents.
    pub(super) fn group(&self, members: Vec<usize>) -> Group {
        let of_members = || members.iter().map(|number| &self.documents[*number]);
        let times = || of_members().map(|document| document.time);
        let vectors = of_members().filter_map(|document| document.dense.as_deref());
        Group {
            sum: Weighted::sum(&members.iter().map(|number| self.get(*number)).collect::<Vec<_>>()),
            dense: self
                .baseline
                .and_then(|_| vectors.map(DenseSum::of).reduce(|one, other| one.plus(&other).unwrap_or(one))),
            first: times().min().unwrap_or_default(),
            last: times().max().unwrap_or_default(),
            sources: added_up(of_members().map(|document| (document.source, 1)).collect()),
            delivered: of_members().any(|document| document.delivered),
            changed: of_members().any(|document| document.cluster.is_none()),
            members,
        }
    }

    /// Documents that a model finds alike enough for one story, whatever their words, among those of the nearest times.
    pub(super) fn near(&self, number: usize) -> Vec<usize> {
        let (Some(baseline), Some(own)) = (self.baseline, self.documents[number].dense.as_deref()) else {
            return Vec::new();
        };
        let first = number.saturating_sub(LOOKED_THROUGH / 2);
        let last = number.saturating_add(LOOKED_THROUGH / 2).min(self.documents.len());
        let is_near = |other: &usize| {
            let cosine = self.documents[*other].dense.as_deref().and_then(|other| own.cosine(other));
            *other != number && cosine.is_some_and(|cosine| baseline.likeness(cosine) >= SAME_BY_DENSE)
        };
        (first..last).filter(is_near).collect()
    }

    /// How two groups stand to each other now. `sum` is that of the similarity of words over all pairs.
    pub(super) fn relation(&self, needed: &Needed, one: &Group, other: &Group, sum: f64) -> PairRelation {
        let (similarity, dense) = self.similarity(needed.dense, one, other, sum);
        let extra = if dense.is_some() { needed.dense.extra } else { 0.0 };
        if similarity < LINK * (needed.between(one.source_pairs(other)) + extra) {
            return PairRelation::Apart;
        }
        let likeness = self.likeness(needed, one, other, sum);
        likeness.map_or(PairRelation::Linked, |likeness| PairRelation::OneStory { margin: likeness.margin })
    }

    /// The mean over all pairs, and that of what their vectors say, where both have some.
    fn similarity(&self, dense: DenseThresholds, one: &Group, other: &Group, sum: f64) -> (f64, Option<f64>) {
        let words = sum / (one.size() * other.size());
        let cosines = self.dense_similarity(one, other);
        (cosines.map_or(words, |cosines| dense.weight * cosines + (1.0 - dense.weight) * words), cosines)
    }

    /// How alike two groups are, if that is enough for one story. `sum` is that of the similarity of words over all pairs.
    pub(super) fn likeness(&self, needed: &Needed, one: &Group, other: &Group, sum: f64) -> Option<Likeness> {
        let has_news = one.changed || other.changed;
        if !has_news || (one.delivered && other.delivered) || !one.is_in_reach(other) {
            return None;
        }
        let (similarity, dense) = self.similarity(needed.dense, one, other, sum);
        let extra = if dense.is_some() { needed.dense.extra } else { 0.0 };
        let (source_pairs, counting) =
            (one.source_pairs(other), similarity / (1.0 + one.gap_days(other) / HALVING_DAYS));
        // Most are far from it, and what comes after only makes it harder.
        if counting < needed.between(source_pairs) + extra {
            return None;
        }
        let margin = counting - needed.in_all(source_pairs, one.own_share(other)) - extra;
        let same_by_dense = dense.is_some_and(|dense| dense >= SAME_BY_DENSE);
        (margin >= 0.0).then_some(Likeness { margin, similarity, same_by_dense })
    }

    /// Whether what two groups share is a matter, and not only the likes of names.
    pub(super) fn is_one_story(one: &Group, other: &Group, likeness: Likeness) -> bool {
        likeness.same_by_dense || Self::same_matter(one, other, likeness.similarity)
    }

    fn dense_similarity(&self, one: &Group, other: &Group) -> Option<f64> {
        let cosine = one.dense.as_ref()?.mean_cosine(other.dense.as_ref()?)?;
        Some(self.baseline?.likeness(cosine))
    }

    /// Whether two groups share what a story is about. What they share must be more than the form of a publication, its number and
    /// its date, and more than names: those say where and who, not what.
    fn same_matter(one: &Group, other: &Group, similarity: f64) -> bool {
        let (mut words, mut names, mut plain, mut matters) = (0.0, 0, 0, 0);
        one.sum.shared(&other.sum, |mine, theirs| {
            let both = |part| mine.has(part) && theirs.has(part);
            names += usize::from(both(NAMES));
            if both(WORDS) {
                words += mine.word_product(theirs);
                let is_matter = mine.term.kind() == Kind::Matter;
                matters += usize::from(is_matter);
                plain += usize::from(is_matter && !mine.has(NAMES) && !theirs.has(NAMES));
            }
        });
        let lengths = one.sum.words_length() * other.sum.words_length();
        let enough = names >= NAMES_IN_COMMON || (lengths > 0.0 && words / lengths >= FEW_WORDS);
        let told = plain > 0 || matters >= MANY_MATTERS || similarity >= NAMES_ALONE;
        enough && matters >= MATTERS_IN_COMMON && told
    }
}

/// Terms in common that say what a story is about.
const MATTERS_IN_COMMON: usize = 2;
/// So many are more than a topic, even if all are names: in German every noun looks like one.
const MANY_MATTERS: usize = 5;

#[cfg(test)]
mod tests {
    use aha_core::thresholds::LOCAL_THRESHOLDS;

    use super::*;

    #[test]
    fn vectors_count_by_what_made_them() {
        assert_eq!(DenseThresholds::of("local-sparse-v1+static/0a#first512_v1/256"), DenseThresholds::OF_WEIGHTS);
        assert_eq!(DenseThresholds::of("openai/static/x#text_v1"), DenseThresholds::OF_A_MODEL);
        assert_eq!(Thresholds::shipped("local-sparse-v1"), LOCAL_THRESHOLDS);
    }

    #[test]
    fn more_sources_need_less_and_items_of_one_more() {
        let thresholds = Thresholds { pair: 0.25, group: 0.05, ..LOCAL_THRESHOLDS };
        let needed = |pairs, own| Needed::of(thresholds, 1_000).in_all(pairs, own);
        assert!((needed(1.0, 0.0) - 0.25).abs() < 1e-9 && (needed(1.0, 1.0) - 0.475).abs() < 1e-9);
        assert!(needed(4.0, 0.0) < 0.2 && needed(100.0, 0.0) < 0.1 && needed(1e9, 0.0) > 0.05);
        assert!(needed(4.0, 0.5) > needed(4.0, 0.0));
    }

    #[test]
    fn more_documents_need_more_within_bounds_and_items_of_one_source_the_same() {
        let needed = |documents, own| Needed::of(LOCAL_THRESHOLDS, documents).in_all(1.0, own);
        let across = [0, 10, 500, 1_000, 2_000, 1_000_000].map(|documents| needed(documents, 0.0));
        assert!(across.is_sorted() && (across[3] - 0.24).abs() < 1e-9);
        assert!((across[0] - 0.19).abs() < 1e-9 && (across[5] - 0.27).abs() < 1e-9);
        assert!([10, 500, 1_000_000].iter().all(|documents| (needed(*documents, 1.0) - 0.456).abs() < 1e-9));
    }
}
