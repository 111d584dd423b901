use std::fmt::Write as _;
use std::io::{ErrorKind, Read as _, Write as _};
use std::time::Duration;

use crate::support::radar::{Radar, repository};
use crate::support::site::Site;

const NOW: &str = "2026-11-19T07:00:00Z";
const PUBLIC: &str = "https://radar.example/reading";

/// Every combination of name, origin, cookie and token: a change is made where all four are ours.
#[test]
fn a_change_needs_our_name_our_origin_our_cookie_and_our_token() {
    let mut radar = Radar::at(NOW);
    radar.ok(&["init"]);
    let site = Site::start(&mut radar);
    let (own, page) = (site.address.to_string(), site.get("/topics"));
    let other = site.get("/topics");
    assert_ne!(page.token(), other.token(), "two browsers share a token");
    let hosts = [(own.as_str(), true), ("evil.example", false), ("127.0.0.1.evil.example", false)];
    let own_origin = format!("http://{own}");
    let origins = [
        (None, true),
        (Some(own_origin.as_str()), true),
        (Some("null"), false),
        (Some("http://evil.example"), false),
        (Some("http://localhost:1"), false),
    ];
    let cookies = [(page.cookies[0].as_str(), true), (other.cookies[0].as_str(), false), ("", false)];
    let tokens = [(page.token(), true), ("0000", false)];
    let (mut wrong, mut made) = (String::new(), 0);
    for (host, host_is_ours) in hosts {
        for (origin, origin_is_ours) in origins {
            for (cookie, cookie_is_ours) in cookies {
                for (token, token_is_ours) in tokens {
                    let mut headers =
                        vec![("host", host), ("content-type", "application/x-www-form-urlencoded"), ("cookie", cookie)];
                    headers.extend(origin.map(|origin| ("origin", origin)));
                    let body = format!("csrf={token}&name=topic{made}");
                    let status = site.send("POST", "/topics", &headers, &body).status;
                    let is_ours = host_is_ours && origin_is_ours && cookie_is_ours && token_is_ours;
                    made += usize::from(is_ours);
                    let expected: &[u16] = if is_ours {
                        &[303]
                    } else if host_is_ours {
                        &[403]
                    } else {
                        &[421]
                    };
                    if !expected.contains(&status) {
                        writeln!(wrong, "{host} {origin:?} {cookie_is_ours} {token_is_ours}: {status}").unwrap();
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!(radar.json(&["topic", "list", "--json"]).as_array().unwrap().len(), 1 + made);
}

/// The same for the API where log-in is needed: 60 combinations of name, origin and credential.
#[test]
fn the_api_changes_something_for_our_name_our_origin_and_a_credential_of_ours() {
    let mut radar = Radar::at(NOW).with("AHA_PUBLIC_URL", PUBLIC).with("AHA_API_TOKEN", "a-token-of-sixteen-letters");
    radar.ok(&["init"]);
    let site = Site::start(&mut radar);
    let own = site.address.to_string();
    let hosts = [("radar.example", true), (own.as_str(), true), ("evil.example", false)];
    let own_origin = "https://radar.example";
    let origins = [
        (None, true),
        (Some(own_origin), true),
        (Some("null"), false),
        (Some("http://evil.example"), false),
        (Some("http://radar.example:81"), false),
    ];
    let credentials = [
        (("authorization", "Bearer a-token-of-sixteen-letters"), true),
        (("authorization", "Bearer a-token-of-fifteen-letters"), false),
        (("cookie", "aha_session=0000"), false),
        (("x-nothing", "none"), false),
    ];
    let (mut wrong, mut made, mut tried) = (String::new(), 0, 0);
    for (host, host_is_ours) in hosts {
        for (origin, origin_is_ours) in origins {
            for (credential, credential_is_ours) in credentials {
                tried += 1;
                let mut headers = vec![("host", host), ("content-type", "application/json"), credential];
                headers.extend(origin.map(|origin| ("origin", origin)));
                let body = format!("{{\"name\":\"topic{made}\"}}");
                let status = site.send("POST", "/api/v1/topics", &headers, &body).status;
                let expected = match (host_is_ours, origin_is_ours, credential_is_ours) {
                    (false, ..) => 421,
                    (true, false, _) => 403,
                    (true, true, false) => 401,
                    (true, true, true) => 201,
                };
                made += usize::from(expected == 201);
                if status != expected {
                    writeln!(wrong, "{host} {origin:?} {credential:?}: {status}, not {expected}").unwrap();
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!((tried, made), (60, 4));
}

#[test]
fn off_loopback_or_made_public_it_does_not_start_unprotected() {
    for (name, value) in [("AHA_LISTEN", "0.0.0.0:0"), ("AHA_PUBLIC_URL", PUBLIC)] {
        let radar = Radar::at(NOW).with("AHA_LISTEN", "127.0.0.1:0").with(name, value);
        radar.ok(&["init"]);
        radar.run(&["daemon"]).exits(2).says("the server does not start");
        radar.run(&["serve"]).exits(2).says("set a password with `aha-radar user password owner`, or AHA_API_TOKEN");
        let findings = radar.run(&["doctor"]).exits(1).says("`daemon` and `serve` do not start: ");
        findings.says("set a password with `aha-radar user password owner`, or AHA_API_TOKEN");
        let radar = radar.with("AHA_API_TOKEN", "a-token-of-sixteen-letters");
        assert!(!radar.run(&["doctor"]).stdout.contains("do not start"));
    }
}

#[test]
fn behind_a_proxy_links_have_its_prefix_and_cookies_are_secure() {
    let mut radar = Radar::at(NOW).with("AHA_PUBLIC_URL", PUBLIC).with("AHA_API_TOKEN", "a-token-of-sixteen-letters");
    radar.ok(&["init"]);
    let site = Site::start(&mut radar);
    for path in ["/reading/sign-in", "/sign-in"] {
        let page = site.send("GET", path, &[("host", "radar.example")], "");
        assert_eq!(page.status, 200, "{path}");
        assert!(page.body.contains("href=\"/reading/static/radar.css?"), "{}", page.body);
        let cookie = &page.headers["set-cookie"];
        assert!(
            ["HttpOnly", "SameSite=Lax", "Secure", "Path=/reading"].iter().all(|part| cookie.contains(part)),
            "{cookie}"
        );
    }
    let page = site.send("GET", "/topics", &[("host", "radar.example")], "");
    assert_eq!((page.status, page.headers["location"].as_str()), (303, "/reading/sign-in?next=%2Ftopics"));
    let of_token = |token: &str| {
        let header = format!("Bearer {token}");
        site.send("GET", "/api/v1/digests", &[("authorization", &header)], "").status
    };
    assert_eq!((of_token("a-token-of-sixteen-letters"), of_token("another-token")), (200, 401));
    let health = site.send("GET", "/health", &[("host", "radar.example"), ("x-forwarded-for", "203.0.113.9")], "");
    assert_eq!((health.status, health.json()["status"].as_str()), (200, Some("ok")));
}

#[test]
fn every_answer_has_the_headers_that_keep_others_out() {
    let mut radar = Radar::at(NOW);
    radar.ok(&["--run-once", "--import", &repository("examples/sources.opml"), "--window", "2026-11-16..2026-11-19"]);
    let site = Site::start(&mut radar);
    for path in ["/", "/topics", "/static/radar.css", "/static/radar.js", "/api/v1/digests", "/health", "/nothing"] {
        let headers = site.get(path).headers;
        let policy = &headers["content-security-policy"];
        assert!(
            policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{path}: {policy}"
        );
        assert!(!policy.contains("unsafe") && !policy.contains("http"), "{path}: {policy}");
        assert_eq!(
            (headers["x-content-type-options"].as_str(), headers["referrer-policy"].as_str()),
            ("nosniff", "same-origin")
        );
    }
    let page = site.get("/");
    assert!(page.body.len() < 100_000, "{} bytes", page.body.len());
    let loaded = page.body.matches("/static/").count();
    assert_eq!(loaded, 3, "{loaded} requests beside the page");
    assert!(!page.body.contains("style=\"") && !page.body.contains("<script>"));
    let tag = page.headers["etag"].clone();
    let again =
        site.send("GET", "/api/v1/digests", &[("if-none-match", &site.get("/api/v1/digests").headers["etag"])], "");
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    assert!(tag.len() > 10);
}

/// They would keep others out, and their files from fetches and the database.
#[test]
fn a_connection_that_stays_silent_is_closed() {
    let mut radar = Radar::at("2026-11-19T07:00:00Z").with("AHA_HTTP_SILENCE_MS", "300");
    radar.ok(&["init"]);
    let site = Site::start(&mut radar);
    let whole = b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n".as_slice();
    let half_a_body = b"POST /ask HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
        content-length: 40\r\n\r\n{\"question\": ";
    let form = b"POST /runs HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-www-form-urlencoded\r\n\
        content-length: 40\r\n\r\nname=";
    for (sent, status) in [
        (b"".as_slice(), None),
        (b"GET /health HTTP/1.1\r\nho", None),
        (whole, Some(200)),
        (half_a_body, Some(408)),
        (form, Some(408)),
    ] {
        let mut connection = std::net::TcpStream::connect(site.address).unwrap();
        connection.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        connection.write_all(sent).unwrap();
        let mut received = Vec::new();
        // Closed in order, or reset.
        let _ = connection.read_to_end(&mut received);
        let text = String::from_utf8_lossy(&received);
        let found = text.split(' ').nth(1).and_then(|status| status.parse().ok());
        assert_eq!(found, status, "{text}");
    }
    assert_eq!(site.get("/health").status, 200);
}

/// Otherwise the connection is reset while the client sends, and the response is lost.
#[test]
fn a_request_that_is_refused_early_is_received_whole() {
    let mut radar = Radar::at("2026-11-19T07:00:00Z");
    radar.ok(&["init"]);
    let site = Site::start(&mut radar);
    let body = format!("{{\"text\":\"{}\"}}", "x".repeat(12 * 1024 * 1024));
    let json = ("content-type", "application/json");
    for (method, path, headers, status) in [
        ("PUT", "/api/v1/digests", [json].as_slice(), 405),
        ("POST", "/api/v1/nothing", &[json], 404),
        ("POST", "/api/v1/topics", &[("content-type", "text/plain")], 415),
        ("POST", "/ask", &[json], 413),
        ("POST", "/ask", &[json, ("host", "other.example")], 421),
    ] {
        let reply = site.send(method, path, headers, &body);
        assert_eq!(reply.status, status, "{method} {path}: {}", reply.body);
    }
    // A client that waits to be asked for the body is not asked.
    let mut connection = std::net::TcpStream::connect(site.address).unwrap();
    connection.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let head = format!(
        "PUT /api/v1/digests HTTP/1.1\r\nhost: {}\r\nexpect: 100-continue\r\ncontent-length: 40\r\n\r\n",
        site.address
    );
    connection.write_all(head.as_bytes()).unwrap();
    let mut received = String::new();
    connection.read_to_string(&mut received).unwrap();
    assert!(received.starts_with("HTTP/1.1 405 "), "{received}");
}

#[test]
fn a_refused_body_without_end_is_not_received_for_ever() {
    let mut radar = Radar::at("2026-11-19T07:00:00Z").with("AHA_HTTP_SILENCE_MS", "300");
    radar.ok(&["init"]);
    let site = Site::start(&mut radar);
    let mut connection = std::net::TcpStream::connect(site.address).unwrap();
    connection.set_write_timeout(Some(Duration::from_secs(30))).unwrap();
    let head = format!("PUT /ask HTTP/1.1\r\nhost: {}\r\ncontent-length: {}\r\n\r\n", site.address, u64::MAX / 2);
    connection.write_all(head.as_bytes()).unwrap();
    let began = std::time::Instant::now();
    let part = vec![b'x'; 64 * 1024];
    let ended = loop {
        assert!(began.elapsed() < Duration::from_mins(1), "it is still received");
        if let Err(error) = connection.write_all(&part) {
            break error;
        }
    };
    assert!(matches!(ended.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset), "{ended}");
    assert_eq!(site.get("/health").status, 200);
}
