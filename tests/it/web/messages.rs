//! What pages say: the effect of a form, what is wrong with an input, and what an address names that does not exist.

use serde_json::json;

use crate::support::feeds::{Post, feed};
use crate::support::radar::Radar;
use crate::support::site::{Reply, Site};

const NOW: &str = "2026-11-19T07:00:00Z";
const FEED: &str = "https://a.example/feed.xml";

/// A site with one source, and the path of its page.
fn with_a_source(radar: &mut Radar) -> (Site, String) {
    radar.ok(&["init"]);
    let site = Site::start(radar);
    let new = json!({ "locations": [FEED], "as_is": true }).to_string();
    assert_eq!(site.send("POST", "/api/v1/sources", &[("content-type", "application/json")], &new).json()["added"], 1);
    let listed = site.get("/api/v1/sources?topic=default").json();
    (site, format!("/sources/{}", listed["sources"][0]["id"].as_str().unwrap()))
}

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// What the page says has been done.
fn done(page: &Reply) -> Option<&str> {
    page.body.split_once("<p class=\"done\" role=\"status\">")?.1.split('<').next()
}

#[test]
fn what_was_saved_is_confirmed_and_no_text_of_an_address_is_a_message() {
    let mut radar = Radar::at(NOW);
    let (site, source) = with_a_source(&mut radar);
    let saved = Some("It is saved, and takes effect with the next run.");
    for (path, fields) in [
        ("/topics/default", "interests=ferries"),
        ("/topics/default", "action=mute&field=word&pattern=football"),
        ("/topics/default/rules", "rule=mute+word%3Afootball"),
        (source.as_str(), "enabled=1&weight=2"),
    ] {
        let page = site.get(path.trim_end_matches("/rules"));
        assert_eq!(done(&page), None, "{path}");
        let sent = site.post_form(path, &page, fields);
        assert_eq!(sent.status, 303, "{path}: {}", sent.body);
        assert_eq!(done(&site.get(&sent.headers["location"])), saved, "{path}");
    }
    let added = site.post_form("/sources", &site.get("/sources"), "location=hn%3Atop&location=hn%3Abest");
    assert_eq!(done(&site.get(&added.headers["location"])), Some("2 sources added"));
    for path in
        ["/sources?done=", "/sources?said=", "/topics/default?said=", format!("{source}?said=").as_str(), "/ask?said="]
    {
        let page = site.get(&format!("{path}Your+session+is+locked"));
        assert!(page.status == 200 && !page.body.contains("session is locked"), "{path}: {}", page.body);
    }
    assert_eq!(done(&site.get("/plan?said=applied")), None, "nothing was applied");
}

#[test]
fn a_source_is_removed_once_its_name_or_address_is_typed() {
    let mut radar = Radar::at(NOW);
    let (site, source) = with_a_source(&mut radar);
    let page = site.get(&source);
    let remove = |confirm: &str| site.post_form(&format!("{source}/remove"), &page, &format!("confirm={confirm}"));
    for wrong in ["", "another"] {
        let refused = remove(wrong);
        assert_eq!(refused.status, 422, "{wrong:?}");
        assert!(
            refused.body.contains("Nothing is removed") && refused.body.contains("name=\"confirm\""),
            "{refused:?}"
        );
    }
    assert_eq!(site.get(&source).status, 200);
    let removed = remove(&encoded(FEED));
    assert_eq!(removed.status, 303);
    let list = site.get(&removed.headers["location"]);
    assert_eq!(done(&list), Some("The source is removed; its stories stay in old digests."));
    assert_eq!(site.get(&source).status, 404);

    radar.ok(&["source", "add", "--as-is", "--title", "The  Quay", "https://b.example/feed.xml"]);
    let listed = site.get("/api/v1/sources?topic=default").json();
    let source = format!("/sources/{}", listed["sources"][0]["id"].as_str().unwrap());
    assert_eq!(site.post_form(&format!("{source}/remove"), &page, "confirm=The+Quay").status, 303);
    assert_eq!(site.get(&source).status, 404);
}

#[test]
fn a_topic_whose_name_is_mistyped_is_kept_and_its_page_says_so() {
    let mut radar = Radar::at(NOW);
    radar.ok(&["init"]);
    let site = Site::start(&mut radar);
    let refused = site.post_form("/topics/default/remove", &site.get("/topics/default"), "confirm=defualt");
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains("Nothing is removed") && refused.body.contains("name=\"confirm\""), "{refused:?}");
    assert_eq!(site.get("/topics/default").status, 200);
}

