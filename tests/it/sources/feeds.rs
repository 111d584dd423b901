//! Feeds of each format and dialect, whole and broken.

use aha_content::feed::{ParsedFeed, parse};
use aha_radar::sources::identity::body_text;

fn read(text: &str) -> ParsedFeed {
    parse(text.as_bytes(), None, Some("https://example.org/feed.xml")).unwrap()
}

fn rss(inner: &str) -> ParsedFeed {
    read(&format!("<rss version=\"2.0\"><channel><title>T</title>{inner}</channel></rss>"))
}

#[test]
fn rss_items_are_read_in_full() {
    let feed = read(
        r#"<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"
            xmlns:slash="http://purl.org/rss/1.0/modules/slash/"><channel><title>News &amp;amp; more</title><link>https://example.org/</link>
            <language>EN_gb</language><description>About &lt;b&gt;things&lt;/b&gt;</description>
            <item><title>Fish &amp;amp; &lt;i&gt;chips&lt;/i&gt;</title><link>/a</link><guid isPermaLink="false">7</guid>
            <comments>https://talk.example.org/7</comments><slash:comments>12</slash:comments><dc:creator>Ann</dc:creator>
            <category>Food</category><category>food</category><pubDate>Fri, 01 Mar 2024 10:20:30 EST</pubDate>
            <description>Short</description><content:encoded><![CDATA[<p>Long &amp; good</p><script>x()</script><p>Read more</p>]]></content:encoded></item>
            <item><guid>https://example.org/b</guid></item>
            <item><guid isPermaLink="false">https://example.org/c</guid><title/></item></channel></rss>"#,
    );
    assert_eq!((feed.format.as_str(), feed.title.as_deref()), ("rss2.0", Some("News & more")));
    assert_eq!(feed.language.as_deref(), Some("en-gb"));
    assert_eq!(feed.description.as_deref(), Some("About <b>things</b>"));
    let item = &feed.items[0];
    assert_eq!(item.title.as_deref(), Some("Fish & chips"));
    assert_eq!((item.guid.as_deref(), item.url.as_deref()), (Some("7"), Some("https://example.org/a")));
    assert_eq!(body_text(item), "Long & good");
    assert_eq!((item.summary_markup.as_deref(), item.author.as_deref()), (Some("Short"), Some("Ann")));
    assert_eq!(item.published_at.map(|t| t.to_string()).as_deref(), Some("2024-03-01T15:20:30Z"));
    assert_eq!((item.updated_at, item.categories.as_slice()), (None, ["Food".to_owned()].as_slice()));
    assert_eq!(
        (item.engagement.comments, item.discussion_url.as_deref()),
        (Some(12), Some("https://talk.example.org/7"))
    );
    assert_eq!(feed.items[1].url.as_deref(), Some("https://example.org/b"));
    assert_eq!((feed.items[2].url.as_deref(), feed.items[2].title.as_deref()), (None, Some("")));
    assert!(feed.problems.is_empty(), "{:?}", feed.problems);
}

#[test]
fn nothing_is_invented() {
    let feed = rss("<item><title>x</title></item><item><title>y</title><pubDate>soon</pubDate></item>");
    for item in &feed.items {
        assert_eq!((&item.guid, &item.url, item.published_at, item.updated_at), (&None, &None, None, None));
    }
    let same = rss("<item><link>https://x.org/a</link><comments>https://x.org/a</comments></item>");
    assert_eq!(same.items[0].discussion_url, None);
}

