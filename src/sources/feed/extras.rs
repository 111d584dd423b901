//! A light first walk over an XML feed. It collects per item, in document order, what feed-rs leaves out (comment counts,
//! `rdf:about`, whether a guid is a permalink), and says what feed-rs would stumble over. Called by the parser.

use std::collections::BTreeSet;

use quick_xml::NsReader;
use quick_xml::events::{BytesStart, Event};
use url::Url;

use super::limits::{Deadline, MAX_REFERENCES, TOO_SLOW};
use super::parse::MAX_ITEMS;
use super::vocabulary::{Dialect, Place, Space, Tracker, is_person, is_text_construct, spelling};

/// What feed-rs leaves out of an item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ItemExtras {
    pub(super) comments_url: Option<String>,
    pub(super) comments: Option<i64>,
    /// False where the guid says that it is no address.
    pub(super) guid_is_address: bool,
    /// The item's identity in RSS 1.0.
    pub(super) about: Option<String>,
    /// What extensions and older dialects say, for where the format's own elements say nothing.
    pub(super) author: Option<String>,
    pub(super) published: Option<String>,
    pub(super) updated: Option<String>,
    /// What relative addresses in its texts start from, as far as the document says so.
    pub(super) base: Option<String>,
    has_link: bool,
}

/// What the walk found.
#[derive(Debug)]
pub(super) struct Survey {
    pub(super) dialect: Dialect,
    /// The root's local name.
    pub(super) root: String,
    /// The first [`MAX_ITEMS`].
    pub(super) items: Vec<ItemExtras>,
    pub(super) item_count: usize,
    /// Where the last item that is read ends, if there are more.
    pub(super) end_of_items: Option<usize>,
    /// The document has to be rewritten before feed-rs reads it.
    pub(super) rewrite: bool,
    /// Why, where a publisher should know.
    pub(super) problems: BTreeSet<String>,
    pub(super) max_depth: usize,
    /// Where the document stops being well-formed.
    pub(super) syntax_error: Option<String>,
    pub(super) language: Option<String>,
    /// What extensions say of the feed, for where it says nothing itself.
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
}

impl Survey {
    /// The extras of the items that feed-rs will return: it drops RSS 1.0 items without a link.
    pub(super) fn kept_items(self) -> Vec<ItemExtras> {
        let rdf = self.dialect == Dialect::Rdf;
        self.items.into_iter().filter(|item| item.has_link || !rdf).collect()
    }

    fn note(&mut self, problem: impl Into<String>) {
        self.rewrite = true;
        self.problems.insert(problem.into());
    }
}

/// Between two looks at the clock.
const EVENTS_A_LOOK: usize = 1_024;

/// A reader that agrees with feed-rs about what is well-formed.
pub(super) fn reader(text: &str) -> NsReader<&[u8]> {
    let mut reader = NsReader::from_str(text);
    let config = reader.config_mut();
    config.expand_empty_elements = true;
    config.trim_markup_names_in_closing_tags = true;
    reader
}

/// Walks the document once, to its end or to its first syntax error.
pub(super) fn survey(text: &str, base: Option<&Url>, deadline: Deadline) -> Survey {
    let mut walk = Walk::new(text.contains("xml:base"));
    walk.bases.extend(base.map(|base| (0, base.to_string())));
    let mut reader = reader(text);
    let mut until_look = EVENTS_A_LOOK;
    let mut references = 0;
    loop {
        until_look -= 1;
        if until_look == 0 {
            until_look = EVENTS_A_LOOK;
            if deadline.has_passed() {
                walk.survey.syntax_error = Some(TOO_SLOW.to_owned());
                break;
            }
        }
        match reader.read_resolved_event() {
            Ok((namespace, Event::Start(start))) => {
                let local = start.local_name();
                let name = spelling(local.as_ref());
                let place = walk.tracker.enter(&start, &namespace, name);
                walk.start(&start, name, place);
            }
            Ok((_, Event::End(_))) => {
                let is_last = walk.end() && walk.survey.item_count == MAX_ITEMS;
                if is_last {
                    walk.survey.end_of_items = usize::try_from(reader.buffer_position()).ok();
                }
            }
            Ok((_, Event::Text(text))) => walk.text(&text),
            Ok((_, Event::CData(text))) => walk.text(&text),
            Ok((_, Event::GeneralRef(reference))) => {
                references += 1;
                if references > MAX_REFERENCES {
                    walk.survey.syntax_error = Some(format!("it has more than {MAX_REFERENCES} references"));
                    break;
                }
                walk.reference(&reference);
            }
            Ok((_, Event::Eof)) => break,
            Ok(_) => {}
            Err(error) => {
                walk.survey.syntax_error = Some(error.to_string());
                break;
            }
        }
    }
    if walk.tracker.depth > 0 && walk.survey.syntax_error.is_none() {
        walk.survey.syntax_error = Some("the document ends before its elements do".to_owned());
    }
    walk.survey.end_of_items = walk.survey.end_of_items.filter(|_| walk.survey.item_count > MAX_ITEMS);
    walk.survey.dialect = walk.tracker.dialect;
    walk.survey
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    CommentsUrl,
    Comments,
    Link,
    Person,
    FeedTitle,
    FeedDescription,
    FeedLanguage,
    Author,
    Published,
    Updated,
}

