//! The entities of `local`: places, organisations and persons that a text identifies, found by rules.
//!
//! Input: a story's texts. Output: names, each with the sentence that identifies it. A name that no rule can classify
//! is left out, because its type would be a guess. In languages other than English the rules find little.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};

use super::SummaryInput;
use super::word_lists::{
    NAME_PARTICLES, NON_NAMES, OFFICES, ORG_PREFIXES, ORG_SUFFIXES, PLACE_PREFIXES, PLACE_PREPOSITIONS, PLACE_SUFFIXES,
    SPEECH_VERBS, TITLES, WEAK_PLACE_PREPOSITIONS,
};
use crate::tasks::summary::quote::whole_sentences;

/// Maximum entities of a story, in order of first mention.
const MAX_ENTITIES: usize = 12;
/// Maximum characters of the sentence given with an entity.
const CONTEXT_CHARS: usize = 200;
/// Maximum words of a name; a longer run of capitalised words is a headline.
const MAX_WORDS: usize = 6;

static TICKER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?:^|\s)\$([A-Z]{1,5})\b").ok());
static PAPER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\barXiv:(\d{4}\.\d{4,5})").ok());

/// A run of capitalised words, with the words before and after it.
struct Run<'a> {
    words: Vec<&'a str>,
    before: &'a str,
    after: &'a str,
}

/// What is known of a name so far.
struct Found {
    kind: &'static str,
    context: String,
    /// Rank of its first mention.
    first: usize,
    /// Found only after a preposition that suggests a place but does not prove one.
    is_weak: bool,
}

/// Returns an answer to the task, without the four stamped fields; `None` where no entity is found.
pub(in crate::tasks) fn named(input: &SummaryInput) -> Option<Value> {
    let mut found: BTreeMap<String, Found> = BTreeMap::new();
    for sentence in input.texts.iter().flat_map(|(_, text)| whole_sentences(text)) {
        for (name, kind, is_weak) in of_sentence(sentence) {
            let first = found.len();
            let context = || sentence.trim().chars().take(CONTEXT_CHARS).collect();
            let known = found.entry(name).or_insert_with(|| Found { kind, context: context(), first, is_weak });
            // A second mention, or stronger evidence.
            if known.is_weak && (known.first != first || !is_weak) {
                (known.kind, known.is_weak) = (kind, false);
            }
        }
    }
    found.retain(|_, entity| !entity.is_weak);
    let names: Vec<String> = found.keys().cloned().collect();
    found.retain(|name, _| !names.iter().any(|longer| longer.ends_with(&format!(" {name}"))));
    let mut entities: Vec<(String, Found)> = found.into_iter().collect();
    entities.sort_by_key(|(_, entity)| entity.first);
    let entities: Vec<Value> = entities
        .into_iter()
        .take(MAX_ENTITIES)
        .map(|(name, Found { kind, context, .. })| json!({ "name": name, "type": kind, "context": context }))
        .collect();
    (!entities.is_empty()).then(|| json!({ "entities": entities }))
}

/// Returns names with their types, and whether each needs further evidence.
fn of_sentence(sentence: &str) -> Vec<(String, &'static str, bool)> {
    let code_patterns = [(&TICKER, "ticker"), (&PAPER, "paper")];
    let mut found: Vec<(String, &'static str, bool)> = Vec::new();
    for (pattern, kind) in code_patterns {
        let matches = pattern.iter().flat_map(|pattern| pattern.captures_iter(sentence));
        found.extend(matches.filter_map(|captures| Some((captures.get(1)?.as_str().to_owned(), kind, false))));
    }
    for run in runs(sentence) {
        found.extend(run.classify());
    }
    found
}

fn runs(sentence: &str) -> Vec<Run<'_>> {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let mut runs = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let end = end_of_run(&words, at);
        if end == at {
            at += 1;
            continue;
        }
        let mut named: Vec<&str> = words[at..end].iter().map(|word| without_punctuation(word)).collect();
        let leading = named.iter().take_while(|word| NON_NAMES.contains(word)).count();
        named.drain(..leading);
        // The first word of a sentence is always capitalised.
        let is_opening = at + leading == 0 && named.len() == 1;
        if !named.is_empty() && named.len() <= MAX_WORDS && !is_opening {
            let begin = at + leading;
            let before = if begin == 0 { "" } else { words[begin - 1] };
            runs.push(Run { words: named, before, after: words.get(end).copied().unwrap_or("") });
        }
        at = end;
    }
    runs
}

/// Returns the end of the run of capitalised words that begins at an index; the index itself where none begins.
fn end_of_run(words: &[&str], begin: usize) -> usize {
    let mut end = begin;
    while end < words.len() {
        let joins = NAME_PARTICLES.contains(&words[end]) && words.get(end + 1).is_some_and(|next| is_capitalised(next));
        if !(is_capitalised(words[end]) || (end > begin && joins)) {
            break;
        }
        end += 1;
        if ends_run(words[end - 1]) {
            break;
        }
    }
    end
}

