//! A block: what can be pointed at, moved below and replaced. An index into a document's lines, never a copy of them.

use std::ops::Range;

/// What a block is in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A bullet of an outline, an item of a list.
    Item,
    /// A heading of this level.
    Heading(u8),
    /// A paragraph of plain Markdown.
    Paragraph,
}

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub kind: Kind,
    /// The block that it stands below, by its index.
    pub parent: Option<usize>,
    /// 0 at the top.
    pub depth: usize,
    /// Its own lines, blank ones behind it included.
    pub lines: Range<usize>,
    /// Where what stands below it ends.
    pub end: usize,
    /// Bytes of white space in front of its first line.
    pub indent: usize,
    /// Bytes in front of its first line's content: white space, bullet or number signs, and one space.
    pub marker: usize,
}

/// Blocks in the order of their first lines, before parents, depths and ends are known.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) kind: Kind,
    pub(crate) line: usize,
    pub(crate) indent: usize,
    pub(crate) marker: usize,
    pub(crate) parent: Option<usize>,
}

/// Turns starts into blocks: each owns the lines up to the next start, and all that stands below it.
pub(crate) fn assemble(starts: &[Start], line_count: usize) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::with_capacity(starts.len());
    for (index, start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).map_or(line_count, |next| next.line);
        let depth = start.parent.and_then(|parent| blocks.get(parent)).map_or(0, |parent| parent.depth + 1);
        let lines = start.line..end;
        let Start { kind, indent, marker, parent, .. } = *start;
        blocks.push(Block { kind, parent, depth, lines, end, indent, marker });
    }
    // From the back, so that an end is final before it is handed to the parent.
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
