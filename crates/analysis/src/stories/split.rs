//! Splits a group that contains several events of one kind: two bank robberies, two releases, two matches of a team.
//!
//! Input: the members of a group formed by average link, and their vectors. Output: the parts that are stories. Called
//! by `cluster.rs` for groups with new items.
//!
//! All items of such a group share the typical words of their subject, so they are similar within the whole topic.
//! Therefore they are weighted among themselves: a term that all of them have counts little, and one that half of them
//! have separates two events. Average link is then applied to that similarity. Large groups are first halved: they are
//! two stories if the halves are dissimilar.

use std::collections::HashMap;

use crate::text::features::PARTS;
use crate::text::similarity::{Entry, Weighted};

/// The weight of each part among the items of one group (words, names and numbers, opening).
const PART_WEIGHTS: [f64; PARTS] = [0.4, 0.3, 0.3];

/// With two items nothing can be decided: each term belongs to one or to both.
const MIN_WEIGHTED: usize = 3;

/// Larger groups are halved, because weighting among so many leaves only terms that few texts have.
const MAX_WEIGHTED: usize = 40;

/// A smaller half is not a separate event: what differs then is a single text.
const MIN_ITEMS: usize = 3;

/// Larger groups are not split, because every pair is compared.
const MAX_ITEMS: usize = 300;

/// The share of the threshold at which a single item returns to the most similar part.
const REJOIN_SHARE: f64 = 0.5;

/// Similarities within groups, cached so that each is computed once for all thresholds.
#[derive(Debug, Default)]
pub(super) struct Splits {
    matrices: HashMap<Vec<usize>, SimilarityMatrix>,
    halves: HashMap<Vec<usize>, Option<Halves>>,
}

/// Similarities of members, by two member positions.
type SimilarityMatrix = Vec<Vec<f64>>;

impl Splits {
    /// Returns the parts of a group; the group itself if it is one story. `members` are item numbers, and
    /// `weighted` returns their vectors.
    pub(super) fn parts<'a>(
        &mut self,
        members: &[usize],
        weighted: &impl Fn(usize) -> &'a Weighted,
        threshold: f64,
    ) -> Vec<Vec<usize>> {
        let mut parts = Vec::new();
        let mut open = vec![members.to_vec()];
        while let Some(mut group) = open.pop() {
            group.sort_unstable();
            if group.len() < MIN_WEIGHTED {
                parts.push(group);
            } else if group.len() <= MAX_WEIGHTED {
                let known = self.matrices.entry(group.clone());
                let matrix = known.or_insert_with(|| similarities(&vectors(&group, weighted)));
                parts.extend(linked(matrix, threshold).into_iter().map(|indexes| numbers(&group, indexes)));
            } else {
                let known = self.halves.entry(group.clone()).or_insert_with(|| halves(&group, weighted));
                match known.as_ref().filter(|halves| halves.joined < threshold) {
                    Some(halves) => open.extend([halves.one.clone(), halves.other.clone()]),
                    None => parts.push(group),
                }
            }
        }
        parts.sort_unstable();
        parts
    }
}

fn vectors<'a>(members: &[usize], weighted: &impl Fn(usize) -> &'a Weighted) -> Vec<&'a Weighted> {
    members.iter().map(|member| weighted(*member)).collect()
}

/// Returns the members at these positions, ascending.
fn numbers(members: &[usize], mut indexes: Vec<usize>) -> Vec<usize> {
    indexes.sort_unstable();
    indexes.into_iter().map(|index| members[index]).collect()
}

/// Applies average link with the threshold. Single items return to the most similar part if their similarity is at
/// least half of it.
fn linked(matrix: &SimilarityMatrix, threshold: f64) -> Vec<Vec<usize>> {
    let mut linking = Linking::of(matrix);
    while linking.merge(threshold).is_some() {}
    let (single, mut parts): (Vec<_>, Vec<_>) = linking.groups().partition(|group| group.len() == 1);
    let kept_parts = parts.clone();
    for item in single {
        let joined = |(part, of_part): (usize, &Vec<usize>)| (mean_between(matrix, &item, of_part), part);
        let nearest = kept_parts.iter().enumerate().map(joined).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        match nearest.filter(|(joined, _)| *joined >= REJOIN_SHARE * threshold) {
            Some((_, part)) => parts[part].extend(item),
            None => parts.push(item),
        }
    }
    parts
}

