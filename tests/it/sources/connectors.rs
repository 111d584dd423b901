//! The connectors of known sites, with the sites played by a scripted server.

use std::time::Duration;

use aha_content::feed::ParsedFeed;
use aha_core::ids::TopicId;
use aha_core::source::{NewSource, Source};
use aha_radar::sources::fetch::{FetchConfig, FetchError, Fetcher};
use aha_radar::sources::{Connectors, FetchOutcome, FetchResult, RedditKey, Sites};

use crate::support::http::{Answer, Server};
use crate::support::radar::Radar;
use crate::support::web::Web;

const FRONT_PAGE: &[u8] = include_bytes!("../../data/sources/hacker_news_front_page.json");
const LISTING: &[u8] = include_bytes!("../../data/sources/reddit_listing.json");
const CHANNEL: &[u8] = include_bytes!("../../data/sources/youtube_channel.xml");
const RELEASES: &[u8] = include_bytes!("../../data/sources/github_releases.atom");
const ARXIV: &[u8] = include_bytes!("../../data/sources/arxiv.xml");
const LOBSTERS: &[u8] = include_bytes!("../../data/sources/lobsters_tag.rss");

pub(super) fn source(kind: &str, url: &str) -> Source {
    let kind = serde_json::from_value(kind.into()).unwrap();
    let new = NewSource { kind, url: url.to_owned(), ..NewSource::default() };
    Source::never_fetched(TopicId::of(&["t"]), &new)
}

fn fetcher() -> Fetcher {
    let allow = vec!["127.0.0.1".parse().unwrap()];
    Fetcher::new(FetchConfig { allow, host_gap: Duration::ZERO, ..FetchConfig::default() }).unwrap()
}

/// All sites below one address.
fn sites(base: &str) -> Sites {
    settings(base).parse().unwrap()
}

fn settings(base: &str) -> String {
    let names =
        ["hacker_news", "hacker_news_lists", "reddit", "reddit_oauth", "youtube", "github", "arxiv", "lobsters"];
    names.map(|name| format!("{name}={base}/{name}")).join(",")
}

async fn fetch(connectors: &Connectors, kind: &str, url: &str) -> Result<FetchResult, FetchError> {
    let source = source(kind, url);
    connectors.of(source.kind).unwrap().fetch(&source, &fetcher()).await
}

fn feed(fetched: FetchResult) -> ParsedFeed {
    match fetched.outcome {
        FetchOutcome::Feed(feed) => feed,
        FetchOutcome::NotModified | FetchOutcome::Results(_) => panic!("a feed was expected"),
    }
}

fn paths(server: &Server) -> Vec<String> {
    server.requests().into_iter().map(|request| request.path).collect()
}

