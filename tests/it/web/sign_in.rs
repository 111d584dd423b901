use std::io::Write as _;
use std::process::Stdio;

use serde_json::json;

use crate::support::radar::{Radar, finish, repository};
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
fn only_who_is_signed_in_is_shown_the_links_to_other_pages() {
    let mut radar = guarded();
    let site = Site::start(&mut radar);
    let links = |page: &str| page.contains("href=\"/archive\"") || page.contains("href=\"/sources\"");
    let page = site.get("/sign-in");
    let wrong = site.post_form("/sign-in", &page, "name=owner&password=wrong");
    assert!(!links(&page.body) && !links(&wrong.body), "{}", page.body);
    let cookie = signed_in(&site, "owner", "correct+horse");
    assert!(links(&site.send("GET", "/topics", &[("cookie", &cookie)], "").body));
}

#[test]
fn what_was_typed_is_shown_once_the_session_has_ended() {
    let mut radar = guarded();
    let site = Site::start(&mut radar);
    let cookie = signed_in(&site, "owner", "correct+horse");
    let token = site.send("GET", "/topics", &[("cookie", &cookie)], "").token().to_owned();
    rows::execute(&radar, "DELETE FROM sessions");
    let form = ("content-type", "application/x-www-form-urlencoded");
    let typed = format!("csrf={token}&name=harbours&interests=ferries+%3Cb%3E&password=secret");
    let late = site.send("POST", "/topics", &[form, ("cookie", &cookie)], &typed);
    assert_eq!(late.status, 401);
    assert!(late.body.contains(">harbours</textarea>") && late.body.contains("/sign-in\""), "{}", late.body);
    assert!(late.body.contains("ferries &#60;b&#62;</textarea>"), "{}", late.body);
    assert!(!late.body.contains("secret") && !late.body.contains(&token), "{}", late.body);
    let by_script = site.send("POST", "/topics", &[form, ("cookie", &cookie), ("accept", "application/json")], &typed);
    assert_eq!((by_script.status, by_script.json()["error"]["code"].as_str()), (401, Some("unauthorised")));
    let read = site.send("GET", "/topics", &[("cookie", &cookie)], "");
    assert_eq!((read.status, read.headers["location"].as_str()), (303, "/sign-in?next=%2Ftopics"));
}

#[test]
fn what_was_typed_on_a_page_of_an_earlier_session_is_shown() {
    let mut radar = guarded();
    let site = Site::start(&mut radar);
    let earlier = signed_in(&site, "owner", "correct+horse");
    let token = site.send("GET", "/topics", &[("cookie", &earlier)], "").token().to_owned();
    let cookie = signed_in(&site, "owner", "correct+horse");
    let form = ("content-type", "application/x-www-form-urlencoded");
    let typed = format!("csrf={token}&name=harbours&interests=ferries+%3Cb%3E&password=secret");
    let old = site.send("POST", "/topics", &[form, ("cookie", &cookie)], &typed);
    assert_eq!(old.status, 403);
    for shown in ["Not saved", ">harbours</textarea>", "ferries &#60;b&#62;</textarea>"] {
        assert!(old.body.contains(shown), "{shown}: {}", old.body);
    }
    assert!(!old.body.contains("secret") && !old.body.contains(&token), "{}", old.body);
    let by_script = site.send("POST", "/topics", &[form, ("cookie", &cookie), ("accept", "application/json")], &typed);
    let error = by_script.json()["error"].clone();
    assert_eq!((by_script.status, error["code"].as_str()), (403, Some("wrong_form")));
    assert!(error["message"].as_str().unwrap().contains("load the page again"), "{error}");
}

#[test]
fn a_reader_is_shown_no_form_that_takes_another_role() {
    let mut radar = guarded();
    with_password(&radar, &["user", "add", "zoe"], "a long word");
    radar.ok(&["topic", "set", "default", "--interests", "ferries", "--mute", "word:football"]);
    radar.ok(&["source", "add", "--as-is", "https://a.example/feed.xml"]);
    let source = radar.json(&["source", "list", "--json"])[0]["id"].as_str().unwrap().to_owned();
    let site = Site::start(&mut radar);
    let [zoe, owner] =
        [("zoe", "a+long+word"), ("owner", "correct+horse")].map(|(name, word)| signed_in(&site, name, word));
    let source = format!("/sources/{source}");
    for path in ["/", "/sources", source.as_str(), "/topics", "/topics/default", "/runs", "/plan"] {
        let forms = |cookie: &str| {
            let page = site.send("GET", path, &[("cookie", cookie)], "");
            assert_eq!(page.status, 200, "{path}");
            page.body.matches("method=\"post\"").count()
        };
        assert_eq!(forms(&zoe), 1, "{path}: signing out");
        assert!(forms(&owner) > 1, "{path}");
    }
    let topic = site.send("GET", "/topics/default", &[("cookie", &zoe)], "").body;
    assert!(topic.contains("<bdi>ferries</bdi>") && topic.contains("<code>mute word:football</code>"), "{topic}");
}

