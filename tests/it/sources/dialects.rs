//! Old, rare and careless dialects: what each element means is told from the feed, whoever wrote it.

use aha_content::feed::{ParsedFeed, parse};
use aha_radar::sources::identity::body_text;

fn read(text: &str) -> ParsedFeed {
    parse(text.as_bytes(), None, Some("https://example.org/feed.xml")).unwrap()
}

fn rss(item: &str) -> ParsedFeed {
    read(&format!("<rss version='2.0'><channel><title>T</title><item>{item}</item></channel></rss>"))
}

#[test]
fn channel_definition_format_is_read() {
    let feed = read(
        "<CHANNEL HREF='http://cdf.example/' LASTMOD='2004-04-06'><TITLE>Early</TITLE><ABSTRACT>About &amp; more</ABSTRACT>\
         <CHANNEL><TITLE>Within</TITLE><ITEM HREF='/1' LASTMOD='2004-04-06T23:05:43-05:00'><TITLE>One</TITLE><ABSTRACT>First</ABSTRACT></ITEM></CHANNEL>\
         <ITEM><A HREF='http://cdf.example/2'>two</A><TITLE>Two</TITLE></ITEM></CHANNEL>",
    );
    assert_eq!(
        (feed.format.as_str(), feed.title.as_deref(), feed.link.as_deref()),
        ("cdf", Some("Early"), Some("http://cdf.example/"))
    );
    assert_eq!(feed.description.as_deref(), Some("About & more"));
    let found: Vec<_> = feed.items.iter().map(|item| (item.title.as_deref(), item.url.as_deref())).collect();
    assert_eq!(found, [(Some("One"), Some("http://cdf.example/1")), (Some("Two"), Some("http://cdf.example/2"))]);
    assert_eq!(feed.items[0].updated_at.map(|at| at.to_string()).as_deref(), Some("2004-04-07T04:05:43Z"));
    assert_eq!(feed.items[0].summary_markup.as_deref(), Some("First"));
}

#[test]
fn of_a_summary_and_a_description_the_first_is_the_summary() {
    for (item, summary, content) in [
        ("<summary>S</summary><description>D</description>", Some("S"), Some("D")),
        ("<description>D</description><summary>S</summary>", Some("D"), Some("S")),
        ("<summary>S</summary>", Some("S"), None),
    ] {
        let feed = rss(item);
        let item = &feed.items[0];
        assert_eq!((item.summary_markup.as_deref(), item.content_markup.as_deref()), (summary, content));
    }
}

#[test]
fn bodies_are_found_however_they_are_wrapped() {
    for item in [
        "<body xmlns='http://www.w3.org/1999/xhtml'><p>A <b>b</b></p></body>",
        "<xhtml:body xmlns:xhtml='http://www.w3.org/1999/xhtml'><xhtml:p>A <xhtml:b>b</xhtml:b></xhtml:p></xhtml:body>",
        "<fullitem>&lt;p&gt;A &lt;b&gt;b&lt;/b&gt;&lt;/p&gt;</fullitem>",
        "<content:encoded>&lt;p&gt;A &lt;b&gt;b&lt;/b&gt;&lt;/p&gt;</content:encoded>",
    ] {
        let feed = rss(item);
        assert_eq!(feed.items[0].content_markup.as_deref(), Some("<p>A <b>b</b></p>"), "{item}");
        assert_eq!(body_text(&feed.items[0]), "A b", "{item}");
    }
    let atom = read(
        "<feed xmlns='http://www.w3.org/2005/Atom'><entry>\
         <content type='html'><div xmlns='http://www.w3.org/1999/xhtml'>A &lt;b&gt;b&lt;/b&gt;</div></content></entry></feed>",
    );
    assert_eq!(atom.items[0].content_markup.as_deref(), Some("A <b>b</b>"));
}

#[test]
fn extensions_speak_where_the_format_is_silent() {
    let feed = rss(
        "<itunes:author>Ann</itunes:author><dcterms:issued>2024-03-01T10:00:00Z</dcterms:issued><dcterms:modified>2024-03-02</dcterms:modified>",
    );
    let item = &feed.items[0];
    assert_eq!(item.author.as_deref(), Some("Ann"));
    assert_eq!(item.published_at.map(|at| at.to_string()).as_deref(), Some("2024-03-01T10:00:00Z"));
    assert_eq!(item.updated_at.map(|at| at.to_string()).as_deref(), Some("2024-03-02T00:00:00Z"));
    let both = rss(
        "<author>Bea</author><dc:author>Ann</dc:author><pubDate>1 Mar 2024 10:00 GMT</pubDate><dcterms:created>2020</dcterms:created>",
    );
    assert_eq!(both.items[0].author.as_deref(), Some("Bea"));
    assert_eq!(both.items[0].published_at.map(|at| at.to_string()).as_deref(), Some("2024-03-01T10:00:00Z"));
    let atom = read(
        "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:language>nl</dc:language>\
         <entry><dc:date>2024-03-01</dc:date><dc:author>Cas</dc:author></entry></feed>",
    );
    assert_eq!((atom.language.as_deref(), atom.items[0].author.as_deref()), (Some("nl"), Some("Cas")));
    assert!(atom.items[0].published_at.is_some());
}

