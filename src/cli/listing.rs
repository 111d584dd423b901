//! Tables and texts that stay readable in a narrow terminal. A column that has no room is written below its row, whole,
//! instead of being broken into pieces, and a text is broken between words. Called by the commands that list or explain
//! something; output that is no terminal has all columns and unbroken lines.

use std::fmt;

use comfy_table::{ContentArrangement, Table, presets};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::output;

/// Columns by which text below a row is indented.
const INDENT: usize = 4;
/// Asks for the character before it as an emoji.
const EMOJI_SELECTOR: char = '\u{fe0f}';

/// A table, one line a row.
#[derive(Debug)]
pub(super) struct Listing {
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
    /// The columns in the order in which they leave the table if it is too wide.
    leaving: Vec<usize>,
}

impl Listing {
    /// Makes a table without rows. If it is too wide, the columns named in `below` leave it first, in that order, then
    /// the last ones. One without a heading is left out.
    pub(super) fn new(headings: &[&str], below: &[&str]) -> Self {
        let first = below.iter().filter_map(|name| headings.iter().position(|heading| heading == name));
        let mut leaving: Vec<usize> = first.collect();
        let others: Vec<usize> = (1..headings.len()).rev().filter(|column| !leaving.contains(column)).collect();
        leaving.extend(others);
        Self { headings: headings.iter().map(|heading| (*heading).to_owned()).collect(), rows: Vec::new(), leaving }
    }

    /// Adds a row. Terminal control sequences are removed, and a line break becomes a space.
    pub(super) fn add_row<C: Into<String>>(&mut self, cells: impl IntoIterator<Item = C>) {
        let one_line = |cell: C| {
            let cell: String = cell.into();
            output::one_safe_text(&cell).replace('\n', " ")
        };
        self.rows.push(cells.into_iter().map(one_line).collect());
    }

    /// Renders it in at most `width` columns; `None` for any number.
    fn render(&self, width: Option<usize>) -> String {
        let mut kept: Vec<usize> = (0..self.headings.len()).collect();
        let mut leaving = self.leaving.iter();
        loop {
            let lines = self.lines(&kept);
            let widest = lines.iter().map(|line| columns(line)).max().unwrap_or_default();
            let is_too_wide = width.is_some_and(|width| widest > width);
            match leaving.next().filter(|_| is_too_wide) {
                Some(column) => kept.retain(|kept| kept != column),
                None => return self.with_rest(&lines, &kept, width),
            }
        }
    }

    /// Returns the heading and a line for each row, of these columns.
    fn lines(&self, kept: &[usize]) -> Vec<String> {
        let of = |cells: &[String]| -> Vec<String> {
            kept.iter().map(|column| cells.get(*column).cloned().unwrap_or_default()).collect()
        };
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(of(&self.headings));
        for row in &self.rows {
            table.add_row(of(row));
        }
        table.to_string().lines().map(|line| line.trim_end().to_owned()).collect()
    }

    /// Writes the cells of the other columns below each row.
    fn with_rest(&self, lines: &[String], kept: &[usize], width: Option<usize>) -> String {
        let mut text: Vec<String> = lines.iter().take(1).cloned().collect();
        for (line, row) in lines.iter().skip(1).zip(&self.rows) {
            text.push(line.clone());
            let others = self.headings.iter().zip(row).enumerate().filter(|(column, _)| !kept.contains(column));
            let shown = others.filter(|(_, (heading, cell))| !heading.is_empty() && !cell.is_empty() && *cell != "–");
            let mut below = String::new();
            for part in shown.map(|(_, (heading, cell))| format!("{heading}: {cell}")) {
                let is_fitting = width.is_none_or(|width| columns(&below) + 3 + columns(&part) <= width);
                if below.is_empty() || !is_fitting {
                    text.extend(hang(&below, INDENT, width));
                    below = format!("{:INDENT$}{part}", "");
                } else {
                    below.push_str(" · ");
                    below.push_str(&part);
                }
            }
            text.extend(hang(&below, INDENT, width));
        }
        text.join("\n")
    }
}

/// In the width of the terminal, if standard output is one.
impl fmt::Display for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(output::terminal_width()))
    }
}

/// Wraps the lines of a text to the terminal, if there is one, each with the indentation that `indent_of` returns for
/// what follows its first line.
pub(super) fn hung(text: &str, indent_of: impl Fn(&str) -> usize) -> String {
    let Some(width) = output::terminal_width() else { return text.to_owned() };
    let wrapped = text.lines().map(|line| hang(line, indent_of(line), Some(width)).join("\n"));
    wrapped.collect::<Vec<_>>().join("\n")
}

