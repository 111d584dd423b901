//! Splits a search query into operators, filters and words.
//!
//! Input: the text of a query. Output: its [`Part`]s in order, and notes on what can be meant in another way. Called by
//! [`super::parse`].

use aha_content::index_terms::forms;
use strsim::osa_distance;

use super::super::{Result, ServiceError};
use super::{Parsed, shown};

/// The filters, and an example of each.
const FILTERS: [(&str, &str); 3] = [("source", "source:NAME"), ("topic", "topic:NAME"), ("since", "since:DATE")];

/// Filters of other tools, with the one that does the same here; empty if none does.
const FILTERS_OF_OTHER_TOOLS: [(&str, &str); 40] = [
    ("after", "since"),
    ("author", ""),
    ("before", ""),
    ("body", ""),
    ("by", ""),
    ("category", "topic"),
    ("content", ""),
    ("date", "since"),
    ("domain", "source"),
    ("ext", ""),
    ("feed", "source"),
    ("filetype", ""),
    ("folder", "topic"),
    ("from", "source"),
    ("has", ""),
    ("host", "source"),
    ("in", ""),
    ("intext", ""),
    ("intitle", ""),
    ("inurl", ""),
    ("is", ""),
    ("label", "topic"),
    ("lang", ""),
    ("language", ""),
    ("newer", "since"),
    ("newer_than", "since"),
    ("older", ""),
    ("older_than", ""),
    ("published", "since"),
    ("site", "source"),
    ("sort", ""),
    ("src", "source"),
    ("subject", ""),
    ("subreddit", "source"),
    ("tag", "topic"),
    ("title", ""),
    ("type", ""),
    ("until", ""),
    ("url", "source"),
    ("user", ""),
];

const QUOTES: [char; 6] = ['"', '“', '”', '„', '«', '»'];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    And,
    Or,
    Not,
}

impl Operator {
    fn of(word: &str) -> Option<Self> {
        [Self::And, Self::Or, Self::Not].into_iter().find(|operator| operator.name() == word)
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::And => "AND",
            Self::Or => "OR",
            Self::Not => "NOT",
        }
    }
}

/// A part of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part<'q> {
    Operator(Operator),
    Filter { name: &'static str, value: &'q str, is_unwanted: bool },
    Word { text: &'q str, is_quoted: bool, is_unwanted: bool },
}

/// Splits a query into its parts.
pub(super) fn parts<'q>(text: &'q str, parsed: &mut Parsed) -> Result<Vec<Part<'q>>> {
    let (mut parts, notes) = (Vec::new(), &mut parsed.notes);
    let mut rest = text.trim();
    while !rest.is_empty() {
        let opened = rest.trim_start_matches('(');
        let (is_unwanted, from) = match opened.strip_prefix('-') {
            Some(from) => (true, from),
            None => (false, opened),
        };
        if is_unwanted && from.starts_with('(') {
            notes.push("parentheses are not read: a minus excludes only the word behind it".to_owned());
        }
        let from = from.trim_start_matches('(');
        let filter = filter_of(from, notes)?;
        let value = filter.map_or(from, |name| &from[name.len() + 1..]);
        let (word, is_quoted, behind) = word_of(value, notes);
        rest = behind.trim_start();
        if let Some(name) = filter {
            let value = if is_quoted || word.contains('(') { word } else { word.trim_end_matches(')') };
            parts.push(Part::Filter { name, value, is_unwanted });
        } else if let Some(operator) = Operator::of(word).filter(|_| !is_quoted && !is_unwanted) {
            parts.push(Part::Operator(operator));
        } else if is_indexed(word, notes) {
            parts.push(Part::Word { text: word, is_quoted, is_unwanted });
        } else {
            parsed.has_other_text |= !word.is_empty() && !is_unwanted;
        }
    }
    Ok(parts)
}

/// Whether a word can be in the index: it has letters or digits, and not too many.
fn is_indexed(word: &str, notes: &mut Vec<String>) -> bool {
    let is_indexed = !forms(word).is_empty();
    if !is_indexed && word.contains(char::is_alphanumeric) {
        let word = shown(word);
        notes.push(format!("{word} was left out: no word of such a length is indexed"));
    }
    is_indexed
}

/// Splits at the closing quotation mark, or at the next white space.
fn word_of<'q>(text: &'q str, notes: &mut Vec<String>) -> (&'q str, bool, &'q str) {
    let Some(quoted) = text.strip_prefix(QUOTES) else {
        let (word, behind) = text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()));
        return (word, false, behind);
    };
    let (phrase, behind) = quoted.split_once(QUOTES).unwrap_or_else(|| {
        let phrase = shown(quoted);
        notes.push(format!("the quotation mark before {phrase} is not closed: all behind it was read as one phrase"));
        (quoted, "")
    });
    (phrase, true, behind)
}

/// Returns the filter with which a text begins; `None` if it is a word.
///
/// # Errors
/// When it is probably meant as a filter, but there is none of that name.
fn filter_of(text: &str, notes: &mut Vec<String>) -> Result<Option<&'static str>> {
    let Some((name, value)) = text.split_once(':') else { return Ok(None) };
    let is_name = |c: char| c.is_ascii_alphabetic() || c == '_';
    if name.is_empty() || !name.chars().all(is_name) {
        return Ok(None);
    }
    let known = FILTERS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).copied();
    let has_value = !value.is_empty() && !value.starts_with(char::is_whitespace) && !value.starts_with("//");
    match known {
        Some((known, _)) if has_value && known == name => return Ok(Some(known)),
        Some((_, example)) => {
            notes.push(format!(
                "{name}: was searched for as a word; a filter is written in lower case, with its value directly behind \
                 the colon: {example}"
            ));
            return Ok(None);
        }
        None => {}
    }
    if !has_value || name.contains(|c: char| c.is_ascii_uppercase()) {
        return Ok(None);
    }
    let of_other_tools = FILTERS_OF_OTHER_TOOLS.iter().find(|(other, _)| *other == name).map(|(_, same)| *same);
    let similar = || FILTERS.iter().map(|(known, _)| *known).find(|known| osa_distance(name, known) <= 1);
    let Some(nearest) = of_other_tools.or_else(similar) else { return Ok(None) };
    let question = if nearest.is_empty() { ".".to_owned() } else { format!("; did you mean {nearest}:?") };
    let known = FILTERS.map(|(_, example)| example).join(", ");
    Err(ServiceError::invalid(
        "q",
        format!(
            "there is no filter \"{name}:\"{question} The filters are {known}; to search for the text itself, put it \
             in quotation marks"
        ),
    ))
}