struct Walk {
    survey: Survey,
    tracker: Tracker,
    /// The field whose text is being read, and its depth.
    field: Option<(Field, usize)>,
    text: String,
    /// The depth of the text construct that is open, where markup would be out of place.
    construct: Option<usize>,
    /// The document's address, with the depth 0, and each `xml:base` that holds, with that of its element.
    bases: Vec<(usize, String)>,
    check_bases: bool,
}

impl Walk {
    fn new(check_bases: bool) -> Self {
        let survey = Survey {
            dialect: Dialect::Unknown,
            root: String::new(),
            items: Vec::new(),
            item_count: 0,
            end_of_items: None,
            rewrite: false,
            problems: BTreeSet::new(),
            max_depth: 0,
            syntax_error: None,
            language: None,
            title: None,
            description: None,
        };
        Self {
            survey,
            tracker: Tracker::new(),
            field: None,
            text: String::new(),
            construct: None,
            bases: Vec::new(),
            check_bases,
        }
    }

    fn start(&mut self, start: &BytesStart<'_>, name: &str, place: Place) {
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
        if !place.structural {
            return;
        }
        self.names(start, name, place);
        if place.starts_item {
            let about = attribute(start, "rdf:about").filter(|about| !about.trim().is_empty());
            self.survey.item_count += 1;
            if self.survey.item_count > MAX_ITEMS {
                return;
            }
            self.survey.items.push(ItemExtras { about, guid_is_address: true, ..ItemExtras::default() });
            if self.tracker.dialect == Dialect::Rss && self.tracker.depth == 2 {
                self.survey.note("items stand outside the channel");
            }
        } else if self.tracker.item.is_some() {
            self.item_child(start, name, place.space);
        } else {
            match (place.space, name) {
                (Space::Extension("dc"), "title") => self.read(Field::FeedTitle),
                (Space::Own | Space::Extension("dc"), "language") => self.read(Field::FeedLanguage),
                (Space::Extension("itunes"), "summary" | "subtitle") => self.read(Field::FeedDescription),
                _ => {}
            }
        }
        if place.space != Space::Foreign && is_person(name) && self.field.is_none() {
            self.read(Field::Person);
        }
        if is_text_construct(self.tracker.dialect, place.space, name) {
            self.construct(start, name);
        }
    }

