//! Words that mean the same in a plan, for records that are named by other words than their titles: "ring the dentist" for "Call the dentist".
//!
//! Called by [`super::matching`] where no title holds the words themselves. Only words that nobody would use for two different records stand
//! together: "call" and "meeting" do not.

/// Groups of words, each parted by spaces, as [`super::matching::tokens`] has them.
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

/// Whether the two words stand in one group.
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
