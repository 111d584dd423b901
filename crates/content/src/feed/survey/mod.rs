//! A first, light pass over an XML feed. It collects per item, in document order, what feed-rs omits (comment counts,
//! `rdf:about`, whether a guid is a permalink), and detects what feed-rs cannot handle. Called by the parser. `walk`
//! interprets the individual elements.

mod texts;
mod walk;

use std::collections::BTreeSet;

use quick_xml::NsReader;
use quick_xml::events::{BytesStart, Event};
use url::Url;

use super::limits::{Deadline, MAX_READ_ITEMS, MAX_REFERENCES, TOO_SLOW};
use super::vocabulary::{Dialect, spelling};

pub(super) use texts::{Rewriting, Text, TextsFound};
use walk::Walk;

/// Item data that feed-rs omits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ItemExtras {
    pub(super) comments_url: Option<String>,
    pub(super) comments: Option<i64>,
    /// False if the guid declares that it is not a permalink.
    pub(super) guid_is_address: bool,
    /// `rdf:about`, the item's identity in RSS 1.0.
    pub(super) about: Option<String>,
    /// The address of the item's page from an Atom link or a link with an `href` in an RSS item.
    pub(super) link: Option<String>,
    /// The address of the item's page that Feedburner replaced with one of its own.
    pub(super) original_link: Option<String>,
    /// From extensions and older dialects, used if the format's own elements are missing.
    pub(super) author: Option<String>,
    pub(super) published: Option<String>,
    pub(super) updated: Option<String>,
    /// The base of relative URLs in its texts, if the document declares one.
    pub(super) base: Option<String>,
    pub(super) texts: TextsFound,
    has_link: bool,
}

/// The result of the survey.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pub(super) dialect: Dialect,
    /// The root's local name.
    pub(super) root: String,
    /// At most the first [`MAX_READ_ITEMS`].
    pub(super) items: Vec<ItemExtras>,
    pub(super) item_count: usize,
    /// The end of the last item that is read, if there are more.
    pub(super) end_of_items: Option<usize>,
    /// Content after it is not part of the feed.
    pub(super) end_of_root: Option<usize>,
    /// Whether the document must be rewritten before feed-rs reads it.
    pub(super) rewrite: bool,
    /// Reasons that concern the publisher.
    pub(super) problems: BTreeSet<String>,
    pub(super) max_depth: usize,
    /// The first syntax error.
    pub(super) syntax_error: Option<String>,
    pub(super) language: Option<String>,
    /// The feed's title and description from extensions, used if its own elements are missing or empty. An empty text
    /// if the own element exists and extensions have none.
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
}

impl Survey {
    fn note(&mut self, problem: impl Into<String>) {
        self.rewrite = true;
        self.problems.insert(problem.into());
    }
}

/// Parser events between two checks of the deadline.
const EVENTS_PER_CHECK: usize = 1_024;

/// Returns an XML reader with the same rules for well-formedness as feed-rs.
pub(super) fn reader(text: &str) -> NsReader<&[u8]> {
    let mut reader = NsReader::from_str(text);
    let config = reader.config_mut();
    config.expand_empty_elements = true;
    config.trim_markup_names_in_closing_tags = true;
    reader
}

/// Walks the document once, to its end or its first syntax error.
pub(super) fn survey(text: &str, base: Option<&Url>, deadline: Deadline) -> Survey {
    let mut walk = Walk::new(text.contains("xml:base"));
    walk.bases.extend(base.map(|base| (0, base.to_string())));
    let mut reader = reader(text);
    let mut until_check = EVENTS_PER_CHECK;
    let mut references = 0;
    loop {
        until_check -= 1;
        if until_check == 0 {
            until_check = EVENTS_PER_CHECK;
            if deadline.has_passed() {
                walk.survey.syntax_error = Some(TOO_SLOW.to_owned());
                break;
            }
        }
        match reader.read_resolved_event() {
            Ok((namespace, Event::Start(start))) => {
                let local = start.local_name();
                let name = spelling(local.as_ref());
                let position = walk.tracker.enter(&start, &namespace, name);
                walk.start(&start, name, position);
            }
            Ok((_, Event::End(_))) => {
                let is_last = walk.end() && walk.survey.item_count == MAX_READ_ITEMS;
                if is_last {
                    walk.survey.end_of_items = usize::try_from(reader.buffer_position()).ok();
                }
                if walk.tracker.depth == 0 {
                    walk.survey.end_of_root = usize::try_from(reader.buffer_position()).ok();
                    break;
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
    if walk.survey.end_of_root.and_then(|end| text.get(end..)).is_some_and(has_more) {
        walk.survey.problems.insert("what follows the feed's end was left out".to_owned());
    }
    walk.survey.end_of_items = walk.survey.end_of_items.filter(|_| walk.survey.item_count > MAX_READ_ITEMS);
    walk.survey.dialect = walk.tracker.dialect;
    walk.survey
}

/// Returns whether anything but comments and processing instructions follows the root.
fn has_more(mut rest: &str) -> bool {
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '\0' | '\u{FEFF}'));
        let markup = [("<!--", "-->"), ("<?", "?>")];
        let after = markup.iter().find_map(|(open, close)| rest.strip_prefix(open)?.split_once(close));
        match after {
            Some((_, after)) => rest = after,
            None => return !rest.is_empty(),
        }
    }
}

/// Returns an attribute's value by its qualified name, with references resolved; `None` if it is missing.
pub fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
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
