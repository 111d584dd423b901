//! Converts feed-rs entries to items. Called by the parser. Nothing is invented that the feed does not contain.

use std::collections::HashSet;

use aha_core::item::{Engagement, NewItem};
use aha_core::time::Timestamp;
use chrono::{DateTime, Utc};
use feed_rs::model::{Category, Entry, FeedType, Link, LinkTarget, Person};
use url::Url;

use super::dates::{ReadDate, read_date};
use super::limits::MAX_ADDRESS_BYTES;
use super::survey::{ItemExtras, Text};
use super::vocabulary::{is_alternate, relation};
use crate::fold::{first_chars, fold_line};
use crate::html::{clean_line, decode_entities};

/// Longer texts of an item are cut: 1 MiB of markup.
pub(super) const MAX_TEXT_BYTES: usize = 1024 * 1024;
const MAX_LINE_CHARS: usize = 1_000;
const MAX_CATEGORIES: usize = 50;

/// Relations of links that do not lead to the item's own page. Those that begin with "prev" or "next" do not, either.
const OTHER_RELATIONS: [&str; 13] = [
    "author",
    "edit",
    "edit-media",
    "enclosure",
    "hub",
    "license",
    "payment",
    "related",
    "replies",
    "self",
    "service",
    "up",
    "via",
];

/// What the items of a feed have in common.
pub(super) struct Shared<'a> {
    pub(super) format: &'a FeedType,
    /// Resolves remaining relative URLs.
    pub(super) base: Option<Url>,
    /// The feed's own author, for entries without one.
    pub(super) byline: &'a Byline,
    /// Dates, in Unix milliseconds, that were written without a zone.
    pub(super) zoneless: &'a HashSet<i64>,
    pub(super) language: Option<&'a str>,
}

/// The authors of an entry or a feed: their names, and the names with the addresses given next to them.
#[derive(Debug, Default)]
pub(super) struct Byline {
    names: Option<String>,
    full: Option<String>,
}

impl Byline {
    pub(super) fn of(people: &[Person]) -> Self {
        Self { names: authors(people, own_name), full: authors(people, full_name) }
    }
}

/// Converts an entry to an item. The flag indicates whether its text was cut.
pub(super) fn item(entry: Entry, extras: Option<&ItemExtras>, shared: &Shared<'_>) -> (NewItem, bool) {
    let guid = Some(entry.id.trim().to_owned()).filter(|g| !g.is_empty());
    let guid = guid.or_else(|| extras.and_then(|e| e.about.as_deref()).map(|a| a.trim().to_owned()));
    let url = link(&entry, guid.as_deref(), extras, shared);
    let title =
        entry.title.as_ref().map(|t| line(&t.content, t.content_type.as_str(), shared)).filter(|t| !t.is_empty());
    let times = times(&entry, extras, shared);
    let other = || extras.and_then(|e| e.author.as_deref()).map(clean_line).map(clipped).filter(|n| !n.is_empty());
    let (author, byline) = match authors(&entry.authors, own_name) {
        None => match other() {
            None => (shared.byline.names.clone(), shared.byline.full.clone()),
            other => (other, None),
        },
        names => (names, authors(&entry.authors, full_name)),
    };
    let byline = byline.filter(|byline| Some(byline) != author.as_ref());
    let own_base = extras.and_then(|e| e.base.as_deref()).and_then(|base| absolute(base, shared));
    let discussion_url = discussion(&entry.links, extras, url.as_deref(), shared);
    let categories = categories(&entry.categories);
    let engagement = Engagement { comments: extras.and_then(|e| e.comments), ..Engagement::default() };
    let media = entry.media.iter().find_map(|m| m.description.as_ref()).map(|d| d.content.clone());
    let title = title.or_else(|| {
        let media = entry.media.iter().find_map(|m| m.title.as_ref())?;
        Some(clipped(clean_line(&media.content))).filter(|t| !t.is_empty())
    });
    // An element that is present but empty is an empty text.
    let is_empty = |text: Text| extras.is_some_and(|extras| extras.texts.is_empty(text));
    let title = title.or_else(|| (entry.title.is_some() || is_empty(Text::Title)).then(String::new));
    let mut cut = false;
    let mut capped = |mut text: String| {
        cut |= text.len() > MAX_TEXT_BYTES;
        text.truncate(text.floor_char_boundary(MAX_TEXT_BYTES));
        text
    };
    let summary = entry.summary.map(|s| (capped(s.content), s.content_type.to_string()));
    let content = entry.content.and_then(|c| Some((capped(c.body?), c.content_type.to_string())));
    let media = media.filter(|_| summary.is_none() && content.is_none()).map(|m| (capped(m), "text/plain".to_owned()));
    let longest = [&content, &summary, &media].into_iter().flatten().max_by_key(|(text, _)| text.len());
    let is_plain = longest.is_some_and(|(_, kind)| kind == "text/plain");
    let item = NewItem {
        guid,
        url,
        title,
        body_text: None,
        summary_markup: summary.or(media).map(|(text, _)| text).or_else(|| is_empty(Text::Summary).then(String::new)),
        content_markup: content.map(|(text, _)| text).or_else(|| is_empty(Text::Content).then(String::new)),
        is_plain,
        author,
        byline,
        published_at: times.published,
        updated_at: times.updated,
        is_zone_assumed: times.is_zone_assumed,
        categories,
        engagement,
        discussion_url,
        markup_base: own_base.or_else(|| shared.base.as_ref().map(Url::to_string)),
        language: shared.language.map(str::to_owned),
    };
    (item, cut)
}

