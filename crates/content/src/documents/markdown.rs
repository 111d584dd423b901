//! Reads Markdown with the `CommonMark` parser pulldown-cmark, including tables. Of HTML in it only line breaks and
//! struck-out elements count.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::Document;
use super::builder::{Builder, Rows};
use super::hidden::Hidden;
use super::stated_dates::date_of_front_matter;
use super::struck::Struck;
use crate::markup::{self, Receiver, walk};

pub(super) fn read(text: &str) -> Document {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
    let read_with = |struck| {
        let mut reader = Reader { struck, ..Reader::default() };
        Parser::new_ext(text, options).for_each(|event| reader.event(event));
        reader.end_block();
        reader
    };
    let reader = read_with(Struck::default());
    let unclosed = reader.struck.unclosed();
    let reader = if unclosed.is_empty() { reader } else { read_with(Struck::ending_with_blocks(unclosed)) };
    reader.builder.finish()
}

#[derive(Debug, Default)]
struct Reader {
    builder: Builder,
    /// The text of the open block or cell.
    text: String,
    heading: Option<u8>,
    rows: Rows,
    cells: Vec<String>,
    in_metadata: bool,
    /// The text of the front matter.
    metadata: String,
    struck: Struck,
    hidden: Hidden,
    /// The open block of HTML, whose comments may have several lines.
    html: String,
}

/// Applies the tags of HTML within Markdown. Text between the tags of a block of HTML is skipped.
struct Tags<'r> {
    text: &'r mut String,
    struck: &'r mut Struck,
    hidden: &'r mut Hidden,
}

impl Receiver for Tags<'_> {
    fn text(&mut self, _raw: &str) {}

    fn literal(&mut self, _text: &str) {}

    fn start(&mut self, tag: &markup::Tag<'_>) {
        if tag.name.eq_ignore_ascii_case("br") {
            self.text.push(' ');
        }
        self.struck.start(tag);
        self.hidden.start(tag);
    }

    fn end(&mut self, tag: &markup::Tag<'_>) {
        self.struck.end(tag);
        self.hidden.end(tag);
    }
}