#[test]
fn wrong_input_is_named_on_the_page_with_its_form() {
    let mut radar = Radar::at(NOW);
    let (site, source) = with_a_source(&mut radar);
    let page = site.get("/sources");
    for path in ["/etc/passwd", "file:///etc/passwd", "./feed.json"] {
        let refused = site.post_form("/sources/discover", &page, &format!("topic=default&address={}", encoded(path)));
        assert_eq!(refused.status, 422, "{path}");
        let field = format!("name=\"address\" value=\"{path}\"");
        for shown in [field.as_str(), "is no web address; local files can only be added on the command line"] {
            assert!(refused.body.contains(shown), "{path}: {shown}: {}", refused.body);
        }
    }
    for weight in ["heavy", "7"] {
        let refused = site.post_form(&source, &page, &format!("full_text=1&weight={weight}"));
        assert_eq!(refused.status, 422, "{weight}");
        let field = format!("value=\"{weight}\"");
        for shown in [field.as_str(), "name=\"full_text\" value=\"1\" checked", "from 0.1 to 3"] {
            assert!(refused.body.contains(shown), "{weight}: {shown}: {}", refused.body);
        }
    }
    for (path, shown) in [
        ("/archive?first=xx", ["&#34;xx&#34; is no day", "name=\"last\""]),
        (
            "/archive?first=2026-11-18&last=2026-11-16",
            ["is before the first, 2026-11-18; exchange them", "value=\"2026-11-16\""],
        ),
        ("/spend?by=banana", ["&#34;banana&#34; is nothing that spending is summed by", "by purpose</a>"]),
    ] {
        let refused = site.get(path);
        assert_eq!(refused.status, 422, "{path}");
        assert!(shown.iter().all(|text| refused.body.contains(text)), "{path}: {}", refused.body);
    }
    for (path, form) in [("/ask/answer", "/ask"), ("/plan/message", "/plan"), ("/plan/apply", "/plan")] {
        let reply = site.get(path);
        assert_eq!((reply.status, reply.headers["location"].as_str()), (303, form), "{path}");
    }
}

#[test]
fn a_topic_that_does_not_exist_is_not_found_by_any_page() {
    let mut radar = Radar::at(NOW);
    let site = Site::start(&mut radar);
    let pages = ["/sources", "/runs", "/saved", "/feed-reader"];
    for path in pages {
        assert_eq!(site.get(&format!("{path}?topic=default")).status, 200, "{path}: before its first run");
    }
    radar.ok(&["init"]);
    for path in pages.into_iter().chain(["/", "/archive", "/sources/export.opml", "/saved/export.jsonl"]) {
        let reply = site.get(&format!("{path}?topic=nosuch"));
        assert_eq!(reply.status, 404, "{path}");
        assert!(reply.body.contains("There is no topic"), "{path}: {}", reply.body);
        assert!(!reply.body.contains('`'), "commands of the terminal are not quoted as such: {}", reply.body);
    }
}

#[test]
fn a_digest_links_to_those_before_and_after_it_and_an_old_one_says_its_age() {
    let mut radar = Radar::at("2026-11-22T07:00:00Z");
    let posts = ["2026-11-16T12:00:00Z", "2026-11-17T12:00:00Z", "2026-11-18T12:00:00Z"]
        .map(|time| Post::new(time, "The ferry struck the quay", "It left two bollards bent.", time));
    std::fs::write(radar.folder().join("feed.json"), feed("The Quay", &posts)).unwrap();
    radar.add(&["feed.json"]);
    for window in ["2026-11-16..2026-11-17", "2026-11-17..2026-11-18", "2026-11-18..2026-11-19"] {
        radar.ok(&["run", "--window", window]);
    }
    let site = Site::start(&mut radar);
    let link = |page: &str, kind: &str| {
        let (_, after) = page.split_once(&format!("<a rel=\"{kind}\" href=\""))?;
        after.split('"').next().map(str::to_owned)
    };
    let newest = site.get("/").body;
    assert!(newest.contains("It ends 3 days ago."), "{newest}");
    let middle = site.get(&link(&newest, "prev").unwrap()).body;
    let first = site.get(&link(&middle, "prev").unwrap()).body;
    let is_of = |page: &str, day: &str| page.contains(&format!("<h1>{day} November 2026</h1>"));
    assert!(is_of(&middle, "Tuesday 17") && is_of(&first, "Monday 16"), "{middle}");
    assert!(middle.contains("an earlier digest") && !middle.contains("days ago."), "{middle}");
    assert_eq!((link(&newest, "next"), link(&first, "prev"), link(&middle, "next").is_some()), (None, None, true));
    assert!(is_of(&site.get(&link(&first, "next").unwrap()).body, "Tuesday 17"));
}

#[test]
fn the_archive_cuts_a_long_title() {
    let mut radar = Radar::at(NOW);
    let title = "The Marigold ferry struck the quay ".repeat(25);
    let post = Post::new("1", title.trim(), "It left two bollards bent.", "2026-11-18T12:00:00Z");
    std::fs::write(radar.folder().join("feed.json"), feed("The Quay", &[post])).unwrap();
    radar.add(&["feed.json"]);
    radar.ok(&["topic", "set", "default", "--at-least", "0"]);
    radar.ok(&["run", "--window", "2026-11-16..2026-11-19"]);
    let site = Site::start(&mut radar);
    let page = site.get("/archive").body;
    let shown = page.matches("The Marigold ferry struck the quay").count();
    assert!((1..=6).contains(&shown), "{shown} times: {page}");
}
