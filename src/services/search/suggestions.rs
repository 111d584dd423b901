//! How a search finds more, and why a query has nothing to search for.

use super::query::Parsed;
use super::{Result, ServiceError};
use crate::app::App;

/// Maximum number of notes in the error of a query without a word.
const MAX_REASONS: usize = 3;

/// Returns how to find more.
pub(super) async fn suggestion(app: &App, parsed: &Parsed) -> Result<String> {
    if app.store().search_entries().await? == 0 {
        let next = "nothing is indexed yet: add sources with `aha-radar source add URL` and make a run with \
                    `aha-radar run`; what is stored already is indexed with `aha-radar reindex`";
        return Ok(next.to_owned());
    }
    Ok(format!("to find more, {}", changes(parsed).join("; ")))
}

/// Returns changes of a query with which it finds more.
fn changes(parsed: &Parsed) -> Vec<&'static str> {
    let mut ways = Vec::new();
    if parsed.wanted.len() > 1 {
        ways.push("leave out a word, or put OR between words of which one is enough");
    }
    if parsed.has_phrase {
        ways.push("leave out the quotation marks");
    }
    if parsed.wanted.len() == 1 && !parsed.has_phrase {
        let has_beginning = parsed.wanted.iter().flatten().any(|term| term.is_beginning);
        ways.push(if has_beginning {
            "try another word, or fewer letters before the *"
        } else {
            "try another word, or the beginning of it with a * (ferr*)"
        });
    }
    if !parsed.unwanted.is_empty() {
        ways.push("exclude less");
    }
    if !parsed.sources.is_empty() || !parsed.topics.is_empty() {
        ways.push("leave out the source or topic");
    }
    if parsed.since.is_some() {
        ways.push("search a longer time");
    }
    ways
}

/// Returns the error of a query that has nothing to search for, with what became of its words.
pub(super) fn no_word(parsed: &Parsed) -> ServiceError {
    let mut why = "the query holds no word to search for".to_owned();
    if !parsed.unwanted.is_empty() {
        why.push_str(", it only excludes words");
    }
    let reasons: Vec<&str> = parsed.notes.iter().take(MAX_REASONS).map(String::as_str).collect();
    if !reasons.is_empty() {
        why = format!("{why} ({})", reasons.join("; "));
    }
    ServiceError::invalid("q", format!("{why}; add one, or list the newest with source:, topic: or since:"))
}

#[cfg(test)]
mod tests {
    use super::super::query::parse;
    use super::*;

    #[test]
    fn a_query_without_a_word_is_refused_with_the_reason() {
        let long = "x".repeat(70);
        for (query, reason) in [
            ("?!", "holds no word to search for; add one"),
            ("-ferry", "holds no word to search for, it only excludes words; add one"),
            ("NOT ferry", "(NOT ferry was read as -ferry;"),
            (long.as_str(), "no word of such a length is indexed); add one"),
        ] {
            let error = no_word(&parse(query).unwrap()).to_string();
            assert!(error.contains(reason), "{query}: {error}");
        }
    }

    #[test]
    fn the_beginning_of_a_word_is_suggested_once() {
        let suggested = |query| changes(&parse(query).unwrap());
        assert_eq!(suggested("ferries"), ["try another word, or the beginning of it with a * (ferr*)"]);
        assert_eq!(suggested("ferri*"), ["try another word, or fewer letters before the *"]);
        assert_eq!(suggested("\"ferri*\""), ["leave out the quotation marks"]);
    }
}
