//! An analysed question: its terms, the requested kind, and its focus.

use std::collections::HashSet;

use super::codes::{Code, codes};
use super::foreign_kinds;
use super::kinds::{Kind, wanted};
use super::language::Language;
use super::names::names;
use super::overview::{Overview, OverviewKind};
use super::second_half::SecondHalf;
use super::values::Value;
use super::vocabulary::{contents_in_digits, digits, is_content, is_year, words};
use crate::text::tokens::snowball_stem;

/// A question; see the module.
#[derive(Debug, Clone)]
pub struct Question {
    pub text: String,
    /// Content words in lower case, without duplicates.
    pub terms: Vec<String>,
    pub wanted: Option<Kind>,
    /// The number or name that it asks for.
    pub(super) value: Option<Value>,
    /// The terms that name the requested thing: "calories" in "how many calories does it have".
    pub(super) focus: HashSet<String>,
    /// Its language, if that is not English.
    pub(super) language: Option<Language>,
    /// Identifiers, versions and quoted strings.
    pub(super) codes: Vec<Code>,
    /// The terms that only indicate the kind of answer: "euros", "heavy" in "how heavy", "IP address".
    kind_words: HashSet<String>,
    /// Names and years, in lower case.
    pub(super) names: Vec<String>,
    /// When it is asked, in Unix milliseconds, if that is known.
    pub(super) asked_at: Option<i64>,
    /// Set if it asks about a subject as a whole.
    pub(super) overview: Option<Overview>,
    /// Set if it asks for two things.
    pub(super) second_half: Option<SecondHalf>,
}

impl Question {
    #[must_use]
    pub fn new(text: &str) -> Self {
        let language = Language::of(text);
        let wanted = language.map_or_else(|| wanted(text), |_| foreign_kinds::wanted(text));
        let is_own = |word: &String| wanted.is_some_and(|kind| kind.own_words().contains(&word.as_str()));
        let is_plain_kind = |word: &str| is_measure(word) || GENERIC.contains(&word);
        // "What is the fee?" asks for an amount.
        let is_plain = |overview: &Overview| overview.kind != OverviewKind::Definition || wanted.is_none();
        let overview = Overview::of(text).filter(is_plain);
        // "Anything" and "happened" are no words of the texts that tell of the subject.
        let of_subject = overview.as_ref().filter(|overview| overview.kind != OverviewKind::Definition);
        Self {
            text: text.to_owned(),
            terms: of_subject.map_or_else(|| content_terms(text, language), Overview::terms),
            wanted,
            value: Value::of(text, wanted),
            focus: focus(text).into_iter().filter(|word| !is_plain_kind(word) && !is_own(word)).collect(),
            kind_words: kind_words(text, wanted, language),
            language,
            codes: codes(text),
            names: names(text).into_iter().filter(|word| !is_own(word)).collect(),
            asked_at: None,
            overview,
            second_half: SecondHalf::of(text, language),
        }
    }

    /// Returns whether a text has the kind of thing that is asked for; `None` if no kind is.
    pub(super) fn kind_is_in(&self, text: &str) -> Option<bool> {
        let is_in = |kind: Kind| kind.is_in(text) || self.language.is_some() && foreign_kinds::is_in(kind, text);
        self.wanted.map(is_in)
    }

    /// Returns whether it asks about a subject as a whole.
    #[must_use]
    pub const fn is_about_whole_subject(&self) -> bool {
        self.overview.is_some()
    }

    /// Returns the words to search for: without those that only indicate the kind of answer, if there are others.
    #[must_use]
    pub fn search_words(&self) -> Vec<&str> {
        let words = || self.terms.iter().map(String::as_str);
        let naming: Vec<&str> = words().filter(|word| !self.is_kind_word(word)).collect();
        if naming.is_empty() { words().collect() } else { naming }
    }

    /// Sets the time at which it is asked, in Unix milliseconds. Documents with a later date are yet to come into
    /// force.
    #[must_use]
    pub fn asked_at(self, millis: i64) -> Self {
        Self { asked_at: Some(millis), ..self }
    }

