//! Finds what refers to a text and states nothing itself: entries of a bibliography, links to other parts, tags, the
//! words before a list, and names alone. Out of their place they tell nothing.
//!
//! Input: a sentence or a paragraph. Called by [`super::quotable`], and where an answer is chosen from the sentences of
//! items.

use super::sentences::sentences;

/// Links to other texts, at the beginning. Anything may follow the first.
const LINKS: [&str; 11] = [
    "see also",
    "earlier parts",
    "previous parts",
    "other parts",
    "related posts",
    "related articles",
    "related reading",
    "further reading",
    "previous post",
    "next post",
    "table of contents",
];
/// Labels of what a text is filed under, at the beginning of a line of such names.
const LABELS: [&str; 6] = ["tags", "tagged", "filed under", "posted in", "categories", "keywords"];
const MAX_LINK_WORDS: usize = 12;
/// Words that a number follows in the name of a part ("Part 1 - Places a piece").
const PARTS: [&str; 6] = ["part", "episode", "chapter", "teil", "partie", "parte"];
/// Maximum number of words before a list.
const MAX_LEAD_IN_WORDS: usize = 5;
/// Maximum number of words of a name alone.
const MAX_NAME_WORDS: usize = 3;
/// One sign of a bibliography is enough for so few words without a verb; a year is, behind still fewer.
const MAX_ENTRY_WORDS: usize = 8;
const MAX_DATED_WORDS: usize = 4;
/// Maximum number of words of a whole entry; a longer paragraph cites, and states something.
const MAX_BIBLIOGRAPHY_WORDS: usize = 50;
/// Maximum number of words beside a title in quotation marks and its year.
const MAX_WORDS_BESIDE_TITLE: usize = 5;

const VERBS: [&str; 51] = [
    "is", "are", "was", "were", "be", "has", "have", "had", "can", "could", "will", "would", "may", "might", "must",
    "should", "do", "does", "did", "says", "said", "gets", "got", "makes", "made", "goes", "went", "comes", "came",
    "takes", "took", "sees", "saw", "knows", "knew", "finds", "found", "uses", "wins", "won", "led", "let", "lets",
    "costs", "means", "needs", "runs", "ran", "gives", "gave", "rose",
];
/// Words that are not capitalised in a name.
const SMALL_WORDS: [&str; 16] =
    ["of", "the", "and", "a", "an", "in", "on", "for", "to", "de", "la", "der", "die", "das", "von", "und"];

/// Returns whether a sentence refers to a text, or to what follows it, and states nothing.
#[must_use]
pub fn is_reference(sentence: &str) -> bool {
    let words = words(sentence);
    sentence.ends_with(':') && words.len() <= MAX_LEAD_IN_WORDS
        || is_link(sentence, &words)
        || is_part(sentence)
        || is_bibliographic(sentence)
        || is_dated_title(sentence)
        || is_name(sentence, &words)
}

/// Returns the sentences of a paragraph that state something; an entry of a bibliography has none.
#[must_use]
pub fn statements(paragraph: &str) -> Vec<&str> {
    if paragraph.split_whitespace().count() <= MAX_BIBLIOGRAPHY_WORDS && is_bibliographic(paragraph) {
        return Vec::new();
    }
    sentences(paragraph).into_iter().filter(|sentence| !is_reference(sentence)).collect()
}

/// Returns whether a sentence belongs to an entry of a bibliography.
#[must_use]
pub fn is_bibliographic(sentence: &str) -> bool {
    let words = words(sentence);
    let is_dated = sentence.split_whitespace().next_back().is_some_and(is_year);
    let is_entry = match signs(sentence) {
        0 => false,
        1 => words.len() <= MAX_ENTRY_WORDS && !has_verb(&words),
        _ => true,
    };
    is_entry || is_dated && words.len() <= MAX_DATED_WORDS
}

/// Returns the words without the marks around them.
fn words(sentence: &str) -> Vec<&str> {
    let bare = sentence.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    bare.filter(|word| !word.is_empty()).collect()
}

