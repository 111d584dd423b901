//! Checks whether a sentence that a model wrote is supported by the passages that it cites, by words, numbers, names
//! and negations, and which of them it may cite.

use std::collections::BTreeSet;

use aha_analysis::retrieval::{StatedDuration, contents, durations, numbers};
use aha_content::sentences::sentences;
use aha_content::stems::{each_index_word, query_stems, text_stems};

use super::negation::contradict;

/// Minimum share of the sentence's content words that occur in the passages or the question.
const MIN_SUPPORTED_SHARE: f64 = 0.6;
/// Minimum share of them that a cited passage has, if it has no number or name of the sentence.
const MIN_CITED_SHARE: f64 = 1.0 / 3.0;
/// Words for parts of a whole, and in which stems and signs a passage can have them.
const FRACTIONS: [(&str, &[&str]); 6] = [
    ("half", &["half", "halv", "½"]),
    ("halves", &["half", "halv", "½"]),
    ("third", &["third", "3rd", "⅓"]),
    ("thirds", &["third", "⅓", "⅔"]),
    ("quarter", &["quarter", "¼"]),
    ("quarters", &["quarter", "¼", "¾"]),
];
/// Ordinal numbers of which a passage may have the word without "the" before it.
const WORDED_ORDINALS: [(&str, &str); 3] = [("1st", "first"), ("2nd", "second"), ("3rd", THIRD)];
const THIRD: &str = "third";
const PERCENT: [&str; 6] = ["%", "percent", "per cent", "prozent", "pour cent", "por ciento"];

/// A passage that was sent to a model.
#[derive(Debug, Clone, Default)]
pub(super) struct SentPassage {
    /// The title of its document and the name of its section, a line each.
    pub(super) headings: String,
    pub(super) text: String,
    /// The year of its document; empty if it is unknown.
    pub(super) year: String,
}

/// Returns which of the cited passages support the sentence, by index; none if they do not support it. They do if all
/// its numbers occur in them, all its names and at least [`MIN_SUPPORTED_SHARE`] of its content words in them or in the
/// question, and if the sentence of theirs that is most like it neither denies what it says nor says what it denies.
/// The sentence's first word is not checked as a name.
pub(super) fn supporting(sentence: &str, question: &str, cited: &[&SentPassage]) -> Vec<usize> {
    let known: Vec<Known<'_>> = cited.iter().map(|passage| Known::of(passage)).collect();
    let said = known_durations(sentence, &known);
    let is_converted = |word: &String| said.iter().any(|duration| duration.words.contains(word));
    let all_words = contents(sentence);
    let words: Vec<BTreeSet<String>> =
        all_words.iter().filter(|word| !is_converted(word)).map(|word| query_stems(word)).collect();
    let all: BTreeSet<String> =
        known.iter().flat_map(|known| known.stems.iter().cloned()).chain(text_stems(question)).collect();
    let is_supported = !all_words.is_empty()
        && has_numbers(sentence, question, &said, &known)
        && names(sentence).into_iter().all(|name| is_known(name, &all))
        && (words.is_empty() || ratio(met(&words, &all), words.len()) >= MIN_SUPPORTED_SHARE)
        && !is_contradicted(sentence, &words, &known);
    if is_supported { relevant(sentence, &words, &known) } else { Vec::new() }
}

/// A cited passage, prepared for comparison.
struct Known<'p> {
    numbers: BTreeSet<String>,
    /// The lengths of its durations.
    durations: BTreeSet<String>,
    year: &'p str,
    /// Of its headings and its text.
    stems: BTreeSet<String>,
    sentences: Vec<(&'p str, BTreeSet<String>)>,
    has_percent: bool,
}

impl<'p> Known<'p> {
    fn of(passage: &'p SentPassage) -> Self {
        let lines = || passage.headings.lines().chain(passage.text.lines());
        let sentences: Vec<(&str, BTreeSet<String>)> =
            passage.text.lines().flat_map(sentences).map(|sentence| (sentence, text_stems(sentence))).collect();
        let in_text = sentences.iter().flat_map(|(_, stems)| stems.iter().cloned());
        Self {
            numbers: lines().flat_map(numbers).collect(),
            durations: lines().flat_map(durations).map(|duration| duration.length).collect(),
            year: &passage.year,
            stems: in_text.chain(text_stems(&passage.headings)).collect(),
            has_percent: lines().any(has_percent),
            sentences,
        }
    }
}

