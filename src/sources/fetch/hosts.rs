//! What hosts did in answer to earlier requests: which of them asked for no request for a while, and which did not
//! answer in time. Called by the fetcher around each hop, and by the ingest stage for a host's name.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use aha_net::address::host_key;
use tokio::time::Instant;
use url::Url;

/// After this many time-outs in a row, a host is not asked again in the same run.
const MAX_TIMEOUTS: usize = 3;
/// Maximum time that a host's answer to one source delays its other sources. One page that is closed for a week must
/// not keep a week's issues of all others from being read.
const MAX_HOST_WAIT: Duration = Duration::from_hours(1);
/// Above this number of hosts, those whose time is over are removed.
const REMEMBERED_HOSTS: usize = 1024;

/// Returns the host of a URL as it is remembered: with its port, unless that is the scheme's own.
#[must_use]
pub fn remembered_host(url: &Url) -> Option<String> {
    let host = host_key(url.host_str()?);
    Some(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host,
    })
}

/// Hosts that asked for no request for a while (`Retry-After`). Shared by all requests of a process.
#[derive(Debug, Default)]
pub(super) struct LimitedHosts(Mutex<HashMap<String, Instant>>);

impl LimitedHosts {
    pub(super) fn record(&self, host: &str, wait: Duration, now: Instant) {
        let until = now + wait.min(MAX_HOST_WAIT);
        let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= REMEMBERED_HOSTS {
            hosts.retain(|_, until| *until > now);
        }
        let known = hosts.entry(host.to_owned()).or_insert(until);
        *known = until.max(*known);
    }

    /// Returns how long the host is still not to be asked.
    pub(super) fn remaining(&self, host: &str, now: Instant) -> Option<Duration> {
        let until = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(host).copied()?;
        until.checked_duration_since(now).filter(|left| !left.is_zero())
    }
}

/// How many requests to each host timed out since it last answered, in one run.
#[derive(Debug, Default)]
pub(super) struct SilentHosts(Mutex<HashMap<String, usize>>);

impl SilentHosts {
    pub(super) fn answered(&self, host: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(host);
    }

    pub(super) fn timed_out(&self, host: &str) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(host.to_owned()).or_default() += 1;
    }

    /// Returns the number of time-outs if the host is not to be asked again.
    pub(super) fn given_up(&self, host: &str) -> Option<usize> {
        let timeouts = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(host).copied();
        timeouts.filter(|timeouts| *timeouts >= MAX_TIMEOUTS)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;
    use url::Url;

    use super::{LimitedHosts, MAX_HOST_WAIT, SilentHosts, remembered_host};

    #[test]
    fn a_host_is_remembered_with_a_port_of_its_own() {
        let host = |url: &str| remembered_host(&Url::parse(url).unwrap());
        for url in ["http://Example.com/a", "https://example.com:443/b", "https://example.com./"] {
            assert_eq!(host(url).as_deref(), Some("example.com"), "{url}");
        }
        assert_eq!(host("http://example.com:8080/").as_deref(), Some("example.com:8080"));
        assert_eq!(host("reddit:rust"), None);
    }

    #[test]
    fn a_silent_host_gets_no_request_until_it_answers() {
        let silent = SilentHosts::default();
        assert_eq!(silent.given_up("a"), None);
        silent.timed_out("a");
        silent.timed_out("a");
        assert_eq!(silent.given_up("a"), None);
        silent.timed_out("a");
        assert_eq!((silent.given_up("a"), silent.given_up("b")), (Some(3), None));
        silent.answered("a");
        assert_eq!(silent.given_up("a"), None);
    }

    #[test]
    fn a_limited_host_is_remembered_for_its_time_and_an_hour_at_most() {
        let (limited, now) = (LimitedHosts::default(), Instant::now());
        limited.record("a", Duration::from_mins(2), now);
        limited.record("a", Duration::from_mins(1), now);
        limited.record("b", Duration::from_hours(24 * 7), now);
        limited.record("c", Duration::ZERO, now);
        assert_eq!(limited.remaining("a", now), Some(Duration::from_mins(2)), "the longer one counts");
        assert_eq!((limited.remaining("b", now), limited.remaining("c", now)), (Some(MAX_HOST_WAIT), None));
        assert_eq!(limited.remaining("a", now + Duration::from_mins(2)), None);
    }
}
