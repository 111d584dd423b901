//! Reads HTML with the tokenizer that is also used for feed markup: headings begin sections, and the end of a block
//! ends a line.

use super::Document;
use super::builder::Builder;
use super::hidden::Hidden;
use super::stated_dates::date_of_head;
use super::struck::Struck;
use super::table::{Span, Table};
use crate::html::decode_entities;
use crate::markup::{Kind, Receiver, Tag, walk};

/// Elements around the text that are not part of its content. A form is not one of them: some sites put all of a page
/// into one.
const EXCLUDED: [&str; 2] = ["nav", "footer"];

pub(super) fn read(markup: &str) -> Document {
    let reader = read_with(markup, Struck::default());
    let unclosed = reader.struck.unclosed();
    let reader = if unclosed.is_empty() { reader } else { read_with(markup, Struck::ending_with_blocks(unclosed)) };
    reader.builder.finish()
}

fn read_with(markup: &str, struck: Struck) -> Reader {
    let mut reader = Reader { struck, ..Reader::default() };
    if let Some(title) = title_of(markup) {
        reader.builder.title(&decode_entities(title));
    }
    reader.builder.date(date_of_head(markup));
    walk(markup, &mut reader);
    reader.leave_row();
    reader.end_block();
    reader
}

/// Returns the `<title>`. It is in the head, which the tokenizer skips.
fn title_of(markup: &str) -> Option<&str> {
    let head = &markup[..markup.floor_char_boundary(8_192)];
    let lower = head.to_ascii_lowercase();
    let ends_name = |rest: &str| rest.starts_with(|c: char| c == '>' || c.is_ascii_whitespace());
    let (tag, _) = lower.match_indices("<title").find(|(at, name)| ends_name(&lower[at + name.len()..]))?;
    let start = tag + lower[tag..].find('>')? + 1;
    let length = lower[start..].find("</title")?;
    Some(&head[start..start + length])
}

#[derive(Debug, Default)]
struct Reader {
    builder: Builder,
    text: String,
    heading: Option<u8>,
    /// How many elements of [`EXCLUDED`] are open.
    open_excluded: usize,
    hidden: Hidden,
    struck: Struck,
    table: Table,
    /// How far the open cell extends.
    span: Span,
    /// Whether text belongs to a cell. Blocks within it are lines of its text.
    in_cell: bool,
    is_header: bool,
}

/// A cell with more text in several blocks is a part of a page that is laid out as a table, in bytes.
const MAX_CELL_BYTES: usize = 300;

/// Separates the blocks of a cell. Line breaks of the markup separate none.
const BLOCK_SEPARATOR: char = '\u{2029}';

impl Reader {
    fn end_block(&mut self) {
        if self.in_cell {
            self.text.push(BLOCK_SEPARATOR);
            return;
        }
        let text = std::mem::take(&mut self.text);
        match self.heading {
            Some(level) if !text.trim().is_empty() => {
                self.builder.heading(level, &text);
                self.heading = None;
            }
            _ => self.builder.block(&text),
        }
    }

    /// Ends the open row, and the open cell, if there are any: their end tags may be left out.
    fn end_row(&mut self) {
        self.end_cell();
        if let Some(row) = self.table.end_row(std::mem::take(&mut self.is_header)) {
            self.builder.block(&row);
        }
    }

    fn begin_cell(&mut self, tag: &Tag<'_>) {
        self.end_cell();
        self.text.clear();
        self.in_cell = true;
        self.span = Span::of(tag);
    }

    fn end_cell(&mut self) {
        // Text of a row that no cell begins is a cell, too.
        if !std::mem::take(&mut self.in_cell) && self.text.trim().is_empty() {
            return;
        }
        let (text, span) = (std::mem::take(&mut self.text), std::mem::take(&mut self.span));
        let blocks: Vec<&str> = text.split(BLOCK_SEPARATOR).filter(|block| !block.trim().is_empty()).collect();
        if blocks.len() > 1 && text.len() > MAX_CELL_BYTES {
            for block in blocks {
                self.builder.block(block);
            }
        } else {
            let cell = text.split_whitespace().collect::<Vec<_>>().join(" ");
            self.table.cell(cell, span, self.is_header);
        }
    }

    /// Whether text belongs to the document.
    const fn is_included(&self) -> bool {
        self.open_excluded == 0 && !self.struck.is_open() && !self.hidden.is_open()
    }

    /// Ends the open row, if there is one.
    fn leave_row(&mut self) {
        if self.in_cell || !self.table.is_row_empty() {
            self.end_row();
        }
    }
}

