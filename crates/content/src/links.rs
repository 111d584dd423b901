//! Reads the `<link>` and `<base>` elements of a page. Called where a page is searched for its feeds. It builds no
//! tree, so it is linear in any input.

use super::html::decode_entities;
use super::markup::{Receiver, Tag, walk};

/// More links than any genuine page has.
const MAX_LINKS: usize = 1_000;
/// Further attributes of a tag are ignored.
const MAX_ATTRIBUTES: usize = 24;

/// The links of a page in order, and the base URL if the page declares one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageLinks {
    pub base: Option<String>,
    pub links: Vec<PageLink>,
}

/// A `<link>`. Missing attributes are empty.
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
            let field = match name.to_ascii_lowercase().as_str() {
                "rel" => &mut link.rel,
                "type" => &mut link.media_type,
                "href" => &mut link.href,
                "title" => &mut link.title,
                _ => continue,
            };
            // The first of several attributes with the same name counts.
            if field.is_empty() {
                *field = decode_entities(value).into_owned();
            }
        }
        if is_link {
            self.links.push(link);
        } else if self.base.is_none() && !link.href.is_empty() {
            self.base = Some(link.href);
        }
    }

    fn end(&mut self, _: &Tag<'_>) {}

    fn includes_hidden(&self, name: &str) -> bool {
        name == "head"
    }
}
