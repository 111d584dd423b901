//! Any bytes as a feed: an answer within its time, no panic, no character that hides.

#![no_main]

use aha_radar::sources::feed::{MAX_ITEMS, parse};
use aha_radar::sources::identity::body_text;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(feed) = parse(bytes, Some("text/xml"), Some("https://example.org/feed")) {
        assert!(feed.items.len() <= MAX_ITEMS);
        for item in &feed.items {
            assert!(!body_text(item).contains(|c: char| c.is_control() && c != '\n'));
            assert!(item.title.as_deref().is_none_or(|title| !title.contains(char::is_control)));
        }
    }
});
