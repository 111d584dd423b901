//! Parses Logseq's outline: every bullet is a block, and blocks with deeper indentation are below it.
//!
//! A bullet is white space, `-`, and a space or the end of the line, outside of fences. A heading without a bullet at
//! the left edge is also a block. As in Logseq's parser, the depth is the number of white space characters; a tab
//! counts as one.

use crate::block::{Block, Kind, Start, assemble};
use crate::lines::{Line, indent_of};
use crate::opaque::interior;

/// Returns a line without its bullet and indentation.
pub(crate) fn content(text: &str) -> &str {
    match bullet(text) {
        Some(marker) => text.get(marker..).unwrap_or_default(),
        None => text.trim_start_matches([' ', '\t']),
    }
}

/// Returns the number of bytes before a bullet's content. `None` if the line is not a bullet.
fn bullet(text: &str) -> Option<usize> {
    let indent = indent_of(text).len();
    let rest = text.get(indent..)?.strip_prefix('-')?;
    match rest.chars().next() {
        None => Some(indent + 1),
        Some(' ') => Some(indent + 2),
        Some(_) => None,
    }
}

/// Returns the level of a heading and the number of bytes before its content.
pub(crate) fn heading(text: &str) -> Option<(u8, usize)> {
    let level = text.bytes().take_while(|byte| *byte == b'#').count();
    let rest = text.get(level..)?;
    let is_heading = (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with(' '));
    is_heading.then(|| (u8::try_from(level).unwrap_or(6), (level + 1).min(text.len())))
}

pub(crate) fn parse(lines: &[Line]) -> Vec<Block> {
    let inside = interior(lines, content);
    let mut starts: Vec<Start> = Vec::new();
    let mut above: Vec<usize> = Vec::new();
    for (line, (text, inside)) in lines.iter().map(|line| line.text.as_str()).zip(inside).enumerate() {
        let found = bullet(text).map(|marker| (Kind::Item, marker));
        let found = found.or_else(|| heading(text).map(|(level, marker)| (Kind::Heading(level), marker)));
        let Some((kind, marker)) = found.filter(|_| !inside) else { continue };
        let indent = indent_of(text).len();
        while above.last().and_then(|index| starts.get(*index)).is_some_and(|start| start.indent >= indent) {
            above.pop();
        }
        let parent = above.last().copied();
        above.push(starts.len());
        starts.push(Start { kind, line, indent, marker, parent });
    }
    assemble(&starts, lines.len())
}
