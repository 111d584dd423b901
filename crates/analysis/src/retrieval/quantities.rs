//! What a text counts, and how many: of two sentences about the same thing, a newer one replaces an older one if their
//! numbers of it differ. Called by [`super::recency`].

use std::collections::{BTreeMap, BTreeSet};

use super::duration_words::with_whole_units;
use super::vocabulary::{digits, words};
use crate::text::tokens::snowball_stem;

/// Signs of currencies, which stand before the number.
const CURRENCIES: [&str; 3] = ["£", "€", "$"];

/// The numbers in a text by the stem of the counted word, and sums by the sign of their currency.
pub(super) type Quantities = BTreeMap<String, BTreeSet<String>>;

pub(super) fn quantities(text: &str) -> Quantities {
    let all = with_whole_units(words(text));
    let mut found = Quantities::new();
    for (number, what) in all.iter().zip(all.iter().skip(1)) {
        if let (Some(number), None) = (digits(number), digits(what)) {
            found.entry(snowball_stem(what).into_owned()).or_default().insert(number);
        }
    }
    for currency in CURRENCIES {
        let sums = text.split(currency).skip(1).filter_map(|sum| words(sum.trim_start()).into_iter().next());
        let sums: BTreeSet<String> = sums.filter(|sum| sum.starts_with(|c: char| c.is_ascii_digit())).collect();
        if !sums.is_empty() {
            found.insert(currency.to_owned(), sums);
        }
    }
    found
}

/// Returns whether both count the same thing and share no number of it.
pub(super) fn differ(one: &Quantities, other: &Quantities) -> bool {
    one.iter().any(|(what, numbers)| other.get(what).is_some_and(|others| numbers.is_disjoint(others)))
}

/// Returns whether one of them is a sum of money with the sign of its currency.
pub(super) fn has_sum(quantities: &Quantities) -> bool {
    quantities.keys().any(|what| CURRENCIES.contains(&what.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_thing_with_another_number_differs() {
        let differs = |one, other| differ(&quantities(one), &quantities(other));
        assert!(differs("A night costs nine euros.", "A night costs 11 euros."));
        assert!(!differs("Divers found 40 octopuses.", "Divers found 900 sponges."));
        assert!(!differs("It opens for six hours.", "It opens for 6 hours and two days."));
        assert!(!differs("It is open.", "It is open for nine hours."));
        assert!(
            differs("Add 50 g of salt.", "Add 60 grams of salt.") && !differs("It is 5 km.", "It is 5 kilometres.")
        );
        assert!(differs("It costs £68,400.", "The bill is £81,250.") && !differs("It costs £5.", "It costs €6."));
    }
}
