#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| aha_radar_fuzz::planner(bytes));
