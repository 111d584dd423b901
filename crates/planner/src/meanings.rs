//! Groups of synonyms, for records that are referred to by words other than those in their titles: "ring the dentist"
//! for "Call the dentist".
//!
//! Called by [`super::matching`] if no title contains the words themselves. A group contains only words that would not
//! be used for two different records: "call" and "meeting" are not synonyms.

/// Groups of words separated by spaces, in the form that [`super::matching::tokens`] returns.
const GROUPS: [&str; 34] = [
    "call ring phone telephone",
    "buy purchase get",
    "pay settle",
    "book reserve",
    "check review inspect",
    "renew extend renewal",
    "meeting appointment catchup sync",
    "appointment visit checkup",
    "meditate meditation",
    "run jog jogging",
    "bin trash rubbish garbage waste",
    "plant flower houseplant",
    "bill invoice",
    "electricity power",
    "flight plane ticket",
    "quarterly quarter",
    "contract agreement",
    "dentist dental",
    "doctor gp physician",
    "mum mom mother",
    "dad father",
    "email mail",
    "text message",
    "clean tidy",
    "shop shopping grocery grocerie",
    "flat apartment",
    "car vehicle",
    "bike bicycle",
    "gym workout",
    "trip journey",
    "photo picture",
    "present gift",
    "film movie",
    "holiday vacation",
];

/// Returns whether the two words are in the same group.
#[must_use]
pub fn same_meaning(a: &str, b: &str) -> bool {
    GROUPS.iter().any(|group| {
        let has = |word: &str| group.split(' ').any(|one| one == word);
        has(a) && has(b)
    })
}

#[cfg(test)]
mod tests {
    use super::same_meaning;

    #[test]
    fn words_of_one_group_mean_the_same() {
        assert!(same_meaning("ring", "call") && same_meaning("power", "electricity"));
        assert!(!same_meaning("call", "meeting") && !same_meaning("milk", "bread"));
    }
}
