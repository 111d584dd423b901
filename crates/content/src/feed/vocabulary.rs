//! The element names and namespaces of feeds, and the structural position of elements. Used by the survey and by the
//! rewriting of dialects.

use quick_xml::events::BytesStart;
use quick_xml::name::ResolveResult;

pub(super) const ATOM: &str = "http://www.w3.org/2005/Atom";
pub(super) const RSS1: &str = "http://purl.org/rss/1.0/";

/// The common namespace prefixes and their namespaces.
pub(super) const PREFIXES: [(&str, &str); 12] = [
    ("atom", ATOM),
    ("dc", "http://purl.org/dc/elements/1.1/"),
    ("content", "http://purl.org/rss/1.0/modules/content/"),
    ("media", "http://search.yahoo.com/mrss/"),
    ("itunes", "http://www.itunes.com/dtds/podcast-1.0.dtd"),
    ("slash", "http://purl.org/rss/1.0/modules/slash/"),
    ("thr", "http://purl.org/syndication/thread/1.0"),
    ("wfw", "http://wellformedweb.org/CommentAPI/"),
    ("georss", "http://www.georss.org/georss"),
    ("dcterms", "http://purl.org/dc/terms/"),
    ("xhtml", "http://www.w3.org/1999/xhtml"),
    ("feedburner", "http://rssnamespace.org/feedburner/ext/1.0"),
];

/// Element names with a meaning at the levels of feed, channel and item.
const NAMES: [&str; 36] = [
    "rss",
    "RDF",
    "feed",
    "channel",
    "item",
    "entry",
    "title",
    "link",
    "description",
    "language",
    "guid",
    "pubDate",
    "author",
    "category",
    "comments",
    "enclosure",
    "lastBuildDate",
    "id",
    "updated",
    "published",
    "summary",
    "content",
    "subtitle",
    "rights",
    "contributor",
    "logo",
    "icon",
    "issued",
    "modified",
    "tagline",
    "copyright",
    "managingEditor",
    "webMaster",
    "ttl",
    "image",
    "generator",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Dialect {
    Rss,
    Rdf,
    Atom,
    #[default]
    Unknown,
}

/// The vocabulary that an element belongs to, as its author intended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    /// The feed format itself.
    Own,
    /// A known extension, identified by its usual prefix.
    Extension(&'static str),
    Foreign,
}

/// Tracks the structure of a document from tag to tag.
#[derive(Debug)]
pub(super) struct Tracker {
    pub(super) dialect: Dialect,
    pub(super) depth: usize,
    /// The depth of the open item.
    pub(super) item: Option<usize>,
    root_namespace: Option<String>,
}

/// The structural position of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) space: Space,
    /// The feed, the channel or an item, or a child of one of them.
    pub(super) structural: bool,
    pub(super) starts_item: bool,
    /// The document's declarations contradict the intended vocabulary.
    pub(super) misdeclared: bool,
}

impl Tracker {
    pub(super) const fn new() -> Self {
        Self { dialect: Dialect::Unknown, depth: 0, item: None, root_namespace: None }
    }

    /// Enters an element. `name` is its corrected local name.
    pub(super) fn enter(&mut self, start: &BytesStart<'_>, namespace: &ResolveResult<'_>, name: &str) -> Position {
        self.depth += 1;
        let uri = match namespace {
            ResolveResult::Bound(uri) => Some(uri.as_ref()),
            ResolveResult::Unbound | ResolveResult::Unknown(_) => None,
        };
        let qualified = start.name();
        let prefix = qualified.prefix();
        if self.depth == 1 {
            self.dialect = dialect_of(name);
            self.root_namespace = uri.map(str::to_owned);
        }
        let space = self.space(prefix.as_ref().map(AsRef::as_ref), uri);
        let structural = match self.item {
            Some(item) => self.depth == item + 1,
            None => self.depth <= 3,
        };
        let starts_item = self.item.is_none() && space == Space::Own && self.is_item(name);
        if starts_item {
            self.item = Some(self.depth);
        }
        let misdeclared = structural
            && self.misdeclared(space, prefix.is_some(), uri)
            && (space != Space::Own || NAMES.contains(&name));
        Position { space, structural, starts_item, misdeclared }
    }

    /// Leaves an element. Returns whether it was an item.
    pub(super) fn leave(&mut self) -> bool {
        let ends_item = self.item == Some(self.depth);
        if ends_item {
            self.item = None;
        }
        self.depth = self.depth.saturating_sub(1);
        ends_item
    }

    fn is_item(&self, name: &str) -> bool {
        match self.dialect {
            Dialect::Rss => name == "item" && (2..=3).contains(&self.depth),
            Dialect::Rdf => name == "item" && self.depth == 2,
            Dialect::Atom => name == "entry" && self.depth <= 2,
            Dialect::Unknown => false,
        }
    }

