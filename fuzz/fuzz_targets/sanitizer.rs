//! Any markup sanitised: nothing that runs, and clean markup is clean.

#![no_main]

use aha_radar::text::sanitize::sanitize;
use libfuzzer_sys::fuzz_target;
use url::Url;

fuzz_target!(|markup: &str| {
    let base = Url::parse("https://example.org/blog/").ok();
    if let Some(clean) = sanitize(markup, base.as_ref()) {
        let lower = clean.to_ascii_lowercase();
        for tag in ["<script", "<style", "<svg", "<math", "<iframe", "<object", "<embed", "<form", "<link", "<meta", "<base"] {
            assert!(!lower.contains(tag), "{clean}");
        }
        for value in [" href=\"", " src=\"", " cite=\""] {
            for rest in lower.split(value).skip(1) {
                assert!(["http:", "https:", "mailto:"].iter().any(|scheme| rest.starts_with(scheme)), "{clean}");
            }
        }
        assert_eq!(sanitize(&clean, None).unwrap_or_default(), clean);
    }
});
