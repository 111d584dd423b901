//! Lays out the cells of an HTML table, some of which span several columns or rows. Called by [`super::html`].

use super::builder::Rows;
use crate::markup::Tag;

/// Maximum columns or rows that one cell spans.
const MAX_SPAN: usize = 100;
/// Maximum columns of a row that spans fill.
const MAX_COLUMNS: usize = 200;
/// Longer cells are not repeated in the columns and rows that they span, in bytes.
const MAX_REPEATED_BYTES: usize = 300;
/// Maximum bytes that the tables of a document repeat. Further spans are empty.
const MAX_TOTAL_BYTES: usize = 1024 * 1024;
/// Attributes of a tag that are read.
const MAX_ATTRIBUTES: usize = 30;

/// How many columns and rows a cell spans; each at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    columns: usize,
    rows: usize,
}

impl Default for Span {
    fn default() -> Self {
        Self { columns: 1, rows: 1 }
    }
}

impl Span {
    /// Reads the attributes `colspan` and `rowspan`. A row span of 0 extends to the end of the table.
    pub(super) fn of(tag: &Tag<'_>) -> Self {
        let number = |wanted: &str| {
            let mut attributes = tag.attributes(MAX_ATTRIBUTES);
            let (_, value) = attributes.find(|(name, _)| name.eq_ignore_ascii_case(wanted))?;
            value.trim().parse::<usize>().ok()
        };
        let rows = match number("rowspan") {
            Some(0) => MAX_SPAN,
            rows => rows.unwrap_or(1),
        };
        Self { columns: number("colspan").unwrap_or(1).clamp(1, MAX_SPAN), rows: rows.min(MAX_SPAN) }
    }
}

/// A cell of a row above that extends into further rows.
#[derive(Debug, Clone, Default)]
struct Carried {
    rows: usize,
    text: String,
}

/// A table that is read row by row.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Rows,
    /// The open row, by column.
    cells: Vec<String>,
    /// How many cells began in the open row, and how many columns the last of them spans.
    begun: usize,
    last_columns: usize,
    /// By column.
    carried: Vec<Carried>,
    repeated_bytes: usize,
}

impl Table {
    /// Returns the next table of the document.
    pub(super) fn next(&self) -> Self {
        Self { repeated_bytes: self.repeated_bytes, ..Self::default() }
    }

    /// Whether no cell began in the open row.
    pub(super) const fn is_row_empty(&self) -> bool {
        self.begun == 0
    }

    /// Adds a cell to the open row, in the first column that no row above extends into. It is repeated in the columns
    /// that it spans and that have a name, and in all if it is a header.
    pub(super) fn cell(&mut self, text: String, span: Span, is_header: bool) {
        self.continue_rows();
        let first = self.cells.len();
        let columns = span.columns.min(MAX_COLUMNS.saturating_sub(first)).max(1);
        let repeated = self.repeated(&text, columns * span.rows - 1);
        for column in first..first + columns {
            let is_named = column == first || is_header || column < self.rows.columns();
            let again = if is_named { repeated.clone() } else { String::new() };
            if span.rows > 1 {
                self.carry(column, Carried { rows: span.rows - 1, text: again.clone() });
            }
            self.cells.push(again);
        }
        self.cells[first] = text;
        self.begun += 1;
        self.last_columns = columns;
    }

    /// Ends the open row. Returns its text; `None` for a row without cells of its own, and for a header, which names
    /// the columns of the rows below. A cell that alone spans the row is a text of its own.
    pub(super) fn end_row(&mut self, is_header: bool) -> Option<String> {
        let begun = std::mem::take(&mut self.begun);
        if begun == 0 {
            self.carried.iter_mut().for_each(|carried| carried.rows = carried.rows.saturating_sub(1));
            self.drop_ended();
            return None;
        }
        let is_alone = begun == 1 && self.last_columns > 1 && self.cells.len() == self.last_columns;
        while self.cells.len() < self.carried.len() {
            let before = self.cells.len();
            self.continue_rows();
            if self.cells.len() == before {
                self.cells.push(String::new());
            }
        }
        self.drop_ended();
        let cells = std::mem::take(&mut self.cells);
        if is_alone {
            return cells.into_iter().next();
        }
        if is_header {
            self.rows.header(cells);
            return None;
        }
        Some(self.rows.row(&cells))
    }

    /// Forgets the last columns that no row above extends into any more.
    fn drop_ended(&mut self) {
        while self.carried.last().is_some_and(|carried| carried.rows == 0) {
            self.carried.pop();
        }
    }

    /// Fills the next columns with the cells that rows above extend into them.
    fn continue_rows(&mut self) {
        while let Some(carried) = self.carried.get_mut(self.cells.len()).filter(|carried| carried.rows > 0) {
            carried.rows -= 1;
            self.cells.push(carried.text.clone());
        }
    }

    fn carry(&mut self, column: usize, carried: Carried) {
        if self.carried.len() <= column {
            self.carried.resize(column + 1, Carried::default());
        }
        self.carried[column] = carried;
    }

    /// Returns a text that is repeated so many times; nothing of one that is too long, and beyond the total.
    fn repeated(&mut self, text: &str, times: usize) -> String {
        let total = self.repeated_bytes + text.len().saturating_mul(times);
        if times == 0 || text.len() > MAX_REPEATED_BYTES || total > MAX_TOTAL_BYTES {
            return String::new();
        }
        self.repeated_bytes = total;
        text.to_owned()
    }
}