fn is_capitalised(word: &str) -> bool {
    without_punctuation(word).starts_with(char::is_uppercase)
}

/// Whether a word ends a run, because of its punctuation.
fn ends_run(word: &str) -> bool {
    !TITLES.contains(&word) && word.ends_with([',', '.', ';', ':', '!', '?', ')', '”', '"', '’', '\''])
}

/// Returns a word without surrounding punctuation and without the genitive ending.
fn without_punctuation(word: &str) -> &str {
    if TITLES.contains(&word) {
        return word;
    }
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}

impl Run<'_> {
    fn classify(&self) -> Option<(String, &'static str, bool)> {
        let titles = self.words.iter().take_while(|word| TITLES.contains(word)).count();
        let (first, last, name) = (self.words[0], self.words[self.words.len() - 1], self.words[titles..].join(" "));
        let (is_multi_word, short) = (self.words.len() > 1, self.words.len() <= 3);
        let is_joined = self.words.iter().any(|word| NAME_PARTICLES.contains(word));
        let before = self.before;
        let found = |kind| Some((name.clone(), kind, false));
        if name.is_empty() {
            return None;
        }
        if titles > 0 && self.words.len() - titles <= 3 && !is_joined {
            return found("person");
        }
        if is_multi_word && (ORG_SUFFIXES.contains(&last) || (is_joined && ORG_PREFIXES.contains(&first))) {
            return found("org");
        }
        if is_multi_word && (PLACE_SUFFIXES.contains(&last) || PLACE_PREFIXES.contains(&first)) {
            return found("place");
        }
        let is_acronym = name.chars().all(char::is_uppercase);
        let is_speaker = is_multi_word && SPEECH_VERBS.contains(&without_punctuation(self.after));
        if short && !is_joined && !is_acronym && (OFFICES.contains(&before) || is_speaker) {
            return found("person");
        }
        if short && !is_acronym && PLACE_PREPOSITIONS.contains(&before) {
            return found("place");
        }
        (short && !is_acronym && WEAK_PLACE_PREPOSITIONS.contains(&before)).then(|| (name.clone(), "place", true))
    }
}

#[cfg(test)]
mod tests {
    use aha_core::digest::Evidence;

    use super::*;

    fn names(text: &str) -> Vec<(String, String)> {
        let input = SummaryInput {
            title: String::new(),
            headlines: vec![],
            texts: vec![("Wire".into(), text.into())],
            discussions: vec![],
            interests: String::new(),
            evidence: Evidence::default(),
        };
        let entities = named(&input).map(|answer| answer["entities"].as_array().cloned().unwrap_or_default());
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        entities.unwrap_or_default().iter().map(|one| (text(&one["name"]), text(&one["type"]))).collect()
    }

    fn named_as(text: &str, expected: &[(&str, &str)]) {
        let expected: Vec<(String, String)> =
            expected.iter().map(|(name, kind)| ((*name).to_owned(), (*kind).to_owned())).collect();
        assert_eq!(names(text), expected, "{text}");
    }

    #[test]
    fn what_a_text_shows_is_named() {
        named_as(
            "The ferry ran aground near Skerrow on Tuesday. Captain Ida Brandt told the Harbour Authority that nobody was hurt.",
            &[("Skerrow", "place"), ("Ida Brandt", "person"), ("Harbour Authority", "org")],
        );
        named_as(
            "“We waited,” Ketil Aune said. The University of Dunmere paid.",
            &[("Ketil Aune", "person"), ("University of Dunmere", "org")],
        );
        named_as(
            "Ships wait at Lake Ansel, says spokeswoman Mara Voss.",
            &[("Lake Ansel", "place"), ("Mara Voss", "person")],
        );
        named_as("Shares of $AMZ fell after arXiv:2401.01234 was read.", &[("AMZ", "ticker"), ("2401.01234", "paper")]);
    }

    #[test]
    fn what_could_only_be_guessed_is_left_out() {
        for text in [
            "Linux 7.0 is out.",
            "The Guardian reports it in March.",
            "Google said so.",
            "he writes it in Rust.",
            "",
            "THE END IS NEAR",
        ] {
            named_as(text, &[]);
        }
        named_as("He lives in Aldermane. Fog hangs in Aldermane.", &[("Aldermane", "place")]);
        named_as("The mayor met minister Jo Lind. Later Lind left.", &[("Jo Lind", "person")]);
    }

    #[test]
    fn no_text_makes_it_fail() {
        for text in
            ["\u{0}", "Mr.", "Mr. Mr. Mr.", "of of Of de", "\u{202e}A’s ’s", "X".repeat(9000).as_str(), "Á É Í Ó Ú Ü Ñ"]
        {
            assert!(names(text).len() <= MAX_ENTITIES, "{text}");
        }
    }
}
