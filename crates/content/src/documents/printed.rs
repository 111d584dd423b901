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
/// The same in words.
const MAX_HEADING_WORDS: usize = 6;
/// A row begins with a name and a colon within so many bytes.
const MAX_LABEL_BYTES: usize = 32;
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
        let layout = Layout { page, is_wrapped: has_blank_lines(pages[page]), has_headings: !is_paged, known: &known };
        all.extend(paragraphs(text, layout));
    }
    let may_be_clause = |paragraph: &Paragraph| paragraph.is_apart || paragraph.text.len() > MAX_ENTRY_BYTES;
    let texts: Vec<Option<&str>> =
        all.iter().map(|paragraph| may_be_clause(paragraph).then_some(paragraph.text.as_str())).collect();
    let clauses = clauses(&texts);
    let mut builder = Builder::default();
    builder.title(head.as_deref().unwrap_or_default());
    let mut open_page = None;
    for (at, Paragraph { page, heading, text, is_apart }) in all.iter().enumerate() {
        if is_paged && open_page != Some(*page) {
            builder.page(page + 1);
            open_page = Some(*page);
        }
        let clause = clauses.get(&at);
        // Within numbered clauses a line of its own is a part of the text.
        let section = heading.as_ref().filter(|_| clauses.is_empty());
        if clause.is_some() || section.is_some() || is_in_capitals(text) || clauses.is_empty() && *is_apart {
            builder.clause(clause.map(Clause::name).or_else(|| section.cloned()));
        }
        match heading {
            Some(heading) if section.is_none() => builder.block(&format!("{heading} {text}")),
            _ => builder.block(clause.map_or(text.as_str(), |clause| clause.text)),
        }
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
    /// The first line of a paragraph may be its heading. The lines of a PDF file are too irregular.
    has_headings: bool,
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
    /// The heading in the line above it.
    heading: Option<String>,
    text: String,
    /// A blank line or the beginning of the page is above it.
    is_apart: bool,
}

/// Returns the paragraphs of a page.
fn paragraphs(text: &str, layout: Layout<'_>) -> Vec<Paragraph> {
    let mut found: Vec<Paragraph> = Vec::new();
    let (mut open, mut is_apart, mut heading) = (String::new(), layout.is_wrapped, None);
    let lines: Vec<&str> = text.trim().lines().map(str::trim).chain([""]).collect();
    let width = lines.iter().map(|line| line.len()).max().unwrap_or_default();
    for (number, line) in lines.iter().copied().enumerate() {
        let is_beginning = layout.page == 0 && number < BEGINNING_LINES;
        // The first lines of a text are its title.
        let may_be_heading = layout.has_headings && is_apart && open.is_empty() && !(is_beginning && found.is_empty());
        if may_be_heading && lines.get(number + 1).is_some_and(|next| is_heading_of(line, next, width)) {
            heading = Some(line.to_owned());
            is_apart = false;
            continue;
        }
        let joint = if line.is_empty() { Joint::Space } else { joint(&open, line, layout.known) };
        let is_new = !layout.is_wrapped || line.is_empty() || begins_block(&open, line, is_beginning);
        if joint == Joint::Space && is_new {
            let text = std::mem::take(&mut open);
            if !text.is_empty() {
                found.push(Paragraph { page: layout.page, heading: heading.take(), text, is_apart });
            }
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

/// Returns whether the first line of a paragraph is its heading: a few words without a full stop, below which a
/// sentence begins that would have fitted into the line. `width`: the length of the longest line.
fn is_heading_of(line: &str, next: &str, width: usize) -> bool {
    let first = next.split_whitespace().next().unwrap_or_default();
    let is_short = line.len() <= MAX_HEADING_BYTES && line.split_whitespace().count() <= MAX_HEADING_WORDS;
    let is_written = line.starts_with(char::is_uppercase) && line.ends_with(|c: char| c.is_alphanumeric() || c == ')');
    let is_broken = next.starts_with(char::is_uppercase) && line.len() + 1 + first.len() <= width;
    is_short && is_written && is_broken && !is_in_capitals(line) && Clause::of(line).is_none() && !is_date_line(line)
}

/// Returns whether a line is no continuation of the paragraph above it.
fn begins_block(open: &str, line: &str, is_beginning: bool) -> bool {
    let is_list_entry = line.starts_with(['-', '*', '•']);
    let below_capitals = is_in_capitals(open) && !is_in_capitals(line);
    let is_row = is_row(open) && is_row(line);
    let has_date = is_beginning && (is_date_line(line) || is_date_line(open));
    is_list_entry || below_capitals || is_row || has_date || is_next_number(open, line) || is_below_heading(open, line)
}

/// Returns whether a text begins like the row of a list, with a name and a colon: "Monday: closed".
fn is_row(text: &str) -> bool {
    let start = &text[..text.floor_char_boundary(MAX_LABEL_BYTES)];
    let label = start.split_once(": ").map_or("", |(label, _)| label);
    label.starts_with(char::is_uppercase) && label.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '.'))
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
    fn a_short_line_above_a_sentence_is_the_heading_of_its_paragraph_alone() {
        let printed = "QUAY SCHOOL\nThe laundry\nUpdated 3 March 2026\n\nPaying\nA wash costs 2.20 pounds, and a dryer \
                       costs\nmore.\n\nAsk the keeper if the machine is broken.\n\nHelp (by day)\nSay what\nIda told you.\n\
                       \nWeek A\nMonday: Sandholme, 10.15\nTuesday: Ember, 9.45";
        let expected = [
            ("Paragraph 1", "QUAY SCHOOL\nThe laundry\nUpdated 3 March 2026"),
            ("Paying", "A wash costs 2.20 pounds, and a dryer costs more."),
            ("Paragraph 5", "Ask the keeper if the machine is broken."),
            ("Help (by day)", "Say what Ida told you."),
            ("Week A", "Monday: Sandholme, 10.15\nTuesday: Ember, 9.45"),
        ];
        assert_eq!(passages(printed), expected.map(|(section, text)| (section.to_owned(), text.to_owned())));
    }

    #[test]
    fn a_line_that_is_only_narrow_and_one_within_clauses_is_no_heading() {
        let narrow = "First.\n\nIt is in\nNATO\nand more.\n\nEnd.";
        assert_eq!(text(narrow), "First.\nIt is in NATO and more.\nEnd.");
        let clauses =
            "Terms.\n\n1. Quay. It is wide.\n\nFees for boats\nBoats pay nine euros a night.\n\n2. Keys. At the desk.";
        assert_eq!(
            passages(clauses)[1],
            ("1. Quay".to_owned(), "Quay. It is wide.\nFees for boats Boats pay nine euros a night.".to_owned())
        );
        let pages = read(&["First.\n\nPaying\nA wash costs 2.20 pounds."], true);
        assert_eq!(pages.passages[0].text, "First.\nPaying A wash costs 2.20 pounds.");
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
