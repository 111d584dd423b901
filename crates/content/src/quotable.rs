//! Finds sentences that must not be quoted, and sentences that are weak out of context.
//!
//! Input: one sentence. Output: its flaw or its weakness. Called where sentences are chosen for a summary and shown in
//! a digest. The word lists are for English, with shorter ones for German, French and Spanish; the rules about form
//! apply to any language.

use super::fold::first_chars;
use super::quotable_words::{
    BOILERPLATE, CAPTION, CONTINUATION, CREDIT, DISCLOSURE, LABEL, LOW_CONTENT, Patterns, RESOLVED,
};
use super::references::is_bibliographic;
use super::sentences::{Marks, OPENERS, marks};

/// Why a sentence must not be quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    /// Subscriptions, sharing, copyright, sponsors: text that recurs under a source's articles.
    Boilerplate,
    /// What the author owns, earns or is liable for.
    Disclosure,
    /// A picture caption, a byline or a dateline.
    Caption,
    /// A fragment: it begins or ends in another sentence.
    Torn,
    /// A heading, or a list of names, figures or links.
    List,
    /// A line of code, or raw markup.
    Code,
}

/// Returns why `sentence` must not be quoted; `None` if it can be.
#[must_use]
pub fn flaw(sentence: &str) -> Option<Flaw> {
    let words = words(sentence);
    let lower = sentence.to_lowercase();
    let matches = |patterns: &Patterns| patterns.matches(&words);
    if matches(&DISCLOSURE) {
        return Some(Flaw::Disclosure);
    }
    if matches(&CAPTION) || CREDIT.matches(&lower) || is_byline(sentence) {
        return Some(Flaw::Caption);
    }
    if matches(&BOILERPLATE) || LABEL.matches(&lower) || lower.contains('©') {
        return Some(Flaw::Boilerplate);
    }
    if is_code(sentence) {
        return Some(Flaw::Code);
    }
    if is_torn(sentence) {
        return Some(Flaw::Torn);
    }
    is_list(sentence).then_some(Flaw::List)
}

/// Returns penalty points for a sentence that may be quoted, from 0 to about 4. A sentence that begins with an
/// unresolved reference, asks, greets or describes its own text depends on its context.
#[must_use]
pub fn weakness(sentence: &str) -> f64 {
    let words = words(sentence);
    let bare = sentence.trim_end_matches(['”', '"', '’', '\'', ')', '»']);
    let checks = [
        (1.2, CONTINUATION.matches(&words) && !RESOLVED.matches(&words)),
        (1.5, LOW_CONTENT.matches(&words)),
        (1.3, bare.ends_with('?') || sentence.starts_with('¿')),
        (0.3, bare.ends_with('!')),
        (0.5, sentence.contains("://") || sentence.contains("www.")),
        // A parenthesis.
        (0.6, sentence.starts_with('(') && sentence.ends_with(')')),
    ];
    checks.iter().filter(|(_, holds)| *holds).map(|(points, _)| points).sum()
}

/// Returns the words in lower case with one space around each. Other characters are dropped.
fn words(sentence: &str) -> String {
    let mut words = String::with_capacity(sentence.len() + 2);
    words.push(' ');
    for c in sentence.chars() {
        match c {
            '’' => words.push('\''),
            c if c.is_alphanumeric() || matches!(c, '\'' | '%') => words.extend(c.to_lowercase()),
            _ if !words.ends_with(' ') => words.push(' '),
            _ => {}
        }
    }
    if !words.ends_with(' ') {
        words.push(' ');
    }
    words
}

fn is_torn(sentence: &str) -> bool {
    let bare = sentence.trim_start_matches(['“', '"', '„', '«', '»', '‘', '\'', '(', '[', '¿', '¡', ' ', '\u{a0}']);
    let first_word: String = bare.chars().take_while(|c| c.is_alphanumeric()).collect();
    // Names such as "iPhone" and "eBay" begin in lower case.
    let begins_small = bare.starts_with(char::is_lowercase) && !first_word.chars().any(char::is_uppercase);
    let begins_elsewhere = !bare.starts_with(char::is_alphanumeric)
        && !bare.starts_with(['$', '£', '€', '¥', '#', '@', '+', '-', '−', '~', '.', '…', '\'', '’'])
        || bare.starts_with("...")
        || bare.starts_with('…')
        || sentence.starts_with(['”', '’', ')', ']', '»']) && marks(sentence) != Marks::Closed;
    begins_small || begins_elsewhere || !is_ended(sentence) || marks(sentence) != Marks::Closed
}

