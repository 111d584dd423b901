//! Blocks in their order become passages. Called by the readers of the formats.

use super::{Document, Passage, Standing};
use crate::fold::fold_line;
use crate::sentences::sentences;

/// A passage that grows longer is ended, at the end of a block.
const PASSAGE_CHARS: usize = 1_400;
/// Longer section names are cut: some documents set whole paragraphs as headings.
const SECTION_CHARS: usize = 120;

#[derive(Debug, Default)]
pub(super) struct Builder {
    title: Option<String>,
    section: Option<String>,
    /// What a part without a heading is counted in.
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
    /// A heading of level 1 to 6. The first of level 1 is the document's title, if no text stands before it.
    pub(super) fn heading(&mut self, level: u8, text: &str) {
        let text = fold_line(text);
        if text.is_empty() {
            return;
        }
        self.end_passage();
        if level == 1 && self.title.is_none() && self.passages.is_empty() {
            self.title = Some(text.clone());
        }
        let end = text.char_indices().nth(SECTION_CHARS).map_or(text.len(), |(at, _)| at);
        self.section = Some(text[..end].to_owned());
    }

    /// The document's own title, which stands outside its text.
    pub(super) fn title(&mut self, text: &str) {
        let text = fold_line(text);
        if self.title.is_none() && !text.is_empty() {
            self.title = Some(text);
        }
    }

    /// The blocks that follow stand on this page.
    pub(super) fn page(&mut self, number: usize) {
        self.end_passage();
        self.unit = Unit::Page(number);
    }

    /// A paragraph, a list entry or a row.
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

    /// Split between its sentences; what has none, anywhere.
    fn long_block(&mut self, text: &str) {
        let mut line = String::new();
        for sentence in sentences(text) {
            let mut rest = sentence;
            while rest.len() > PASSAGE_CHARS {
                let (part, behind) = rest.split_at(rest.floor_char_boundary(PASSAGE_CHARS));
                self.push(part);
                rest = behind;
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
        let section = match (&self.section, self.unit) {
            (Some(section), _) => section.clone(),
            (None, Unit::Page(page)) => format!("Page {page}"),
            (None, Unit::Paragraph) => format!("Paragraph {}", self.first),
        };
        self.passages.push(Passage { section, text: std::mem::take(&mut self.open) });
    }

    pub(super) fn finish(mut self) -> Document {
        self.end_passage();
        Document { title: self.title, passages: self.passages, standing: Standing::default() }
    }
}

/// A table's rows, each with the names of its columns.
#[derive(Debug, Default)]
pub(super) struct Rows {
    header: Vec<String>,
}

impl Rows {
    pub(super) fn header(&mut self, cells: Vec<String>) {
        self.header = cells;
    }

    /// `Room: Spelt · Seats: 4`; cells without a text or a column's name stand alone.
    pub(super) fn row(&self, cells: &[String]) -> String {
        let named = cells.iter().enumerate().filter(|(_, cell)| !cell.trim().is_empty()).map(|(at, cell)| {
            let (cell, name) = (cell.trim(), self.header.get(at).map_or("", |name| name.trim()));
            if name.is_empty() { cell.to_owned() } else { format!("{name}: {cell}") }
        });
        named.collect::<Vec<_>>().join(" · ")
    }
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
    fn a_block_without_an_end_is_cut() {
        let mut builder = Builder::default();
        builder.block(&"é".repeat(5_000));
        let passages = builder.finish().passages;
        assert_eq!(passages.iter().map(|passage| passage.text.chars().count()).sum::<usize>(), 5_000);
        assert!(passages.iter().all(|passage| passage.section == "Paragraph 1"));
    }
}
