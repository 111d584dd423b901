//! Documents made to break a reader: never a panic, never a lost thread, never minutes of work.

use std::time::{Duration, Instant};

use aha_content::canonical::canonical_url;
use aha_content::feed::{MAX_ITEMS, parse, parse_date, parse_within};
use aha_content::html::{clean_line, html_to_text};
use aha_content::language::Languages;
use aha_content::sanitize::sanitize;
use aha_radar::sources::identity::body_text;
use aha_radar::sources::{Sites, opml};
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
fn attributes_and_namespaces_without_number_are_refused() {
    let many = |n: usize, start: &str| (0..n).map(|i| format!(" {start}{i}='x'")).collect::<Vec<_>>().concat();
    for (name, tag) in [
        ("attributes", many(200_000, "a")),
        ("namespaces", many(1_000_000, "xmlns:n")),
        ("bases", many(200_000, "xml:base")),
    ] {
        let document = format!("<rss version='2.0'{tag}><channel><item><title>x</title></item></channel></rss>");
        timed(name, &document);
        let error = parse(document.as_bytes(), None, None).unwrap_err();
        assert!(error.to_string().contains("attributes"), "{name}: {error}");
    }
    // Spread over elements, so that each by itself passes.
    let nested = |n: usize| format!("<x:a{}>", many(250, &format!("xmlns:n{n}_")));
    let spread = (0..200).map(nested).collect::<Vec<_>>().concat();
    timed("spread namespaces", &format!("<rss><channel><item>{spread}{}", "<y:b/>".repeat(100_000)));
}

#[test]
fn a_million_items_are_read_up_to_the_limit() {
    let start = Instant::now();
    for document in [
        format!("<rss version='2.0'><channel><title>T</title>{}</channel></rss>", "<item/>".repeat(1_000_000)),
        format!("<feed xmlns='http://www.w3.org/2005/Atom'>{}</feed>", "<entry><id>1</id></entry>".repeat(200_000)),
        format!(
            "{{\"version\":\"https://jsonfeed.org/version/1.1\",\"items\":[{}{{}}]}}",
            "{\"id\":\"1\"},".repeat(300_000)
        ),
    ] {
        // An unoptimised build on a busy machine may take longer than the usual deadline.
        let feed = parse_within(document.as_bytes(), None, None, Duration::from_mins(5)).unwrap();
        assert_eq!(feed.items.len(), MAX_ITEMS, "{}", feed.format);
        assert!(feed.problems.iter().any(|p| p.contains("only the first")), "{:?}", feed.problems);
    }
    assert!(start.elapsed() < Duration::from_mins(5), "{:?}", start.elapsed());
}

#[test]
fn bases_and_languages_without_end_are_in_no_item() {
    let (own, long) = ("https://feeds.example/feed.xml", "a".repeat(5_000));
    let read = |text: &str, url: &str| parse(text.as_bytes(), None, Some(url)).unwrap();
    let rss = |channel: &str, item: &str| {
        format!("<rss version='2.0'><channel>{channel}<item><title>A</title>{item}</item></channel></rss>")
    };
    let channel = format!("<link>https://x.org/{long}</link><language>{}</language>", "e".repeat(100));
    let of_site = read(&rss(&channel, ""), own);
    assert_eq!(of_site.items[0].markup_base.as_deref(), Some(own));
    assert_eq!((&of_site.language, &of_site.items[0].language), (&None, &None));
    let item = format!("<description xml:base='https://x.org/{long}/'>B</description>");
    let declared = read(&rss("", &item), own);
    assert_eq!(declared.items[0].markup_base.as_deref(), Some(own));
    assert_eq!(declared.problems, ["an xml:base is no address"]);
    let entry = "<entry><id>1</id><link href='p'/></entry>";
    let atom = format!("<feed xmlns='http://www.w3.org/2005/Atom' xml:base='/{long}/'>{entry}</feed>");
    assert_eq!(read(&atom, own).items[0].url.as_deref(), Some("https://feeds.example/p"));
    assert_eq!(read(&rss("", ""), &format!("https://x.org/{long}")).items[0].markup_base, None);
}

#[test]
fn entities_of_a_documents_own_are_not_expanded() {
    let laughs = (1..10)
        .map(|n| format!("<!ENTITY l{n} \"{}\">", format!("&l{};", n - 1).repeat(10)))
        .collect::<Vec<_>>()
        .concat();
    for (name, subset) in [
        ("billion laughs", format!("<!ENTITY l0 \"lol\">{laughs}")),
        ("external", "<!ENTITY l9 SYSTEM \"file:///etc/passwd\">".to_owned()),
        ("parameters", "<!ENTITY % p SYSTEM \"http://127.0.0.1/x.dtd\">%p;".to_owned()),
    ] {
        let document = format!(
            "<?xml version='1.0'?><!DOCTYPE rss [{subset}]><rss version='2.0'><channel><item><title>a &l9; b</title></item></channel></rss>"
        );
        let feed = parse(document.as_bytes(), None, None).unwrap();
        let title = feed.items[0].title.clone().unwrap();
        assert!(title.starts_with('a') && title.ends_with('b') && title.len() < 20, "{name}: {title}");
    }
}

