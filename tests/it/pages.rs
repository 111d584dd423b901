//! The pages that teasers link to, for sources whose owner wants them read.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::http::Answer;
use crate::support::radar::{Engine, Radar};
use crate::support::rows;
use crate::support::web::Web;

const NOW: &str = "2026-11-18T06:00:00Z";

fn feed(paths: &[&str]) -> String {
    let item = |path: &&str| {
        format!(
            "<item><guid>{path}</guid><link>{path}</link><title>About {path}</title><description>Read on.</description>\
             <pubDate>Wed, 18 Nov 2026 05:00:00 GMT</pubDate></item>"
        )
    };
    format!(
        "<rss version='2.0'><channel><title>T</title>{}</channel></rss>",
        paths.iter().map(item).collect::<Vec<_>>().concat()
    )
}

fn article_html() -> String {
    let paragraph =
        "<p>The turbine was let down at slack water, under the ferry pier, by four people and one crane.</p>";
    format!("<html><body><nav><a href='/'>Home</a></nav><article>{}</article></body></html>", paragraph.repeat(8))
}

fn article() -> Answer {
    Answer::ok(article_html()).header("content-type", "text/html; charset=utf-8")
}

/// Serves a feed of one item with the page `/a`. `answer` is given a request's path and lower-case head, and returns
/// status, media type and body; `None` means the feed, the article at `/a`, and nothing elsewhere.
fn serve(answer: impl Fn(&str, &str) -> Option<(u16, &'static str, String)> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, mut head) = (BufReader::new(stream.unwrap()), String::new());
            while stream.read_line(&mut head).is_ok_and(|length| length > 2) {}
            let path = head.split(' ').nth(1).unwrap_or_default();
            let usual = || match path {
                "/feed" => (200, "application/rss+xml", feed(&["/a"])),
                "/a" => (200, "text/html", article_html()),
                _ => (404, "text/plain", String::new()),
            };
            let (status, kind, body) = answer(path, &head.to_lowercase()).unwrap_or_else(usual);
            let _ = write!(
                stream.get_mut(),
                "HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
        }
    });
    base
}

/// Each item's id, what came of its page, and the length of its text.
fn texts(radar: &Radar) -> Vec<String> {
    let items = "SELECT external_id || ' ' || metadata_json || ' ' || length(body_text) FROM content_items ORDER BY external_id";
    rows::query(radar, items)
}

#[test]
fn pages_are_read_once_where_they_may_be() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let web = Web::serve(vec![
            ("/feed", Answer::ok(feed(&["/a", "/b", "/c", "/d", "http://10.0.0.1/e"]))),
            ("/robots.txt", Answer::ok("User-agent: *\nDisallow: /c\n\nUser-agent: other\nDisallow: /")),
            ("/a", article()),
            ("/b", Answer::ok("<html><body><p>Please log in.</p></body></html>").header("content-type", "text/html")),
            ("/c", article()),
        ]);
        let mut radar =
            Radar::at(NOW).on(engine).with("AHA_FETCH_ALLOW", "127.0.0.1").with("AHA_FETCH_HOST_GAP_MS", "0");
        radar.add(&["--full-text", &web.url("/feed")]);
        radar.run(&["run"]).exits(0);
        let first = texts(&radar);
        let outcomes = [
            ("/a", "read"),
            ("/b", "no_content"),
            ("/c", "disallowed"),
            ("/d", "failed"),
            ("http://10.0.0.1/e", "failed"),
        ];
        for ((guid, outcome), row) in outcomes.iter().zip(&first) {
            assert!(row.starts_with(guid) && row.contains(&format!("\"outcome\":\"{outcome}\"")), "{row}");
            let length: usize = row.rsplit(' ').next().unwrap().parse().unwrap();
            assert_eq!(length > 500, *outcome == "read", "{row}");
        }
        radar.set("AHA_NOW", "2026-11-18T07:00:00Z");
        radar.run(&["run"]).exits(0);
        assert_eq!(texts(&radar), first, "the same teaser is no edit");
        for (path, times) in [("/robots.txt", 1), ("/a", 1), ("/b", 1), ("/c", 0), ("/d", 1), ("/feed", 2)] {
            assert_eq!(web.requests(path).len(), times, "{path}");
        }
    }
}

