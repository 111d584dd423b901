//! Tables, quotes, callouts and definitions of plain Markdown: texts whose line breaks are markup, and to which a line
//! directly below them would belong. A property or an id of such a block follows after an empty line.

use crate::lines::{Ending, Line};
use crate::opaque::interior;
use crate::property::{self, EXTRACTED_TO, block_id};

/// Returns the index of the line that begins such a text. The lines are of one paragraph.
pub(crate) fn begins_at(lines: &[&str]) -> Option<usize> {
    (0..lines.len()).find(|at| {
        let next = lines.get(at + 1).map_or("", |next| next.trim_start());
        lines.get(*at).is_some_and(|line| {
            is_quote(line) || line.contains('|') && is_delimiter_row(next) || next.starts_with(": ")
        })
    })
}

/// Returns whether a line directly below would belong to a table, a quote or a definition at the end of these lines.
/// `inside` says which lines are in fences and the like.
pub(crate) fn continues_below(lines: &[&str], inside: &[bool]) -> bool {
    let is_last = |line: &&(&str, bool)| !line.1 && !line.0.trim().is_empty();
    let all: Vec<(&str, bool)> = lines.iter().copied().zip(inside.iter().copied()).collect();
    let end = all.iter().rposition(|(line, _)| !line.trim().is_empty()).map_or(0, |last| last + 1);
    let length = all.iter().take(end).rev().take_while(is_last).count();
    begins_at(lines.get(end - length..end).unwrap_or_default()).is_some()
}

/// Returns whether a line directly below these lines, which are of one block, would belong to a table or a quote.
pub(crate) fn continues_below_text(text: &[String]) -> bool {
    let lines: Vec<Line> = text.iter().map(|text| Line { text: text.clone(), ending: Ending::Lf }).collect();
    let contents: Vec<&str> = text.iter().map(String::as_str).collect();
    continues_below(&contents, &interior(&lines, str::trim_start))
}

fn is_quote(line: &str) -> bool {
    line.trim_start().starts_with('>')
}

/// Returns whether a line is what follows the first row of a table: `|---|:--:|`.
fn is_delimiter_row(line: &str) -> bool {
    let line = line.trim();
    let is_cell = |cell: &str| {
        let dashes = cell.trim().trim_start_matches(':').trim_end_matches(':');
        !dashes.is_empty() && dashes.chars().all(|c| c == '-')
    };
    line.contains('|') && line.trim_matches('|').split('|').all(is_cell)
}

/// Returns whether a line after an empty one can belong to the table or quote before: an id, or the journal's links.
pub(crate) fn is_mark(content: &str) -> bool {
    let content = content.trim();
    let is_id = content.starts_with('^') && block_id(content).is_some_and(|id| id.len() + 1 == content.len());
    is_id || property::parse(content).is_some_and(|(key, _)| key.eq_ignore_ascii_case(EXTRACTED_TO))
}

#[cfg(test)]
mod tests {
    use super::{begins_at, continues_below, is_mark};

    #[test]
    fn tables_quotes_and_definitions_are_told_from_prose() {
        for (text, expected) in [
            ("| a | b |\n|---|:--:|\n| 1 | 2 |", Some(0)),
            ("Prices:\na | b\n--- | ---\n1 | 2", Some(1)),
            ("> [!tip] Bread\n> It dries.", Some(0)),
            ("Said:\n> It dries.\nand more", Some(1)),
            ("Rye\n: a cereal", Some(0)),
            ("a | b is a pipe\nof two commands", None),
            ("| a | b |", None),
            ("5 > 3\nholds", None),
            ("Rye\n---", None),
            ("Rye: a cereal\nand more", None),
        ] {
            assert_eq!(begins_at(&text.lines().collect::<Vec<_>>()), expected, "{text}");
        }
    }

    #[test]
    fn only_the_last_lines_count() {
        let continues = |lines: &[&str]| continues_below(lines, &vec![false; lines.len()]);
        assert!(continues(&["Text", "", "> It dries.", "more", ""]));
        assert!(!continues(&["> It dries.", "", "Text"]));
        assert!(!continues_below(&["> It dries.", "```", "ls", "```"], &[false, false, true, true]));
        assert!(!continues(&[]));
    }

    #[test]
    fn a_mark_is_an_id_or_links_alone() {
        for (line, expected) in [
            ("^6650-a1", true),
            ("extracted-to:: [[Bread#^a]]", true),
            ("Acid ^a1", false),
            ("2^8", false),
            ("tags:: x", false),
            ("", false),
        ] {
            assert_eq!(is_mark(line), expected, "{line}");
        }
    }
}
