//! Documents made to break a reader: never a panic, never a lost thread, never minutes of work.

use std::time::{Duration, Instant};

use aha_radar::sources::feed::{MAX_ITEMS, parse};
use proptest::prelude::*;

fn timed(name: &str, document: &str) {
    let start = Instant::now();
    let _ = parse(document.as_bytes(), None, None);
    // Far above what an unoptimised build on a busy machine needs; what is quadratic takes minutes.
    assert!(start.elapsed() < Duration::from_mins(1), "{name} took {:?}", start.elapsed());
}

#[test]
fn documents_made_to_be_slow_are_not() {
    let rss = |inner: String| format!("<rss version='2.0'><channel><item>{inner}</item></channel></rss>");
    let n = 100_000;
    timed("open titles", &"<title>".repeat(n));
    timed("titles before a distant end", &format!("<rss version='2.0'><channel><item>{}</x>", "<title>".repeat(n)));
    timed("ampersands", &rss("&".repeat(n)));
    timed("angles", &rss(format!("<title>{}</title>", "<".repeat(n))));
    timed("tags without end", &rss(format!("<title>{}</title>", "&lt;b ".repeat(n))));
    timed("doctypes", &rss("<![>".repeat(n)));
    timed("doctypes with subsets", &rss("<!DOCTYPE [>".repeat(n)));
    timed("cdata", &rss("<![CDATA[".repeat(n)));
    timed("items", &format!("<rss version='2.0'><channel>{}", "<item>".repeat(n)));
    timed(
        "foreign ends",
        &rss(format!("<description>{}{}</description>", "&lt;b&gt;".repeat(n), "&lt;/i&gt;".repeat(n))),
    );
    timed(
        "entities",
        &format!("<!DOCTYPE rss [<!ENTITY a \"x\"><!ENTITY b \"&a;&a;\">]>{}", rss("<title>&b;</title>".to_owned())),
    );
    timed(
        "a large head",
        &format!("<rss version='2.0'><channel><title>{}</title>{}", "x".repeat(n), "<item><b></item>".repeat(2000)),
    );
}

#[test]
fn deep_nesting_is_refused_before_it_overflows_a_stack() {
    let nested = format!("{}{}", "<media:group>".repeat(100_000), "</media:group>".repeat(100_000));
    let document = format!(
        "<rss version='2.0' xmlns:media='http://search.yahoo.com/mrss/'><channel><item>{nested}</item></channel></rss>"
    );
    assert_eq!(parse(document.as_bytes(), None, None).unwrap_err().kind(), "unparseable");
}

#[test]
fn what_makes_feed_rs_panic_costs_at_most_the_item() {
    let feed = |author: &str, extra: &str| {
        let text = format!(
            "<rss version='2.0' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'><channel><item><title>A</title>\
             <author>{author}</author>{extra}</item><item><title>B</title></item></channel></rss>"
        );
        parse(text.as_bytes(), None, None).unwrap()
    };
    let mail = feed("张三（zhang@example.com）李", "");
    assert_eq!(mail.items.len(), 2);
    assert!(mail.items[0].author.as_deref().is_some_and(|a| a.contains("张三")), "{:?}", mail.items[0].author);
    let duration = feed("x", "<itunes:duration>99999999999999999999999:00:00</itunes:duration>");
    assert_eq!(duration.items.len(), 1);
}

#[test]
fn a_feed_is_capped() {
    let items = "<item><title>x</title></item>".repeat(MAX_ITEMS + 5);
    let feed = parse(format!("<rss version='2.0'><channel>{items}</channel></rss>").as_bytes(), None, None).unwrap();
    assert_eq!(feed.items.len(), MAX_ITEMS);
    let long = format!(
        "<rss version='2.0'><channel><item><description>{}é</description></item></channel></rss>",
        "x".repeat(1024 * 1024 - 1)
    );
    let cut = parse(long.as_bytes(), None, None).unwrap();
    assert!(cut.items[0].body_text.len() <= 1024 * 1024 && feed.problems.len() == 1 && cut.problems.len() == 1);
}

const SEED: &str = "<?xml version='1.0' encoding='utf-8'?><rss version='2.0' xmlns:dc='http://purl.org/dc/elements/1.1/' \
    xmlns:media='http://search.yahoo.com/mrss/'><channel><title>Tïtle &amp; &#8217;</title><item><title>A <b>b</b></title>\
    <link>http://x.org/a?b=1&amp;c</link><guid isPermaLink='false'>1</guid><dc:creator>é（a@b.cd）</dc:creator>\
    <description><![CDATA[<p>x</p>]]></description><media:group><media:text start='1:00:00'>t</media:text></media:group>\
    <pubDate>Fri, 01 Mar 2024 10:20:30 GMT</pubDate></item></channel></rss>";

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = parse(&bytes, Some("text/xml"), None);
    }

    #[test]
    fn random_markup_never_panics(text in "(<|>|/|rss|feed|item|entry|title|:|dc|xmlns|=|'|\"|&|;|#|!\\[CDATA\\[|\\]\\]>|--|\\{|\\}| |é|type|content){0,60}") {
        let _ = parse(format!("<rss version='2.0'><channel>{text}").as_bytes(), None, None);
        let _ = parse(text.as_bytes(), None, Some("https://example.org/"));
    }

    #[test]
    fn mutated_feeds_never_panic(edits in proptest::collection::vec((0..SEED.len(), any::<u8>(), 0..3_u8), 1..12), cut in 0..SEED.len() * 2) {
        let mut bytes = SEED.as_bytes().to_vec();
        for (at, byte, edit) in edits {
            let at = at.min(bytes.len() - 1);
            match edit {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => { bytes.remove(at); }
            }
        }
        bytes.truncate(cut.max(1));
        let _ = parse(&bytes, None, Some("https://example.org/"));
    }
}
