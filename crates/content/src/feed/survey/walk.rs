//! Records the data of each element of an XML feed in [`Survey`], in document order. Called by [`super::survey`].

use quick_xml::events::{BytesRef, BytesStart};
use url::Url;

use super::{ItemExtras, MAX_READ_ITEMS, Survey, attribute, texts};
use crate::feed::limits::MAX_BASE_BYTES;
use crate::feed::vocabulary::{Dialect, Position, Space, Tracker, is_alternate, is_person, is_text_construct};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    CommentsUrl,
    Comments,
    Link,
    OriginalLink,
    Person,
    FeedTitle,
    FeedDescription,
    FeedLanguage,
    Author,
    Published,
    Updated,
}

pub(super) struct Walk {
    pub(super) survey: Survey,
    pub(super) tracker: Tracker,
    /// The field whose text is being read, and its depth.
    field: Option<(Field, usize)>,
    text: String,
    /// The index of the open text element that has no content yet, and its depth.
    empty: Option<(usize, usize)>,
    /// The depth of the open text construct, in which markup is unexpected.
    construct: Option<usize>,
    /// The document's URL with depth 0, and each `xml:base` in scope with the depth of its element.
    pub(super) bases: Vec<(usize, String)>,
    check_bases: bool,
}

impl Walk {
    pub(super) fn new(check_bases: bool) -> Self {
        Self {
            survey: Survey::default(),
            tracker: Tracker::new(),
            field: None,
            text: String::new(),
            empty: None,
            construct: None,
            bases: Vec::new(),
            check_bases,
        }
    }

    pub(super) fn start(&mut self, start: &BytesStart<'_>, name: &str, position: Position) {
        self.survey.max_depth = self.survey.max_depth.max(self.tracker.depth);
        if self.check_bases {
            self.base(start);
        }
        if let Some(depth) = self.construct
            && self.tracker.depth == depth + 1
        {
            self.survey.note("markup stands unescaped in a text");
        }
        if self.tracker.depth == 1 {
            self.root(start, name);
        }
        self.fill();
        if !position.structural {
            return;
        }
        self.names(start, name, position);
        if position.starts_item {
            let about = attribute(start, "rdf:about").filter(|about| !about.trim().is_empty());
            self.survey.item_count += 1;
            if self.survey.item_count > MAX_READ_ITEMS {
                return;
            }
            self.survey.items.push(ItemExtras { about, guid_is_address: true, ..ItemExtras::default() });
            if self.tracker.dialect == Dialect::Rss && self.tracker.depth == 2 {
                self.survey.note("items stand outside the channel");
            }
        } else if self.tracker.item.is_some() {
            self.item_child(start, name, position.space);
        } else {
            match (position.space, name) {
                (Space::Own, "title") => _ = self.survey.title.get_or_insert_default(),
                (Space::Own, "description" | "subtitle" | "tagline") => {
                    self.survey.description.get_or_insert_default();
                }
                (Space::Extension("dc"), "title") => self.read(Field::FeedTitle),
                (Space::Own | Space::Extension("dc"), "language") => self.read(Field::FeedLanguage),
                (Space::Extension("itunes"), "summary" | "subtitle") => self.read(Field::FeedDescription),
                _ => {}
            }
        }
        if position.space != Space::Foreign && is_person(name) && self.field.is_none() {
            self.read(Field::Person);
        }
        if is_text_construct(self.tracker.dialect, position.space, name) {
            self.construct(start, name);
        }
    }

    fn base(&mut self, start: &BytesStart<'_>) {
        let Some(base) = attribute(start, "xml:base") else { return };
        let outer = self.bases.last().and_then(|(_, outer)| Url::parse(outer).ok());
        match Url::options().base_url(outer.as_ref()).parse(&base) {
            Ok(url) if url.as_str().len() <= MAX_BASE_BYTES => {
                self.bases.push((self.tracker.depth, url.to_string()));
            }
            Err(url::ParseError::RelativeUrlWithoutBase) if base.len() <= MAX_BASE_BYTES => {
                self.bases.push((self.tracker.depth, base));
            }
            Ok(_) | Err(_) => self.survey.note("an xml:base is no address"),
        }
    }

