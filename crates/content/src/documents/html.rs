//! Reads HTML with the tokenizer that is also used for feed markup: headings begin sections, and the end of a block
//! ends a line.

use super::Document;
use super::builder::{Builder, Rows};
use crate::html::decode_entities;
use crate::markup::{Kind, Receiver, Tag, walk};

/// Elements around the text that are not part of its content. A form is not one of them: some sites put all of a page
/// into one.
const EXCLUDED: [&str; 2] = ["nav", "footer"];

pub(super) fn read(markup: &str) -> Document {
    let mut reader = Reader::default();
    if let Some(title) = title_of(markup) {
        reader.builder.title(&decode_entities(title));
    }
    walk(markup, &mut reader);
    reader.end_block();
    reader.builder.finish()
}

/// Returns the `<title>`. It is in the head, which the tokenizer skips.
fn title_of(markup: &str) -> Option<&str> {
    let head = &markup[..markup.floor_char_boundary(8_192)];
    let start = head.find("<title>")? + "<title>".len();
    let length = head[start..].find("</title")?;
    Some(&head[start..start + length])
}

#[derive(Debug, Default)]
struct Reader {
    builder: Builder,
    text: String,
    heading: Option<u8>,
    /// How many elements of [`EXCLUDED`] are open.
    open_excluded: usize,
    rows: Rows,
    cells: Vec<String>,
    is_header: bool,
}

impl Reader {
    fn end_block(&mut self) {
        let text = std::mem::take(&mut self.text);
        match self.heading {
            Some(level) if !text.trim().is_empty() => {
                self.builder.heading(level, &text);
                self.heading = None;
            }
            _ => self.builder.block(&text),
        }
    }

    fn end_open_row(&mut self) {
        if !self.cells.is_empty() {
            self.end_row();
        }
    }

    fn end_row(&mut self) {
        self.end_cell();
        let cells = std::mem::take(&mut self.cells);
        if std::mem::take(&mut self.is_header) {
            self.rows.header(cells);
        } else {
            let row = self.rows.row(&cells);
            self.builder.block(&row);
        }
    }

    fn begin_cell(&mut self) {
        if self.text.trim().is_empty() {
            self.text.clear();
        } else {
            self.end_cell();
        }
    }

    fn end_cell(&mut self) {
        let text = std::mem::take(&mut self.text);
        if !text.trim().is_empty() || !self.cells.is_empty() {
            self.cells.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
}

impl Receiver for Reader {
    fn text(&mut self, raw: &str) {
        if self.open_excluded == 0 {
            self.text.push_str(&decode_entities(raw));
        }
    }

    fn literal(&mut self, text: &str) {
        if self.open_excluded == 0 {
            self.text.push_str(text);
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        let name = tag.name.to_ascii_lowercase();
        self.open_excluded += usize::from(EXCLUDED.contains(&name.as_str()));
        match (name.as_str(), tag.kind) {
            ("table", _) => {
                self.end_open_row();
                self.end_block();
                self.rows = Rows::default();
            }
            // The ends of rows and cells may be left out.
            ("tr", _) => {
                self.end_open_row();
                self.end_block();
            }
            ("th", _) => {
                self.begin_cell();
                self.is_header |= self.cells.is_empty();
            }
            ("td", _) => {
                self.begin_cell();
                // A row with only its first cell as a header has a row header and does not name columns.
                self.is_header = false;
            }
            (_, Some(Kind::Block)) => {
                self.end_block();
                if let Some(level) = level_of(&name) {
                    self.heading = Some(level);
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: &Tag<'_>) {
        let name = tag.name.to_ascii_lowercase();
        self.open_excluded = self.open_excluded.saturating_sub(usize::from(EXCLUDED.contains(&name.as_str())));
        match (name.as_str(), tag.kind) {
            ("td" | "th", _) => self.end_cell(),
            ("tr", _) => self.end_row(),
            ("table", _) => {
                self.end_open_row();
                self.end_block();
            }
            (_, Some(Kind::Block)) => {
                self.end_block();
                if level_of(&name).is_some() {
                    self.heading = None;
                }
            }
            _ => {}
        }
    }
}

fn level_of(name: &str) -> Option<u8> {
    match name.as_bytes() {
        [b'h', level @ b'1'..=b'6'] => Some(level - b'0'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::read;

    #[test]
    fn sections_rows_and_lists_are_read() {
        let document = read(
            "<html><head><title>Harbour &amp; Sea</title></head><body><nav>Home | Fees</nav><h1>Harbour</h1><p>For all.</p>\
             <h2>Berths</h2><!-- ignore --><table><tr><th>Berth</th><th>Metres</th></tr><tr><td>A</td><td>12</td></tr></table>\
             <ul><li>bow <b>line</b><li>stern line</ul><script>var x='no'</script>",
        );
        assert_eq!(document.title.as_deref(), Some("Harbour & Sea"));
        let passages: Vec<_> = document.passages.iter().map(|p| (p.section.as_str(), p.text.as_str())).collect();
        assert_eq!(passages, [("Harbour", "For all."), ("Berths", "Berth: A · Metres: 12\nbow line\nstern line")]);
    }

    #[test]
    fn tables_without_end_tags_and_pages_within_a_form_are_read() {
        let text = |markup: &str| -> String {
            read(markup).passages.iter().map(|passage| passage.text.as_str()).collect::<Vec<_>>().join("\n")
        };
        let table = "<table><tr><th>Berth<th>Metres<tr><td>A<td>12 m<tr><td>B<td>9 m</table>";
        assert_eq!(text(table), "Berth: A · Metres: 12 m\nBerth: B · Metres: 9 m");
        let closed = "<table> <tr> <td>A</td> <td>12</td> <tr> <td>B</td> <td>9</td> </table><p>After";
        assert_eq!(text(closed), "A · 12\nB · 9\nAfter");
        assert_eq!(text("<body><form><p>The pier opens at nine.</p></form>"), "The pier opens at nine.");
    }

    proptest! {
        #[test]
        fn never_panics(markup in "(<(/?)(h1|h2|p|td|th|tr|table|nav|li)>|[a-z &;]{1,5}){0,60}") {
            let document = read(&markup);
            prop_assert!(document.passages.iter().all(|p| !p.text.is_empty()));
        }
    }
}
