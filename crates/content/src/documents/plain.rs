//! Reads plain text. Paragraphs are separated by blank lines or, if there are none, by line ends.

use super::builder::Builder;
use super::{Document, printed};

/// Separates the pages of a text that was printed to a file.
const FORM_FEED: char = '\u{c}';

/// Reads a file.
pub(super) fn read(text: &str) -> Document {
    printed::read(&text.split(FORM_FEED).collect::<Vec<_>>(), false)
}

/// Reads the text of an item, which has no pages, divided words and clauses.
pub(super) fn read_item(text: &str) -> Document {
    let mut builder = Builder::default();
    paragraphs(text, |paragraph| builder.block(paragraph));
    builder.finish()
}

/// Calls `each` with every paragraph. Wrapped text has blank lines between paragraphs; in a text without any, each line
/// is a paragraph.
fn paragraphs(text: &str, mut each: impl FnMut(&str)) {
    let text = text.replace("\r\n", "\n");
    let has_blank_lines = text.trim().lines().any(|line| line.trim().is_empty());
    if !has_blank_lines {
        return text.lines().for_each(each);
    }
    let mut paragraph = String::new();
    for line in text.lines().chain([""]) {
        if line.trim().is_empty() {
            each(&std::mem::take(&mut paragraph));
        } else {
            // List entries remain separate.
            if line.trim_start().starts_with(['-', '*', '•']) {
                each(&std::mem::take(&mut paragraph));
            }
            paragraph.push_str(line);
            paragraph.push(' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{read, read_item};

    #[test]
    fn wrapped_lines_are_one_paragraph() {
        for read in [read, read_item] {
            let document = read("One\nparagraph.\n\n- a\n- b\n\nLast.");
            assert_eq!(document.passages[0].text, "One paragraph.\n- a\n- b\nLast.");
            assert_eq!(read("One.\nTwo.").passages[0].text, "One.\nTwo.");
            assert!(read(" \n\n ").passages.is_empty());
        }
    }

    #[test]
    fn an_item_has_neither_clauses_nor_running_heads() {
        let text = "1. Rain. It rains.\n\n2. Wind. It blows hard-\nly.";
        let sections =
            |document: super::Document| document.passages.into_iter().map(|one| one.section).collect::<Vec<_>>();
        assert_eq!(sections(read_item(text)), ["Paragraph 1"]);
        assert_eq!(sections(read(text)), ["1. Rain", "2. Wind"]);
    }

    #[test]
    fn pages_are_separated_by_form_feeds() {
        let document = read("Harbour Rules\n\nIt opens.\n\n1\n\u{c}Harbour Rules\n\nIt closes.\n\n2\n");
        assert_eq!(document.title.as_deref(), Some("Harbour Rules"));
        let passages: Vec<_> = document.passages.iter().map(|p| (p.section.as_str(), p.text.as_str())).collect();
        assert_eq!(passages, [("Paragraph 1", "It opens.\nIt closes.")]);
    }
}
