//! Edits of a document. An edit never changes anything beyond its target.
//!
//! An edit inserts or replaces lines. The result is parsed again, and `unchanged` compares it with the original. If
//! any other block would have another text or position, the edit is refused and the document stays as it was.

use thiserror::Error;

use crate::block::{Block, Kind};
use crate::content;
use crate::document::{Document, Format};
use crate::insert::{Position, add_block_id, insertion};
use crate::lines::{Ending, Line, dominant_ending, indent_of};
use crate::opaque::interior;
use crate::open_fence::open_fences;
use crate::property::{block_id, without_block_id};
use crate::structure::{continues_below, continues_below_text, is_mark};

/// Why an edit was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum EditError {
    #[error("the block is not there")]
    NoBlock,
    #[error("there is no text to write")]
    Empty,
    #[error("the edit would change how other blocks of the page are read")]
    WouldChangeOthers,
    #[error("the link stands within other text")]
    LinkInText,
    #[error("the code block that begins in line {line} is not closed, so what is added would be part of it; close it")]
    OpenFence { line: usize },
}

impl Document {
    /// Adds a new block at the end of the page.
    ///
    /// # Errors
    /// When there is no text, or the rest of the page would be parsed differently.
    pub fn add_section(&mut self, text: &str, id: &str, unit: &str) -> Result<(), EditError> {
        self.insert(&Position::AtEnd, text, id, unit)
    }

    /// Adds a new block as the last descendant of another. `unit` is the indentation of one level, used if the page
    /// itself shows none.
    ///
    /// # Errors
    /// As [`Self::add_section`], and when there is no such block.
    pub fn add_under(&mut self, parent: usize, text: &str, id: &str, unit: &str) -> Result<(), EditError> {
        if parent >= self.blocks.len() {
            return Err(EditError::NoBlock);
        }
        self.insert(&Position::Under(parent), text, id, unit)
    }

    fn insert(&mut self, position: &Position, text: &str, id: &str, unit: &str) -> Result<(), EditError> {
        let text = content::lines(self.format, text).ok_or(EditError::Empty)?;
        let new = insertion(self, position, &text, id, unit);
        self.refuse_in_open_fence(new.at)?;
        let edited = self.with_lines(self.spliced(new.at, new.at, new.lines));
        let added = edited.blocks.len().saturating_sub(self.blocks.len());
        let first = edited.blocks.iter().position(|block| block.lines.start >= new.at).unwrap_or_default();
        // On a page of plain Markdown a heading may be added with it.
        let is_one = added == 1 || (added == 2 && self.format == Format::Markdown && *position == Position::AtEnd);
        if !is_one || !unchanged(self, &edited, None, Some((first, added))) {
            return Err(EditError::WouldChangeOthers);
        }
        *self = edited;
        Ok(())
    }

    /// Returns an error if lines that are inserted before the line `at` would be in a fence that is not closed. Logseq
    /// reads such a fence as text.
    fn refuse_in_open_fence(&self, at: usize) -> Result<(), EditError> {
        let fences = if self.format == Format::Markdown { open_fences(&self.lines) } else { Vec::new() };
        let fence = fences.into_iter().find(|fence| fence.contains(at));
        fence.map_or(Ok(()), |fence| Err(EditError::OpenFence { line: fence.line + 1 }))
    }