#[test]
fn atom_is_read_in_both_versions() {
    let feed = read(
        "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='https://example.org/blog/' xmlns:thr='http://purl.org/syndication/thread/1.0'>\
         <title>T</title><author><name>Editor</name></author><link rel='self' href='/self'/><link href='/'/>\
         <entry><id>tag:1</id><title type='html'>a &amp;lt; b</title><link rel='edit' href='e'/><link rel='alternate' href='p'/>\
         <link rel='replies' type='text/html' href='p#talk' thr:count='3'/><updated>2024-03-01T10:20:30Z</updated>\
         <content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'><p>One</p><p>Two</p></div></content></entry></feed>",
    );
    let item = &feed.items[0];
    assert_eq!((item.title.as_deref(), item.url.as_deref()), (Some("a < b"), Some("https://example.org/blog/p")));
    assert_eq!((item.author.as_deref(), &*body_text(item)), (Some("Editor"), "One\nTwo"));
    assert_eq!((item.published_at, item.engagement.comments), (item.updated_at, Some(3)));
    assert!(item.published_at.is_some());
    assert_eq!(item.discussion_url.as_deref(), Some("https://example.org/blog/p#talk"));
    assert_eq!(feed.link.as_deref(), Some("https://example.org/"));

    let old = read(
        "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><title>T</title><tagline>About</tagline><entry><id>1</id>\
         <title mode='escaped' type='text/html'>A &lt;b&gt;b&lt;/b&gt;</title><issued>2003-12-31T10:14:55Z</issued><modified>2004-01-01T00:00:00Z</modified>\
         <content type='text/html' mode='escaped'>&lt;p&gt;Body&lt;/p&gt;</content></entry></feed>",
    );
    let item = &old.items[0];
    assert_eq!((item.title.as_deref(), &*body_text(item)), (Some("A b"), "Body"));
    assert_eq!(item.published_at.map(|t| t.to_string()).as_deref(), Some("2003-12-31T10:14:55Z"));
    assert_eq!(item.updated_at.map(|t| t.to_string()).as_deref(), Some("2004-01-01T00:00:00Z"));
    assert!(!old.problems.is_empty());
}

#[test]
fn json_feeds_may_have_numbers_for_ids() {
    let feed = read(
        r#"{"version":"https://jsonfeed.org/version/1.1","title":"J","authors":[{"name":"Ann"}],"items":[
            {"id":17,"url":"https://example.org/17","content_text":"a < b\nand more","date_published":"2024-03-01T10:20:30+01:00","tags":["x",3]},
            {"id":"18","content_html":"<p>h</p>","attachments":[{"url":"x"}]}, 5]}"#,
    );
    assert_eq!((feed.format.as_str(), feed.items.len()), ("json1", 2));
    assert_eq!((feed.items[0].guid.as_deref(), &*body_text(&feed.items[0])), (Some("17"), "a < b\nand more"));
    assert_eq!((feed.items[0].author.as_deref(), &*body_text(&feed.items[1])), (Some("Ann"), "h"));
    assert_eq!(feed.problems.len(), 2);
    assert_eq!(parse(b"{\"a\":1}", None, None).unwrap_err().kind(), "not_a_feed");
}

#[test]
fn broken_documents_are_repaired_and_it_is_said() {
    let cases: [(&str, &str, &[&str]); 14] = [
        ("<rss version='2.0'><channel><item><title>A & B</title></item></channel></rss>", "bare &", &["A & B"]),
        (
            "<rss version='2.0'><channel><item><title>A&nbsp;&eacute; & b</title></item></channel></rss>",
            "HTML entity",
            &["A é & b"],
        ),
        ("<rss version='2.0'><channel><item><title>A\u{1} & B</title></item></channel></rss>", "control", &["A & B"]),
        (
            "<rss version='2.0'><channel><item><title>A &#0;B</title></item></channel></rss>",
            "no character",
            &["A \u{fffd}B"],
        ),
        ("<rss><channel><item><title>A</title></item></channel></rss>", "version", &["A"]),
        (
            "<rss version='2.0'><channel><item><title>A</title><description>x<br>y</description></item></channel></rss>",
            "HTML in a text",
            &["A"],
        ),
        ("<rss version='2.0'><channel><item><title>A</title></item><item><title>B</tit", "incomplete", &["A"]),
        ("<rss version='2.0'><channel><item><title>A</title></item>", "incomplete", &["A"]),
        ("<feed xmlns='https://www.w3.org/2005/Atom'><entry><title>A</title></entry></feed>", "namespace", &["A"]),
        (
            "<rss version='2.0' xmlns='http://backend.userland.com/rss2'><channel><item><title>A</title></item></channel></rss>",
            "namespace",
            &["A"],
        ),
        (
            "<rss version='2.0'><channel><item><media:title>no</media:title><title>A</title><dc:date>2024-03-01</dc:date></item></channel></rss>",
            "prefix",
            &["A"],
        ),
        (
            "<br /><b>Warning</b>: in x.php\n<?xml version='1.0'?><rss version='2.0'><channel><item><title>A</title></item></channel></rss>",
            "before",
            &["A"],
        ),
        (
            "<rss version='2.0'><channel><title>T</title></channel><item><title>A</title></item></rss>",
            "outside",
            &["A"],
        ),
        (
            "<feed xmlns='http://www.w3.org/2005/Atom'><entry><title type='weird'>A</title></entry><entry><title>B</title>\
             <content type='text/x-odd'/></entry></feed>",
            "",
            &["A", "B"],
        ),
    ];
    for (text, problem, titles) in cases {
        let feed = read(text);
        let found: Vec<_> = feed.items.iter().filter_map(|i| i.title.as_deref()).collect();
        assert_eq!(found, titles, "{text}");
        assert!(problem.is_empty() || feed.problems.iter().any(|p| p.contains(problem)), "{text}: {:?}", feed.problems);
    }
    let dated = rss("<item><dc:date>2024-03-01</dc:date></item>");
    assert!(dated.items[0].published_at.is_some());
}

