use crate::NOW;
use crate::driver::{Browser, Script};
use crate::support::feeds::{Post, feed};
use crate::support::http::Answer;
use crate::support::radar::Radar;
use crate::support::site::Site;
use crate::support::web::Web;

/// A page of a site, which names its feed.
const PAGE: &str = r#"<!doctype html><title>The Quay</title><link rel="alternate" type="application/feed+json" title="Quay news" href="/quay.json"><p>News of the quay.</p>"#;

/// From an empty installation to the first digest.
fn from_nothing_to_a_digest(script: Script) {
    let posts = [
        Post::new("1", "The Marigold ferry struck the quay", "It left two bollards bent.", "2026-11-19T05:00:00Z"),
        Post::new("2", "A heat pump for the harbour office", "It was measured for a year.", "2026-11-19T06:00:00Z"),
    ];
    let html = Answer::ok(PAGE).header("content-type", "text/html");
    let web = Web::serve(vec![("/", html), ("/quay.json", Answer::ok(feed("The Quay", &posts)))]);
    let mut radar = Radar::at(NOW).with("AHA_FETCH_ALLOW", "127.0.0.1").with("AHA_FETCH_HOST_GAP_MS", "0");
    let site = Site::start(&mut radar);
    let browser = Browser::open(&site, script);
    browser.go("/");
    browser.sees("Three steps to the first digest");
    browser.fill("textarea[name=interests]", "ferries, heat pumps");
    browser.press("Save");
    browser.sees("Save changes");
    browser.fill("input[name=address]", &web.url("/"));
    browser.press("Add");
    browser.sees("Quay news");
    browser.press("Add those chosen");
    browser.sees("1 source added");
    browser.go("/");
    browser.press("Start the first run");
    browser.sees_after_a_while("done");
    browser.go("/");
    browser.sees("The Marigold ferry struck the quay");
    browser.go("/runs");
    browser.click("tbody td a");
    browser.sees("Attempts");
    browser.sees("None was paid: it cost nothing.");
    browser.press("Its digest");
    browser.sees("A heat pump for the harbour office");
}

#[test]
fn interests_a_page_s_address_and_a_run_lead_to_a_digest() {
    from_nothing_to_a_digest(Script::On);
}

#[test]
fn interests_a_page_s_address_and_a_run_lead_to_a_digest_without_a_script() {
    from_nothing_to_a_digest(Script::Off);
}