#[test]
fn a_date_without_a_zone_is_utc_and_marked() {
    let feed = rss("<pubDate>Fri, 01 Mar 2024 10:20:30</pubDate>");
    assert_eq!(feed.items[0].published_at.map(|at| at.to_string()).as_deref(), Some("2024-03-01T10:20:30Z"));
    assert!(
        feed.items[0].is_zone_assumed && feed.problems.iter().any(|p| p.contains("without a zone")),
        "{:?}",
        feed.problems
    );
    let feed = rss("<pubDate>Fri, 01 Mar 2024 10:20:30 EST</pubDate>");
    assert!(!feed.items[0].is_zone_assumed && feed.problems.is_empty());
}

#[test]
fn relative_addresses_start_where_the_format_says() {
    let channel = |link: &str, item: &str| {
        let text = format!("<rss version='2.0'><channel>{link}<item>{item}</item></channel></rss>");
        parse(text.as_bytes(), None, Some("https://feeds.example/of/blog.xml")).unwrap().items.remove(0)
    };
    let of_site = channel(
        "<link>https://blog.example/</link>",
        "<link>p/1</link><description>&lt;img src='i.png'&gt;</description>",
    );
    assert_eq!(of_site.url.as_deref(), Some("https://blog.example/p/1"));
    assert_eq!(of_site.markup_base.as_deref(), Some("https://blog.example/"));
    assert_eq!(channel("", "<link>p/1</link>").url.as_deref(), Some("https://feeds.example/of/p/1"));
    let own = channel(
        "<link>https://blog.example/</link>",
        "<description xml:base='https://img.example/a/'>&lt;img src='i.png'&gt;</description>",
    );
    assert_eq!(own.markup_base.as_deref(), Some("https://img.example/a/"));

    let atom = "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='/blog/'><link href='https://elsewhere.example/'/>\
                <entry xml:base='2024/'><link href='p'/><content type='html' xml:base='img/'>&lt;a href='x'&gt;y&lt;/a&gt;</content></entry></feed>";
    let item = parse(atom.as_bytes(), None, Some("https://feeds.example/atom.xml")).unwrap().items.remove(0);
    assert_eq!(item.url.as_deref(), Some("https://feeds.example/blog/2024/p"));
    assert_eq!(item.markup_base.as_deref(), Some("https://feeds.example/blog/2024/img/"));
}

#[test]
fn terminal_sequences_leave_nothing_behind() {
    for title in ["\u{1b}[31mRed\u{1b}[0m", "&#27;[31mRed&#27;[0m", "\u{9b}31mRed", "<![CDATA[\u{1b}]0;x\u{7}Red]]>"] {
        assert_eq!(rss(&format!("<title>{title}</title>")).items[0].title.as_deref(), Some("Red"), "{title:?}");
    }
    let json = r#"{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","title":"\u001b[31mRed"}]}"#;
    assert_eq!(read(json).items[0].title.as_deref(), Some("Red"));
}

fn rdf(items: &str) -> ParsedFeed {
    read(&format!(
        "<rdf:RDF xmlns='http://purl.org/rss/1.0/' xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\
         <channel><title>T</title></channel>{items}</rdf:RDF>"
    ))
}

#[test]
fn texts_are_read_that_stand_in_an_extension_alone() {
    let declared = "xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:media='http://search.yahoo.com/mrss/' \
                    xmlns:atom='http://www.w3.org/2005/Atom'";
    for (inner, title, summary, content) in [
        ("<dc:title>A &amp; B</dc:title>", Some("A & B"), None, None),
        ("<media:title>A</media:title>", Some("A"), None, None),
        ("<media:title>A</media:title><dc:title>B</dc:title>", Some("B"), None, None),
        ("<media:title>A</media:title><title>B</title><dc:title>C</dc:title>", Some("B"), None, None),
        ("<dc:title>A</dc:title><title> </title><dc:title/>", Some("A"), None, None),
        ("<dc:description>&lt;b&gt;x&lt;/b&gt;</dc:description>", None, Some("<b>x</b>"), None),
        ("<description>x</description><dc:description>y</dc:description>", None, Some("x"), None),
        ("<atom:summary>x</atom:summary>", None, Some("x"), None),
        ("<atom:content type='html'>&lt;b&gt;x&lt;/b&gt;</atom:content>", None, None, Some("<b>x</b>")),
        ("<content xmlns='http://www.w3.org/2005/Atom' type='xhtml'><p>x</p></content>", None, None, Some("<p>x</p>")),
    ] {
        for declared in [declared, ""] {
            let rss = read(&format!(
                "<rss version='2.0' {declared}><channel><item><title>0</title></item><item>{inner}</item>\
                 </channel></rss>"
            ));
            let rdf = rdf(&format!("<item {declared}>{inner}</item>"));
            for item in [rss.items.last(), rdf.items.last()] {
                let item = item.unwrap();
                let found = (item.title.as_deref(), item.summary_markup.as_deref(), item.content_markup.as_deref());
                assert_eq!(found, (title, summary, content), "{inner}");
            }
        }
    }
    let dated = rss("<pubDate/><dc:date>2024-03-01T10:00:00Z</dc:date>");
    assert_eq!(dated.items[0].published_at.map(|at| at.to_string()).as_deref(), Some("2024-03-01T10:00:00Z"));
}

