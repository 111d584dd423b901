//! No connection is made to what is not public, whichever way its address comes in. All that is asked goes through a
//! proxy that the test plays, so whatever is asked for is seen: names with an address that is refused, spelled in every
//! way, and none of them.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use aha_core::item::PageOutcome;
use aha_core::source::Validators;
use aha_net::address::Lookup;
use aha_radar::sources::discover::discover;
use aha_radar::sources::fetch::{FetchConfig, FetchError, Fetcher};
use aha_radar::sources::full_text::Pages;

use crate::support::http::{Answer, Server};

/// Hosts, with a port where it is what is wrong.
const REFUSED: &str = "
    0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.0.0.2 127.1.2.3
    127.255.255.255 169.254.0.1 169.254.169.254 169.254.170.2 172.16.0.1 172.20.10.1 172.31.255.255 192.0.0.1 192.0.0.192
    192.0.2.1 192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1
    224.0.0.251 239.255.255.250 240.0.0.1 250.1.2.3 255.255.255.254 255.255.255.255
    2130706433 0x7f000001 017700000001 0x7f.0.0.1 0177.0.0.1 0x7f.1 127.1 127.0.1 10.1 0xa.0.0.1 012.0.0.1 167772161
    2852039166 0xa9fea9fe 0251.0376.0251.0376 169.254.43518 0xA9.0xFE.0xA9.0xFE 192.168.1 3232235521 0xc0a80001 0 0x0 00.00.00.00
    127.0.0.1. 10.0.0.1. 2130706433. 169.254.169.254. １２７.0.0.1 127。0。0。1 ①②⑦.0.0.1 %31%32%37.0.0.1
    localhost LOCALHOST localhost. a.localhost localhost.localdomain ip6-localhost ip6-loopback localhost6
    metadata metadata.google.internal metadata.google.internal. METADATA.Google.Internal metadata.goog instance-data
    instance-data.ec2.internal a.b.internal
    [::] [::1] [0:0:0:0:0:0:0:1] [::127.0.0.1] [::10.0.0.1] [::7f00:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:10.0.0.1]
    [::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [::ffff:192.168.0.1] [::ffff:100.64.0.1] [::ffff:0:127.0.0.1] [::ffff:0:10.0.0.1]
    [64:ff9b::127.0.0.1] [64:ff9b::10.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::1] [64:ff9b:1:ffff::8.8.8.8] [100::1] [2001::1]
    [2001:0:7f00:1::] [2001:2::1] [2001:10::1] [2001:20::1] [2001:db8::1] [2002:7f00:1::] [2002:a00:1::1] [2002:c0a8:1::]
    [2002:a9fe:a9fe::] [3fff::1] [4000::1] [5f00::1] [fc00::1] [fd00:ec2::254] [fd12:3456::1] [fe80::1] [febf::1] [fec0::1]
    [ff02::1] [ff0e::1]
    loop.example loop.example. private.example cgnat.example linklocal.example mapped.example v6.example mixed.example
    nothing.example nowhere.example
    1.1.1.1:22 1.1.1.1:25 1.1.1.1:0 1.1.1.1:6667 1.1.1.1:10080 public.example:110 public.example:2049 [2606:4700::1]:993
    me@1.1.1.1 me:pw@1.1.1.1 public.example@127.0.0.1 127.0.0.1@public.example :pw@public.example";

/// Names as the test has them resolve.
#[derive(Debug, Default)]
struct Names(AtomicUsize);

#[async_trait::async_trait]
impl Lookup for Names {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let addresses = match host.trim_end_matches('.') {
            "loop.example" => "127.0.0.1",
            "private.example" => "192.168.7.7",
            "cgnat.example" => "100.64.1.1",
            "linklocal.example" => "169.254.169.254",
            "mapped.example" => "::ffff:10.0.0.1",
            "v6.example" => "fd00::5",
            "mixed.example" => "1.1.1.1 10.0.0.1",
            "nothing.example" => "",
            "nowhere.example" => return Err(io::Error::other("no such name")),
            _ => "1.1.1.1 2606:4700::1",
        };
        Ok(addresses.split_whitespace().map(|address| address.parse().unwrap()).collect())
    }
}

fn fetcher(proxy: &Server) -> Fetcher {
    Fetcher::new(FetchConfig {
        host_gap: Duration::ZERO,
        lookup: Arc::new(Names::default()),
        proxy: Some(proxy.base.clone().into()),
        ..FetchConfig::default()
    })
    .unwrap()
}

fn urls() -> Vec<String> {
    let hosts: Vec<&str> = REFUSED.split_whitespace().collect();
    assert!(hosts.len() >= 120, "{}", hosts.len());
    hosts.iter().map(|host| format!("http://{host}/feed")).collect()
}

fn is_refusal(error: &FetchError) -> bool {
    matches!(error.kind().as_str(), "refused_address" | "bad_url" | "bad_redirect" | "dns")
}

