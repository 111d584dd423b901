//! Sources that fail, each beside one that does not: the good one's stories arrive, and the digest, the list of sources
//! and the exit code say what is missing.

use std::time::Duration;

use serde_json::Value;

use crate::support::feeds::{Post, feed};
use crate::support::http::Answer;
use crate::support::radar::{Radar, Ran, finish};
use crate::support::rows::{self, Tables};
use crate::support::web::Web;

const PARTIAL: i32 = 3;
const WINDOW: [&str; 3] = ["--run-once", "--window", "2026-11-16..2026-11-17"];
const PUBLISHED: &str = "2026-11-16T05:00:00Z";

/// An installation that may ask this machine, by two names.
fn radar() -> Radar {
    Radar::at("2026-11-17T07:00:00Z").with("AHA_FETCH_ALLOW", "127.0.0.1,localhost").with("AHA_FETCH_HOST_GAP_MS", "0")
}

/// The address of a path on a host of its own, which another one's faults do not concern.
fn elsewhere(web: &Web, path: &str) -> String {
    web.url(path).replace("127.0.0.1", "localhost")
}

fn good() -> (&'static str, Answer) {
    ("/good", Answer::ok(feed("Good", &[Post::about_nothing_else("good", PUBLISHED)])))
}

/// An RSS feed with one entry.
fn rss() -> String {
    format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>Other</title><item><title>The other story</title>\
         <guid>other</guid><pubDate>Mon, 16 Nov 2026 05:00:00 GMT</pubDate><description>{}</description></item>\
         </channel></rss>",
        "It goes on and on. ".repeat(50)
    )
}

fn of_url<'a>(sources: &'a Value, url: &str) -> &'a Value {
    sources.as_array().unwrap().iter().find(|source| source["url"] == url).unwrap()
}

fn titles(digest: &Value) -> Vec<&str> {
    digest["stories"].as_array().unwrap().iter().map(|story| story["title"].as_str().unwrap()).collect()
}

/// Runs with a good source and a bad one, and checks what is said of the bad one.
#[track_caller]
fn beside_a_good_one(radar: &Radar, web: &Web, bad: &str, kind: &str, reason: &str) -> Ran {
    let good = elsewhere(web, "/good");
    radar.add(&[&good, bad]);
    let ran = radar.run(&WINDOW).exits(PARTIAL);
    let digest = radar.digest();
    assert_eq!(titles(&digest), [Post::about_nothing_else("good", PUBLISHED).title]);
    assert_eq!(digest["digest"]["status"], "partial");
    let report = of_url(&digest["sources"], bad);
    assert_eq!(report["status"], kind, "{report:#}");
    assert!(report["error"].as_str().unwrap().contains(reason), "{report:#}");
    assert_eq!(of_url(&digest["sources"], &good)["status"], "ok");
    let listed = radar.json(&["source", "list", "--json"]);
    let source = of_url(&listed, bad);
    assert_eq!((&source["last_error_kind"], &source["last_error"]), (&kind.into(), &report["error"]));
    assert_eq!(source["consecutive_failures"], 1);
    assert_eq!(source["health"], if kind == "gone" { "gone" } else { "failing" });
    assert_eq!(of_url(&listed, &good)["health"], "ok");
    let shown = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("127.0.0.1"), "the digest names the source that failed: {shown}");
    ran
}

/// The same with a scripted answer.
#[track_caller]
fn answers(answer: Answer, kind: &str, reason: &str) {
    let web = Web::serve(vec![good(), ("/bad", answer)]);
    beside_a_good_one(&radar(), &web, &web.url("/bad"), kind, reason);
}

#[test]
fn no_feed_at_all() {
    answers(Answer::ok("<html><head><title>Hi</title></head><body>A page</body></html>"), "not_a_feed", "HTML");
    answers(Answer::ok(""), "not_a_feed", "empty");
    answers(Answer::ok("just words"), "not_a_feed", "not a feed");
}

#[test]
fn a_feed_beyond_repair() {
    answers(Answer::ok("<rss version='2.0'><channel><item><title>Half a"), "unparseable", "even after repair");
}

#[test]
fn an_answer_that_breaks_off() {
    answers(Answer::ok(rss()).cut_after(300), "interrupted", "broke off");
}