/// Returns a title as one line. Only Atom declares whether it is markup; in other formats tags are detected. One
/// that is declared plain is treated as markup only with an end tag or a character reference: `<br>` alone is a word.
pub(super) fn line(text: &str, kind: &str, shared: &Shared<'_>) -> String {
    let has_markup = || text.contains("</") || decode_entities(text) != text;
    let is_plain = *shared.format == FeedType::Atom && kind == "text/plain" && !has_markup();
    clipped(if is_plain { fold_line(text) } else { clean_line(text) })
}

fn clipped(mut line: String) -> String {
    line.truncate(first_chars(&line, MAX_LINE_CHARS).len());
    line
}

/// Returns the address of the item's page: the first http(s) URL of the one that Feedburner replaced, the format's own
/// link, links that are declared as the page (HTML first), links of unknown relations, the guid, and an enclosed
/// recording, since many episodes of podcasts have no page.
fn link(entry: &Entry, guid: Option<&str>, extras: Option<&ItemExtras>, shared: &Shared<'_>) -> Option<String> {
    let pages = || entry.links.iter().filter(|l| l.target.is_none() && !l.href.trim().is_empty());
    let own = pages().filter(|l| l.rel.is_none() && !is_enclosure(l, shared));
    let alternates = || pages().filter(|l| l.rel.as_deref().is_some_and(is_alternate));
    let unknown = pages().filter(|l| l.rel.as_deref().is_some_and(|rel| !is_alternate(rel) && !is_other(rel)));
    let original = extras.and_then(|e| e.original_link.as_deref());
    let linked = extras.and_then(|e| e.link.as_deref());
    let is_address = extras.is_none_or(|e| e.guid_is_address);
    let guid = guid.filter(|g| is_address && (g.starts_with("http://") || g.starts_with("https://")));
    let own_or_alternate = own.chain(alternates().filter(|l| is_page(l))).chain(alternates());
    let declared =
        original.into_iter().chain(own_or_alternate.map(href)).chain(linked).chain(unknown.map(href)).chain(guid);
    let mut addresses = declared.chain(recordings(entry, shared));
    addresses.find_map(|address| absolute(address, shared))
}

/// Returns the addresses of an entry's enclosed audio and video files.
fn recordings<'a>(entry: &'a Entry, shared: &Shared<'_>) -> impl Iterator<Item = &'a str> {
    let links = entry.links.iter().filter(move |l| is_enclosure(l, shared));
    let links = links.filter(|l| l.media_type.as_deref().is_some_and(is_recording)).map(href);
    let media = entry.media.iter().flat_map(|m| &m.content);
    let media = media.filter(|c| c.content_type.as_ref().is_some_and(|kind| is_recording(kind.as_str())));
    links.chain(media.filter_map(|c| c.url.as_ref()).map(Url::as_str))
}

