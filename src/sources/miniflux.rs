//! Imports subscriptions and marks of a Miniflux server over its REST API. Input: its address and a token. Output:
//! sources and marked entries. Called by `source import-miniflux`. Its responses are untrusted, like any feed.

use aha_content::fold::fold_line;
use aha_content::html::{clean_line, html_to_text};
use aha_core::source::NewSource;
use aha_core::time::Timestamp;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::Url;

use super::fetch::{FetchError, Fetcher, Request, Response, shown};
use super::http::elements;
use super::location::location_from_list;
use super::sites::Sites;

/// Entries per response: each includes its whole content.
const PAGE: usize = 100;
/// Maximum number of starred entries read, newest first.
pub const MAX_ENTRIES: usize = 5_000;
/// Maximum length of a category name; it becomes a topic name, which is used for folders.
const MAX_NAME_CHARS: usize = 100;

/// The server's address and API token.
#[derive(Debug, Clone)]
pub struct Miniflux {
    base: Url,
    token: SecretString,
}

/// The server's subscriptions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Subscriptions {
    pub feeds: Vec<Subscription>,
    /// The feeds that cannot be used, each with the reason.
    pub unusable: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Subscription {
    /// Its id on the server.
    pub id: i64,
    /// Full text is enabled if the server fetches its pages.
    pub source: NewSource,
    pub category: Option<String>,
}

/// Which entries to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Starred,
    Read,
}

/// A marked entry, with the properties that are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    pub feed: i64,
    pub url: String,
    pub title: String,
    pub text: String,
    pub author: Option<String>,
    /// When it was marked, or last changed for another reason.
    pub at: Option<Timestamp>,
}

#[derive(Deserialize)]
struct Feed {
    id: i64,
    #[serde(rename = "feed_url")]
    url: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    disabled: bool,
    #[serde(default)]
    crawler: bool,
    category: Option<Category>,
}

#[derive(Deserialize)]
struct Category {
    title: String,
}

#[derive(Deserialize)]
struct Entry {
    feed_id: i64,
    #[serde(default)]
    url: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    author: String,
    #[serde(default)]
    content: String,
    changed_at: Option<String>,
    published_at: Option<String>,
}

impl Miniflux {
    /// Creates a client.
    ///
    /// # Errors
    /// `bad_url` for an invalid address.
    pub fn at(address: &str, token: SecretString) -> Result<Self, FetchError> {
        let bad = |reason: &str| FetchError::BadUrl { url: address.to_owned(), reason: reason.to_owned() };
        let address = address.trim().trim_end_matches('/').trim_end_matches("/v1");
        let mut base = Url::parse(&format!("{address}/")).map_err(|error| bad(&error.to_string()))?;
        base.set_query(None);
        base.set_fragment(None);
        Ok(Self { base, token })
    }

    /// Reads all feeds except those disabled on the server.
    ///
    /// # Errors
    /// When the server cannot be read.
    pub async fn subscriptions(&self, fetcher: &Fetcher, sites: &Sites) -> Result<Subscriptions, FetchError> {
        let (feeds, lost): (Vec<Feed>, usize) = self.read(fetcher, "v1/feeds", &[], "").await?;
        let mut found = Subscriptions::default();
        for feed in feeds {
            let name = clean_line(&feed.title);
            if feed.disabled {
                found.unusable.push(format!("the feed '{name}' is switched off there"));
                continue;
            }
            match location_from_list(&fold_line(&feed.url), sites) {
                Ok(place) => found.feeds.push(Subscription {
                    id: feed.id,
                    source: NewSource {
                        kind: place.kind,
                        url: place.url,
                        title: Some(name).filter(|name| !name.is_empty()),
                        full_text: feed.crawler,
                        ..NewSource::default()
                    },
                    category: feed.category.and_then(|category| name_of(&category.title)),
                }),
                Err(error) => found.unusable.push(format!("the feed '{name}' cannot be used: {error}")),
            }
        }
        if lost > 0 {
            found.unusable.push(format!("{lost} feeds cannot be read"));
        }
        Ok(found)
    }

    /// Reads the entries with this mark, last changed first, at most `max`.
    ///
    /// # Errors
    /// When the server cannot be read.
    pub async fn marked(&self, fetcher: &Fetcher, mark: Mark, max: usize) -> Result<Vec<Marked>, FetchError> {
        let mut found = Vec::new();
        let filter = match mark {
            Mark::Starred => ("starred", "true"),
            Mark::Read => ("status", "read"),
        };
        // The number of pages is bounded, so that unreadable entries cannot cause an endless loop.
        for page in 0..max.div_ceil(PAGE) {
            let (limit, offset) = (PAGE.min(max - page * PAGE).to_string(), (page * PAGE).to_string());
            let parameters =
                [filter, ("order", "changed_at"), ("direction", "desc"), ("limit", &limit), ("offset", &offset)];
            let (entries, lost): (Vec<Entry>, usize) =
                self.read(fetcher, "v1/entries", &parameters, "/entries").await?;
            let given = entries.len() + lost;
            found.extend(entries.into_iter().take(PAGE).map(marked));
            if given < PAGE {
                break;
            }
        }
        found.truncate(max);
        Ok(found)
    }

    async fn read<T: DeserializeOwned>(
        &self,
        fetcher: &Fetcher,
        endpoint: &str,
        parameters: &[(&str, &str)],
        list: &str,
    ) -> Result<(Vec<T>, usize), FetchError> {
        let mut url = self
            .base
            .join(endpoint)
            .map_err(|error| FetchError::BadUrl { url: shown(&self.base), reason: error.to_string() })?;
        if !parameters.is_empty() {
            url.query_pairs_mut().extend_pairs(parameters);
        }
        let request = Request::to(url).secret_header("x-auth-token", self.token.expose_secret());
        match fetcher.send_request(&request).await {
            Ok(Response::Body { bytes, .. }) => elements(&bytes, list),
            Ok(Response::NotModified { .. }) => {
                Err(FetchError::NotAFeed { found: "an answer without a body".to_owned() })
            }
            Err(FetchError::Http { status: 401, url }) => {
                let reason = "it refuses the token; check AHA_MINIFLUX_TOKEN".to_owned();
                Err(FetchError::BadUrl { url, reason })
            }
            Err(error) => Err(error),
        }
    }
}

fn marked(entry: Entry) -> Marked {
    let at = entry.changed_at.or(entry.published_at);
    Marked {
        feed: entry.feed_id,
        url: fold_line(&entry.url),
        title: clean_line(&entry.title),
        text: html_to_text(&entry.content),
        author: Some(clean_line(&entry.author)).filter(|author| !author.is_empty()),
        at: at.and_then(|text| Timestamp::parse_rfc3339(&text).ok()),
    }
}

/// Returns a topic's name; `None` if it is empty after cleaning.
fn name_of(title: &str) -> Option<String> {
    let name: String = clean_line(title).chars().take(MAX_NAME_CHARS).collect();
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}
