//! Reads printed text, which has no markup: plain text and the pages of PDF files. Joins wrapped lines and the words
//! that are divided between them, and finds numbered clauses. Called by the readers of both.

use std::collections::HashSet;

use super::Document;
use super::builder::Builder;
use super::clauses::{Clause, clauses};
use super::dates::dates;
use super::pages::{Pages, without_running_lines};
use super::stated_dates::{date_alone, stated_dates};

/// Lines at the beginning of a text of which one may be the date of the document.
const BEGINNING_LINES: usize = 8;
/// A longer line is not only a date.
const MAX_DATE_BYTES: usize = 100;
/// How much of a text tells whether it is in capitals, in bytes.
const START_BYTES: usize = 80;
/// A numbered paragraph below another is the entry of a list if it is not longer.
const MAX_ENTRY_BYTES: usize = 80;
/// How much of the end of a text is searched for a divided word, in bytes.
const END_BYTES: usize = 100;
/// A longer line with a number is not only the heading of a clause: it is wrapped.
const MAX_HEADING_BYTES: usize = 48;
/// Minimum number of letters of a line in capitals.
const MIN_CAPITALS: usize = 4;

const HYPHENS: [char; 2] = ['-', '‐'];
/// May stand between words at the end of a line, and is not shown elsewhere.
const SOFT_HYPHEN: char = '\u{ad}';
/// Words before which a hyphen stands for the rest of a compound: "pre- and post-war".
const CONJUNCTIONS: [&str; 12] = ["and", "or", "to", "nor", "und", "oder", "bis", "bzw", "et", "ou", "y", "o"];

/// Reads the pages of a text. `is_paged`: each page is a section.
pub(super) fn read(pages: &[&str], is_paged: bool) -> Document {
    let Pages { texts, head } = without_running_lines(pages);
    let known = words_of_divided(&texts);
    let mut all: Vec<Paragraph> = Vec::new();
    for (page, text) in texts.iter().enumerate() {
        let layout = Layout { page, is_wrapped: has_blank_lines(pages[page]), known: &known };
        all.extend(paragraphs(text, layout));
    }
    let may_be_clause = |paragraph: &Paragraph| paragraph.is_apart || paragraph.text.len() > MAX_ENTRY_BYTES;
    let texts: Vec<Option<&str>> =
        all.iter().map(|paragraph| may_be_clause(paragraph).then_some(paragraph.text.as_str())).collect();
    let clauses = clauses(&texts);
    let mut builder = Builder::default();
    builder.title(head.as_deref().unwrap_or_default());
    let mut open_page = None;
    for (at, Paragraph { page, text, .. }) in all.iter().enumerate() {
        if is_paged && open_page != Some(*page) {
            builder.page(page + 1);
            open_page = Some(*page);
        }
        let clause = clauses.get(&at);
        if clause.is_some() || is_in_capitals(text) {
            builder.clause(clause.map(Clause::name));
        }
        builder.block(clause.map_or(text.as_str(), |clause| clause.text));
    }
    builder.finish()
}

/// How the lines of a page are to be read.
#[derive(Debug, Clone, Copy)]
struct Layout<'k> {
    /// From 0.
    page: usize,
    /// A paragraph may have several lines. In a page without blank lines, each line is a paragraph.
    is_wrapped: bool,
    /// The words of the document, if a line of it ends with a hyphen.
    known: &'k HashSet<String>,
}

fn has_blank_lines(text: &str) -> bool {
    text.trim().lines().any(|line| line.trim().is_empty())
}

/// A paragraph or list entry.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Paragraph {
    page: usize,
    text: String,
    /// A blank line or the beginning of the page is above it.
    is_apart: bool,
}

