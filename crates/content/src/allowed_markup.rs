//! The elements and attributes that may be shown on a page, and the attributes that are added. Used by `prune` and
//! `sanitize`.

/// Allowed elements. Other elements are removed, but their content remains.
pub(super) const TAGS: [&str; 62] = [
    "a",
    "abbr",
    "article",
    "aside",
    "b",
    "blockquote",
    "br",
    "caption",
    "cite",
    "code",
    "dd",
    "del",
    "details",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "i",
    "img",
    "ins",
    "kbd",
    "li",
    "main",
    "mark",
    "ol",
    "p",
    "pre",
    "q",
    "rp",
    "rt",
    "ruby",
    "s",
    "samp",
    "section",
    "small",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "u",
    "ul",
];

/// Allowed attributes by element.
pub(super) const ATTRIBUTES: [(&str, &[&str]); 9] = [
    ("a", &["href", "title", "hreflang"]),
    ("abbr", &["title"]),
    ("blockquote", &["cite"]),
    ("img", &["src", "alt", "title", "width", "height"]),
    ("ol", &["start"]),
    ("q", &["cite"]),
    ("td", &["colspan", "rowspan"]),
    ("th", &["colspan", "rowspan"]),
    ("time", &["datetime"]),
];

/// Allowed on any element.
pub(super) const GENERAL_ATTRIBUTES: [&str; 2] = ["dir", "lang"];

/// Attributes set on links and images, replacing existing values.
pub(super) const ADDED: [(&str, &str, &str); 2] = [("a", "rel", LINK_REL), ("img", "loading", "lazy")];
pub(super) const LINK_REL: &str = "noopener noreferrer";
