//! Cleans items and determines their identity. Input: items as a connector found them. Output: items with plain text,
//! sanitised HTML, canonical address, hashes and id. Called by the ingest stage. Pure, so that the same document has
//! the same ids on every machine.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use aha_content::canonical::{canonical_url, is_page};
use aha_content::feed::MAX_ADDRESS_BYTES;
use aha_content::fold::fold_line;
use aha_content::html::readable;
use aha_content::language::Languages;
use aha_content::sanitize::{added_bytes, sanitize};
use aha_core::ids::{ItemId, SourceId};
use aha_core::item::{ItemMetadata, NewItem, TimeBasis};
use aha_core::time::Timestamp;
use aha_net::hash::hex32;
use aha_store::IdentifiedItem;
use url::Url;

/// Resolving the relative URLs of an item may add this much to its markup.
const MAX_ADDED_BYTES: usize = 1024 * 1024;
/// The same for all items of a document.
const MAX_ADDED_BYTES_A_DOCUMENT: usize = 16 * 1024 * 1024;

/// Identifies the items of one document. Of several with the same identity the first is kept; completely empty items
/// are dropped. A guid that entries with different pages share is ignored.
#[must_use]
pub fn identify(source: SourceId, mut items: Vec<NewItem>, fetched_at: Timestamp) -> Vec<IdentifiedItem> {
    items.iter_mut().for_each(bound_addresses);
    let canonical: Vec<Option<String>> = items.iter().map(|i| i.url.as_deref().and_then(canonical_url)).collect();
    let bodies: Vec<String> = items.iter().map(|item| body_text(item).into_owned()).collect();
    let titles = items.iter().map(|item| item.title.as_deref().unwrap_or_default());
    let mut languages = Languages::of(titles.zip(bodies.iter().map(String::as_str)));
    let shared = shared_urls(&items, &bodies, &canonical);
    let is_own = |url: &str| is_page(url) && !shared.contains(url);
    let ambiguous = ambiguous_guids(&items, &canonical, is_own);
    let mut seen = HashSet::new();
    let mut identified = Vec::with_capacity(items.len());
    let mut left_to_add = MAX_ADDED_BYTES_A_DOCUMENT;
    for ((mut item, body), canonical) in items.into_iter().zip(bodies).zip(canonical) {
        bound_base(&mut item, &mut left_to_add);
        item.guid = item.guid.filter(|guid| !ambiguous.contains(guid));
        let title = item.title.as_deref().unwrap_or_default();
        if item.guid.is_none() && item.url.is_none() && title.is_empty() && body.is_empty() {
            continue;
        }
        let own_url = canonical.clone().filter(|url| is_own(url));
        let language = languages.language(title, &body, item.language.as_deref());
        let item = identify_one(source, item, body, canonical, own_url.as_deref(), language, fetched_at);
        if seen.insert(item.external_id.clone()) {
            identified.push(item);
        }
    }
    identified
}

/// Marks the items whose address is on the site of their source: the host of the source's address, or of the website
/// that its feed names, is the host of the item's address, or one is a subdomain of the other. Some publishers serve
/// their feeds from another host, so the feed's word is taken for its website.
pub fn mark_items_of_site(items: &mut [IdentifiedItem], source_url: &str, website: Option<&str>) {
    let sites: Vec<String> = [Some(source_url), website].into_iter().flatten().filter_map(site_of).collect();
    let is_own = |host: &str| sites.iter().any(|site| is_within(host, site) || is_within(site, host));
    for item in items {
        item.metadata.is_of_site = item.canonical_url.as_deref().and_then(site_of).is_some_and(|host| is_own(&host));
    }
}

/// Returns the host of an address, without `www.`.
fn site_of(address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    let host = url.host_str().filter(|host| !host.is_empty())?;
    Some(host.strip_prefix("www.").unwrap_or(host).to_owned())
}

/// Whether `host` is `site` or a subdomain of it. A top-level domain is nobody's site.
fn is_within(host: &str, site: &str) -> bool {
    let rest = host.strip_suffix(site);
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.') && site.contains('.'))
}

