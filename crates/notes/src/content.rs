//! Prepares text so that it becomes exactly one block.
//!
//! The text comes from a model or a journal, so markup that would create blocks or properties is removed: further
//! bullets, properties (especially `id::`), drawers, and fences that are never closed.

use crate::document::Format;
use crate::opaque::Region;
use crate::{markdown, property, structure};

/// Escapes text in one line that was written by somebody else, so that its links, embeds, macros, tags and HTML are
/// read as text. A backslash does that in Logseq as in Obsidian. A `#` or `<` followed by white space is no markup.
#[must_use]
pub fn literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let is_markup = match c {
            '\\' | '`' | '[' | '{' => true,
            '#' | '<' => rest.peek().is_some_and(|next| !next.is_whitespace()),
            '(' => rest.peek() == Some(&'(') || literal.ends_with('('),
            _ => false,
        };
        literal.extend(is_markup.then_some('\\'));
        literal.push(c);
    }
    literal
}

/// Returns the lines of the block's text. `None` if nothing remains.
pub(crate) fn lines(format: Format, text: &str) -> Option<Vec<String>> {
    let mut lines = Vec::new();
    let mut region: Option<Region> = None;
    for line in text.trim().lines().map(printable) {
        let inside = region.is_some();
        match region.take() {
            Some(open) => region = (!open.is_closed_by(&line)).then_some(open),
            None => region = Region::opened_by(&line),
        }
        let line = if inside || region.is_some() { line.trim_end().to_owned() } else { plain(format, &line) };
        if inside || !line.is_empty() {
            lines.push(line);
        }
    }
    lines.extend(region.map(|open| open.closing()));
    let has_region = lines.iter().any(|line| Region::opened_by(line).is_some());
    if format == Format::Markdown && !has_region {
        lines = joined(lines);
    }
    (!lines.is_empty()).then_some(lines)
}

/// Joins the lines of prose, as in plain Markdown a separate line can begin another block. Those of a table, a quote or
/// a definition stay.
fn joined(lines: Vec<String>) -> Vec<String> {
    let start = structure::begins_at(&lines.iter().map(String::as_str).collect::<Vec<_>>()).unwrap_or(lines.len());
    let mut joined: Vec<String> = Vec::new();
    for (at, line) in lines.into_iter().enumerate() {
        let is_separate = at >= start && markdown::content(&line).len() == line.len();
        match joined.last_mut().filter(|_| at != start && !is_separate) {
            Some(last) => last.extend([" ", &line]),
            None => joined.push(line),
        }
    }
    joined
}

fn printable(line: &str) -> String {
    line.chars().filter(|c| !c.is_control() || *c == '\t').collect()
}

/// Removes markup from a line outside of fences.
fn plain(format: Format, line: &str) -> String {
    let mut line = line.trim();
    while let Some(rest) = bulletless(format, line) {
        line = rest.trim_start();
    }
    if property::parse(line).is_some() || property::opens_drawer(line) || property::closes_drawer(line) {
        return line.trim_matches(':').replacen("::", ":", 1);
    }
    let is_directive = line.get(..2) == Some("#+") || property::is_planning(line) || line == "---";
    if is_directive { String::new() } else { line.to_owned() }
}

fn bulletless(format: Format, line: &str) -> Option<&str> {
    let hashes = line.trim_start_matches('#');
    if hashes.len() < line.len() && (hashes.is_empty() || hashes.starts_with(' ')) {
        return Some(hashes);
    }
    let signs: &[char] = if format == Format::Markdown { &['-', '*', '+'] } else { &['-'] };
    let rest = line.strip_prefix(signs)?;
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::{lines, literal};
    use crate::document::Format;

    #[test]
    fn in_plain_markdown_prose_is_joined_and_tables_and_quotes_keep_their_lines() {
        let written = |text| lines(Format::Markdown, text).unwrap().join("\n");
        for text in [
            "| flour | water |\n|---|---|\n| rye | more |",
            "> [!tip] Bread\n> - It dries.\n>\n> Soon.",
            "Rye\n: a cereal\nWheat\n: another",
            "Prices:\na | b\n--- | ---\n1 | 2",
        ] {
            assert_eq!(written(text), text);
        }
        assert_eq!(written("Rye\nneeds\n> acid\n1. and\n> time"), "Rye needs\n> acid 1. and\n> time");
        assert_eq!(written("a | b\npipes | c"), "a | b pipes | c");
        assert_eq!(written("Rye\n- needs\n2. acid"), "Rye needs 2. acid");
    }

    #[test]
    fn markup_within_a_line_becomes_text() {
        for (text, expected) in [
            ("![x](http://a/b.png)", "!\\[x](http://a/b.png)"),
            ("[[Page]] and ((6650a1))", "\\[\\[Page]] and \\(\\(6650a1))"),
            ("{{query (todo now)}}", "\\{\\{query (todo now)}}"),
            ("<iframe src=x> #tag #[[two words]]", "\\<iframe src=x> \\#tag \\#\\[\\[two words]]"),
            ("`code` \\[x]", "\\`code\\` \\\\\\[x]"),
            ("C# is (a) b < c & d > e", "C# is (a) b < c & d > e"),
        ] {
            assert_eq!(literal(text), expected);
        }
    }
}
