//! Salvages the complete items of a feed that is truncated or beyond repair. Called by the parser as a last resort.

use quick_xml::Reader;
use quick_xml::events::Event;

/// Maximum bytes that are parsed again while items are tried one by one.
const MAX_ATTEMPT_BYTES: usize = 64 * 1024 * 1024;

/// Rebuilds the document from its head and the complete items that `keep` accepts. Also returns the number of items
/// left out; `None` if no item remains.
pub(super) fn salvage(text: &str, keep: impl Fn(&str) -> bool) -> Option<(String, usize)> {
    let name = match (find_tag(text, "<feed"), find_tag(text, "<item")) {
        (Some(feed), Some(item)) if item < feed => "item",
        (None, Some(_)) => "item",
        _ => "entry",
    };
    let (open, close) = (format!("<{name}"), format!("</{name}>"));
    let first = find_tag(text, &open)?;
    let (head, tail) = head(&text[..first]);
    let mut out = head.clone();
    let (mut kept, mut lost) = (0, 0);
    // Each trial parses the head again, so a large head allows few trials.
    let mut attempts_left = MAX_ATTEMPT_BYTES / (head.len() + 1);
    let mut rest = &text[first..];
    while let Some(start) = find_tag(rest, &open) {
        rest = &rest[start..];
        let next = find_tag(&rest[1..], &open).map_or(rest.len(), |at| at + 1);
        let item = rest[..next].find(&close).map(|end| &rest[..end + close.len()]);
        rest = &rest[next..];
        attempts_left = attempts_left.saturating_sub(1);
        match item.filter(|item| is_well_formed(item) && (attempts_left == 0 || keep(&format!("{head}{item}{tail}")))) {
            Some(item) => {
                out.push_str(item);
                kept += 1;
            }
            None => lost += 1,
        }
    }
    out.push_str(&tail);
    (kept > 0).then_some((out, lost))
}

/// Finds a start tag: `<item` is not found in `<items>`, which every RSS 1.0 channel has.
fn find_tag(text: &str, open: &str) -> Option<usize> {
    let ends =
        |at: &usize| matches!(text.as_bytes().get(at + open.len()), Some(b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n'));
    text.match_indices(open).map(|(at, _)| at).find(ends)
}

/// Returns the document up to its first item, made well-formed, and the end tags that it needs.
fn head(text: &str) -> (String, String) {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let mut open: Vec<String> = Vec::new();
    let mut good = 0;
    loop {
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                let name = start.name();
                let name: &str = name.as_ref();
                open.push(name.to_owned());
            }
            Ok(Event::End(end)) => {
                let name = end.name();
                let name: &str = name.as_ref();
                if open.last().map(String::as_str) != Some(name) {
                    break;
                }
                open.pop();
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
        good = usize::try_from(reader.buffer_position()).unwrap_or(text.len());
    }
    let tail = open.iter().rev().fold(String::new(), |tail, name| format!("{tail}</{name}>"));
    let is_cut = good < text.len() && !text[good..].trim().is_empty();
    // If the head breaks before the channel opens, a channel must still be opened.
    let channel = is_cut && open.len() == 1 && open[0] == "rss";
    let (more, less) = if channel { ("<channel>", "</channel>") } else { ("", "") };
    (format!("{}{more}", text.get(..good).unwrap_or_default()), format!("{less}{tail}"))
}

fn is_well_formed(item: &str) -> bool {
    let mut reader = Reader::from_str(item);
    loop {
        match reader.read_event() {
            Ok(Event::Eof) => return true,
            Ok(Event::GeneralRef(reference)) if reference.resolve_char_ref().is_err() => return false,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::salvage;

    #[test]
    fn whole_items_are_saved_from_a_wreck() {
        let (text, lost) =
            salvage("<rss><channel><title>t</title><item>1</item><item><b></item><item>3</item><item>4", |_| true)
                .unwrap();
        assert_eq!(text, "<rss><channel><title>t</title><item>1</item><item>3</item></channel></rss>");
        assert_eq!(lost, 2);
        assert!(salvage("<rss><channel>", |_| true).is_none());
        let rdf = "<rdf:RDF><channel><items><rdf:Seq/></items></channel><item>1</item><item>2";
        let saved = "<rdf:RDF><channel><items><rdf:Seq/></items></channel><item>1</item></rdf:RDF>";
        assert_eq!(salvage(rdf, |_| true), Some((saved.to_owned(), 1)));
        let atom = "<feed><entry><![CDATA[<item>x</item>]]></entry><entry>2</entry><entry>3";
        let saved = "<feed><entry><![CDATA[<item>x</item>]]></entry><entry>2</entry></feed>";
        assert_eq!(salvage(atom, |_| true), Some((saved.to_owned(), 1)));
    }
}