#[test]
fn a_feed_that_ends_too_early_gives_what_is_whole() {
    let whole = rss();
    let entry = &whole[whole.find("<item>").unwrap()..whole.find("</channel>").unwrap()];
    let second = entry.replace("other", "second").replace("The other story", "Half a story");
    let text = whole.replace("</channel></rss>", second.split_at(second.len() / 2).0);
    let web = Web::serve(vec![good(), ("/bad", Answer::ok(text))]);
    let radar = radar();
    radar.add(&[&web.url("/good"), &web.url("/bad")]);
    radar.ok(&WINDOW);
    assert!(titles(&radar.digest()).contains(&"The other story"));
}

#[test]
fn answers_that_say_no() {
    answers(Answer::new(404), "http_404", "404");
    answers(Answer::new(403), "http_403", "expects a login");
    answers(Answer::new(500), "server_error", "500");
    answers(Answer::new(503).header("retry-after", "120"), "server_error", "after 120 s");
}

#[test]
fn redirects_that_lead_nowhere() {
    answers(Answer::redirect(302, "{base}/bad"), "redirect_loop", "redirects in a circle");
    answers(Answer::redirect(302, "http://169.254.169.254/latest"), "refused_address", "169.254.169.254");
    answers(Answer::redirect(302, "http://10.0.0.1/feed"), "refused_address", "AHA_FETCH_ALLOW");
    answers(Answer::redirect(302, "http://10.0.0.1/feed"), "refused_address", "/bad redirects to 10.0.0.1");
    answers(Answer::redirect(302, "file:///etc/passwd"), "bad_redirect", "cannot be followed");
}

#[test]
fn nobody_listens() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let web = Web::serve(vec![good()]);
    beside_a_good_one(&radar(), &web, &format!("http://{closed}/feed"), "connect", "no connection");
}

#[test]
fn a_server_that_falls_silent() {
    answers(Answer::ok(rss()).stalling_after(100), "stalled", "stopped sending for 20 s");
}

#[test]
fn a_host_that_falls_silent_delays_no_other_and_is_given_up() {
    let paths = |name: &str| (10..50).map(|number| format!("/{name}/{number}")).collect::<Vec<_>>();
    let (silent, good) = (paths("silent"), paths("good"));
    let mut answers = Vec::new();
    for path in &silent {
        answers.push((path.as_str(), Answer::ok(rss()).after(Duration::from_mins(10))));
    }
    for path in &good {
        answers.push((path.as_str(), Answer::ok(feed(path, &[Post::about_nothing_else(path, PUBLISHED)]))));
    }
    let web = Web::serve(answers);
    let radar = radar();
    let urls: Vec<String> =
        silent.iter().map(|path| web.url(path)).chain(good.iter().map(|path| elsewhere(&web, path))).collect();
    radar.add(&urls.iter().map(String::as_str).collect::<Vec<_>>());
    let run = radar.start(&WINDOW);
    for path in &good {
        web.wait_for(path);
    }
    finish(run).exits(PARTIAL);
    let asked: usize = silent.iter().map(|path| web.requests(path).len()).sum();
    assert_eq!(asked, 3);
    let outcomes = "SELECT coalesce(error_kind, status) || ' ' || count(*) FROM fetch_runs GROUP BY error_kind, status";
    let mut outcomes = rows::query(&radar, outcomes);
    outcomes.sort();
    assert_eq!(outcomes, ["ok 40", "stalled 3", "waiting 37"]);
    let health = "SELECT health || ' ' || count(*) FROM sources GROUP BY health ORDER BY health";
    assert_eq!(rows::query(&radar, health), ["failing 3", "new 37", "ok 40"], "what was not asked has not failed");
    let reason = rows::query(&radar, "SELECT DISTINCT error FROM fetch_runs WHERE status = 'waiting'");
    assert_eq!(
        reason,
        ["127.0.0.1 left 3 requests in a row unanswered, so this one was not sent; the next run tries again"]
    );
}

#[test]
fn what_is_gone_for_good_is_not_asked_again() {
    let web = Web::serve(vec![good(), ("/bad", Answer::new(410))]);
    let radar = radar();
    let bad = web.url("/bad");
    beside_a_good_one(&radar, &web, &bad, "gone", "410");
    assert_eq!(of_url(&radar.json(&["source", "list", "--json"]), &bad)["enabled"], false);
    radar.run(&WINDOW).exits(0);
    assert_eq!(web.requests("/bad").len(), 1);
    assert_eq!(web.requests("/good").len(), 2);
    radar.ok(&["source", "enable", &bad]);
    radar.run(&WINDOW).exits(PARTIAL);
    assert_eq!(web.requests("/bad").len(), 2);
}

