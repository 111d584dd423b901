//! Takes apart a group in which two events of one kind came together: two bank robberies, two releases, two matches of a team.
//!
//! All items of such a group share what is usual for the matter, so over the whole topic they are alike. Therefore they are weighed
//! among themselves: a term that all of them have counts for nothing, one that half of them have tells two events apart. Then
//! average link finds the two halves, and they are two stories when little joins them.

use std::collections::HashMap;

use super::similarity::{Entry, PARTS, Weighted};

/// How much each part counts among the items of one group (words, names and numbers, opening).
const PART_WEIGHTS: [f64; PARTS] = [0.4, 0.3, 0.3];

/// Fewer items are no event of their own: what differs then is one text.
const LEAST_ITEMS: usize = 3;

/// Larger groups are left whole: every pair is compared.
const MOST_ITEMS: usize = 300;

/// Groups by what they fall into. Kept, so that each is taken apart once, whatever thresholds are tried.
#[derive(Debug, Default)]
pub(super) struct Splits(HashMap<Vec<usize>, Option<Halves>>);

impl Splits {
    /// The parts of a group, itself where it is one story. `members` are numbers, whose vectors `weighted` gives.
    pub(super) fn parts<'a>(
        &mut self,
        members: &[usize],
        weighted: &impl Fn(usize) -> &'a Weighted,
        threshold: f64,
    ) -> Vec<Vec<usize>> {
        let mut whole = Vec::new();
        let mut open = vec![members.to_vec()];
        while let Some(mut group) = open.pop() {
            group.sort_unstable();
            let known = self.0.entry(group.clone()).or_insert_with(|| halves(&group, weighted));
            match known.as_ref().filter(|halves| halves.joined < threshold) {
                Some(halves) => open.extend([halves.one.clone(), halves.other.clone()]),
                None => whole.push(group),
            }
        }
        whole.sort_unstable();
        whole
    }
}

#[derive(Debug)]
struct Halves {
    one: Vec<usize>,
    other: Vec<usize>,
    /// Mean similarity between the two.
    joined: f64,
}

fn halves<'a>(members: &[usize], weighted: &impl Fn(usize) -> &'a Weighted) -> Option<Halves> {
    if members.len() < 2 * LEAST_ITEMS || members.len() > MOST_ITEMS {
        return None;
    }
    let vectors: Vec<&Weighted> = members.iter().map(|member| weighted(*member)).collect();
    let alike = similarities(&vectors);
    let (one, other) = last_merge(&alike)?;
    let (one, other) = with_the_rest(&alike, &one, &other);
    let joined = mean_between(&alike, &one, &other);
    let numbers = |places: Vec<usize>| places.into_iter().map(|place| members[place]).collect();
    Some(Halves { one: numbers(one), other: numbers(other), joined })
}

/// What a text has of a term in a part: the text's place and the weight.
type Holder = (usize, f64);

/// All pairs' similarities among themselves.
fn similarities(vectors: &[&Weighted]) -> Vec<Vec<f64>> {
    let told = telling_terms(vectors);
    let mut lengths = vec![[0.0; PARTS]; vectors.len()];
    for (part, holders) in &told {
        for (place, weight) in holders {
            lengths[*place][*part] += weight * weight;
        }
    }
    let mut alike = vec![vec![0.0; vectors.len()]; vectors.len()];
    for (part, mut holders) in told {
        for (place, weight) in &mut holders {
            *weight *= (PART_WEIGHTS[part] / lengths[*place][part]).sqrt();
        }
        for (count, (place, weight)) in holders.iter().enumerate() {
            for (other, theirs) in &holders[..count] {
                alike[*place][*other] += weight * theirs;
                alike[*other][*place] += weight * theirs;
            }
        }
    }
    alike
}

