//! Fits a candidate page into the characters that a prompt has left for it.
//!
//! Input: a page, the terms of a text and a number of characters. Output: the page as XML, whole or the sections that
//! share most terms with the text. Called by its parent, which renders the whole prompt.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

use aha_notes::Document;
use aha_notes::knowledge::terms;

use super::{MAX_PROPERTY_CHARS, ShortIds, attribute, clipped, escaped, outline};

const BLOCK_START: &str = "<block>\n";
const BLOCK_END: &str = "</block>\n";
const PAGE_END: &str = "</existing_blocks>\n</page>\n";
/// Stands for what is left out of a page.
const LEFT_OUT: &str = "- …\n";

/// A page with the sizes of its parts, in characters as they are rendered.
pub(super) struct CandidatePage<'a> {
    document: &'a Document,
    /// The page's name and properties.
    head: String,
    ids: Vec<String>,
    /// Sizes of the blocks, at least those that they are rendered with.
    sizes: Vec<usize>,
}

impl<'a> CandidatePage<'a> {
    /// `drafted` numbers the blocks of all pages as if all were rendered, so that no block is rendered with a longer
    /// short id than it is measured with.
    pub(super) fn new(name: &str, document: &'a Document, drafted: &mut ShortIds) -> Self {
        let properties = document.page_properties().into_iter();
        let properties = properties.map(|known| format!("{}:: {}\n", escaped(&known.key), escaped(&known.value)));
        let head = format!(
            "<page name=\"{}\">\n<page_properties>\n{}</page_properties>\n<existing_blocks>\n",
            attribute(name),
            clipped(properties.collect::<Vec<_>>().concat(), MAX_PROPERTY_CHARS)
        );
        let ids = document.ids(name);
        let size = |block| outline(document, &[block], &ids, drafted).chars().count();
        let sizes = (0..document.blocks().len()).map(size).collect();
        Self { document, head, ids, sizes }
    }

    /// Returns the characters that are rendered however little room there is.
    pub(super) fn fixed_chars(&self) -> usize {
        [self.head.as_str(), PAGE_END, LEFT_OUT].into_iter().map(|part| part.chars().count()).sum()
    }

    /// Returns the characters that all blocks need.
    pub(super) fn block_chars(&self) -> usize {
        let sections = self.document.children(None).count();
        self.sizes.iter().sum::<usize>() + sections * (BLOCK_START.len() + BLOCK_END.len())
    }

    /// Renders the page, its blocks in at most `room` characters. `wanted` are the terms of the text.
    pub(super) fn render(&self, wanted: &BTreeSet<String>, room: usize, targets: &mut ShortIds, text: &mut String) {
        let chosen = self.chosen(wanted, room);
        text.push_str(&self.head);
        for root in self.document.children(None) {
            let section: Vec<usize> = self.section(root).filter(|block| chosen.contains(block)).collect();
            if !section.is_empty() {
                text.extend([BLOCK_START, &outline(self.document, &section, &self.ids, targets), BLOCK_END]);
            }
        }
        if chosen.len() < self.sizes.len() {
            text.push_str(LEFT_OUT);
        }
        text.push_str(PAGE_END);
    }

    /// Returns the blocks to render: all if they fit.
    fn chosen(&self, wanted: &BTreeSet<String>, mut room: usize) -> BTreeSet<usize> {
        if self.block_chars() <= room {
            return (0..self.sizes.len()).collect();
        }
        let shared = |block| -> BTreeSet<String> {
            let terms = terms(&self.document.block_text(block)).into_iter();
            terms.filter(|term| wanted.contains(term)).collect()
        };
        let shared: Vec<_> = (0..self.sizes.len()).map(shared).collect();
        let mut chosen = BTreeSet::new();
        self.choose(None, &shared, &mut room, &mut chosen);
        chosen
    }

    /// Chooses sections below a block, or of the page, those that share most terms first. A section with such terms
    /// that does not fit is divided into its first block and the sections below that. `shared` are the wanted terms of
    /// each block.
    fn choose(
        &self,
        parent: Option<usize>,
        shared: &[BTreeSet<String>],
        room: &mut usize,
        chosen: &mut BTreeSet<usize>,
    ) {
        let count = |root| shared[self.section(root)].iter().flatten().collect::<BTreeSet<_>>().len();
        let mut sections: Vec<(usize, usize)> =
            self.document.children(parent).map(|root| (count(root), root)).collect();
        sections.sort_by_key(|(count, root)| (Reverse(*count), *root));
        let tags = if parent.is_none() { BLOCK_START.len() + BLOCK_END.len() } else { 0 };
        for (count, root) in sections {
            let size = tags + self.sizes[self.section(root)].iter().sum::<usize>();
            let first_size = tags + self.sizes[root];
            if size <= *room {
                *room -= size;
                chosen.extend(self.section(root));
            } else if count > 0 && first_size <= *room {
                *room -= first_size;
                chosen.insert(root);
                self.choose(Some(root), shared, room, chosen);
            }
        }
    }

    /// Returns a block and all blocks below it.
    fn section(&self, root: usize) -> Range<usize> {
        let blocks = self.document.blocks();
        let end = blocks.get(root).map_or(0, |block| block.end);
        let count = blocks.iter().skip(root).take_while(|block| block.lines.start < end).count();
        root..root + count
    }
}

/// Shares `room` among pages: a page gets what it needs if that is at most an equal share of what those that need less
/// have left.
pub(super) fn shares(needed: &[usize], mut room: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..needed.len()).collect();
    order.sort_by_key(|page| needed[*page]);
    let mut shares = vec![0; needed.len()];
    for (place, page) in order.into_iter().enumerate() {
        shares[page] = needed[page].min(room / (needed.len() - place));
        room -= shares[page];
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::shares;

    #[test]
    fn pages_that_need_little_leave_the_rest_to_others() {
        assert_eq!(shares(&[100, 10, 50], 1_000), [100, 10, 50]);
        assert_eq!(shares(&[500, 10, 300], 210), [100, 10, 100]);
        assert_eq!(shares(&[5, 5], 0), [0, 0]);
        assert!(shares(&[], 9).is_empty());
    }
}