impl Receiver for Reader {
    fn text(&mut self, raw: &str) {
        if self.is_included() {
            self.text.push_str(&decode_entities(raw));
        }
    }

    fn literal(&mut self, text: &str) {
        if self.is_included() {
            self.text.push_str(text);
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        let name = tag.name.to_ascii_lowercase();
        self.open_excluded += usize::from(EXCLUDED.contains(&name.as_str()));
        self.struck.start(tag);
        self.hidden.start(tag);
        match (name.as_str(), tag.kind) {
            ("table", _) => {
                self.leave_row();
                self.end_block();
                self.table = self.table.next();
            }
            ("tr", _) => {
                self.leave_row();
                self.end_block();
            }
            ("th", _) => {
                self.begin_cell(tag);
                self.is_header |= self.table.is_row_empty();
            }
            ("td", _) => {
                self.begin_cell(tag);
                // A row with only its first cell as a header has a row header and does not name columns.
                self.is_header = false;
            }
            (_, Some(Kind::Block)) => {
                let level = level_of(&name);
                if level.is_some() {
                    self.leave_row();
                }
                self.end_block();
                self.heading = level.or(self.heading);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: &Tag<'_>) {
        let name = tag.name.to_ascii_lowercase();
        self.open_excluded = self.open_excluded.saturating_sub(usize::from(EXCLUDED.contains(&name.as_str())));
        self.struck.end(tag);
        self.hidden.end(tag);
        match (name.as_str(), tag.kind) {
            ("td" | "th", _) => self.end_cell(),
            ("tr", _) => self.end_row(),
            ("table", _) => {
                self.leave_row();
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
        let table = "<table><tr><th>Berth<th>Metres<tr><td>A<td>12 m<tr><td>B<td>9 m</table>";
        assert_eq!(text(table), "Berth: A · Metres: 12 m\nBerth: B · Metres: 9 m");
        let closed = "<table> <tr> <td>A</td> <td>12</td> <tr> <td>B</td> <td>9</td> </table><p>After";
        assert_eq!(text(closed), "A · 12\nB · 9\nAfter");
        let empty = "<table><tr><th><th>2024<th>2025<tr><td>Fee<td><td>13</table>";
        assert_eq!(text(empty), "Fee · 2025: 13");
        let blocks = "<table><tr><th><p>Berth</p></th><th><p>Metres</p></th></tr>\
                      <tr><td><p>A</p><p>east</p></td><td><div>12</div></td></tr></table>";
        assert_eq!(text(blocks), "Berth: A east · Metres: 12");
        let part = "A paragraph of a page that is laid out as a table. ".repeat(4);
        let page = format!("<table><tr><td><p>{part}</p><p>{part}</p><h2>Fees</h2><p>Two</p></td></tr></table>");
        assert_eq!(text(&page), format!("{0}\n{0}\nTwo", part.trim()));
        assert_eq!(text("<body><form><p>The pier opens at nine.</p></form>"), "The pier opens at nine.");
    }

    fn text(markup: &str) -> String {
        read(markup).passages.iter().map(|passage| passage.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn what_a_browser_does_not_show_is_left_out() {
        assert_eq!(text("<p hidden>Old.</p><p>New.</p>"), "New.");
        assert_eq!(text("<p hidden>Old.<p>New."), "New.");
        assert_eq!(text("<div style='display: none'><div>Old.</div>Older.</div><p>New."), "New.");
        assert_eq!(
            text("<p>Four <span style=\"FONT-SIZE:0px\">ninety </span>euros.<br hidden> Five."),
            "Four euros.\nFive."
        );
        assert_eq!(text("<ul><li style='visibility:hidden'>Old.<li>New.</ul><p>After."), "New.\nAfter.");
        assert_eq!(text("<p>Open <span hidden>on Monday</p><p>New."), "Open\nNew.");
        assert_eq!(text("<table><tr hidden><td>Old<tr><td>New</table>"), "New");
        assert_eq!(text("<p style='display:block; font-size: 0.9em'>Shown.</p>"), "Shown.");
        let not_read_aloud = "<p>Open <span aria-hidden='true'>daily</span>.</p>";
        assert_eq!(text(not_read_aloud), "Open daily.", "only a screen reader leaves it out");
    }

    #[test]
    fn struck_out_text_is_left_out() {
        assert_eq!(
            text("<p>A night costs <del>six</del> <s>eight</s> <strike>ten</strike> nine euros."),
            "A night costs nine euros."
        );
        assert_eq!(text("<del><p>Old.</p><p>Older.</p></del><p>New.</p>"), "New.");
        assert_eq!(text("<p><s>Old.</p><p>New.</p>"), "New.");
        assert_eq!(text("<p><s>Old.<p>New.<p>Newer."), "New.\nNewer.");
        assert_eq!(text("<ul><li><del>Old.<li>New.</ul><p>Newer."), "New.\nNewer.");
        assert_eq!(text("<body><del>Old.<p>New.</p><p>Newer."), "New.\nNewer.");
        assert_eq!(text("<div><s>Old.<p>New. <s>Older.</s></p></div><p>Newer."), "New.\nNewer.");
        assert_eq!(text("<del><p>Old.</p></s><p>Older.</p></del><p>New."), "New.");
        assert_eq!(text("<p>Open <del>on <s>Monday</del> Tuesday.</p><p>New."), "Open\nNew.");
        let table = "<table><tr><th>Berth<th>Price<tr><td>A<td><s>8<br>9<tr><td>B<td><del>7</del> 6</table>";
        assert_eq!(text(table), "Berth: A\nBerth: B · Price: 6");
    }

    #[test]
    fn cells_that_span_rows_and_columns_keep_the_others_in_place() {
        let fares = "<table><tr><th rowspan=2>Berth</th><th colspan='2'>Price</th></tr>\
                     <tr><th>Summer</th><th>Winter</th></tr>\
                     <tr><td rowspan=\"2\">A</td><td>9</td><td>6</td></tr><tr><td>8</td><td>5</td></tr>\
                     <tr><td>B</td><td colspan=2>7</td></tr><tr><td colspan=3>All prices in euros</td></tr></table>";
        let rows = [
            "Berth: A · Summer: 9 · Winter: 6",
            "Berth: A · Summer: 8 · Winter: 5",
            "Berth: B · Summer: 7 · Winter: 7",
            "All prices in euros",
        ];
        assert_eq!(text(fares), rows.join("\n"));
        let last = "<table><tr><th>Day<th>Berth<th>Keeper<tr><td>Monday<td>A<td rowspan=0>Ida\
                    <tr><td>Tuesday<tr><td>Sunday<td>B</table>";
        assert_eq!(
            text(last),
            "Day: Monday · Berth: A · Keeper: Ida\nDay: Tuesday · Keeper: Ida\nDay: Sunday · Berth: B · Keeper: Ida"
        );
        let huge = "<table><tr><td colspan=99999999999999999999 rowspan=7000>A<td colspan=900>B<tr><td>C</table>";
        assert_eq!(text(huge), "A · B\nA · C");
    }

    #[test]
    fn a_title_tag_may_have_capitals_and_attributes() {
        let title = |markup: &str| read(markup).title;
        assert_eq!(title("<HTML><HEAD><TITLE>Harbour Fees</TITLE></HEAD><p>x").as_deref(), Some("Harbour Fees"));
        assert_eq!(title("<titles>No</titles><title\n lang='en'>Fees İ</Title><p>x").as_deref(), Some("Fees İ"));
        assert_eq!(title("<titles>No</titles><p>x"), None);
    }

    #[test]
    fn hostile_markup_is_read_in_time() {
        const MANY: usize = 150_000;
        let unmatched_ends = format!("{}{}<p>x", "<s>".repeat(MANY * 2), "</del>".repeat(MANY * 2));
        let open_over_blocks = format!("{}{}{}<p>x", "<s>".repeat(MANY), "<p>a".repeat(MANY), "</s>".repeat(MANY - 1));
        let empty_rows = format!("<table><tr>{}{}", "<td rowspan=2>a".repeat(MANY * 2), "</tr>".repeat(MANY * 2));
        for (name, markup) in
            [("unmatched ends", unmatched_ends), ("open over blocks", open_over_blocks), ("empty rows", empty_rows)]
        {
            let started = std::time::Instant::now();
            read(&markup);
            assert!(started.elapsed().as_secs() < 30, "{name}: {:?}", started.elapsed());
        }
    }

    proptest! {
        #[test]
        fn never_panics(
            markup in "(<(/?)(h1|h2|p|td|td rowspan=3|td colspan=2|th|tr|table|nav|li|s|del)>|[a-z &;]{1,5}){0,60}"
        ) {
            let document = read(&markup);
            prop_assert!(document.passages.iter().all(|p| !p.text.is_empty()));
        }
    }
}