    fn space(&self, prefix: Option<&str>, uri: Option<&str>) -> Space {
        if self.depth == 1 || (prefix.is_none() && (uri.is_none() || uri == self.root_namespace.as_deref())) {
            return Space::Own;
        }
        let exact = PREFIXES.iter().find(|(p, u)| Some(*p) == prefix && Some(*u) == uri).copied();
        let known = exact
            .or_else(|| uri.and_then(meaning))
            .or_else(|| PREFIXES.iter().find(|(p, _)| Some(*p) == prefix).copied());
        match known {
            Some((_, namespace)) if self.own_namespace() == Some(namespace) => Space::Own,
            Some((prefix, _)) => Space::Extension(prefix),
            None => Space::Foreign,
        }
    }

    const fn own_namespace(&self) -> Option<&'static str> {
        match self.dialect {
            Dialect::Atom => Some(ATOM),
            Dialect::Rss | Dialect::Rdf => Some(RSS1),
            Dialect::Unknown => None,
        }
    }

    fn misdeclared(&self, space: Space, prefixed: bool, uri: Option<&str>) -> bool {
        match space {
            Space::Own if self.depth == 1 => self.dialect == Dialect::Atom && uri.is_some_and(|u| u != ATOM),
            // An element with an undeclared prefix, or without prefix and namespace, belongs to the format itself.
            Space::Own => uri.is_some_and(|u| Some(u) != self.own_namespace()),
            Space::Extension(p) => prefixed && uri.is_none_or(|u| !PREFIXES.contains(&(p, u))),
            Space::Foreign => false,
        }
    }
}

fn dialect_of(name: &str) -> Dialect {
    match name {
        "rss" => Dialect::Rss,
        "RDF" => Dialect::Rdf,
        "feed" | "entry" => Dialect::Atom,
        _ => Dialect::Unknown,
    }
}

/// Corrects the case of a name to the format's spelling.
pub(super) fn spelling(local: &str) -> &str {
    if NAMES.contains(&local) {
        return local;
    }
    NAMES.iter().find(|name| name.eq_ignore_ascii_case(local)).copied().unwrap_or(local)
}

/// Returns the prefix and namespace that a URI denotes, including older and mistyped URIs.
fn meaning(uri: &str) -> Option<(&'static str, &'static str)> {
    let lower = uri.trim().to_ascii_lowercase();
    let bare = lower.trim_start_matches("http://").trim_start_matches("https://").trim_end_matches(['/', '#']);
    let rss = [
        "backend.userland.com/rss",
        "blogs.law.harvard.edu/tech/rss",
        "cyber.law.harvard.edu/rss",
        "my.netscape.com/",
        "channel.netscape.com/",
        "www.rssboard.org/rss-spec",
        "purl.org/net/rss1.1",
    ];
    if bare == "purl.org/rss/1.0" || rss.iter().any(|start| bare.starts_with(start)) {
        return Some(("", RSS1));
    }
    let prefix = match bare {
        "www.w3.org/2005/atom" | "purl.org/atom/ns" | "purl.org/pie" | "purl.org/atom" => "atom",
        "purl.org/dc/elements/1.1" | "purl.org/dc/elements/1.0" | "purl.org/metadata/dublin_core" => "dc",
        "purl.org/rss/1.0/modules/content" => "content",
        "search.yahoo.com/mrss" | "video.search.yahoo.com/mrss" | "search.yahoo.com/searchmonkey-datatype/media" => {
            "media"
        }
        "www.itunes.com/dtds/podcast-1.0.dtd" => "itunes",
        "purl.org/rss/1.0/modules/slash" => "slash",
        "purl.org/syndication/thread/1.0" => "thr",
        "wellformedweb.org/commentapi" => "wfw",
        "purl.org/dc/terms" => "dcterms",
        "www.w3.org/1999/xhtml" => "xhtml",
        "rssnamespace.org/feedburner/ext/1.0" => "feedburner",
        _ => return None,
    };
    PREFIXES.iter().find(|(p, _)| *p == prefix).copied()
}

/// Returns whether an element's content is text or markup.
pub(super) fn is_text_construct(dialect: Dialect, space: Space, name: &str) -> bool {
    match (dialect, space) {
        (Dialect::Atom, Space::Own) => {
            matches!(name, "title" | "subtitle" | "summary" | "content" | "rights" | "tagline" | "copyright")
        }
        (Dialect::Rss | Dialect::Rdf, Space::Own) => {
            matches!(name, "title" | "description" | "summary" | "body" | "fullitem")
        }
        (Dialect::Rss | Dialect::Rdf, Space::Extension("xhtml")) => name == "body",
        (_, Space::Extension("content")) => name == "encoded",
        _ => false,
    }
}

/// Precedes a registered link relation without a change of its meaning (RFC 4287, section 4.2.7.2).
const REGISTERED_RELATIONS: &str = "http://www.iana.org/assignments/relation/";

/// Returns the name of a link relation.
pub(super) fn relation(rel: &str) -> &str {
    let rel = rel.trim();
    rel.strip_prefix(REGISTERED_RELATIONS).unwrap_or(rel)
}

/// Returns whether a link with this `rel` attribute leads to the page of the feed or item that it is in.
pub(super) fn is_alternate(rel: &str) -> bool {
    matches!(relation(rel), "" | "alternate")
}

/// Returns whether an element contains a person's name or email address.
pub(super) fn is_person(name: &str) -> bool {
    matches!(name, "author" | "creator" | "managingEditor" | "webMaster")
}