    /// Returns whether it only names a subject that it asks about as a whole, so that a text that does not name the
    /// subject is about something else. "Explain the rule on notes" asks for a property, as do "crossing prices".
    pub(super) fn only_names_subject(&self) -> bool {
        let is_of_measure = |word: &String| is_measure(word) || word.strip_suffix('s').is_some_and(is_measure);
        self.overview.as_ref().is_some_and(|overview| {
            overview.kind != OverviewKind::Definition
                && overview.only_names()
                && !overview.terms().last().is_some_and(is_of_measure)
        })
    }

    /// Returns whether it asks for neither a thing of a kind nor a number or name, as "does" and "may" do.
    pub(super) fn asks_no_value(&self) -> bool {
        self.wanted.is_none() && self.value.is_none()
    }

    /// Returns whether it asks how many of a thing there are, and a text counts it: "at most 2,000 pages".
    pub(super) fn counts_focus(&self, text: &str) -> bool {
        if self.wanted != Some(Kind::Number) || self.focus.is_empty() {
            return false;
        }
        let words = words(text);
        let is_counted = |at: usize| (1..=2).any(|before| at >= before && digits(&words[at - before]).is_some());
        let focus: HashSet<_> = self.focus.iter().map(|word| snowball_stem(word)).collect();
        words.iter().enumerate().any(|(at, word)| focus.contains(&snowball_stem(word)) && is_counted(at))
    }

    /// Returns whether a term only indicates the kind of answer, so that a sentence with a thing of that kind need not
    /// have it.
    pub(super) fn is_kind_word(&self, term: &str) -> bool {
        self.kind_words.contains(term)
    }

    /// Returns the years in the question: a question about an old state may be answered by an old document.
    pub(super) fn years(&self) -> HashSet<&str> {
        self.terms.iter().map(String::as_str).filter(|term| is_year(term)).collect()
    }
}

/// Words that end the focus.
const ENDS: [&str; 48] = [
    "is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "could", "may", "might", "must",
    "should", "will", "would", "be", "there", "i", "we", "you", "they", "it", "a", "an", "the", "my", "our", "your",
    "of", "for", "in", "on", "at", "to", "from", "by", "with", "before", "after", "until", "per", "as", "that", "who",
    "which",
];

/// Measure words: they indicate the kind of answer, not its subject.
const MEASURES: [&str; 29] = [
    "people", "persons", "hours", "minutes", "days", "weeks", "months", "years", "seconds", "euros", "dollars",
    "percent", "time", "times", "money", "much", "cost", "costs", "price", "amount", "share", "part", "number",
    "charged", "pay", "paid", "nights", "hour", "day",
];

pub(super) fn is_measure(word: &str) -> bool {
    MEASURES.contains(&word)
}

/// Returns the content words of a question, without those that have no content in its language.
fn content_terms(text: &str, language: Option<Language>) -> Vec<String> {
    let has_content = |word: &String| !language.is_some_and(|language| language.is_function_word(word));
    contents_in_digits(text).into_iter().filter(has_content).collect()
}

/// Words before the name of the kind in other languages than English: "welche Firma".
const BEFORE_KIND: [&str; 11] =
    ["welche", "welchem", "welchen", "welcher", "welches", "quel", "quelle", "quels", "quelles", "qué", "cuál"];
/// Words before what is counted, which is the subject unless it is a unit: "wie viele Stunden".
const BEFORE_COUNTED: [&str; 7] = ["viel", "viele", "wieviele", "cuánto", "cuánta", "cuántos", "cuántas"];
/// Words that ask whether something may be done.
const PERMISSIONS: [&str; 12] = [
    "erlaubt",
    "gestattet",
    "verboten",
    "möglich",
    "nötig",
    "zulässig",
    "permis",
    "autorisé",
    "interdit",
    "permitido",
    "prohibido",
    "posible",
];

