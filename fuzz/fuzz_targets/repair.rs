//! Any text repaired: as long as the text at most times a factor, and without the control characters that XML does not know.

#![no_main]

use aha_radar::sources::feed::repair;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (repaired, _) = repair(text);
    assert!(repaired.len() <= text.len() * 8 + 64);
    assert!(!repaired.contains(|c: char| c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{7f}')));
});
