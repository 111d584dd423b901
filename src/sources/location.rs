//! Resolves where a source is. Input: a short name, a URL or a path as the user wrote it. Output: the source's kind and
//! address. Called by services, by the command `source add` and by the readers of OPML and of Miniflux.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use aha_core::source::SourceKind;
use url::Url;

use super::fetch::FetchError;
use super::short_names::{SourceLocation, resolve_short_name, source_of_page};
use super::sites::Sites;

/// Resolves a command line argument to a source: a short name such as `hn:top`, an address or an existing path.
///
/// # Errors
/// `bad_url` for a name or address that cannot be used, `file` for a path that does not exist.
pub fn location_from_argument(text: &str, sites: &Sites) -> Result<SourceLocation, FetchError> {
    if let Some(place) = resolve_short_name(text, sites)? {
        return Ok(place);
    }
    let url = url_from_argument(text)?;
    Ok(source_of_page(&url, sites).unwrap_or(SourceLocation { kind: SourceKind::Feed, url }))
}

/// Resolves what was typed elsewhere than on this machine's command line: a short name, or an address with or without
/// its scheme. This machine's files are not looked at, so that the answer does not reveal which exist. `None` if it is
/// neither.
///
/// # Errors
/// `bad_url` for a name or address that cannot be used.
pub fn web_location_from_argument(text: &str, sites: &Sites) -> Result<Option<SourceLocation>, FetchError> {
    if let Some(place) = resolve_short_name(text, sites)? {
        return Ok(Some(place));
    }
    let text = text.trim();
    let url = match web_url(text)? {
        None if names_host(text.split(['/', '?', '#']).next().unwrap_or_default()) => {
            web_url(&format!("https://{text}"))?
        }
        url => url,
    };
    Ok(url.map(|url| source_of_page(&url, sites).unwrap_or(SourceLocation { kind: SourceKind::Feed, url })))
}

/// Resolves an address from another program's list: like an argument, but never a path.
///
/// # Errors
/// `bad_url` for one that cannot be fetched.
pub(super) fn location_from_list(address: &str, sites: &Sites) -> Result<SourceLocation, FetchError> {
    let url = url_from_outline(address, None)?;
    Ok(source_of_page(&url, sites).unwrap_or(SourceLocation { kind: SourceKind::Feed, url }))
}

/// Whether `text` is another notation for the source at `url`.
#[must_use]
pub fn is_location_of(text: &str, url: &str, sites: &Sites) -> bool {
    location_from_argument(text, sites).is_ok_and(|place| place.url == url)
}

/// Converts a command line argument, a URL or an existing path, to a source's URL: `http(s)://…` or `file:///…`.
///
/// # Errors
/// `bad_url` for an address that cannot be fetched, `file` for a path that does not exist.
fn url_from_argument(text: &str) -> Result<String, FetchError> {
    let text = text.trim();
    if let Some(url) = web_url(text)? {
        return Ok(url);
    }
    let path = path_of(text);
    if path.exists() {
        return file_url(&path);
    }
    let first = text.split(['/', '?', '#']).next().unwrap_or_default();
    if names_host(first) && !Path::new(first).exists() {
        return web_url(&format!("https://{text}"))?.ok_or_else(|| missing(text));
    }
    if !text.starts_with(['.', '/']) && first.contains('.') && Path::new(text).extension().is_none_or(|e| e != "xml") {
        let reason = format!("it names no file and lacks a scheme, perhaps https://{text} is meant");
        return Err(FetchError::BadUrl { url: text.to_owned(), reason });
    }
    Err(missing(text))
}

fn missing(path: &str) -> FetchError {
    FetchError::File { path: path.to_owned(), reason: "there is no such file".to_owned() }
}

