//! Follows struck-out text in markup that need not be closed. Called by the readers of HTML and Markdown.

use crate::markup::{Kind, Tag};

/// Elements whose text is struck out: it no longer applies.
const STRUCK: [&str; 3] = ["del", "s", "strike"];

/// The open struck-out elements. One that begins within a block and has no end tag ends with the block; one around
/// blocks ends with its end tag.
#[derive(Debug, Default)]
pub(super) struct Struck {
    open: usize,
    /// How many of them began within the open block.
    in_block: usize,
}

impl Struck {
    pub(super) const fn is_open(&self) -> bool {
        self.open > 0
    }

    pub(super) fn start(&mut self, tag: &Tag<'_>) {
        let is = |names: &[&str]| names.iter().any(|name| tag.name.eq_ignore_ascii_case(name));
        if is(&STRUCK) {
            self.open();
        } else if is(&["tr", "td", "th"]) {
            // The end tag of the cell before may be left out.
            self.end_block();
        } else if matches!(tag.kind, Some(Kind::Block)) && !is(&["br", "hr"]) {
            self.start_block();
        }
    }

    pub(super) fn end(&mut self, tag: &Tag<'_>) {
        if STRUCK.iter().any(|name| tag.name.eq_ignore_ascii_case(name)) {
            self.close();
        } else if matches!(tag.kind, Some(Kind::Block | Kind::Cell)) {
            self.end_block();
        }
    }

    pub(super) const fn open(&mut self) {
        self.open += 1;
        self.in_block += 1;
    }

    pub(super) const fn close(&mut self) {
        self.open = self.open.saturating_sub(1);
        self.in_block = self.in_block.saturating_sub(1);
    }

    pub(super) const fn start_block(&mut self) {
        self.in_block = 0;
    }

    pub(super) const fn end_block(&mut self) {
        self.open = self.open.saturating_sub(self.in_block);
        self.in_block = 0;
    }
}
