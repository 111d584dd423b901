//! Errors of fetching a source. The message contains what failed, why, and what to do next, but no header and no query.

use std::net::IpAddr;
use std::time::Duration;

use aha_content::feed::ParseError;
use aha_core::fetch::FetchErrorKind;
use aha_net::address::ResolveFailure;
use url::Url;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    #[error("'{url}' cannot be fetched: {reason}; give a full http:// or https:// address")]
    BadUrl { url: String, reason: String },
    #[error("'{name}' names no source; it expects {expected}")]
    BadName { name: String, expected: &'static str },
    #[error(
        "{host} is at {address}, inside a private, local or reserved network, and was not asked; if it is yours, set AHA_FETCH_ALLOW={host}"
    )]
    RefusedAddress { host: String, address: String },
    #[error(
        "{from} redirects to {host}, which is at {address}, inside a private, local or reserved network, and was not asked; set AHA_FETCH_ALLOW={host} only if both are yours"
    )]
    RefusedRedirect { from: String, host: String, address: String },
    #[error("the name {host} could not be resolved ({reason}); check the spelling and your DNS")]
    Dns { host: String, reason: String },
    #[error("no connection to {host} ({reason}); the next run tries again")]
    Connect { host: String, reason: String },
    #[error("no connection to {host} (no answer within {seconds} s); the next run tries again")]
    ConnectTimeout { host: String, seconds: u64 },
    #[error("no secure connection to {host} ({reason}); its operator has to fix the certificate")]
    Tls { host: String, reason: String },
    #[error("{host} took longer than {seconds} s in all; the next run tries again")]
    Timeout { host: String, seconds: u64 },
    #[error("{host} stopped sending for {seconds} s; the next run tries again")]
    Stalled { host: String, seconds: u64 },
    /// Not sent, because earlier requests of the same run were not answered in time.
    #[error("{host} left {timeouts} requests in a row unanswered, so this one was not sent; the next run tries again")]
    HostSilent { host: String, timeouts: usize },
    /// Not sent, because the host had asked for no request for a while.
    #[error("{host} had asked for fewer requests; this one was not sent and is tried after {} s", wait.as_secs())]
    HostLimited { host: String, wait: Duration },
    #[error("the answer of {host} broke off ({reason}); the next run tries again")]
    Interrupted { host: String, reason: String },
    #[error("{what} is larger than {limit_bytes} bytes after decompression; look for a shorter feed of this source")]
    TooLarge { what: String, limit_bytes: usize },
    #[error("{url} redirects in a circle or more than {limit} times; give the feed's final address")]
    RedirectLoop { url: String, limit: usize },
    #[error("{url} redirects to an address that cannot be followed ({reason}); give the feed's final address")]
    BadRedirect { url: String, reason: String },
    #[error("{url} answered {status}; {}", advice(*.status))]
    Http { url: String, status: u16 },
    #[error("{url} is gone for good (410); remove the source or look for its new address")]
    Gone { url: String },
    #[error("{host} asks for fewer requests ({status}){}", later(*.retry_after))]
    RateLimited { host: String, status: u16, retry_after: Option<Duration> },
    #[error("{host} has a fault of its own ({status}){}", later(*.retry_after))]
    ServerError { host: String, status: u16, retry_after: Option<Duration> },
    #[error("this is {found}, not a feed; look for the address of its RSS, Atom or JSON feed")]
    NotAFeed { found: String },
    #[error("{page} is a page: {why}; look for the address of its RSS, Atom or JSON feed")]
    NoFeed { page: String, why: String },
    #[error("the feed cannot be read even after repair ({reason}); tell its publisher")]
    Unparseable { reason: String },
    #[error("the robots.txt of its host asks not to read {url}")]
    Disallowed { url: String },
    /// A search that is disabled; `kind` is the reason.
    #[error("{reason}")]
    Search { kind: FetchErrorKind, status: Option<u16>, reason: String },
    #[error("{path} cannot be read: {reason}")]
    File { path: String, reason: String },
}