#[test]
fn a_server_that_asks_for_patience_gets_it() {
    let web = Web::serve(vec![good(), ("/bad", Answer::new(429).header("retry-after", "120"))]);
    let mut radar = radar();
    let bad = web.url("/bad");
    beside_a_good_one(&radar, &web, &bad, "rate_limited", "after 120 s");
    assert_eq!(of_url(&radar.json(&["source", "list", "--json"]), &bad)["not_before"], "2026-11-17T07:02:00Z");
    radar.set("AHA_NOW", "2026-11-17T07:01:00Z");
    radar.run(&WINDOW);
    let digest = radar.digest();
    assert_eq!(of_url(&digest["sources"], &bad)["status"], "waiting");
    assert_eq!(web.requests("/bad").len(), 1, "it was asked before its time");
    assert_eq!(of_url(&radar.json(&["source", "list", "--json"]), &bad)["last_error_kind"], "rate_limited");
    radar.set("AHA_NOW", "2026-11-17T07:03:00Z");
    radar.run(&WINDOW).exits(PARTIAL);
    assert_eq!(web.requests("/bad").len(), 2);
}

#[test]
fn what_a_host_asks_of_one_source_it_asks_of_all() {
    let limited = Answer::new(429).header("retry-after", "120");
    let post = |id: &str| Answer::ok(feed(id, &[Post::about_nothing_else(id, PUBLISHED)]));
    let web = Web::serve(vec![good(), ("/m", limited), ("/n", post("n"))]);
    let mut radar = radar();
    radar.add(&[&elsewhere(&web, "/good"), &web.url("/m"), &web.url("/n")]);
    radar.run(&WINDOW).exits(PARTIAL);
    let waiting = of_url(&radar.digest()["sources"], &web.url("/n")).clone();
    assert_eq!(waiting["status"], "waiting");
    assert!(waiting["error"].as_str().unwrap().contains("127.0.0.1 asked for no request before"), "{waiting}");
    let listed = of_url(&radar.json(&["source", "list", "--json"]), &web.url("/n")).clone();
    assert_eq!((&listed["not_before"], &listed["health"]), (&"2026-11-17T07:02:00Z".into(), &"new".into()));
    assert_eq!(listed["consecutive_failures"], 0);
    // Another process.
    radar.set("AHA_NOW", "2026-11-17T07:01:00Z");
    radar.run(&WINDOW);
    assert_eq!(["/m", "/n"].map(|path| web.requests(path).len()), [1, 0]);
    assert_eq!(web.requests("/good").len(), 2);
    radar.set("AHA_NOW", "2026-11-17T07:03:00Z");
    radar.run(&WINDOW);
    assert_eq!(["/m", "/n"].map(|path| web.requests(path).len()), [2, 0], "until it asks again");
}

#[test]
fn this_machine_is_not_asked_unless_allowed() {
    let web = Web::serve(vec![good()]);
    let radar = Radar::at("2026-11-17T07:00:00Z");
    radar.add(&[&web.url("/good")]);
    radar.run(&WINDOW).exits(PARTIAL);
    let digest = radar.digest();
    assert_eq!(of_url(&digest["sources"], &web.url("/good"))["status"], "refused_address");
    assert!(web.requests("/good").is_empty());
    let by_name = web.url("/good").replace("127.0.0.1", "localhost");
    radar.run(&["source", "test", &by_name]).exits(1).says("AHA_FETCH_ALLOW=localhost");
    assert!(web.requests("/good").is_empty());
}

/// All but what tells of the looks themselves.
fn content(radar: &Radar) -> Tables {
    let mut tables = rows::all(radar);
    tables.retain(|name, _| {
        !["fetch_runs", "sources", "run_attempts", "runs", "topics", "digests"].contains(&name.as_str())
    });
    tables
}