#[test]
fn pages_that_are_left_over_are_read_later_though_the_feed_is_unchanged() {
    let paths: Vec<String> = (10..35).map(|number| format!("/{number}")).collect();
    let feed = Answer::ok(feed(&paths.iter().map(String::as_str).collect::<Vec<_>>())).header("etag", "\"one\"");
    let mut answers = vec![("/feed", feed)];
    answers.extend(paths.iter().map(|path| (path.as_str(), article())));
    let web = Web::serve(answers);
    let mut radar = Radar::at(NOW).with("AHA_FETCH_ALLOW", "127.0.0.1").with("AHA_FETCH_HOST_GAP_MS", "0");
    radar.add(&["--full-text", &web.url("/feed")]);
    for (hour, read) in [(6, 20), (7, 25), (8, 25)] {
        radar.set("AHA_NOW", &format!("2026-11-18T0{hour}:00:00Z"));
        radar.run(&["run"]).exits(0);
        assert_eq!(paths.iter().filter(|path| !web.requests(path).is_empty()).count(), read);
    }
    let validators: Vec<bool> =
        web.requests("/feed").iter().map(|request| request.headers.contains_key("if-none-match")).collect();
    assert_eq!(validators, [false, false, true]);
}

#[test]
fn an_item_whose_page_was_read_is_not_shown_as_its_teaser() {
    let teaser = feed(&["/a", "/b"]).replace("Read on.", "&lt;p&gt;Read &lt;b&gt;on&lt;/b&gt;.&lt;/p&gt;");
    let web = Web::serve(vec![("/feed", Answer::ok(teaser)), ("/a", article())]);
    let radar = Radar::at(NOW).with("AHA_FETCH_ALLOW", "127.0.0.1").with("AHA_FETCH_HOST_GAP_MS", "0");
    radar.add(&["--full-text", &web.url("/feed")]);
    radar.run(&["run"]).exits(0);
    let with_markup = rows::query(&radar, "SELECT external_id FROM content_items WHERE html IS NOT NULL");
    assert_eq!(with_markup, ["/b"], "the page of /b cannot be read");
}

#[test]
fn no_page_is_read_unless_its_owner_wants_it() {
    let web = Web::serve(vec![("/feed", Answer::ok(feed(&["/a"]))), ("/a", article())]);
    let mut radar = Radar::at(NOW).with("AHA_FETCH_ALLOW", "127.0.0.1").with("AHA_FETCH_HOST_GAP_MS", "0");
    radar.add(&[&web.url("/feed")]);
    radar.run(&["run"]).exits(0);
    assert!(web.requests("/a").is_empty() && web.requests("/robots.txt").is_empty());
    radar.run(&["source", "set", &web.url("/feed"), "--full-text", "true"]).exits(0);
    radar.set("AHA_NOW", "2026-11-18T07:00:00Z");
    radar.run(&["run"]).exits(0);
    assert!(
        texts(&radar)[0].contains("\"outcome\":\"read\""),
        "a host without a robots.txt allows all: {:?}",
        texts(&radar)
    );
    radar.run(&["source", "set", &web.url("/feed")]).exits(2);
}

#[test]
fn a_redirect_is_not_followed_to_where_nobody_is_to_read() {
    let web = Web::serve(vec![
        ("/feed", Answer::ok(feed(&["/open", "/shut", "/far"]))),
        ("/robots.txt", Answer::ok("User-agent: *\nDisallow: /private")),
        ("/open", Answer::redirect(302, "/article")),
        ("/article", article()),
        ("/shut", Answer::redirect(301, "/private/article")),
        ("/private/article", article()),
        ("/far", Answer::redirect(302, "http://10.0.0.1/article")),
    ]);
    let radar = Radar::at(NOW).with("AHA_FETCH_ALLOW", "127.0.0.1").with("AHA_FETCH_HOST_GAP_MS", "0");
    radar.add(&["--full-text", &web.url("/feed")]);
    radar.run(&["run"]).exits(0);
    for (row, outcome) in texts(&radar).iter().zip(["failed", "read", "disallowed"]) {
        assert!(row.contains(&format!("\"outcome\":\"{outcome}\"")), "{row}");
    }
    assert!(web.requests("/private/article").is_empty(), "it was asked for before its robots.txt was heeded");
    assert_eq!((web.requests("/article").len(), web.requests("/robots.txt").len()), (1, 1));
}