/// Words that only say what sort of thing is asked about, as long as others say which.
const GENERIC: [&str; 24] = [
    "code",
    "codes",
    "command",
    "error",
    "errors",
    "flag",
    "happens",
    "happen",
    "least",
    "mean",
    "means",
    "message",
    "messages",
    "option",
    "options",
    "parameter",
    "release",
    "setting",
    "settings",
    "status",
    "value",
    "variable",
    "version",
    "versions",
];

/// Verbs that say little in a question whether something may be done or is so: "May I use flash?" is about flash.
const LIGHT_VERBS: [&str; 4] = ["make", "makes", "use", "uses"];
/// First words of such a question.
const ASKING_WHETHER: [&str; 15] =
    ["am", "are", "can", "could", "did", "do", "does", "has", "have", "is", "may", "must", "shall", "should", "will"];

/// Returns the verbs of a question whether something may be done that say little, if other words say what.
fn light_verbs(words: &[String]) -> Vec<String> {
    let is_light = |word: &&String| LIGHT_VERBS.contains(&word.as_str());
    let asks_whether = words.first().is_some_and(|word| ASKING_WHETHER.contains(&word.as_str()));
    let has_others = || words.iter().any(|word| is_content(word) && !is_light(&word));
    if asks_whether && has_others() { words.iter().filter(is_light).cloned().collect() } else { Vec::new() }
}

/// Returns the words of a question that only indicate the kind it asks for.
fn kind_words(text: &str, wanted: Option<Kind>, language: Option<Language>) -> HashSet<String> {
    let words = words(text);
    if language.is_some() {
        let follows = |at: usize, list: &[&str]| at > 0 && list.contains(&words[at - 1].as_str());
        let is_named = |word: &str| wanted.is_some_and(|kind| foreign_kinds::names_kind(kind, word));
        let indicates = |(at, word): &(usize, &String)| {
            follows(*at, &BEFORE_KIND) && is_named(word)
                || follows(*at, &BEFORE_COUNTED) && foreign_kinds::is_unit(word)
                || follows(*at, &["wie"]) && wanted.is_some()
                || PERMISSIONS.contains(&word.as_str())
        };
        return words.iter().enumerate().filter(indicates).map(|(_, word)| word.clone()).collect();
    }
    let is_own = |word: &str| wanted.is_some_and(|kind| kind.own_words().contains(&word));
    let follows_how = |at: usize| wanted.is_some() && at > 0 && words[at - 1] == "how";
    let indicating = words.iter().enumerate().filter(|(at, word)| is_measure(word) || is_own(word) || follows_how(*at));
    let mut found: HashSet<String> = indicating.map(|(_, word)| word.clone()).collect();
    found.extend(light_verbs(&words));
    let is_generic = |word: &&String| GENERIC.contains(&word.as_str());
    let has_others = words.iter().any(|word| is_content(word) && !is_generic(&word) && !found.contains(word));
    if has_others {
        found.extend(words.iter().filter(is_generic).cloned());
    }
    found
}

fn focus(text: &str) -> Vec<String> {
    let words = words(text);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is = |at: usize, list: &[&str]| words.get(at).is_some_and(|word| list.contains(word));
    let words_from = |at: usize| {
        let rest = words.iter().skip(at);
        rest.take_while(|word| !ENDS.contains(word)).map(|word| (*word).to_owned()).collect::<Vec<_>>()
    };
    for at in 0..words.len() {
        if is(at, &["how"]) && is(at + 1, &["many", "much"]) {
            let named = words_from(at + 2);
            if !named.is_empty() {
                return named;
            }
            let thing = if is(at + 2, &["is", "are"]) { all_from(&words, at + 3) } else { Vec::new() };
            // "How much does it weigh": the last word is the focus.
            return if thing.is_empty() {
                words.last().copied().map(str::to_owned).into_iter().collect()
            } else {
                thing
            };
        }
    }
    for at in 0..words.len() {
        let is_of_thing = is(at, &["what", "which"]) && is(at + 1, &["is", "was", "are", "were"]);
        if is_of_thing && is(at + 2, &["the", "our", "a", "an", "my", "your"]) {
            return words_from(at + 3);
        }
        if is(at, &["what", "which"]) {
            return words_from(at + 1);
        }
    }
    Vec::new()
}

