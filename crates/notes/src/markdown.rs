//! Parses plain Markdown: headings, list items and paragraphs are blocks. Text after a heading is below it, and an item
//! is below the item that it is indented under.

use crate::block::{Block, Kind, Start, assemble};
use crate::lines::{Line, indent_of};
use crate::opaque::interior;
use crate::outline::heading;
use crate::structure::{continues_below, is_mark};

/// Returns a line without its marker and indentation.
pub(crate) fn content(text: &str) -> &str {
    let marker = item(text).unwrap_or(indent_of(text).len());
    text.get(marker..).unwrap_or_default()
}

/// Returns the number of bytes before an item's content. `None` if the line is not an item.
fn item(text: &str) -> Option<usize> {
    let indent = indent_of(text).len();
    let rest = text.get(indent..)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let sign = match rest.as_bytes().get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => 1,
        b'.' | b')' if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    let rest = rest.get(sign..)?;
    match rest.chars().next() {
        None => Some(indent + sign),
        Some(' ' | '\t') if !is_rule(text) => Some(indent + sign + 1),
        Some(_) => None,
    }
}

/// Returns whether a line is a thematic break: `---`, `* * *`.
fn is_rule(text: &str) -> bool {
    let signs: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    signs.len() >= 3 && signs.first().is_some_and(|first| "-*_".contains(*first) && signs.iter().all(|c| c == first))
}

/// The blocks found so far, and the possible parents of the next one.
#[derive(Debug, Default)]
struct Parser {
    starts: Vec<Start>,
    headings: Vec<(u8, usize)>,
    items: Vec<usize>,
    /// Whether a line of text would continue the block before it.
    is_open: bool,
    /// Whether the last line of text was a mark after a table or a quote.
    is_marked: bool,
}

impl Parser {
    fn push(&mut self, kind: Kind, line: usize, indent: usize, marker: usize, parent: Option<usize>) -> usize {
        self.starts.push(Start { kind, line, indent, marker, parent });
        self.is_marked = false;
        self.starts.len() - 1
    }

    fn heading(&mut self, line: usize, level: u8, marker: usize) {
        while self.headings.last().is_some_and(|(above, _)| *above >= level) {
            self.headings.pop();
        }
        let parent = self.headings.last().map(|(_, index)| *index);
        let index = self.push(Kind::Heading(level), line, 0, marker, parent);
        self.headings.push((level, index));
        self.items.clear();
        self.is_open = false;
    }

    fn item(&mut self, line: usize, indent: usize, marker: usize) {
        while self.items.last().and_then(|index| self.starts.get(*index)).is_some_and(|start| start.indent >= indent) {
            self.items.pop();
        }
        let parent = self.items.last().copied().or_else(|| self.headings.last().map(|(_, index)| *index));
        let index = self.push(Kind::Item, line, indent, marker, parent);
        self.items.push(index);
        self.is_open = true;
    }

    fn text(&mut self, line: usize, text: &str, above: (&[Line], &[bool])) {
        let indent = indent_of(text).len();
        let is_of_item = !self.items.is_empty() && indent > 0;
        if !self.is_open && !is_of_item {
            self.is_marked = is_mark(text) && (self.is_marked || self.is_below_structure(above));
            if self.is_marked {
                return;
            }
            self.items.clear();
            let parent = self.headings.last().map(|(_, index)| *index);
            self.push(Kind::Paragraph, line, indent, indent, parent);
        }
        self.is_open = true;
    }

    /// Returns whether the last block is a paragraph that ends in a table or a quote. `above` are all lines before.
    fn is_below_structure(&self, (lines, inside): (&[Line], &[bool])) -> bool {
        self.starts.last().filter(|start| start.kind == Kind::Paragraph).is_some_and(|start| {
            let own: Vec<&str> = lines.iter().skip(start.line).map(|line| line.text.as_str()).collect();
            continues_below(&own, inside.get(start.line..).unwrap_or_default())
        })
    }
}

pub(crate) fn parse(lines: &[Line]) -> Vec<Block> {
    let inside = interior(lines, content);
    let mut parser = Parser::default();
    for (line, (text, is_inside)) in lines.iter().map(|line| line.text.as_str()).zip(&inside).enumerate() {
        if *is_inside {
            continue;
        }
        if let Some((level, marker)) = heading(text) {
            parser.heading(line, level, marker);
        } else if let Some(marker) = item(text) {
            parser.item(line, indent_of(text).len(), marker);
        } else if text.trim().is_empty() {
            parser.is_open = false;
        } else {
            let above = (lines.get(..line).unwrap_or_default(), inside.get(..line).unwrap_or_default());
            parser.text(line, text, above);
        }
    }
    assemble(&parser.starts, lines.len())
}