#[test]
fn the_root_element_decides_and_ends_the_feed() {
    let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><entry><title>A</title></entry></feed>";
    let text = "A text that is long enough to be lifted out of its document.";
    let rss = format!(
        "<rss version='2.0'><channel><item><title>A</title><description>{text}</description></item></channel></rss>"
    );
    for start in
        ["<?xml version='1.0'?><!DOCTYPE html>", "<!doctype html PUBLIC '-//W3C//DTD XHTML 1.0//EN'><!-- <html> -->\n"]
    {
        for feed in [atom, &rss] {
            let feed = read(&format!("{start}{feed}"));
            assert_eq!(feed.items.len(), 1, "{start}");
            assert_eq!(feed.problems, ["the document type is that of HTML, the root element that of a feed"]);
        }
    }
    for end in
        ["<script src='x'></script>", "<script>if (a < b && c) {}", "</rss>", "words", "<!-- x", "<rss><item/></rss>"]
    {
        for feed in [atom, &rss] {
            let feed = read(&format!("{feed}\n{end}"));
            assert_eq!(feed.items.len(), 1, "{end}");
            assert_eq!(feed.problems, ["what follows the feed's end was left out"], "{end}");
        }
    }
    let read_in_full = read(&format!("{rss}\n<!-- made in 0.1 s --><?end ?>\n"));
    assert!(read_in_full.problems.is_empty(), "{:?}", read_in_full.problems);
}

#[test]
fn invalid_bytes_do_not_lose_the_feed() {
    let mut bytes =
        "<?xml version='1.0' encoding='utf-8'?><rss version='2.0'><channel><item><title>Gr\u{fc}\u{df}e aus K\u{f6}ln"
            .as_bytes()
            .to_vec();
    bytes.extend_from_slice(b" it\x92s</title></item></channel></rss>");
    let feed = parse(&bytes, Some("application/rss+xml"), None).unwrap();
    assert_eq!(feed.items[0].title.as_deref(), Some("Grüße aus Köln it’s"));
    let latin1 = b"<rss version='2.0'><channel><item><title>Caf\xE9</title></item></channel></rss>";
    let feed = parse(latin1, Some("text/xml; charset=iso-8859-1"), None).unwrap();
    assert_eq!(feed.items[0].title.as_deref(), Some("Café"));
}

#[test]
fn what_is_no_feed_is_named() {
    for (text, found) in [
        ("", "empty"),
        ("  \n", "empty"),
        ("<!doctype html><html><title>x</title>", "HTML"),
        ("<?xml version='1.0'?><!DOCTYPE html><html xmlns='http://www.w3.org/1999/xhtml'/>", "HTML"),
        ("<!doctype html><title>x</title><p>On <rss> and <feed>", "HTML"),
        ("<opml><body/></opml>", "<opml>"),
        ("plain words", "neither"),
        ("\u{1f}\u{8b}binary", "neither"),
    ] {
        let error = parse(text.as_bytes(), None, None).unwrap_err();
        assert_eq!(error.kind(), "not_a_feed", "{text}");
        assert!(error.to_string().contains(found), "{error}");
    }
    assert!(rss("").items.is_empty(), "a feed without items is a feed");
}
