//! Any text repaired: as long as the text at most times a factor, and a second repair finds no control character.

#![no_main]

use aha_radar::sources::feed::repair;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (repaired, _) = repair(text);
    assert!(repaired.len() <= text.len() * 8 + 64);
    let (_, again) = repair(&repaired);
    assert!(!again.contains("left out control characters"));
});
