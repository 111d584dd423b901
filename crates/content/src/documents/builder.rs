//! Groups consecutive blocks into passages. Called by the readers of the formats.

use super::{Date, Document, DocumentStatus, Passage};
use crate::fold::{first_chars, fold_line};
use crate::sentences::sentences;

/// Maximum length of a passage in bytes. Passages end between blocks or, in a longer block, between sentences.
const PASSAGE_CHARS: usize = 1_400;
/// Longer section names are cut: some documents format whole paragraphs as headings.
const SECTION_CHARS: usize = 120;
/// Longer titles are cut.
const TITLE_CHARS: usize = 500;
/// Longer names of columns are cut, as each row repeats them.
const COLUMN_CHARS: usize = 120;
/// Separates the cells of a row.
const CELL_SEPARATOR: &str = " · ";

#[derive(Debug, Default)]
pub(super) struct Builder {
    title: Option<String>,
    /// The date in its metadata.
    dated: Option<Date>,
    section: Option<String>,
    /// The name of the open numbered clause.
    clause: Option<String>,
    /// The unit that names a section without a heading.
    unit: Unit,
    blocks: usize,
    /// The number of the first block of the open passage.
    first: usize,
    open: String,
    passages: Vec<Passage>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Unit {
    #[default]
    Paragraph,
    Page(usize),
}

impl Builder {
    /// Adds a heading of level 1 to 6. The first of level 1 becomes the document's title if no passage precedes it.
    pub(super) fn heading(&mut self, level: u8, text: &str) {
        let text = fold_line(text);
        if text.is_empty() {
            return;
        }
        self.end_passage();
        if level == 1 && self.title.is_none() && self.passages.is_empty() {
            self.title = Some(first_chars(&text, TITLE_CHARS).to_owned());
        }
        self.section = Some(first_chars(&text, SECTION_CHARS).to_owned());
    }

    /// Sets the title from the document's metadata, outside its text.
    pub(super) fn title(&mut self, text: &str) {
        let text = fold_line(text);
        if self.title.is_none() && !text.is_empty() {
            self.title = Some(first_chars(&text, TITLE_CHARS).to_owned());
        }
    }

    /// Adds a date from the document's metadata. The newest counts.
    pub(super) fn date(&mut self, date: Option<Date>) {
        self.dated = self.dated.max(date);
    }

    /// Starts a page: the blocks that follow are on it.
    pub(super) fn page(&mut self, number: usize) {
        self.end_passage();
        self.unit = Unit::Page(number);
        self.clause = None;
    }

    /// Starts a numbered clause, which is a section where no heading is, or ends the open one.
    pub(super) fn clause(&mut self, name: Option<String>) {
        if name.is_some() || self.clause.is_some() {
            self.end_passage();
        }
        self.clause = name.map(|name| first_chars(&fold_line(&name), SECTION_CHARS).to_owned());
    }

    /// Adds a paragraph, a list entry or a row.
    pub(super) fn block(&mut self, text: &str) {
        let text = fold_line(text);
        if text.is_empty() {
            return;
        }
        self.blocks += 1;
        if text.len() > PASSAGE_CHARS {
            return self.long_block(&text);
        }
        self.push(&text);
    }

