//! `source add` with the address of a page.

use crate::support::http::Answer;
use crate::support::radar::Radar;
use crate::support::web::Web;

const FEED: &str = "<rss version='2.0'><channel><title>News</title><item><title>One</title></item></channel></rss>";

fn page(links: &str) -> Answer {
    Answer::ok(format!("<!DOCTYPE html><html><head><title>Hi</title>{links}</head><body>Hello</body></html>"))
}

fn link(href: &str, title: &str) -> String {
    format!("<link rel='alternate' type='application/rss+xml' title='{title}' href='{href}'>")
}

fn radar() -> Radar {
    Radar::at("2026-11-18T12:00:00Z").with("AHA_FETCH_ALLOW", "127.0.0.1").with("AHA_FETCH_HOST_GAP_MS", "0")
}

fn urls(radar: &Radar) -> Vec<String> {
    let listed = radar.json(&["source", "list", "--json"]);
    listed.as_array().unwrap().iter().map(|source| source["url"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_one_feed_of_a_page_is_added_and_said() {
    let web = Web::serve(vec![
        ("/blog", page(&(link("posts", "All") + &link("/comments/feed", "Comments")))),
        ("/posts", Answer::ok(FEED)),
    ]);
    let radar = radar();
    radar.run(&["source", "add", &web.url("/blog")]).exits(0).says(&format!("its feed {} is taken", web.url("/posts")));
    assert_eq!(urls(&radar), [web.url("/posts")]);
}

#[test]
fn a_page_is_requested_as_a_page_and_a_feed_as_a_feed() {
    let web = Web::serve(vec![("/blog", page(&link("posts", "All"))), ("/posts", Answer::ok(FEED))]);
    radar().ok(&["source", "add", &web.url("/blog")]);
    let accepted = |path| web.requests(path)[0].headers["accept"].clone();
    assert_eq!(accepted("/blog"), "text/html, application/xhtml+xml;q=0.9, */*;q=0.5");
    assert!(accepted("/posts").starts_with("application/rss+xml"), "{}", accepted("/posts"));
    assert!(!accepted("/posts").contains("application/json"), "{}", accepted("/posts"));
}

#[test]
fn of_several_feeds_the_owner_chooses() {
    let web = Web::serve(vec![("/", page(&(link("/a", "News") + &link("/b", "Boats\u{1b}[2J"))))]);
    let radar = radar();
    let ran = radar.run(&["source", "add", &web.url("/")]).exits(2).says("2 feeds").says(&web.url("/b"));
    assert!(!ran.stderr.contains('\u{1b}'));
    assert!(radar.run(&["source", "list"]).exits(0).stdout.is_empty());
}

#[test]
fn usual_addresses_are_tried_where_a_page_names_none() {
    let web = Web::serve(vec![("/about/us", page("")), ("/feed.xml", Answer::ok(FEED)), ("/rss", page(""))]);
    let radar = radar();
    radar.ok(&["source", "add", &web.url("/about/us")]);
    assert_eq!(urls(&radar), [web.url("/feed.xml")]);
}

#[test]
fn a_page_without_feeds_is_refused_and_a_server_that_is_away_is_not() {
    let web = Web::serve(vec![("/", page("")), ("/taken", page(&link("/gone", "x"))), ("/away", Answer::new(503))]);
    let radar = radar();
    radar.run(&["source", "add", &web.url("/")]).exits(1).says("neither it nor the usual addresses lead to a feed");
    radar.run(&["source", "add", &web.url("/taken")]).exits(1).says("answered 404");
    radar.run(&["source", "add", &web.url("/away")]).exits(0).says("fault of its own (503)");
    radar.run(&["source", "add", "--as-is", &web.url("/other")]).exits(0);
    assert!(web.requests("/other").is_empty());
    assert_eq!(urls(&radar), [web.url("/away"), web.url("/other")]);
}

#[test]
fn a_feed_address_that_cannot_be_read_is_added_and_it_is_said() {
    let failures = [
        ("/members.xml", 401, "answered 401"),
        ("/shut.xml", 403, "answered 403"),
        ("/moved.xml", 404, "answered 404"),
        ("/gone.xml", 410, "gone for good (410)"),
        ("/broken.xml", 500, "a fault of its own (500)"),
    ];
    let mut answers: Vec<(&str, Answer)> =
        failures.iter().map(|(path, status, _)| (*path, Answer::new(*status))).collect();
    answers.extend([("/page.xml", page("")), ("/feed.xml", Answer::ok(FEED))]);
    let (web, radar) = (Web::serve(answers), radar());
    for (path, _, words) in failures {
        let url = web.url(path);
        let ran = radar.run(&["source", "add", &url]).exits(0).says("1 source added").says(words);
        ran.says(&format!("{url} could not be read now")).says(&format!("`aha-radar source test '{url}'`"));
    }
    radar.run(&["source", "add", &web.url("/page.xml")]).exits(0).says("an HTML page, not a feed").says("source test");
    let ran = radar.run(&["source", "add", &web.url("/feed.xml")]).exits(0);
    assert!(ran.stderr.is_empty(), "{ran:?}");
    assert_eq!(urls(&radar).len(), 7);
}

#[test]
fn of_several_sources_each_that_fails_is_named_and_the_others_are_added() {
    let answers = vec![("/gone.xml", Answer::new(410)), ("/feed.xml", Answer::ok(FEED))];
    let (web, radar) = (Web::serve(answers), radar());
    // Of another server: the first has a feed at a usual address.
    let none = Web::serve(vec![("/", page(""))]);
    let (bad, gone, good) = (none.url("/"), web.url("/gone.xml"), web.url("/feed.xml"));
    let ran = radar.run(&["source", "add", &bad, &gone, &good]).exits(3).says("2 sources added, 1 left out");
    ran.says(&format!("{bad} is not added: ")).says(&format!("{gone} could not be read now"));
    assert_eq!(urls(&radar), [good, gone.clone()]);
    radar.run(&["source", "add", &bad, &bad]).exits(1).says("no sources added, 2 left out");
    radar.run(&["source", "add", &gone, "reddit:not a name"]).exits(2).says("the name of a subreddit");
}

#[test]
fn what_a_page_names_is_asked_by_the_same_rules() {
    let inside = Web::serve(vec![("/feed", Answer::ok(FEED))]);
    let there = inside.url("/feed").replace("127.0.0.1", "127.0.0.3");
    let web = Web::serve(vec![("/", page(&link(&there, "Inside")))]);
    radar().run(&["source", "add", &web.url("/")]).says("inside a private, local or reserved network");
    assert!(inside.requests("/feed").is_empty());
}

#[test]
fn a_name_that_does_not_resolve_is_added_and_it_is_said() {
    let radar = radar();
    radar
        .run(&["source", "add", "https://nosuch.invalid/feed"])
        .exits(0)
        .says("the name nosuch.invalid could not be resolved");
    assert_eq!(urls(&radar), ["https://nosuch.invalid/feed"]);
    let said = radar.run(&["source", "add", "--as-is", "https://other.invalid/feed"]).exits(0).stderr;
    assert!(!said.contains("resolved"), "{said}");
}
