//! YouTube: the feeds of channels and playlists, with views and ratings, which feed readers usually omit.

use std::collections::HashMap;

use aha_content::feed::{attribute, decode};
use aha_core::item::Engagement;
use aha_core::source::Source;
use async_trait::async_trait;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::feed::parsed;
use super::fetch::{FetchError, Fetcher, Request};
use super::http::{Page, fetch_feed};
use super::{Connector, FetchResult};

/// The connector of the kind `youtube`; the source's address is that of the feed.
#[derive(Debug, Clone, Copy)]
pub struct YouTube;

#[async_trait]
impl Connector for YouTube {
    async fn fetch(&self, source: &Source, fetcher: &Fetcher) -> Result<FetchResult, FetchError> {
        let request = Request::to(&source.url).if_changed(&source.validators);
        let read = |page: Page| {
            let counts = counts(&page.bytes);
            let mut feed = parsed(&page)?;
            for item in &mut feed.items {
                if let Some(found) = item.guid.as_ref().and_then(|id| counts.get(id)) {
                    item.engagement = Engagement { comments: item.engagement.comments, ..*found };
                }
            }
            Ok(feed)
        };
        fetch_feed(fetcher, &request, read).await
    }
}

/// Returns views and ratings by the entry's id. Parsing stops where the document is no longer valid XML, because
/// missing counts are no reason to reject it.
fn counts(bytes: &[u8]) -> HashMap<String, Engagement> {
    let (text, _) = decode(bytes, None);
    let mut reader = Reader::from_str(&text);
    let mut found = HashMap::new();
    let (mut in_id, mut id, mut counts) = (false, String::new(), Engagement::default());
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(start) if start.name().as_ref() == "entry" => (id, counts) = Default::default(),
            Event::Start(start) if start.name().as_ref() == "id" => in_id = true,
            Event::Text(text) if in_id => id.push_str(text.as_ref()),
            Event::Start(start) | Event::Empty(start) => read_counts(&start, &mut counts),
            Event::End(end) if end.name().as_ref() == "id" => in_id = false,
            Event::End(end) if end.name().as_ref() == "entry" => {
                found.insert(id.trim().to_owned(), counts);
            }
            Event::Eof => break,
            _ => {}
        }
    }
    found
}

fn read_counts(start: &BytesStart<'_>, counts: &mut Engagement) {
    let number = |name| attribute(start, name).and_then(|value| value.trim().parse().ok());
    match start.name().as_ref() {
        "media:statistics" => counts.views = number("views"),
        "media:starRating" => counts.score = number("count"),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::counts;

    #[test]
    fn views_and_ratings_are_read() {
        let found = counts(include_bytes!("../../tests/data/sources/youtube_channel.xml"));
        let first = &found["yt:video:Tide0000001"];
        assert_eq!((first.views, first.score, first.comments), (Some(34_567), Some(1234), None));
        assert_eq!(found["yt:video:Tide0000002"].views, None, "what is no number is unknown");
        assert_eq!(super::counts(b"<feed><entry><id>a</id></entry><entry><").len(), 1);
    }
}
