//! Short names and pages of known sites. Input: `hn:top`, `reddit:rust`, `github:owner/repo` or the address of such a
//! page. Output: the kind of source and the address to store. Called by [`super::location`] and by the OPML reader.

use aha_core::source::SourceKind;
use url::Url;

use super::fetch::FetchError;
use super::sites::Sites;

/// A source's kind and address, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLocation {
    pub kind: SourceKind,
    /// An address, or a name such as `hn:top` if the connector builds its requests itself.
    pub url: String,
}

/// Resolves a short name; `None` if `text` is an address or a path instead.
///
/// # Errors
/// `bad_url` if the site is known but the rest is invalid.
pub fn resolve_short_name(text: &str, sites: &Sites) -> Result<Option<SourceLocation>, FetchError> {
    let text = text.trim();
    if text == "lobsters" {
        return Ok(Some(lobsters("", sites)));
    }
    let Some((site, rest)) = text.split_once(':') else { return Ok(None) };
    let rest = rest.trim();
    let (found, expected) = match site {
        "hn" => (hacker_news(rest), "top, new, best or words to search for, as in hn:top or hn:\"heat pumps\""),
        "signal" => (signal(rest), "words to search for, as in signal:\"tidal energy\""),
        "reddit" => (reddit(rest), "the name of a subreddit, as in reddit:rust or reddit:rust/new"),
        "youtube" => {
            (youtube(rest, sites), "a channel's id, a playlist's id or a handle, as in youtube:UC… or youtube:@name")
        }
        "github" => (github(rest, sites), "a repository, as in github:owner/repository"),
        "arxiv" => (arxiv(rest, sites), "a category, as in arxiv:cs.DB"),
        "lobsters" => {
            (all_of(rest, 60, "-_,+").then(|| lobsters(rest, sites)), "a tag or nothing, as in lobsters:rust")
        }
        _ => return Ok(None),
    };
    found.map(Some).ok_or_else(|| FetchError::BadName { name: text.to_owned(), expected })
}

/// Returns the source for an address of a known site; `None` for any other address.
#[must_use]
pub fn source_of_page(address: &str, sites: &Sites) -> Option<SourceLocation> {
    let url = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let segments: Vec<&str> = url.path_segments()?.filter(|segment| !segment.is_empty()).collect();
    let as_it_is = |kind| Some(SourceLocation { kind, url: url.to_string() });
    match (bare_host(&url)?.as_str(), segments.as_slice()) {
        ("news.ycombinator.com", [] | ["news"]) => hacker_news("top"),
        ("news.ycombinator.com", ["newest"]) => hacker_news("new"),
        ("news.ycombinator.com", ["best"]) => hacker_news("best"),
        ("hn.algolia.com", []) => hacker_news(&parameter(&url, "q").or_else(|| parameter(&url, "query"))?),
        ("reddit.com", ["r", name]) => reddit(without_listing_suffix(name)),
        ("reddit.com", ["r", name, ".rss" | ".json"]) => reddit(name),
        ("reddit.com", ["r", name, order]) => reddit(&format!("{name}/{}", without_listing_suffix(order))),
        ("youtube.com", ["channel", id, ..]) => youtube(id, sites),
        ("youtube.com", ["playlist"]) => youtube(&parameter(&url, "list")?, sites),
        ("youtube.com", ["feeds", "videos.xml"]) => as_it_is(SourceKind::Youtube),
        ("github.com", [owner, repository] | [owner, repository, "releases" | "releases.atom"]) => {
            let ours = !GITHUB_PAGES.contains(owner) && repository.strip_suffix(".atom").is_none();
            ours.then(|| github(&format!("{owner}/{}", repository.trim_end_matches(".git")), sites))?
        }
        ("arxiv.org", ["list", category, ..]) => arxiv(category, sites),
        ("rss.arxiv.org", [_, ..]) | ("export.arxiv.org", ["rss", ..]) => as_it_is(SourceKind::Arxiv),
        ("lobste.rs", []) => Some(lobsters("", sites)),
        ("lobste.rs", ["t", tag]) if !tag.contains('.') => Some(lobsters(tag, sites)),
        ("lobste.rs", ["rss"] | ["t", _]) => as_it_is(SourceKind::Lobsters),
        _ => None,
    }
}