/// By rising term and part, those that some have and not all, weighed by how few: the part, and its holders by rising place.
#[expect(clippy::cast_precision_loss, reason = "members of a story")]
fn telling_terms(vectors: &[&Weighted]) -> Vec<(usize, Vec<Holder>)> {
    let of_vector = |(place, vector): (usize, &&Weighted)| {
        vector.entries().map(|entry| (place, entry)).collect::<Vec<(usize, Entry)>>()
    };
    let mut entries: Vec<(usize, Entry)> = vectors.iter().enumerate().flat_map(of_vector).collect();
    entries.sort_by_key(|(_, entry)| entry.term);
    let mut told = Vec::new();
    for same in entries.chunk_by(|(_, one), (_, next)| one.term == next.term).filter(|same| same.len() > 1) {
        for part in 0..PARTS {
            let count = same.iter().filter(|(_, entry)| entry.has(part)).count();
            if count > 1 && count < vectors.len() {
                let rarity = (vectors.len() as f64 / count as f64).ln();
                let weighed = |(place, entry): &(usize, Entry)| (*place, f64::from(entry.weights[part]) * rarity);
                told.push((part, same.iter().filter(|(_, entry)| entry.has(part)).map(weighed).collect()));
            }
        }
    }
    told
}

/// By average link: the two groups of [`LEAST_ITEMS`] or more that are joined last. What joins later than that are single texts.
fn last_merge(alike: &[Vec<f64>]) -> Option<(Vec<usize>, Vec<usize>)> {
    let mut sums = alike.to_vec();
    let mut groups: Vec<Vec<usize>> = (0..alike.len()).map(|place| vec![place]).collect();
    let mut left: Vec<usize> = (0..alike.len()).collect();
    let mut last = None;
    while left.len() > 1 {
        let (one, other) = most_alike(&sums, &groups, &left);
        left.retain(|place| *place != other);
        for place in &left {
            let joined = sums[one][*place] + sums[other][*place];
            sums[one][*place] = joined;
            sums[*place][one] = joined;
        }
        if groups[one].len() >= LEAST_ITEMS && groups[other].len() >= LEAST_ITEMS {
            last = Some((groups[one].clone(), groups[other].clone()));
        }
        let joining = std::mem::take(&mut groups[other]);
        groups[one].extend(joining);
    }
    last
}

#[expect(clippy::cast_precision_loss, reason = "members of a story")]
fn most_alike(sums: &[Vec<f64>], groups: &[Vec<usize>], left: &[usize]) -> (usize, usize) {
    let mut best = (f64::MIN, 0, 0);
    for (at, one) in left.iter().enumerate() {
        for other in &left[at + 1..] {
            let mean = sums[*one][*other] / (groups[*one].len() * groups[*other].len()) as f64;
            if mean > best.0 {
                best = (mean, *one, *other);
            }
        }
    }
    (best.1, best.2)
}

/// Each other text goes with the half that it resembles more.
fn with_the_rest(alike: &[Vec<f64>], one: &[usize], other: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let (mut first, mut second) = (one.to_vec(), other.to_vec());
    for place in (0..alike.len()).filter(|place| !one.contains(place) && !other.contains(place)) {
        if mean_between(alike, &[place], one) > mean_between(alike, &[place], other) {
            first.push(place);
        } else {
            second.push(place);
        }
    }
    (first, second)
}

#[expect(clippy::cast_precision_loss, reason = "members of a story")]
fn mean_between(alike: &[Vec<f64>], one: &[usize], other: &[usize]) -> f64 {
    let sum: f64 = one.iter().map(|a| other.iter().map(|b| alike[*a][*b]).sum::<f64>()).sum();
    sum / (one.len() * other.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::super::features::Features;
    use super::super::similarity::Frequencies;
    use super::*;

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
        assert_eq!(parts(&TWO_RAIDS, 0.055), [vec![0, 1, 2], vec![3, 4, 5, 6]]);
    }

    #[test]
    fn one_event_and_a_few_texts_are_left_whole() {
        assert_eq!(parts(&TWO_RAIDS[..3], 0.9), [vec![0, 1, 2]]);
        let one = [
            "ferry lost power off Skerrow",
            "Skerrow ferry without power",
            "power lost, ferry waits",
            "the ferry off Skerrow waits",
            "ferry Skerrow power waits tug",
            "tug brings ferry, Skerrow",
        ];
        assert_eq!(parts(&one, 0.055).len(), 1);
    }
}
