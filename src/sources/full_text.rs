//! Extracts the readable text of the page that a teaser links to. Input: the page's address. Output: its text, or why
//! there is none. Called by the ingest stage for sources for which it is enabled. The host's `robots.txt` is read first
//! and respected.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aha_content::feed::decode;
use aha_content::html::html_to_text;
use aha_content::prune::prune_page;
use aha_content::sanitize::added_bytes;
use aha_core::item::PageOutcome;
use aha_core::source::Validators;
use async_trait::async_trait;
use dom_smoothie::{Config, Readability};
use robotxt::Robots;
use tokio::time::Instant;
use url::Url;

use super::fetch::{FetchError, Fetcher, RedirectGuard, Request, Response, shown};

/// Shorter texts are not articles, but cookie notices, logins or error messages.
const MIN_CHARS: usize = 250;
/// No article worth judging is longer.
const MAX_CHARS: usize = 100_000;
const MAX_PAGE_BYTES: usize = 4 * 1024 * 1024;
/// Maximum size of a page without scripts, styles and most attributes.
const MAX_PRUNED_BYTES: usize = 1024 * 1024;
/// Pages with more elements are not articles, and take too long.
const MAX_ELEMENTS: usize = 20_000;
/// Maximum length of a `robots.txt` that is read, as in RFC 9309.
const MAX_ROBOTS_BYTES: usize = 500 * 1024;
/// How long a host's `robots.txt` is cached.
const ROBOTS_KEEP: Duration = Duration::from_hours(12);
const REMEMBERED_HOSTS: usize = 1000;
/// Our product token in a `robots.txt`.
const AGENT: &str = "aha-radar";

/// The result of reading a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRead {
    pub outcome: PageOutcome,
    /// Empty unless the page was read.
    pub text: String,
    /// Why the page, or the `robots.txt` of its host, could not be fetched, if a later attempt may succeed.
    pub temporary: Option<FetchError>,
}

impl PageRead {
    const fn without_text(outcome: PageOutcome) -> Self {
        Self { outcome, text: String::new(), temporary: None }
    }

    fn failed(error: FetchError) -> Self {
        let temporary = error.temporary_at().is_some().then_some(error);
        Self { temporary, ..Self::without_text(PageOutcome::Failed) }
    }
}

/// Reads pages. Use one instance per process, so that pages share the `robots.txt` of their host. It is fetched again
/// after 12 hours, after the cache was emptied because it held 1,000 hosts, and by reads that begin at the same time.
#[derive(Debug, Default)]
pub struct Pages {
    robots: Mutex<HashMap<String, (Arc<Robots>, Instant)>>,
}

impl Pages {
    pub async fn read(&self, fetcher: &Fetcher, address: &str) -> PageRead {
        let Some(url) = Url::parse(address).ok().filter(|url| fetcher.check_address(url.as_str()).is_ok()) else {
            return PageRead::without_text(PageOutcome::Failed);
        };
        match self.robots_of(fetcher, &url).await {
            Ok(robots) if robots.is_url_allowed(&url) => {}
            Ok(_) => return PageRead::without_text(PageOutcome::Disallowed),
            Err(error) => return PageRead::failed(error),
        }
        let answer = fetcher.send_with_guard(&Request::to_page(address), &RobotsGuard { pages: self, fetcher }).await;
        let (bytes, content_type, final_url) = match answer {
            Ok(Response::Body { bytes, content_type, final_url, .. }) => (bytes, content_type, final_url),
            Err(FetchError::Disallowed { .. }) => return PageRead::without_text(PageOutcome::Disallowed),
            Err(error) => return PageRead::failed(error),
            Ok(Response::NotModified { .. }) => return PageRead::without_text(PageOutcome::Failed),
        };
        if bytes.len() > MAX_PAGE_BYTES || content_type.as_deref().is_some_and(|kind| !is_html(kind)) {
            return PageRead::without_text(PageOutcome::NoContent);
        }
        let read = move || article(&decode(&bytes, content_type.as_deref()).0, &final_url);
        match tokio::task::spawn_blocking(read).await.ok().flatten() {
            Some(text) => PageRead { outcome: PageOutcome::Read, text, temporary: None },
            None => PageRead::without_text(PageOutcome::NoContent),
        }
    }

    /// Returns the rules of a host. A host without a `robots.txt` allows everything; one whose `robots.txt` can never
    /// be fetched allows nothing (RFC 9309). A temporary failure is the error, and is not cached.
    async fn robots_of(&self, fetcher: &Fetcher, page: &Url) -> Result<Arc<Robots>, FetchError> {
        let origin = page.origin().ascii_serialization();
        let known = self.robots.lock().unwrap_or_else(PoisonError::into_inner).get(&origin).cloned();
        if let Some((robots, _)) = known.filter(|(_, at)| at.elapsed() < ROBOTS_KEEP) {
            return Ok(robots);
        }
        let answer = fetcher.get(&format!("{origin}/robots.txt"), &Validators::default()).await;
        let robots = Arc::new(match answer {
            Ok(Response::Body { bytes, .. }) => Robots::parse(&bytes[..bytes.len().min(MAX_ROBOTS_BYTES)], AGENT),
            Err(FetchError::Http { .. } | FetchError::Gone { .. }) => Robots::allow_all(),
            Err(error) if error.temporary_at().is_some() => return Err(error),
            Ok(Response::NotModified { .. }) | Err(_) => Robots::disallow_all(),
        });
        let mut all = self.robots.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= REMEMBERED_HOSTS {
            all.clear();
        }
        all.insert(origin, (Arc::clone(&robots), Instant::now()));
        Ok(robots)
    }
}

