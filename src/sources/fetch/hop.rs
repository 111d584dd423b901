//! One request and its response: headers to send, reading the body, classification of failures. Only called by the
//! fetcher.

use std::error::Error;
use std::time::{Duration, SystemTime};

use aha_core::clock::Clock;
use aha_core::source::Validators;
use aha_net::address::ResolveFailure;
use chrono::DateTime;
use futures::StreamExt;
use reqwest::header::{HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LOCATION};
use url::Url;

use super::FetchConfig;
use super::error::{FetchError, shown};

pub(super) const ACCEPT_FEED: &str = "application/rss+xml, application/atom+xml, application/feed+json, \
                                      application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5";
/// Names no JSON: sites that take part in a federated network answer it with a document for other servers.
pub(super) const ACCEPT_PAGE: &str = "text/html, application/xhtml+xml;q=0.9, */*;q=0.5";

/// Maximum waiting time, whatever a header requests.
pub const MAX_RETRY_AFTER: Duration = Duration::from_hours(7 * 24);

/// A longer validator is not kept: sent back, it could make a request that servers refuse for its length.
const MAX_VALIDATOR_BYTES: usize = 1_024;

/// Returns the conditional headers if the validators belong to exactly this URL.
pub(super) fn conditions(url: &Url, validators: &Validators) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if validators.url.as_deref() != Some(url.as_str()) {
        return headers;
    }
    for (name, value) in [(IF_NONE_MATCH, &validators.etag), (IF_MODIFIED_SINCE, &validators.last_modified)] {
        let value = value.as_deref().filter(|value| value.len() <= MAX_VALIDATOR_BYTES);
        if let Some(value) = value.and_then(|v| HeaderValue::from_bytes(v.as_bytes()).ok()) {
            headers.insert(name, value);
        }
    }
    headers
}

/// Reads the body, decompressed, up to the cap.
pub(super) async fn body(response: reqwest::Response, url: &Url, config: &FetchConfig) -> Result<Vec<u8>, FetchError> {
    let limit = config.max_body_bytes;
    let too_large = || FetchError::TooLarge { what: shown(url), limit_bytes: limit };
    let announced = response.content_length().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    if announced > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(announced);
    let mut stream = response.bytes_stream();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|error| classify(&error, url, config))?;
        if bytes.len() + chunk.len() > limit {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// Returns the error for a response that is neither a body nor a redirect.
pub(super) fn refusal(url: &Url, status: u16, headers: &HeaderMap) -> FetchError {
    let host = host_of(url);
    match status {
        410 => FetchError::Gone { url: shown(url) },
        429 => FetchError::RateLimited { host, status, retry_after: retry_after(headers).or_else(|| used_up(headers)) },
        403 if let Some(wait) = used_up(headers) => {
            FetchError::RateLimited { host, status, retry_after: Some(wait.min(MAX_RETRY_AFTER)) }
        }
        500..=599 => FetchError::ServerError { host, status, retry_after: retry_after(headers) },
        _ => FetchError::Http { url: shown(url), status },
    }
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let now = SystemTime::from(Clock::system().wall().to_utc());
    Some(aha_net::retry_after::retry_after(headers, now)?.min(MAX_RETRY_AFTER))
}

/// Returns the error for a failed request or an interrupted body.
pub(super) fn classify(error: &reqwest::Error, url: &Url, config: &FetchConfig) -> FetchError {
    let host = host_of(url);
    if let Some(failure) = causes(error).find_map(|cause| cause.downcast_ref::<ResolveFailure>()) {
        return failure.clone().into();
    }
    if error.is_timeout() {
        return if error.is_connect() {
            FetchError::ConnectTimeout { host, seconds: config.connect_timeout.as_secs() }
        } else {
            FetchError::Stalled { host, seconds: config.idle_timeout.as_secs() }
        };
    }
    let reason = root_cause(error);
    let tls_words = ["certificate", "TLS", "tls", "handshake", "UnknownIssuer", "peer is incompatible"];
    if error.is_connect() && tls_words.iter().any(|word| reason.contains(word)) {
        FetchError::Tls { host, reason }
    } else if error.is_connect() {
        FetchError::Connect { host, reason }
    } else {
        FetchError::Interrupted { host, reason }
    }
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |cause| Error::source(*cause))
}