/// Returns the addresses that several entries have. An entry that is listed twice counts once.
fn shared_urls(items: &[NewItem], bodies: &[String], canonical: &[Option<String>]) -> HashSet<String> {
    let (mut entries, mut shared) = (HashMap::new(), HashSet::new());
    for ((item, body), url) in items.iter().zip(bodies).zip(canonical) {
        let Some(url) = url else { continue };
        let text = item.guid.is_none().then_some((item.title.as_deref(), body.as_str()));
        let entry = (item.guid.as_deref(), text);
        if *entries.entry(url).or_insert(entry) != entry {
            shared.insert(url.clone());
        }
    }
    shared
}

/// Returns the guids that entries with different pages of their own have: such a guid identifies none of them.
fn ambiguous_guids(items: &[NewItem], canonical: &[Option<String>], is_own: impl Fn(&str) -> bool) -> HashSet<String> {
    let (mut pages, mut ambiguous) = (HashMap::new(), HashSet::new());
    for (item, url) in items.iter().zip(canonical) {
        let (Some(guid), Some(url)) = (&item.guid, url.as_deref().filter(|url| is_own(url))) else { continue };
        if *pages.entry(guid.as_str()).or_insert(url) != url {
            ambiguous.insert(guid.clone());
        }
    }
    ambiguous
}

/// Removes addresses without end, which would be copied into every file of a digest.
fn bound_addresses(item: &mut NewItem) {
    for address in [&mut item.url, &mut item.discussion_url] {
        if address.as_ref().is_some_and(|address| address.len() > MAX_ADDRESS_BYTES) {
            *address = None;
        }
    }
}

fn identify_one(
    source: SourceId,
    item: NewItem,
    body_text: String,
    canonical: Option<String>,
    own_url: Option<&str>,
    language: Option<String>,
    fetched_at: Timestamp,
) -> IdentifiedItem {
    let title = item.title.as_deref().unwrap_or_default();
    let hash_text = text_hash(title, &body_text);
    let html = html_of(&item);
    let source = source.to_string();
    let (id, external_id) = match (item.guid, own_url) {
        (Some(guid), _) => (ItemId::of(&[&source, &guid]), guid),
        (None, Some(url)) => (ItemId::of(&["url", url]), url.to_owned()),
        (None, None) => (ItemId::of(&[&source, "text", &hash_text]), format!("text:{hash_text}")),
    };
    // A date in the future is a mistake or an advertisement, so the time of the fetch is used.
    let (time, time_basis) = match item.published_at.filter(|published| *published <= fetched_at) {
        Some(published) => (published, TimeBasis::Published),
        None => (fetched_at, TimeBasis::Fetched),
    };
    IdentifiedItem {
        id,
        external_id,
        url: item.url,
        canonical_url: canonical,
        hash_url: own_url.map(|url| hex32(url.as_bytes())),
        hash_text,
        title: item.title.filter(|title| !title.is_empty()),
        body_text,
        author: item.author,
        published_at: item.published_at,
        time,
        time_basis,
        engagement: item.engagement,
        metadata: ItemMetadata {
            categories: item.categories,
            discussion_url: item.discussion_url,
            updated_at: item.updated_at,
            full_text: None,
            is_zone_assumed: item.is_zone_assumed,
            is_of_site: false,
            byline: item.byline,
            language,
        },
        html,
    }
}

/// Returns the plain text of the longest body that the source gives; empty if it gives none. Connectors leave this
/// conversion to this function, so that parsing a feed does not wait for it.
#[must_use]
pub fn body_text(item: &NewItem) -> Cow<'_, str> {
    match &item.body_text {
        Some(text) => Cow::Borrowed(text),
        None => Cow::Owned(longest_markup(item).map(|markup| readable(markup, item.is_plain)).unwrap_or_default()),
    }
}

/// Returns the longest of an item's markups, sanitised.
fn html_of(item: &NewItem) -> Option<String> {
    let base = item.markup_base.as_deref().and_then(|base| Url::parse(base).ok());
    sanitize(longest_markup(item)?, base.as_ref())
}

