//! Reddit: a subreddit's listing, as its public JSON or, with a key, over its API. One request at a time for all
//! subreddits. If the site reports a rate limit or refuses us (403), no request is made until the limit ends.

use std::time::Duration;

use aha_content::feed::ParsedFeed;
use aha_content::fold::fold_line;
use aha_content::html::{clean_line, decode_entities, html_to_text};
use aha_core::item::{Engagement, NewItem};
use aha_core::source::Source;
use aha_core::time::Timestamp;
use async_trait::async_trait;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use tokio::sync::Mutex;
use tokio::time::Instant;
use url::Url;

use super::feed::parsed;
use super::fetch::{FetchError, Fetcher, Request, Response};
use super::http::{elements, fetch_feed, json, problems_of};
use super::sites::Sites;
use super::{Connector, FetchResult};

/// Maximum number of posts in one fetch.
const POSTS: usize = 50;
/// The site for readers, whatever host answers the requests.
const SITE: &str = "https://www.reddit.com";
/// How long no request is made after a refusal without a time.
const REFUSED_FOR: Duration = Duration::from_mins(10);
/// How long before its expiry a token is renewed.
const TOKEN_MARGIN: Duration = Duration::from_mins(1);

/// An application's key (`REDDIT_CLIENT_ID`, `REDDIT_CLIENT_SECRET`).
#[derive(Debug, Clone)]
pub struct RedditKey {
    pub id: String,
    pub secret: SecretString,
}

/// The connector of the kind `reddit`; the source's address is `reddit:NAME`, `reddit:NAME/ORDER` or that of a feed.
#[derive(Debug)]
pub struct Reddit {
    public: String,
    api: String,
    key: Option<RedditKey>,
    /// Held while a request is under way.
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    token: Option<(SecretString, Instant)>,
    blocked_until: Option<Instant>,
}

impl Reddit {
    #[must_use]
    pub fn at(sites: &Sites, key: Option<RedditKey>) -> Self {
        Self { public: sites.reddit.clone(), api: sites.reddit_oauth.clone(), key, state: Mutex::default() }
    }

    async fn send_request(
        &self,
        source: &Source,
        fetcher: &Fetcher,
        state: &mut State,
    ) -> Result<FetchResult, FetchError> {
        let Some(name) = source.url.strip_prefix("reddit:") else {
            let request = Request::to(&source.url).if_changed(&source.validators);
            return fetch_feed(fetcher, &request, |page| parsed(&page)).await;
        };
        let (subreddit, order) = name.split_once('/').unwrap_or((name, "hot"));
        let request = match &self.key {
            Some(key) => {
                let token = self.token(key, fetcher, state).await?;
                let url = format!("{}/r/{subreddit}/{order}?limit={POSTS}&raw_json=1", self.api);
                Request::to(url).secret_header("authorization", &format!("Bearer {}", token.expose_secret()))
            }
            None => Request::to(format!("{}/r/{subreddit}/{order}.json?limit={POSTS}&raw_json=1", self.public)),
        };
        let request = request.if_changed(&source.validators);
        let subreddit = subreddit.to_owned();
        let result = fetch_feed(fetcher, &request, move |page| posts(&page.bytes, &subreddit)).await;
        if matches!(&result, Err(FetchError::Http { status: 401, .. })) {
            state.token = None;
        }
        Ok(FetchResult { moved_to: None, ..result? })
    }

    /// Returns a token for the application's key; requested about once an hour.
    async fn token(&self, key: &RedditKey, fetcher: &Fetcher, state: &mut State) -> Result<SecretString, FetchError> {
        if let Some((token, _)) = state.token.as_ref().filter(|(_, until)| *until > Instant::now()) {
            return Ok(token.clone());
        }
        let request = Request::to(format!("{}/api/v1/access_token", self.public))
            .login(&key.id, &key.secret)
            .posting("grant_type=client_credentials");
        let Response::Body { bytes, .. } = fetcher.send_request(&request).await? else {
            return Err(FetchError::NotAFeed { found: "no token".to_owned() });
        };
        let granted: Granted = json(&bytes)?;
        let lasts = Duration::from_secs(granted.expires_in.min(24 * 3600)).saturating_sub(TOKEN_MARGIN);
        let token = SecretString::from(granted.access_token);
        state.token = Some((token.clone(), Instant::now() + lasts));
        Ok(token)
    }
}

#[async_trait]
impl Connector for Reddit {
    async fn fetch(&self, source: &Source, fetcher: &Fetcher) -> Result<FetchResult, FetchError> {
        let mut state = self.state.lock().await;
        if let Some(left) = state.blocked_until.and_then(|until| until.checked_duration_since(Instant::now())) {
            return Err(FetchError::RateLimited { host: "reddit".to_owned(), status: 429, retry_after: Some(left) });
        }
        let result = self.send_request(source, fetcher, &mut state).await.map_err(as_limit);
        let wait = match &result {
            Ok(result) => result.freshness.limited_for,
            Err(FetchError::RateLimited { retry_after, .. }) => *retry_after,
            Err(_) => None,
        };
        state.blocked_until = wait.map(|wait| Instant::now() + wait);
        result
    }
}

/// Reddit answers 403 to clients that it considers bots, so this is treated as a rate limit.
fn as_limit(error: FetchError) -> FetchError {
    match error {
        FetchError::Http { status: 403, url } => {
            FetchError::RateLimited { host: host_of(&url), status: 403, retry_after: Some(REFUSED_FOR) }
        }
        FetchError::RateLimited { host, status, retry_after } => {
            FetchError::RateLimited { host, status, retry_after: Some(retry_after.unwrap_or(REFUSED_FOR)) }
        }
        other => other,
    }
}