#[test]
fn items_of_rss_1_are_read_without_a_link() {
    let feed = rdf("<item><title>A</title></item><item rdf:about='http://x.org/b'><title>B</title><link/></item>\
                    <item rdf:about='http://x.org/?c'><title>C</title><link> http://x.org/c </link></item>");
    let found: Vec<_> =
        feed.items.iter().map(|item| (item.title.as_deref(), item.guid.as_deref(), item.url.as_deref())).collect();
    assert_eq!(
        found,
        [
            (Some("A"), None, None),
            (Some("B"), Some("http://x.org/b"), Some("http://x.org/b")),
            (Some("C"), Some("http://x.org/?c"), Some("http://x.org/c")),
        ]
    );
}

#[test]
fn an_empty_element_is_an_empty_text() {
    let texts = |item: &aha_core::item::NewItem| {
        [&item.title, &item.summary_markup, &item.content_markup].map(|text| text.as_deref().map(str::to_owned))
    };
    let feed = read(
        "<rss version='2.0'><channel><title/><description></description>\
         <item><title/><description/><content:encoded/></item>\
         <item><link>http://x.org/</link></item></channel></rss>",
    );
    assert_eq!((feed.title.as_deref(), feed.description.as_deref(), feed.link), (Some(""), Some(""), None));
    assert_eq!(texts(&feed.items[0]), [Some(""), Some(""), Some("")].map(|text| text.map(str::to_owned)));
    assert_eq!(texts(&feed.items[1]), [None, None, None]);
    let feed =
        read("<feed xmlns='http://www.w3.org/2005/Atom'><title/><subtitle/><entry><title/><summary/></entry></feed>");
    assert_eq!((feed.title.as_deref(), feed.description.as_deref()), (Some(""), Some("")));
    assert_eq!(texts(&feed.items[0]), [Some(""), Some(""), None].map(|text| text.map(str::to_owned)));
    let unread = read("<feed xmlns='http://www.w3.org/2005/Atom'><entry><dc:title>A</dc:title></entry></feed>");
    assert_eq!(texts(&unread.items[0]), [None, None, None]);
    let feed = read(
        "<rss version='2.0' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'><channel><description/>\
         <itunes:summary>About</itunes:summary></channel></rss>",
    );
    assert_eq!((feed.title, feed.description.as_deref()), (None, Some("About")));
}

#[test]
fn an_authors_address_is_kept_beside_the_name() {
    for (author, name, byline) in [
        ("<author>ann@x.org (Ann)</author>", "Ann", Some("Ann (ann@x.org)")),
        ("<author>Ann &lt;ann@x.org&gt;</author>", "Ann", Some("Ann (ann@x.org)")),
        ("<author>Ann, ann@x.org</author>", "Ann", Some("Ann (ann@x.org)")),
        ("<author>ann@x.org</author>", "ann@x.org", None),
        ("<author>Ann</author>", "Ann", None),
    ] {
        let item = rss(author).items.remove(0);
        assert_eq!((item.author.as_deref(), item.byline.as_deref()), (Some(name), byline), "{author}");
    }
    let person = |name: &str| format!("<author><name>{name}</name><email>{name}@x.org</email></author>");
    let feed = read(&format!(
        "<feed xmlns='http://www.w3.org/2005/Atom'>{}<entry/><entry>{}{}</entry></feed>",
        person("Cas"),
        person("Ann"),
        person("Bea")
    ));
    assert_eq!(feed.items[0].byline.as_deref(), Some("Cas (Cas@x.org)"));
    assert_eq!(feed.items[1].author.as_deref(), Some("Ann, Bea"));
    assert_eq!(feed.items[1].byline.as_deref(), Some("Ann (Ann@x.org), Bea (Bea@x.org)"));
}
