//! Finds the feeds of a page. Input: the page's address. Output: the feeds that it links to, or that are at common feed
//! paths. Called by `source add`. All requests go through the fetcher, so linked addresses are subject to the same
//! rules as any other.

use aha_content::feed::decode;
use aha_content::html::clean_line;
use aha_content::links::links_of;
use aha_core::source::Validators;
use url::Url;

use super::feed::parse_blocking;
use super::fetch::{FetchError, Fetcher, Request, Response, shown};

/// A page links to its feeds near its beginning.
const MAX_PAGE_BYTES: usize = 1024 * 1024;
/// Maximum number of feeds listed.
const MAX_FOUND: usize = 20;
/// Common feed paths, for pages that link to no feed.
const COMMON_PATHS: [&str; 7] = ["feed", "rss", "feed.xml", "rss.xml", "atom.xml", "index.xml", "feed.json"];
const FEED_TYPES: [&str; 4] =
    ["application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml"];

/// What an address turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Discovery {
    /// A feed itself.
    Feed,
    /// A page with these feeds, at least one.
    Page(Vec<FoundFeed>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFeed {
    pub url: String,
    /// The title in the page's link.
    pub title: Option<String>,
}

/// Whether an address looks like that of a feed, so that discovery is unnecessary.
#[must_use]
pub fn is_like_feed_address(address: &str) -> bool {
    let Ok(url) = Url::parse(address) else { return false };
    let words = format!("{}?{}", url.path(), url.query().unwrap_or_default()).to_ascii_lowercase();
    let mut words = words.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| matches!(word, "feed" | "feeds" | "rss" | "rss2" | "atom" | "xml" | "rdf" | "json"))
}

/// Determines whether an address is a feed or a page with feeds.
///
/// # Errors
/// `not_a_feed` if it is neither; the fetcher's error if nothing could be read.
pub async fn discover(fetcher: &Fetcher, address: &str) -> Result<Discovery, FetchError> {
    let answer = fetcher.send_request(&Request::to_page(address)).await?;
    let Response::Body { bytes, content_type, final_url, .. } = answer else {
        return Err(FetchError::NotAFeed { found: "an answer without a body".to_owned() });
    };
    let page = bytes[..bytes.len().min(MAX_PAGE_BYTES)].to_vec();
    let is_markup = page.iter().find(|byte| !byte.is_ascii_whitespace()).is_some_and(|first| !b"{[".contains(first));
    match parse_blocking(bytes, content_type.clone(), Some(final_url.clone())).await {
        Ok(_) => return Ok(Discovery::Feed),
        Err(error) if !is_markup => return Err(error),
        Err(_) => {}
    }
    let base =
        Url::parse(&final_url).map_err(|error| FetchError::BadUrl { url: final_url, reason: error.to_string() })?;
    let named = named_feeds(page, content_type, base.clone()).await;
    let (allowed, refused): (Vec<_>, Vec<_>) =
        named.into_iter().partition(|feed| fetcher.check_address(&feed.url).is_ok());
    let Some(first) = allowed.first() else {
        let why = refused.first().and_then(|feed| fetcher.check_address(&feed.url).err());
        return match why {
            Some(why) => Err(no_feed(&base, &format!("of the feed that it names, {why}"))),
            None => at_common_paths(fetcher, &base).await,
        };
    };
    // A feed that is temporarily unreachable is still listed; one that is no feed or does not exist is not.
    if allowed.len() == 1
        && let Err(error) = read(fetcher, &first.url).await
        && is_final(&error)
    {
        return Err(no_feed(&base, &format!("of the feed that it names, {error}")));
    }
    Ok(Discovery::Page(allowed))
}

/// Whether the error is permanent.
const fn is_final(error: &FetchError) -> bool {
    use FetchError::{Gone, Http, NotAFeed, RefusedAddress, RefusedRedirect};
    matches!(error, NotAFeed { .. } | RefusedAddress { .. } | RefusedRedirect { .. } | Http { .. } | Gone { .. })
}

fn no_feed(page: &Url, why: &str) -> FetchError {
    FetchError::NoFeed { page: shown(page), why: why.to_owned() }
}

/// Checks that there is a feed at an address.
async fn read(fetcher: &Fetcher, address: &str) -> Result<(), FetchError> {
    let Response::Body { bytes, content_type, final_url, .. } = fetcher.get(address, &Validators::default()).await?
    else {
        return Err(FetchError::NotAFeed { found: "an answer without a body".to_owned() });
    };
    parse_blocking(bytes, content_type, Some(final_url)).await.map(|_| ())
}