/// Removes the base of an item's relative URLs, which are then left out, if resolving them could add too much.
fn bound_base(item: &mut NewItem, left_to_add: &mut usize) {
    let (Some(base), Some(markup)) = (&item.markup_base, longest_markup(item)) else { return };
    let added = added_bytes(markup, base);
    if added > MAX_ADDED_BYTES.min(*left_to_add) {
        item.markup_base = None;
    } else {
        *left_to_add -= added;
    }
}

fn longest_markup(item: &NewItem) -> Option<&str> {
    let both = [&item.content_markup, &item.summary_markup].into_iter().flatten();
    both.max_by_key(|markup| markup.len()).map(String::as_str)
}

/// Returns the hash of a title and a body, independent of white space and capitalisation.
#[must_use]
pub fn text_hash(title: &str, body: &str) -> String {
    hex32(format!("{}\n\n{}", fold_line(title).to_lowercase(), fold_line(body).to_lowercase()).as_bytes())
}

#[cfg(test)]
mod tests {
    use aha_core::ids::{ItemId, SourceId};
    use aha_core::item::{NewItem, TimeBasis};
    use aha_core::time::Timestamp;

    use super::{identify, mark_items_of_site};

    fn item(guid: Option<&str>, url: Option<&str>, title: &str) -> NewItem {
        NewItem {
            guid: guid.map(str::to_owned),
            url: url.map(str::to_owned),
            title: Some(title.to_owned()),
            ..NewItem::default()
        }
    }

    #[test]
    fn identity_is_guid_then_page_then_text() {
        let source = SourceId::of(&["t", "u"]);
        let now = Timestamp::from_millis(1_000_000);
        let found = identify(
            source,
            vec![
                item(Some("g1"), Some("http://www.x.org/a?utm_source=z"), "one"),
                item(None, Some("http://x.org/b/"), "two"),
                item(None, Some("https://x.org/"), "three"),
                item(None, Some("https://x.org/c"), "four"),
                item(None, Some("https://x.org/c"), "five"),
                item(Some("g1"), None, "again"),
                NewItem::default(),
            ],
            now,
        );
        assert_eq!(found.len(), 5);
        assert_eq!((found[0].id, found[0].external_id.as_str()), (ItemId::of(&[&source.to_string(), "g1"]), "g1"));
        assert!(found[0].hash_url.is_some(), "a guid does not keep the page from being compared");
        assert_eq!(found[1].id, ItemId::of(&["url", "https://x.org/b"]));
        assert!(found[2..].iter().all(|i| i.hash_url.is_none() && i.external_id.starts_with("text:")));
        assert_eq!(found[0].hash_text.len(), 32);
    }

    #[test]
    fn an_item_is_of_its_sources_site_by_the_host_of_the_feed_or_of_its_website() {
        let is_of_site = |source: &str, website: Option<&str>, address: &str| {
            let entries = vec![item(Some("1"), Some(address), "one")];
            let mut found = identify(SourceId::of(&["s"]), entries, Timestamp::from_millis(1));
            mark_items_of_site(&mut found, source, website);
            found[0].metadata.is_of_site
        };
        let page = "https://www.gazette.example/ferry";
        for source in ["https://gazette.example/a", "http://feeds.gazette.example/a", "https://www.gazette.example/"] {
            assert!(is_of_site(source, None, page), "{source}");
        }
        let hosted = "https://feeds.hosting.example/gazette";
        assert!(is_of_site(hosted, Some("https://gazette.example/"), page));
        assert!(is_of_site("file:///feeds/gazette.xml", Some("https://gazette.example/"), page));
        assert!(is_of_site("https://gazette.example/feed", None, "https://blog.gazette.example/ferry"));
        for source in ["https://blog.example/feed", "https://notgazette.example/feed", "file:///feed.xml", "hn:top"] {
            assert!(!is_of_site(source, Some("https://blog.example/"), page), "{source}");
        }
        assert!(!is_of_site(hosted, Some("https://example/"), page), "a top-level domain");
    }