/// Returns whether all numbers, fractions and percentages of the sentence occur in the passages; beside one of theirs, a
/// number may be the question's. `said`: its durations that are as long as one of theirs, in any unit.
fn has_numbers(sentence: &str, question: &str, said: &[StatedDuration], known: &[Known<'_>]) -> bool {
    let is_number = |number: &String| {
        let is_known = |known: &Known<'_>| known.numbers.contains(number) || known.year == number;
        known.iter().any(is_known) || is_worded_ordinal(number, sentence, known)
    };
    let mut converted: Vec<&String> = said.iter().flat_map(|duration| &duration.numbers).collect();
    let (stated, asked) = (numbers(sentence), numbers(question));
    let mut known_ones = stated.iter().filter(|number| is_number(number)).chain(converted.iter().copied());
    let has_one = known_ones.any(|number| !asked.contains(number));
    // Each number of a duration counts once: 30 minutes say nothing of 30 euros.
    let mut is_converted = |word: &str| {
        let place = converted.iter().position(|number| number.as_str() == word);
        place.map(|place| converted.remove(place)).is_some()
    };
    let are_known =
        stated.iter().all(|number| is_number(number) || is_converted(number) || has_one && asked.contains(number));
    let mut has_fractions = true;
    each_index_word(sentence, |word| {
        if let Some((_, forms)) = FRACTIONS.iter().find(|(fraction, _)| *fraction == word) {
            let is_known = known.iter().any(|known| forms.iter().any(|form| known.stems.contains(*form)));
            has_fractions &= is_known || is_converted(word);
        }
    });
    let has_share = !has_percent(sentence) || known.iter().any(|known| known.has_percent);
    has_fractions && has_share && are_known
}

/// Returns those durations of the sentence that are as long as one of the passages.
fn known_durations(sentence: &str, known: &[Known<'_>]) -> Vec<StatedDuration> {
    let is_known = |one: &StatedDuration| known.iter().any(|known| known.durations.contains(&one.length));
    durations(sentence).into_iter().filter(is_known).collect()
}

/// Whether the sentence has this ordinal number in letters, and so has a passage.
fn is_worded_ordinal(number: &str, sentence: &str, known: &[Known<'_>]) -> bool {
    let word = WORDED_ORDINALS.iter().find(|(ordinal, _)| *ordinal == number).map(|(_, word)| *word);
    let is_in_letters = !sentence.contains(number);
    let has = |known: &Known<'_>, word: &str| {
        let in_order = || known.sentences.iter().any(|(text, _)| has_third_in_order(text));
        known.stems.contains(word) && (word != THIRD || in_order())
    };
    word.is_some_and(|word| is_in_letters && known.iter().any(|known| has(known, word)))
}

/// Matches "Third parties pay", "a third-party seller". "A third of the boats" is a part.
fn has_third_in_order(text: &str) -> bool {
    let lower = text.to_lowercase();
    lower.match_indices(THIRD).any(|(at, _)| {
        let rest = &lower[at + THIRD.len()..];
        rest.starts_with([' ', '-']) && !rest.starts_with(" of ")
    })
}

fn has_percent(text: &str) -> bool {
    let lower = text.to_lowercase();
    PERCENT.iter().any(|percent| lower.contains(percent))
}

/// Returns whether all sentences that share the most words with this one contradict it. A single word says nothing.
fn is_contradicted(sentence: &str, words: &[BTreeSet<String>], known: &[Known<'_>]) -> bool {
    let all = known.iter().flat_map(|known| &known.sentences);
    let shared: Vec<(usize, &str)> = all.map(|(other, stems)| (met(words, stems), *other)).collect();
    let most = shared.iter().map(|(count, _)| *count).max().unwrap_or(0);
    let mut likest = shared.iter().filter(|(count, _)| *count == most);
    words.len() > 1 && most > 0 && likest.all(|(_, other)| contradict(sentence, other))
}

/// Returns the passages that share a number, a duration, a name or [`MIN_CITED_SHARE`] of the words with the sentence; if
/// none does, the one with the most words of it.
fn relevant(sentence: &str, words: &[BTreeSet<String>], known: &[Known<'_>]) -> Vec<usize> {
    let (numbers, names, durations) = (numbers(sentence), names(sentence), durations(sentence));
    let is_relevant = |known: &Known<'_>| {
        numbers.iter().any(|number| known.numbers.contains(number))
            || durations.iter().any(|duration| known.durations.contains(&duration.length))
            || names.iter().any(|name| is_known(name, &known.stems))
            || ratio(met(words, &known.stems), words.len()) >= MIN_CITED_SHARE
    };
    let kept: Vec<usize> = (0..known.len()).filter(|at| is_relevant(&known[*at])).collect();
    if kept.is_empty() {
        // Of equal ones the first, which is the likeliest.
        return (0..known.len()).rev().max_by_key(|at| met(words, &known[*at].stems)).into_iter().collect();
    }
    kept
}

/// Returns how many words have one of their stems among these.
fn met(words: &[BTreeSet<String>], stems: &BTreeSet<String>) -> usize {
    words.iter().filter(|word| !word.is_disjoint(stems)).count()
}

/// Returns the words with a capital letter, except the first of the sentence, without a possessive ending.
fn names(sentence: &str) -> Vec<&str> {
    let words = sentence.split_whitespace().skip(1);
    let plain = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let is_name = |word: &&str| word.chars().count() > 1 && word.starts_with(char::is_uppercase);
    let without_possessive =
        |word| ["'s", "’s"].into_iter().find_map(|ending| str::strip_suffix(word, ending)).unwrap_or(word);
    plain.filter(is_name).map(without_possessive).collect()
}

/// Returns whether each part of a name (`Anglo-Dutch` has two) is among the stems.
fn is_known(name: &str, stems: &BTreeSet<String>) -> bool {
    let mut is_known = true;
    each_index_word(name, |part| is_known &= !query_stems(part).is_disjoint(stems));
    is_known
}

#[expect(clippy::cast_precision_loss, reason = "words of a sentence")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests {
    use super::{SentPassage, supporting};

    const PASSAGE: &str =
        "The mooring fee is seven euros a night. The Harbour Master of Stennhamn collects it at 18:30.";

    fn passage(headings: &str, text: &str) -> SentPassage {
        SentPassage { headings: headings.to_owned(), text: text.to_owned(), year: String::new() }
    }

    fn passage_of(text: &str) -> SentPassage {
        passage("", text)
    }

    fn is_supported(sentence: &str, question: &str, passages: &[&str]) -> bool {
        let passages: Vec<SentPassage> = passages.iter().map(|text| passage("", text)).collect();
        !supporting(sentence, question, &passages.iter().collect::<Vec<_>>()).is_empty()
    }

    #[test]
    fn words_numbers_and_names_have_to_stand_in_the_passages() {
        let question = "What does mooring cost in winter 2026?";
        let supported = |sentence| is_supported(sentence, question, &[PASSAGE]);
        assert!(supported("Mooring costs seven euros a night."));
        assert!(supported("The fee is 7 euros, collected at 18:30 by the Harbour Master."));
        assert!(!supported("Mooring costs nine euros a night."), "another number");
        assert!(!supported("Mooring costs 2026 euros a night."), "a number of the question");
        assert!(!supported("The fee is collected by the office of Lerwick."), "another name");
        assert!(!supported("Boats are painted blue and sold abroad every spring."), "other words");
        assert!(!supported(""));
        assert!(supporting("Mooring costs seven euros a night.", question, &[]).is_empty());
    }

    #[test]
    fn names_are_compared_by_words_in_any_case() {
        let passages = ["The keeper's office takes seven euros a night from the Anglo-Dutch fleet."];
        let supported = |sentence, question| is_supported(sentence, question, &passages);
        assert!(!supported("The night in Lerwick's office takes seven euros.", "What does a night cost?"));
        assert!(supported("A night in Lerwick takes seven euros.", "what does lerwick take a night?"));
        assert!(!supported("The office of Ann takes seven euros a night.", "What is the Annual office?"));
        assert!(supported("The office takes seven euros from the Anglo-Dutch fleet.", "What does it take?"));
        assert!(!supported("The office takes seven euros from the Anglo-Danish fleet.", "What does it take?"));
    }

    #[test]
    fn numbers_in_words_are_numbers() {
        let said = "The harbour owes forty crowns for 2 million boats, a third of them old, and pays 25 % of it.";
        let supported = |sentence| is_supported(sentence, "What does the harbour owe and pay?", &[said]);
        assert!(supported("The harbour owes forty crowns.") && supported("The harbour owes 40 crowns."));
        assert!(!supported("The harbour owes thirty crowns."));
        assert!(
            supported("The harbour owes for 2 million boats.") && supported("The harbour owes for 2,000,000 boats.")
        );
        assert!(!supported("The harbour owes for 2 billion boats.") && !supported("The harbour owes for 2 boats."));
        assert!(supported("A third of the boats are old.") && !supported("Half of the boats are old."));
        assert!(supported("The harbour pays 25 percent of it."));
        assert!(!is_supported("The harbour pays 25 percent.", "What?", &["The harbour pays 25 crowns."]));
    }

    #[test]
    fn durations_and_ordinals_are_compared_in_any_form() {
        let passage = "A break lasts half an hour, costs 20 crowns and ends on the third of May. The harbour pays the \
                       2nd boat within two weeks.";
        let supported = |sentence| is_supported(sentence, "How long is a break at the harbour?", &[passage]);
        assert!(supported("A break lasts 30 minutes.") && supported("A break lasts half an hour."));
        assert!(!supported("A break lasts 40 minutes.") && !supported("A break lasts 30 hours."));
        assert!(!supported("A break lasts 30 minutes and costs 30 crowns."), "a duration says nothing of a price");
        assert!(supported("A break ends on the 3rd of May.") && !supported("A break ends on the 4th of May."));
        assert!(!supported("A break ends on the fourth of May."));
        assert!(supported("The harbour pays the second boat within 14 days."));
        assert!(!supported("The harbour pays the second boat within 15 days."));
        assert!(!supported("The harbour pays the fifth boat within two weeks."));
        let minutes = ["A break lasts 30 minutes. A third of the boats pay first."];
        let supported = |sentence| is_supported(sentence, "How long is a break?", &minutes);
        assert!(supported("A break lasts half an hour.") && !supported("A break lasts an hour and a half."));
        assert!(!supported("The third of the boats pay first."), "a part is no number");
        let third = ["A third party pays 20 crowns."];
        assert!(is_supported("The third party pays 20 crowns.", "Who pays?", &third));
        let (boats, half) = (passage_of("Boats pay first."), passage_of("A break lasts half an hour."));
        assert_eq!(supporting("30 minutes.", "How long is a break?", &[&boats, &half]), [1]);
    }

    #[test]
    fn what_a_passage_denies_is_not_supported() {
        let passages = ["Dogs are not allowed on the north pier. Cats are allowed on the south pier."];
        let supported = |sentence| is_supported(sentence, "Where are dogs allowed?", &passages);
        assert!(!supported("Dogs are allowed on the north pier."));
        assert!(
            supported("Dogs are not allowed on the north pier.") && supported("Cats are allowed on the south pier.")
        );
        assert!(!supported("Cats are not allowed on the south pier."));
    }

    #[test]
    fn headings_and_the_year_of_a_document_count() {
        let seat = SentPassage { year: "2026".to_owned(), ..passage("Prices\nDeck 3", "A seat costs seven euros.") };
        let supported = |sentence| supporting(sentence, "What does a seat cost?", &[&seat]) == [0];
        assert!(supported("A seat on deck 3 costs seven euros.") && supported("A seat costs seven euros in 2026."));
        assert!(!supported("A seat on deck 4 costs seven euros.") && !supported("A seat costs seven euros in 2025."));
    }

    #[test]
    fn only_passages_that_say_something_of_the_sentence_stay_cited() {
        let lamps = passage("Lights", "The lamp on the pier is lit from dusk until midnight.");
        let (fee, master) = (passage("Fees", PASSAGE), passage("Staff", "Stennhamn has an office."));
        let kept = |sentence| supporting(sentence, "What does mooring cost?", &[&lamps, &fee, &master]);
        assert_eq!(kept("Mooring costs seven euros a night."), [1]);
        assert_eq!(kept("The fee of Stennhamn is collected at night."), [1, 2]);
    }
}