/// Returns whether the sentence ends in a full stop or similar, before or after closing marks. Three dots indicate an
/// omission and do not count.
fn is_ended(sentence: &str) -> bool {
    let bare = sentence.trim_end_matches(['”', '"', '’', '‘', '“', '\'', ')', ']', '»', '«', ' ', '\u{a0}']);
    let stopped =
        sentence.ends_with(['.', '!', '?', '。', '！', '？']) || bare.ends_with(['.', '!', '?', '。', '！', '？']);
    stopped && !["...", "…", ". .", "[…", "…."].iter().any(|dots| bare.ends_with(dots) || sentence.ends_with(dots))
}

/// Matches "By Jane Doe, Staff Writer."
fn is_byline(sentence: &str) -> bool {
    let mut words = sentence.split_whitespace();
    let by = words.next().is_some_and(|word| matches!(word, "By" | "BY" | "Von" | "Par" | "Por" | "Words"));
    let rest: Vec<&str> = words.collect();
    let named = rest.iter().filter(|word| word.starts_with(char::is_uppercase)).count();
    by && rest.len() <= 10 && named >= 2 && 10 * named >= 7 * rest.len()
}

/// Two-character marks that are frequent in code and rare in sentences.
const CODE_MARKS: [&str; 19] =
    ["::", "->", "=>", "==", "!=", "&&", "||", "();", ");", "</", "/>", "++", "${", "{{", "+=", ":=", "<<", ">>", "\\"];

/// A sentence with this many points is code. A mark in [`CODE_MARKS`] counts 2, a single character 1.
const MOSTLY_CODE: usize = 6;

fn is_code(sentence: &str) -> bool {
    let double = CODE_MARKS.iter().map(|mark| sentence.matches(mark).count()).sum::<usize>();
    let single = sentence.matches(['{', '}', ';', '=', '_', '`', '<', '>', '#']).count();
    let visible = sentence.chars().filter(|c| !c.is_whitespace()).count();
    let letters = sentence.chars().filter(|c| c.is_alphabetic()).count();
    let is_markdown = sentence.starts_with('#') || ["**", "](", "```"].iter().any(|mark| sentence.contains(mark));
    is_markdown || sentence.starts_with("$ ") || 2 * double + single >= MOSTLY_CODE || 4 * letters < 3 * visible
}

/// Separators of menu entries.
const SEPARATORS: [&str; 8] = [" | ", " » ", " › ", "→", "•", "▸", " · ", "■"];

fn is_list(sentence: &str) -> bool {
    let words: Vec<&str> = sentence.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).collect();
    let capital = words
        .iter()
        .filter(|word| word.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with(char::is_uppercase))
        .count();
    let marked = words.iter().filter(|word| word.len() > 1 && word.starts_with(['#', '@'])).count();
    let shouted = words.iter().filter(|word| is_shouted(word)).count();
    let commas = sentence.matches([',', ';']).count();
    let addresses = sentence.matches("://").count() + sentence.matches("www.").count();
    let opens_shouted = words.iter().take(3).filter(|word| is_shouted(word) && word.len() > 3).count() == 3;
    let is_most = |some: usize| words.len() >= 6 && 3 * some > 2 * words.len();
    is_most(capital)
        || is_titled(sentence)
        || is_bibliographic(sentence)
        || 2 * shouted > words.len()
        || opens_shouted && !is_dateline(sentence)
        || marked >= 2
        || addresses >= 2
        || commas >= 5 && 5 * commas > 2 * words.len()
        || SEPARATORS.iter().any(|mark| sentence.contains(mark))
}

/// Matches "A Long Way Home (Harbour Press; 2021) Despite …": a title with its details, followed by a sentence.
fn is_titled(sentence: &str) -> bool {
    let Some((title, rest)) = sentence.split_once(" (") else { return false };
    let after = rest.split_once(") ").map_or("", |(_, after)| after);
    let first: String = after.chars().take_while(|c| c.is_alphabetic()).collect();
    let words = title.split_whitespace().count();
    let capital = title.split_whitespace().filter(|word| word.starts_with(char::is_uppercase)).count();
    first.starts_with(char::is_uppercase) && OPENERS.contains(&first.to_lowercase().as_str()) && 2 * capital > words
}