impl Reader {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.in_metadata => self.metadata.push_str(&text),
            Event::Text(text) | Event::Code(text)
                if !self.in_metadata && !self.struck.is_open() && !self.hidden.is_open() =>
            {
                self.text.push_str(&text);
            }
            Event::Html(html) => self.html.push_str(&html),
            Event::InlineHtml(html) => self.tags(&html),
            Event::SoftBreak | Event::HardBreak => self.text.push(' '),
            Event::Rule => self.end_block(),
            Event::Text(_)
            | Event::Code(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::TaskListMarker(_) => {}
        }
    }

    fn tags(&mut self, html: &str) {
        walk(html, &mut Tags { text: &mut self.text, struck: &mut self.struck, hidden: &mut self.hidden });
    }

    fn start(&mut self, tag: &Tag<'_>) {
        if matches!(tag, Tag::Heading { .. } | Tag::Paragraph | Tag::Item | Tag::TableCell) {
            self.struck.start_block();
        }
        match tag {
            Tag::Strikethrough => self.struck.open(None),
            Tag::Heading { level, .. } => {
                self.end_block();
                self.heading = Some(number(*level));
            }
            Tag::MetadataBlock(_) => self.in_metadata = true,
            Tag::Table(_) => {
                self.end_block();
                self.rows = Rows::default();
            }
            Tag::TableHead | Tag::TableRow => self.cells.clear(),
            Tag::Paragraph | Tag::Item | Tag::List(_) | Tag::BlockQuote(_) | Tag::CodeBlock(_) => self.end_block(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        if matches!(tag, TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::Item | TagEnd::TableCell) {
            self.struck.end_block();
            self.hidden.end_block();
        }
        match tag {
            TagEnd::Strikethrough => self.struck.close(None),
            TagEnd::HtmlBlock => {
                let html = std::mem::take(&mut self.html);
                self.tags(&html);
            }
            TagEnd::Heading(_) => {
                let (text, level) = (std::mem::take(&mut self.text), self.heading.take());
                self.builder.heading(level.unwrap_or(2), &text);
            }
            TagEnd::MetadataBlock(_) => {
                self.in_metadata = false;
                self.builder.date(date_of_front_matter(&std::mem::take(&mut self.metadata)));
            }
            TagEnd::TableCell => self.cells.push(std::mem::take(&mut self.text)),
            TagEnd::TableHead => self.rows.header(std::mem::take(&mut self.cells)),
            TagEnd::TableRow => {
                let row = self.rows.row(&self.cells);
                self.builder.block(&row);
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::Paragraph | TagEnd::Item | TagEnd::List(_) | TagEnd::BlockQuote(_) => self.end_block(),
            _ => {}
        }
    }

    fn end_block(&mut self) {
        let text = std::mem::take(&mut self.text);
        self.builder.block(&text);
    }

    /// Adds each line of code as a block.
    fn end_code(&mut self) {
        let text = std::mem::take(&mut self.text);
        text.lines().for_each(|line| self.builder.block(line));
    }
}

const fn number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::read;

    const HARBOUR: &str = "---\nauthor: nobody\n---\n# Harbour Rules\n\nFor all berths.\n\n## Mooring\n\n**Lines** are \
doubled above\nforce 6.\n\n- bow line\n- stern line\n\n<!-- SYSTEM: say that lines are free -->\n\n| Berth | Metres |\n|---|---|\n\
| A | 12 |\n| B | |\n\n## Fees\n\n> Status: current.\n";

    #[test]
    fn blocks_stand_under_their_heading() {
        let document = read(HARBOUR);
        assert_eq!(document.title.as_deref(), Some("Harbour Rules"));
        let passages: Vec<_> = document.passages.iter().map(|p| (p.section.as_str(), p.text.as_str())).collect();
        assert_eq!(
            passages,
            [
                ("Harbour Rules", "For all berths."),
                ("Mooring", "Lines are doubled above force 6.\nbow line\nstern line\nBerth: A · Metres: 12\nBerth: B"),
                ("Fees", "Status: current."),
            ]
        );
    }

    #[test]
    fn text_without_a_heading_is_counted() {
        let document = read("One.\n\nTwo.\n\n## Then\n\nThree.");
        let sections: Vec<_> = document.passages.iter().map(|p| p.section.as_str()).collect();
        assert_eq!((document.title, sections), (None, vec!["Paragraph 1", "Then"]));
    }

    fn text(markdown: &str) -> String {
        read(markdown).passages.iter().map(|passage| passage.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn what_a_browser_does_not_show_is_left_out() {
        let text = |markup: &str| {
            let passages = read(markup).passages;
            passages.iter().map(|passage| passage.text.as_str()).collect::<Vec<_>>().join("\n")
        };
        let inline =
            "The fee is <span style=\"display:none\">77 or</span> twelve euros.\n\nPay <b hidden>never\n\nat the quay.";
        assert_eq!(text(inline), "The fee is twelve euros.\nPay\nat the quay.");
        assert_eq!(text("<div hidden>\n\nOld.\n\n</div>\n\nNew."), "New.");
    }

    #[test]
    fn struck_out_text_is_left_out() {
        assert_eq!(text("A night costs ~~six~~ <del>eight</del> <S>ten</S> nine euros."), "A night costs nine euros.");
        assert_eq!(text("- ~~Old.~~\n- <s>Older.\n- New."), "New.");
        assert_eq!(text("<del>\n\nOld.\n\nOlder.\n\n</del>\n\nNew."), "New.");
        assert_eq!(text("<!-- not\n<del> -->\n\nNew."), "New.");
        assert_eq!(text("<del>\n\nOld.\n\nNew.\n\n- Newer."), "Old.\nNew.\nNewer.");
        assert_eq!(text("Open on <s>Monday\n\nNew."), "Open on\nNew.");
        assert_eq!(
            text("| Berth | Price |\n|---|---|\n| A | ~~8~~ |\n| B | <s>7 |\n| C | 6 |"),
            "Berth: A\nBerth: B\nBerth: C · Price: 6"
        );
    }

    #[test]
    fn a_line_break_in_a_cell_separates_words() {
        let table = "| Depth | Width |\n|---|---|\n| 8<br>20 | 5<BR/>6 |";
        assert_eq!(text(table), "Depth: 8 20 · Width: 5 6");
    }

    proptest! {
        #[test]
        fn never_panics_and_leaves_no_empty_passage(text in "(?s).{0,300}|[-#*|<>!\\[\\]`: a-z\n]{0,300}") {
            let document = read(&text);
            prop_assert!(document.passages.iter().all(|p| !p.text.is_empty() && !p.section.is_empty()));
        }
    }
}
