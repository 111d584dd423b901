//! Determines where a new block is inserted, and renders its lines for that position.

use crate::block::{Block, Kind};
use crate::document::{Document, Format};
use crate::lines::{Line, indent_of};
use crate::opaque::Region;
use crate::structure::{begins_at, continues_below_text};

/// Target position of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    /// At the end of the page.
    AtEnd,
    /// As the last descendant of this block.
    Under(usize),
}

/// Lines to insert before the line `at`.
#[derive(Debug)]
pub(crate) struct Insertion {
    pub(crate) at: usize,
    pub(crate) lines: Vec<String>,
}

/// Heading under which new knowledge is added on a plain Markdown page with headings.
const NOTES_HEADING: &str = "Notes";

pub(crate) fn insertion(document: &Document, position: &Position, text: &[String], id: &str, unit: &str) -> Insertion {
    match (document.format, position) {
        (Format::Outline, Position::AtEnd) => at_end_of_outline(document, text, id),
        (Format::Outline, Position::Under(parent)) => {
            let indent = child_indent(document, *parent, unit);
            Insertion { at: end_of(document, document.blocks[*parent].end), lines: bullet(&indent, text, id) }
        }
        (Format::Markdown, Position::AtEnd) => at_end_of_markdown(document, text, id, unit),
        (Format::Markdown, Position::Under(parent)) => under_in_markdown(document, *parent, text, id, unit),
    }
}

/// Returns the line after the last non-blank one before `end`.
fn end_of(document: &Document, end: usize) -> usize {
    let lines = document.lines.get(..end).unwrap_or_default();
    lines.iter().rposition(|line| !line.is_blank()).map_or(end, |last| last + 1)
}

/// Renders a bullet with its text and id, as Logseq does.
fn bullet(indent: &str, text: &[String], id: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut text = text.iter();
    let begins_with_fence = text.clone().next().is_some_and(|line| Region::opened_by(line).is_some());
    let contents: Vec<&str> = text.clone().map(String::as_str).collect();
    // Within a table or a quote of several lines, the id would end it.
    let begins_with_structure = contents.len() > 1 && begins_at(&contents) == Some(0);
    if begins_with_fence || begins_with_structure {
        lines.push(format!("{indent}- id:: {id}"));
    } else {
        lines.extend(text.next().map(|first| format!("{indent}- {first}")));
        lines.push(format!("{indent}  id:: {id}"));
    }
    lines.extend(text.map(|line| if line.is_empty() { String::new() } else { format!("{indent}  {line}") }));
    lines
}

fn at_end_of_outline(document: &Document, text: &[String], id: &str) -> Insertion {
    let last = document.children(None).next_back().map(|last| &document.blocks[last]);
    let indent = last.map_or("", |last| indent_of(&document.lines[last.lines.start].text));
    let mut lines = bullet(indent, text, id);
    // On a page with only properties Logseq requires a blank line after them.
    if last.is_none() && document.lines.last().is_some_and(|line| !line.is_blank()) {
        lines.insert(0, String::new());
    }
    let at = if last.is_none() { document.lines.len() } else { end_of(document, document.lines.len()) };
    Insertion { at, lines }
}

/// Returns the indentation of the parent's last child, or one level more than the parent if it has none.
fn child_indent(document: &Document, parent: usize, unit: &str) -> String {
    let indent = |block: &Block| indent_of(&document.lines[block.lines.start].text).to_owned();
    match document.children(Some(parent)).next_back() {
        Some(child) => indent(&document.blocks[child]),
        None => {
            format!("{}{}", indent(&document.blocks[parent]), first_indent_unit(document).unwrap_or(unit.to_owned()))
        }
    }
}

/// Returns the indentation of one level, taken from the first nested block.
pub(crate) fn first_indent_unit(document: &Document) -> Option<String> {
    let indent = |block: &Block| indent_of(&document.lines[block.lines.start].text);
    let units = document.blocks.iter().filter_map(|block| {
        let parent = document.blocks.get(block.parent?)?;
        indent(block).strip_prefix(indent(parent)).filter(|unit| !unit.is_empty())
    });
    units.map(str::to_owned).next()
}

fn is_item(block: &Block) -> bool {
    block.kind == Kind::Item
}