fn is_link(sentence: &str, words: &[&str]) -> bool {
    let lower = sentence.to_lowercase();
    let is_ended = |rest: &str| rest.is_empty() || rest.starts_with([':', '.', '-', '–', '—']);
    let is_followed = |link: &str, rest: &str| is_ended(rest.trim_start()) || link == LINKS[0];
    let is_at = |link: &str| lower.strip_prefix(link).is_some_and(|rest| is_followed(link, rest));
    let is_label = |label: &str| lower.strip_prefix(label).is_some_and(|rest| rest.trim_start().starts_with(':'));
    words.len() <= MAX_LINK_WORDS
        && (LINKS.iter().any(|link| is_at(link)) || LABELS.iter().any(|label| is_label(label)))
}

fn is_part(sentence: &str) -> bool {
    let mut tokens = sentence.split_whitespace();
    let (Some(kind), Some(number), Some(next)) = (tokens.next(), tokens.next(), tokens.next()) else { return false };
    let digits = number.trim_end_matches([':', '.']);
    PARTS.contains(&kind.to_lowercase().as_str())
        && is_number(digits)
        && (number.ends_with(':') || ["-", "–", "—"].contains(&next))
}

/// Matches “The Phases of the Moon” (2025) by Nana Funo.
fn is_dated_title(sentence: &str) -> bool {
    let pairs = [('“', '”'), ('"', '"'), ('‘', '’'), ('«', '»')];
    let close = pairs.iter().find(|(open, _)| sentence.starts_with(*open)).map(|(_, close)| *close);
    let Some((_, rest)) = close.and_then(|close| sentence.rsplit_once(close)) else { return false };
    let beside = words(rest);
    rest.split_whitespace().any(is_year) && beside.len() <= MAX_WORDS_BESIDE_TITLE && !has_verb(&beside)
}

/// Returns whether the text is up to three capitalised words without a verb.
fn is_name(sentence: &str, words: &[&str]) -> bool {
    let mut names = words.iter().filter(|word| !SMALL_WORDS.contains(&word.to_lowercase().as_str())).peekable();
    let is_short = words.len() <= MAX_NAME_WORDS && names.peek().is_some();
    is_short
        && !sentence.ends_with(['?', '!'])
        && names.all(|word| word.starts_with(char::is_uppercase))
        && !has_verb(words)
}

/// Returns whether one of the words can be a verb, by its form or as one of the most frequent ones. A plural in the
/// middle of a name counts, too.
fn has_verb(words: &[&str]) -> bool {
    let last = words.len().saturating_sub(1);
    words.iter().enumerate().any(|(place, word)| {
        let word = word.to_lowercase();
        let is_inflected = word.len() > 4 && (word.ends_with("ed") || word.ends_with("ing"));
        let is_within = 0 < place && place < last && word.len() > 3 && word.ends_with('s');
        VERBS.contains(&word.as_str()) || is_inflected || is_within
    })
}

/// Counts the signs of a bibliography: a year in parentheses at the beginning, the end or before a full stop, without a
/// verb before it; an identifier, volume or pages, "et al.", several authors by their initials.
fn signs(sentence: &str) -> usize {
    let lower = sentence.to_lowercase();
    let has = |marks: &[&str]| marks.iter().any(|mark| lower.contains(mark));
    let tokens: Vec<&str> = sentence.split_whitespace().collect();
    let last = tokens.len().saturating_sub(1);
    let is_dated = tokens.iter().enumerate().any(|(place, token)| {
        let is_outside = place == 0 || place == last || token.ends_with(").");
        is_outside && is_year(token) && !has_verb(&tokens[..place])
    });
    let initials = tokens.windows(2).filter(|pair| pair[0].ends_with(',') && is_initial(pair[1])).count();
    let found = [
        is_dated,
        has(&["doi.org/", "doi:", "arxiv:", "issn", "isbn"]),
        has(&[" pp. ", " vol. ", "(eds.)", "(ed.)", "proceedings of"]),
        tokens.iter().any(|token| is_volume(token)),
        has(&[" et al.", " et al,"]) || lower.ends_with(" et al"),
        initials >= 2,
    ];
    found.into_iter().filter(|is_found| *is_found).count()
}

