//! The wait that a server requests in `Retry-After`.

use std::time::{Duration, SystemTime};

use chrono::DateTime;
use reqwest::header::{AsHeaderName, DATE, HeaderMap, RETRY_AFTER};

/// Returns the wait, given in seconds or as a date, not bounded: the caller knows how long it can wait. A date is
/// compared with the server's own time if it sends one, else with `now`. A number of seconds too large for a duration
/// is the longest one. `None` if the header is missing, or is neither a number from 0 on nor a date.
#[must_use]
pub fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let value = text(headers, RETRY_AFTER)?;
    if let Ok(seconds) = value.parse::<f64>() {
        return (seconds >= 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    }
    let until = http_date(value)?;
    let now = text(headers, DATE).and_then(http_date).unwrap_or(now);
    Some(until.duration_since(now).unwrap_or_default())
}

fn text(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&str> {
    std::str::from_utf8(headers.get(name)?.as_bytes()).ok().map(str::trim)
}

fn http_date(value: &str) -> Option<SystemTime> {
    DateTime::parse_from_rfc2822(value).ok().map(SystemTime::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_seconds_or_until_a_date_by_the_servers_clock() {
        // 2026-11-22T08:00:00Z
        let now = SystemTime::UNIX_EPOCH + Duration::from_hours(498_704);
        let wait = |value: &str, date: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, value.parse().unwrap());
            headers.extend(date.map(|date| (DATE, date.parse().unwrap())));
            retry_after(&headers, now).map(|wait| wait.as_millis())
        };
        assert_eq!(wait("120", None), Some(120_000));
        assert_eq!(wait(" 1.5 ", None), Some(1_500));
        assert_eq!(wait("99999999999999999999999", None), Some(Duration::MAX.as_millis()));
        let at = "Sun, 22 Nov 2026 08:01:00 GMT";
        assert_eq!(wait(at, None), Some(60_000));
        assert_eq!(wait(at, Some("Sun, 22 Nov 2026 08:00:50 GMT")), Some(10_000), "our clock is slow");
        assert_eq!(wait(at, Some("soon")), Some(60_000));
        assert_eq!(wait("Sun, 22 Nov 2026 07:00:00 GMT", None), Some(0));
        assert_eq!((wait("soon", None), wait("-3", None), wait("NaN", None)), (None, None, None));
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }
}