/// Returns the innermost cause: it is the most specific, and contains neither URL nor header.
pub(super) fn root_cause(error: &reqwest::Error) -> String {
    causes(error).last().map_or_else(|| "unknown cause".to_owned(), ToString::to_string)
}

fn host_of(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}

/// Returns how long no request is allowed, if the last one has used up the limit.
pub(super) fn used_up(headers: &HeaderMap) -> Option<Duration> {
    let number =
        |name| header_text(headers, name)?.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    let remaining = number("x-ratelimit-remaining")?;
    let reset = number("x-ratelimit-reset")?;
    // Some servers send the remaining seconds, others seconds since 1970, which is not a duration.
    (remaining < 1.0 && reset <= 24.0 * 3600.0).then(|| Duration::from_secs_f64(reset))
}

/// Returns a header as trimmed text; `None` if it is missing, empty or not UTF-8.
pub(super) fn header_text(headers: &HeaderMap, name: &str) -> Option<String> {
    let value = std::str::from_utf8(headers.get(name)?.as_bytes()).ok()?.trim();
    (!value.is_empty()).then(|| value.to_owned())
}

/// Returns a header by which the next request can be made conditional.
pub(super) fn validator(headers: &HeaderMap, name: &str) -> Option<String> {
    header_text(headers, name).filter(|value| value.len() <= MAX_VALIDATOR_BYTES)
}

/// Returns the address in a `Location` header. Bytes that are not UTF-8 are escaped one by one, as browsers do, because
/// the server knows its paths by these bytes.
pub(super) fn location(headers: &HeaderMap) -> Option<String> {
    let bytes = headers.get(LOCATION)?.as_bytes();
    let escaped = |byte: &u8| if byte.is_ascii() { char::from(*byte).to_string() } else { format!("%{byte:02X}") };
    Some(std::str::from_utf8(bytes).map_or_else(|_| bytes.iter().map(escaped).collect(), str::to_owned))
}

/// Parses an HTTP date; returns milliseconds since the epoch.
pub(super) fn http_date(value: &str) -> Option<i64> {
    DateTime::parse_from_rfc2822(value).ok().map(|date| date.timestamp_millis())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use reqwest::header::{ETAG, HeaderMap, HeaderValue, LOCATION, RETRY_AFTER};

    use super::{MAX_RETRY_AFTER, location, retry_after, validator};

    #[test]
    fn a_redirect_keeps_the_bytes_of_its_path() {
        let read = |bytes: &[u8]| {
            let headers = HeaderMap::from_iter([(LOCATION, HeaderValue::from_bytes(bytes).unwrap())]);
            location(&headers).unwrap()
        };
        assert_eq!(read(b"/caf\xE9?a=b"), "/caf%E9?a=b");
        assert_eq!(read("/café".as_bytes()), "/café");
        assert_eq!(location(&HeaderMap::new()), None);
    }

    #[test]
    fn a_wait_is_a_week_at_most() {
        let wait =
            |value: &'static str| retry_after(&HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static(value))]));
        assert_eq!(wait("120"), Some(Duration::from_mins(2)));
        assert_eq!(wait("99999999999999999999"), Some(MAX_RETRY_AFTER));
        assert_eq!((wait("soon"), wait("-1")), (None, None));
    }

    #[test]
    fn a_validator_without_end_is_not_kept() {
        let of_length = |length: usize| {
            let value = HeaderValue::from_str(&"e".repeat(length)).unwrap();
            validator(&HeaderMap::from_iter([(ETAG, value)]), "etag").map(|etag| etag.len())
        };
        assert_eq!((of_length(40), of_length(20_000)), (Some(40), None));
    }
}