#[test]
fn a_reader_sees_their_own_ratings_of_answers_only() {
    let mut radar = guarded();
    with_password(&radar, &["user", "add", "zoe"], "a long word");
    let site = Site::start(&mut radar);
    let [zoe, owner] =
        [("zoe", "a+long+word"), ("owner", "correct+horse")].map(|(name, word)| signed_in(&site, name, word));
    let token = site.send("GET", "/topics", &[("cookie", &owner)], "").token().to_owned();
    for (cookie, token, question) in [
        (&owner, token, "Who rows?"),
        (&zoe, site.send("GET", "/topics", &[("cookie", &zoe)], "").token().to_owned(), "Who sails?"),
    ] {
        let headers = [("content-type", "application/json"), ("cookie", cookie.as_str()), ("x-csrf-token", &token)];
        let said = json!({ "question": question, "answer": "Ann.", "is_right": true }).to_string();
        assert_eq!(site.send("POST", "/api/v1/ask/feedback", &headers, &said).status, 204);
    }
    let listed = |cookie: &str| {
        let reply = site.send("GET", "/api/v1/ask/feedback", &[("cookie", cookie)], "").json();
        reply["feedback"].as_array().unwrap().iter().map(|one| one["question"].as_str().unwrap().to_owned()).collect()
    };
    let (of_owner, of_zoe): (Vec<String>, Vec<String>) = (listed(&owner), listed(&zoe));
    assert_eq!((of_owner.len(), of_zoe.as_slice()), (2, ["Who sails?".to_owned()].as_slice()));
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
    assert!(refused.body.contains("This takes the role editor; yours is reader"), "{}", refused.body);
    for path in ["/models", "/api/v1/models"] {
        assert_eq!(site.send("GET", path, &[("cookie", &cookie)], "").status, 403, "{path}");
    }
    radar.ok(&["user", "remove", "zoe"]);
    assert_eq!(site.send("GET", "/topics", &[("cookie", &cookie)], "").status, 303);
}

