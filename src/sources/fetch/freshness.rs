//! How long to wait before the next request, from the server's headers and the feed itself. Used by the fetcher and the
//! connectors.

use std::time::Duration;

use aha_core::time::Timestamp;
use reqwest::header::HeaderMap;

use super::hop::{header_text, http_date, used_up};

/// A feed that declares its caching time does so near its beginning, before its first item.
const HEAD_BYTES: usize = 64 * 1024;

/// What a response declares about the next request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Freshness {
    /// How long nothing new is to be expected (`Cache-Control`, `Expires`, the feed's `ttl` or `sy:updatePeriod`).
    pub fresh_for: Option<Duration>,
    /// How long no further request is allowed (`x-ratelimit-remaining`, `x-ratelimit-reset`).
    pub limited_for: Option<Duration>,
}

impl Freshness {
    /// Reads the headers. `now` is used if the server does not send its own time.
    pub(super) fn of(headers: &HeaderMap, now: Timestamp) -> Self {
        Self { fresh_for: max_age(headers).or_else(|| expires(headers, now)), limited_for: used_up(headers) }
    }

    /// Includes the time declared in the body, if that is longer.
    #[must_use]
    pub(in crate::sources) fn with_body(self, bytes: &[u8]) -> Self {
        Self { fresh_for: self.fresh_for.max(ttl(bytes)), ..self }
    }
}

fn max_age(headers: &HeaderMap) -> Option<Duration> {
    let control = header_text(headers, "cache-control")?.to_ascii_lowercase();
    let mut directives = control.split(',').map(str::trim);
    if directives.clone().any(|directive| matches!(directive, "no-cache" | "no-store")) {
        return Some(Duration::ZERO);
    }
    let seconds: u64 = directives.find_map(|d| d.strip_prefix("max-age="))?.trim_matches('"').parse().ok()?;
    let age = header_text(headers, "age").and_then(|age| age.parse().ok()).unwrap_or(0);
    Some(Duration::from_secs(seconds.saturating_sub(age)))
}

fn expires(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let until = http_date(&header_text(headers, "expires")?)?;
    let now = header_text(headers, "date").as_deref().and_then(http_date).unwrap_or_else(|| now.as_millis());
    Some(Duration::from_millis(u64::try_from(until.saturating_sub(now)).unwrap_or(0)))
}

/// Returns `<ttl>` in minutes, or a period of the syndication module, if the document has one before its first item.
fn ttl(bytes: &[u8]) -> Option<Duration> {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    let first_item = head.windows(6).position(|start| start.starts_with(b"<item") || start == b"<entry");
    let head = String::from_utf8_lossy(&head[..first_item.unwrap_or(head.len())]);
    let value = |name: &str| {
        let (_, rest) = head.split_once(&format!("<{name}>"))?;
        Some(rest.split_once('<')?.0.trim())
    };
    if let Some(minutes) = value("ttl").and_then(|text| text.parse::<u64>().ok()) {
        return Some(Duration::from_secs(minutes.min(60 * 24 * 365) * 60));
    }
    let hours = match value("sy:updatePeriod")? {
        "hourly" => 1,
        "daily" => 24,
        "weekly" => 24 * 7,
        "monthly" => 24 * 30,
        "yearly" => 24 * 365,
        _ => return None,
    };
    let times: u32 = value("sy:updateFrequency").and_then(|text| text.parse().ok()).filter(|n| *n > 0).unwrap_or(1);
    Some(Duration::from_hours(hours) / times)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use aha_core::time::Timestamp;
    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

    use super::{Freshness, ttl};

    fn of(headers: &[(&'static str, &'static str)]) -> (Option<u64>, Option<u64>) {
        let headers: HeaderMap =
            headers.iter().map(|(n, v)| (HeaderName::from_static(n), HeaderValue::from_static(v))).collect();
        // 2026-11-18T06:00:00Z.
        let found = Freshness::of(&headers, Timestamp::from_millis(1_794_981_600_000));
        (found.fresh_for.map(|d| d.as_secs()), found.limited_for.map(|d| d.as_secs()))
    }

    #[test]
    fn headers_determine_the_next_request() {
        let day = "Wed, 18 Nov 2026 07:00:00 GMT";
        assert_eq!(of(&[("cache-control", "public, max-age=600")]), (Some(600), None));
        assert_eq!(of(&[("cache-control", "Max-Age=\"600\""), ("age", "90")]), (Some(510), None));
        assert_eq!(of(&[("cache-control", "no-cache, max-age=600"), ("expires", day)]), (Some(0), None));
        assert_eq!(of(&[("expires", day)]), (Some(3600), None), "by our clock");
        assert_eq!(of(&[("expires", day), ("date", "Wed, 18 Nov 2026 06:59:00 GMT")]), (Some(60), None));
        assert_eq!(of(&[("expires", "0")]), (None, None));
        assert_eq!(of(&[("cache-control", "max-age=many")]), (None, None));
        assert_eq!(of(&[("x-ratelimit-remaining", "0.0"), ("x-ratelimit-reset", "240")]), (None, Some(240)));
        assert_eq!(of(&[("x-ratelimit-remaining", "58.0"), ("x-ratelimit-reset", "240")]), (None, None));
        assert_eq!(of(&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1794981600")]), (None, None));
    }

    #[test]
    fn a_feed_declares_its_freshness() {
        let minutes = |text: &str| ttl(text.as_bytes()).map(|d| d.as_secs() / 60);
        assert_eq!(minutes("<rss><channel><ttl> 90 </ttl><item/>"), Some(90));
        assert_eq!(minutes("<rss><channel><item><ttl>90</ttl></item>"), None, "an item's is not the feed's");
        assert_eq!(
            minutes("<sy:updatePeriod>hourly</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>"),
            Some(15)
        );
        assert_eq!(
            minutes("<sy:updatePeriod> daily\n</sy:updatePeriod><sy:updateFrequency>0</sy:updateFrequency>"),
            Some(24 * 60)
        );
        assert_eq!(minutes("<ttl>-3</ttl>"), None);
        let body = Freshness { fresh_for: Some(Duration::from_mins(1)), limited_for: None }.with_body(b"<ttl>5</ttl>");
        assert_eq!(body.fresh_for, Some(Duration::from_mins(5)));
    }
}