/// Breaks a line at spaces into lines of at most `width` columns, those after the first indented. The first `indent`
/// characters are not broken, and a word that is too long for a line, such as an address, stays whole. None of an empty
/// line.
pub(super) fn hang(line: &str, indent: usize, width: Option<usize>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = line.trim_end().to_owned();
    while let Some(at) = width.and_then(|width| break_of(&rest, indent, width)) {
        lines.push(rest[..at].trim_end().to_owned());
        rest = format!("{:indent$}{}", "", rest[at..].trim_start());
    }
    if !rest.trim().is_empty() {
        lines.push(rest);
    }
    lines
}

/// Returns the space at which a line is to be broken: the last one within the width, else the first one after it.
fn break_of(line: &str, indent: usize, width: usize) -> Option<usize> {
    let mut used = 0;
    let mut last = None;
    let mut before = "";
    for (index, (at, c)) in line.char_indices().enumerate() {
        let is_break = c == ' ' && index > indent && !line[..at].ends_with(' ');
        if is_break && (used <= width || last.is_none()) {
            last = Some(at);
        }
        let end = at + c.len_utf8();
        // A variation selector can make the character before it an emoji, which is wider.
        used += match c {
            EMOJI_SELECTOR => line[at - before.len()..end].width() - before.width(),
            _ => c.width().unwrap_or(0),
        };
        before = &line[at..end];
    }
    last.filter(|_| used > width)
}

/// Returns the columns that a text without control characters takes.
fn columns(text: &str) -> usize {
    text.width()
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "file:///work/examples/feeds/commit-and-tell.xml";

    fn sources() -> Listing {
        let mut listing = Listing::new(&["id", "name", "url", "what is wrong", "health"], &["what is wrong", "url"]);
        listing.add_row(["8c396de6", "Commit & Tell", URL, "", "ok"]);
        listing.add_row(["ba79d1ed", "Field\nLab", "https://b.example/", "it timed out after a while", "failing"]);
        listing
    }

    #[test]
    fn a_table_that_fits_has_all_columns() {
        let text = sources().render(None);
        assert_eq!(text.lines().count(), 3);
        let cells: Vec<&str> = text.lines().nth(2).unwrap().split("  ").filter(|cell| !cell.is_empty()).collect();
        let expected = ["ba79d1ed", "Field Lab", "https://b.example/", "it timed out after a while", "failing"];
        assert_eq!(cells.iter().map(|cell| cell.trim()).collect::<Vec<_>>(), expected);
        assert_eq!(sources().render(Some(200)), text);
    }

    #[test]
    fn columns_without_room_are_written_whole_below_their_rows() {
        let text = sources().render(Some(60));
        assert!(text.lines().all(|line| columns(line) <= 60), "{text}");
        assert!(!text.lines().next().unwrap().contains("url"), "{text}");
        assert!(text.contains(&format!("\n    url: {URL}\n")), "{text}");
        let below = "\n    url: https://b.example/\n    what is wrong: it timed out after a while";
        assert!(text.ends_with(below), "{text}");
        assert!(!text.contains("wrong: \n"), "an empty cell is not written: {text}");
    }

    #[test]
    fn ids_and_words_stay_whole_however_narrow_it_is() {
        let text = sources().render(Some(20));
        for whole in ["8c396de6", URL, "ba79d1ed", "failing"] {
            assert!(text.contains(whole), "{whole}: {text}");
        }
    }

    #[test]
    fn a_line_is_broken_behind_its_indentation() {
        assert_eq!(hang("ok     a b c d", 7, Some(10)), ["ok     a b", "       c d"]);
        assert_eq!(hang("  one two", 4, Some(7)), ["  one", "    two"]);
        let address = format!("  {URL}");
        assert_eq!(hang(&format!("  see {URL} there"), 2, Some(20)), ["  see", address.as_str(), "  there"]);
        assert_eq!(hang("as it is", 2, None), ["as it is"]);
        assert_eq!(hang("🌡\u{fe0f}🌡\u{fe0f} ab cd", 0, Some(7)), ["🌡\u{fe0f}🌡\u{fe0f} ab", "cd"]);
        assert_eq!(hang("🌡\u{fe0f}🌡\u{fe0f} ab cd", 0, Some(6)), ["🌡\u{fe0f}🌡\u{fe0f}", "ab cd"]);
        assert!(hang("", 4, Some(10)).is_empty());
    }
}