/// Returns the paragraphs of a page.
fn paragraphs(text: &str, layout: Layout<'_>) -> Vec<Paragraph> {
    let mut found: Vec<Paragraph> = Vec::new();
    let (mut open, mut is_apart) = (String::new(), layout.is_wrapped);
    for (number, line) in text.trim().lines().chain([""]).enumerate() {
        let line = line.trim();
        let is_beginning = layout.page == 0 && number < BEGINNING_LINES;
        let joint = if line.is_empty() { Joint::Space } else { joint(&open, line, layout.known) };
        let is_new = !layout.is_wrapped || line.is_empty() || begins_block(&open, line, is_beginning);
        if joint == Joint::Space && is_new {
            let text = std::mem::take(&mut open);
            found.extend((!text.is_empty()).then_some(Paragraph { page: layout.page, text, is_apart }));
            is_apart = layout.is_wrapped && line.is_empty();
        }
        match joint {
            Joint::Space if !open.is_empty() => open.push(' '),
            Joint::Divided => drop(open.pop()),
            Joint::Space | Joint::Hyphen => {}
        }
        open.push_str(line);
    }
    found
}

/// Returns whether a line is no continuation of the paragraph above it.
fn begins_block(open: &str, line: &str, is_beginning: bool) -> bool {
    let is_list_entry = line.starts_with(['-', '*', '•']);
    let below_capitals = is_in_capitals(open) && !is_in_capitals(line);
    let has_date = is_beginning && (is_date_line(line) || is_date_line(open));
    is_list_entry || below_capitals || has_date || is_next_number(open, line) || is_below_heading(open, line)
}

fn is_in_capitals(text: &str) -> bool {
    let start = &text[..text.floor_char_boundary(START_BYTES)];
    let is_capital = |c: char| c.is_uppercase();
    start.chars().filter(|c| c.is_alphabetic()).all(is_capital)
        && start.chars().filter(|c| is_capital(*c)).nth(MIN_CAPITALS - 1).is_some()
}

/// Returns whether a line states a date of the document and nothing else: "Issue 4, January 2026". A date within a
/// sentence may fill a line, too, but does not begin with a capital and end without a full stop.
fn is_date_line(line: &str) -> bool {
    if line.len() > MAX_DATE_BYTES || !line.starts_with(char::is_uppercase) || line.ends_with('.') {
        return false;
    }
    let found = dates(line);
    let is_last = |place: usize| !line[place..].contains(char::is_alphanumeric);
    found.last().is_some_and(|found| is_last(found.place.end))
        && (date_alone(line).is_some() || !stated_dates(line).is_empty())
}

/// Returns whether a line has the number after that of the paragraph above it.
fn is_next_number(open: &str, line: &str) -> bool {
    let (Some(above), Some(below)) = (Clause::of(open), Clause::of(line)) else { return false };
    below.is_next_of(&above)
}

/// Returns whether the paragraph above is only the heading of a clause: "4. Cancellation".
fn is_below_heading(open: &str, line: &str) -> bool {
    let is_heading = |clause: Clause<'_>| clause.is_heading();
    line.starts_with(char::is_uppercase) && open.len() <= MAX_HEADING_BYTES && Clause::of(open).is_some_and(is_heading)
}

/// How a line is joined to the one above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joint {
    Space,
    /// The line above ends with the hyphen of a compound.
    Hyphen,
    /// It ends with a hyphen that only divides a word.
    Divided,
}

