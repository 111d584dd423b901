//! Sentences of a story as they are shown: quoted with their source, or written by a model.
//!
//! Input: a story's summary and excerpt. Output: [`Quote`]s. Called by `view`. `local` only quotes: each of its
//! sentences is word for word from a source, preferably as `“sentence” — Source name`.

use aha_content::quotable::{Flaw, flaw};
use aha_content::sentences::{between, sentences};
use aha_core::digest::{DigestStory, StorySource};
use aha_core::model::LOCAL_PROVIDER;
use aha_core::summary::PASTED_TEXT;

use super::sanitise::{short_text, text};

/// Longest sentence shown, as text without full stops could fill the page.
const MAX_CHARS: usize = 600;

/// A sentence. `verbatim` means word for word from a source, whose name is given if known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Quote {
    pub(crate) text: String,
    pub(crate) verbatim: bool,
    pub(crate) source: Option<String>,
}

impl Quote {
    /// Returns the sentence, in quotation marks if it is verbatim and has none around it. Quotations within it get
    /// single marks.
    pub(crate) fn marked(&self) -> String {
        let is_marked =
            self.text.strip_prefix('“').is_some_and(|rest| rest.find('”') == rest.len().checked_sub('”'.len_utf8()));
        if self.verbatim && !is_marked {
            format!("“{}”", self.text.replace('“', "‘").replace('”', "’"))
        } else {
            self.text.clone()
        }
    }

    /// Returns the line under a story's title: that of its summary, else the beginning of its text.
    pub(crate) fn lead(story: &DigestStory) -> Option<Self> {
        match story.shown_summary() {
            Some(summary) => Self::read(&summary.one_liner, summary.provider == LOCAL_PROVIDER, &story.sources),
            None => Self::opening(story),
        }
    }

    /// Returns the further sentences of a story's summary.
    pub(crate) fn points(story: &DigestStory) -> Vec<Self> {
        let Some(summary) = story.shown_summary() else { return Vec::new() };
        let local = summary.provider == LOCAL_PROVIDER;
        summary.bullets.iter().filter_map(|bullet| Self::read(bullet, local, &story.sources)).collect()
    }

    fn read(raw: &str, verbatim: bool, sources: &[StorySource]) -> Option<Self> {
        let raw = text(raw);
        let (sentence, source) = if verbatim { split_source(&raw, sources) } else { (raw.as_str(), None) };
        Self::of(sentence, verbatim, source)
    }

    fn opening(story: &DigestStory) -> Option<Self> {
        let told_it =
            story.sources.iter().find(|source| source.title == story.title).or(match story.sources.as_slice() {
                [only] => Some(only),
                _ => None,
            });
        Self::of(without_boilerplate(&text(&story.excerpt)), true, told_it.map(|source| text(&source.name)))
    }

    fn of(sentence: &str, verbatim: bool, source: Option<String>) -> Option<Self> {
        let text = short_text(sentence, MAX_CHARS);
        (!text.is_empty()).then_some(Self { text, verbatim, source })
    }
}

/// Returns an excerpt without boilerplate, captions and disclosures at either end, and without a last sentence that is
/// cut off, unless it is the only one.
fn without_boilerplate(excerpt: &str) -> &str {
    let is_empty =
        |sentence: &&str| matches!(flaw(sentence), Some(Flaw::Boilerplate | Flaw::Caption | Flaw::Disclosure));
    let all = sentences(excerpt);
    let mut shown: &[&str] = &all;
    while let Some((_, rest)) = shown.split_first().filter(|(first, _)| is_empty(first)) {
        shown = rest;
    }
    while let Some((_, rest)) =
        shown.split_last().filter(|(last, rest)| is_empty(last) || !rest.is_empty() && flaw(last) == Some(Flaw::Torn))
    {
        shown = rest;
    }
    match shown {
        [first, .., last] => between(excerpt, first, last),
        [only] => only,
        // Only symbols, no words.
        [] if all.is_empty() => excerpt,
        [] => "",
    }
}

