use std::fmt::Write as _;

use crate::support::feeds::{Post, feed};
use crate::support::radar::Radar;
use crate::support::site::Site;

/// Each runs, or leads elsewhere, wherever it is not escaped.
const PAYLOADS: [&str; 15] = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>",
    "'><iframe src=javascript:alert(1)>",
    "</title><script src=//evil.example/x.js></script>",
    "</style><link rel=stylesheet href=//evil.example/x.css>",
    "<a href=\"javascript:alert(1)\">x</a>",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "<base href=//evil.example/>",
    "<meta http-equiv=refresh content=\"0;url=//evil.example\">",
    "<form action=//evil.example><button>x</button></form>",
    "{{7*7}}${7*7}<%= 7*7 %>",
    "\u{202e}<b onmouseover=alert(1)>x",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
];

/// Marks of markup that is not ours; the escaped spelling has none of them.
const RUNS: [&str; 12] = [
    "<script>alert",
    "<script src=//",
    "<img src=x",
    "<svg onload",
    "<iframe",
    "<link rel=stylesheet href=//",
    "href=\"javascript:",
    "href=\"data:",
    "<base",
    "<meta http-equiv=refresh",
    "<form action=//",
    "<b onmouseover",
];

/// Addresses that end in what somebody chose.
const PLACES: [&str; 13] = [
    "/?topic=",
    "/?noted=",
    "/sources?said=",
    "/archive?first=",
    "/search?q=",
    "/search?q=harbour&source=",
    "/search?q=ferry%20",
    "/ask?question=",
    "/sign-in?next=",
    "/topics/",
    "/digests/",
    "/stories/",
    "/runs/default/",
];

#[test]
fn nothing_of_titles_texts_sources_queries_and_forms_runs() {
    let now = "2026-11-19T07:00:00Z";
    let mut radar = Radar::at(now);
    for (index, payload) in PAYLOADS.iter().enumerate() {
        let told = format!("{payload} about the harbour ferry number {index}");
        let post =
            Post::new(&format!("{index}"), &told, &format!("{payload} {payload} text {index}"), "2026-11-19T05:00:00Z");
        let posts = [post.clone().at_url(payload), post.named(&format!("second {index}"))];
        std::fs::write(radar.folder().join(format!("{index}.json")), feed(payload, &posts)).unwrap();
        radar.add(&[&format!("{index}.json")]);
        radar.ok(&[
            "topic",
            "set",
            "default",
            "--interests",
            payload,
            "--top",
            "40",
            "--scan",
            "100",
            "--at-least",
            "0",
        ]);
    }
    radar.ok(&["--run-once", "--window", "2026-11-18..2026-11-20"]);
    let site = Site::start(&mut radar);
    let today = site.get("/").body;
    let ids: Vec<&str> = today.split("/stories/").skip(1).map(|rest| &rest[..36]).collect();
    let fixed = ["/", "/archive", "/saved", "/sources", "/topics", "/topics/default", "/feed-reader"];
    let mut paths: Vec<String> = fixed.map(str::to_owned).to_vec();
    paths.extend(ids.iter().step_by(2).map(|id| format!("/stories/{id}")));
    // Both ways to read an item: without the images of other servers, and with them.
    let items = site.get("/api/v1/items?limit=200").json();
    for item in items["items"].as_array().unwrap() {
        let path = format!("/items/{}", item["id"].as_str().unwrap());
        paths.extend([path.clone(), format!("{path}?images=1")]);
    }
    for payload in PAYLOADS {
        let encoded: String = payload.bytes().fold(String::new(), |mut text, byte| {
            write!(text, "%{byte:02X}").unwrap();
            text
        });
        for place in PLACES {
            paths.push(format!("{place}{encoded}"));
        }
    }
    let mut wrong = String::new();
    for path in &paths {
        let body = site.get(path).body;
        for mark in RUNS.iter().filter(|mark| body.to_lowercase().contains(*mark)) {
            writeln!(wrong, "{path}: {mark}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(ids.len() > 10 && paths.len() > 120, "{} stories, {} pages", ids.len(), paths.len());
}

#[test]
fn images_of_other_servers_are_loaded_only_where_a_reader_asks_for_them() {
    let mut radar = Radar::at("2026-11-19T07:00:00Z");
    let markup = "<main><h1>Pilots</h1><p>They <b>strike</b>. <img src='https://cdn.example/i.png' alt='A quay'></p></main>\
                  <p><a href='https://a.example/b' onclick='x()'>More</a></p><script>alert(1)</script>";
    let post = Post::new("1", "Pilots strike", markup, "2026-11-19T05:00:00Z");
    std::fs::write(radar.folder().join("feed.json"), feed("Harbour news", &[post])).unwrap();
    radar.add(&["feed.json"]);
    radar.ok(&["--run-once", "--window", "2026-11-18..2026-11-20"]);
    let site = Site::start(&mut radar);
    let listed = site.get("/api/v1/items").json();
    let path = format!("/items/{}", listed["items"][0]["id"].as_str().unwrap());
    let (without, with) = (site.get(&path), site.get(&format!("{path}?images=1")));
    assert!(without.body.contains("<b>strike</b>") && without.body.contains("Show 1 image"), "{}", without.body);
    assert!(!without.body.contains("<img") && !without.body.contains("cdn.example"), "{}", without.body);
    assert!(!without.headers["content-security-policy"].contains("https:"));
    assert!(with.body.contains("src=\"https://cdn.example/i.png\"") && with.body.contains("Hide the images"));
    assert!(with.headers["content-security-policy"].contains("img-src 'self' https: http:;"));
    for page in [&without, &with] {
        assert_eq!(page.body.matches("<main").count(), 1, "the item's own is not the page's");
        assert!(!page.body.contains("onclick") && !page.body.contains("alert(1)"));
        assert!(page.headers["content-security-policy"].contains("script-src 'self';"));
    }
    let unknown = site.get("/items/00000000-0000-0000-0000-000000000000");
    assert_eq!((unknown.status, site.get("/items/x").status), (404, 404));
}

#[test]
fn local_paths_are_not_taken_from_the_web() {
    let mut radar = Radar::at("2026-11-19T07:00:00Z");
    radar.ok(&["init"]);
    std::fs::write(radar.folder().join("feed.json"), feed("A", &[])).unwrap();
    let site = Site::start(&mut radar);
    let page = site.get("/sources");
    for location in
        ["feed.json", "%2Fetc%2Fpasswd", "file%3A%2F%2F%2Fetc%2Fpasswd", ".%2Ffeed.json", ".%2Fnot-there.json"]
    {
        let answer = site.post_form("/sources", &page, &format!("location={location}"));
        assert_eq!(answer.status, 422, "{location}");
        assert!(
            !answer.body.to_lowercase().contains("no such file"),
            "whether a file is there is told: {}",
            answer.body
        );
    }
    assert!(radar.json(&["source", "list", "--json"]).as_array().is_none_or(Vec::is_empty));
}