/// Matches "(2021)" and "(2021a)."
fn is_year(token: &str) -> bool {
    let bare = token.trim_end_matches(['.', ',', ':', ';']);
    let inner = bare.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or_default();
    let year = inner.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let is_recent = ["18", "19", "20"].iter().any(|century| year.starts_with(century));
    year.len() == 4 && is_recent && is_number(year)
}

/// Matches "66(5),".
fn is_volume(token: &str) -> bool {
    let bare = token.trim_end_matches(['.', ',', ':', ';']);
    let parts = bare.strip_suffix(')').and_then(|rest| rest.split_once('('));
    parts.is_some_and(|(volume, issue)| is_number(volume) && is_number(issue))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Matches "J." and "J.,".
fn is_initial(token: &str) -> bool {
    let mut chars = token.trim_end_matches([',', ';']).chars();
    let (letter, stop, end) = (chars.next(), chars.next(), chars.next());
    letter.is_some_and(char::is_uppercase) && stop == Some('.') && end.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_refers_to_a_text_is_known() {
        for text in [
            "Acta Astronautica.",
            "Part 1 - Places a piece on a board.",
            "Teil 2: Wie die Fähre gegen den Kai prallte.",
            "Earlier parts:",
            "See also: the ferries of Kelmouth",
            "Further reading",
            "The approach becomes:",
            "“The Phases of the Moon” (2025) by Nana Funo.",
            "Mueller, S., Li, A., & Pearl, J.",
            "Bongers, Jacob L. et al.",
            "Packt Publishing (2021).",
            "(2022).",
            "Journal of Ferries, 66(5), 688-701. https://doi.org/10.1037/h0037350",
            "(2018) “Deep harbours: an introduction,” Harbour Compass, https://doi.org/10.1111/phc3.12625.",
            "The Origami Database",
            "Tags: ferries · harbours · tides",
            "Filed under: Ferries, Kelmouth",
        ] {
            assert!(is_reference(text), "{text}");
        }
    }

    #[test]
    fn an_entry_of_a_bibliography_has_no_statement() {
        for text in [
            "Dawid, A. P., & Musio, M. (2022). Effects of causes and causes of effects. Annual Review of Statistics.",
            "Aune, K. et al. (2021). Ferries leave at night. Earth and Harbour Letters. 260, 1969.",
            "Earlier parts:",
        ] {
            assert!(statements(text).is_empty(), "{text}: {:?}", statements(text));
        }
        let text = "Part 1 - Places a piece. It shows how a board is made. Acta Astronautica.";
        assert_eq!(statements(text), ["It shows how a board is made."]);
        let prose = "Lund et al. found that the tide turns twice a day (2019). They asked the people at the quay.";
        assert_eq!(statements(prose).len(), sentences(prose).len());
    }

    #[test]
    fn what_states_something_is_no_reference() {
        for text in [
            "Ferry sinks.",
            "The ferry sank (2021) after a storm had torn it from its moorings at the quay.",
            "Lund et al. found that the tide turns twice a day at the quay of Kelmouth.",
            "Apple Buys Beats.",
            "Ferries Banned.",
            "It is.",
            "Part of the quay was closed on Monday.",
            "Chapter 9 of the report names bounds on the tides.",
            "The price of a night is:  nine euros",
            "What Changed?",
            "“We waited for an hour,” said Hallan (2021), “and nobody came to the deck.”",
            "Further reading of the bill was postponed to Friday.",
            "Tags on the quay are read each night.",
            "Categories of boats: yawls and ferries are two that the harbour master of Kelmouth knows by their sails.",
            "",
        ] {
            assert!(!is_reference(text), "{text}");
        }
    }
}
