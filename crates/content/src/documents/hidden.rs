//! Follows elements that a browser does not show. Called by the readers of HTML and Markdown.

use crate::markup::{Kind, Tag};

/// Attributes of an element that are looked at.
const MAX_ATTRIBUTES: usize = 32;

/// The open element that is not shown, if there is one. Its end tag may be left out where HTML allows that; any other
/// hides all that follows, as in a browser.
#[derive(Debug, Default)]
pub(super) struct Hidden {
    name: String,
    /// How many elements of its name are open within it, itself included.
    depth: usize,
    /// Whether it is no block, and so ends with the block that it is in.
    is_inline: bool,
}

impl Hidden {
    pub(super) const fn is_open(&self) -> bool {
        self.depth > 0
    }

    pub(super) fn start(&mut self, tag: &Tag<'_>) {
        let is_block = matches!(tag.kind, Some(Kind::Block | Kind::Cell));
        if self.is_open() && self.ends_at(tag.name, is_block) {
            self.end_all();
        }
        if self.is_open() {
            self.depth += usize::from(tag.name.eq_ignore_ascii_case(&self.name));
        } else if is_hidden(tag) && !is_void(tag.name) {
            self.name = tag.name.to_ascii_lowercase();
            self.depth = 1;
            self.is_inline = !is_block;
        }
    }

    pub(super) fn end(&mut self, tag: &Tag<'_>) {
        if tag.name.eq_ignore_ascii_case(&self.name) {
            self.depth = self.depth.saturating_sub(1);
        } else if self.is_open() && self.ends_with(tag.name) {
            self.end_all();
        } else if matches!(tag.kind, Some(Kind::Block | Kind::Cell)) {
            self.end_block();
        }
    }

    /// Ends an element within the block that ends.
    pub(super) const fn end_block(&mut self) {
        if self.is_inline {
            self.end_all();
        }
    }

    const fn end_all(&mut self) {
        self.depth = 0;
    }

    /// Whether the start of another element ends the hidden one without an end tag.
    fn ends_at(&self, next: &str, is_block: bool) -> bool {
        let is = |names: &[&str]| names.iter().any(|name| next.eq_ignore_ascii_case(name));
        match self.name.as_str() {
            "p" => is_block && !is(&["br", "hr"]),
            "li" => is(&["li"]),
            "dt" | "dd" => is(&["dt", "dd"]),
            "tr" => is(&["tr", "tbody", "tfoot"]),
            "td" | "th" => is(&["td", "th", "tr", "tbody", "tfoot"]),
            _ => false,
        }
    }

    /// Whether the end of the element around ends the hidden one.
    fn ends_with(&self, ended: &str) -> bool {
        let is = |names: &[&str]| names.iter().any(|name| ended.eq_ignore_ascii_case(name));
        match self.name.as_str() {
            "p" => is(&["div", "section", "article", "main", "li", "td", "th", "blockquote", "body"]),
            "li" => is(&["ul", "ol", "menu"]),
            "dt" | "dd" => is(&["dl"]),
            "tr" => is(&["table", "tbody", "thead", "tfoot"]),
            "td" | "th" => is(&["tr", "table", "tbody", "thead", "tfoot"]),
            _ => false,
        }
    }
}

/// Whether the element is not shown, by its attribute `hidden` or its own style. One with `aria-hidden` is shown: only
/// a screen reader leaves it out.
fn is_hidden(tag: &Tag<'_>) -> bool {
    tag.attributes(MAX_ATTRIBUTES).any(|(name, value)| {
        name.eq_ignore_ascii_case("hidden") || (name.eq_ignore_ascii_case("style") && is_invisible(value))
    })
}

fn is_invisible(style: &str) -> bool {
    style.split(';').filter_map(|declaration| declaration.split_once(':')).any(|(property, value)| {
        let value = value.split('!').next().unwrap_or_default().trim().to_ascii_lowercase();
        match property.trim().to_ascii_lowercase().as_str() {
            "display" => value == "none",
            "visibility" => matches!(value.as_str(), "hidden" | "collapse"),
            "font-size" | "opacity" => {
                let number = value.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%').trim();
                number.parse::<f64>() == Ok(0.0)
            }
            _ => false,
        }
    })
}

/// Whether an element has no content and no end tag.
fn is_void(name: &str) -> bool {
    const VOID: [&str; 12] =
        ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"];
    VOID.iter().any(|void| name.eq_ignore_ascii_case(void))
}