#[test]
fn an_editor_changes_topics_and_only_an_admin_removes_them() {
    let mut radar = guarded();
    with_password(&radar, &["user", "add", "zoe", "--role", "editor"], "a long word");
    radar.ok(&["topic", "add", "more"]);
    let site = Site::start(&mut radar);
    let [zoe, owner] =
        [("zoe", "a+long+word"), ("owner", "correct+horse")].map(|(name, word)| signed_in(&site, name, word));
    let page = |cookie: &str| site.send("GET", "/topics/more", &[("cookie", cookie)], "");
    let post = |cookie: &str, path: &str, fields: &str| {
        let headers = [("content-type", "application/x-www-form-urlencoded"), ("cookie", cookie)];
        site.send("POST", path, &headers, &format!("csrf={}&{fields}", page(cookie).token())).status
    };
    assert!(!page(&zoe).body.contains("Remove the topic") && page(&owner).body.contains("Remove the topic"));
    assert_eq!(post(&zoe, "/topics/more", "interests=harbours"), 303);
    assert_eq!(post(&zoe, "/topics/more/remove", "confirm=more"), 403);
    assert_eq!(post(&owner, "/topics/more/remove", "confirm=other"), 422);
    assert_eq!(post(&owner, "/topics/more/remove", "confirm=more"), 303);
    assert_eq!(page(&owner).status, 404);
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

#[test]
fn addresses_that_a_proxy_writes_as_ipv6_wait_one_by_one() {
    let mut radar = guarded();
    let site = Site::start(&mut radar);
    let page = site.get("/sign-in");
    let cookies = page.cookies.join("; ");
    let body = format!("csrf={}&name=owner&password=wrong", page.token());
    let attempt = |address: &str| {
        let form = ("content-type", "application/x-www-form-urlencoded");
        let headers = [form, ("cookie", cookies.as_str()), ("x-forwarded-for", address)];
        site.send("POST", "/sign-in", &headers, &body).status
    };
    let tries: Vec<u16> = (0..6).map(|_| attempt("::ffff:192.0.2.1")).collect();
    assert_eq!(tries, [422, 422, 422, 422, 422, 429]);
    assert_eq!(attempt("192.0.2.1"), 429, "the same address");
    assert_eq!(attempt("::ffff:192.0.2.2"), 422, "another address");
}

#[test]
fn clients_of_a_chain_of_trusted_proxies_wait_one_by_one() {
    let mut radar = guarded().with("AHA_TRUSTED_PROXIES", "127.0.0.1, 172.18.0.0/16");
    let site = Site::start(&mut radar);
    let page = site.get("/sign-in");
    let cookies = page.cookies.join("; ");
    let body = format!("csrf={}&name=owner&password=wrong", page.token());
    let attempt = |forwarded: &str| {
        let form = ("content-type", "application/x-www-form-urlencoded");
        let headers = [form, ("cookie", cookies.as_str()), ("x-forwarded-for", forwarded)];
        site.send("POST", "/sign-in", &headers, &body).status
    };
    // What a client makes up comes before what the proxies append.
    let tries: Vec<u16> = (0..6).map(|n| attempt(&format!("198.51.100.{n}, 192.0.2.1, 172.18.0.2"))).collect();
    assert_eq!(tries, [422, 422, 422, 422, 422, 429]);
    assert_eq!(attempt("192.0.2.2, 172.18.0.2"), 422, "another client of the same proxies");
}

#[test]
fn credentials_of_a_proxy_hide_neither_the_sign_in_page_nor_the_session() {
    let mut radar = guarded().with("AHA_API_TOKEN", "a-token-of-sixteen-letters");
    let site = Site::start(&mut radar);
    let cookie = signed_in(&site, "owner", "correct+horse");
    for foreign in ["Basic eDp5", "Bearer a-token-of-the-proxy"] {
        let get = |path: &str, headers: &[(&str, &str)]| {
            site.send("GET", path, &[&[("authorization", foreign)], headers].concat(), "")
        };
        assert_eq!(get("/sign-in", &[]).status, 200, "{foreign}");
        assert_eq!(get("/topics", &[("cookie", cookie.as_str())]).status, 200, "{foreign}");
        let unknown = get("/topics", &[]);
        let location = unknown.headers["location"].as_str();
        assert_eq!((unknown.status, location), (303, "/sign-in?next=%2Ftopics"), "{foreign}");
        assert_eq!(get("/api/v1/topics", &[]).status, 401, "{foreign}");
    }
    let read = |authorization: &str| {
        let headers = [("authorization", authorization), ("cookie", cookie.as_str())];
        site.send("GET", "/api/v1/topics", &headers, "").status
    };
    assert_eq!(["Basic eDp5", "Bearer a-token-of-sixteen-letters"].map(read), [200, 200]);
    assert_eq!(["Bearer a-token-of-the-proxy", "Bearer", "Bearer \u{e9}"].map(read), [401, 401, 401]);
}

/// The cookie of a new session.
fn signed_in(site: &Site, name: &str, password: &str) -> String {
    let page = site.get("/sign-in");
    site.post_form("/sign-in", &page, &format!("name={name}&password={password}")).cookies[0].clone()
}

fn with_a_digest(radar: &Radar) -> String {
    radar.ok(&["--run-once", "--import", &repository("examples/sources.opml"), "--window", "2026-11-16..2026-11-19"]);
    radar.digest()["stories"][0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn each_user_has_marks_and_saved_stories_of_their_own() {
    let mut radar = guarded();
    for (name, role) in [("ann", "reader"), ("zoe", "editor")] {
        with_password(&radar, &["user", "add", name, "--role", role], "a long word");
    }
    let story = with_a_digest(&radar);
    let site = Site::start(&mut radar);
    let [ann, zoe, owner] = [("ann", "a+long+word"), ("zoe", "a+long+word"), ("owner", "correct+horse")]
        .map(|(name, word)| signed_in(&site, name, word));
    let say = |cookie: &str, kind: &str| {
        let headers = [("cookie", cookie), ("content-type", "application/json")];
        let path = format!("/api/v1/stories/{story}/feedback");
        site.send("POST", &path, &headers, &format!("{{\"kind\":\"{kind}\"}}")).json()["change"]["changed"].clone()
    };
    let get = |cookie: &str, path: &str| site.send("GET", path, &[("cookie", cookie)], "");
    assert_eq!(
        [say(&ann, "save"), say(&zoe, "dislike"), say(&zoe, "read"), say(&ann, "save")],
        [true, true, true, false]
    );
    let kinds = |cookie: &str| get(cookie, &format!("/api/v1/stories/{story}")).json()["feedback"].clone();
    assert_eq!([kinds(&ann), kinds(&zoe), kinds(&owner)], [json!(["save"]), json!(["dislike", "read"]), json!([])]);
    let saved = |cookie: &str| get(cookie, "/api/v1/saved").json()["saved"].as_array().unwrap().len();
    assert_eq!([saved(&ann), saved(&zoe), saved(&owner)], [1, 0, 0]);
    assert!(get(&ann, "/saved").body.contains(&story) && !get(&zoe, "/saved").body.contains(&story));
    let learnt = get(&owner, "/api/v1/feedback").json();
    assert!(learnt["events"] == json!([]) && learnt["summary"].as_str().unwrap().contains("disliked:"), "{learnt}");
    say(&zoe, "like");
    let learnt = get(&owner, "/api/v1/feedback").json();
    assert!(!learnt["summary"].as_str().unwrap().contains("disliked:"), "what was taken back teaches on: {learnt}");
    let exported = radar.folder().join("saved.jsonl");
    std::fs::write(&exported, get(&ann, "/saved/export.jsonl").body).unwrap();
    let import = radar.ok(&["feedback", "import", exported.to_str().unwrap()]);
    assert!(import.contains("1 added"), "{import}");
    assert_eq!(saved(&owner), 1);
}

#[test]
fn a_token_in_a_feeds_address_opens_feeds_and_nothing_else() {
    let mut radar = guarded();
    with_password(&radar, &["user", "add", "ann"], "a long word");
    let story = with_a_digest(&radar);
    let site = Site::start(&mut radar);
    let ann = signed_in(&site, "ann", "a+long+word");
    let send = |method: &str, path: &str| site.send(method, path, &[("cookie", &ann)], "");
    assert_eq!(site.get("/feeds/default/stories.rss").status, 401);
    let made = send("POST", "/api/v1/feed-token");
    let token = made.json()["token"].as_str().unwrap().to_owned();
    assert_eq!((made.status, token.len()), (201, 64));
    site.send(
        "POST",
        &format!("/api/v1/stories/{story}/feedback"),
        &[("cookie", &ann), ("content-type", "application/json")],
        "{\"kind\":\"save\"}",
    );
    let of = |path: &str| site.get(&format!("{path}?token={token}"));
    for name in ["stories.rss", "digests.atom", "saved.json"] {
        let feed = of(&format!("/feeds/default/{name}"));
        assert!(feed.status == 200 && !feed.body.contains(&token), "{name}: {feed:?}");
    }
    assert_eq!(of("/feeds/default/saved.json").json()["items"].as_array().unwrap().len(), 1);
    for path in
        ["/api/v1/digests", "/api/v1/feed-token", "/", "/topics", "/saved", "/feeds", "/api/assistant/message/stream"]
    {
        assert!([303, 401, 404].contains(&of(path).status), "{path}: {}", of(path).status);
    }
    let header = format!("Bearer {token}");
    assert_eq!(site.send("GET", "/api/v1/digests", &[("authorization", &header)], "").status, 401);
    let stored = rows::query(&radar, "SELECT fingerprint FROM feed_tokens");
    assert!(
        stored.len() == 1
            && !stored[0].contains(&token)
            && rows::query(&radar, "SELECT key FROM idempotency_keys").is_empty()
    );
    assert_eq!(send("DELETE", "/api/v1/feed-token").status, 204);
    assert_eq!(of("/feeds/default/stories.rss").status, 401);
    let token = radar.ok(&["user", "feed-token", "ann"]);
    assert_eq!(site.get(&format!("/feeds/default/stories.rss?token={}", token.trim())).status, 200);
    radar.ok(&["user", "feed-token", "ann", "--revoke"]);
    assert_eq!(site.get(&format!("/feeds/default/stories.rss?token={}", token.trim())).status, 401);
    radar.run(&["user", "feed-token", "nobody"]).exits(2);
}

#[test]
fn a_page_makes_a_token_for_feeds_shows_it_once_and_takes_it_back() {
    let mut radar = Radar::at(NOW);
    radar.ok(&["init"]);
    with_a_digest(&radar);
    let site = Site::start(&mut radar);
    let page = site.get("/feed-reader");
    assert!(page.body.contains("You have none") && page.body.contains("/feeds/default/stories.rss\""), "{page:?}");
    let made = site.post_form("/feed-reader", &page, "topic=default");
    let token = made.body.split("?token=").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert_eq!((made.status, token.len()), (200, 64));
    assert_eq!(site.get(&format!("/feeds/default/digests.atom?token={token}")).status, 200);
    let again = site.get("/feed-reader");
    assert!(!again.body.contains(&token) && again.body.contains("You have had one since"), "{again:?}");
    let revoked = site.post_form("/feed-reader/revoke", &page, "");
    assert_eq!((revoked.status, revoked.headers["location"].as_str()), (303, "/feed-reader"));
    assert!(site.get("/feed-reader").body.contains("You have none"));
    assert_eq!(
        site.send("POST", "/feed-reader", &[("content-type", "application/x-www-form-urlencoded")], "").status,
        403
    );
}
