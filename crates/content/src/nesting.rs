//! Which markup a tree builder leaves as it is: then none need be built to know what comes out. Called while markup is pruned.
//!
//! The rules are those of the HTML standard for start tags within a body (13.2.6.4.7) and for the parts of a table (13.2.6.4.9 and
//! following); ruby, and tables of which parts are left out, are left to the tree.

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Inline,
    /// Ends a paragraph that is open.
    Block,
    Paragraph,
    Heading,
    Elsewhere,
}

/// Whether an element that begins within the `open` ones, the outermost first, stays there. All of them are well nested, and list
/// items and links stand in none of their own kind.
pub(super) fn stays(open: &[&str], name: &str) -> bool {
    if let Some(parts) = open.last().and_then(|parent| parts_of(parent)) {
        return parts.contains(&name);
    }
    let is_within = |place: Place| open.iter().any(|open| place_of(open) == place);
    match place_of(name) {
        Place::Inline => true,
        Place::Block | Place::Paragraph => !is_within(Place::Paragraph),
        Place::Heading => {
            !is_within(Place::Paragraph) && open.last().is_none_or(|open| place_of(open) != Place::Heading)
        }
        Place::Elsewhere => false,
    }
}

/// What stands directly in a part of a table, besides white space; `None` for anything else, which may hold what a body may.
pub(super) fn parts_of(name: &str) -> Option<&'static [&'static str]> {
    match name {
        "table" => Some(&["caption", "thead", "tbody", "tfoot"]),
        "thead" | "tbody" | "tfoot" => Some(&["tr"]),
        "tr" => Some(&["td", "th"]),
        _ => None,
    }
}

fn place_of(name: &str) -> Place {
    match name {
        "a" | "abbr" | "b" | "br" | "cite" | "code" | "del" | "dfn" | "em" | "i" | "img" | "ins" | "kbd" | "mark"
        | "q" | "s" | "samp" | "small" | "span" | "strong" | "sub" | "sup" | "time" | "u" => Place::Inline,
        "article" | "aside" | "blockquote" | "dd" | "details" | "div" | "dl" | "dt" | "figcaption" | "figure"
        | "footer" | "header" | "hr" | "li" | "main" | "ol" | "pre" | "section" | "summary" | "table" | "ul" => {
            Place::Block
        }
        "p" => Place::Paragraph,
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => Place::Heading,
        _ => Place::Elsewhere,
    }
}
