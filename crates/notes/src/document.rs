//! One file of notes: its unmodified lines, and the blocks parsed from them.
//!
//! Input: the text of a file. Output: the same text byte for byte, except for what [`crate::edit`] changed. Unknown
//! syntax is preserved.

use std::collections::HashMap;

use aha_core::ids::NoteBlockId;

use crate::block::{Block, Kind};
use crate::lines::{Line, join, split};
use crate::opaque::{front_matter, interior};
use crate::property::{self, Property, block_id, without_block_id};
use crate::{markdown, outline};

/// File format of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Logseq's outline.
    Outline,
    /// Headings, lists and paragraphs, as in Obsidian.
    Markdown,
}

/// A parsed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    pub(crate) format: Format,
    has_byte_order_mark: bool,
    pub(crate) lines: Vec<Line>,
    pub(crate) blocks: Vec<Block>,
}

const BYTE_ORDER_MARK: char = '\u{feff}';

impl Document {
    #[must_use]
    pub fn parse(format: Format, text: &str) -> Self {
        let without = text.strip_prefix(BYTE_ORDER_MARK);
        Self::from_lines(format, without.is_some(), split(without.unwrap_or(text)))
    }

    pub(crate) fn from_lines(format: Format, has_byte_order_mark: bool, lines: Vec<Line>) -> Self {
        let blocks = match format {
            Format::Outline => outline::parse(&lines),
            Format::Markdown => markdown::parse(&lines),
        };
        Self { format, has_byte_order_mark, lines, blocks }
    }

    /// Returns a document of the same format with other lines.
    pub(crate) fn with_lines(&self, lines: Vec<Line>) -> Self {
        Self::from_lines(self.format, self.has_byte_order_mark, lines)
    }

    /// Returns the file's text, byte for byte.
    #[must_use]
    pub fn text(&self) -> String {
        let mark = self.has_byte_order_mark.then_some(BYTE_ORDER_MARK);
        mark.into_iter().chain(join(&self.lines).chars()).collect()
    }

    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Returns a line of the file without its ending; empty if there is no such line.
    #[must_use]
    pub fn line(&self, line: usize) -> &str {
        self.lines.get(line).map_or("", |line| line.text.as_str())
    }

    /// Returns a block's own unmodified lines, without blank lines at its end.
    #[must_use]
    pub fn block_lines(&self, index: usize) -> Vec<&str> {
        let Some(block) = self.blocks.get(index) else { return Vec::new() };
        (block.lines.start..block.lines.end - self.trailing_blank_lines(block)).map(|line| self.line(line)).collect()
    }

    /// Returns a line without indentation, and without the marker if it is a block's first line.
    pub(crate) fn content(&self, block: &Block, line: usize) -> &str {
        let text = self.lines.get(line).map_or("", |line| line.text.as_str());
        if line == block.lines.start { text.get(block.marker..).unwrap_or_default() } else { text.trim_start() }
    }

    /// Returns for each line of a block whether it is text, not a property, a drawer or planning.
    pub(crate) fn is_text(&self, block: &Block) -> Vec<bool> {
        let own = self.lines.get(block.lines.clone()).unwrap_or_default();
        let strip = match self.format {
            Format::Outline => outline::content,
            Format::Markdown => markdown::content,
        };
        let inside = interior(own, strip);
        let last_close = block.lines.clone().rev().find(|line| property::closes_drawer(self.content(block, *line)));
        let mut in_drawer = false;
        let mut is_text = Vec::with_capacity(own.len());
        for (line, inside) in block.lines.clone().zip(inside) {
            let content = self.content(block, line);
            in_drawer |= !inside && property::opens_drawer(content) && last_close.is_some_and(|close| close > line);
            is_text
                .push(inside || !(in_drawer || property::parse(content).is_some() || property::is_planning(content)));
            in_drawer &= !property::closes_drawer(content);
        }
        is_text
    }

    /// Returns a block's text: its lines without markers, indentation, properties, drawers and planning.
    #[must_use]
    pub fn block_text(&self, index: usize) -> String {
        let Some(block) = self.blocks.get(index) else { return String::new() };
        let indent = block.indent + if self.format == Format::Outline { 2 } else { block.marker - block.indent };
        let mut text = String::new();
        for (line, is_text) in block.lines.clone().zip(self.is_text(block)) {
            if !is_text {
                continue;
            }
            let content =
                if line == block.lines.start { self.content(block, line) } else { self.dedented(line, indent) };
            text.push_str(content.trim_end());
            text.push('\n');
        }
        let text = text.trim();
        match self.format {
            Format::Outline => text.to_owned(),
            Format::Markdown => without_block_id(text).trim_end().to_owned(),
        }
    }

    /// Returns a line without its first `indent` bytes of white space, or without all of it if there is less.
    fn dedented(&self, line: usize, indent: usize) -> &str {
        let text = self.lines.get(line).map_or("", |line| line.text.as_str());
        let white = crate::lines::indent_of(text).len().min(indent);
        text.get(white..).unwrap_or_default()
    }

    /// Returns the properties of a block, in order.
    #[must_use]
    pub fn properties(&self, index: usize) -> Vec<Property> {
        let Some(block) = self.blocks.get(index) else { return Vec::new() };
        let lines = block.lines.clone().zip(self.is_text(block)).filter(|(_, is_text)| !is_text);
        let pairs = lines.filter_map(|(line, _)| {
            let (key, value) = property::parse(self.content(block, line))?;
            Some(Property { key: key.to_owned(), value: value.to_owned(), line })
        });
        pairs.collect()
    }

    #[must_use]
    pub fn property(&self, index: usize, key: &str) -> Option<String> {
        self.properties(index)
            .into_iter()
            .find(|property| property.key.eq_ignore_ascii_case(key))
            .map(|found| found.value)
    }