fn is_shouted(word: &str) -> bool {
    word.chars().any(char::is_alphabetic) && !word.chars().any(char::is_lowercase) && word.chars().count() > 1
}

/// Matches "LONDON (Reuters) - The …" and "NEW YORK, Jan. 5 — The …", where the capitals are part of the sentence.
fn is_dateline(sentence: &str) -> bool {
    let opening = first_chars(sentence, 60);
    [" — ", " – ", " - ", "(Reuters)", "(AP)", "(AFP)", "(dpa)"].iter().any(|mark| opening.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(flaw_expected: Option<Flaw>, sentences: &[&str]) {
        for sentence in sentences {
            assert_eq!(flaw(sentence), flaw_expected, "{sentence}");
        }
    }

    #[test]
    fn what_a_source_puts_under_every_text_is_boilerplate() {
        all(
            Some(Flaw::Boilerplate),
            &[
                "If you become a paid subscriber, you get the whole archive of this letter.",
                "Subscribe to our newsletter and never miss an update from the harbour.",
                "You can also add that subscribers feed to your podcast app of choice and never miss an episode.",
                "Lund, Ada et al. “City harbours and their ferries in old maps.”",
                "Sign up for our free weekly email, delivered to your inbox each Friday.",
                "Please consider supporting our work with a small monthly donation.",
                "We use cookies to give you the best experience on our website.",
                "Copyright 2026 Harbour Press Limited.",
                "Click here to read more about the tidal project in Ailsk Sound.",
                "Share this article with your friends and follow us on Mastodon.",
                "This article was originally published on The Quay Review.",
                "This episode is brought to you by Ropeworks, makers of fine rope.",
                "Go to ropeworks.example and use code QUAY at checkout for 10% off.",
                "Thanks for reading The Quay Review!",
                "Abonnieren Sie unseren Newsletter und verpassen Sie keine Ausgabe.",
                "Dieser Artikel erschien zuerst in der Hafenzeitung.",
                "Abonnez-vous à notre lettre pour ne rien manquer de l’actualité.",
                "Cet article a été publié pour la première fois dans Le Quai.",
                "Suscríbete a nuestro boletín para recibir las noticias del puerto.",
                "Este artículo se publicó originalmente en El Muelle.",
            ],
        );
    }

    #[test]
    fn what_an_author_discloses_is_no_news() {
        all(
            Some(Flaw::Disclosure),
            &[
                "Disclosure: I own shares of two companies named in this text.",
                "The author works for a company that builds tidal turbines.",
                "As an Amazon Associate I earn from qualifying purchases.",
                "This post contains affiliate links, for which we may earn a commission.",
                "The views expressed here are my own and not those of my employer.",
                "Nothing in this letter is financial advice of any kind.",
                "Transparenzhinweis: Die Autorin besitzt Aktien der Werft.",
                "L’auteur travaille pour un chantier naval de la région.",
                "El autor trabaja para un astillero de la región.",
            ],
        );
    }

    #[test]
    fn words_under_pictures_and_bylines_are_captions() {
        all(
            Some(Flaw::Caption),
            &[
                "Photo: The ferry Marigold Star at the quay of Kelmouth on Monday.",
                "Photograph by Ida Brandt for The Quay Review.",
                "The ferry lies at the quay of Kelmouth on Monday. (AP Photo/Ida Brandt)",
                "The ferry Marigold Star leaves Kelmouth. Ida Brandt/Getty Images.",
                "Pictured: the ferry Marigold Star at the quay of Kelmouth.",
                "In this file photo, the ferry lies at the quay of Kelmouth.",
                "Fig. 3: The hull below the waterline, seen from the stern.",
                "Figure 3. The hull below the waterline, seen from the stern.",
                "Image credit: Ida Brandt, Harbour Authority of Kelmouth.",
                "By Ida Brandt and Jo Lind, Senior Harbour Correspondents.",
                "Published on Monday 5 January at nine in the morning.",
                "Ida Brandt is a senior reporter at The Quay Review, covering ships.",
                "Foto: Die Fähre liegt am Kai von Kelmouth.",
                "Crédit photo : Ida Brandt, autorité du port de Kelmouth.",
                "Foto de archivo del transbordador en el muelle de Kelmouth.",
            ],
        );
    }

    #[test]
    fn torn_sentences_are_known() {
        all(
            Some(Flaw::Torn),
            &[
                "“We waited for an hour on the deck in the rain.",
                "We waited for an hour on the deck in the rain,” said Hallan.",
                "”said Hallan, who had waited on the deck in the rain for an hour.",
                "and then the ferry struck the quay at Kelmouth on Monday.",
                "The ferry struck the quay (the old one at Kelmouth on Monday.",
                "The ferry struck the quay at Kelmouth on Monday and then […]",
                "The ferry struck the quay at Kelmouth on Monday and then...",
                "The ferry struck the quay at Kelmouth on Monday and then",
                "…struck the quay at Kelmouth on Monday, said the owner.",
                ", said Hallan, who had waited on the deck in the rain.",
            ],
        );
    }

    #[test]
    fn lists_headings_and_code_are_no_sentences() {
        all(
            Some(Flaw::List),
            &[
                "Ida Brandt, Jo Lind, Ketil Aune, Mara Voss and Piet Hallan.",
                "How The Ferry Struck The Old Quay At Kelmouth.",
                "BREAKING NEWS TODAY The ferry struck the quay at Kelmouth on Monday.",
                "A Long Way Home (Harbour Press; 2021) Despite the rain, the ferry left.",
                "Aune, K., Lind, J., the ferries of the northern harbours and their owners, proceedings of a meeting.",
                "Home | News | Ferries | Weather in the harbour of Kelmouth.",
                "See https://a.example and https://b.example for the details of the case.",
                "Read by #ferry and #harbour people in all of the towns around.",
            ],
        );
        all(
            Some(Flaw::Code),
            &[
                "let x = map.iter().filter(|y| y.len() == 3).map(|z| z + 1);.",
                "$ cargo build --release && ./target/release/aha >> out.txt.",
            ],
        );
    }

    #[test]
    fn informative_sentences_may_be_quoted() {
        all(
            None,
            &[
                "The ferry Marigold Star struck the quay at Kelmouth on Monday, said Mr. Hallan.",
                "LONDON (Reuters) - The ferry struck the quay at Kelmouth on Monday.",
                "The newspaper lost 40,000 subscribers after it had raised its prices by a third.",
                "The regulator fined the shop 3.5 million euros for its cookie banner.",
                "“We waited for an hour,” said Hallan, “and nobody came to the deck.”",
                "iPhone sales in China rose by 12 % in the last three months of the year.",
                "The photo agency was sold to a rival for 20 million pounds on Friday.",
                "Die Fähre prallte am Montag in Kelmouth gegen den Kai, sagte der Kapitän.",
                "« Nous avons attendu une heure », a dit le capitaine du navire.",
                "El transbordador chocó el lunes contra el muelle de Kelmouth.",
                "The function std::mem::take leaves the default value in its place.",
            ],
        );
    }

    #[test]
    fn what_needs_its_neighbours_is_weaker() {
        let plain = "The ferry struck the quay at Kelmouth on Monday.";
        assert!(weakness(plain).abs() < f64::EPSILON);
        for weak in [
            "It struck the quay at Kelmouth on Monday.",
            "But the ferry struck the quay at Kelmouth on Monday.",
            "Why did the ferry strike the quay at Kelmouth?",
            "Hello everybody, welcome to the harbour.",
            "In this post, I describe how the ferry struck the quay.",
            "Sie prallte am Montag gegen den Kai.",
            "Il a heurté le quai lundi à Kelmouth.",
            "Pero el transbordador chocó contra el muelle.",
        ] {
            assert!(weakness(weak) >= 0.8, "{weak}");
        }
        assert!(weakness("This week the ferry struck the quay at Kelmouth.").abs() < f64::EPSILON);
    }

    #[test]
    fn what_is_no_sentence_is_not_quoted() {
        for text in ["", " ", "…", "”", "By", "#", "。", "\u{202e}", "ß", "%%%", "''''"] {
            assert!(flaw(text).is_some(), "{text:?}");
            assert!((0.0..=5.4).contains(&weakness(text)), "{text:?}: {}", weakness(text));
        }
    }
}
