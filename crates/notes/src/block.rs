//! A block: the unit that can be linked to, moved and replaced. It holds indexes into a document's lines, not a copy of
//! them.

use std::ops::Range;

/// Syntactic kind of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A bullet of an outline or a list item.
    Item,
    /// A heading of this level.
    Heading(u8),
    /// A paragraph of plain Markdown.
    Paragraph,
}

/// A block of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub kind: Kind,
    /// Index of the block that contains it.
    pub parent: Option<usize>,
    /// Nesting depth, 0 at the top level.
    pub depth: usize,
    /// Its own lines, including blank lines after it.
    pub lines: Range<usize>,
    /// Line after its last descendant.
    pub end: usize,
    /// Bytes of white space before its first line's text.
    pub indent: usize,
    /// Bytes before its first line's content: white space, a bullet or number signs, and one space.
    pub marker: usize,
}

/// The beginning of a block, before its depth and end are known. Starts are in the order of their lines.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) kind: Kind,
    pub(crate) line: usize,
    pub(crate) indent: usize,
    pub(crate) marker: usize,
    pub(crate) parent: Option<usize>,
}

/// Builds blocks from their starts. A block owns the lines up to the next start; its end includes its descendants.
pub(crate) fn assemble(starts: &[Start], line_count: usize) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::with_capacity(starts.len());
    for (index, start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).map_or(line_count, |next| next.line);
        let depth = start.parent.and_then(|parent| blocks.get(parent)).map_or(0, |parent| parent.depth + 1);
        let lines = start.line..end;
        let Start { kind, indent, marker, parent, .. } = *start;
        blocks.push(Block { kind, parent, depth, lines, end, indent, marker });
    }
    // In reverse order, so that an end is final before it is propagated to the parent.
    for index in (0..blocks.len()).rev() {
        let Some((parent, end)) = blocks.get(index).and_then(|block| Some((block.parent?, block.end))) else {
            continue;
        };
        if let Some(parent) = blocks.get_mut(parent) {
            parent.end = parent.end.max(end);
        }
    }
    blocks
}