    /// Returns the number of lines before the first block.
    pub(crate) fn preamble(&self) -> usize {
        self.blocks.first().map_or(self.lines.len(), |block| block.lines.start)
    }

    /// Returns the page's properties: those before the first block, and the simple ones in the front matter.
    #[must_use]
    pub fn page_properties(&self) -> Vec<Property> {
        let matter = front_matter(&self.lines);
        let end = self.preamble().max(matter);
        let lines = self.lines.iter().take(end).enumerate();
        let pairs = lines.filter_map(|(line, text)| {
            let pair = if line < matter { text.text.split_once(": ") } else { property::parse(&text.text) };
            let (key, value) = pair?;
            let value = value.trim().trim_matches('"');
            let is_key = !key.is_empty() && !key.contains(char::is_whitespace);
            is_key.then(|| Property { key: key.to_owned(), value: value.to_owned(), line })
        });
        pairs.collect()
    }

    #[must_use]
    pub fn page_property(&self, key: &str) -> Option<String> {
        self.page_properties()
            .into_iter()
            .find(|property| property.key.eq_ignore_ascii_case(key))
            .map(|found| found.value)
    }

    /// Returns the page's other names: its title and its aliases (`alias:: JS, [[ECMAScript]]`; in front matter also
    /// `aliases: [JS]`, or a list with one name per line).
    #[must_use]
    pub fn other_names(&self) -> Vec<String> {
        let is_alias = |key: &str| ["alias", "aliases"].iter().any(|known| key.eq_ignore_ascii_case(known));
        let mut names: Vec<String> = self.page_property("title").into_iter().collect();
        for property in self.page_properties().into_iter().filter(|property| is_alias(&property.key)) {
            names.extend(property.value.split(',').map(bare_name));
        }
        let mut is_list = false;
        for line in self.lines.iter().take(front_matter(&self.lines)) {
            match line.text.trim().strip_prefix("- ") {
                Some(name) if is_list => names.push(bare_name(name)),
                Some(_) => {}
                None => is_list = line.text.trim().strip_suffix(':').is_some_and(is_alias),
            }
        }
        names.retain(|name| !name.is_empty());
        names
    }

    /// Returns the id written in the file: `id::`, or `^id` at the end of the text in plain Markdown.
    #[must_use]
    pub fn explicit_id(&self, index: usize) -> Option<String> {
        match self.format {
            Format::Outline => self.property(index, "id").filter(|id| !id.is_empty()),
            Format::Markdown => {
                let block = self.blocks.get(index)?;
                let lines = block.lines.clone().zip(self.is_text(block)).filter(|(_, is_text)| *is_text);
                lines.filter_map(|(line, _)| block_id(self.content(block, line))).next_back().map(str::to_owned)
            }
        }
    }

    /// Returns the ids of all blocks of a page. A block without an id in the file gets one derived from the page, its
    /// ancestors and its text. Siblings with the same text are numbered.
    #[must_use]
    pub fn ids(&self, page: &str) -> Vec<String> {
        let page = page.to_lowercase();
        let mut seen: HashMap<(Option<usize>, String), usize> = HashMap::new();
        let mut paths: Vec<String> = Vec::with_capacity(self.blocks.len());
        for (index, block) in self.blocks.iter().enumerate() {
            let text = self.block_text(index);
            let count = seen.entry((block.parent, text.clone())).and_modify(|count| *count += 1).or_default();
            let above = block.parent.and_then(|parent| paths.get(parent)).map_or(page.as_str(), String::as_str);
            paths.push(NoteBlockId::of(&[above, &text, &count.to_string()]).to_string());
        }
        paths.into_iter().enumerate().map(|(index, derived)| self.explicit_id(index).unwrap_or(derived)).collect()
    }

    /// Returns the block with an id, either from the file or derived as in [`Self::ids`].
    #[must_use]
    pub fn find(&self, page: &str, id: &str) -> Option<usize> {
        let explicit = (0..self.blocks.len()).find(|index| self.explicit_id(*index).as_deref() == Some(id));
        explicit.or_else(|| self.ids(page).iter().position(|known| known == id))
    }

    /// Returns the ancestors of a block, the outermost first.
    #[must_use]
    pub fn ancestors(&self, index: usize) -> Vec<usize> {
        let mut above = Vec::new();
        let mut at = self.blocks.get(index).and_then(|block| block.parent);
        while let Some(parent) = at {
            above.push(parent);
            at = self.blocks.get(parent).and_then(|block| block.parent);
        }
        above.reverse();
        above
    }

    /// Returns the direct children of a block, or the top-level blocks for `None`.
    #[must_use]
    pub fn children(&self, parent: Option<usize>) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.blocks.iter().enumerate().filter(move |(_, block)| block.parent == parent).map(|(index, _)| index)
    }

    /// Returns whether a block is code of plain Markdown without a fence: lines that are indented by four columns.
    #[must_use]
    pub fn is_indented_code(&self, index: usize) -> bool {
        self.format == Format::Markdown
            && self.blocks.get(index).is_some_and(|block| {
                let white = crate::lines::indent_of(self.line(block.lines.start));
                block.kind == Kind::Paragraph && (white.contains('\t') || white.len() >= 4)
            })
    }

    /// Returns whether a block is a heading or a bullet with heading markup.
    #[must_use]
    pub fn is_heading(&self, index: usize) -> bool {
        self.blocks.get(index).is_some_and(|block| {
            matches!(block.kind, Kind::Heading(_)) || outline::heading(self.content(block, block.lines.start)).is_some()
        })
    }
}

/// Returns a name of a list without quotation marks and brackets.
fn bare_name(name: &str) -> String {
    name.trim_matches([' ', '[', ']', '"', '\'']).to_owned()
}