#[derive(Debug)]
struct Halves {
    one: Vec<usize>,
    other: Vec<usize>,
    /// Mean similarity between the two.
    joined: f64,
}

fn halves<'a>(members: &[usize], weighted: &impl Fn(usize) -> &'a Weighted) -> Option<Halves> {
    if members.len() > MAX_ITEMS {
        return None;
    }
    let matrix = similarities(&vectors(members, weighted));
    let (one, other) = last_merge(&matrix)?;
    let (one, other) = assign_rest(&matrix, &one, &other);
    let joined = mean_between(&matrix, &one, &other);
    Some(Halves { one: numbers(members, one), other: numbers(members, other), joined })
}

/// A text with a term in a part: its position and the weight.
type Posting = (usize, f64);

/// Returns the similarities of all pairs, weighted among themselves.
fn similarities(vectors: &[&Weighted]) -> SimilarityMatrix {
    let terms = shared_terms(vectors);
    let mut lengths = vec![[0.0; PARTS]; vectors.len()];
    for (part, postings) in &terms {
        for (index, weight) in postings {
            lengths[*index][*part] += weight * weight;
        }
    }
    let mut matrix = vec![vec![0.0; vectors.len()]; vectors.len()];
    for (part, mut postings) in terms {
        for (index, weight) in &mut postings {
            *weight *= (PART_WEIGHTS[part] / lengths[*index][part]).sqrt();
        }
        for (count, (index, weight)) in postings.iter().enumerate() {
            for (other, other_weight) in &postings[..count] {
                matrix[*index][*other] += weight * other_weight;
                matrix[*other][*index] += weight * other_weight;
            }
        }
    }
    matrix
}

/// Returns the terms that several texts have, by ascending term and part, weighted by rarity: the part, and the texts
/// that have it, ascending. A term that all have counts little but not zero, otherwise copies of one text would be
/// dissimilar.
#[expect(clippy::cast_precision_loss, reason = "members of a story")]
fn shared_terms(vectors: &[&Weighted]) -> Vec<(usize, Vec<Posting>)> {
    let of_vector = |(index, vector): (usize, &&Weighted)| {
        vector.entries().map(|entry| (index, entry)).collect::<Vec<(usize, Entry)>>()
    };
    let mut entries: Vec<(usize, Entry)> = vectors.iter().enumerate().flat_map(of_vector).collect();
    entries.sort_by_key(|(_, entry)| entry.term);
    let mut terms = Vec::new();
    for same in entries.chunk_by(|(_, one), (_, next)| one.term == next.term).filter(|same| same.len() > 1) {
        for part in 0..PARTS {
            let count = same.iter().filter(|(_, entry)| entry.has(part)).count();
            if count > 1 {
                let rarity = ((vectors.len() + 1) as f64 / count as f64).ln();
                let weighed = |(index, entry): &(usize, Entry)| (*index, f64::from(entry.weights[part]) * rarity);
                terms.push((part, same.iter().filter(|(_, entry)| entry.has(part)).map(weighed).collect()));
            }
        }
    }
    terms
}

/// Returns the last two groups of at least [`MIN_ITEMS`] that average link joins. Later merges only add single texts.
fn last_merge(matrix: &SimilarityMatrix) -> Option<(Vec<usize>, Vec<usize>)> {
    let (mut linking, mut last) = (Linking::of(matrix), None);
    while let Some((one, other)) = linking.merge(f64::MIN) {
        if one.len() >= MIN_ITEMS && other.len() >= MIN_ITEMS {
            last = Some((one, other));
        }
    }
    last
}

/// Average link over all pairs of a few items.
struct Linking {
    /// The sum of similarity over all pairs of members of two groups.
    sums: SimilarityMatrix,
    groups: Vec<Vec<usize>>,
    /// Indexes of the remaining groups.
    remaining: Vec<usize>,
}

impl Linking {
    fn of(matrix: &SimilarityMatrix) -> Self {
        let indexes = 0..matrix.len();
        Self {
            sums: matrix.clone(),
            groups: indexes.clone().map(|index| vec![index]).collect(),
            remaining: indexes.collect(),
        }
    }