    /// Replaces a block's text. Its properties, drawers, planning and descendants are preserved. A block without an id
    /// gets `id`.
    ///
    /// # Errors
    /// As [`Self::add_under`].
    pub fn replace(&mut self, index: usize, text: &str, id: &str) -> Result<(), EditError> {
        let block = self.blocks.get(index).ok_or(EditError::NoBlock)?.clone();
        self.refuse_in_open_fence(block.lines.start)?;
        let mut new = content::lines(self.format, text).ok_or(EditError::Empty)?;
        let had_id = self.explicit_id(index);
        let is_text = self.is_text(&block);
        let trailing = self.trailing_blank_lines(&block);
        let own = block.lines.start..block.lines.end - trailing;
        let kept: Vec<Line> = own
            .clone()
            .zip(&is_text)
            .skip(1)
            .filter(|(_, text)| !**text)
            .map(|(line, _)| self.lines[line].clone())
            .collect();
        let indent = self.continuation_indent(&block);
        let written_id = had_id.as_deref().unwrap_or(id);
        let is_structure = self.format == Format::Markdown && continues_below_text(&new);
        if self.format == Format::Markdown && (kept.is_empty() || is_structure) {
            add_block_id(&mut new, "", written_id);
        }
        let first = &self.lines[block.lines.start].text;
        let mut lines = Vec::new();
        if is_text.first() == Some(&true) {
            lines.push(format!("{}{}", bullet_of(first, block.marker), new.remove(0)));
        } else {
            lines.push(first.clone());
        }
        let indented = |line: &String| if line.is_empty() { String::new() } else { format!("{indent}{line}") };
        let kept = kept.into_iter().map(|line| line.text);
        if is_structure {
            lines.extend(new.iter().map(indented));
            lines.extend((kept.len() > 0).then(String::new));
            lines.extend(kept);
        } else {
            // Obsidian finds an id only at the end of a block.
            let has_own_line = self.format == Format::Markdown && kept.len() > 0;
            lines.extend(kept);
            lines.extend(new.iter().map(indented));
            lines.extend(has_own_line.then(|| format!("{indent}^{written_id}")));
        }
        let edited = self.with_lines(self.spliced(own.start, own.end, lines));
        if edited.blocks.len() != self.blocks.len() || !unchanged(self, &edited, Some(index), None) {
            return Err(EditError::WouldChangeOthers);
        }
        let mut edited = edited;
        if had_id.is_none() && self.format == Format::Outline {
            edited.set_property(index, "id", id)?;
        }
        *self = edited;
        Ok(())
    }

    /// Sets a property of a block. An existing one is replaced in its line. A new one is added after the others, or
    /// where Logseq puts the first one.
    ///
    /// # Errors
    /// When there is no such block, or the rest of the page would be parsed differently.
    pub fn set_property(&mut self, index: usize, key: &str, value: &str) -> Result<(), EditError> {
        let block = self.blocks.get(index).ok_or(EditError::NoBlock)?.clone();
        let known = self.properties(index);
        let last = known.last().map(|known| known.line);
        self.refuse_in_open_fence(last.map_or(block.lines.end - self.trailing_blank_lines(&block), |last| last + 1))?;
        let line = format!("{key}:: {value}");
        let lines = match known.iter().find(|known| known.key.eq_ignore_ascii_case(key)) {
            Some(known) if known.value == value => return Ok(()),
            Some(known) => {
                let before = &self.lines[known.line].text;
                let start = before.find("::").map_or(0, |at| at + 2);
                let text = format!("{} {value}", before.get(..start).unwrap_or_default());
                self.spliced(known.line, known.line + 1, vec![text])
            }
            None => self.with_new_property(&block, last, &line),
        };
        let edited = self.with_lines(lines);
        let is_set = edited.property(index, key).as_deref() == Some(value);
        let same_text = edited.block_text(index) == self.block_text(index);
        if !is_set
            || !same_text
            || edited.blocks.len() != self.blocks.len()
            || !unchanged(self, &edited, Some(index), None)
        {
            return Err(EditError::WouldChangeOthers);
        }
        *self = edited;
        Ok(())
    }

    fn with_new_property(&self, block: &Block, last: Option<usize>, line: &str) -> Vec<Line> {
        let indent = self.continuation_indent(block);
        if self.format == Format::Markdown && last.is_none() {
            let at = block.lines.end - self.trailing_blank_lines(block);
            let last_line = at.saturating_sub(1).max(block.lines.start);
            let text = self.lines[last_line].text.trim_end();
            // Directly below a table it would be a row, and below a quote a part of it.
            if self.is_structure(block, at) {
                return self.spliced(at, at, vec![String::new(), format!("{indent}{line}")]);
            }
            // Obsidian finds an id only at the end of a block, so that it follows on a line of its own.
            return match block_id(self.content(block, last_line)).map(|id| (id, without_block_id(text).trim_end())) {
                Some((id, before)) if last_line > block.lines.start || before.len() > block.marker => {
                    let lines = [before.to_owned(), format!("{indent}{line}"), format!("{indent}^{id}")];
                    self.spliced(last_line, at, lines.into_iter().filter(|line| !line.trim().is_empty()).collect())
                }
                _ => self.spliced(at, at, vec![format!("{indent}{line}")]),
            };
        }
        let first = &self.lines[block.lines.start].text;
        let content = self.content(block, block.lines.start);
        // As in Logseq, properties come first in a block that begins with a fence or is empty.
        let has_no_title = content.trim().is_empty() || self.begins_with_region(block);
        match last {
            None if has_no_title => {
                let bullet = format!("{}{line}", bullet_of(first, block.marker));
                let rest = (!content.trim().is_empty()).then(|| format!("{indent}{content}"));
                self.spliced(block.lines.start, block.lines.start + 1, [bullet].into_iter().chain(rest).collect())
            }
            _ => {
                let at = last.unwrap_or(block.lines.start) + 1;
                self.spliced(at, at, vec![format!("{indent}{line}")])
            }
        }
    }

