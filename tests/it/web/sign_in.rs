use std::io::Write as _;
use std::process::Stdio;

use crate::support::radar::{Radar, finish};
use crate::support::rows;
use crate::support::site::Site;

const NOW: &str = "2026-11-19T07:00:00Z";

fn with_password(radar: &Radar, arguments: &[&str], password: &str) {
    let mut command = radar.command(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(password.as_bytes()).unwrap();
    finish(child).exits(0);
}

/// Others reach it, so it asks who they are.
fn guarded() -> Radar {
    let radar = Radar::at(NOW).with("AHA_PUBLIC_URL", "http://localhost/");
    with_password(&radar, &["user", "password", "owner"], "correct horse");
    radar.ok(&["init"]);
    radar
}

#[test]
fn a_session_begins_with_the_password_and_ends_by_log_out_and_new_password() {
    let mut radar = guarded();
    let site = Site::start(&mut radar);
    let page = site.get("/sign-in");
    assert_eq!(site.post_form("/sign-in", &page, "name=owner&password=wrong").status, 422);
    let signed_in = site.post_form("/sign-in", &page, "name=owner&password=correct+horse&next=%2Ftopics");
    assert_eq!((signed_in.status, signed_in.headers["location"].as_str()), (303, "/topics"));
    let cookie = signed_in.cookies[0].clone();
    let read = || site.send("GET", "/topics", &[("cookie", &cookie)], "");
    assert_eq!(read().status, 200);
    assert!(read().body.contains("Signed in as <bdi>owner</bdi>"));
    let secret = cookie.split_once('=').unwrap().1;
    let stored = "SELECT fingerprint || password_hash FROM sessions JOIN accounts USING (user_id)";
    assert!(rows::query(&radar, stored).iter().all(|row| !row.contains(secret) && row.contains("$argon2id$")));
    let token = read().token().to_owned();
    let headers = [("content-type", "application/x-www-form-urlencoded"), ("cookie", cookie.as_str())];
    assert_eq!(site.send("POST", "/sign-out", &headers, &format!("csrf={token}")).status, 303);
    assert_eq!(read().status, 303);
    let again = site.post_form("/sign-in", &page, "name=owner&password=correct+horse").cookies[0].clone();
    with_password(&radar, &["user", "password", "owner"], "another horse");
    assert_eq!(site.send("GET", "/topics", &[("cookie", &again)], "").status, 303);
}

#[test]
fn roles_bound_what_is_done() {
    let mut radar = guarded();
    with_password(&radar, &["user", "add", "zoe"], "a reader's word");
    let site = Site::start(&mut radar);
    let page = site.get("/sign-in");
    let cookie = site.post_form("/sign-in", &page, "name=zoe&password=a+reader%27s+word").cookies[0].clone();
    let topics = site.send("GET", "/topics", &[("cookie", &cookie)], "");
    assert_eq!(topics.status, 200);
    let headers = [("content-type", "application/x-www-form-urlencoded"), ("cookie", cookie.as_str())];
    let refused = site.send("POST", "/topics", &headers, &format!("csrf={}&name=more", topics.token()));
    assert_eq!(refused.status, 403);
    assert!(refused.body.contains("this takes the role editor; yours is reader"), "{}", refused.body);
    radar.ok(&["user", "remove", "zoe"]);
    assert_eq!(site.send("GET", "/topics", &[("cookie", &cookie)], "").status, 303);
}

#[test]
fn five_wrong_passwords_make_the_address_wait() {
    let mut radar = guarded();
    let site = Site::start(&mut radar);
    let page = site.get("/sign-in");
    let tries: Vec<u16> =
        (0..6).map(|_| site.post_form("/sign-in", &page, "name=owner&password=wrong").status).collect();
    assert_eq!(tries, [422, 422, 422, 422, 422, 429]);
    let refused = site.post_form("/sign-in", &page, "name=owner&password=correct+horse");
    assert!(refused.status == 429 && refused.headers.contains_key("retry-after"), "{refused:?}");
}
