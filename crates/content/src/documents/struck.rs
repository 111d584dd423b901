//! Follows struck-out text in markup that need not be closed. Called by the readers of HTML and Markdown.

use std::collections::BTreeSet;

use crate::markup::{Kind, Tag};

/// Elements whose text is struck out: it no longer applies.
const STRUCK: [&str; 3] = ["del", "s", "strike"];

/// An end tag ends one of so many innermost open elements, or none: a search of all would take quadratic time.
const MAX_CLOSED_DEPTH: usize = 100;

/// The open struck-out elements. One that begins within a block and has no end tag ends with the block; one around
/// blocks ends with its end tag. Whether there is an end tag is known only when all is read: if some turn out to have
/// none ([`Struck::unclosed`]), the text is read again with [`Struck::ending_with_blocks`].
#[derive(Debug, Default)]
pub(super) struct Struck {
    open: Vec<Open>,
    /// How many elements have begun.
    begun: usize,
    /// How many of the open ones began within the open block.
    in_block: usize,
    /// The numbers of those that end where a block begins or ends.
    ending_with_blocks: BTreeSet<usize>,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    /// How many elements began before.
    number: usize,
    /// One of [`STRUCK`]; `None` for a mark of Markdown.
    name: Option<&'static str>,
}

impl Struck {
    pub(super) fn ending_with_blocks(numbers: BTreeSet<usize>) -> Self {
        Self { ending_with_blocks: numbers, ..Self::default() }
    }

    /// Returns the numbers of the elements that are still open at the end of the text.
    pub(super) fn unclosed(&self) -> BTreeSet<usize> {
        self.open.iter().map(|open| open.number).collect()
    }

    pub(super) const fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    pub(super) fn start(&mut self, tag: &Tag<'_>) {
        let is = |names: &[&str]| names.iter().any(|name| tag.name.eq_ignore_ascii_case(name));
        if let Some(name) = struck_name(tag) {
            self.open(Some(name));
        } else if is(&["tr", "td", "th"]) {
            // The end tag of the cell before may be left out.
            self.end_block();
        } else if matches!(tag.kind, Some(Kind::Block)) && !is(&["br", "hr"]) {
            self.start_block();
        }
    }

    pub(super) fn end(&mut self, tag: &Tag<'_>) {
        if let Some(name) = struck_name(tag) {
            self.close(Some(name));
        } else if matches!(tag.kind, Some(Kind::Block | Kind::Cell)) {
            self.end_block();
        }
    }

    pub(super) fn open(&mut self, name: Option<&'static str>) {
        self.open.push(Open { number: self.begun, name });
        self.begun += 1;
        self.in_block += 1;
    }

    /// Ends the last open element of this name; an end tag without one is ignored.
    pub(super) fn close(&mut self, name: Option<&'static str>) {
        let innermost = self.open.len().saturating_sub(MAX_CLOSED_DEPTH);
        let found = self.open[innermost..].iter().rposition(|open| open.name == name);
        let Some(last) = found.map(|at| innermost + at) else { return };
        let outside = self.open.len() - self.in_block;
        self.open.remove(last);
        self.in_block -= usize::from(last >= outside);
    }

    pub(super) fn start_block(&mut self) {
        let outside = self.open.len() - self.in_block;
        let ending = &self.ending_with_blocks;
        // Those outside the block were checked when it began.
        let kept: Vec<Open> = self.open.drain(outside..).filter(|open| !ending.contains(&open.number)).collect();
        self.open.extend(kept);
        self.in_block = 0;
    }

    pub(super) fn end_block(&mut self) {
        self.open.truncate(self.open.len() - self.in_block);
        self.in_block = 0;
    }
}

fn struck_name(tag: &Tag<'_>) -> Option<&'static str> {
    STRUCK.into_iter().find(|name| tag.name.eq_ignore_ascii_case(name))
}
