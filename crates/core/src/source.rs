//! A source: where items come from.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use regex::Regex;
use serde::{Deserialize, Serialize, Serializer};

use super::fetch::FetchErrorKind;
use super::ids::{SourceId, TopicId};
use super::time::Timestamp;

/// How a source's last fetch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceHealth {
    /// Never fetched.
    New,
    Ok,
    /// The last fetch failed; the next run tries again.
    Failing,
    /// The server returned 410: the source is switched off and will publish nothing more.
    Gone,
}

impl SourceHealth {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Ok => "ok",
            Self::Failing => "failing",
            Self::Gone => "gone",
        }
    }
}

/// What reads a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    #[default]
    Feed,
    HackerNews,
    Reddit,
    Youtube,
    GithubReleases,
    Arxiv,
    Lobsters,
    /// A search, which costs money.
    Signal,
    /// A folder or file of the user's.
    Documents,
}

impl SourceKind {
    pub const ALL: [Self; 9] = [
        Self::Feed,
        Self::HackerNews,
        Self::Reddit,
        Self::Youtube,
        Self::GithubReleases,
        Self::Arxiv,
        Self::Lobsters,
        Self::Signal,
        Self::Documents,
    ];

    /// Whether a source of this kind can be stored by a web address. The others have a name that `source add`
    /// understands, such as `hn:top`, or are files.
    #[must_use]
    pub const fn has_web_address(self) -> bool {
        match self {
            Self::Feed | Self::Reddit | Self::Youtube | Self::GithubReleases | Self::Arxiv | Self::Lobsters => true,
            Self::HackerNews | Self::Signal | Self::Documents => false,
        }
    }

    /// Returns the name, as stored and shown.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Feed => "feed",
            Self::HackerNews => "hacker_news",
            Self::Reddit => "reddit",
            Self::Youtube => "youtube",
            Self::GithubReleases => "github_releases",
            Self::Arxiv => "arxiv",
            Self::Lobsters => "lobsters",
            Self::Signal => "signal",
            Self::Documents => "documents",
        }
    }
}

impl Display for SourceKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A source of a topic.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Source {
    pub id: SourceId,
    pub topic_id: TopicId,
    pub kind: SourceKind,
    /// `http(s)://…`, `file:///…` for a path given on the command line, or a name such as `hn:top` or `reddit:rust`.
    pub url: String,
    /// The user's name for it, otherwise the feed's own title once it is known.
    pub title: Option<String>,
    pub enabled: bool,
    /// The folders that contain it in its list, outermost first; empty if none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folder: Vec<String>,
    /// Multiplies the final score of its stories, in [0.1, 3].
    pub weight: f64,
    pub health: SourceHealth,
    pub consecutive_failures: i64,
    pub last_error_kind: Option<FetchErrorKind>,
    pub last_error: Option<String>,
    pub last_fetched_at: Option<Timestamp>,
    pub last_ok_at: Option<Timestamp>,
    #[serde(skip)]
    pub added_at: Option<Timestamp>,
    /// Do not fetch before this time (`Retry-After`).
    pub not_before: Option<Timestamp>,
    /// A scheduled run does not fetch it before this time.
    pub next_check_at: Option<Timestamp>,
    /// How often it is fetched, derived from its cadence; `None` until it has been read. In JSON in whole seconds.
    #[serde(rename = "check_interval_seconds", serialize_with = "seconds")]
    pub check_interval: Option<Duration>,
    /// Whether to read the pages that its teasers link to.
    pub full_text: bool,
    #[serde(skip)]
    pub validators: Validators,
}

fn seconds<'a, S: Serializer>(
    interval: impl IntoIterator<Item = &'a Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    interval.into_iter().next().map(Duration::as_secs).serialize(serializer)
}

impl Source {
    /// A source that has never been fetched.
    #[must_use]
    pub fn never_fetched(topic_id: TopicId, new: &NewSource) -> Self {
        Self {
            id: SourceId::of(&[&topic_id.to_string(), &new.url]),
            topic_id,
            kind: new.kind,
            url: new.url.clone(),
            title: new.title.clone(),
            enabled: true,
            folder: new.folder.clone(),
            weight: 1.0,
            health: SourceHealth::New,
            consecutive_failures: 0,
            last_error_kind: None,
            last_error: None,
            last_fetched_at: None,
            last_ok_at: None,
            added_at: None,
            not_before: None,
            next_check_at: None,
            check_interval: None,
            full_text: false,
            validators: Validators::default(),
        }
    }

    /// If its last fetch failed: the time since which it may have published items that have not been read.
    #[must_use]
    pub fn unread_since(&self) -> Option<Timestamp> {
        self.last_ok_at.or(self.added_at).filter(|_| self.consecutive_failures > 0)
    }

    /// Converts it to an entry of a source list.
    #[must_use]
    pub fn into_new_source(self) -> NewSource {
        let Self { kind, url, title, folder, weight, full_text, .. } = self;
        NewSource { kind, url, title, folder, weight: Some(weight), full_text }
    }

    /// Returns the name to show: the title, otherwise the host or path.
    #[must_use]
    pub fn display_name(&self) -> String {
        self.title.clone().filter(|t| !t.trim().is_empty()).unwrap_or_else(|| short_location(&self.url))
    }

    /// Returns whether the pattern of a rule finds the source: by its name or its address.
    #[must_use]
    pub fn is_found_by(&self, pattern: &Regex) -> bool {
        pattern.is_match(&self.display_name()) || pattern.is_match(&self.url)
    }
}

/// Validators for a conditional request. They are valid only for the URL that returned them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Validators {
    pub url: Option<String>,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
}

/// A source as requested on the command line or in a list, with the options that apply if it is new.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewSource {
    pub kind: SourceKind,
    pub url: String,
    pub title: Option<String>,
    /// The folders that contain it in a list, outermost first.
    pub folder: Vec<String>,
    pub weight: Option<f64>,
    pub full_text: bool,
}

fn short_location(url: &str) -> String {
    match url::Url::parse(url) {
        Ok(parsed) if parsed.scheme() == "file" => parsed.path().rsplit('/').next().unwrap_or(url).to_owned(),
        Ok(parsed) => parsed.host_str().unwrap_or(url).to_owned(),
        Err(_) => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::SourceKind;

    #[test]
    fn a_kind_is_stored_and_read_by_the_same_name() {
        for kind in SourceKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
            assert_eq!(serde_json::from_value::<SourceKind>(kind.as_str().into()).unwrap(), kind);
        }
        assert!(serde_json::from_value::<SourceKind>("gopher".into()).is_err());
    }
}
