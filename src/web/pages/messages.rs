//! Messages as pages show them.
//!
//! Input: messages of services, and codes in addresses. Output: sentences. Called by the pages, by those of the
//! assistant, and by the error page.

use serde::Deserialize;

use crate::web::failure::shortened;

/// A command that a message names as the next step, and the page that does the same.
const PAGES: [(&str, &str); 12] = [
    ("topic list", "Topics"),
    ("topic add", "Topics"),
    ("topic set", "Topics"),
    ("source list", "Sources"),
    ("source add", "Sources"),
    ("digest list", "Archive"),
    ("digest", "Archive"),
    ("search", "Search"),
    ("run", "Runs"),
    ("runs", "Runs"),
    ("spend", "Spend"),
    ("todo list", "Plan"),
];

/// Returns a message with a capital letter at its beginning, with pages in the place of the commands that do the same,
/// and with other commands between quotation marks.
pub(in super::super) fn for_page(message: &str) -> String {
    let message = &shortened(message.to_owned());
    let parts: Vec<&str> = message.split('`').collect();
    // Every second part is between two marks, unless one of them is missing.
    let is_closed = parts.len() % 2 == 1;
    let shown = |(number, part): (usize, &&str)| match page_of(part) {
        Some(page) if number % 2 == 1 => format!("the page {page}"),
        None if number % 2 == 1 => format!("“{part}”"),
        _ => (*part).to_owned(),
    };
    let text = if is_closed { parts.iter().enumerate().map(shown).collect() } else { message.to_owned() };
    let mut letters = text.chars();
    // An address stays as it is.
    if text.split(' ').next().is_some_and(|first| first.contains("://")) {
        return text;
    }
    // What is quoted at the beginning stays as it was typed.
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn page_of(command: &str) -> Option<&'static str> {
    let command = command.strip_prefix("aha-radar ")?;
    let is_meant = |name: &str| command.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    PAGES.iter().find(|(name, _)| is_meant(name)).map(|(_, page)| *page)
}

/// `?said=CODE`: the effect of a form that was just sent. No text of an address is shown.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Said {
    said: String,
}

impl Said {
    /// Returns the effect in words; empty without one.
    pub(super) fn in_words(&self) -> &'static str {
        match self.said.as_str() {
            "saved" => "It is saved, and takes effect with the next run.",
            "added" => "The topic is added. Give it sources next.",
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_sentences_that_name_pages() {
        for (message, expected) in [
            ("http://a.example/x is a page", "http://a.example/x is a page"),
            (
                "there is no source x; `aha-radar source list` shows them",
                "There is no source x; the page Sources shows them",
            ),
            ("see `aha-radar runs`", "See the page Runs"),
            ("index it with `aha-radar reindex`", "Index it with “aha-radar reindex”"),
            ("see `aha-radar runsome`", "See “aha-radar runsome”"),
            ("\"x` y\" is no web address", "\"x` y\" is no web address"),
            ("\"not a url\" is no web address", "\"not a url\" is no web address"),
            ("ärgerlich", "Ärgerlich"),
            ("", ""),
        ] {
            assert_eq!(for_page(message), expected);
        }
    }

    #[test]
    fn an_address_has_a_code_and_no_text() {
        let said = |code: &str| Said { said: code.to_owned() }.in_words();
        assert_eq!(said("saved"), "It is saved, and takes effect with the next run.");
        assert_eq!(said("Your session is locked"), "");
    }
}
