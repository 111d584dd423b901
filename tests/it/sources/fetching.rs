//! The fetcher against a scripted server.

use std::time::{Duration, Instant};

use aha_core::source::Validators;
use aha_radar::sources::fetch::{FetchConfig, FetchError, Fetcher, Response};

use crate::support::http::{Answer, Server};

fn config() -> FetchConfig {
    FetchConfig {
        allow: vec!["127.0.0.1".parse().unwrap()],
        host_gap: Duration::ZERO,
        idle_timeout: Duration::from_millis(300),
        total_timeout: Duration::from_secs(2),
        max_body_bytes: 100_000,
        ..FetchConfig::default()
    }
}

fn fetcher() -> Fetcher {
    Fetcher::new(config()).unwrap()
}

async fn get(server: &Server, path: &str) -> Result<Response, FetchError> {
    fetcher().get(&server.url(path), &Validators::default()).await
}

#[tokio::test]
async fn validators_go_to_their_own_url_alone() {
    let server = Server::start(vec![
        ("/feed", Answer::ok("x").header("etag", "\"1\"").not_modified_if("if-none-match", "\"1\"")),
        ("/moved", Answer::redirect(302, "/feed")),
        ("/other", Answer::ok("y")),
    ])
    .await;
    let fetcher = fetcher();
    let Ok(Response::Body { etag, final_url, bytes, status, .. }) =
        fetcher.get(&server.url("/feed"), &Validators::default()).await
    else {
        panic!("a body was expected")
    };
    assert_eq!((bytes.as_slice(), status), (b"x".as_slice(), 200));
    let validators =
        Validators { url: Some(final_url), etag, last_modified: Some("Fri, 01 Mar 2024 10:20:30 GMT".into()) };
    for path in ["/feed", "/moved"] {
        let answer = fetcher.get(&server.url(path), &validators).await.unwrap();
        assert!(matches!(answer, Response::NotModified { permanent_url: None, .. }), "{path}");
    }
    fetcher.get(&server.url("/other"), &validators).await.unwrap();
    let requests = server.requests();
    let sent: Vec<_> = requests.iter().map(|r| (r.path.as_str(), r.headers.contains_key("if-none-match"))).collect();
    assert_eq!(sent, [("/feed", false), ("/feed", true), ("/moved", false), ("/feed", true), ("/other", false)]);
    assert!(requests[1].headers.contains_key("if-modified-since"));
    assert!(requests[0].headers["user-agent"].starts_with("aha-radar/"));
}

#[tokio::test]
async fn redirects_are_followed_and_permanent_ones_reported() {
    let server = Server::start(vec![
        ("/a", Answer::redirect(301, "/b")),
        ("/b", Answer::redirect(308, "{base}/c#part")),
        ("/c", Answer::ok("end")),
        ("/t", Answer::redirect(301, "/u")),
        ("/u", Answer::redirect(307, "c")),
    ])
    .await;
    let moved = |answer| match answer {
        Ok(Response::Body { permanent_url, final_url, .. }) => (final_url, permanent_url),
        other => panic!("{other:?}"),
    };
    let end = server.url("/c");
    assert_eq!(moved(get(&server, "/a").await), (end.clone(), Some(end.clone())));
    assert_eq!(moved(get(&server, "/t").await), (end.clone(), None));
    assert_eq!(moved(get(&server, "/c").await), (end, None));
}

#[tokio::test]
async fn bad_redirects_end_the_fetch() {
    let server = Server::start(vec![
        ("/loop", Answer::redirect(302, "/pool")),
        ("/pool", Answer::redirect(302, "/loop")),
        ("/1", Answer::redirect(302, "/2")),
        ("/2", Answer::redirect(302, "/3")),
        ("/3", Answer::redirect(302, "/4")),
        ("/4", Answer::redirect(302, "/5")),
        ("/5", Answer::redirect(302, "/6")),
        ("/6", Answer::redirect(302, "/7")),
        ("/inside", Answer::redirect(302, "http://10.0.0.1/secret")),
        ("/metadata", Answer::redirect(302, "http://169.254.169.254/latest")),
        ("/mapped", Answer::redirect(302, "http://[::ffff:192.168.0.1]/")),
        ("/decimal", Answer::redirect(302, "http://167772161/")),
        ("/file", Answer::redirect(302, "file:///etc/passwd")),
        ("/user", Answer::redirect(302, "http://a:b@127.0.0.1/")),
        ("/nowhere", Answer::new(302)),
    ])
    .await;
    for (path, kind) in [
        ("/loop", "redirect_loop"),
        ("/1", "redirect_loop"),
        ("/inside", "refused_address"),
        ("/metadata", "refused_address"),
        ("/mapped", "refused_address"),
        ("/decimal", "refused_address"),
        ("/file", "bad_redirect"),
        ("/user", "bad_redirect"),
        ("/nowhere", "bad_redirect"),
    ] {
        assert_eq!(get(&server, path).await.unwrap_err().kind().as_str(), kind, "{path}");
    }
}