/// Checks `robots.txt` before a redirect is followed, because it may lead to a disallowed page.
struct RobotsGuard<'a> {
    pages: &'a Pages,
    fetcher: &'a Fetcher,
}

#[async_trait]
impl RedirectGuard for RobotsGuard<'_> {
    async fn may_follow(&self, url: &Url) -> Result<(), FetchError> {
        // Checked first, because no `robots.txt` is fetched from a refused address.
        self.fetcher.check_address(url.as_str())?;
        if self.pages.robots_of(self.fetcher, url).await?.is_url_allowed(url) {
            return Ok(());
        }
        Err(FetchError::Disallowed { url: shown(url) })
    }
}

/// Whether a `Content-Type` is that of HTML or XHTML, in whatever case the server writes it.
fn is_html(content_type: &str) -> bool {
    content_type.split(';').next().unwrap_or_default().to_ascii_lowercase().contains("html")
}

/// Returns the text of a page's article, if it has one.
fn article(html: &str, address: &str) -> Option<String> {
    // Without a base, relative links are left out: they would make the page too long, and only its text is used.
    let base = Url::parse(address).ok().filter(|base| added_bytes(html, base.as_str()) <= MAX_PRUNED_BYTES);
    let pruned = prune_page(html, base.as_ref());
    if pruned.len() > MAX_PRUNED_BYTES {
        return None;
    }
    let config = Config { max_elements_to_parse: MAX_ELEMENTS, ..Config::default() };
    let found = Readability::new(pruned.as_str(), Some(address), Some(config)).ok()?.parse().ok()?;
    let text = html_to_text(&found.content);
    let length = text.chars().count();
    (length >= MIN_CHARS).then(|| if length > MAX_CHARS { text.chars().take(MAX_CHARS).collect() } else { text })
}

#[cfg(test)]
mod tests {
    use super::{MAX_CHARS, article, is_html};

    fn page(body: &str) -> String {
        format!(
            "<!DOCTYPE html><html><head><title>A turbine</title></head><body><nav><a href=/>Home</a> <a href=/x>More</a></nav>{body}</body></html>"
        )
    }

    fn paragraphs(count: usize) -> String {
        let text = "The turbine was let down at slack water, under the ferry pier, by four people and one crane.";
        format!("<article><h1>A turbine</h1>{}</article>", format!("<p>{text} {text}</p>").repeat(count))
    }

    #[test]
    fn an_article_is_read_without_what_surrounds_it() {
        let text = article(&page(&(paragraphs(5) + "<script>alert(1)</script>")), "https://x.example/a").unwrap();
        assert!(text.contains("slack water") && !text.contains("alert") && !text.contains("More"), "{text}");
    }

    #[test]
    fn a_media_type_is_read_in_any_case_and_without_its_parameters() {
        for html in ["text/html", "Text/HTML; Charset=UTF-8", "application/XHTML+xml"] {
            assert!(is_html(html), "{html}");
        }
        assert!(!is_html("text/plain") && !is_html("text/plain; from=html"));
    }

    #[test]
    fn what_is_too_short_is_no_content() {
        for body in ["", "<p>Please accept cookies.</p>", "<form>Log in</form>"] {
            assert_eq!(article(&page(body), "https://x.example/a"), None, "{body}");
        }
        assert_eq!(article("", "no address"), None);
    }

    #[test]
    fn links_of_a_page_with_a_long_address_do_not_hide_its_text() {
        let links = format!("<nav>{}</nav>", "<a href='x'>y</a> ".repeat(3_000));
        let address = format!("https://x.example/{}/", "a".repeat(1_900));
        let text = article(&page(&(paragraphs(5) + &links)), &address).unwrap();
        assert!(text.contains("slack water"), "{text}");
    }

    #[test]
    fn hostile_pages_end() {
        let numbered = |count: usize, of: &dyn Fn(usize) -> String| (0..count).map(of).collect::<Vec<_>>().concat();
        let bold = numbered(399, &|n| format!("<b a{n}>"));
        let attributes = numbered(200_000, &|n| format!(" a{n}"));
        for hostile in [
            "<div>".repeat(100_000),
            "<optgroup>".repeat(100_000),
            "<div><object></div>".repeat(100_000),
            "<svg><style>".to_owned() + &"<g>".repeat(100_000),
            bold + &"<p>x".repeat(100_000),
            format!("<p{attributes}>x</p>"),
        ] {
            let read = article(&page(&hostile), "https://x.example/").unwrap_or_default();
            assert!(read.chars().count() <= MAX_CHARS, "{} characters", read.len());
        }
        assert_eq!(article(&page(&"<p>x</p>".repeat(50_000)), "https://x.example/"), None);
        let long = article(&page(&paragraphs(2000)), "https://x.example/").unwrap();
        assert_eq!(long.chars().count(), MAX_CHARS);
    }
}