    /// Returns whether a block of plain Markdown ends in a table or a quote before the line `end`, apart from marks
    /// below it.
    fn is_structure(&self, block: &Block, end: usize) -> bool {
        if self.format == Format::Outline {
            return false;
        }
        let own = self.lines.get(block.lines.start..end).unwrap_or_default();
        let inside = interior(own, crate::markdown::content);
        let mut lines: Vec<&str> = (block.lines.start..end).map(|line| self.content(block, line)).collect();
        while lines.last().is_some_and(|line| line.trim().is_empty() || is_mark(line)) {
            lines.pop();
        }
        continues_below(&lines, &inside)
    }

    /// Returns whether the line above a property was inserted with it, as below a table.
    fn has_own_blank_line(&self, block: &Block, line: usize) -> bool {
        let is_blank = |line: usize| self.lines.get(line).is_none_or(Line::is_blank);
        line > block.lines.start + 1
            && is_blank(line - 1)
            && (line + 1 >= block.lines.end || is_blank(line + 1))
            && self.is_structure(block, line)
    }

    /// Returns whether a block's first line opens a fence or another region that is also closed.
    fn begins_with_region(&self, block: &Block) -> bool {
        let own = self.lines.get(block.lines.clone()).unwrap_or_default();
        interior(own, crate::outline::content).get(1) == Some(&true)
    }

    /// Removes a property of a block with its line.
    ///
    /// # Errors
    /// As [`Self::set_property`].
    pub fn remove_property(&mut self, index: usize, key: &str) -> Result<(), EditError> {
        let known = self.properties(index).into_iter().find(|known| known.key.eq_ignore_ascii_case(key));
        let Some(known) = known else { return Ok(()) };
        let block = self.blocks.get(index).ok_or(EditError::NoBlock)?;
        let text = (known.line == block.lines.start).then(|| self.lines[known.line].text[..block.marker].to_owned());
        let first = known.line - usize::from(self.has_own_blank_line(block, known.line));
        let mut lines = self.spliced(first, known.line + 1, text.into_iter().collect());
        let last = self.lines.last().map_or(Ending::Lf, |line| line.ending);
        if let Some(line) = lines.last_mut().filter(|_| known.line + 1 == self.lines.len()) {
            line.ending = last;
        }
        let edited = self.with_lines(lines);
        if edited.blocks.len() != self.blocks.len() || !unchanged(self, &edited, Some(index), None) {
            return Err(EditError::WouldChangeOthers);
        }
        *self = edited;
        Ok(())
    }

    /// Removes a block without descendants. Blank lines after it are preserved. With a paragraph of plain Markdown goes
    /// the blank line above it, which was inserted with it, if another or the end of the file follows.
    ///
    /// # Errors
    /// When there is no such block, it has descendants, or the rest of the page would be parsed differently.
    pub fn remove(&mut self, index: usize) -> Result<(), EditError> {
        let block = self.blocks.get(index).ok_or(EditError::NoBlock)?;
        if block.end != block.lines.end {
            return Err(EditError::WouldChangeOthers);
        }
        let end = block.lines.end - self.trailing_blank_lines(block);
        let mut lines = self.lines.clone();
        let is_blank = |line: usize| self.lines.get(line).is_none_or(Line::is_blank);
        let above = block.lines.start.checked_sub(1).filter(|above| is_blank(*above) && is_blank(end));
        let first = above.filter(|_| block.kind == Kind::Paragraph).unwrap_or(block.lines.start);
        lines.drain(first..end);
        let last = self.lines.last().map_or(Ending::Lf, |line| line.ending);
        if let Some(line) = lines.last_mut().filter(|_| end == self.lines.len()) {
            line.ending = last;
        }
        let edited = self.with_lines(lines);
        if edited.blocks.len() + 1 != self.blocks.len() || !unchanged(&edited, self, None, Some((index, 1))) {
            return Err(EditError::WouldChangeOthers);
        }
        *self = edited;
        Ok(())
    }