#[tokio::test]
async fn statuses_become_errors_that_say_when_to_come_back() {
    let server = Server::start(vec![
        ("/gone", Answer::new(410)),
        ("/secret?key=hidden", Answer::new(403)),
        ("/seconds", Answer::new(429).header("retry-after", "120")),
        (
            "/date",
            Answer::new(503)
                .header("date", "Fri, 01 Mar 2024 10:00:00 GMT")
                .header("retry-after", "Fri, 01 Mar 2024 10:05:00 GMT"),
        ),
        ("/past", Answer::new(503).header("retry-after", "Fri, 01 Mar 2024 10:05:00 GMT")),
        ("/broken", Answer::new(500)),
        ("/unasked", Answer::new(304)),
    ])
    .await;
    let seconds = |wait: Option<Duration>| wait.map(|w| w.as_secs());
    for (path, kind, status, wait) in [
        ("/missing", "http_404", 404, None),
        ("/gone", "gone", 410, None),
        ("/secret?key=hidden", "http_403", 403, None),
        ("/seconds", "rate_limited", 429, Some(120)),
        ("/date", "server_error", 503, Some(300)),
        ("/past", "server_error", 503, Some(0)),
        ("/broken", "server_error", 500, None),
        ("/unasked", "http_other", 304, None),
    ] {
        let error = get(&server, path).await.unwrap_err();
        assert_eq!(
            (error.kind().as_str(), error.http_status(), seconds(error.retry_after())),
            (kind, Some(status), wait),
            "{path}"
        );
        assert!(!error.to_string().contains("hidden"), "{error}");
    }
}

#[tokio::test]
async fn slow_and_broken_answers_are_told_apart() {
    let server = Server::start(vec![
        ("/stall", Answer::ok(vec![b'x'; 5000]).stalling_after(1000)),
        ("/silent", Answer::ok("x").after(Duration::from_mins(10))),
        ("/cut", Answer::ok(vec![b'x'; 5000]).cut_after(1000)),
    ])
    .await;
    let start = Instant::now();
    for (path, kind) in [("/stall", "stalled"), ("/silent", "stalled"), ("/cut", "interrupted")] {
        assert_eq!(get(&server, path).await.unwrap_err().kind().as_str(), kind, "{path}");
    }
    assert!(start.elapsed() < Duration::from_mins(2), "nobody waits for the answers");
    let hasty = Fetcher::new(FetchConfig { total_timeout: Duration::from_millis(100), ..config() }).unwrap();
    let error = hasty.get(&server.url("/silent"), &Validators::default()).await.unwrap_err();
    assert_eq!(error.kind().as_str(), "timeout");
    // Nobody listens where somebody just did.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let closed = fetcher().get(&format!("http://127.0.0.1:{port}/"), &Validators::default()).await.unwrap_err();
    assert_eq!(closed.kind().as_str(), "connect");
    let unknown = fetcher().get("http://no-such-host.invalid/", &Validators::default()).await.unwrap_err();
    assert_eq!(unknown.kind().as_str(), "dns");
}