#[test]
fn characters_that_are_none_do_no_harm() {
    let title = |text: &[u8]| {
        let document =
            [b"<rss version='2.0'><channel><item><title>a", text, b"b</title></item></channel></rss>"].concat();
        parse(&document, None, None).unwrap().items[0].title.clone().unwrap()
    };
    assert_eq!(title(b"\0"), "ab");
    assert_eq!(title("\u{202e}\u{2066}\u{200f}".as_bytes()), "ab");
    assert_eq!(title(b"&#xD800;&#0;&#x110000;").trim_matches(['a', 'b', '\u{fffd}']), "");
    // A surrogate as UTF-8 cannot have it: what its bytes are taken for does not matter, the feed is read.
    assert!(title(b"\xED\xA0\x80").starts_with('a'));
    let json = r#"{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","title":"a\ud800b"},{"id":"2"}]}"#;
    let feed = parse(json.as_bytes(), None, None).unwrap();
    assert_eq!((feed.items[0].title.as_deref(), feed.items.len()), (Some("a\u{fffd}b"), 2));
    for charset in ["utf-16", "utf-7", "ebcdic", "x-user-defined", "replacement", "iso-2022-jp", "no such charset", ""]
    {
        let document = format!(
            "<?xml version='1.0' encoding='{charset}'?><rss version='2.0'><channel><item><title>plain</title></item></channel></rss>"
        );
        let feed = parse(document.as_bytes(), Some("text/xml; charset=utf-16le"), None).unwrap();
        assert_eq!(feed.items[0].title.as_deref(), Some("plain"), "{charset}");
    }
}

#[test]
fn years_that_cannot_be_are_no_dates() {
    for date in [
        "0000-01-01T00:00:00Z",
        "99999-12-31T00:00:00Z",
        "Fri, 01 Jan 99999 00:00:00 GMT",
        "-271821-04-20",
        "9999999999999999999",
    ] {
        let text = format!(
            "<rss version='2.0'><channel><item><title>x</title><pubDate>{date}</pubDate></item></channel></rss>"
        );
        assert_eq!(parse(text.as_bytes(), None, None).unwrap().items[0].published_at, None, "{date}");
    }
}

#[test]
fn reading_stops_at_its_deadline() {
    let document =
        format!("<rss version='2.0'><channel>{}</channel></rss>", "<item><title>x</title></item>".repeat(200_000));
    let start = Instant::now();
    let error = parse_within(document.as_bytes(), None, None, Duration::ZERO).unwrap_err();
    assert!(error.to_string().contains("too long"), "{error}");
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
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
fn of_too_many_items_the_newest_are_kept() {
    let item = |n: usize| {
        let date = format!("<pubDate>{}</pubDate>", 1_700_000_000 + n);
        format!("<item><title>{n}</title>{}</item>", if n == 0 { "" } else { &date })
    };
    let items = (0..MAX_ITEMS + 2).map(item).collect::<Vec<_>>().concat();
    let feed = parse(format!("<rss version='2.0'><channel>{items}</channel></rss>").as_bytes(), None, None).unwrap();
    let titles: Vec<&str> = feed.items.iter().filter_map(|item| item.title.as_deref()).collect();
    assert_eq!((titles.len(), titles[0], titles[MAX_ITEMS - 1]), (MAX_ITEMS, "2", "5001"));
    assert_eq!(feed.left_out.as_deref(), Some("5002 items; only the newest 5000 were kept"));
    assert_eq!(feed.problems, feed.left_out.into_iter().collect::<Vec<_>>());
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
    assert!(body_text(&cut.items[0]).len() <= 1024 * 1024 && feed.problems.len() == 1 && cut.problems.len() == 1);
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
    fn garbage_never_panics_anywhere(bytes in proptest::collection::vec(any::<u8>(), 0..300), text in "\\PC{0,120}") {
        for text in [String::from_utf8_lossy(&bytes).as_ref(), &text] {
            let texts = std::iter::repeat_n((text, text), 4);
            let _ = (canonical_url(text), parse_date(text), Languages::of(texts).language(text, text, Some(text)));
            let _ = (sanitize(text, None), html_to_text(text), clean_line(text));
            let _ = canonical_url(&format!("https://{text}/{text}?{text}#{text}"));
            let _ = sanitize(&format!("<a href=\"{text}\" {text}><{text}>"), None);
            let _ = parse(format!("{{\"items\":[{{\"id\":\"{text}\"}}]}}").as_bytes(), None, None);
            let _ = opml::read(format!("<opml><outline xmlUrl=\"{text}\"/>{text}").as_bytes(), "x", None, &Sites::default());
        }
        let _ = opml::read(&bytes, "x", None, &Sites::default());
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
