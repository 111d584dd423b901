//! Whether one of two sentences denies what the other one states. Called by [`super::support`].

use std::collections::BTreeSet;

use aha_analysis::retrieval::contents;
use aha_content::stems::query_stems;

/// Words that deny what follows them, as does a word that ends in "n't".
const NEGATIONS: [&str; 6] = ["not", "no", "never", "none", "cannot", "without"];
/// Words with which a sentence can say the same as another one does with one of [`NEGATIONS`].
const OTHER_NEGATIONS: [&str; 12] = [
    "nothing",
    "nobody",
    "neither",
    "nor",
    "nowhere",
    "forbidden",
    "prohibited",
    "banned",
    "barred",
    "excluded",
    "refused",
    "denied",
];
/// Words that limit a denial or turn it around: what does not count unless it lasts counts only if it lasts, and what is
/// closed before nine is open from nine.
const QUALIFIERS: [&str; 22] = [
    "above", "after", "before", "below", "beyond", "but", "except", "free", "from", "once", "only", "other", "others",
    "outside", "over", "since", "under", "unless", "until", "up", "within", "inside",
];
/// Adverbs between a negation and what it denies, in addition to those in "-ly".
const ADVERBS: [&str; 4] = ["always", "ever", "even", "yet"];
/// How far behind a negation the "than" of a limit stands, in words.
const LIMIT_WORDS: usize = 5;

/// Returns whether exactly one of two sentences denies something, and the other one says it. "No longer than a metre"
/// is a limit, which another sentence may state in other words, as it may what other words qualify.
pub(super) fn contradict(one: &str, other: &str) -> bool {
    let (one, other) = (Statement::of(one), Statement::of(other));
    one.qualifiers == other.qualifiers && (one.denies(&other) || other.denies(&one))
}

#[derive(Default)]
struct Statement {
    stems: BTreeSet<String>,
    denials: Vec<Denial>,
    has_negation: bool,
    has_than: bool,
    qualifiers: BTreeSet<String>,
}

/// The stems of what is denied.
struct Denial {
    stems: BTreeSet<String>,
    /// A "than" follows.
    is_limit: bool,
}

impl Statement {
    fn of(sentence: &str) -> Self {
        let mut statement =
            Self { stems: contents(sentence).iter().flat_map(|word| query_stems(word)).collect(), ..Self::default() };
        // The cells of a row do not deny each other.
        for clause in sentence.split(['·', ';']) {
            let words: Vec<String> = clause.split_whitespace().map(plain).filter(|word| !word.is_empty()).collect();
            statement.add(&words);
        }
        statement
    }

    fn add(&mut self, words: &[String]) {
        for (at, word) in words.iter().enumerate() {
            let is_listed = |list: &[&str]| list.contains(&word.as_str());
            self.has_than |= word == "than";
            self.has_negation |= is_listed(&OTHER_NEGATIONS);
            if is_listed(&QUALIFIERS) {
                self.qualifiers.insert(word.clone());
            }
            if (is_listed(&NEGATIONS) || word.ends_with("n't")) && !is_exempt(&words[at..]) {
                self.has_negation = true;
                self.denials.push(Denial::at(words, at));
            }
        }
    }

    fn denies(&self, other: &Self) -> bool {
        let applies = |denial: &Denial| !denial.is_limit || other.has_than;
        let is_said = |denial: &Denial| applies(denial) && !denial.stems.is_disjoint(&other.stems);
        !other.has_negation && self.denials.iter().any(is_said)
    }
}

impl Denial {
    /// Returns what the negation at this place denies: the next word of content, with "no" and "without" the next two,
    /// which may be an adjective and a noun; at the end of a clause the word before it.
    fn at(words: &[String], at: usize) -> Self {
        let (before, after) = (&words[..at], &words[at + 1..]);
        let count = if matches!(words[at].as_str(), "no" | "without") { 2 } else { 1 };
        let mut denied: Vec<&String> = after.iter().filter(|word| is_denied(word)).take(count).collect();
        if denied.is_empty() {
            denied.extend(before.iter().rfind(|word| is_denied(word)));
        }
        Self {
            stems: denied.into_iter().flat_map(|word| query_stems(word)).collect(),
            is_limit: after.iter().take(LIMIT_WORDS).any(|word| word == "than"),
        }
    }
}

/// Returns a word in lower case without the marks around it.
fn plain(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('’', "'")
}

/// Whether the first of these words denies nothing: "no. 5", "not only".
fn is_exempt(words: &[String]) -> bool {
    let next = words.get(1).map_or("", String::as_str);
    match words.first().map_or("", String::as_str) {
        "no" => next.starts_with(|c: char| c.is_ascii_digit()),
        "not" => next == "only",
        _ => false,
    }
}

fn is_denied(word: &str) -> bool {
    !contents(word).is_empty() && !word.ends_with("ly") && !ADVERBS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::contradict;

    #[test]
    fn what_only_one_of_two_denies_contradicts() {
        for (one, other) in [
            ("Dogs are allowed on the pier.", "Dogs are not allowed on the pier."),
            ("Dogs aren’t always allowed on the pier.", "Dogs are allowed on the pier."),
            ("Guests may bring horses onto the upper deck.", "Guests cannot bring cats or horses onto the upper deck."),
            ("The paper may be older than ten days.", "The vet's paper must not be older than ten days."),
            ("Little Auk carries cars.", "Vessel: Little Auk · Passengers: 90 · Cars: none · Top speed: 11 knots"),
            ("Dogs are allowed unless they bark.", "Dogs are not allowed unless they bark."),
        ] {
            assert!(contradict(one, other) && contradict(other, one), "{one} / {other}");
        }
    }

    #[test]
    fn what_says_the_same_in_other_words_does_not() {
        for (one, other) in [
            ("Ten hours before a watch.", "No alcohol is drunk in the ten hours before a watch."),
            ("Dogs are never let onto the pier.", "Dogs are not let onto the pier."),
            ("Dogs are forbidden to enter the café.", "Dogs may not enter the café."),
            ("Vessels sail at most six knots.", "Near the shore no vessel sails faster than six knots."),
            ("Little Auk carries 90 passengers.", "Vessel: Little Auk · Passengers: 90 · Cars: none"),
            ("Little Auk has no cars.", "Vessel: Little Auk · Passengers: 90 · Cars: none"),
            ("Unused leave lapses on 30 April.", "Leave that is not taken lapses on 30 April of the next year."),
            ("Illness counts only if it lasts two days.", "Illness does not count unless it lasts two days."),
            ("Dogs may come aboard.", "Not only dogs may come aboard."),
            ("Guide dogs are let onto the pier.", "Dogs are not let onto the pier except guide dogs."),
            ("Cabins may be entered from 14:00.", "Cabins may not be entered before 14:00."),
            ("Refunds are given within ten days.", "No refunds are given after ten days."),
            ("Parcels up to 20 kg are accepted.", "Parcels over 20 kg are not accepted."),
            ("Only the keeper may be given the keys.", "Keys must not be given to anyone but the keeper."),
            ("In winter mooring is free for members.", "Members pay no mooring fee in winter."),
            ("The ferry may sail in fog once the pilot gives leave.", "It does not sail in fog until he gives leave."),
            ("Boats leave pier no. 5 at nine.", "Boats leave pier 5 at nine."),
        ] {
            assert!(!contradict(one, other) && !contradict(other, one), "{one} / {other}");
        }
    }
}