    fn base(&mut self, start: &BytesStart<'_>) {
        let Some(base) = attribute(start, "xml:base") else { return };
        let outer = self.bases.last().and_then(|(_, outer)| Url::parse(outer).ok());
        match Url::options().base_url(outer.as_ref()).parse(&base) {
            Ok(url) => self.bases.push((self.tracker.depth, url.to_string())),
            Err(url::ParseError::RelativeUrlWithoutBase) => self.bases.push((self.tracker.depth, base)),
            Err(_) => self.survey.note("an xml:base is no address"),
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

    fn names(&mut self, start: &BytesStart<'_>, name: &str, place: Place) {
        let qualified = start.name();
        if place.misdeclared {
            let qualified: &str = qualified.as_ref();
            match qualified.split_once(':') {
                Some((prefix, _)) => self.survey.note(format!("the prefix {prefix}: is not declared as usual")),
                None => self.survey.note("the feed's namespace is not the usual one"),
            }
        }
        let atom = self.tracker.dialect == Dialect::Atom && place.space == Space::Own;
        if place.space == Space::Own && start.local_name().as_ref() != name {
            self.survey.note("element names are in the wrong case");
        } else if (atom && matches!(name, "issued" | "modified" | "tagline" | "copyright"))
            || (!atom && place.space == Space::Own && matches!(name, "body" | "fullitem" | "summary"))
            || (place.space == Space::Extension("xhtml") && name == "body")
        {
            self.survey.rewrite = true;
        }
    }

    fn item_child(&mut self, start: &BytesStart<'_>, name: &str, space: Space) {
        let older = space == Space::Own && self.tracker.dialect != Dialect::Atom;
        if self.survey.item_count > MAX_ITEMS {
            return;
        }
        let Some(item) = self.survey.items.last_mut() else { return };
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
                self.read(Field::Link);
            }
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

    /// Types and modes that feed-rs refuses, or reads as something else.
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

    fn read(&mut self, field: Field) {
        self.text.clear();
        self.field = Some((field, self.tracker.depth));
    }

    fn text(&mut self, text: &str) {
        if self.field.is_some() {
            self.text.push_str(text);
        }
    }

    fn reference(&mut self, reference: &quick_xml::events::BytesRef<'_>) {
        // feed-rs stops at a reference to a character that is none.
        match reference.resolve_char_ref() {
            Err(error) => self.survey.syntax_error = Some(error.to_string()),
            Ok(Some(ch)) if self.field.is_some() => self.text.push(ch),
            Ok(_) if self.field.is_some() => {
                self.text.push_str(quick_xml::escape::resolve_predefined_entity(reference).unwrap_or_default());
            }
            Ok(_) => {}
        }
    }

    /// Leaves an element; true when it was an item.
    fn end(&mut self) -> bool {
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
        while self.bases.last().is_some_and(|(at, _)| *at >= depth) {
            self.bases.pop();
        }
        let ends_item = self.tracker.leave();
        if ends_item && self.tracker.dialect == Dialect::Rdf {
            self.end_of_rdf_item();
        }
        ends_item
    }

    /// Without a link feed-rs would drop the item; the rewriting makes one of what it is about.
    fn end_of_rdf_item(&mut self) {
        if let Some(item) = self.survey.items.last_mut()
            && !item.has_link
            && item.about.is_some()
        {
            item.has_link = true;
            self.survey.rewrite = true;
        }
    }

    fn store(&mut self, field: Field) {
        let text = self.text.trim();
        if matches!(field, Field::Person | Field::Author) {
            if text.contains('@') && !text.is_ascii() {
                // feed-rs 3.0 panics on a mail address beside a character of several bytes.
                self.survey.rewrite = true;
            }
            if field == Field::Person {
                return;
            }
        }
        let found = Some(text.to_owned()).filter(|t| !t.is_empty());
        match field {
            Field::FeedTitle => return self.survey.title = found,
            Field::FeedDescription => return self.survey.description = self.survey.description.take().or(found),
            Field::FeedLanguage => return self.survey.language = found.or(self.survey.language.take()),
            _ => {}
        }
        let Some(item) = self.survey.items.last_mut() else { return };
        match field {
            Field::CommentsUrl => item.comments_url = found,
            Field::Comments => item.comments = text.parse().ok().filter(|n| *n >= 0).or(item.comments),
            Field::Link => item.has_link |= !text.is_empty(),
            Field::Author => item.author = item.author.take().or(found),
            Field::Published => item.published = item.published.take().or(found),
            Field::Updated => item.updated = item.updated.take().or(found),
            Field::Person | Field::FeedTitle | Field::FeedDescription | Field::FeedLanguage => {}
        }
    }
}

/// An attribute's value by its qualified name, references resolved.
pub(in crate::sources) fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = start.attributes();
    let found = attributes.with_checks(false).filter_map(Result::ok).find(|a| {
        let key: &str = a.key.as_ref();
        key == name
    })?;
    let raw: &str = &found.value;
    Some(quick_xml::escape::unescape(raw).map_or_else(|_| raw.to_owned(), std::borrow::Cow::into_owned))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Deadline, Survey};

    fn survey(text: &str) -> Survey {
        super::survey(text, None, Deadline::after(Duration::from_mins(1)))
    }

    #[test]
    fn comments_and_permalinks_are_collected_in_order() {
        let found = survey(
            "<rss version='2.0' xmlns:slash='http://purl.org/rss/1.0/modules/slash/'><channel>\
             <item><guid isPermaLink='false'>1</guid><comments>http://x/1?a=1&amp;b=2</comments><slash:comments> 12 </slash:comments></item>\
             <item><comments/><slash:comments>many</slash:comments></item></channel></rss>",
        );
        assert_eq!(found.items[0].comments_url.as_deref(), Some("http://x/1?a=1&b=2"));
        assert_eq!((found.items[0].comments, found.items[0].guid_is_address), (Some(12), false));
        assert_eq!(
            (found.items[1].comments, found.items[1].guid_is_address, &found.items[1].comments_url),
            (None, true, &None)
        );
        assert!(!found.rewrite && found.syntax_error.is_none());
    }

    #[test]
    fn what_feed_rs_would_misread_is_noticed() {
        for text in [
            "<rss><channel/></rss>",
            "<RSS version='2.0'><channel/></RSS>",
            "<rss version='2.0'><channel><item><dc:date>x</dc:date></item></channel></rss>",
            "<rss version='2.0'><channel><title>a <b>c</b></title></channel></rss>",
            "<rss version='2.0' xmlns='http://www.w3.org/2005/Atom'><channel><item/></channel></rss>",
            "<feed xmlns='https://www.w3.org/2005/Atom'/>",
            "<feed xmlns='http://purl.org/atom/ns#'/>",
            "<feed xmlns='http://www.w3.org/2005/Atom'><title type='text/plain'>x</title></feed>",
        ] {
            assert!(survey(text).rewrite, "{text}");
        }
        for text in [
            "<rss version='2.0'><channel><link xmlns='http://www.w3.org/2005/Atom' rel='self' href='x'/></channel></rss>",
            "<feed xmlns='http://www.w3.org/2005/Atom'><title type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'/></title></feed>",
            "<feed><title>x</title></feed>",
        ] {
            assert!(!survey(text).rewrite, "{text}");
        }
    }
}