#[tokio::test]
async fn a_run_gives_up_a_host_that_does_not_answer() {
    let server = Server::start(vec![
        ("/silent", Answer::ok("x").after(Duration::from_mins(10))),
        ("/stall", Answer::ok(vec![b'x'; 5000]).stalling_after(1000)),
        ("/good", Answer::ok("x")),
        ("/large", Answer::ok(vec![b'x'; 200_000])),
    ])
    .await;
    let other = Server::start(vec![("/good", Answer::ok("x"))]).await;
    let all = fetcher();
    let run = all.for_run();
    let kind = async |fetcher: &Fetcher, url: String| {
        fetcher.get(&url, &Validators::default()).await.err().map(|error| error.kind().as_str())
    };
    for (path, expected) in [
        ("/silent", Some("stalled")),
        ("/silent", Some("stalled")),
        ("/good", None),
        ("/stall", Some("stalled")),
        ("/silent", Some("stalled")),
        ("/missing", Some("http_404")),
        ("/silent", Some("stalled")),
        ("/silent", Some("stalled")),
        ("/large", Some("too_large")),
        ("/silent", Some("stalled")),
        ("/silent", Some("stalled")),
        ("/silent", Some("stalled")),
        ("/silent", Some("host_silent")),
        ("/good", Some("host_silent")),
    ] {
        assert_eq!(kind(&run, server.url(path)).await, expected, "{path}");
    }
    assert_eq!(server.requests().len(), 12, "the last two were not sent");
    assert_eq!(kind(&run, other.url("/good")).await, None, "another server");
    assert_eq!(kind(&all, server.url("/good")).await, None, "a request outside of the run");
    assert_eq!(kind(&all.for_run(), server.url("/good")).await, None, "the next run");
}

#[tokio::test]
async fn what_is_slow_has_its_whole_time_beside_what_does_not_answer() {
    let server = Server::start(vec![
        ("/silent", Answer::ok("x").after(Duration::from_mins(10))),
        ("/slow", Answer::ok("x").after(Duration::from_secs(6))),
    ])
    .await;
    let times = FetchConfig { idle_timeout: Duration::from_secs(9), total_timeout: Duration::from_mins(1), ..config() };
    let run = Fetcher::new(times).unwrap().for_run();
    let silent = run.get(&server.url("/silent"), &Validators::default()).await.unwrap_err();
    assert_eq!(silent.kind().as_str(), "stalled");
    run.get(&server.url("/slow"), &Validators::default()).await.unwrap();
}

#[tokio::test]
async fn a_host_that_asks_for_a_pause_gets_it_from_all_requests() {
    for status in [429, 503] {
        let server = Server::start(vec![
            ("/a", Answer::new(status).header("retry-after", "120")),
            ("/b", Answer::ok("x")),
            ("/at-once", Answer::new(status).header("retry-after", "0")),
        ])
        .await;
        let other =
            Server::start(vec![("/b", Answer::ok("x")), ("/c", Answer::redirect(302, &server.url("/b")))]).await;
        let fetcher = fetcher();
        let get = async |fetcher: &Fetcher, url: String| fetcher.get(&url, &Validators::default()).await;
        assert!(get(&fetcher, server.url("/at-once")).await.is_err() && get(&fetcher, server.url("/b")).await.is_ok());
        assert_eq!(get(&fetcher, server.url("/a")).await.unwrap_err().http_status(), Some(status));
        for (fetcher, url) in [(&fetcher, server.url("/b")), (&fetcher.for_run(), other.url("/c"))] {
            let error = get(fetcher, url).await.unwrap_err();
            assert_eq!(
                (error.kind().as_str(), error.http_status(), error.may_be_charged()),
                ("rate_limited", None, false)
            );
            let left = error.retry_after().unwrap().as_secs();
            assert!((100..=120).contains(&left) && error.to_string().contains("was not sent"), "{error}");
        }
        assert_eq!(server.requests().len(), 3);
        assert!(get(&fetcher, other.url("/b")).await.is_ok(), "another server");
    }
}

/// 20 MB of zeros: gzip writes them as a few literal bytes, found with `gzip -9` and unpacked by the fetcher.
fn gzip_bomb() -> Vec<u8> {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let mut gzip = Command::new("gzip").arg("-9c").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = gzip.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        for _ in 0..20 {
            stdin.write_all(&vec![0; 1_000_000]).unwrap();
        }
    });
    let output = gzip.wait_with_output().unwrap();
    writer.join().unwrap();
    output.stdout
}