impl FetchError {
    /// The kind of failure.
    #[must_use]
    pub const fn kind(&self) -> FetchErrorKind {
        match self {
            Self::BadUrl { .. } | Self::BadName { .. } => FetchErrorKind::BadUrl,
            Self::RefusedAddress { .. } | Self::RefusedRedirect { .. } => FetchErrorKind::RefusedAddress,
            Self::Dns { .. } => FetchErrorKind::Dns,
            Self::Connect { .. } | Self::ConnectTimeout { .. } => FetchErrorKind::Connect,
            Self::Tls { .. } => FetchErrorKind::Tls,
            Self::Timeout { .. } => FetchErrorKind::Timeout,
            Self::Stalled { .. } => FetchErrorKind::Stalled,
            Self::HostSilent { .. } => FetchErrorKind::HostSilent,
            Self::Interrupted { .. } => FetchErrorKind::Interrupted,
            Self::TooLarge { .. } => FetchErrorKind::TooLarge,
            Self::RedirectLoop { .. } => FetchErrorKind::RedirectLoop,
            Self::BadRedirect { .. } => FetchErrorKind::BadRedirect,
            Self::Http { status, .. } => http_kind(*status),
            Self::Gone { .. } => FetchErrorKind::Gone,
            Self::RateLimited { .. } | Self::HostLimited { .. } => FetchErrorKind::RateLimited,
            Self::ServerError { .. } => FetchErrorKind::ServerError,
            Self::NotAFeed { .. } | Self::NoFeed { .. } => FetchErrorKind::NotAFeed,
            Self::Unparseable { .. } => FetchErrorKind::Unparseable,
            Self::Disallowed { .. } => FetchErrorKind::Disallowed,
            Self::Search { kind, .. } => *kind,
            Self::File { .. } => FetchErrorKind::File,
        }
    }

    /// How long the server asks us to wait.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::ServerError { retry_after, .. } => *retry_after,
            Self::HostLimited { wait, .. } => Some(*wait),
            _ => None,
        }
    }

    /// Whether the host was asked and did not answer, or not go on, in time.
    #[must_use]
    pub const fn is_timeout(&self) -> bool {
        matches!(self, Self::Timeout { .. } | Self::Stalled { .. } | Self::ConnectTimeout { .. })
    }

    /// The host whose failure may have passed by the next run; `None` if the failure lasts.
    #[must_use]
    pub const fn temporary_at(&self) -> Option<&str> {
        match self {
            Self::Dns { host, .. }
            | Self::Connect { host, .. }
            | Self::ConnectTimeout { host, .. }
            | Self::HostSilent { host, .. }
            | Self::HostLimited { host, .. }
            | Self::Timeout { host, .. }
            | Self::Stalled { host, .. }
            | Self::Interrupted { host, .. }
            | Self::RateLimited { host, .. }
            | Self::ServerError { host, .. } => Some(host.as_str()),
            _ => None,
        }
    }

    /// The HTTP status of the response, if the error results from one.
    #[must_use]
    pub const fn http_status(&self) -> Option<u16> {
        match self {
            Self::Http { status, .. } | Self::ServerError { status, .. } | Self::RateLimited { status, .. } => {
                Some(*status)
            }
            Self::Search { status, .. } => *status,
            Self::Gone { .. } => Some(410),
            _ => None,
        }
    }

    /// Whether a paid service may have charged for this request: it received the request and did not refuse it.
    #[must_use]
    pub const fn may_be_charged(&self) -> bool {
        match self {
            Self::ServerError { status, .. } => matches!(*status, 502 | 504),
            Self::Search { status, .. } => status.is_none(),
            Self::Timeout { .. }
            | Self::Stalled { .. }
            | Self::Interrupted { .. }
            | Self::TooLarge { .. }
            | Self::NotAFeed { .. }
            | Self::NoFeed { .. }
            | Self::Unparseable { .. } => true,
            Self::BadUrl { .. }
            | Self::BadName { .. }
            | Self::RefusedAddress { .. }
            | Self::RefusedRedirect { .. }
            | Self::Dns { .. }
            | Self::Connect { .. }
            | Self::ConnectTimeout { .. }
            | Self::HostSilent { .. }
            | Self::HostLimited { .. }
            | Self::Tls { .. }
            | Self::RedirectLoop { .. }
            | Self::BadRedirect { .. }
            | Self::Http { .. }
            | Self::Gone { .. }
            | Self::RateLimited { .. }
            | Self::Disallowed { .. }
            | Self::File { .. } => false,
        }
    }

    /// Replaces the address, which may contain a key, by `replacement`.
    #[must_use]
    pub fn without_address(mut self, replacement: &str) -> Self {
        match &mut self {
            Self::BadUrl { url, .. }
            | Self::RedirectLoop { url, .. }
            | Self::BadRedirect { url, .. }
            | Self::RefusedRedirect { from: url, .. }
            | Self::Http { url, .. }
            | Self::Gone { url }
            | Self::Disallowed { url }
            | Self::TooLarge { what: url, .. }
            | Self::NoFeed { page: url, .. } => replacement.clone_into(url),
            Self::BadName { .. }
            | Self::RefusedAddress { .. }
            | Self::Dns { .. }
            | Self::Connect { .. }
            | Self::ConnectTimeout { .. }
            | Self::HostSilent { .. }
            | Self::HostLimited { .. }
            | Self::Tls { .. }
            | Self::Timeout { .. }
            | Self::Stalled { .. }
            | Self::Interrupted { .. }
            | Self::RateLimited { .. }
            | Self::ServerError { .. }
            | Self::NotAFeed { .. }
            | Self::Unparseable { .. }
            | Self::Search { .. }
            | Self::File { .. } => {}
        }
        self
    }

    pub(crate) fn refused(host: &str, address: IpAddr) -> Self {
        Self::RefusedAddress { host: host.to_owned(), address: address.to_string() }
    }
}

