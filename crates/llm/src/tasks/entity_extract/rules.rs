//! The entities of `local`: places, organisations and persons that a text itself shows to be such, by rules.
//!
//! Comes in: a story's texts. Goes out: names with the sentence that shows what each is. A name of which no rule knows what it is is left
//! out: it could only be guessed. In languages other than English the rules find little.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};

use super::SummaryInput;
use super::words::{
    JOINED_BY, NO_NAMES, OFFICES, ORG_BEGINS, ORG_ENDS, PLACE_BEGINS, PLACE_ENDS, PLACE_LEADS, SPEECH, TITLES,
    WEAK_LEADS,
};
use crate::tasks::summary::quote::whole_sentences;

/// Entities of a story, the first named.
const MOST: usize = 12;
/// Characters of a sentence that is told with one.
const CONTEXT_CHARS: usize = 200;
/// A longer run of capitals is a headline.
const MAX_WORDS: usize = 6;

static TICKER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?:^|\s)\$([A-Z]{1,5})\b").ok());
static PAPER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\barXiv:(\d{4}\.\d{4,5})").ok());

/// Capitalised words in a row, and what stands around them.
struct Run<'a> {
    words: Vec<&'a str>,
    before: &'a str,
    after: &'a str,
}

/// What was found of a name so far.
struct Found {
    kind: &'static str,
    context: String,
    /// Place among the names, for their order.
    first: usize,
    /// Seen after a word that leads to a place but proves none.
    is_weak: bool,
}

/// An answer to the task, but for the four fields that we own; `None` where there is nothing to name.
pub(in crate::tasks) fn named(input: &SummaryInput) -> Option<Value> {
    let mut found: BTreeMap<String, Found> = BTreeMap::new();
    for sentence in input.texts.iter().flat_map(|(_, text)| whole_sentences(text)) {
        for (name, kind, is_weak) in of_sentence(sentence) {
            let first = found.len();
            let context = || sentence.trim().chars().take(CONTEXT_CHARS).collect();
            let known = found.entry(name).or_insert_with(|| Found { kind, context: context(), first, is_weak });
            // A second place, or a better proof.
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
        .take(MOST)
        .map(|(name, Found { kind, context, .. })| json!({ "name": name, "type": kind, "context": context }))
        .collect();
    (!entities.is_empty()).then(|| json!({ "entities": entities }))
}

/// Names, what they are, and whether that wants a second sign.
fn of_sentence(sentence: &str) -> Vec<(String, &'static str, bool)> {
    let coded = [(&TICKER, "ticker"), (&PAPER, "paper")];
    let mut found: Vec<(String, &'static str, bool)> = Vec::new();
    for (pattern, kind) in coded {
        let matches = pattern.iter().flat_map(|pattern| pattern.captures_iter(sentence));
        found.extend(matches.filter_map(|captures| Some((captures.get(1)?.as_str().to_owned(), kind, false))));
    }
    for run in runs(sentence) {
        found.extend(run.judged());
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
        let mut named: Vec<&str> = words[at..end].iter().map(|word| bare(word)).collect();
        let leading = named.iter().take_while(|word| NO_NAMES.contains(word)).count();
        named.drain(..leading);
        // The first word of a sentence has its capital for that.
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

/// Where capitalised words end that begin at a place; that place itself where none begins.
fn end_of_run(words: &[&str], begin: usize) -> usize {
    let mut end = begin;
    while end < words.len() {
        let joins = JOINED_BY.contains(&words[end]) && words.get(end + 1).is_some_and(|next| is_capitalised(next));
        if !(is_capitalised(words[end]) || (end > begin && joins)) {
            break;
        }
        end += 1;
        if is_closed(words[end - 1]) {
            break;
        }
    }
    end
}

fn is_capitalised(word: &str) -> bool {
    bare(word).starts_with(char::is_uppercase)
}

/// Whether what follows belongs to something else.
fn is_closed(word: &str) -> bool {
    !TITLES.contains(&word) && word.ends_with([',', '.', ';', ':', '!', '?', ')', '”', '"', '’', '\''])
}

/// Without marks around it and the genitive.
fn bare(word: &str) -> &str {
    if TITLES.contains(&word) {
        return word;
    }
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}

impl Run<'_> {
    fn judged(&self) -> Option<(String, &'static str, bool)> {
        let titles = self.words.iter().take_while(|word| TITLES.contains(word)).count();
        let (first, last, name) = (self.words[0], self.words[self.words.len() - 1], self.words[titles..].join(" "));
        let (many, short) = (self.words.len() > 1, self.words.len() <= 3);
        let is_joined = self.words.iter().any(|word| JOINED_BY.contains(word));
        let before = self.before;
        let found = |kind| Some((name.clone(), kind, false));
        if name.is_empty() {
            return None;
        }
        if titles > 0 && self.words.len() - titles <= 3 && !is_joined {
            return found("person");
        }
        if many && (ORG_ENDS.contains(&last) || (is_joined && ORG_BEGINS.contains(&first))) {
            return found("org");
        }
        if many && (PLACE_ENDS.contains(&last) || PLACE_BEGINS.contains(&first)) {
            return found("place");
        }
        let is_acronym = name.chars().all(char::is_uppercase);
        let speaks = many && SPEECH.contains(&bare(self.after));
        if short && !is_joined && !is_acronym && (OFFICES.contains(&before) || speaks) {
            return found("person");
        }
        if short && !is_acronym && PLACE_LEADS.contains(&before) {
            return found("place");
        }
        (short && !is_acronym && WEAK_LEADS.contains(&before)).then(|| (name.clone(), "place", true))
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
            assert!(names(text).len() <= MOST, "{text}");
        }
    }
}