    /// Merges the two most similar groups and returns them as they were; `None` if no mean similarity reaches
    /// `min_mean`.
    fn merge(&mut self, min_mean: f64) -> Option<(Vec<usize>, Vec<usize>)> {
        let (one, other) = self.most_similar(min_mean)?;
        self.remaining.retain(|index| *index != other);
        for index in &self.remaining {
            let joined = self.sums[one][*index] + self.sums[other][*index];
            self.sums[one][*index] = joined;
            self.sums[*index][one] = joined;
        }
        let (before, joining) = (self.groups[one].clone(), std::mem::take(&mut self.groups[other]));
        self.groups[one].extend_from_slice(&joining);
        Some((before, joining))
    }

    #[expect(clippy::cast_precision_loss, reason = "members of a story")]
    fn most_similar(&self, min_mean: f64) -> Option<(usize, usize)> {
        let (mut best, mut found) = (min_mean, None);
        for (at, one) in self.remaining.iter().enumerate() {
            for other in &self.remaining[at + 1..] {
                let mean = self.sums[*one][*other] / (self.groups[*one].len() * self.groups[*other].len()) as f64;
                if mean > best || (found.is_none() && mean >= best) {
                    (best, found) = (mean, Some((*one, *other)));
                }
            }
        }
        found
    }

    fn groups(self) -> impl Iterator<Item = Vec<usize>> {
        self.groups.into_iter().filter(|group| !group.is_empty())
    }
}

/// Assigns each other text to the more similar half.
fn assign_rest(matrix: &SimilarityMatrix, one: &[usize], other: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let (mut first, mut second) = (one.to_vec(), other.to_vec());
    for index in (0..matrix.len()).filter(|index| !one.contains(index) && !other.contains(index)) {
        if mean_between(matrix, &[index], one) > mean_between(matrix, &[index], other) {
            first.push(index);
        } else {
            second.push(index);
        }
    }
    (first, second)
}

#[expect(clippy::cast_precision_loss, reason = "members of a story")]
fn mean_between(matrix: &SimilarityMatrix, one: &[usize], other: &[usize]) -> f64 {
    let sum: f64 = one.iter().map(|a| other.iter().map(|b| matrix[*a][*b]).sum::<f64>()).sum();
    sum / (one.len() * other.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::features::Features;
    use crate::text::similarity::Frequencies;

    fn parts(texts: &[&str], threshold: f64) -> Vec<Vec<usize>> {
        let items: Vec<Features> = texts.iter().map(|text| Features::of(None, text)).collect();
        let snapshot = Frequencies::of(&items);
        let weighted: Vec<Weighted> = items.iter().map(|item| snapshot.weigh(item)).collect();
        let members: Vec<usize> = (0..texts.len()).collect();
        Splits::default().parts(&members, &|number| &weighted[number], threshold)
    }

    const TWO_RAIDS: [&str; 7] = [
        "navy warship captured pirates gulf, the Mysore took 23 near Gibe",
        "pirates captured by navy warship in the gulf: Mysore and 23 of them, Gibe safe",
        "gulf: navy captured pirates, warship Mysore saved the Gibe from 23",
        "navy warship captured pirates gulf, the Sukanya took 26 in November",
        "pirates captured by navy warship in the gulf: Sukanya and 26 of them, November",
        "gulf: navy captured pirates, warship Sukanya, November, 26 arrested",
        "the Sukanya and the navy captured 26 pirates in the gulf, a warship",
    ];

    #[test]
    fn two_events_of_one_kind_are_taken_apart() {
        assert_eq!(parts(&TWO_RAIDS, 0.06), [vec![0, 1, 2], vec![3, 4, 5, 6]]);
    }

    #[test]
    fn copies_stay_together_however_many() {
        for count in [3, 7, 60] {
            assert_eq!(parts(&vec![TWO_RAIDS[0]; count], 0.5).len(), 1, "{count}");
        }
    }

    #[test]
    fn one_event_and_a_few_texts_are_left_whole() {
        assert_eq!(parts(&TWO_RAIDS[..2], 0.9), [vec![0, 1]]);
        assert_eq!(parts(&TWO_RAIDS[..3], 0.06), [vec![0, 1, 2]]);
        let one = [
            "ferry lost power off Skerrow",
            "Skerrow ferry without power",
            "power lost, ferry waits",
            "the ferry off Skerrow waits",
            "ferry Skerrow power waits tug",
            "tug brings ferry, Skerrow",
        ];
        assert_eq!(parts(&one, 0.06).len(), 1);
    }
}