impl From<ParseError> for FetchError {
    fn from(error: ParseError) -> Self {
        match error {
            ParseError::NotAFeed { found } => Self::NotAFeed { found },
            ParseError::Unparseable { reason } => Self::Unparseable { reason },
        }
    }
}

impl From<ResolveFailure> for FetchError {
    fn from(failure: ResolveFailure) -> Self {
        match failure {
            ResolveFailure::Refused { host, address } => Self::refused(&host, address),
            ResolveFailure::Unknown { host, reason } => Self::Dns { host, reason },
        }
    }
}

const fn http_kind(status: u16) -> FetchErrorKind {
    match status {
        400 => FetchErrorKind::Http400,
        401 => FetchErrorKind::Http401,
        402 => FetchErrorKind::Http402,
        403 => FetchErrorKind::Http403,
        404 => FetchErrorKind::Http404,
        405 => FetchErrorKind::Http405,
        406 => FetchErrorKind::Http406,
        451 => FetchErrorKind::Http451,
        407..=450 | 452..=499 => FetchErrorKind::Http4xx,
        _ => FetchErrorKind::HttpOther,
    }
}

const fn advice(status: u16) -> &'static str {
    match status {
        401..=403 => "it expects a login or shuts out programs",
        404 => "the feed has moved or never was there: look for its new address",
        _ => "check the address in a browser",
    }
}

fn later(retry_after: Option<Duration>) -> String {
    retry_after.map_or_else(
        || "; the next run tries again".to_owned(),
        |wait| format!("; it will be asked again after {} s", wait.as_secs()),
    )
}

/// Returns the address of a source for logs: a URL as by [`shown`], and everything else (`hn:top`, a file, a search) as
/// it is.
#[must_use]
pub fn shown_address(address: &str) -> String {
    let url = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    url.map_or_else(|| address.to_owned(), |url| shown(&url))
}

/// Returns a URL for messages and logs, without its query, which may contain a key.
#[must_use]
pub fn shown(url: &Url) -> String {
    let mut bare = url.clone();
    bare.set_query(None);
    bare.set_fragment(None);
    // Fails only for URLs that cannot have credentials.
    let _ = bare.set_password(None);
    let _ = bare.set_username("");
    format!("{bare}{}", if url.query().is_some() { "?…" } else { "" })
}
