//! Converts HTML to plain text. Input: markup from feeds; output: text without tags, scripts and invisible characters.
//! Called by the feed parser, and by everything in `src/sources` that reads markup.

use std::borrow::Cow;

use memchr::memchr;

use super::boilerplate::strip_boilerplate;
use super::fold::{Folded, fold_line, fold_lines};
use super::markup::{Kind, Receiver, Tag, kind_of, tag_name, walk};

/// Returns the text of `markup`: block boundaries become line feeds, entities are decoded, white space is collapsed.
#[must_use]
pub fn html_to_text(markup: &str) -> String {
    if !markup.contains(['<', '&']) {
        return fold_line(markup);
    }
    let mut out = Folded::with_capacity(markup.len() / 2);
    walk(markup, &mut out);
    out.finish()
}

/// Returns the text of a body without the phrases that publishing software appends. A body declared as plain text is
/// still parsed as HTML if it looks like HTML.
#[must_use]
pub fn readable(body: &str, is_plain: bool) -> String {
    let mut text = if is_plain && !looks_like_html(body) { fold_lines(body) } else { html_to_text(body) };
    text.truncate(text.floor_char_boundary(strip_boilerplate(&text).len()));
    text
}

impl Receiver for Folded {
    fn text(&mut self, raw: &str) {
        self.push(&decode_text(raw));
    }

    fn literal(&mut self, text: &str) {
        self.push(text);
    }

    fn start(&mut self, tag: &Tag<'_>) {
        self.end(tag);
    }

    fn end(&mut self, tag: &Tag<'_>) {
        match tag.kind {
            Some(Kind::Block) => self.line(),
            Some(Kind::Cell) => self.space(),
            Some(Kind::Hidden(_) | Kind::Inline) | None => {}
        }
    }
}

/// Returns a title as one line of text: known HTML tags are dropped (`Vec<T>` stays), entities decoded, white space
/// collapsed.
#[must_use]
pub fn clean_line(text: &str) -> String {
    if !text.contains(['<', '&']) {
        return fold_line(text);
    }
    let mut out = Folded::with_capacity(text.len());
    // After the last `>` no tag can end.
    let (mut rest, tail) = text.split_at(text.rfind('>').map_or(0, |last| last + 1));
    while let Some(at) = rest.find('<') {
        out.push(&decode_text(&rest[..at]));
        rest = &rest[at..];
        if let Some((end, kind)) = known_tag_end(rest) {
            if kind != Kind::Inline {
                out.space();
            }
            rest = &rest[end..];
        } else {
            out.push("<");
            rest = &rest[1..];
        }
    }
    out.push(&decode_text(rest));
    out.push(&decode_text(tail));
    out.finish()
}

/// Returns whether text that is declared plain contains markup: a known end tag, a `br`, `p`, `img` or `hr` tag, or a
/// character reference.
#[must_use]
pub fn looks_like_html(text: &str) -> bool {
    if !text.contains(['<', '&']) {
        return false;
    }
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        let (name, closing) = tag_name(rest);
        let kind = kind_of(name);
        if kind.is_some() && (closing || ["br", "p", "img", "hr"].iter().any(|t| name.eq_ignore_ascii_case(t))) {
            return true;
        }
        rest = &rest[1..];
    }
    text.contains('&') && matches!(decode_entities(text), Cow::Owned(decoded) if decoded != text)
}

/// Decodes named and numeric character references.
#[must_use]
pub fn decode_entities(text: &str) -> Cow<'_, str> {
    if memchr(b'&', text.as_bytes()).is_some() { html_escape::decode_html_entities(text) } else { Cow::Borrowed(text) }
}

/// Decodes the references of a text that is shown. In `Merck &amp;amp; Co.`, which was escaped twice, the ampersand
/// between two capitalised words is one. Any other reference that remains is what the text is about, and all stay. Only
/// ampersands are written, so that no text becomes markup.
fn decode_text(raw: &str) -> Cow<'_, str> {
    let text = decode_entities(raw);
    if !text.contains(ESCAPED_AMPERSAND) {
        return text;
    }
    let parts: Vec<&str> = text.split(ESCAPED_AMPERSAND).collect();
    let is_capital = |word: Option<&str>| word.is_some_and(|word| word.starts_with(char::is_uppercase));
    let is_between_names = |pair: &[&str]| {
        is_capital(pair[0].split_whitespace().next_back()) && is_capital(pair[1].split_whitespace().next())
    };
    let has_other = parts.iter().any(|part| decode_entities(part) != *part);
    let is_escaped_twice = parts.windows(2).all(is_between_names) && !has_other;
    if is_escaped_twice { Cow::Owned(parts.join(" & ")) } else { text }
}

