//! Where a feed begins in a document, and what is no feed. Input: the decoded text. Output: the text from its root on.

use memchr::memchr;

use super::error::ParseError;

/// Returns the document from its XML declaration or root element. Rejects HTML pages.
pub(super) fn skip_to_root<'a>(text: &'a str, problems: &mut Vec<String>) -> Result<&'a str, ParseError> {
    let head_end = (0..=text.len().min(64 * 1024)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let (root, has_html_doctype) =
        first_root(&text[..head_end]).ok_or_else(|| ParseError::not_a_feed("an HTML page"))?;
    match root {
        Some(root) if has_html_doctype => {
            problems.push("the document type is that of HTML, the root element that of a feed".to_owned());
            Ok(&text[root..])
        }
        Some(root) if root > 0 && !text.starts_with("<?") && !text.starts_with("<!") => {
            problems.push("there is something before the feed's start".to_owned());
            Ok(&text[root..])
        }
        None if !text.starts_with('<') => Err(ParseError::not_a_feed("neither XML nor JSON")),
        _ => Ok(text),
    }
}

/// Returns the offset of a feed's root, if found, and whether an HTML document type precedes it; `None` for an HTML
/// page. After such a document type, the first element decides.
fn first_root(head: &str) -> Option<(Option<usize>, bool)> {
    let mut has_html_doctype = false;
    let mut at = 0;
    while let Some(found) = memchr(b'<', &head.as_bytes()[at..]) {
        at += found + 1;
        let tag = &head[at..];
        if let Some(comment) = tag.strip_prefix("!--") {
            let Some(end) = comment.find("-->") else { break };
            at += end;
            continue;
        }
        let name = tag.split(|c: char| c.is_whitespace() || "</>".contains(c)).next().unwrap_or_default();
        let local = name.rsplit(':').next().unwrap_or_default();
        let is_feed = ["rss", "feed", "rdf"].iter().any(|root| local.eq_ignore_ascii_case(root));
        has_html_doctype |= tag.get(..13).is_some_and(|start| start.eq_ignore_ascii_case("!doctype html"));
        if is_feed {
            return Some((Some(at - 1), has_html_doctype));
        }
        if local.eq_ignore_ascii_case("html") || (has_html_doctype && name.starts_with(|c: char| c.is_alphabetic())) {
            return None;
        }
    }
    (!has_html_doctype).then_some((None, false))
}
