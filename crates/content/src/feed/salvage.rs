//! Saves the whole items of a feed that is cut off or broken past repair. Called by the parser as its last resort.

use quick_xml::Reader;
use quick_xml::events::Event;

/// How much may be read again while items are tried one by one.
const MAX_TRIAL_BYTES: usize = 64 * 1024 * 1024;

/// Builds the document anew from its head and those items that are whole and that `keep` accepts; `None` when there is none.
/// With it goes the number of items left out.
pub(super) fn salvage(text: &str, keep: impl Fn(&str) -> bool) -> Option<(String, usize)> {
    let name = if text.contains("<item") { "item" } else { "entry" };
    let (open, close) = (format!("<{name}"), format!("</{name}>"));
    let first = text.find(&open)?;
    let (head, tail) = head(&text[..first]);
    let mut out = head.clone();
    let (mut kept, mut lost) = (0, 0);
    // Each trial reads the head again: a huge one leaves only few.
    let mut trials = MAX_TRIAL_BYTES / (head.len() + 1);
    let mut rest = &text[first..];
    while let Some(start) = rest.find(&open) {
        rest = &rest[start..];
        let next = rest[1..].find(&open).map_or(rest.len(), |at| at + 1);
        let item = rest[..next].find(&close).map(|end| &rest[..end + close.len()]);
        rest = &rest[next..];
        trials = trials.saturating_sub(1);
        match item.filter(|item| is_well_formed(item) && (trials == 0 || keep(&format!("{head}{item}{tail}")))) {
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

/// The document up to its first item, made well-formed, and the end tags that it needs.
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
    // A head that is broken before its channel opens still has to open one.
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
    }
}