#[tokio::test]
async fn hacker_news_takes_one_request_and_two_for_the_best() {
    let front = "/hacker_news/search?tags=front_page&hitsPerPage=50";
    let best = "/hacker_news/search?tags=story%2C%28story_48700001%2Cstory_48700002%29&hitsPerPage=50";
    let words = "/hacker_news/search_by_date?query=heat+pumps&tags=story&hitsPerPage=50";
    let server = Server::start(vec![
        (front, Answer::ok(FRONT_PAGE)),
        ("/hacker_news_lists/beststories.json", Answer::ok("[48700001,48700002]")),
        (best, Answer::ok(FRONT_PAGE)),
        (words, Answer::ok(r#"{"hits":[]}"#)),
        ("/hacker_news/search_by_date?tags=story&hitsPerPage=50", Answer::ok("{}")),
    ])
    .await;
    let connectors = Connectors::new(&sites(&server.base), None, None);
    let top = feed(fetch(&connectors, "hacker_news", "hn:top").await.unwrap());
    assert_eq!((top.title.as_deref(), top.items.len()), (Some("Hacker News"), 3));
    assert_eq!(feed(fetch(&connectors, "hacker_news", "hn:best").await.unwrap()).items.len(), 3);
    assert!(feed(fetch(&connectors, "hacker_news", "hn:heat pumps").await.unwrap()).items.is_empty());
    assert_eq!(fetch(&connectors, "hacker_news", "hn:new").await.unwrap_err().kind().as_str(), "not_a_feed");
    assert_eq!(paths(&server)[..4], [front, "/hacker_news_lists/beststories.json", best, words]);
}

#[tokio::test]
async fn a_subreddit_is_read_without_a_key() {
    let path = "/reddit/r/rust/hot.json?limit=50&raw_json=1";
    let server = Server::start(vec![(path, Answer::ok(LISTING).header("x-ratelimit-remaining", "58"))]).await;
    let connectors = Connectors::new(&sites(&server.base), None, None);
    for _ in 0..2 {
        assert_eq!(feed(fetch(&connectors, "reddit", "reddit:rust").await.unwrap()).items.len(), 3);
    }
    assert_eq!(paths(&server), [path, path]);
}

#[tokio::test]
async fn with_a_key_one_token_serves_many_looks() {
    let path = "/reddit_oauth/r/rust/new?limit=50&raw_json=1";
    let token = r#"{"access_token":"granted-1","token_type":"bearer","expires_in":3600,"scope":"*"}"#;
    let server =
        Server::start(vec![("/reddit/api/v1/access_token", Answer::ok(token)), (path, Answer::ok(LISTING))]).await;
    let key = RedditKey { id: "app".to_owned(), secret: "hush".to_owned().into() };
    let connectors = Connectors::new(&sites(&server.base), Some(key), None);
    for _ in 0..2 {
        assert_eq!(feed(fetch(&connectors, "reddit", "reddit:rust/new").await.unwrap()).items.len(), 3);
    }
    let requests = server.requests();
    assert_eq!(paths(&server), ["/reddit/api/v1/access_token", path, path]);
    assert_eq!(requests[0].headers["authorization"], "Basic YXBwOmh1c2g=");
    assert_eq!(requests[1].headers["authorization"], "Bearer granted-1");
}

#[tokio::test]
async fn reddit_is_left_alone_when_it_asks_for_that() {
    let used_up = Answer::ok(LISTING).header("x-ratelimit-remaining", "0.0").header("x-ratelimit-reset", "240");
    for (answer, kind, wait) in [
        (used_up, None, 240),
        (Answer::new(403), Some("rate_limited"), 600),
        (Answer::new(429).header("retry-after", "90"), Some("rate_limited"), 90),
        (Answer::new(429), Some("rate_limited"), 600),
    ] {
        let server = Server::start(vec![("/reddit/r/a/hot.json?limit=50&raw_json=1", answer)]).await;
        let connectors = Connectors::new(&sites(&server.base), None, None);
        let first = fetch(&connectors, "reddit", "reddit:a").await;
        assert_eq!(first.err().map(|error| error.kind().as_str()), kind);
        let second = fetch(&connectors, "reddit", "reddit:b").await.unwrap_err();
        let left = second.retry_after().unwrap().as_secs();
        assert!((wait - 5..=wait).contains(&left), "{left} of {wait}");
        assert_eq!(server.requests().len(), 1, "the second subreddit is not asked for");
    }
}

#[tokio::test]
async fn a_key_goes_nowhere_a_redirect_leads() {
    let other = Server::start(vec![("/taken", Answer::ok(LISTING))]).await;
    let token = r#"{"access_token":"granted-1","expires_in":3600}"#;
    let path = "/reddit_oauth/r/a/hot?limit=50&raw_json=1";
    let server = Server::start(vec![
        ("/reddit/api/v1/access_token", Answer::ok(token)),
        (path, Answer::redirect(302, &other.url("/taken"))),
    ])
    .await;
    let key = RedditKey { id: "app".to_owned(), secret: "hush".to_owned().into() };
    fetch(&Connectors::new(&sites(&server.base), Some(key), None), "reddit", "reddit:a").await.unwrap();
    assert!(!other.requests()[0].headers.contains_key("authorization"));
}

#[test]
fn sites_are_added_tested_and_exported_by_their_short_names() {
    let youtube = "/youtube/feeds/videos.xml?channel_id=UCtide00000000000000000A";
    let web = Web::serve(vec![
        ("/hacker_news/search?tags=front_page&hitsPerPage=50", Answer::ok(FRONT_PAGE)),
        ("/reddit/r/rust/hot.json?limit=50&raw_json=1", Answer::ok(LISTING)),
        (youtube, Answer::ok(CHANNEL)),
        ("/github/crumple/libcrumple/releases.atom", Answer::ok(RELEASES)),
        ("/arxiv/rss/cs.DB", Answer::ok(ARXIV)),
        ("/lobsters/t/rust.rss", Answer::ok(LOBSTERS)),
    ]);
    let radar = Radar::at("2026-11-18T12:00:00Z")
        .with("AHA_SITES", &settings(web.url("").trim_end_matches('/')))
        .with("AHA_FETCH_ALLOW", "127.0.0.1")
        .with("AHA_FETCH_HOST_GAP_MS", "0");
    let names = [
        "https://news.ycombinator.com/",
        "reddit:rust",
        "youtube:UCtide00000000000000000A",
        "github:crumple/libcrumple",
        "arxiv:cs.DB",
        "lobsters:rust",
    ];
    let tested = radar.run(&[&["source", "test", "--json"], &names[..]].concat()).exits(0);
    let titles: Vec<String> = tested
        .stdout
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["feed"]["title"].as_str().unwrap().to_owned()
        })
        .collect();
    let expected = [
        "Hacker News",
        "r/rust",
        "Grid & Tide",
        "Release notes from libcrumple",
        "cs.DB updates on arXiv.org",
        "Lobsters: rust",
    ];
    assert_eq!(titles, expected);
    radar.add(&names);
    let digest = radar.json(&["run", "--json"]);
    let reports = digest["sources"].as_array().unwrap();
    assert_eq!(reports.len(), 6);
    assert!(
        reports.iter().all(|report| report["status"] == "ok" && report["items"].as_i64() > Some(0)),
        "{reports:#?}"
    );
    radar.run(&["source", "disable", "https://www.reddit.com/r/Rust/"]).exits(0).says("reddit:rust is no longer read");
    radar.ok(&["source", "set", "hn:top", "--weight", "0.4", "--full-text", "true"]);
    radar.run(&["source", "add", "reddit:not a name"]).exits(2).says("the name of a subreddit");
    what_is_exported_reads_back(&radar);
}

fn what_is_exported_reads_back(radar: &Radar) {
    let exported = radar.run(&["opml", "export"]).exits(0).stdout;
    for kind in ["hacker_news", "reddit", "youtube", "github_releases", "arxiv", "lobsters"] {
        assert!(exported.contains(&format!("aha:kind=\"{kind}\"")), "{kind} in {exported}");
    }
    let list = radar.folder().join("list.opml");
    std::fs::write(&list, exported).unwrap();
    let other = Radar::at("2026-11-18T12:00:00Z");
    other.run(&["opml", "import", list.to_str().unwrap()]).exits(0).says("6 sources added");
    let kinds = |radar: &Radar| {
        let listed = radar.json(&["source", "list", "--json"]);
        let of =
            |source: &serde_json::Value| ["kind", "url", "weight", "full_text"].map(|name| source[name].to_string());
        listed.as_array().unwrap().iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&other), kinds(radar));
}
