//! What a page says of itself in `<link>` and `<base>`. Called where a page is searched for its feeds. No tree is built, so it is linear
//! in any input.

use super::html::decode_entities;
use super::markup::{Receiver, Tag, walk};

/// No page links to more of its other forms.
const MAX_LINKS: usize = 1_000;
/// Attributes looked at on one tag.
const MAX_ATTRIBUTES: usize = 24;

/// The links of a page, in their order, and the address that they are relative to where it names one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageLinks {
    pub base: Option<String>,
    pub links: Vec<PageLink>,
}

/// A `<link>`; what it does not say is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageLink {
    pub rel: String,
    pub media_type: String,
    pub href: String,
    pub title: String,
}

#[must_use]
pub fn links_of(html: &str) -> PageLinks {
    let mut links = PageLinks::default();
    walk(html, &mut links);
    links
}

impl Receiver for PageLinks {
    fn text(&mut self, _: &str) {}

    fn literal(&mut self, _: &str) {}

    fn start(&mut self, tag: &Tag<'_>) {
        let is_link = tag.name.eq_ignore_ascii_case("link") && self.links.len() < MAX_LINKS;
        if !is_link && !tag.name.eq_ignore_ascii_case("base") {
            return;
        }
        let mut link = PageLink::default();
        for (name, value) in tag.attributes(MAX_ATTRIBUTES) {
            let place = match name.to_ascii_lowercase().as_str() {
                "rel" => &mut link.rel,
                "type" => &mut link.media_type,
                "href" => &mut link.href,
                "title" => &mut link.title,
                _ => continue,
            };
            // Of two attributes of one name the first counts.
            if place.is_empty() {
                *place = decode_entities(value).into_owned();
            }
        }
        if is_link {
            self.links.push(link);
        } else if self.base.is_none() && !link.href.is_empty() {
            self.base = Some(link.href);
        }
    }

    fn end(&mut self, _: &Tag<'_>) {}

    fn wants_hidden(&self, name: &str) -> bool {
        name == "head"
    }
}
