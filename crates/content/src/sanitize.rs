//! Makes external markup safe for display in a page: text, structure, links and images stay, while scripts, forms,
//! styles and imitations of the page's own controls are removed. Called where item identity is determined, for the
//! column `content_items.html`.
//!
//! `prune` first reduces the markup, in linear time, to markup that a tree can be built from in linear time. ammonia
//! then builds that tree and decides what stays: only its unchanged output is stored.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use memchr::memchr2_iter;
use url::Url;

use super::allowed_markup::{ATTRIBUTES, GENERAL_ATTRIBUTES, LINK_REL, TAGS};
use super::prune::prune;

/// Longer markup is cut: the display need not be complete, since it links to the original.
const MAX_MARKUP_BYTES: usize = 128 * 1024;

/// Maximum number of sanitising passes for one markup.
const MAX_PASSES: usize = 8;

static SANITIZER: LazyLock<Builder<'static>> = LazyLock::new(builder);

/// Elements that a page has once, or not below its own heading.
const OF_THE_PAGE: [&str; 4] = ["header", "footer", "main", "h1"];

static WITHIN_PAGE: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = builder();
    builder.rm_tags(OF_THE_PAGE);
    builder
});

static WITHIN_PAGE_WITHOUT_IMAGES: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = builder();
    builder.rm_tags(OF_THE_PAGE.into_iter().chain(["img"]));
    builder
});

/// Returns sanitised markup fit to stand within a page: without the page's own elements, whose content stays, and
/// without images unless they are wanted.
#[must_use]
pub fn within_page(sanitised: &str, with_images: bool) -> String {
    let builder = if with_images { &WITHIN_PAGE } else { &WITHIN_PAGE_WITHOUT_IMAGES };
    builder.clean(sanitised).to_string()
}

/// Returns the maximum number of bytes that resolving the relative URLs of some markup may add to it: each may become
/// as long as the base.
#[must_use]
pub fn added_bytes(markup: &str, base: &str) -> usize {
    let bytes = markup.as_bytes();
    let begins = |at: usize, name: &[u8]| bytes[at..].get(..name.len()).is_some_and(|n| n.eq_ignore_ascii_case(name));
    let ends = |at: usize, name: &[u8]| at + 1 >= name.len() && begins(at + 1 - name.len(), name);
    let links = memchr2_iter(b'f', b'F', bytes).filter(|at| ends(*at, b"href"));
    let others = memchr2_iter(b'c', b'C', bytes).filter(|at| ends(*at, b"src") || begins(*at, b"cite"));
    (links.count() + others.count()).saturating_mul(base.len())
}

fn builder() -> Builder<'static> {
    let attributes: HashMap<_, HashSet<_>> =
        ATTRIBUTES.iter().map(|(tag, names)| (*tag, names.iter().copied().collect())).collect();
    let mut builder = Builder::default();
    builder
        .tags(TAGS.into_iter().collect())
        .tag_attributes(attributes)
        .generic_attributes(GENERAL_ATTRIBUTES.into_iter().collect())
        .url_schemes(["http", "https", "mailto"].into_iter().collect())
        .url_relative(UrlRelative::Deny)
        .link_rel(Some(LINK_REL))
        .set_tag_attribute_value("img", "loading", "lazy");
    builder
}

/// Returns the markup for display with absolute URLs; `None` if it contains no more than its text. URLs that `base`
/// cannot make absolute are removed, and those with schemes other than http(s) (links may also use mailto).
#[must_use]
pub fn sanitize(markup: &str, base: Option<&Url>) -> Option<String> {
    let end = (0..=markup.len().min(MAX_MARKUP_BYTES)).rev().find(|at| markup.is_char_boundary(*at)).unwrap_or(0);
    let pruned = prune(&markup[..end], base);
    if !pruned.contains('<') {
        return None;
    }
    sanitize_until_stable(pruned).filter(|clean| clean.contains('<'))
}

/// Repeats sanitising until the markup no longer changes, so that a browser builds the same tree that was checked. Some
/// markup, such as text between table rows, parses to a different tree each time; if it does not converge, the result
/// is `None`.
fn sanitize_until_stable(mut pruned: String) -> Option<String> {
    for _ in 0..MAX_PASSES {
        let clean = without_first_line_feeds(SANITIZER.clean(&pruned).to_string());
        if clean == pruned {
            return Some(clean);
        }
        pruned = prune(&clean, None);
    }
    None
}

