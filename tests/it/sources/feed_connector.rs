//! The feed connector, over the web and on local files.

use std::time::Duration;

use aha_core::source::{Source, SourceKind, Validators};
use aha_radar::sources::fetch::{FetchConfig, FetchError, Fetcher};
use aha_radar::sources::{Connectors, FetchOutcome, FetchResult, Sites};

use crate::support::http::{Answer, Server};

const RSS: &str = "<?xml version='1.0' encoding='iso-8859-1'?><rss version='2.0'><channel><title>Caf\u{e9}</title>\
    <item><title>One</title><link>/one</link></item></channel></rss>";

fn source(url: &str, validators: Validators) -> Source {
    Source { validators, ..super::connectors::source("feed", url) }
}

async fn fetch(url: &str, validators: Validators) -> Result<FetchResult, FetchError> {
    let config =
        FetchConfig { allow: vec!["127.0.0.1".parse().unwrap()], host_gap: Duration::ZERO, ..FetchConfig::default() };
    Connectors::new(&Sites::default(), None, None)
        .of(SourceKind::Feed)
        .unwrap()
        .fetch(&source(url, validators), &Fetcher::new(config).unwrap())
        .await
}

fn feed(fetched: FetchResult) -> aha_content::feed::ParsedFeed {
    match fetched.outcome {
        FetchOutcome::Feed(feed) => feed,
        FetchOutcome::NotModified | FetchOutcome::Results(_) => panic!("a feed was expected"),
    }
}

#[tokio::test]
async fn a_feed_is_read_then_found_unchanged() {
    let latin1: Vec<u8> = RSS.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let answer = Answer::ok(latin1.clone()).header("last-modified", "Fri, 01 Mar 2024 10:20:30 GMT");
    let server = Server::start(vec![
        ("/feed", answer.not_modified_if("if-modified-since", "Fri, 01 Mar 2024 10:20:30 GMT")),
        ("/old", Answer::redirect(301, "/feed")),
    ])
    .await;
    let fetched = fetch(&server.url("/old"), Validators::default()).await.unwrap();
    assert_eq!((fetched.http_status, fetched.bytes), (Some(200), latin1.len() as u64));
    assert_eq!(fetched.moved_to, Some(server.url("/feed")));
    let validators = fetched.validators.clone();
    let parsed = feed(fetched);
    assert_eq!(parsed.title.as_deref(), Some("Café"));
    assert_eq!(parsed.items[0].url, Some(server.url("/one")));
    let again = fetch(&server.url("/feed"), validators.clone()).await.unwrap();
    assert_eq!(
        (again.outcome, again.http_status, again.validators),
        (FetchOutcome::NotModified, Some(304), validators)
    );
}

#[tokio::test]
async fn a_page_is_no_feed() {
    let server = Server::start(vec![("/", Answer::ok("<!DOCTYPE html><html><body>Hi</body></html>"))]).await;
    let error = fetch(&server.url("/"), Validators::default()).await.unwrap_err();
    assert_eq!(error.kind().as_str(), "not_a_feed");
    assert!(error.to_string().contains("an HTML page"), "{error}");
}

#[tokio::test]
async fn files_are_read_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("feed.xml");
    std::fs::write(&path, RSS.replace("iso-8859-1", "utf-8")).unwrap();
    let url = |path: &std::path::Path| url::Url::from_file_path(path).unwrap().to_string();
    let fetched = fetch(&url(&path), Validators::default()).await.unwrap();
    assert_eq!((fetched.http_status, fetched.moved_to.as_deref()), (None, None));
    assert_eq!(feed(fetched).items.len(), 1);
    for missing in [folder.path().join("none.xml"), folder.path().to_owned()] {
        assert_eq!(fetch(&url(&missing), Validators::default()).await.unwrap_err().kind().as_str(), "file");
    }
    assert!(Connectors::new(&Sites::default(), None, None).of(SourceKind::Documents).is_none());
}
