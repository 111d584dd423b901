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
        for tag in lower.split('<').skip(1).filter_map(|tag| tag.split('>').next()) {
            // Names, each with the value behind it.
            let mut parts = tag.split('"');
            while let (Some(name), Some(value)) = (parts.next(), parts.next()) {
                if [" href=", " src=", " cite="].iter().any(|address| name.ends_with(address)) {
                    assert!(["http:", "https:", "mailto:"].iter().any(|scheme| value.starts_with(scheme)), "{clean}");
                }
            }
        }
        assert_eq!(sanitize(&clean, None).unwrap_or_default(), clean);
    }
});