/// Removes line feeds at the beginning of a `<pre>`: each parse would drop one of them.
fn without_first_line_feeds(clean: String) -> String {
    const PRE: &str = "<pre";
    if !clean.contains(PRE) {
        return clean;
    }
    let mut kept = String::with_capacity(clean.len());
    let mut rest = clean.as_str();
    while let Some(at) = rest.find(PRE) {
        let mut is_quoted = false;
        let is_end = |byte: u8| {
            is_quoted ^= byte == b'"';
            byte == b'>' && !is_quoted
        };
        let end = rest[at..].bytes().position(is_end).map_or(rest.len(), |end| at + end + 1);
        kept.push_str(&rest[..end]);
        rest = rest[end..].trim_start_matches('\n');
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::Url;

    use super::{SANITIZER, added_bytes, prune, sanitize, within_page, without_first_line_feeds};
    use crate::allowed_markup::TAGS;
    use crate::deadline::in_time;

    fn clean(markup: &str) -> String {
        let base = Url::parse("https://example.org/blog/post").unwrap();
        sanitize(&format!("<p>{markup}</p>"), Some(&base)).unwrap_or_default()
    }

    #[test]
    fn within_a_page_are_its_own_heading_and_images_only_where_they_are_wanted() {
        let stored =
            "<header><h1>A</h1></header><main><p>b <img src=\"https://x.org/i.png\" loading=\"lazy\"></p></main>";
        assert_eq!(within_page(stored, false), "A<p>b </p>");
        let image = "<img src=\"https://x.org/i.png\" loading=\"lazy\">";
        assert_eq!(within_page(stored, true), format!("A<p>b {image}</p>"));
        assert_eq!(within_page("<p onclick=x>a<script>b</script></p>", true), "<p>a</p>");
    }

    #[test]
    fn each_name_of_an_address_may_add_the_base() {
        let markup = "<a HREF=x>href</a><img src=y srcset=z><q cite=é>c</q><p class=f>cit";
        assert_eq!(added_bytes(markup, "https://x.org/"), 5 * 14);
        assert_eq!(["", "f", "c", "ref", "rc", "cit"].map(|markup| added_bytes(markup, "https://x.org/")), [0; 6]);
    }

    #[test]
    fn what_is_read_stays() {
        assert_eq!(
            clean("A <b>b</b> &amp; <a href='../x?a=1&amp;b=2#c' title=t target=_blank>link</a><br>1 &lt; 2"),
            "<p>A <b>b</b> &amp; <a href=\"https://example.org/x?a=1&amp;b=2#c\" title=\"t\" \
             rel=\"noopener noreferrer\">link</a><br>1 &lt; 2</p>"
        );
        assert_eq!(
            clean("<img src=/i.png alt='x \"y\"' width=10 onload=alert(1) srcset='/j.png 2x'>"),
            "<p><img src=\"https://example.org/i.png\" alt=\"x &quot;y&quot;\" width=\"10\" loading=\"lazy\"></p>"
        );
        assert_eq!(
            clean("<a href='mailto:a@b.c'>m</a>"),
            "<p><a href=\"mailto:a@b.c\" rel=\"noopener noreferrer\">m</a></p>"
        );
        let table = "<table><tbody><tr><td colspan=\"2\">1</td></tr></tbody></table><ul><li>a</li><li>b</li></ul>";
        assert_eq!(sanitize("<table><tr><td colspan=2>1</table><ul><li>a<li>b</ul>", None).unwrap(), table);
    }

    #[test]
    fn what_runs_goes() {
        for (markup, left) in [
            ("a<script>alert(1)</script>b", "<p>ab</p>"),
            ("a<script src=//evil.example/x.js></script>b", "<p>ab</p>"),
            ("<style>p{background:url(javascript:x)}</style>a", "<p>a</p>"),
            ("<svg><script>alert(1)</script><a xlink:href='javascript:x'>y</a></svg>a", "<p>a</p>"),
            ("<math><mtext><mglyph><style><img src=x onerror=alert(1)></style></mglyph></mtext></math>a", "<p>a</p>"),
            ("<iframe src='https://evil.example/'></iframe><object data=x></object><embed src=x>a", "<p>a</p>"),
            ("<form action='https://evil.example/'><input name=q><button>go</button></form>", "<p> go</p>"),
            ("<b onclick=alert(1) style='position:fixed' class=x id=y>a</b>", "<p><b>a</b></p>"),
            ("<a href='javascript:alert(1)'>a</a>", "<p><a rel=\"noopener noreferrer\">a</a></p>"),
            ("<a href=' java\nscript:alert(1)'>a</a>", "<p><a rel=\"noopener noreferrer\">a</a></p>"),
            ("<a href='&#106;avascript&colon;alert(1)'>a</a>", "<p><a rel=\"noopener noreferrer\">a</a></p>"),
            (
                "<a href='vbscript:x'>a</a><a href='file:///etc/passwd'>b</a>",
                "<p><a rel=\"noopener noreferrer\">a</a><a rel=\"noopener noreferrer\">b</a></p>",
            ),
            ("<img src='data:image/svg+xml,<svg onload=alert(1)>'>a", "<p><img loading=\"lazy\">a</p>"),
            (
                "<meta http-equiv=refresh content='0;url=//evil.example'><link rel=stylesheet href=x><base href=//x>a",
                "<p>a</p>",
            ),
            ("<!--[if IE]><script>alert(1)</script><![endif]-->a<!-- --!><img src=x onerror=alert(1)>", "<p>a</p>"),
            ("<video src=x autoplay onplay=alert(1)></video><audio src=x></audio>a", "<p>a</p>"),
            ("<x onclick=alert(1)>a</x><a:b>c</a:b><?php x ?>d", "<p>acd</p>"),
            ("<p/onclick=alert(1)>a", "<p>a</p>"),
        ] {
            assert_eq!(clean(markup).replace("<p></p>", ""), left, "{markup}");
        }
        // Any remainder of these is text.
        for markup in [
            "a<scr<script>ipt>alert(1)</script>b",
            "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
            "<img title='\"><script>alert(1)</script>' src=`x`onerror=alert(1)>",
            "<a title=\"<!--\"><img src=x alt='--><script>alert(1)</script>'>",
            "<textarea></p><img src=x onerror=alert(1)></textarea><title><img src=x onerror=alert(1)></title>",
            "<svg></p><style><a id='</style><img src=1 onerror=alert(1)>'>",
            "&lt;script&gt;alert(1)&lt;/script&gt;",
        ] {
            for tag in clean(markup).split('<').skip(1).filter_map(|tag| tag.split('>').next()) {
                let outside_values: String = tag.split('"').step_by(2).collect();
                assert!(!outside_values.contains("script") && !outside_values.contains(" on"), "{markup} {tag}");
            }
        }
    }

    #[test]
    fn nothing_to_show_is_nothing() {
        assert_eq!(sanitize("plain &amp; simple", None), None);
        assert_eq!(sanitize("<script>x</script>", None), None);
        assert_eq!(sanitize("<a href='/x'>y</a>", None).as_deref(), Some("<a rel=\"noopener noreferrer\">y</a>"));
    }

    #[test]
    fn what_is_clean_stays_as_it_is() {
        for (markup, left) in [
            ("<pre>\n\n\nx\n\ny</pre>", "<pre>x\n\ny</pre>"),
            ("<pre lang='a\">b'>\n\nx</pre>", "<pre lang=\"a&quot;&gt;b\">x</pre>"),
            ("<pre><tr>\nx</pre>", "<pre>x</pre>"),
            (&format!("<a href='https://x.example/{}'>x</a>", "ü".repeat(400)), "<a rel=\"noopener noreferrer\">x</a>"),
            ("<pre><table><td>a</td>\n\nx</table>", "<pre>x<table><tbody><tr><td>a</td></tr></tbody></table></pre>"),
            (
                "<h2>a<p>b<table><tr><b>c</b><h2>d",
                "<h2>a<p>b</p><b>c</b></h2><h2>d</h2><table><tbody><tr></tr></tbody></table>",
            ),
            ("<b><pre>\n\u{0}\u{0}\n<p></b><pre>\n", "<b><pre><p></p></pre></b><pre></pre>"),
        ] {
            let once = sanitize(markup, None).unwrap();
            assert_eq!(sanitize(&once, None).unwrap(), once, "{markup}");
            assert_eq!(once, left);
        }
    }

    #[test]
    fn hostile_markup_costs_no_more_than_its_length() {
        let numbered = |n: usize, part: &dyn Fn(usize) -> String| (0..n).map(part).collect::<String>();
        for markup in [
            numbered(100_000, &|n| format!("<b a{n}>")) + &"<p>x".repeat(100_000),
            numbered(20_000, &|n| format!("<a href=/{n}><i lang=x{n}>")) + &"</p><p>x".repeat(20_000),
            format!("<p {}>x</p>", numbered(200_000, &|n| format!(" a{n}=1"))),
            "<div>".repeat(100_000) + "x",
            "<table><td>".repeat(50_000),
            "<a href=\"".repeat(50_000),
            "</p>".repeat(100_000),
        ] {
            let what: String = markup.chars().take(30).collect();
            let clean = in_time(&what, move || sanitize(&markup, None).unwrap_or_default());
            assert!(clean.len() < 20 * 1024 * 1024, "{}", clean.len());
        }
    }

    /// Tags of all kinds and text, in any order.
    fn tag_soup() -> impl Strategy<Value = String> {
        soup_of(TAGS.to_vec(), 14)
    }

    /// Complete rows and cells, and what may be between them.
    fn table_soup() -> impl Strategy<Value = String> {
        let parts = ["thead", "tbody", "tfoot", "caption", "tr", "td", "th", "table", "b", "a", "p", "h3", "li"];
        (soup_of(parts.to_vec(), 4), soup_of(parts.to_vec(), 4), soup_of(vec!["td", "b", "p", "a"], 4)).prop_map(|(before, within, cell)| {
            format!("{before}<table><tbody>\n<tr><td>{cell}</td> <th>{within}</table>x<table><thead><tr><td>{cell}{before}")
        })
    }

    fn soup_of(names: Vec<&'static str>, most: usize) -> impl Strategy<Value = String> {
        let names = proptest::sample::select(names);
        let attributes = proptest::sample::select(vec![
            "",
            "",
            "",
            " href='https://x.org/?a=1&amp;b=\"2' href=y",
            " src=/x.png alt='a&nbsp;<b>' rel=x",
            " title='\r\n' dir=ltr",
        ]);
        let text = proptest::sample::select(vec![
            "",
            "",
            " ",
            "\n",
            "\n\n",
            "\u{feff}\nx",
            "a \u{a0}\"b\" &amp;nbsp; 1 < 2",
            "\r",
            "é",
        ]);
        let part = (names, 0..3_u8, attributes, text).prop_map(|(name, kind, attributes, text)| match kind {
            0 => format!("</{name}>{text}"),
            _ => format!("<{name}{attributes}>{text}"),
        });
        proptest::collection::vec(part, 0..most).prop_map(|parts| parts.concat())
    }

    #[test]
    fn usual_markup_is_read_once() {
        let usual = "<h2>A</h2><p>One <a href='https://x.org/'><b>two</b></a><br><img src='https://x.org/i.png'></p>\
                     <ul><li>x<li><p>y<p>z</ul><blockquote><pre>code</pre></blockquote><div>\"end\"</div>\
                     <table><caption>t</caption><tbody><tr><th>a<td><p>b</tr>\n<tr><td><h3>c</h3></table>";
        let pruned = prune(usual, None);
        assert_eq!(SANITIZER.clean(&pruned).to_string(), pruned);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn what_is_kept_is_what_ammonia_makes_of_it(markup in tag_soup()) {
            is_unchanged_by_ammonia(&markup)?;
        }

        #[test]
        fn the_same_of_tables(markup in table_soup()) {
            is_unchanged_by_ammonia(&markup)?;
        }
    }

    fn is_unchanged_by_ammonia(markup: &str) -> Result<(), TestCaseError> {
        if let Some(kept) = sanitize(markup, None) {
            prop_assert_eq!(without_first_line_feeds(SANITIZER.clean(&kept).to_string()), kept);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn only_what_is_listed_stays(markup in "([<>/!\\-a-z\"'= &;#x0-9:]|<(a|b|p|img|svg|script|style|td|li) |href=|src=|on[a-z]=|javascript:|</(p|a|b)>){0,60}") {
            let clean = clean(&markup);
            for tag in clean.split('<').skip(1) {
                let name = tag.trim_start_matches('/').split([' ', '>']).next().unwrap_or_default();
                prop_assert!(TAGS.contains(&name), "{markup} {clean}");
                let parts: Vec<&str> = tag.split('>').next().unwrap_or_default().split('"').collect();
                for names in parts.iter().step_by(2) {
                    prop_assert!(!names.contains(" on") && !names.contains(" style"), "{markup} {clean}");
                }
                for value in parts.iter().skip(1).step_by(2) {
                    prop_assert!(!value.trim().starts_with("javascript:"), "{markup} {clean}");
                }
            }
            // Sanitising is idempotent.
            prop_assert_eq!(sanitize(&clean, None).unwrap_or_default(), clean);
        }
    }
}