/// Returns the first feed found at a common path of the page's host.
async fn at_common_paths(fetcher: &Fetcher, page: &Url) -> Result<Discovery, FetchError> {
    for path in COMMON_PATHS {
        let Ok(candidate) = page.join(&format!("/{path}")) else { continue };
        match read(fetcher, candidate.as_str()).await {
            Ok(()) => return Ok(Discovery::Page(vec![FoundFeed { url: candidate.into(), title: None }])),
            // The host asked for fewer requests, so no more are made.
            Err(FetchError::RateLimited { .. }) => break,
            Err(_) => {}
        }
    }
    Err(no_feed(page, "neither it nor the usual addresses lead to a feed"))
}

async fn named_feeds(page: Vec<u8>, content_type: Option<String>, base: Url) -> Vec<FoundFeed> {
    let read = move || {
        let (text, _) = decode(&page, content_type.as_deref());
        in_page(&text, &base)
    };
    tokio::task::spawn_blocking(read).await.unwrap_or_default()
}

/// Returns the feeds that a page links to as alternates; feeds of comments only if there are no others.
fn in_page(html: &str, base: &Url) -> Vec<FoundFeed> {
    let page = links_of(html);
    let own_base = page.base.and_then(|href| base.join(&href).ok());
    let base = own_base.unwrap_or_else(|| base.clone());
    let mut found: Vec<FoundFeed> = Vec::new();
    for link in page.links {
        let is_other_form = link.rel.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case("alternate"));
        if !is_other_form || !is_feed_type(&link.media_type) || link.href.is_empty() {
            continue;
        }
        let url = base.join(link.href.trim()).ok();
        let Some(url) = url.filter(|url| matches!(url.scheme(), "http" | "https")) else { continue };
        let title = Some(clean_line(&link.title)).filter(|title| !title.is_empty());
        if found.len() < MAX_FOUND && found.iter().all(|known| known.url != url.as_str()) {
            found.push(FoundFeed { url: url.into(), title });
        }
    }
    let of_comments = |feed: &FoundFeed| {
        feed.url.contains("/comments/") || feed.title.as_deref().is_some_and(|t| t.to_lowercase().contains("comments"))
    };
    if found.iter().all(of_comments) {
        return found;
    }
    found.into_iter().filter(|feed| !of_comments(feed)).collect()
}

fn is_feed_type(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim();
    FEED_TYPES.iter().any(|known| kind.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::{in_page, is_like_feed_address};

    fn found(html: &str) -> Vec<String> {
        in_page(html, &Url::parse("https://blog.example/a/b").unwrap()).into_iter().map(|feed| feed.url).collect()
    }

    #[test]
    fn pages_name_their_feeds() {
        let page = "<!DOCTYPE html><html><head><title>x</title>\
            <LINK REL='home alternate' TYPE='Application/RSS+XML; charset=utf-8' title='News &amp; more' HREF='../feed?a=1&amp;b=2'>\
            <link rel=alternate type=application/rss+xml href=../feed?a=1&b=2>\
            <link rel='alternate' type='application/rss+xml' title='Comments' href='/comments/feed/'>\
            <link rel='alternate' hreflang='de' href='/de'><link rel='stylesheet' type='application/rss+xml' href='/x'>\
            <link rel='alternate' type='application/atom+xml' href='javascript:alert(1)'>";
        assert_eq!(found(page), ["https://blog.example/feed?a=1&b=2"]);
        let comments = "<link rel='alternate' type='application/atom+xml' href='/comments/feed'>";
        assert_eq!(found(comments), ["https://blog.example/comments/feed"]);
        let based = "<base href='https://cdn.example/x/'><link rel=alternate type=application/feed+json href=f.json>";
        assert_eq!(found(based), ["https://cdn.example/x/f.json"]);
    }

    #[test]
    fn hostile_pages_do_no_harm() {
        assert!(found(&"<div>".repeat(200_000)).is_empty());
        let many: Vec<String> =
            (0..5000).map(|n| format!("<link rel=alternate type=application/rss+xml href=/{n}>")).collect();
        assert_eq!(found(&many.concat()).len(), 20);
    }

    #[test]
    fn feeds_are_recognised_by_their_addresses() {
        for feed in
            ["https://x.org/feed.xml", "https://x.org/a/RSS/", "https://x.org/?format=rss", "https://x.org/index.rdf"]
        {
            assert!(is_like_feed_address(feed), "{feed}");
        }
        for page in
            ["https://x.org/", "https://feeds.x.org/blog", "https://x.org/feedback", "https://www.youtube.com/@name"]
        {
            assert!(!is_like_feed_address(page), "{page}");
        }
    }
}
