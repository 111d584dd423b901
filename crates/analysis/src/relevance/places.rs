//! Countries, regions and towns, by whatever name: `models/places_v1.tsv`, made by `scripts/train/gazetteer.py` from CLDR and `GeoNames`.
//!
//! A reader who asks for a region means its countries, too; who asks for a country means its people and its capital.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::words::each_word;

static TABLE: &str = include_str!("../../../../models/places_v1.tsv");

/// The longest name that is looked for, in words.
pub(super) const LONGEST_NAME: usize = 5;

/// What a name counts for a place that was asked for; its own name and people count in full.
const TOWN_OF_COUNTRY: f64 = 0.4;
const COUNTRY_OF_REGION: f64 = 0.6;
const TOWN_OF_REGION: f64 = 0.3;
const COUNTRY_OF_TOWN: f64 = 0.5;
const TOWN_BESIDE_TOWN: f64 = 0.2;

/// The words of a name.
pub(crate) type Name = Vec<String>;

#[derive(Debug)]
struct Place {
    /// As it is told to a person: the first of its English names.
    title: String,
    /// Names and peoples.
    names: Vec<Name>,
    towns: Vec<Name>,
    /// Countries of a region.
    members: Vec<&'static str>,
}

/// What interests name: a country or region, or a town of a country.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlaceId {
    code: &'static str,
    town: Option<Name>,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Places {
    by_code: FxHashMap<&'static str, Place>,
    by_name: FxHashMap<Name, PlaceId>,
}

static PLACES: LazyLock<Places> = LazyLock::new(Places::read);

impl Places {
    pub(crate) fn shipped() -> &'static Self {
        &PLACES
    }

    fn read() -> Self {
        let mut places = Self { by_code: FxHashMap::default(), by_name: FxHashMap::default() };
        for line in TABLE.lines() {
            let fields: Vec<&'static str> = line.split('\t').collect();
            let [_, code, names, peoples, towns, members] = fields[..] else { continue };
            let listed = |field: &'static str| field.split('|').filter(|name| !name.is_empty());
            let words = |field: &'static str| listed(field).map(name).filter(|name| !name.is_empty());
            let place = Place {
                title: listed(names).next().unwrap_or(code).to_owned(),
                names: words(names).chain(words(peoples)).collect(),
                towns: words(towns).collect(),
                members: listed(members).collect(),
            };
            for name in &place.names {
                places.by_name.entry(name.clone()).or_insert(PlaceId { code, town: None });
            }
            places.by_code.insert(code, place);
        }
        // Towns after all countries: Luxembourg is a country first.
        for (code, place) in &places.by_code {
            for town in &place.towns {
                let known = places.by_name.get(town);
                // Of two towns of one name it is that of the first code, so that no order of a table decides.
                if known.is_none_or(|known| known.town.is_some() && *code < known.code) {
                    places.by_name.insert(town.clone(), PlaceId { code, town: Some(town.clone()) });
                }
            }
        }
        places
    }

    /// The place of the longest name with which the words begin, and of how many words it is.
    pub(crate) fn find(&self, words: &[&str]) -> Option<(PlaceId, usize)> {
        (1..=words.len().min(LONGEST_NAME)).rev().find_map(|length| {
            let name: Name = words[..length].iter().map(|word| (*word).to_owned()).collect();
            let singular = || match &name[..] {
                // The Iranians are Iran's.
                [one] => one.strip_suffix('s').and_then(|one| self.by_name.get(&[one.to_owned()][..])),
                _ => None,
            };
            self.by_name.get(&name).or_else(singular).map(|place| (place.clone(), length))
        })
    }

    /// The name of a place for a person.
    pub(super) fn title(&self, place: &PlaceId) -> String {
        let own = || self.by_code.get(place.code).map_or(place.code, |place| &place.title).to_owned();
        place.town.as_ref().map_or_else(own, |town| town.join(" "))
    }

    /// All names by which texts speak of a place, with what each counts for: 1 for its own, less for what is a part of it or around it.
    pub(crate) fn names(&'static self, place: &PlaceId) -> Vec<(&'static Name, f64)> {
        let mut found: FxHashMap<&'static Name, f64> = FxHashMap::default();
        let mut put = |names: &'static [Name], weight: f64| {
            for name in names {
                let known = found.entry(name).or_insert(weight);
                *known = known.max(weight);
            }
        };
        let Some(own) = self.by_code.get(place.code) else { return Vec::new() };
        if let Some(town) = &place.town {
            let named: &'static [Name] =
                own.towns.iter().position(|known| known == town).map_or(&[], |at| &own.towns[at..=at]);
            put(named, 1.0);
            put(&own.names, COUNTRY_OF_TOWN);
            put(&own.towns, TOWN_BESIDE_TOWN);
        } else {
            put(&own.names, 1.0);
            put(&own.towns, TOWN_OF_COUNTRY);
            for country in own.members.iter().filter_map(|code| self.by_code.get(code)) {
                put(&country.names, COUNTRY_OF_REGION);
                put(&country.towns, TOWN_OF_REGION);
            }
        }
        let mut names: Vec<(&'static Name, f64)> = found.into_iter().collect();
        names.sort_by(|a, b| a.0.cmp(b.0));
        names
    }
}

fn name(text: &str) -> Name {
    let mut words = Vec::new();
    // The table is in lower case, where `us` is a country's name.
    each_word(text, |word| words.push(if text == "us" || text == "u.s" { "usa".to_owned() } else { word.to_owned() }));
    words.dedup();
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(of: &str, name: &str) -> f64 {
        let places = Places::shipped();
        let words: Vec<&str> = of.split(' ').collect();
        let (place, length) = places.find(&words).unwrap();
        assert_eq!(length, words.len());
        let name: Name = name.split(' ').map(str::to_owned).collect();
        places.names(&place).into_iter().find(|(known, _)| **known == name).map_or(0.0, |(_, weight)| weight)
    }

    #[test]
    fn a_country_is_its_people_and_in_part_its_capital() {
        assert!((weight("iran", "iranian") - 1.0).abs() < f64::EPSILON);
        assert!((weight("iran", "tehran") - TOWN_OF_COUNTRY).abs() < f64::EPSILON);
        assert!((weight("iranians", "iran") - 1.0).abs() < f64::EPSILON);
        assert!((weight("usa", "american") - 1.0).abs() < f64::EPSILON);
        assert!(weight("iran", "iraqi").abs() < f64::EPSILON);
    }

    #[test]
    fn a_region_is_in_part_its_countries() {
        assert!((weight("latin america", "mexican") - COUNTRY_OF_REGION).abs() < f64::EPSILON);
        assert!((weight("naher osten", "israel") - COUNTRY_OF_REGION).abs() < f64::EPSILON);
        assert!((weight("sydney", "australia") - COUNTRY_OF_TOWN).abs() < f64::EPSILON);
    }

    #[test]
    fn the_longest_name_counts() {
        let places = Places::shipped();
        let (south_africa, length) = places.find(&["south", "africa", "votes"]).unwrap();
        assert_eq!((places.title(&south_africa).as_str(), length), ("south africa", 2));
    }
}
