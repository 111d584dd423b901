//! Any text as an address: what is canonical is so for good.

#![no_main]

use aha_radar::sources::canonical::canonical_url;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for text in [text.to_owned(), format!("https://{text}")] {
        if let Some(once) = canonical_url(&text) {
            assert_eq!(canonical_url(&once), Some(once));
        }
    }
});