/// Whether `text` is a host as written in an address, such as `example.com`, rather than a file name.
fn names_host(text: &str) -> bool {
    const FILES: [&str; 10] = ["xml", "json", "rss", "rdf", "atom", "opml", "html", "htm", "txt", "cdf"];
    let host = text.split_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map_or(text, |(host, _)| host);
    let Some((name, last)) = host.rsplit_once('.') else { return false };
    let is_label = |label: &str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    let is_ending = last.starts_with("xn--") || (last.chars().count() >= 2 && last.chars().all(char::is_alphabetic));
    is_ending && name.split('.').all(is_label) && !FILES.iter().any(|file| last.eq_ignore_ascii_case(file))
}

/// Converts an address within an OPML: like an argument, but a path is relative to `folder` and need not exist yet.
/// Without a folder, paths are refused: they are accepted only from the command line.
pub(super) fn url_from_outline(text: &str, folder: Option<&Path>) -> Result<String, FetchError> {
    let text = text.trim();
    let is_file = text.len() >= 5 && text.as_bytes()[..5].eq_ignore_ascii_case(b"file:");
    if !is_file && let Some(url) = web_url(text)? {
        return Ok(url);
    }
    let refused = |reason: &str| FetchError::BadUrl { url: text.to_owned(), reason: reason.to_owned() };
    let folder = folder.ok_or_else(|| refused("local files are accepted from the command line alone"))?;
    if text.is_empty() {
        return Err(refused("it is empty"));
    }
    let path = folder.join(path_of(text));
    if !text.contains(['.', '/', '\\']) && !path.exists() {
        return Err(refused("it is neither an address nor the path of a file"));
    }
    file_url(&path)
}

/// Returns the http(s) URL if it is one; `None` for a path or a file URL.
fn web_url(text: &str) -> Result<Option<String>, FetchError> {
    let text = without_feed_scheme(text);
    let bad = |reason: String| FetchError::BadUrl { url: text.to_string(), reason };
    match Url::parse(&text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => {
            if !url.username().is_empty() || url.password().is_some() {
                let url = super::fetch::shown(&url);
                return Err(FetchError::BadUrl { url, reason: "it holds a user name or password".to_owned() });
            }
            Ok(Some(url.to_string()))
        }
        Ok(url) if url.scheme() == "file" => Ok(None),
        Ok(url) if text.contains("://") => Err(bad(format!("the scheme {} is neither http nor https", url.scheme()))),
        Err(error) if text.contains("://") => Err(bad(error.to_string())),
        Ok(_) | Err(_) => Ok(None),
    }
}

/// Removes the scheme of `feed:https://…`, `podcast://…` and the like, by which programs pass feeds to each other.
fn without_feed_scheme(text: &str) -> Cow<'_, str> {
    const SCHEMES: [&str; 5] = ["feed", "podcast", "pcast", "itpc", "rss"];
    let Some((scheme, rest)) = text.split_once(':') else { return text.into() };
    if !SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
        return text.into();
    }
    let Some(place) = rest.strip_prefix("//") else { return rest.into() };
    // Some write `feed://https://…`.
    let start = place.get(..8).unwrap_or(place).to_ascii_lowercase();
    if start.starts_with("http://") || start == "https://" { place.into() } else { format!("https://{place}").into() }
}

fn path_of(text: &str) -> PathBuf {
    match Url::parse(text) {
        Ok(url) if url.scheme() == "file" => url.to_file_path().unwrap_or_else(|()| PathBuf::from(text)),
        _ => PathBuf::from(text),
    }
}

