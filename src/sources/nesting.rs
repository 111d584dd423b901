//! How deep a page is nested, told before a parser is given it: one that follows the standard takes time with the square of the
//! depth, and what walks its tree may do so by recursion. Called before any page is parsed.

/// No page that people read is nested deeper.
const MAX_DEPTH: usize = 400;
/// Elements that hold nothing, or that the next of their kind ends.
const FLAT: [&str; 27] = [
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "optgroup", "option",
    "p", "param", "source", "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr", "colgroup",
];
/// Elements whose content is no markup.
const RAW: [&str; 4] = ["script", "style", "textarea", "title"];

/// Whether a page is nested deeper than pages are. Takes time with its length alone.
#[must_use]
pub(super) fn is_too_deep(html: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let (closing, after) = rest.strip_prefix('/').map_or((false, rest), |after| (true, after));
        let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(after.len());
        let name = &after[..end];
        if name.is_empty() || is_one_of(&FLAT, name) {
            continue;
        }
        rest = &after[end..];
        if closing {
            if let Some(place) = open.iter().rposition(|known| known.eq_ignore_ascii_case(name)) {
                open.truncate(place);
            }
        } else if is_one_of(&RAW, name) {
            rest = after_raw(rest, name);
        } else {
            open.push(name);
        }
        if open.len() > MAX_DEPTH {
            return true;
        }
    }
    false
}

/// From the end tag of that name on.
fn after_raw<'a>(mut rest: &'a str, name: &str) -> &'a str {
    while let Some(at) = rest.find("</") {
        rest = &rest[at + 2..];
        if rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)) {
            return rest;
        }
    }
    ""
}

fn is_one_of(names: &[&str], name: &str) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::is_too_deep;

    #[test]
    fn depth_is_told_from_length() {
        for deep in ["<div>", "<DIV><p>", "<span></x>", "<b><script>if (a</b>b)</script>"] {
            assert!(is_too_deep(&deep.repeat(100_000)), "{deep}");
        }
        for flat in
            ["<div></div>", "<p>", "<li>a", "<br><img>", "<div><span></div>", "<script>'<div>'</script>", "a < b "]
        {
            assert!(!is_too_deep(&flat.repeat(100_000)), "{flat}");
        }
    }
}