    /// Returns the indentation of a block's continuation lines.
    pub(crate) fn continuation_indent(&self, block: &Block) -> String {
        let first = self.lines.get(block.lines.start).map_or("", |line| line.text.as_str());
        let white = indent_of(first);
        match (self.format, block.kind) {
            (Format::Outline, Kind::Heading(_)) => String::new(),
            (Format::Outline, _) => format!("{white}  "),
            (Format::Markdown, _) => format!("{white}{}", " ".repeat(block.marker - block.indent)),
        }
    }

    /// Returns the number of blank lines at the end of a block, its first line excluded.
    pub(crate) fn trailing_blank_lines(&self, block: &Block) -> usize {
        let own = block.lines.clone().skip(1).rev();
        own.take_while(|line| self.lines.get(*line).is_some_and(Line::is_blank)).count()
    }

    /// Returns the lines with `from..to` replaced. A file without a final newline stays without one.
    pub(crate) fn spliced(&self, from: usize, to: usize, new: Vec<String>) -> Vec<Line> {
        let dominant = dominant_ending(&self.lines);
        let mut lines = self.lines.clone();
        let old: Vec<Ending> = self.lines.get(from..to).unwrap_or_default().iter().map(|line| line.ending).collect();
        let ends_file = to == self.lines.len();
        let last = self.lines.last().map_or(dominant, |line| line.ending);
        let count = new.len();
        let new = new.into_iter().enumerate().map(|(at, text)| {
            let kept = old.get(at).copied().filter(|ending| *ending != Ending::None);
            let ending = if ends_file && at + 1 == count { last } else { kept.unwrap_or(dominant) };
            Line { text, ending }
        });
        lines.splice(from..to, new);
        if let Some(before) =
            from.checked_sub(1).and_then(|before| lines.get_mut(before)).filter(|_| ends_file && count > 0)
            && before.ending == Ending::None
        {
            before.ending = dominant;
        }
        lines
    }
}

/// Returns a block's bullet followed by white space; a space is added if there is none.
fn bullet_of(first: &str, marker: usize) -> String {
    let bullet = first.get(..marker).unwrap_or(first);
    if bullet.trim().is_empty() || bullet.ends_with([' ', '\t']) { bullet.to_owned() } else { format!("{bullet} ") }
}

/// Returns whether all blocks except `changed` are the same in `before` and `after`. `added` is the index and number of
/// inserted blocks.
fn unchanged(before: &Document, after: &Document, changed: Option<usize>, added: Option<(usize, usize)>) -> bool {
    let (at, count) = added.unwrap_or((usize::MAX, 0));
    let moved = |index: usize| if index >= at { index + count } else { index };
    let preamble = |document: &Document| {
        document.lines[..document.preamble()].iter().map(|line| line.text.clone()).collect::<Vec<_>>()
    };
    let own = |document: &Document, index: usize| -> Vec<String> {
        let block = &document.blocks[index];
        let end = block.lines.end - document.trailing_blank_lines(block);
        document.lines[block.lines.start..end].iter().map(|line| line.text.clone()).collect()
    };
    let (old, new) = (preamble(before), preamble(after));
    // A blank line may be inserted between a page's properties and its first block.
    let same_preamble = new.starts_with(&old) && new[old.len()..].iter().all(String::is_empty);
    same_preamble
        && after.blocks.len() == before.blocks.len() + count
        && before.blocks.iter().enumerate().all(|(index, block)| {
            let (other, other_index) = (&after.blocks[moved(index)], moved(index));
            let same_place =
                other.parent == block.parent.map(moved) && other.kind == block.kind && other.indent == block.indent;
            same_place && (changed == Some(index) || own(before, index) == own(after, other_index))
        })
}