    #[test]
    fn a_guid_of_several_pages_identifies_none_of_them() {
        let source = SourceId::of(&["s"]);
        let mut entries: Vec<NewItem> =
            (1..=5).map(|n| item(Some("1"), Some(&format!("https://x.org/{n}")), &format!("title {n}"))).collect();
        entries.push(item(Some("2"), Some("https://x.org/6"), "one of its own"));
        let found = identify(source, entries, Timestamp::from_millis(1));
        let external: Vec<&str> = found.iter().map(|item| item.external_id.as_str()).collect();
        let pages = ["https://x.org/1", "https://x.org/2", "https://x.org/3", "https://x.org/4", "https://x.org/5"];
        assert_eq!(external, [&pages[..], &["2"]].concat());
    }

    #[test]
    fn an_address_without_end_is_none() {
        let long = format!("https://x.org/{}", "a".repeat(300_000));
        let entries = vec![item(Some("1"), Some(&long), "one")];
        let found = identify(SourceId::of(&["s"]), entries, Timestamp::from_millis(1));
        assert_eq!((&found[0].url, &found[0].canonical_url, &found[0].hash_url), (&None, &None, &None));
    }

    #[test]
    fn an_entry_that_is_listed_twice_keeps_its_address() {
        let entries = vec![
            item(Some("g1"), Some("https://x.org/a"), "one"),
            item(Some("g1"), Some("https://x.org/a"), "one"),
            item(None, Some("https://x.org/b"), "two"),
            item(None, Some("https://x.org/b"), "two"),
        ];
        let found = identify(SourceId::of(&["s"]), entries, Timestamp::from_millis(1));
        let external: Vec<&str> = found.iter().map(|item| item.external_id.as_str()).collect();
        assert_eq!(external, ["g1", "https://x.org/b"]);
        assert!(found.iter().all(|item| item.hash_url.is_some()));
    }

    #[test]
    fn resolving_links_adds_a_bounded_amount() {
        let with_base = |links: usize, base_bytes: usize, guid: &str| NewItem {
            content_markup: Some(format!("<p>text</p>{}", "<a HREF='x'>y</a> ".repeat(links))),
            markup_base: Some(format!("https://x.org/{}/", "b".repeat(base_bytes))),
            ..item(Some(guid), None, "t")
        };
        let html_bytes = |items: Vec<NewItem>| -> Vec<usize> {
            let found = identify(SourceId::of(&["s"]), items, Timestamp::from_millis(1));
            found.iter().map(|item| item.html.as_ref().map_or(0, String::len)).collect()
        };
        let usual = html_bytes(vec![with_base(1_000, 10, "1")]);
        assert!(usual[0] > 1_000 * "<a href='https://x.org/'>y</a>".len(), "links are resolved: {usual:?}");
        let long = html_bytes(vec![with_base(5_000, 1_900, "1")]);
        assert!(long[0] > 5_000 && long[0] < 1024 * 1024, "the text is kept without its links: {long:?}");
        let many: Vec<NewItem> = (0..40).map(|n| with_base(500, 1_500, &n.to_string())).collect();
        let total: usize = html_bytes(many).iter().sum();
        assert!(total < 20 * 1024 * 1024, "all items together: {total}");
    }

    #[test]
    fn a_future_date_is_replaced_by_the_fetch_time() {
        let now = Timestamp::from_millis(1_000_000);
        let at = |millis| NewItem { published_at: Some(Timestamp::from_millis(millis)), ..item(Some("g"), None, "x") };
        let future = &identify(SourceId::of(&["s"]), vec![at(1_000_001)], now)[0];
        assert_eq!(
            (future.time, future.time_basis, future.published_at),
            (now, TimeBasis::Fetched, Some(Timestamp::from_millis(1_000_001)))
        );
        let past = &identify(SourceId::of(&["s"]), vec![at(999_999)], now)[0];
        assert_eq!((past.time.as_millis(), past.time_basis), (999_999, TimeBasis::Published));
    }
}