/// Inserts at the end of a page without headings, else below its last heading `Notes`, which is created if there is
/// none.
fn at_end_of_markdown(document: &Document, text: &[String], id: &str, unit: &str) -> Insertion {
    let headings = |block: &&Block| matches!(block.kind, Kind::Heading(_));
    let notes = document
        .blocks
        .iter()
        .rposition(|block| headings(&block) && document.content(block, block.lines.start).trim() == NOTES_HEADING);
    if let Some(notes) = notes {
        return under_in_markdown(document, notes, text, id, unit);
    }
    let at = end_of(document, document.lines.len());
    let has_headings = document.blocks.iter().any(|block| headings(&block));
    let mut lines = Vec::new();
    if has_headings {
        let levels = document.blocks.iter().filter_map(|block| match block.kind {
            Kind::Heading(level) => Some(usize::from(level)),
            _ => None,
        });
        // The level of the page's sections, below its title.
        let level = levels.min().map_or(2, |top| top.max(2));
        lines = vec![String::new(), format!("{} {NOTES_HEADING}", "#".repeat(level)), String::new()];
        lines.extend(paragraph("", text, id));
    } else {
        let last = document.blocks.last().filter(|block| is_item(block));
        lines.extend(last.is_none().then(String::new).filter(|_| at > 0));
        let root = document.children(None).next_back().map(|root| &document.blocks[root]);
        lines
            .extend(last.and(root).map_or_else(|| paragraph("", text, id), |root| item_like(document, root, text, id)));
    }
    Insertion { at, lines }
}

fn under_in_markdown(document: &Document, parent: usize, text: &[String], id: &str, unit: &str) -> Insertion {
    let block = &document.blocks[parent];
    match block.kind {
        Kind::Heading(_) => under_heading(document, parent, text, id),
        Kind::Item => {
            let at = end_of(document, block.end);
            if let Some(child) = document.children(Some(parent)).next_back() {
                return Insertion { at, lines: item_like(document, &document.blocks[child], text, id) };
            }
            let own = indent_of(&document.lines[block.lines.start].text);
            let wide = " ".repeat(block.marker - block.indent);
            let step = first_indent_unit(document).filter(|unit| unit.starts_with('\t') || unit.len() >= wide.len());
            let step = step.unwrap_or(if unit.starts_with('\t') { unit.to_owned() } else { wide });
            Insertion { at, lines: item(&format!("{own}{step}- "), &format!("{own}{step}  "), text, id) }
        }
        Kind::Paragraph => {
            let at = end_of(document, block.lines.end);
            let mut lines = vec![String::new()];
            lines.extend(paragraph("", text, id));
            lines.extend(document.lines.get(at).filter(|next| !next.is_blank()).map(|_| String::new()));
            Insertion { at, lines }
        }
    }
}

/// Inserts after the heading's direct content, before its sub-headings.
fn under_heading(document: &Document, heading: usize, text: &[String], id: &str) -> Insertion {
    let block = &document.blocks[heading];
    let below =
        document.children(Some(heading)).take_while(|child| !matches!(document.blocks[*child].kind, Kind::Heading(_)));
    let last = below.last().map(|last| &document.blocks[last]);
    let at = end_of(document, last.map_or(block.lines.end, |last| last.end));
    if let Some(last) = last.filter(|last| is_item(last)) {
        return Insertion { at, lines: item_like(document, last, text, id) };
    }
    let mut lines = vec![String::new()];
    lines.extend(paragraph("", text, id));
    lines.extend(document.lines.get(at).filter(|next| !Line::is_blank(next)).map(|_| String::new()));
    Insertion { at, lines }
}

/// Renders an item like `other`: with the same indentation and marker, or the next number in a numbered list.
fn item_like(document: &Document, other: &Block, text: &[String], id: &str) -> Vec<String> {
    let marker = document.lines[other.lines.start].text.get(..other.marker).unwrap_or("- ");
    let digits: String = marker.chars().filter(char::is_ascii_digit).collect();
    let next =
        digits.parse::<u64>().map_or_else(|_| marker.to_owned(), |n| marker.replacen(&digits, &(n + 1).to_string(), 1));
    let next = if next.ends_with([' ', '\t']) { next } else { format!("{next} ") };
    let white = indent_of(&next).to_owned();
    let below = format!("{white}{}", " ".repeat(next.len() - white.len()));
    item(&next, &below, text, id)
}

fn item(marker: &str, indent: &str, text: &[String], id: &str) -> Vec<String> {
    let mut lines = paragraph(indent, text, id);
    if let Some(first) = lines.first_mut() {
        *first = format!("{marker}{}", first.trim_start());
    }
    lines
}

fn paragraph(indent: &str, text: &[String], id: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.iter().map(|line| format!("{indent}{line}")).collect();
    add_block_id(&mut lines, indent, id);
    lines
}

/// Adds Obsidian's block id to the end of a text. After a fence or a displayed formula it needs its own line: the line
/// that closes them may contain nothing else. A table and a quote also need an empty line before it.
pub(crate) fn add_block_id(lines: &mut Vec<String>, indent: &str, id: &str) {
    if continues_below_text(lines) {
        lines.extend([String::new(), format!("{indent}^{id}")]);
        return;
    }
    match lines.last_mut() {
        Some(last) if Region::opened_by(last).is_none() => last.extend([" ^", id]),
        _ => lines.push(format!("{indent}^{id}")),
    }
}