#[tokio::test]
async fn bodies_are_capped_after_decompression() {
    let bomb = gzip_bomb();
    assert!(bomb.len() < 50_000);
    let server = Server::start(vec![
        ("/bomb", Answer::ok(bomb).header("content-encoding", "gzip")),
        ("/large", Answer::ok(vec![b'x'; 100_001])),
        ("/fits", Answer::ok(vec![b'x'; 100_000])),
    ])
    .await;
    assert_eq!(get(&server, "/bomb").await.unwrap_err().kind().as_str(), "too_large");
    assert_eq!(get(&server, "/large").await.unwrap_err().kind().as_str(), "too_large");
    assert!(get(&server, "/fits").await.is_ok());
}

#[tokio::test]
async fn addresses_inside_are_refused_however_they_are_spelled() {
    let fetcher = Fetcher::new(FetchConfig::default()).unwrap();
    let literals = "0.0.0.0 0 127.0.0.1 127.1 2130706433 0x7f000001 0177.0.0.1 127.0.0.1. 10.0.0.1 10.1 172.16.0.1 172.31.255.254 \
        192.168.0.1 192.168.257 169.254.169.254 169.254.1.1 100.64.0.1 100.100.100.200 192.0.0.192 192.0.2.1 198.18.0.1 \
        198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 [::] [::1] [::127.0.0.1] \
        [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:10.0.0.1] [::ffff:169.254.169.254] [64:ff9b::10.0.0.1] \
        [64:ff9b::169.254.169.254] [2002:7f00:1::] [2002:a00:1::1] [2001:db8::1] [fc00::1] [fd00:ec2::254] [fe80::1] \
        [ff02::1] [fec0::1] localhost LOCALHOST localhost. sub.localhost 127.0.0.1:8080 %31%32%37.0.0.1 １２７.0.0.1";
    assert!(literals.split_whitespace().count() >= 40);
    for host in literals.split_whitespace() {
        for scheme in ["http", "https"] {
            let error = fetcher.get(&format!("{scheme}://{host}/feed"), &Validators::default()).await.unwrap_err();
            assert_eq!(error.kind().as_str(), "refused_address", "{scheme}://{host}");
            assert!(error.to_string().contains("AHA_FETCH_ALLOW="), "{error}");
        }
    }
    for url in [
        "ftp://example.com/",
        "file:///etc/passwd",
        "http://user:secret@example.com/",
        "no url",
        "http://",
        "http://@/",
    ] {
        let error = fetcher.get(url, &Validators::default()).await.unwrap_err();
        assert_eq!(error.kind().as_str(), "bad_url", "{url}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}

#[tokio::test]
async fn what_is_allowed_by_name_or_network_is_fetched() {
    let server = Server::start(vec![("/feed", Answer::ok("x"))]).await;
    let port = server.base.rsplit(':').next().unwrap();
    for (allow, host, works) in [
        ("127.0.0.1", "127.0.0.1", true),
        ("127.0.0.0/8", "127.0.0.1", true),
        ("localhost", "localhost", true),
        ("localhost.:99", "LOCALHOST", true),
        ("10.0.0.0/8", "127.0.0.1", false),
        ("example.com", "localhost", false),
    ] {
        let fetcher = Fetcher::new(FetchConfig { allow: vec![allow.parse().unwrap()], ..config() }).unwrap();
        let answer = fetcher.get(&format!("http://{host}:{port}/feed"), &Validators::default()).await;
        assert_eq!(answer.is_ok(), works, "{allow} for {host}: {answer:?}");
    }
}

#[tokio::test]
async fn one_host_is_asked_slowly_and_alone() {
    let server = Server::start(vec![("/feed", Answer::ok("x"))]).await;
    let fetcher = Fetcher::new(FetchConfig { host_gap: Duration::from_millis(100), ..config() }).unwrap();
    let start = Instant::now();
    let (url, none) = (server.url("/feed"), Validators::default());
    let (a, b, c) = tokio::join!(fetcher.get(&url, &none), fetcher.get(&url, &none), fetcher.get(&url, &none));
    assert!(a.is_ok() && b.is_ok() && c.is_ok());
    assert!(start.elapsed() >= Duration::from_millis(190), "{:?}", start.elapsed());
}