/// Returns whether a link leads to an enclosed file. Those of JSON feeds have no relation, but alone have a type.
fn is_enclosure(link: &Link, shared: &Shared<'_>) -> bool {
    match link.rel.as_deref() {
        Some(rel) => relation(rel) == "enclosure",
        None => *shared.format == FeedType::JSON && link.media_type.is_some(),
    }
}

/// Returns whether a media type is one of audio or video.
pub(super) fn is_recording(kind: &str) -> bool {
    let family = kind.trim_start().get(..6);
    family.is_some_and(|family| ["audio/", "video/"].iter().any(|known| family.eq_ignore_ascii_case(known)))
}

fn href(link: &Link) -> &str {
    &link.href
}

/// Returns whether a link with this `rel` attribute is known to lead to another page than the item's.
fn is_other(rel: &str) -> bool {
    let rel = relation(rel);
    OTHER_RELATIONS.contains(&rel) || rel.starts_with("prev") || rel.starts_with("next")
}

/// Returns an absolute http(s) URL of at most [`MAX_ADDRESS_BYTES`]; `None` for anything else.
pub(super) fn absolute(href: &str, shared: &Shared<'_>) -> Option<String> {
    let href = href.trim();
    if href.is_empty() {
        return None;
    }
    let url = match Url::parse(href) {
        Ok(url) => url,
        Err(url::ParseError::RelativeUrlWithoutBase) => shared.base.as_ref()?.join(href).ok()?,
        Err(_) => return None,
    };
    (matches!(url.scheme(), "http" | "https") && url.as_str().len() <= MAX_ADDRESS_BYTES).then(|| url.to_string())
}

fn discussion(links: &[Link], extras: Option<&ItemExtras>, url: Option<&str>, shared: &Shared<'_>) -> Option<String> {
    let from_feed = links.iter().find(|l| l.target == Some(LinkTarget::Comments)).map(|l| l.href.as_str());
    let replies = || links.iter().find(|l| is_replies(l) && is_page(l)).map(|l| l.href.as_str());
    let found = extras.and_then(|e| e.comments_url.as_deref()).or(from_feed).or_else(replies)?;
    absolute(found, shared).filter(|found| Some(found.as_str()) != url)
}

fn is_replies(link: &Link) -> bool {
    link.rel.as_deref().is_some_and(|rel| relation(rel) == "replies")
}

fn is_page(link: &Link) -> bool {
    link.media_type.as_deref().is_none_or(|kind| kind.to_ascii_lowercase().contains("html"))
}

struct Times {
    published: Option<Timestamp>,
    updated: Option<Timestamp>,
    is_zone_assumed: bool,
}

fn times(entry: &Entry, extras: Option<&ItemExtras>, shared: &Shared<'_>) -> Times {
    let own = |date: Option<DateTime<Utc>>| {
        date.map(|at| ReadDate { at, has_zone: !shared.zoneless.contains(&at.timestamp_millis()) })
    };
    let (published, mut updated) = (own(entry.published), own(entry.updated));
    let is_rss = matches!(shared.format, FeedType::RSS0 | FeedType::RSS1 | FeedType::RSS2);
    // feed-rs copies the publication date here.
    updated = updated.filter(|u| !is_rss || Some(*u) != published);
    let other = |text: fn(&ItemExtras) -> Option<&str>| extras.and_then(text).and_then(read_date);
    let published = published.or_else(|| other(|e| e.published.as_deref()));
    let updated = updated.or_else(|| other(|e| e.updated.as_deref()));
    // Atom requires `updated`: without `published` it is the entry's date.
    let published = published.or(updated.filter(|_| *shared.format == FeedType::Atom));
    Times {
        published: published.map(|read| read.at.into()),
        updated: updated.map(|read| read.at.into()),
        is_zone_assumed: published.or(updated).is_some_and(|read| !read.has_zone),
    }
}

/// Returns a person's name, otherwise the email address.
fn own_name(person: &Person) -> String {
    let name = person.name.as_deref().or(person.email.as_deref()).map(clean_line).unwrap_or_default();
    name.trim_matches(['(', ')', '<', '>', ',', ' ']).to_owned()
}

/// Returns the name followed by the email address, if there are both.
fn full_name(person: &Person) -> String {
    let name = own_name(person);
    let address = person.email.as_deref().map(clean_line).unwrap_or_default();
    if name.is_empty() || address.is_empty() || name.contains(&address) { name } else { format!("{name} ({address})") }
}

