//! Plain text: paragraphs, which blank lines or, where there are none, line ends separate.

use super::Document;
use super::builder::Builder;

pub(super) fn read(text: &str) -> Document {
    let mut builder = Builder::default();
    paragraphs(text, |paragraph| builder.block(paragraph));
    builder.finish()
}

/// Calls with every paragraph. A text that is wrapped has blank lines between paragraphs; one without any has a line a paragraph.
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
            // A list keeps its lines.
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
