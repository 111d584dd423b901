//! Any text as a date: one of the years that feeds were published in, or none.

#![no_main]

use aha_radar::sources::feed::parse_date;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Some(date) = parse_date(text) {
        assert!(date.timestamp() >= 365 * 86_400 && date.timestamp() < 253_402_300_800);
    }
});
