//! Reads and writes lists of sources as OPML. Called by the commands `opml import`, `opml export` and `--import`.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;

use aha_content::feed::{attribute, decode};
use aha_core::item::first_words;
use aha_core::source::{NewSource, SourceKind};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::location::url_from_outline;
use super::short_names::{SourceLocation, resolve_short_name};
use super::sites::Sites;

/// Maximum number of unusable outlines that are named; the rest is only counted.
const MAX_NAMED: usize = 20;
/// Maximum length in characters of the title by which an unusable outline is named.
const MAX_SHOWN_CHARS: usize = 40;
/// A larger file is not a list of sources.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// Namespace of the attributes with a source's options. Other readers ignore attributes of unknown namespaces.
const NAMESPACE: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/opml");
const KIND: &str = "aha:kind";
const WEIGHT: &str = "aha:weight";
const FULL_TEXT: &str = "aha:fullText";
/// The attribute in lists of version 0.1.
const OLDER_KIND: &str = "ahaKind";

/// Why a list cannot be used; the message contains the file's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {reason}")]
pub struct OpmlError {
    pub file: String,
    pub reason: String,
}

/// The content of a list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OpmlSources {
    /// Sources at any level, each address once.
    pub sources: Vec<NewSource>,
    /// The outlines that cannot be used, each with the reason; at most `MAX_NAMED`.
    pub unusable: Vec<String>,
    /// The total number of unusable outlines.
    pub unusable_count: usize,
}

/// Reads the sources of an OPML file. Paths are relative to the file's folder.
pub fn read_file(path: &Path, sites: &Sites) -> Result<OpmlSources, OpmlError> {
    let failed = |reason: String| OpmlError { file: path.display().to_string(), reason };
    let found = std::fs::metadata(path).map_err(|error| failed(format!("cannot be read: {error}")))?;
    if !found.is_file() {
        return Err(failed("is no regular file".to_owned()));
    }
    if found.len() > MAX_FILE_BYTES {
        return Err(failed(format!("is larger than {MAX_FILE_BYTES} bytes")));
    }
    let bytes = std::fs::read(path).map_err(|error| failed(format!("cannot be read: {error}")))?;
    let absolute = std::path::absolute(path).map_err(|error| failed(error.to_string()))?;
    read(&bytes, &path.display().to_string(), absolute.parent(), sites)
}

/// Reads the sources of an OPML document called `file`. Without a `folder`, paths to local files are refused.
pub fn read(bytes: &[u8], file: &str, folder: Option<&Path>, sites: &Sites) -> Result<OpmlSources, OpmlError> {
    let failed = |reason: String| OpmlError { file: file.to_owned(), reason };
    let (text, _) = decode(bytes, None);
    let mut reader = Reader::from_str(&text);
    reader.config_mut().allow_dangling_amp = true;
    let mut listed = OpmlSources::default();
    let mut seen = HashSet::new();
    let mut has_root = false;
    let mut folders = Folders::default();
    let (mut is_opml, mut is_whole) = (false, false);
    loop {
        let event = reader.read_event().map_err(|error| {
            failed(format!("is not well-formed XML near byte {}: {error}", reader.error_position()))
        })?;
        match event {
            Event::Empty(empty) if is_outline(&empty) => {
                listed.take(source(&empty, folder, sites, &folders), &mut seen);
                is_opml |= has_root;
            }
            Event::Start(start) if is_outline(&start) => {
                listed.take(source(&start, folder, sites, &folders), &mut seen);
                folders.enter(&start);
                is_opml |= has_root;
            }
            Event::End(end) if end.local_name().as_ref().eq_ignore_ascii_case("outline") => folders.leave(),
            Event::Start(start) => {
                is_opml |= !has_root && start.local_name().as_ref().eq_ignore_ascii_case("opml");
                has_root = true;
            }
            Event::End(end) => is_whole |= end.local_name().as_ref().eq_ignore_ascii_case("opml"),
            Event::Eof => break,
            _ => {}
        }
    }
    if is_opml && !is_whole {
        listed.take(Err("the file ends before its </opml>: some of it may be missing".to_owned()), &mut seen);
    }
    if is_opml { Ok(listed) } else { Err(failed("is no OPML: it has no <opml> element".to_owned())) }
}