fn host_of(url: &str) -> String {
    Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_else(|| "reddit".to_owned())
}

#[derive(Deserialize)]
struct Granted {
    access_token: String,
    expires_in: u64,
}

#[derive(Debug, Deserialize)]
struct Thing {
    data: Post,
}

#[derive(Debug, Deserialize)]
struct Post {
    /// `t3_` and the post's id.
    name: String,
    title: String,
    permalink: String,
    url: Option<String>,
    #[serde(default)]
    is_self: bool,
    selftext: Option<String>,
    selftext_html: Option<String>,
    author: Option<String>,
    score: Option<i64>,
    num_comments: Option<i64>,
    created_utc: Option<f64>,
    link_flair_text: Option<String>,
    #[serde(default)]
    stickied: bool,
}

/// Parses the posts of a listing, without those that moderators pinned to its top.
fn posts(bytes: &[u8], subreddit: &str) -> Result<ParsedFeed, FetchError> {
    let (things, lost): (Vec<Thing>, usize) = elements(bytes, "/data/children")?;
    Ok(ParsedFeed {
        title: Some(format!("r/{subreddit}")),
        link: Some(format!("{SITE}/r/{subreddit}/")),
        description: None,
        language: None,
        format: "reddit".to_owned(),
        items: things.into_iter().filter(|thing| !thing.data.stickied).filter_map(|thing| item(thing.data)).collect(),
        problems: problems_of(lost),
        left_out: None,
    })
}

fn item(post: Post) -> Option<NewItem> {
    let site = Url::parse(SITE).ok()?;
    let discussion = site.join(&post.permalink).ok().filter(|url| url.scheme() == "https")?;
    let link = post.url.filter(|_| !post.is_self).and_then(|url| site.join(&decode_entities(&url)).ok());
    let link = link.filter(|url| matches!(url.scheme(), "http" | "https")).unwrap_or_else(|| discussion.clone());
    let markup = post.selftext_html.map(|html| decode_entities_once(&html));
    let words = |text: Option<String>| text.as_deref().map(fold_line).unwrap_or_default();
    Some(NewItem {
        guid: Some(post.name),
        url: Some(link.to_string()),
        // With `raw_json` it is plain text, in which `<br>` is a word.
        title: Some(fold_line(&post.title)).filter(|title| !title.is_empty()),
        body_text: Some(markup.as_deref().map_or_else(|| words(post.selftext), html_to_text)),
        content_markup: markup,
        author: post.author.as_deref().map(clean_line).filter(|name| !name.is_empty() && name != "[deleted]"),
        published_at: post.created_utc.and_then(instant),
        categories: post
            .link_flair_text
            .as_deref()
            .map(clean_line)
            .filter(|flair| !flair.is_empty())
            .into_iter()
            .collect(),
        engagement: Engagement { score: post.score, comments: post.num_comments, views: None },
        discussion_url: Some(discussion.to_string()),
        ..NewItem::default()
    })
}

/// Without `raw_json` Reddit escapes its markup twice.
fn decode_entities_once(html: &str) -> String {
    if html.contains('<') { html.to_owned() } else { decode_entities(html).into_owned() }
}

/// Converts seconds since the epoch, given with a fraction that is always zero.
#[expect(clippy::cast_possible_truncation, reason = "seconds of a sane date; the cast saturates")]
fn instant(seconds: f64) -> Option<Timestamp> {
    let is_sane = seconds.is_finite() && seconds > 0.0 && seconds < 1e11;
    is_sane.then(|| Timestamp::from_millis((seconds * 1000.0) as i64))
}

#[cfg(test)]
mod tests {
    use super::posts;

    #[test]
    fn posts_have_scores_comments_and_their_discussion() {
        let feed = posts(include_bytes!("../../tests/data/sources/reddit_listing.json"), "rust").unwrap();
        assert_eq!((feed.title.as_deref(), feed.items.len(), feed.problems.len()), (Some("r/rust"), 3, 1));
        let link = &feed.items[0];
        assert_eq!(link.url.as_deref(), Some("https://ledger.example/arena?a=1&b=2"));
        assert_eq!(
            link.discussion_url.as_deref(),
            Some("https://www.reddit.com/r/rust/comments/1p0aaa/arenas_without_unsafe/")
        );
        assert_eq!((link.engagement.score, link.engagement.comments), (Some(312), Some(44)));
        assert_eq!((link.guid.as_deref(), link.author.as_deref()), (Some("t3_1p0aaa"), Some("harbourmaster")));
        assert_eq!(link.published_at.unwrap().to_string(), "2026-11-18T06:30:00Z");
        let own = &feed.items[1];
        assert_eq!(own.url, own.discussion_url);
        assert_eq!((own.body_text.as_deref(), own.author.as_deref()), (Some("Hello & thanks."), None));
        assert_eq!(
            feed.items[2].url.as_deref(),
            Some("https://www.reddit.com/r/boats/comments/1p0ddd/x/"),
            "a cross-post"
        );
    }

    #[test]
    fn a_title_keeps_the_names_of_elements() {
        let post = r#"{"name":"t3_1","title":"Stop  using <br> and <details>","permalink":"/r/a/comments/1/x/"}"#;
        let listing = format!(r#"{{"data":{{"children":[{{"kind":"t3","data":{post}}}]}}}}"#);
        let feed = posts(listing.as_bytes(), "a").unwrap();
        assert_eq!(feed.items[0].title.as_deref(), Some("Stop using <br> and <details>"));
    }
}
