//! How fetches of sources end: the kinds of failures, and the outcome of a source in a run. Stored in `fetch_runs`,
//! `sources` and digests by their names.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A name that this version does not know.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("this version knows no kind of failure {0:?}; use the newer aha-radar that wrote it")]
pub struct UnknownKind(String);

/// Defines [`FetchErrorKind`] with each variant's name, as stored and shown.
macro_rules! error_kinds {
    ($($(#[$comment:meta])* $kind:ident = $name:literal,)+) => {
        /// The kind of failure of a fetch.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "&'static str")]
        pub enum FetchErrorKind {
            $($(#[$comment])* $kind,)+
        }

        impl FetchErrorKind {
            pub const ALL: &[Self] = &[$(Self::$kind),+];

            /// Returns the name, as stored and shown.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)+
                }
            }
        }
    };
}

error_kinds! {
    BadUrl = "bad_url",
    RefusedAddress = "refused_address",
    Dns = "dns",
    Connect = "connect",
    Tls = "tls",
    Timeout = "timeout",
    Stalled = "stalled",
    /// Not asked, because its host did not answer other requests of the run.
    HostSilent = "host_silent",
    Interrupted = "interrupted",
    TooLarge = "too_large",
    RedirectLoop = "redirect_loop",
    BadRedirect = "bad_redirect",
    Http400 = "http_400",
    Http401 = "http_401",
    Http402 = "http_402",
    Http403 = "http_403",
    Http404 = "http_404",
    Http405 = "http_405",
    Http406 = "http_406",
    Http451 = "http_451",
    /// Another status from 407 to 499.
    Http4xx = "http_4xx",
    HttpOther = "http_other",
    /// The server returned 410.
    Gone = "gone",
    RateLimited = "rate_limited",
    ServerError = "server_error",
    NotAFeed = "not_a_feed",
    Unparseable = "unparseable",
    /// The host's `robots.txt` disallows it.
    Disallowed = "disallowed",
    File = "file",
    /// A search without a service.
    NoSearch = "no_search",
    /// A search without a model that reads its results.
    NoModel = "no_model",
    NoBudget = "no_budget",
    /// A search that was not made, because its service is not called at present.
    NotSent = "not_sent",
    SearchKey = "search_key",
    SearchCredits = "search_credits",
    SearchFailed = "search_failed",
    /// The model's answers about the results of a search could not be used.
    SignalParse = "signal_parse",
    /// In rows of early versions: a source that they could not read.
    UnknownKind = "unknown_kind",
}

impl FetchErrorKind {
    /// Whether the host may not have answered, or not completely, in time.
    #[must_use]
    pub const fn may_be_timeout(self) -> bool {
        matches!(self, Self::Timeout | Self::Stalled | Self::Connect)
    }
}

impl FromStr for FetchErrorKind {
    type Err = UnknownKind;

    fn from_str(name: &str) -> Result<Self, UnknownKind> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name).ok_or_else(|| UnknownKind(name.to_owned()))
    }
}

impl TryFrom<String> for FetchErrorKind {
    type Error = UnknownKind;

    fn try_from(name: String) -> Result<Self, UnknownKind> {
        name.parse()
    }
}

impl From<FetchErrorKind> for &'static str {
    fn from(kind: FetchErrorKind) -> Self {
        kind.as_str()
    }
}

/// The outcome of a source in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum SourceStatus {
    /// Read, or not due.
    Ok,
    /// The server had asked for no request at this time.
    Waiting,
    /// Not due; its last fetch failed, and no reason is stored.
    Failing,
    Failed(FetchErrorKind),
}

impl SourceStatus {
    /// Returns `ok`, `waiting`, `failing` or the name of the kind of failure.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Waiting => "waiting",
            Self::Failing => "failing",
            Self::Failed(kind) => kind.as_str(),
        }
    }

    /// Whether it could not be read, other than at the server's request.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        match self {
            Self::Ok | Self::Waiting => false,
            Self::Failing | Self::Failed(_) => true,
        }
    }
}

impl FromStr for SourceStatus {
    type Err = UnknownKind;

    fn from_str(name: &str) -> Result<Self, UnknownKind> {
        match name {
            "ok" => Ok(Self::Ok),
            "waiting" => Ok(Self::Waiting),
            "failing" => Ok(Self::Failing),
            kind => kind.parse().map(Self::Failed),
        }
    }
}

impl TryFrom<String> for SourceStatus {
    type Error = UnknownKind;

    fn try_from(name: String) -> Result<Self, UnknownKind> {
        name.parse()
    }
}

impl From<SourceStatus> for &'static str {
    fn from(status: SourceStatus) -> Self {
        status.as_str()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_value};

    use super::{FetchErrorKind, SourceStatus};

    #[test]
    fn a_kind_and_a_status_are_stored_and_read_by_the_same_name() {
        for kind in FetchErrorKind::ALL.iter().copied() {
            assert_eq!(to_value(kind).unwrap(), kind.as_str());
            assert_eq!(from_value::<FetchErrorKind>(json!(kind.as_str())).unwrap(), kind);
            assert_eq!(from_value::<SourceStatus>(json!(kind.as_str())).unwrap(), SourceStatus::Failed(kind));
        }
        for status in [SourceStatus::Ok, SourceStatus::Waiting, SourceStatus::Failing] {
            assert_eq!(from_value::<SourceStatus>(to_value(status).unwrap()).unwrap(), status);
        }
    }

    #[test]
    fn an_unknown_name_is_an_error_that_names_it() {
        for error in [
            from_value::<FetchErrorKind>(json!("eaten")).unwrap_err(),
            from_value::<SourceStatus>(json!("eaten")).unwrap_err(),
        ] {
            assert!(error.to_string().contains("\"eaten\"; use the newer aha-radar"), "{error}");
        }
    }
}