/// Returns how a line continues the text above it. A word that is divided after a small letter and goes on with one is
/// whole without the hyphen, unless only the form with the hyphen is a word of the text elsewhere.
fn joint(open: &str, line: &str, known: &HashSet<String>) -> Joint {
    if open.ends_with(SOFT_HYPHEN) {
        return Joint::Divided;
    }
    let end = &open[open.ceil_char_boundary(open.len().saturating_sub(END_BYTES))..];
    let Some(before) = end.strip_suffix(HYPHENS) else { return Joint::Space };
    let head = before.rsplit(|c: char| !is_of_word(c)).next().unwrap_or_default();
    let tail = line.split(|c: char| !is_of_word(c)).next().unwrap_or_default().trim_end_matches(HYPHENS);
    let (whole, rest) = (lower(head), lower(tail));
    let is_between_words = before.ends_with(char::is_alphanumeric) && tail.starts_with(char::is_alphanumeric);
    if !is_between_words || CONJUNCTIONS.contains(&rest.as_str()) {
        return Joint::Space;
    }
    let part = whole.rsplit('-').next().unwrap_or_default();
    let is_small = before.ends_with(char::is_lowercase) && tail.starts_with(char::is_lowercase);
    if !is_small || part.chars().nth(1).is_none() || is_name(before) {
        return Joint::Hyphen;
    }
    let is_compound = part.len() < whole.len() || known.contains(&format!("{whole}-{rest}"));
    if is_compound && !known.contains(&format!("{part}{rest}")) { Joint::Hyphen } else { Joint::Divided }
}

/// Returns whether a text ends with a part of an address, path or option, whose hyphens belong to it.
fn is_name(text: &str) -> bool {
    let last = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    last.starts_with('-') || last.contains(['/', '\\', '@', ':', '_', '.', '='])
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || HYPHENS.contains(&c)
}

/// Returns a word in lower case, with one kind of hyphens, and none at its beginning.
fn lower(word: &str) -> String {
    word.trim_start_matches(HYPHENS).to_lowercase().replace('‐', "-")
}