/// Splits `“sentence” — Source`, `sentence (Source)` or `Source: “sentence”`; only a name among `sources` counts as a
/// source, and a text that the user pasted.
fn split_source<'a>(raw: &'a str, sources: &[StorySource]) -> (&'a str, Option<String>) {
    let mut names: Vec<String> = sources
        .iter()
        .flat_map(|source| source.also_from.iter().chain([&source.name]))
        .map(|name| text(name))
        .collect();
    names.push(PASTED_TEXT.to_owned());
    // Longest first: "Planet Rust" is not "Rust".
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    for name in names.into_iter().filter(|name| !name.is_empty()) {
        // A name may itself end in a bracket or a dot.
        let ends = [raw, raw.strip_suffix([')', ']', '.']).unwrap_or(raw), raw.trim_end_matches([')', ']', '.'])];
        let at_end = ends.iter().find_map(|end| end.strip_suffix(name.as_str()).and_then(before_source));
        let at_start = raw.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix(':'));
        if let Some(sentence) = at_end.or(at_start) {
            return (unquoted(sentence), Some(name));
        }
    }
    (unquoted(raw), None)
}

/// Returns the sentence before a source's name, if a dash or bracket separates the two.
fn before_source(rest: &str) -> Option<&str> {
    let rest = rest.trim_end();
    ["—", "–", " -", "(", "["].iter().find_map(|mark| rest.strip_suffix(mark))
}

fn unquoted(sentence: &str) -> &str {
    let sentence = sentence.trim();
    [('“', '”'), ('"', '"'), ('«', '»'), ('„', '“')]
        .iter()
        .find_map(|(open, close)| sentence.strip_prefix(*open)?.strip_suffix(*close))
        .map_or(sentence, str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::tests::sample;

    #[test]
    fn a_quoted_sentence_is_parted_from_its_source() {
        let sources = [sample::source("Planet Rust"), sample::source("Rust")];
        for raw in [
            "“It works.” — Planet Rust",
            "\"It works.\" (Planet Rust)",
            "It works. [Planet Rust]",
            "It works. - Planet Rust",
            "Planet Rust: “It works.”",
        ] {
            let quote = Quote::read(raw, true, &sources).unwrap();
            assert_eq!(
                (quote.marked().as_str(), quote.source.as_deref()),
                ("“It works.”", Some("Planet Rust")),
                "{raw}"
            );
        }
    }

    #[test]
    fn a_quotation_from_end_to_end_is_marked_once() {
        let marked = |text: &str| Quote { text: text.to_owned(), verbatim: true, source: None }.marked();
        assert_eq!(marked("“It works.”"), "“It works.”");
        assert_eq!(marked("“It works,” she said, “at last.”"), "“‘It works,’ she said, ‘at last.’”");
    }

    #[test]
    fn a_sentence_of_a_pasted_text_is_quoted_like_one_of_a_source() {
        let raw = format!("“The quay holds.” — {PASTED_TEXT}");
        let quote = Quote::read(&raw, true, &[sample::source("Rust")]).unwrap();
        assert_eq!((quote.marked().as_str(), quote.source.as_deref()), ("“The quay holds.”", Some(PASTED_TEXT)));
    }

    #[test]
    fn words_of_the_sentence_are_no_source() {
        let sources = [sample::source("Rust")];
        let quote = Quote::read("We rewrote it in Rust.", true, &sources).unwrap();
        assert_eq!((quote.text.as_str(), quote.source), ("We rewrote it in Rust.", None));
        let told = Quote::read("A model says so — Rust", false, &sources).unwrap();
        assert_eq!(told.marked(), "A model says so — Rust");
    }

    #[test]
    fn of_an_excerpt_the_sentences_about_the_story_are_shown() {
        let told = "The ferry struck the quay at Kelmouth. Nobody was hurt.";
        for excerpt in [
            told.to_owned(),
            format!("Photo: Ida Brandt. {told}"),
            format!("{told} Click here to subscribe."),
            format!("{told} The owner said that the captain had…"),
            format!("{told} “We waited. And…"),
        ] {
            assert_eq!(without_boilerplate(&excerpt), told, "{excerpt}");
        }
        assert_eq!(without_boilerplate("the ferry, at last…"), "the ferry, at last…");
        assert_eq!(without_boilerplate("Subscribe to our newsletter."), "");
        assert_eq!(without_boilerplate("⛴"), "⛴");
    }
}
