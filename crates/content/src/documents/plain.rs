//! Reads plain text. Paragraphs are separated by blank lines or, if there are none, by line ends.

use super::Document;
use super::builder::Builder;

pub(super) fn read(text: &str) -> Document {
    let mut builder = Builder::default();
    paragraphs(text, |paragraph| builder.block(paragraph));
    builder.finish()
}

/// Calls `each` with every paragraph. Wrapped text has blank lines between paragraphs; in a text without any, each line
/// is a paragraph.
pub(super) fn paragraphs(text: &str, mut each: impl FnMut(&str)) {
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
    use super::read;

    #[test]
    fn wrapped_lines_are_one_paragraph() {
        let document = read("One\nparagraph.\n\n- a\n- b\n\nLast.");
        assert_eq!(document.passages[0].text, "One paragraph.\n- a\n- b\nLast.");
        assert_eq!(read("One.\nTwo.").passages[0].text, "One.\nTwo.");
        assert!(read(" \n\n ").passages.is_empty());
    }
}