/// Returns all words of a text in lower case; none if no line of it ends with a hyphen.
fn words_of_divided(pages: &[String]) -> HashSet<String> {
    let is_divided = |page: &String| page.lines().any(|line| line.trim_end().ends_with(HYPHENS));
    if !pages.iter().any(is_divided) {
        return HashSet::new();
    }
    let words = pages.iter().flat_map(|page| page.split(|c: char| !is_of_word(c)));
    words.map(|word| lower(word.trim_end_matches(HYPHENS))).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;
    use proptest::prelude::*;

    use super::super::read as read_file;
    use super::read;
    use crate::deadline::in_time;

    fn passages(text: &str) -> Vec<(String, String)> {
        read(&[text], false).passages.into_iter().map(|passage| (passage.section, passage.text)).collect()
    }

    fn text(printed: &str) -> String {
        passages(printed).into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn divided_words_are_whole_and_compounds_keep_their_hyphens() {
        for (printed, joined) in [
            ("Fog is for-\n   bidden on Sun-\n   days.", "Fog is forbidden on Sundays."),
            ("It is a well-\nknown pier.\n\nIt is well-known.", "It is a well-known pier.\nIt is well-known."),
            ("It is forbid-\nden.\n\nForbidden, or for-bid-den.", "It is forbidden.\nForbidden, or for-bid-den."),
            ("The pre-\nand post-war days.", "The pre- and post-war days."),
            ("It has COVID-\n19, says Anglo-\nSaxon.", "It has COVID-19, says Anglo-Saxon."),
            ("See https://a.example/for-\nbidden now.", "See https://a.example/for-bidden now."),
            ("A state-of-the-\nart lamp, by e-\nmail.", "A state-of-the-art lamp, by e-mail."),
            ("Ten euros -\nnot more.", "Ten euros - not more."),
            ("It is for\u{ad}\nbidden.", "It is forbidden."),
        ] {
            assert_eq!(text(&format!("{printed}\n\nEnd.")), format!("{joined}\nEnd."));
        }
        assert_eq!(text("It is for-\nbidden.\nBoats pay nothing."), "It is forbidden.\nBoats pay nothing.");
    }

    #[test]
    fn numbered_clauses_are_sections() {
        let terms = "Terms for the quay.\n\n1. The quay. It is\n   8.2 m wide.\n\n2. Fees\nBoats pay nine euros a \
                     night.\n\nA boat of a member pays six.\n\n3. Whoever leaves the quay at night and returns within an hour \
                     pays once.\n\n3.1 Keys. They are at the desk.";
        let expected = [
            ("Paragraph 1", "Terms for the quay."),
            ("1. The quay", "The quay. It is 8.2 m wide."),
            ("2. Fees", "Fees\nBoats pay nine euros a night.\nA boat of a member pays six."),
            ("No. 3", "Whoever leaves the quay at night and returns within an hour pays once."),
            ("3.1 Keys", "Keys. They are at the desk."),
        ];
        assert_eq!(passages(terms), expected.map(|(section, text)| (section.to_owned(), text.to_owned())));
        let law = "§ 3 Mooring. Lines are doubled.\n\n1. Bow line.\n\n2. Stern line.\n\n§ 4a\nBoats leave at noon.\n";
        let sections: Vec<String> = passages(law).into_iter().map(|(section, _)| section).collect();
        assert_eq!(sections, ["§ 3 Mooring", "§ 4a"]);
    }

    #[test]
    fn dates_amounts_and_a_number_alone_are_no_clauses() {
        for text in [
            "3. Mai 2025\n\n4. Juni 2025",
            "1. May 2025\n\n2. June 2025",
            "8.2 Metres wide.\n\n9.1 Metres deep.",
            "1. Only this.\n\nNothing else.",
            "1 Harbour Road\n\n2 Harbour Road",
            "1. in lower case\n\n2. as well",
        ] {
            assert!(passages(text).iter().all(|(section, _)| section == "Paragraph 1"), "{text}");
        }
    }

    #[test]
    fn lines_in_capitals_and_numbered_entries_stay_apart() {
        let lines = "QUAY SCHOOL\nRULES OF THE QUAY\nIt opens at\nnine. Bring:\n\n1. Boots\n2. A coat\n3. Gloves";
        assert_eq!(
            text(lines),
            "QUAY SCHOOL RULES OF THE QUAY\nIt opens at nine. Bring:\n1. Boots\n2. A coat\n3. Gloves"
        );
        assert_eq!(text("It is in\nNATO\nand the EU.\n\nEnd."), "It is in NATO and the EU.\nEnd.");
    }

    #[test]
    fn a_line_at_the_beginning_dates_a_text() {
        let date = |text: &str| read_file("terms.txt", text.as_bytes()).unwrap().status.dated;
        for (line, year, month) in [
            ("Issue 4, January 2026", 2026, 1),
            ("Issue 4, January 2026          Page 1 of 3", 2026, 1),
            ("Edition of March 2025", 2025, 3),
            ("Vienna, 1 March 2025", 2025, 3),
        ] {
            let text = format!("QUAY SCHOOL\nTerms for the Hire of the Hall\n{line}\n\nIt seats 90.");
            assert_eq!(date(&text), NaiveDate::from_ymd_opt(year, month, 1), "{line}");
        }
        assert_eq!(date("The hall was built in\nMay 2019.\nIt seats 90.\n\nEnd."), None);
        assert_eq!(date("The hall was\nupdated on 3 May 2019\nand seats 90.\n\nEnd."), None);
    }

    #[test]
    fn hostile_texts_are_read_in_time() {
        let size = 100_000;
        for text in [
            format!("a\n\n{}", "for-\n".repeat(size)),
            format!("a\n\n{}", "12 13\n".repeat(size)),
            format!("a\n\n{}", "NATO \u{4e00}\n".repeat(size)),
            "Page 1 of 3\n".repeat(size),
        ] {
            in_time("a printed text", move || read(&[text.as_str()], false));
        }
        let pages = vec!["Head 1\nText.\n2 Foot"; size / 10];
        in_time("many pages", move || read(&pages, true));
    }

    proptest! {
        #[test]
        fn never_panics_and_leaves_no_empty_passage(text in "(?s).{0,300}|[-§1-3a.A:) \\n\u{c}ag-]{0,300}") {
            let pages: Vec<&str> = text.split('\u{c}').collect();
            for document in [read(&pages, true), read(&pages, false)] {
                prop_assert!(document.passages.iter().all(|p| !p.text.is_empty() && !p.section.is_empty()));
            }
        }
    }
}