    fn root(&mut self, start: &BytesStart<'_>, name: &str) {
        name.clone_into(&mut self.survey.root);
        self.survey.language = attribute(start, "xml:lang").filter(|l| !l.trim().is_empty());
        if self.tracker.dialect == Dialect::Rss {
            match attribute(start, "version").as_deref() {
                Some("2.0" | "0.91" | "0.92" | "") => {}
                Some(_) => self.survey.rewrite = true,
                None => self.survey.note("the RSS version is missing"),
            }
        }
    }

    fn names(&mut self, start: &BytesStart<'_>, name: &str, position: Position) {
        let qualified = start.name();
        if position.misdeclared {
            let qualified: &str = qualified.as_ref();
            match qualified.split_once(':') {
                Some((prefix, _)) => self.survey.note(format!("the prefix {prefix}: is not declared as usual")),
                None => self.survey.note("the feed's namespace is not the usual one"),
            }
        }
        let atom = self.tracker.dialect == Dialect::Atom && position.space == Space::Own;
        if position.space == Space::Own && start.local_name().as_ref() != name {
            self.survey.note("element names are in the wrong case");
        } else if (atom && matches!(name, "issued" | "modified" | "tagline" | "copyright"))
            || (!atom && position.space == Space::Own && matches!(name, "body" | "fullitem" | "summary"))
            || (position.space == Space::Extension("xhtml") && name == "body")
        {
            self.survey.rewrite = true;
        }
    }

    fn item_child(&mut self, start: &BytesStart<'_>, name: &str, space: Space) {
        let older = space == Space::Own && self.tracker.dialect != Dialect::Atom;
        if self.survey.item_count > MAX_READ_ITEMS {
            return;
        }
        let Some(item) = self.survey.items.last_mut() else { return };
        if let Some(number) = texts::number(space, name) {
            item.texts.note(number);
            self.empty = Some((number, self.tracker.depth));
        }
        match (space, name) {
            (Space::Own, "comments") => self.read(Field::CommentsUrl),
            (Space::Extension("slash"), "comments") | (Space::Extension("thr"), "total") => self.read(Field::Comments),
            (Space::Own, "guid") => {
                item.guid_is_address = attribute(start, "isPermaLink").is_none_or(|v| !v.eq_ignore_ascii_case("false"));
            }
            (Space::Own, "link") => {
                let count = attribute(start, "thr:count").and_then(|v| v.trim().parse().ok());
                if item.comments.is_none() {
                    item.comments = count;
                }
                if older {
                    item.link = item.link.take().or_else(|| linked_page(start));
                }
                self.read(Field::Link);
            }
            (Space::Extension("atom"), "link") => item.link = item.link.take().or_else(|| linked_page(start)),
            (Space::Extension("feedburner"), "origLink") => self.read(Field::OriginalLink),
            (Space::Extension("dc" | "itunes"), "author") => self.read(Field::Author),
            (Space::Extension("dcterms"), "issued" | "created")
            | (Space::Extension("dc"), "date")
            | (Space::Extension("atom"), "published") => self.read(Field::Published),
            (Space::Extension("dcterms"), "modified") => self.read(Field::Updated),
            (_, "issued" | "created" | "published") if older => self.read(Field::Published),
            (_, "modified") if older => self.read(Field::Updated),
            _ => {}
        }
    }

    /// Detects types and modes that feed-rs refuses or misreads.
    fn construct(&mut self, start: &BytesStart<'_>, name: &str) {
        self.construct = Some(self.tracker.depth);
        if let (Some(item), Some((depth, base))) = (self.survey.items.last_mut(), self.bases.last())
            && self.tracker.item.is_some()
            && name != "title"
            && *depth > 0
        {
            item.base = Some(base.clone());
        }
        if self.tracker.dialect != Dialect::Atom {
            return;
        }
        let kind = attribute(start, "type");
        match kind.as_deref() {
            Some("xhtml") => self.construct = None,
            None | Some("text" | "html") => {}
            Some("text/html") if name == "content" => {}
            Some(_) => self.survey.rewrite = true,
        }
        if attribute(start, "mode").is_some() || attribute(start, "src").is_some() {
            self.survey.rewrite = true;
        }
    }