fn file_url(path: &Path) -> Result<String, FetchError> {
    let failed = |reason: String| FetchError::File { path: path.display().to_string(), reason };
    let absolute = std::path::absolute(path).map_err(|error| failed(error.to_string()))?;
    let url = Url::from_file_path(&absolute).map_err(|()| failed("its path has no URL".to_owned()))?;
    // Parsed again, so that `a/../b` and `b` are one source.
    Ok(Url::parse(url.as_str()).map_err(|error| failed(error.to_string()))?.to_string())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::sites::Sites;
    use super::{url_from_argument, url_from_outline, web_location_from_argument};

    #[test]
    fn arguments_are_urls_or_existing_paths() {
        let kind = |text: &str| url_from_argument(text).map_err(|e| e.kind().as_str());
        assert_eq!(kind("HTTP://Example.com").as_deref(), Ok("http://example.com/"));
        assert_eq!(kind("feed:https://example.com/x").as_deref(), Ok("https://example.com/x"));
        for handed_over in [
            "feed://example.com/x",
            "FEED:https://example.com/x",
            "podcast://example.com/x",
            "Podcast:https://example.com/x",
            "pcast://example.com/x",
            "itpc://example.com/x",
            "rss://example.com/x",
            "feed://https://example.com/x",
        ] {
            assert_eq!(kind(handed_over).as_deref(), Ok("https://example.com/x"), "{handed_over}");
        }
        assert_eq!(kind("feed:http://example.com/x").as_deref(), Ok("http://example.com/x"));
        assert_eq!(kind("podcast://me:pw@example.com/x"), Err("bad_url"));
        assert_eq!(kind("ftp://example.com/x"), Err("bad_url"));
        assert_eq!(kind("https://me:pw@example.com/"), Err("bad_url"));
        assert_eq!(kind("example.com").as_deref(), Ok("https://example.com/"));
        assert_eq!(kind("example.com?feed=rss").as_deref(), Ok("https://example.com/?feed=rss"));
        assert_eq!(kind("Blog.Example.com:8080/feed.xml").as_deref(), Ok("https://blog.example.com:8080/feed.xml"));
        assert_eq!(kind("bücher.example/?feed=rss").as_deref(), Ok("https://xn--bcher-kva.example/?feed=rss"));
        assert_eq!(kind("me:pw@example.com/"), Err("bad_url"));
        assert_eq!(kind("10.0.0.1/feed"), Err("bad_url"));
        for file in ["feed.json", "news.opml", "nowhere.d1", "my feeds.org"] {
            assert!(kind(file).is_err(), "{file}");
        }
        assert_eq!(kind("nowhere.xml"), Err("file"));
        assert_eq!(kind("./nowhere.xml"), Err("file"));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a b.xml");
        std::fs::write(&path, "x").unwrap();
        let url = url_from_argument(path.to_str().unwrap()).unwrap();
        assert!(url.starts_with("file:///") && url.ends_with("/a%20b.xml"), "{url}");
        assert_eq!(url_from_argument(&url).unwrap(), url);
    }

    #[test]
    fn what_is_typed_elsewhere_does_not_depend_on_files() {
        let url = |text: &str| web_location_from_argument(text, &Sites::default()).unwrap().map(|place| place.url);
        assert!(Path::new("Cargo.toml").exists() && Path::new("README.md").exists());
        assert_eq!(url("Cargo.toml").as_deref(), Some("https://cargo.toml/"));
        assert_eq!(url("README.md"), Some("https://readme.md/".to_owned()));
        assert_eq!(url("example.com/feed").as_deref(), Some("https://example.com/feed"));
        for path in ["/etc/passwd", "./Cargo.toml", "src/../Cargo.toml", "file:///etc/passwd", "Cargo.lock/x", "src"] {
            assert!(url(path).is_none_or(|url| url.starts_with("https://")), "{path}");
        }
        assert_eq!([url("/etc/passwd"), url("./x.com"), url("file:///etc/passwd"), url("src")], [const { None }; 4]);
    }

    #[test]
    fn outlines_start_at_their_folder() {
        let at = |text: &str| url_from_outline(text, Some(Path::new("/data/lists"))).map_err(|e| e.kind().as_str());
        assert_eq!(at("../feeds/a.xml").as_deref(), Ok("file:///data/feeds/a.xml"));
        assert_eq!(at("file:///x/y.xml").as_deref(), Ok("file:///x/y.xml"));
        assert_eq!(at("https://x.org/f").as_deref(), Ok("https://x.org/f"));
        assert_eq!((at("gopher://x.org/f"), at("not a url")), (Err("bad_url"), Err("bad_url")));
        assert_eq!(url_from_outline("a.xml", None).map_err(|e| e.kind().as_str()), Err("bad_url"));
    }
}