#[tokio::test]
async fn nothing_is_asked_as_a_source() {
    let proxy = Server::start(vec![]).await;
    let fetcher = fetcher(&proxy);
    for url in urls() {
        for url in [url.clone(), url.replacen("http:", "https:", 1)] {
            let error = fetcher.get(&url, &Validators::default()).await.unwrap_err();
            assert!(is_refusal(&error), "{url}: {error:?}");
        }
    }
    assert!(proxy.requests().is_empty(), "{:?}", proxy.requests());
}

#[tokio::test]
async fn nothing_is_asked_after_a_redirect() {
    let urls = urls();
    let paths: Vec<String> = (0..urls.len()).map(|n| format!("http://start.example/{n}")).collect();
    let answers = paths.iter().zip(&urls).map(|(path, url)| (path.as_str(), Answer::redirect(301, url))).collect();
    let proxy = Server::start(answers).await;
    let fetcher = fetcher(&proxy);
    for (path, url) in paths.iter().zip(&urls) {
        let error = fetcher.get(path, &Validators::default()).await.unwrap_err();
        assert!(is_refusal(&error), "{url}: {error:?}");
    }
    let asked: Vec<String> = proxy.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(asked, paths);
}

#[tokio::test]
async fn nothing_is_asked_that_a_page_names() {
    let urls = urls();
    let paths: Vec<String> = (0..urls.len()).map(|n| format!("http://start.example/{n}")).collect();
    let page = |url: &String| {
        Answer::ok(format!("<html><head><link rel='alternate' type='application/rss+xml' href='{url}'></head></html>"))
    };
    let proxy = Server::start(paths.iter().zip(&urls).map(|(path, url)| (path.as_str(), page(url))).collect()).await;
    let fetcher = fetcher(&proxy);
    for path in &paths {
        // A name that cannot be resolved, or leads inside, is listed: it is refused when it is read.
        let _ = discover(&fetcher, path).await;
    }
    for request in proxy.requests() {
        assert!(request.path.starts_with("http://start.example/"), "{}", request.path);
    }
}

#[tokio::test]
async fn nothing_is_asked_for_its_full_text() {
    let proxy = Server::start(vec![]).await;
    let fetcher = fetcher(&proxy);
    let pages = Pages::default();
    for url in urls() {
        let page = pages.read(&fetcher, &url).await;
        assert_ne!(page.outcome, PageOutcome::Read, "{url}");
        assert!(page.text.is_empty());
    }
    assert!(proxy.requests().is_empty(), "{:?}", proxy.requests());
}

#[tokio::test]
async fn a_public_name_is_asked_through_the_proxy() {
    let proxy = Server::start(vec![("http://public.example/feed", Answer::ok("x"))]).await;
    fetcher(&proxy).get("http://public.example/feed", &Validators::default()).await.unwrap();
    assert_eq!(proxy.requests()[0].path, "http://public.example/feed");
}

#[tokio::test]
async fn a_name_that_is_never_resolved_for_a_proxy_takes_no_longer_than_a_fetch_may() {
    #[derive(Debug)]
    struct Never;

    #[async_trait::async_trait]
    impl Lookup for Never {
        async fn addresses(&self, _: &str) -> io::Result<Vec<IpAddr>> {
            std::future::pending().await
        }
    }
    let proxy = Server::start(vec![]).await;
    let fetcher = Fetcher::new(FetchConfig {
        host_gap: Duration::ZERO,
        total_timeout: Duration::from_millis(100),
        lookup: Arc::new(Never),
        proxy: Some(proxy.base.clone().into()),
        ..FetchConfig::default()
    })
    .unwrap();
    let none = Validators::default();
    let fetching = fetcher.get("http://public.example/feed", &none);
    let outcome = tokio::time::timeout(Duration::from_secs(10), fetching).await.expect("it ends by itself");
    assert!(matches!(outcome, Err(FetchError::Timeout { .. })), "{outcome:?}");
}

#[tokio::test]
async fn a_connection_goes_to_the_address_that_was_checked() {
    #[derive(Debug, Default)]
    struct Rebinding(AtomicUsize);

    #[async_trait::async_trait]
    impl Lookup for Rebinding {
        async fn addresses(&self, _: &str) -> io::Result<Vec<IpAddr>> {
            let first = self.0.fetch_add(1, Ordering::Relaxed) == 0;
            Ok(vec![if first { "127.0.0.1" } else { "127.0.0.9" }.parse().unwrap()])
        }
    }
    let server = Server::start(vec![("/feed", Answer::ok("x"))]).await;
    let port = server.base.rsplit(':').next().unwrap();
    let names = Arc::new(Rebinding::default());
    let fetcher = Fetcher::new(FetchConfig {
        allow: vec!["127.0.0.1".parse().unwrap()],
        host_gap: Duration::ZERO,
        lookup: Arc::clone(&names) as Arc<dyn Lookup>,
        ..FetchConfig::default()
    })
    .unwrap();
    let url = format!("http://rebinding.example:{port}/feed");
    fetcher.get(&url, &Validators::default()).await.unwrap();
    assert_eq!(names.0.load(Ordering::Relaxed), 1, "resolved once for a connection");
    let error = fetcher.get(&url, &Validators::default()).await.unwrap_err();
    assert_eq!(error.kind().as_str(), "refused_address", "the second answer leads elsewhere");
}