    /// Marks the open text element as not empty.
    fn fill(&mut self) {
        if let Some((number, _)) = self.empty.take()
            && let Some(item) = self.survey.items.last_mut()
        {
            item.texts.fill(number);
        }
    }

    fn read(&mut self, field: Field) {
        self.text.clear();
        self.field = Some((field, self.tracker.depth));
    }

    pub(super) fn text(&mut self, text: &str) {
        if self.empty.is_some() && !text.trim_start().is_empty() {
            self.fill();
        }
        if self.field.is_some() {
            self.text.push_str(text);
        }
    }

    pub(super) fn reference(&mut self, reference: &BytesRef<'_>) {
        self.fill();
        // feed-rs fails at a reference to an invalid character.
        match reference.resolve_char_ref() {
            Err(error) => self.survey.syntax_error = Some(error.to_string()),
            Ok(Some(ch)) if self.field.is_some() => self.text.push(ch),
            Ok(_) if self.field.is_some() => {
                self.text.push_str(quick_xml::escape::resolve_predefined_entity(reference).unwrap_or_default());
            }
            Ok(_) => {}
        }
    }

    /// Leaves an element. Returns whether it was an item.
    pub(super) fn end(&mut self) -> bool {
        let depth = self.tracker.depth;
        if self.construct == Some(depth) {
            self.construct = None;
        }
        if let Some((field, at)) = self.field
            && at == depth
        {
            self.field = None;
            self.store(field);
        }
        self.empty = self.empty.filter(|(_, at)| *at != depth);
        while self.bases.last().is_some_and(|(at, _)| *at >= depth) {
            self.bases.pop();
        }
        let ends_item = self.tracker.leave();
        if ends_item && self.tracker.dialect != Dialect::Atom {
            self.end_of_rss_item();
        }
        ends_item
    }

    /// Requests rewriting. feed-rs drops an RSS 1.0 item without a link, so the rewriting adds one.
    fn end_of_rss_item(&mut self) {
        let is_rdf = self.tracker.dialect == Dialect::Rdf;
        if let Some(item) = self.survey.items.last()
            && ((is_rdf && !item.has_link) || item.texts.needs_rewriting())
        {
            self.survey.rewrite = true;
        }
    }

    fn store(&mut self, field: Field) {
        let text = self.text.trim();
        if matches!(field, Field::Person | Field::Author) {
            if text.contains('@') && !text.is_ascii() {
                // feed-rs 3.0 panics on an email address next to a multi-byte character.
                self.survey.rewrite = true;
            }
            if field == Field::Person {
                return;
            }
        }
        let found = Some(text.to_owned()).filter(|t| !t.is_empty());
        match field {
            Field::FeedTitle => return self.survey.title = found.or(self.survey.title.take()),
            Field::FeedDescription => {
                let before = self.survey.description.take();
                return self.survey.description = before.clone().filter(|text| !text.is_empty()).or(found).or(before);
            }
            Field::FeedLanguage => return self.survey.language = found.or(self.survey.language.take()),
            _ => {}
        }
        let Some(item) = self.survey.items.last_mut() else { return };
        match field {
            Field::CommentsUrl => item.comments_url = found,
            Field::Comments => item.comments = text.parse().ok().filter(|n| *n >= 0).or(item.comments),
            Field::Link => item.has_link |= !text.is_empty(),
            Field::OriginalLink => item.original_link = item.original_link.take().or(found),
            Field::Author => item.author = item.author.take().or(found),
            Field::Published => item.published = item.published.take().or(found),
            Field::Updated => item.updated = item.updated.take().or(found),
            Field::Person | Field::FeedTitle | Field::FeedDescription | Field::FeedLanguage => {}
        }
    }
}

/// Returns the `href` of a link that leads to the page of its item.
fn linked_page(start: &BytesStart<'_>) -> Option<String> {
    let is_page = attribute(start, "rel").is_none_or(|rel| is_alternate(&rel));
    attribute(start, "href").filter(|href| is_page && !href.trim().is_empty())
}