/// Returns all words from a place on, without an article before them, if none of them ends a focus: "parental leave" in
/// "how much is parental leave".
fn all_from(words: &[&str], at: usize) -> Vec<String> {
    let is_article = |word: &&&str| ["the", "a", "an", "our", "my", "your"].contains(*word);
    let thing: Vec<&str> = words.iter().skip(at).skip_while(is_article).copied().collect();
    if thing.iter().any(|word| ENDS.contains(word)) {
        Vec::new()
    } else {
        thing.into_iter().map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn focus_of(text: &str) -> Vec<String> {
        let mut focus: Vec<String> = Question::new(text).focus.into_iter().collect();
        focus.sort();
        focus
    }

    #[test]
    fn words_for_the_kind_of_answer_are_neither_names_nor_the_thing_asked_for() {
        let question = Question::new("What is the IP address of mango?");
        assert!(question.names.is_empty() && question.focus.is_empty());
        assert!(question.is_kind_word("ip") && question.is_kind_word("address") && !question.is_kind_word("mango"));
        assert!(Question::new("How heavy is the anchor?").is_kind_word("heavy"));
        assert_eq!(focus_of("What is the address of the harbour?"), ["address"]);
    }

    #[test]
    fn what_is_counted_or_chosen_in_another_language_is_no_word_for_the_kind() {
        let asked = |text| Question::new(text).search_words().into_iter().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(asked("Wie viele Kräne liegen im Hafen?"), ["kräne", "liegen", "hafen"]);
        assert_eq!(asked("Wie viele Stunden ist der Hafen offen?"), ["hafen", "offen"]);
        assert_eq!(asked("Wie hoch ist die Gebühr für den Hafen?"), ["gebühr", "hafen"]);
        assert_eq!(asked("Wie teuer ist der Hafen?"), ["hafen"]);
        assert_eq!(asked("Welches Boot liegt im Hafen?"), ["boot", "liegt", "hafen"]);
        assert_eq!(asked("An welchem Tag liegt es im Hafen?"), ["liegt", "hafen"]);
        assert_eq!(asked("Welche Firma wartet die Pumpe?"), ["wartet", "pumpe"]);
        assert_eq!(asked("Quel bateau est dans le port ?"), ["bateau", "port"]);
    }

    #[test]
    fn a_verb_that_says_little_is_not_what_is_asked_about() {
        let question = Question::new("May I use flash in the chapel?");
        assert!(question.is_kind_word("use") && !question.is_kind_word("flash"));
        assert!(!Question::new("Does it make use of it?").is_kind_word("use"), "nothing else says what is asked about");
        assert!(!Question::new("Who makes the anchors?").is_kind_word("makes"));
        assert_eq!(Question::new("Wer macht im Hafen den Winterdienst?").terms, ["hafen", "winterdienst"]);
    }

    #[test]
    fn what_is_asked_for_is_found() {
        assert_eq!(focus_of("How many free berths are there at the quay?"), ["berths", "free"]);
        assert_eq!(focus_of("How much does an anchor weigh?"), ["weigh"]);
        assert_eq!(focus_of("How much is the parental leave?"), ["leave", "parental"]);
        assert_eq!(focus_of("How much are the boats thought to cost?"), Vec::<String>::new());
        let names_subject = |text| Question::new(text).only_names_subject();
        assert!(names_subject("Tell me about Project Heron") && names_subject("What is new this week?"));
        assert!(!names_subject("Explain the rule on doctor's notes") && !names_subject("Describe crossing prices"));
        assert!(!names_subject("Tell me about when days lapse") && !names_subject("What is Rota?"));
        assert_eq!(focus_of("What is the radio channel of the harbour?"), ["channel", "radio"]);
        assert_eq!(focus_of("Which company paints the hull?"), ["company", "paints"]);
        assert!(focus_of("When does the office open?").is_empty());
    }
}