    /// Splits a block between its sentences; a sentence that is too long is split anywhere.
    fn long_block(&mut self, text: &str) {
        let mut line = String::new();
        for sentence in sentences(text) {
            let mut rest = sentence;
            while rest.len() > PASSAGE_CHARS {
                let (part, remainder) = rest.split_at(rest.floor_char_boundary(PASSAGE_CHARS));
                self.push(part);
                rest = remainder;
            }
            if line.len() + rest.len() > PASSAGE_CHARS {
                self.push(&std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(rest);
        }
        self.push(&line);
    }

    fn push(&mut self, line: &str) {
        if line.is_empty() {
            return;
        }
        if !self.open.is_empty() && self.open.len() + line.len() > PASSAGE_CHARS {
            self.end_passage();
        }
        if self.open.is_empty() {
            self.first = self.blocks;
        } else {
            self.open.push('\n');
        }
        self.open.push_str(line);
    }

    fn end_passage(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let section = match (&self.section, &self.clause, self.unit) {
            (Some(section), ..) => section.clone(),
            (None, Some(clause), Unit::Page(page)) => format!("Page {page}, {clause}"),
            (None, Some(clause), Unit::Paragraph) => clause.clone(),
            (None, None, Unit::Page(page)) => format!("Page {page}"),
            (None, None, Unit::Paragraph) => format!("Paragraph {}", self.first),
        };
        self.passages.push(Passage { section, text: std::mem::take(&mut self.open) });
    }

    pub(super) fn finish(mut self) -> Document {
        self.end_passage();
        let status = DocumentStatus { dated: self.dated, is_replaced: false };
        Document { title: self.title, passages: self.passages, status }
    }
}

/// Formats a table's rows with the names of its columns.
#[derive(Debug, Default)]
pub(super) struct Rows {
    header: Vec<String>,
}

impl Rows {
    pub(super) fn header(&mut self, cells: Vec<String>) {
        self.header = cells;
    }

    /// The number of columns that have a name.
    pub(super) const fn columns(&self) -> usize {
        self.header.len()
    }

    /// Returns a row such as `Room: Spelt · Seats: 4`. Empty cells are omitted; a cell without a column name appears
    /// alone.
    pub(super) fn row(&self, cells: &[String]) -> String {
        let named = cells.iter().enumerate().filter(|(_, cell)| !cell.trim().is_empty()).map(|(at, cell)| {
            let name = self.header.get(at).map_or("", |name| first_chars(name.trim(), COLUMN_CHARS));
            let cell = cell.trim();
            if name.is_empty() { cell.to_owned() } else { format!("{name}: {cell}") }
        });
        named.collect::<Vec<_>>().join(CELL_SEPARATOR)
    }
}

/// Returns the cells of a table row in a passage, each with the name of its column, or of a part of a row; `None` for
/// text with fewer than two.
#[must_use]
pub fn row_cells(text: &str) -> Option<Vec<&str>> {
    let cells: Vec<&str> = text.split(CELL_SEPARATOR).collect();
    (cells.len() > 1).then_some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sections_are_split_between_blocks_and_keep_their_name() {
        let mut builder = Builder::default();
        builder.heading(2, "Tides");
        for number in 0..40 {
            builder.block(&format!(
                "High water number {number} comes fifty minutes later than the one of the day before."
            ));
        }
        let passages = builder.finish().passages;
        assert!(passages.len() > 2 && passages.iter().all(|passage| passage.section == "Tides"));
        assert!(passages.iter().all(|passage| passage.text.len() <= PASSAGE_CHARS && !passage.text.ends_with('\n')));
    }

    #[test]
    fn long_titles_and_names_of_columns_are_cut() {
        let mut builder = Builder::default();
        builder.heading(1, &"é".repeat(5_000));
        assert_eq!(builder.finish().title, Some("é".repeat(TITLE_CHARS)));
        let mut builder = Builder::default();
        builder.title(&"é".repeat(5_000));
        assert_eq!(builder.finish().title, Some("é".repeat(TITLE_CHARS)));
        let mut rows = Rows::default();
        rows.header(vec!["é".repeat(5_000)]);
        assert_eq!(rows.row(&["4".to_owned()]), format!("{}: 4", "é".repeat(COLUMN_CHARS)));
    }

    #[test]
    fn the_cells_of_a_row_can_be_told_apart() {
        let mut rows = Rows::default();
        rows.header(vec!["Room".to_owned(), "Seats".to_owned()]);
        let row = rows.row(&["Spelt".to_owned(), "4".to_owned()]);
        assert_eq!(row_cells(&row), Some(vec!["Room: Spelt", "Seats: 4"]));
        assert_eq!(row_cells("Room: Spelt has four seats."), None);
    }

    #[test]
    fn a_clause_names_a_section_until_it_ends() {
        let mut builder = Builder::default();
        builder.page(2);
        builder.block("One.");
        builder.clause(Some("4. Deposit".to_owned()));
        builder.block("Two.");
        builder.clause(None);
        builder.block("Three.");
        let sections: Vec<String> = builder.finish().passages.into_iter().map(|passage| passage.section).collect();
        assert_eq!(sections, ["Page 2", "Page 2, 4. Deposit", "Page 2"]);
    }

    #[test]
    fn a_block_without_an_end_is_cut() {
        let mut builder = Builder::default();
        builder.block(&"é".repeat(5_000));
        let passages = builder.finish().passages;
        assert_eq!(passages.iter().map(|passage| passage.text.chars().count()).sum::<usize>(), 5_000);
        assert!(passages.iter().all(|passage| passage.section == "Paragraph 1"));
    }
}