/// An ampersand that is still escaped after decoding.
const ESCAPED_AMPERSAND: &str = " &amp; ";

/// A longer tag in a title is treated as text.
const MAX_TITLE_TAG_BYTES: usize = 512;

fn known_tag_end(text: &str) -> Option<(usize, Kind)> {
    let kind = kind_of(tag_name(text).0)?;
    text.bytes().take(MAX_TITLE_TAG_BYTES).position(|b| b == b'>').map(|end| (end + 1, kind))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{clean_line, html_to_text, looks_like_html};
    use crate::deadline::in_time;

    #[test]
    fn blocks_become_lines_and_scripts_go() {
        let markup = "<head><title>x</title></head><h1>A &amp; B</h1><p>One<br/>two <b>three</b></p>\
                      <script>if (a < b) { alert('<p>') }</script><style>p{}</style><ul><li>x</li><li>y</li></ul>";
        assert_eq!(html_to_text(markup), "A & B\nOne\ntwo three\nx\ny");
    }

    #[test]
    fn quoted_brackets_do_not_end_a_tag() {
        assert_eq!(html_to_text(r#"<a title="a > b" href='x>y'>text</a> 1 < 2 &lt;b&gt;"#), "text 1 < 2 <b>");
    }

    #[test]
    fn broken_markup_costs_no_more_than_its_text() {
        assert_eq!(html_to_text("kept <!-- never closed <p>gone"), "kept");
        assert_eq!(html_to_text("kept <script> gone"), "kept");
        assert_eq!(html_to_text("<svg><p>kept"), "kept");
        assert_eq!(html_to_text("kept <a href=\"gone"), "kept");
        assert_eq!(html_to_text("a <3 b </> c"), "a <3 b c");
    }

    #[test]
    fn hostile_nesting_is_linear() {
        let nested = "<b>".repeat(100_000) + "deep" + &"</i>".repeat(100_000);
        assert_eq!(in_time("nesting", move || html_to_text(&nested)), "deep");
        let foreign = "<svg><head>".repeat(50_000) + "end";
        assert_eq!(in_time("foreign elements", move || html_to_text(&foreign)), "end");
        assert_eq!(in_time("brackets", || clean_line(&"<".repeat(100_000)).len()), 100_000);
    }

    #[test]
    fn titles_lose_tags_but_not_generics() {
        assert_eq!(clean_line("Fish &amp;amp; <b>chips</b>\n &#8217;n "), "Fish &amp; chips ’n");
        assert_eq!(clean_line("Why Vec<T> is <i>not</i> a <br> list, 1 < 2"), "Why Vec<T> is not a list, 1 < 2");
    }

    #[test]
    fn an_ampersand_that_was_escaped_twice_is_one_where_no_text_is_about_it() {
        for (markup, text) in [
            ("<p>MSD (known as Merck &#x26;amp; Co. in Canada)</p>", "MSD (known as Merck & Co. in Canada)"),
            ("Arts &amp;amp; Letters, Health &amp;amp; Science", "Arts & Letters, Health & Science"),
            ("<p>Write &amp;amp; for an ampersand</p>", "Write &amp; for an ampersand"),
            ("Johnson &amp;amp; Johnson is written with &amp;amp;", "Johnson &amp; Johnson is written with &amp;"),
            ("Johnson &amp;amp; Johnson, not &amp;lt;b&amp;gt;", "Johnson &amp; Johnson, not &lt;b&gt;"),
            ("Merck &amp;amp; <b>Co.</b>", "Merck &amp; Co."),
            ("Merck &amp;amp; &lt;script&gt;", "Merck &amp; <script>"),
        ] {
            assert_eq!((html_to_text(markup), clean_line(markup)), (text.to_owned(), text.to_owned()), "{markup}");
        }
    }

    #[test]
    fn markup_is_distinguished_from_text() {
        assert!(looks_like_html("a <b>bold</b> word") && looks_like_html("it&#8217;s") && looks_like_html("a<br>b"));
        assert!(!looks_like_html("the <blink tag & 1 < 2") && !looks_like_html("plain"));
    }

    proptest! {
        #[test]
        fn never_panics_and_never_shows_controls(markup in ".{0,200}|[<>/!\\-a-z\"'= &;#x0-9é]{0,200}") {
            let text = html_to_text(&markup);
            prop_assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
            let line = clean_line(&markup);
            prop_assert!(!line.chars().any(char::is_control));
        }
    }
}