#[test]
fn an_unchanged_feed_is_not_sent_again() {
    const MODIFIED: &str = "Mon, 16 Nov 2026 06:00:00 GMT";
    let answer = good().1.header("etag", "\"v1\"").header("last-modified", MODIFIED);
    let web = Web::serve(vec![("/good", answer.not_modified_if("if-none-match", "\"v1\""))]);
    let mut radar = radar();
    radar.add(&[&web.url("/good")]);
    radar.ok(&WINDOW);
    let (before, digest) = (content(&radar), radar.digest());
    radar.set("AHA_NOW", "2026-11-17T09:00:00Z");
    radar.ok(&WINDOW);
    let requests = web.requests("/good");
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].headers.get("if-none-match"), None);
    assert_eq!(requests[1].headers["if-none-match"], "\"v1\"");
    assert_eq!(requests[1].headers["if-modified-since"], MODIFIED);
    assert!(requests[0].headers["user-agent"].starts_with("aha-radar/"));
    assert_eq!(rows::query(&radar, "SELECT status FROM fetch_runs ORDER BY attempt"), ["ok", "not_modified"]);
    assert_eq!(content(&radar), before);
    assert_eq!(radar.digest(), digest);
    let listed = radar.json(&["source", "list", "--json"]);
    assert_eq!((&listed[0]["health"], &listed[0]["last_ok_at"]), (&"ok".into(), &"2026-11-17T09:00:00Z".into()));
}

#[test]
fn one_link_from_two_sources_is_one_item() {
    let post = |id: &str, query: &str| {
        Post::about_nothing_else("shared", PUBLISHED).at_url(&format!("https://posts.example/shared{query}")).named(id)
    };
    let web = Web::serve(vec![
        ("/a", Answer::ok(feed("A", &[post("a-1", "?utm_source=a&utm_medium=rss")]))),
        ("/b", Answer::ok(feed("B", &[post("b-1", "?utm_campaign=b#top")]))),
    ]);
    let radar = radar();
    radar.add(&[&web.url("/a"), &web.url("/b")]);
    radar.ok(&WINDOW);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM content_items"), 1);
    let told = rows::query(&radar, "SELECT external_id FROM content_item_sources ORDER BY external_id");
    assert_eq!(told, ["a-1", "b-1"]);
    let digest = radar.digest();
    let sources = digest["stories"][0]["sources"].as_array().unwrap();
    assert_eq!(
        (sources.len(), &sources[0]["name"], &sources[0]["also_from"]),
        (1, &"A".into(), &serde_json::json!(["B"]))
    );
    assert_eq!(digest["digest"]["items"], 1);
}

#[test]
fn how_fast_servers_answer_does_not_show() {
    let run = |first: u64, second: u64, concurrency: &str| {
        let answer = |source: &str, delay: u64| {
            let shared = Post::about_nothing_else("shared", PUBLISHED).named(&format!("{source}-1"));
            let own = Post::about_nothing_else(&format!("{source}-2"), PUBLISHED);
            Answer::ok(feed(source, &[shared, own])).after(Duration::from_millis(delay))
        };
        let web = Web::serve(vec![("/a", answer("A", first)), ("/b", answer("B", second))]);
        let radar = radar().with("AHA_FETCH_CONCURRENCY", concurrency).with("AHA_FETCH_ALLOW", "127.0.0.1,localhost");
        // Two hosts, since one is asked for one thing at a time.
        radar.add(&[&web.url("/b").replace("127.0.0.1", "localhost"), &web.url("/a")]);
        radar.ok(&WINDOW);
        rows::query(
            &radar,
            "SELECT i.external_id || ' of ' || s.title FROM content_items i JOIN sources s ON s.id = i.source_id
             ORDER BY 1",
        )
    };
    let expected = ["A-1 of A", "A-2 of A", "B-2 of B"];
    for (first, second, concurrency) in [(400, 0, "16"), (0, 400, "16"), (0, 0, "1")] {
        assert_eq!(run(first, second, concurrency), expected, "{first} {second} {concurrency}");
    }
}

#[test]
fn a_source_that_failed_is_tried_again_and_forgiven() {
    let web = Web::serve(vec![good(), ("/bad", Answer::new(500))]);
    let radar = radar();
    radar.add(&[&web.url("/good"), &web.url("/bad")]);
    radar.run(&WINDOW).exits(PARTIAL);
    radar.run(&WINDOW).exits(PARTIAL);
    let source = of_url(&radar.json(&["source", "list", "--json"]), &web.url("/bad")).clone();
    assert_eq!(source["consecutive_failures"], 2);
    radar.ok(&["source", "remove", &web.url("/bad")]);
    radar.run(&WINDOW).exits(0);
    assert_eq!(radar.digest()["digest"]["status"], "complete");
}