#[test]
fn pages_are_requested_as_pages() {
    let base = serve(|path, head| {
        let is_asked_for_json = head.contains("application/json");
        (path == "/a" && is_asked_for_json).then(|| (200, "application/activity+json", "{}".to_owned()))
    });
    let radar = Radar::at(NOW).with("AHA_FETCH_ALLOW", "127.0.0.1").with("AHA_FETCH_HOST_GAP_MS", "0");
    radar.add(&["--full-text", &format!("{base}/feed")]);
    radar.run(&["run"]).exits(0);
    assert!(texts(&radar)[0].contains("\"outcome\":\"read\""), "{:?}", texts(&radar));
}

#[test]
fn a_page_is_read_in_a_later_run_after_a_temporary_failure() {
    for (failing, status) in [("/a", 503), ("/a", 429), ("/robots.txt", 503)] {
        let is_up = Arc::new(AtomicBool::new(false));
        let up = Arc::clone(&is_up);
        let base = serve(move |path, _| {
            let fails = path == failing && !up.load(Ordering::SeqCst);
            fails.then(|| (status, "text/plain", "later".to_owned()))
        });
        let mut radar = Radar::at(NOW).with("AHA_FETCH_ALLOW", "127.0.0.1").with("AHA_FETCH_HOST_GAP_MS", "0");
        radar.add(&["--full-text", &format!("{base}/feed")]);
        radar.run(&["run"]).exits(0);
        assert!(!texts(&radar)[0].contains("full_text"), "{failing} {status}: {:?}", texts(&radar));
        is_up.store(true, Ordering::SeqCst);
        radar.set("AHA_NOW", "2026-11-18T07:00:00Z");
        radar.run(&["run"]).exits(0);
        assert!(texts(&radar)[0].contains("\"outcome\":\"read\""), "{failing} {status}: {:?}", texts(&radar));
    }
}

#[test]
fn a_host_that_asks_for_fewer_requests_is_left_alone() {
    let paths: Vec<String> = (10..16).map(|number| format!("/{number}")).collect();
    let list: Vec<&str> = paths.iter().map(String::as_str).collect();
    for (status, requests) in [(429, 1), (500, 3)] {
        let mut answers = vec![("/feed", Answer::ok(feed(&list)))];
        answers.extend(paths.iter().map(|path| (path.as_str(), Answer::new(status))));
        let web = Web::serve(answers);
        let radar = Radar::at(NOW).with("AHA_FETCH_ALLOW", "127.0.0.1").with("AHA_FETCH_HOST_GAP_MS", "0");
        radar.add(&["--full-text", &web.url("/feed")]);
        radar.run(&["run"]).exits(0);
        let made: usize = paths.iter().map(|path| web.requests(path).len()).sum();
        assert_eq!(made, requests, "{status}");
    }
}

#[test]
fn a_host_that_redirects_to_one_that_fails_is_left_alone() {
    let paths: Vec<String> = (10..16).map(|number| format!("/{number}")).collect();
    let list: Vec<&str> = paths.iter().map(String::as_str).collect();
    let target = Web::serve(vec![("/busy", Answer::new(429))]);
    // Another name of the same machine, so another host.
    let busy = target.url("/busy").replace("127.0.0.1", "localhost");
    let mut answers = vec![("/feed", Answer::ok(feed(&list)))];
    answers.extend(paths.iter().map(|path| (path.as_str(), Answer::redirect(302, &busy))));
    let web = Web::serve(answers);
    let radar = Radar::at(NOW).with("AHA_FETCH_ALLOW", "127.0.0.1,localhost").with("AHA_FETCH_HOST_GAP_MS", "0");
    radar.add(&["--full-text", &web.url("/feed")]);
    radar.run(&["run"]).exits(0);
    assert_eq!(target.requests("/busy").len(), 3);
}