/// Paths of GitHub that look like those of an owner.
const GITHUB_PAGES: [&str; 14] = [
    "about",
    "apps",
    "collections",
    "explore",
    "features",
    "login",
    "marketplace",
    "orgs",
    "search",
    "settings",
    "sponsors",
    "topics",
    "trending",
    "users",
];

fn bare_host(url: &Url) -> Option<String> {
    let host = url.host_str()?.trim_end_matches('.').to_ascii_lowercase();
    let bare = ["www.", "m.", "old.", "new."].iter().find_map(|prefix| host.strip_prefix(prefix));
    Some(bare.map_or_else(|| host.clone(), str::to_owned))
}

fn parameter(url: &Url, name: &str) -> Option<String> {
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

fn without_listing_suffix(segment: &str) -> &str {
    segment.strip_suffix(".rss").or_else(|| segment.strip_suffix(".json")).unwrap_or(segment)
}

/// Whether `text` consists of ASCII letters, digits and `others`, at most `longest` of them.
fn all_of(text: &str, longest: usize, others: &str) -> bool {
    text.len() <= longest && text.chars().all(|c| c.is_ascii_alphanumeric() || others.contains(c))
}

fn some_of(text: &str, longest: usize, others: &str) -> bool {
    !text.is_empty() && all_of(text, longest, others)
}

fn hacker_news(what: &str) -> Option<SourceLocation> {
    let words = aha_content::fold::fold_line(what.trim_matches('"'));
    let fits = !words.is_empty() && words.chars().count() <= 200;
    fits.then(|| SourceLocation { kind: SourceKind::HackerNews, url: format!("hn:{words}") })
}

/// The words are passed to the search unchanged, because it may support operators.
fn signal(what: &str) -> Option<SourceLocation> {
    let words = aha_content::fold::fold_line(what);
    let fits = !words.is_empty() && words.chars().count() <= 500;
    fits.then(|| SourceLocation { kind: SourceKind::Signal, url: format!("signal:{words}") })
}

fn reddit(what: &str) -> Option<SourceLocation> {
    let what = what.trim_start_matches('/').trim_start_matches("r/").to_ascii_lowercase();
    let (name, order) = what.split_once('/').unwrap_or((&what, "hot"));
    let is_order = matches!(order, "hot" | "new" | "top" | "rising" | "best");
    let suffix = if order == "hot" { String::new() } else { format!("/{order}") };
    (some_of(name, 200, "_+") && is_order)
        .then(|| SourceLocation { kind: SourceKind::Reddit, url: format!("reddit:{name}{suffix}") })
}

/// A handle only identifies the channel's page; feed discovery finds the feed.
fn youtube(what: &str, sites: &Sites) -> Option<SourceLocation> {
    let base = &sites.youtube;
    if let Some(handle) = what.strip_prefix('@') {
        let place = || SourceLocation { kind: SourceKind::Feed, url: format!("{base}/@{handle}") };
        return some_of(handle, 60, "._-").then(place);
    }
    if !some_of(what, 64, "_-") || what.len() < 12 {
        return None;
    }
    let parameter = if what.starts_with("UC") && what.len() == 24 { "channel_id" } else { "playlist_id" };
    Some(SourceLocation { kind: SourceKind::Youtube, url: format!("{base}/feeds/videos.xml?{parameter}={what}") })
}

fn github(what: &str, sites: &Sites) -> Option<SourceLocation> {
    let (owner, repository) = what.split_once('/')?;
    let fits = some_of(owner, 39, "-") && some_of(repository, 100, "._-") && !matches!(repository, "." | "..");
    let url = || format!("{}/{owner}/{repository}/releases.atom", sites.github);
    fits.then(|| SourceLocation { kind: SourceKind::GithubReleases, url: url() })
}

fn arxiv(what: &str, sites: &Sites) -> Option<SourceLocation> {
    let fits = some_of(what, 60, ".-+") && !what.starts_with('.');
    fits.then(|| SourceLocation { kind: SourceKind::Arxiv, url: format!("{}/rss/{what}", sites.arxiv) })
}

fn lobsters(tag: &str, sites: &Sites) -> SourceLocation {
    let base = &sites.lobsters;
    let url = if tag.is_empty() { format!("{base}/rss") } else { format!("{base}/t/{tag}.rss") };
    SourceLocation { kind: SourceKind::Lobsters, url }
}

#[cfg(test)]
mod tests {
    use super::{resolve_short_name, source_of_page};
    use crate::sources::sites::Sites;

    #[test]
    fn short_names_become_sources() {
        let sites = Sites::default();
        for (text, kind, url) in [
            ("hn:top", "hacker_news", "hn:top"),
            ("hn: heat  pumps ", "hacker_news", "hn:heat pumps"),
            ("signal: \"tidal energy\"  from:harbour", "signal", "signal:\"tidal energy\" from:harbour"),
            ("reddit:r/Rust", "reddit", "reddit:rust"),
            ("reddit:rust/new", "reddit", "reddit:rust/new"),
            (
                "youtube:UCuAXFkgsw1L7xaCfnd5JJOw",
                "youtube",
                "https://www.youtube.com/feeds/videos.xml?channel_id=UCuAXFkgsw1L7xaCfnd5JJOw",
            ),
            (
                "youtube:PLabcdefghijklmn",
                "youtube",
                "https://www.youtube.com/feeds/videos.xml?playlist_id=PLabcdefghijklmn",
            ),
            ("youtube:@name", "feed", "https://www.youtube.com/@name"),
            ("github:a/b.c", "github_releases", "https://github.com/a/b.c/releases.atom"),
            ("arxiv:cs.DB", "arxiv", "https://rss.arxiv.org/rss/cs.DB"),
            ("lobsters", "lobsters", "https://lobste.rs/rss"),
            ("lobsters:rust", "lobsters", "https://lobste.rs/t/rust.rss"),
        ] {
            let place = resolve_short_name(text, &sites).unwrap().unwrap();
            assert_eq!((place.kind.as_str(), place.url.as_str()), (kind, url), "{text}");
        }
        for other in ["https://x.org/", "feed.xml", "feed:https://x.org", "file:///x"] {
            assert_eq!(resolve_short_name(other, &sites).unwrap(), None, "{other}");
        }
        for wrong in [
            "hn:",
            "reddit:a b",
            "reddit:rust/comments",
            "youtube:x",
            "github:a",
            "github:a/..",
            "arxiv:../x",
            "lobsters:a/b",
        ] {
            assert_eq!(resolve_short_name(wrong, &sites).unwrap_err().kind().as_str(), "bad_url", "{wrong}");
        }
    }

    #[test]
    fn pages_of_known_sites_are_recognised() {
        let of =
            |url: &str| source_of_page(url, &Sites::default()).map(|place| format!("{} {}", place.kind, place.url));
        for (url, expected) in [
            ("https://news.ycombinator.com/", "hacker_news hn:top"),
            ("https://news.ycombinator.com/newest", "hacker_news hn:new"),
            ("https://hn.algolia.com/?q=heat+pumps", "hacker_news hn:heat pumps"),
            ("https://old.reddit.com/r/Rust/top/", "reddit reddit:rust/top"),
            ("https://www.reddit.com/r/rust/.rss", "reddit reddit:rust"),
            ("https://www.reddit.com/r/rust.json", "reddit reddit:rust"),
            ("https://github.com/a/b/releases", "github_releases https://github.com/a/b/releases.atom"),
            ("https://arxiv.org/list/cs.DB/recent", "arxiv https://rss.arxiv.org/rss/cs.DB"),
            ("https://lobste.rs/t/rust", "lobsters https://lobste.rs/t/rust.rss"),
            ("https://lobste.rs/t/rust.rss", "lobsters https://lobste.rs/t/rust.rss"),
        ] {
            assert_eq!(of(url).as_deref(), Some(expected), "{url}");
        }
        for other in [
            "https://news.ycombinator.com/rss",
            "https://www.reddit.com/r/rust/comments/abc/title/",
            "https://www.youtube.com/@name",
            "https://github.com/topics/rust",
            "https://github.com/a/b/commits.atom",
            "https://example.org/r/rust",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
