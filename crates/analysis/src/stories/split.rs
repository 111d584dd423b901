//! Takes apart a group in which events of one kind came together: two bank robberies, two releases, two matches of a team.
//!
//! Comes in: the members of a group that average link put together, and their vectors. Goes out: the parts that are stories. Called by
//! `cluster.rs` for groups with something new.
//!
//! All items of such a group share what is usual for the matter, so over the whole topic they are alike. Therefore they are weighed
//! among themselves: a term that all of them have counts for little, one that half of them have tells two events apart. Then average
//! link goes as far as that likeness carries it. Large groups are halved first: they are two stories when little joins the halves.

use std::collections::HashMap;

use super::features::PARTS;
use super::similarity::{Entry, Weighted};

/// How much each part counts among the items of one group (words, names and numbers, opening).
const PART_WEIGHTS: [f64; PARTS] = [0.4, 0.3, 0.3];

/// Of two items nothing can be said: each term is either one's or both's.
const LEAST_WEIGHED: usize = 3;

/// Larger groups are halved, as what is left of their terms when they are weighed among so many is what few texts have.
const MOST_WEIGHED: usize = 40;

/// A half of fewer items is no event of its own: what differs then is one text.
const LEAST_ITEMS: usize = 3;

/// Larger groups are left whole: every pair is compared.
const MOST_ITEMS: usize = 300;

/// The share of the threshold at which an item that stays alone goes back to the part that it resembles most.
const BACK: f64 = 0.5;

/// Likenesses within groups. Kept, so that each is worked out once, whatever thresholds are tried.
#[derive(Debug, Default)]
pub(super) struct Splits {
    likenesses: HashMap<Vec<usize>, Likenesses>,
    halves: HashMap<Vec<usize>, Option<Halves>>,
}

/// By two places of members, how alike they are among themselves.
type Likenesses = Vec<Vec<f64>>;

impl Splits {
    /// The parts of a group, itself where it is one story. `members` are numbers, whose vectors `weighted` gives.
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
            if group.len() < LEAST_WEIGHED {
                parts.push(group);
            } else if group.len() <= MOST_WEIGHED {
                let known = self.likenesses.entry(group.clone());
                let alike = known.or_insert_with(|| similarities(&vectors(&group, weighted)));
                parts.extend(linked(alike, threshold).into_iter().map(|places| numbers(&group, places)));
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

/// The members at these places, rising.
fn numbers(members: &[usize], mut places: Vec<usize>) -> Vec<usize> {
    places.sort_unstable();
    places.into_iter().map(|place| members[place]).collect()
}

/// By average link, what holds together at the threshold; single items go back to the nearest part where half of that joins them.
fn linked(alike: &Likenesses, threshold: f64) -> Vec<Vec<usize>> {
    let mut linking = Linking::of(alike);
    while linking.merge(threshold).is_some() {}
    let (single, mut parts): (Vec<_>, Vec<_>) = linking.groups().partition(|group| group.len() == 1);
    let held = parts.clone();
    for item in single {
        let joined = |(part, of_part): (usize, &Vec<usize>)| (mean_between(alike, &item, of_part), part);
        let nearest = held.iter().enumerate().map(joined).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        match nearest.filter(|(joined, _)| *joined >= BACK * threshold) {
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
    if members.len() > MOST_ITEMS {
        return None;
    }
    let alike = similarities(&vectors(members, weighted));
    let (one, other) = last_merge(&alike)?;
    let (one, other) = with_the_rest(&alike, &one, &other);
    let joined = mean_between(&alike, &one, &other);
    Some(Halves { one: numbers(members, one), other: numbers(members, other), joined })
}

/// What a text has of a term in a part: the text's place and the weight.
type Holder = (usize, f64);

/// All pairs' similarities among themselves.
fn similarities(vectors: &[&Weighted]) -> Likenesses {
    let told = telling_terms(vectors);
    let mut lengths = vec![[0.0; PARTS]; vectors.len()];
    for (part, postings) in &told {
        for (place, weight) in postings {
            lengths[*place][*part] += weight * weight;
        }
    }
    let mut alike = vec![vec![0.0; vectors.len()]; vectors.len()];
    for (part, mut postings) in told {
        for (place, weight) in &mut postings {
            *weight *= (PART_WEIGHTS[part] / lengths[*place][part]).sqrt();
        }
        for (count, (place, weight)) in postings.iter().enumerate() {
            for (other, theirs) in &postings[..count] {
                alike[*place][*other] += weight * theirs;
                alike[*other][*place] += weight * theirs;
            }
        }
    }
    alike
}

/// By rising term and part, those that several have, weighed by how few: the part, and the places that have it, rising. What all have counts
/// for little and not for nothing, or copies of one text would be unlike.
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
            if count > 1 {
                let rarity = ((vectors.len() + 1) as f64 / count as f64).ln();
                let weighed = |(place, entry): &(usize, Entry)| (*place, f64::from(entry.weights[part]) * rarity);
                told.push((part, same.iter().filter(|(_, entry)| entry.has(part)).map(weighed).collect()));
            }
        }
    }
    told
}

/// By average link: the two groups of [`LEAST_ITEMS`] or more that are joined last. What joins later than that are single texts.
fn last_merge(alike: &Likenesses) -> Option<(Vec<usize>, Vec<usize>)> {
    let (mut linking, mut last) = (Linking::of(alike), None);
    while let Some((one, other)) = linking.merge(f64::MIN) {
        if one.len() >= LEAST_ITEMS && other.len() >= LEAST_ITEMS {
            last = Some((one, other));
        }
    }
    last
}

/// Average link over all pairs of a few items.
struct Linking {
    /// Between two groups, by their places, the sum over all pairs of members.
    sums: Likenesses,
    groups: Vec<Vec<usize>>,
    /// The places of the groups that are left.
    left: Vec<usize>,
}

impl Linking {
    fn of(alike: &Likenesses) -> Self {
        let places = 0..alike.len();
        Self { sums: alike.clone(), groups: places.clone().map(|place| vec![place]).collect(), left: places.collect() }
    }

    /// Joins the two groups that are most alike, and gives what they were; `None` where no two are as alike as the least.
    fn merge(&mut self, least: f64) -> Option<(Vec<usize>, Vec<usize>)> {
        let (one, other) = self.most_alike(least)?;
        self.left.retain(|place| *place != other);
        for place in &self.left {
            let joined = self.sums[one][*place] + self.sums[other][*place];
            self.sums[one][*place] = joined;
            self.sums[*place][one] = joined;
        }
        let (before, joining) = (self.groups[one].clone(), std::mem::take(&mut self.groups[other]));
        self.groups[one].extend_from_slice(&joining);
        Some((before, joining))
    }

    #[expect(clippy::cast_precision_loss, reason = "members of a story")]
    fn most_alike(&self, least: f64) -> Option<(usize, usize)> {
        let (mut best, mut found) = (least, None);
        for (at, one) in self.left.iter().enumerate() {
            for other in &self.left[at + 1..] {
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

/// Each other text goes with the half that it resembles more.
fn with_the_rest(alike: &Likenesses, one: &[usize], other: &[usize]) -> (Vec<usize>, Vec<usize>) {
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
fn mean_between(alike: &Likenesses, one: &[usize], other: &[usize]) -> f64 {
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