fn is_outline(start: &BytesStart<'_>) -> bool {
    start.local_name().as_ref().eq_ignore_ascii_case("outline")
}

/// The outlines that enclose the current position.
#[derive(Default)]
struct Folders {
    /// Their names; `None` for outlines that are sources themselves.
    names: Vec<Option<String>>,
}

/// Maximum number of folder levels; deeper ones are merged into the last.
const MAX_LEVELS: usize = 8;
/// Maximum length of a folder's name in characters.
const MAX_NAME_CHARS: usize = 100;

impl Folders {
    fn enter(&mut self, outline: &BytesStart<'_>) {
        let is_source = address(outline).is_some();
        let name = value(outline, &["title", "text"]).filter(|_| !is_source);
        self.names.push(name.map(|name| name.chars().take(MAX_NAME_CHARS).collect()));
    }

    fn leave(&mut self) {
        self.names.pop();
    }

    fn path(&self) -> Vec<String> {
        self.names.iter().take(MAX_LEVELS).flatten().cloned().collect()
    }
}

/// Returns the first attribute that is not empty.
fn value(outline: &BytesStart<'_>, names: &[&str]) -> Option<String> {
    let text = names.iter().find_map(|name| attribute(outline, name));
    text.map(|text| aha_content::fold::fold_line(&text)).filter(|text| !text.is_empty())
}

fn address(outline: &BytesStart<'_>) -> Option<String> {
    value(outline, &["xmlUrl", "xmlurl", "xmlURL", "XMLURL"])
}

impl OpmlSources {
    fn take(&mut self, found: Result<Option<NewSource>, String>, seen: &mut HashSet<String>) {
        match found {
            Ok(Some(source)) if seen.insert(source.url.clone()) => self.sources.push(source),
            Ok(_) => {}
            Err(reason) => {
                self.unusable_count += 1;
                if self.unusable.len() < MAX_NAMED {
                    self.unusable.push(reason);
                }
            }
        }
    }
}

fn source(
    outline: &BytesStart<'_>,
    folder: Option<&Path>,
    sites: &Sites,
    folders: &Folders,
) -> Result<Option<NewSource>, String> {
    let value = |names: &[&str]| value(outline, names);
    let title = value(&["title", "text"]);
    let Some(address) = address(outline) else { return Ok(None) };
    let shown = || first_words(title.as_deref().unwrap_or(&address), MAX_SHOWN_CHARS);
    let unusable = |error| format!("the outline '{}' cannot be used: {error}", shown());
    let place = if let Some(place) = resolve_short_name(&address, sites).map_err(unusable)? {
        place
    } else {
        let url = url_from_outline(&address, folder).map_err(unusable)?;
        SourceLocation { kind: kind_of(value(&[KIND, OLDER_KIND]).as_deref(), &url), url }
    };
    let weight = value(&[WEIGHT]).and_then(|weight| weight.parse().ok()).filter(|weight| (0.1..=3.0).contains(weight));
    Ok(Some(NewSource {
        kind: place.kind,
        url: place.url,
        title,
        folder: folders.path(),
        weight,
        full_text: value(&[FULL_TEXT]).as_deref() == Some("true"),
    }))
}

/// Returns the kind of a source with an address: an unknown kind becomes a feed, and documents have to be local.
fn kind_of(text: Option<&str>, url: &str) -> SourceKind {
    let is_named = |kind: &SourceKind| Some(kind.as_str()) == text;
    if is_named(&SourceKind::Documents) && url.starts_with("file:") {
        return SourceKind::Documents;
    }
    SourceKind::ALL.into_iter().filter(|kind| kind.has_web_address()).find(is_named).unwrap_or_default()
}

/// Renders the sources as an OPML 2.0 document.
#[must_use]
pub fn write(title: &str, sources: &[NewSource]) -> String {
    let mut out =
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\" xmlns:aha=\"{NAMESPACE}\">\n");
    let _ = write!(out, "  <head>\n    <title>{}</title>\n  </head>\n  <body>\n", escape(title));
    // Sources without a folder come first, then the folders by name, each with its own sources before its subfolders.
    let mut by_folder: Vec<&NewSource> = sources.iter().collect();
    by_folder.sort_by(|a, b| a.folder.cmp(&b.folder));
    let mut open: &[String] = &[];
    for source in by_folder {
        let common = open.iter().zip(&source.folder).take_while(|(a, b)| a == b).count();
        close(&mut out, open.len(), common);
        for (level, name) in source.folder.iter().enumerate().skip(common) {
            let name = escape(name);
            let _ = writeln!(out, "{}<outline text=\"{name}\" title=\"{name}\">", indent(level));
        }
        open = &source.folder;
        write_source(&mut out, source);
    }
    close(&mut out, open.len(), 0);
    out.push_str("  </body>\n</opml>\n");
    out
}

