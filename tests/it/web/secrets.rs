use std::io::Write as _;
use std::process::Stdio;

use crate::support::radar::{Radar, finish, repository};
use crate::support::rows;
use crate::support::site::Site;

const API_TOKEN: &str = "an-api-token-of-many-letters";
const WRONG_TOKEN: &str = "a-guess-at-the-api-token-as-long";
const PASSWORD: &str = "correct horse battery";

/// Everything that is logged at the finest level, of log-ins, wrong ones, forms, feeds, runs and errors.
#[test]
fn neither_password_nor_session_nor_token_is_logged_or_shown() {
    let mut radar = Radar::at("2026-11-19T07:00:00Z").with("AHA_PUBLIC_URL", "http://localhost/");
    radar.set("AHA_API_TOKEN", API_TOKEN);
    radar.set("AHA_LOG", "trace");
    set_password(&radar);
    radar.ok(&["--run-once", "--import", &repository("examples/sources.opml"), "--window", "2026-11-16..2026-11-19"]);
    let log = radar.folder().join("log");
    let site = Site::start_with_log(&mut radar, &log);
    let page = site.get("/sign-in");
    let sign_in = |password: &str| site.post_form("/sign-in", &page, &format!("name=owner&password={password}"));
    let mut shown = sign_in("a+guess+of+mine").body;
    let session = sign_in(&PASSWORD.replace(' ', "+")).cookies[0].clone();
    let secret = session.split_once('=').unwrap().1.to_owned();
    let with = |name: &str, value: &str, method: &str, path: &str| site.send(method, path, &[(name, value)], "");
    let topics = with("cookie", &session, "GET", "/topics");
    let token = with("cookie", &session, "POST", "/api/v1/feed-token").json()["token"].as_str().unwrap().to_owned();
    let form = [("content-type", "application/x-www-form-urlencoded"), ("cookie", session.as_str())];
    let replies = [
        with("authorization", &format!("Bearer {API_TOKEN}"), "GET", "/api/v1/settings"),
        with("authorization", &format!("Bearer {WRONG_TOKEN}"), "GET", "/api/v1/digests"),
        with("cookie", &format!("aha_session={secret}x"), "GET", "/api/v1/digests"),
        with("cookie", &session, "GET", "/settings"),
        with("cookie", &session, "GET", &format!("/stories/{secret}")),
        with("cookie", &session, "GET", "/api/v1/stories/nothing"),
        with("cookie", &session, "POST", "/api/v1/runs"),
        with("host", "evil.example", "GET", &format!("/feeds/default/stories.rss?token={token}")),
        site.get(&format!("/feeds/default/stories.rss?token={token}")),
        site.get(&format!("/feeds/default/nothing.rss?token={token}")),
        site.get(&format!("/feeds/default/stories.rss?token={token}x")),
        site.send("POST", "/topics", &form, &format!("csrf={}&name=more", topics.token())),
        site.send("POST", "/topics", &form, "csrf=wrong&name=other"),
    ];
    shown.extend(replies.iter().filter(|reply| reply.status != 404).map(|reply| reply.body.as_str()));
    rows::execute(&radar, "ALTER TABLE feed_tokens RENAME TO gone");
    let broken = site.get(&format!("/feeds/default/stories.rss?token={token}"));
    assert!(broken.status >= 500, "{}", broken.status);
    shown.push_str(&broken.body);
    let form_token = topics.token().to_owned();
    drop(site);
    let logged = std::fs::read_to_string(&log).unwrap();
    for said in ["a wrong name or password", "TRACE", "no such table: feed_tokens"] {
        assert!(logged.contains(said), "{said} is not logged: {logged}");
    }
    for (what, secret) in [
        ("password", PASSWORD),
        ("password as sent", &PASSWORD.replace(' ', "+")),
        ("wrong password", "a guess of mine"),
        ("session", &secret),
        ("form token", &form_token),
        ("API token", API_TOKEN),
        ("wrong API token", WRONG_TOKEN),
        ("feed token", &token),
    ] {
        assert!(
            !logged.contains(secret),
            "the {what} is logged: {}",
            logged.lines().find(|line| line.contains(secret)).unwrap()
        );
        assert!(!shown.contains(secret) || what == "form token", "the {what} is shown");
    }
}

fn set_password(radar: &Radar) {
    let mut command = radar.command(&["user", "password", "owner"]);
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(PASSWORD.as_bytes()).unwrap();
    finish(child).exits(0);
}