fn authors(people: &[Person], name_of: impl Fn(&Person) -> String) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    for person in people {
        let name = name_of(person);
        if !name.is_empty() && !names.contains(&name) && names.len() < 10 {
            names.push(name);
        }
    }
    Some(clipped(names.join(", "))).filter(|joined| !joined.is_empty())
}

fn categories(found: &[Category]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let mut seen = HashSet::new();
    for category in found {
        let text = clean_line(category.label.as_deref().filter(|l| !l.trim().is_empty()).unwrap_or(&category.term));
        let is_fit = !text.is_empty() && kept.len() < MAX_CATEGORIES && text.chars().count() <= 200;
        if is_fit && seen.insert(text.to_lowercase()) {
            kept.push(text);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use crate::feed::parse;

    fn urls(feed: &str) -> Vec<Option<String>> {
        let feed = parse(feed.as_bytes(), None, Some("https://feeds.example/feed.xml")).unwrap();
        assert_eq!(feed.problems, Vec::<String>::new());
        feed.items.into_iter().map(|item| item.url).collect()
    }

    fn some(urls: &[&str]) -> Vec<Option<String>> {
        urls.iter().map(|url| Some(format!("http://x.org/{url}"))).collect()
    }

    #[test]
    fn rss_items_may_have_atom_links_attributes_and_original_links() {
        let found = urls(
            "<rss version='2.0' xmlns:atom='http://www.w3.org/2005/Atom' \
             xmlns:feedburner='http://rssnamespace.org/feedburner/ext/1.0'><channel><title>T</title>\
             <item><atom:link rel='self' href='http://x.org/self'/><atom:link href='http://x.org/?a=1&amp;b=2'/>\
             <guid isPermaLink='false'>1</guid></item>\
             <item><link href='http://x.org/href'/></item>\
             <item><link>http://proxy.example/~r/1</link>\
             <feedburner:origLink> http://x.org/1 </feedburner:origLink></item>\
             <item><atom:link rel='alternate' href='http://x.org/other'/><link>http://x.org/own</link></item>\
             <item><atom:link rel='related' href='http://x.org/related'/><guid>http://x.org/guid</guid></item>\
             </channel></rss>",
        );
        assert_eq!(found, some(&["?a=1&b=2", "href", "1", "own", "guid"]));
    }

    #[test]
    fn an_address_without_end_is_none_and_lines_are_cut() {
        let (long, x) = ("a".repeat(5_000), "x".repeat(2_000));
        let feed = format!(
            "<rss version='2.0' xmlns:media='http://search.yahoo.com/mrss/'><channel><title>T</title>\
             <item><link>http://x.org/{long}</link><guid>http://x.org/guid</guid></item>\
             <item><link>http://x.org/{long}</link><guid isPermaLink='false'>2</guid>\
             <comments>http://x.org/{long}</comments></item>\
             <item><guid isPermaLink='false'>3</guid><media:group>\
             <media:content url='http://x.org/a.mp4' type='video/mp4'/><media:title>{x}</media:title>\
             </media:group></item></channel></rss>"
        );
        let items = parse(feed.as_bytes(), None, None).unwrap().items;
        assert_eq!((items[0].url.as_deref(), items[1].url.as_deref()), (Some("http://x.org/guid"), None));
        assert_eq!(items[1].discussion_url, None);
        assert_eq!(items[2].title.as_ref().map(String::len), Some(1_000));
    }

    #[test]
    fn rss_1_items_may_have_atom_links() {
        let found = urls(
            "<rdf:RDF xmlns='http://purl.org/rss/1.0/' xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' \
             xmlns:atom='http://www.w3.org/2005/Atom'><channel><title>T</title></channel>\
             <item rdf:about='http://x.org/about'><title>A</title><atom:link href='http://x.org/?a=1&amp;b=2'/></item>\
             <item><title>B</title><atom:link rel='alternate' href='http://x.org/b'/></item>\
             <item rdf:about='http://x.org/c'><title>C</title><atom:link rel='self' href='http://x.org/self'/></item>\
             <item><title>D</title><link>http://x.org/d</link><atom:link href='http://x.org/other'/></item></rdf:RDF>",
        );
        assert_eq!(found, some(&["?a=1&b=2", "b", "c", "d"]));
    }

    #[test]
    fn an_atom_entry_is_not_the_page_that_it_refers_to() {
        let entries = [
            "<id>http://x.org/id</id><link rel='via' href='http://y.org/'/><link rel='related' href='http://y.org/'/>\
             <link rel='next-archive' href='http://y.org/'/><link rel='enclosure' href='http://y.org/a.mp3'/>",
            "<link rel='via' href='http://y.org/'/>\
             <link rel='http://www.iana.org/assignments/relation/alternate' href='http://x.org/registered'/>",
            "<link type='application/pdf' href='http://x.org/pdf'/><link type='text/html' href='http://x.org/html'/>",
            "<link type='application/pdf' href='http://x.org/pdf'/><link type='TEXT/HTML' href='http://x.org/capitals'/>",
            "<link type='application/pdf' href='http://x.org/pdf'/>",
            "<id>http://x.org/id</id><link rel='bookmark' href='http://x.org/bookmark'/>",
            "<id>http://x.org/id</id><link href='tag:x.org,2024:1'/>",
            "<id>tag:x.org,2024:1</id>\
             <link rel='http://www.iana.org/assignments/relation/related' href='http://y.org/'/>",
        ];
        let entries = entries.iter().map(|entry| format!("<entry>{entry}</entry>")).collect::<Vec<_>>().concat();
        let mut expected = some(&["id", "registered", "html", "capitals", "pdf", "bookmark", "id"]);
        expected.push(None);
        assert_eq!(urls(&format!("<feed xmlns='http://www.w3.org/2005/Atom'>{entries}</feed>")), expected);
    }

    #[test]
    fn an_episode_without_a_page_has_the_address_of_its_recording() {
        let enclosure = |kind: &str| format!("<enclosure url='http://x.org/file' length='1' type='{kind}'/>");
        let items = [
            format!("<guid isPermaLink='false'>1</guid>{}", enclosure("audio/mpeg")),
            format!("{}<guid>http://x.org/guid</guid>", enclosure("audio/mpeg")),
            format!("{}<link>http://x.org/link</link>", enclosure("video/mp4")),
            format!("<title>A picture</title>{}", enclosure("image/png")),
        ];
        let items = items.iter().map(|item| format!("<item>{item}</item>")).collect::<Vec<_>>().concat();
        let mut expected = some(&["file", "guid", "link"]);
        expected.push(None);
        assert_eq!(urls(&format!("<rss version='2.0'><channel><title>T</title>{items}</channel></rss>")), expected);
        let links = "<link rel='enclosure' type='image/png' href='http://x.org/cover'/>\
                     <link rel='enclosure' type='audio/ogg' href='http://x.org/file'/>";
        let entries =
            format!("<entry><id>tag:x.org,2024:1</id>{links}</entry><entry><id>http://x.org/id</id>{links}</entry>");
        assert_eq!(urls(&format!("<feed xmlns='http://www.w3.org/2005/Atom'>{entries}</feed>")), some(&["file", "id"]));
        let attachments = r#""attachments":[7,{"url":"http://x.org/untyped"},
            {"url":"http://x.org/cover","mime_type":"image/png"},
            {"url":"http://x.org/file","mime_type":"audio/mpeg","size_in_bytes":"1"}]"#;
        let json = format!(
            r#"{{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{{"id":"1",{attachments}}},
            {{"id":"http://x.org/id",{attachments}}},{{"id":"3","url":"http://x.org/url",{attachments}}}]}}"#
        );
        assert_eq!(urls(&json), some(&["file", "id", "url"]));
    }

    #[test]
    fn a_title_in_plain_text_keeps_the_names_of_elements() {
        for (title, expected) in [
            ("Stop using &lt;br> and &lt;details>", "Stop using <br> and <details>"),
            ("A &lt;b>bold&lt;/b> claim", "A bold claim"),
            ("It&amp;#8217;s &lt;i>new", "It’s new"),
        ] {
            let feed = format!(
                "<feed xmlns='http://www.w3.org/2005/Atom'><entry><title type='text'>{title}</title></entry></feed>"
            );
            let feed = parse(feed.as_bytes(), None, None).unwrap();
            assert_eq!(feed.items[0].title.as_deref(), Some(expected));
        }
    }
}