fn indent(level: usize) -> String {
    " ".repeat(4 + 2 * level)
}

/// Closes folders until `until` are open.
fn close(out: &mut String, open: usize, until: usize) {
    for level in (until..open).rev() {
        let _ = writeln!(out, "{}</outline>", indent(level));
    }
}

fn write_source(out: &mut String, source: &NewSource) {
    let name = escape(source.title.as_deref().unwrap_or(&source.url));
    let (url, indent) = (escape(&source.url), indent(source.folder.len()));
    let _ = write!(out, "{indent}<outline type=\"rss\" text=\"{name}\" title=\"{name}\" xmlUrl=\"{url}\"");
    if source.kind != SourceKind::Feed {
        let _ = write!(out, " {KIND}=\"{}\"", source.kind);
    }
    // Default values are omitted.
    if let Some(weight) = source.weight.filter(|weight| (weight - 1.0).abs() > f64::EPSILON) {
        let _ = write!(out, " {WEIGHT}=\"{weight}\"");
    }
    if source.full_text {
        let _ = write!(out, " {FULL_TEXT}=\"true\"");
    }
    out.push_str("/>\n");
}

fn escape(text: &str) -> String {
    quick_xml::escape::escape(aha_content::fold::fold_line(text)).into_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use aha_core::source::{NewSource, SourceKind};

    use super::{OpmlError, OpmlSources, write};
    use crate::sources::sites::Sites;

    fn read(bytes: &[u8], file: &str, folder: Option<&Path>) -> Result<OpmlSources, OpmlError> {
        super::read(bytes, file, folder, &Sites::default())
    }

    const LIST: &str = r#"<?xml version="1.0"?><opml version="1.1"><head/><body>
        <outline text="News &amp; more"><outline title="A" text="a" xmlUrl="https://a.org/f?x=1&y=2"/>
        <outline text="B" xmlurl="feeds/b.xml"/><outline text="Deep"><outline text="C" xmlUrl="https://a.org/f?x=1&amp;y=2"/></outline>
        </outline><outline text="A link" url="https://x.org/"/></body></opml>"#;

    #[test]
    fn nested_outlines_are_read_once_each() {
        let sources = read(LIST.as_bytes(), "list.opml", Some(Path::new("/l"))).unwrap().sources;
        let urls: Vec<_> = sources.iter().map(|s| s.url.as_str()).collect();
        assert_eq!(urls, ["https://a.org/f?x=1&y=2", "file:///l/feeds/b.xml"]);
        assert_eq!(sources[0].title.as_deref(), Some("A"));
        assert!(sources.iter().all(|source| source.folder == ["News & more"]), "{sources:?}");
    }

    #[test]
    fn an_unusable_outline_is_named_and_the_others_are_read() {
        let bad = "<outline text='X' xmlUrl='gopher://x'/>".repeat(30);
        let list = format!("<opml><body>{bad}<outline text='Y' xmlUrl='https://y.org/'/></body></opml>");
        let listed = read(list.as_bytes(), "l.opml", None).unwrap();
        assert_eq!(listed.sources.len(), 1);
        assert_eq!((listed.unusable.len(), listed.unusable_count), (20, 30));
        assert!(listed.unusable[0].starts_with("the outline 'X' cannot be used"), "{:?}", listed.unusable[0]);
    }

    #[test]
    fn errors_name_the_file() {
        assert!(read(b"<rss/>", "l.opml", None).unwrap_err().to_string().contains("no OPML"));
        assert!(read(b"<opml><body></opml>", "l.opml", None).unwrap_err().to_string().contains("well-formed"));
    }

    #[test]
    fn what_is_written_reads_back() {
        let source = |url: &str, title: &str| NewSource {
            kind: SourceKind::Feed,
            url: url.into(),
            title: Some(title.into()),
            ..NewSource::default()
        };
        let sources =
            vec![source("https://x.org/f?a=1&b=\"2\"", "<\"Quotes\"> & 'more'"), source("file:///a%20b.xml", "B")];
        let sources: Vec<_> =
            sources.into_iter().map(|s| NewSource { url: url::Url::parse(&s.url).unwrap().to_string(), ..s }).collect();
        let site = |kind, url: &str| NewSource { kind, ..source(url, "S") };
        let sites = ["hn:heat pumps", "reddit:rust/new"]
            .map(|url| site(if url.starts_with("hn") { SourceKind::HackerNews } else { SourceKind::Reddit }, url));
        let preset = site(SourceKind::GithubReleases, "https://github.com/a/b/releases.atom");
        let documents = site(SourceKind::Documents, "file:///handbook");
        let mut sources: Vec<_> = sources.into_iter().chain(sites).chain([preset, documents]).collect();
        (sources[0].weight, sources[1].weight, sources[1].full_text) = (Some(0.35), Some(3.0), true);
        let text = write("Mine & yours", &sources);
        assert_eq!(read(text.as_bytes(), "x", Some(Path::new("/"))).unwrap().sources, sources);
    }

    #[test]
    fn every_kind_with_a_web_address_is_written_and_read_back() {
        for kind in SourceKind::ALL.into_iter().filter(|kind| kind.has_web_address()) {
            let source = NewSource { kind, url: "https://x.org/f".into(), ..NewSource::default() };
            let read_back = read(write("Mine", &[source]).as_bytes(), "x", None).unwrap().sources;
            assert_eq!(read_back[0].kind, kind);
        }
    }

    #[test]
    fn folders_are_kept() {
        let list = r#"<opml><body><outline text="Z" xmlUrl="https://z.org/"/><outline title="News">
            <outline text="Deep"><outline text="D" xmlUrl="https://d.org/"/></outline><outline text="N" xmlUrl="https://n.org/"></outline>
            <outline text="M" xmlUrl="https://m.org/"/></outline><outline text="A &amp; B"><outline text="B" xmlUrl="https://b.org/"/></outline>
            <outline><outline text="Y" xmlUrl="https://y.org/"/></outline></body></opml>"#;
        let mut sources = read(list.as_bytes(), "x", None).unwrap().sources;
        let folders: Vec<(&str, String)> =
            sources.iter().map(|s| (s.title.as_deref().unwrap_or(""), s.folder.join(" > "))).collect();
        let expected = [("Z", ""), ("D", "News > Deep"), ("N", "News"), ("M", "News"), ("B", "A & B"), ("Y", "")];
        assert_eq!(folders, expected.map(|(title, folder)| (title, folder.to_owned())));
        let text = write("Mine", &sources);
        let again = read(text.as_bytes(), "x", None).unwrap().sources;
        sources.sort_by(|a, b| a.folder.cmp(&b.folder));
        assert_eq!(again, sources);
        assert_eq!(text.matches("title=\"News\"").count(), 1, "{text}");
        let deep = format!("<opml><body>{}<outline xmlUrl='https://x.org/'/>", "<outline text='f'>".repeat(1000));
        assert_eq!(read(deep.as_bytes(), "x", None).unwrap().sources[0].folder.len(), 8);
    }

    #[test]
    fn lists_of_older_versions_and_of_others_are_read() {
        let list = r#"<opml><body><outline xmlUrl="https://lobste.rs/rss" ahaKind="lobsters" aha:weight="9"/>
            <outline xmlUrl="https://y.org/f" aha:weight="x" aha:fullText="yes"/></body></opml>"#;
        let found = read(list.as_bytes(), "x", None).unwrap().sources;
        assert_eq!(found[0].kind, SourceKind::Lobsters);
        assert!(found.iter().all(|listed| listed.weight.is_none() && !listed.full_text), "{found:?}");
    }

    #[test]
    fn short_names_are_of_the_sites_that_are_configured() {
        let sites: Sites = "lobsters=https://mirror.example".parse().unwrap();
        let list = br#"<opml><body><outline xmlUrl="lobsters:rust"/></body></opml>"#;
        let found = super::read(list, "x", None, &sites).unwrap().sources;
        assert_eq!(found[0].url, "https://mirror.example/t/rust.rss");
    }
}
