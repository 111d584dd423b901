//! Forms of the pages and what they change: sources by address, an uploaded list, the buttons of a story.

use serde_json::{Value, json};

use crate::feedback::story_that_goes_on;
use crate::support::http::Answer;
use crate::support::radar::{Engine, Radar};
use crate::support::rows;
use crate::support::site::Site;
use crate::support::web::Web;

const NOW: &str = "2026-11-19T07:00:00Z";
const JSON: (&str, &str) = ("content-type", "application/json");
const FEED: &str = "<rss version='2.0'><channel><title>News</title><item><title>One</title></item></channel></rss>";

fn page(link: &str) -> Answer {
    Answer::ok(format!("<!DOCTYPE html><html><head><title>Hi</title>{link}</head><body>Hello</body></html>"))
}

#[test]
fn what_is_added_by_an_address_is_a_feed_and_never_its_page() {
    let link = |attributes: &str| page(&format!("<link rel='alternate' type='application/rss+xml' {attributes}>"));
    let web = Web::serve(vec![
        ("/untitled", link("href='/posts'")),
        ("/titled", link("href='/posts' title='All of them'")),
        ("/bare", page("")),
        ("/posts", Answer::ok(FEED)),
        ("/feed.xml", Answer::ok(FEED)),
        ("/itself", Answer::ok(FEED)),
    ]);
    let mut radar = Radar::at(NOW).with("AHA_FETCH_ALLOW", "127.0.0.1").with("AHA_FETCH_HOST_GAP_MS", "0");
    radar.ok(&["init"]);
    let site = Site::start(&mut radar);
    let form = site.get("/sources");
    let send = |address: &str| site.post_form("/sources/discover", &form, &format!("topic=default&address={address}"));
    let choice = send(&web.url("/titled"));
    assert!(choice.status == 200 && choice.body.contains("All of them"), "{choice:?}");
    let mut expected = Vec::new();
    for (address, added) in [
        (web.url("/untitled"), web.url("/posts")),
        (web.url("/bare"), web.url("/feed.xml")),
        (web.url("/itself"), web.url("/itself")),
        ("hn:top".to_owned(), "hn:top".to_owned()),
    ] {
        let reply = send(&address);
        assert_eq!(reply.status, 303, "{address}: {reply:?}");
        expected.push(added);
        let listed = radar.json(&["source", "list", "--json"]);
        let mut urls: Vec<&str> =
            listed.as_array().unwrap().iter().map(|source| source["url"].as_str().unwrap()).collect();
        urls.sort_unstable();
        expected.sort_unstable();
        assert_eq!(urls, expected, "{address}");
    }
}

#[test]
fn the_feeds_at_an_address_are_told_whether_it_is_a_page_or_a_feed() {
    let link = "<link rel='alternate' type='application/rss+xml' href='/posts' title='All of them'>";
    let web = Web::serve(vec![("/page", page(link)), ("/posts", Answer::ok(FEED))]);
    let mut radar = Radar::at(NOW).with("AHA_FETCH_ALLOW", "127.0.0.1").with("AHA_FETCH_HOST_GAP_MS", "0");
    radar.ok(&["init"]);
    let site = Site::start(&mut radar);
    for (path, title) in [("/page", Value::from("All of them")), ("/posts", Value::Null)] {
        let address = json!({ "address": web.url(path) }).to_string();
        let found = site.send("POST", "/api/v1/sources/discover", &[JSON], &address).json();
        assert_eq!(found, json!({ "feeds": [{ "url": web.url("/posts"), "title": title }] }), "{path}");
    }
}

#[test]
fn what_is_no_address_is_refused_and_one_that_cannot_be_read_now_may_be_added() {
    let web = Web::serve(vec![("/away", Answer::new(500))]);
    let mut radar = Radar::at(NOW).with("AHA_FETCH_ALLOW", "127.0.0.1").with("AHA_FETCH_HOST_GAP_MS", "0");
    radar.ok(&["init"]);
    let site = Site::start(&mut radar);
    let page = site.get("/sources");
    let send = |address: &str| site.post_form("/sources/discover", &page, &format!("topic=default&address={address}"));
    for wrong in ["not+a+site", "http%3A%2F%2F"] {
        let refused = send(wrong);
        assert_eq!(refused.status, 422, "{wrong}");
        assert!(refused.body.contains("give the address of a site or a feed"), "{}", refused.body);
        assert!(!refused.body.contains("Add it all the same"), "{}", refused.body);
    }
    let away = send(&web.url("/away"));
    assert!(away.status == 200 && away.body.contains("Add it all the same"), "{away:?}");
}

#[test]
fn sources_are_a_table_that_can_be_narrowed_to_those_that_fail() {
    let web = Web::serve(vec![("/fine", Answer::ok(FEED)), ("/broken", Answer::new(500))]);
    let mut radar = Radar::at(NOW).with("AHA_FETCH_ALLOW", "127.0.0.1").with("AHA_FETCH_HOST_GAP_MS", "0");
    radar.add(&[&web.url("/fine"), &web.url("/broken")]);
    radar.run(&["run"]);
    let site = Site::start(&mut radar);
    let listed = |query: &str| {
        let page = site.get(&format!("/sources{query}")).body;
        let (_, rows) = page.split_once("<tbody>").unwrap_or_default();
        let found = ["/broken", "/fine"].map(|path| rows.find(&format!("title=\"{}\"", web.url(path))));
        (found, page.find("name=\"file\""), page.find("<table"))
    };
    let ([broken, fine], import, table) = listed("");
    assert!(broken.is_some() && broken < fine, "failing ones come first");
    assert!(import.is_some() && import < table, "a list is imported above the sources");
    assert!(matches!(listed("?show=failing").0, [Some(_), None]));
    assert!(matches!(listed("?q=FIN").0, [None, Some(_)]));
    assert!(matches!(listed("?show=off").0, [None, None]));
}

#[test]
fn pages_say_in_words_what_buttons_terms_and_times_mean() {
    let (mut radar, stories) = story_that_goes_on(Engine::Sqlite);
    let site = Site::start(&mut radar);
    let id = stories[0]["id"].as_str().unwrap();
    for page in [site.get("/").body, site.get(&format!("/stories/{id}")).body] {
        for title in ["Like: more of such stories", "Dislike: fewer", "Skip: not worth", "Read: show it as read"] {
            assert!(page.contains(&format!("title=\"{title}")), "{title}: {page}");
        }
        assert!(page.contains("<dialog id=\"keys\"") && page.contains("<kbd>?</kbd>"), "{page}");
    }
    let story = site.get(&format!("/stories/{id}")).body;
    assert!(story.contains("Kept within its band") && story.contains(">Reported by</h2>"), "{story}");
    assert!(story.contains("reported by 1 item</span>") && !story.contains("told it"), "{story}");
    let asked = site.get("/ask?q=Which+quay%3F").body;
    assert!(asked.contains(">Which quay?</textarea>") && asked.contains("How it answers"), "{asked}");
    assert!(site.get("/models").body.contains("built-in rules"));
    // 30 November 2026, 7 h.
    rows::execute(&radar, "UPDATE topics SET next_run_at = 1796022000000");
    for path in ["/topics", "/topics/default"] {
        let page = site.get(path).body;
        assert!(page.contains("next run of a daemon: 30 Nov 2026 07:00, UTC"), "{path}: {page}");
    }
}

const MAX_MESSAGE_BYTES: usize = 4096;

#[test]
fn the_message_after_an_import_is_short_and_names_some_of_the_unusable_outlines() {
    let mut radar = Radar::at(NOW);
    radar.ok(&["init"]);
    let site = Site::start(&mut radar);
    let form = site.get("/sources");
    let title = "Подкаст ".repeat(60);
    let outlines: Vec<String> =
        (0..20).map(|number| format!("<outline text='{title}' xmlUrl='gopher://x.example/{number}'/>")).collect();
    let usable = "<outline text='Y' xmlUrl='https://y.example/feed'/>";
    let list = format!("<opml version='2.0'><body>{usable}{}</body></opml>", outlines.concat());
    let part =
        |name: &str, value: &str| format!("--part\r\ncontent-disposition: form-data; name={name}\r\n\r\n{value}\r\n");
    let fields = [
        part("\"csrf\"", form.token()),
        part("\"topic\"", "default"),
        part("\"file\"; filename=\"list.opml\"", &list),
        "--part--\r\n".to_owned(),
    ];
    let cookies = form.cookies.join("; ");
    let headers = [("content-type", "multipart/form-data; boundary=part"), ("cookie", cookies.as_str())];
    let reply = site.send("POST", "/sources/import", &headers, &fields.concat());
    assert!(reply.status == 200 && !reply.headers.contains_key("location"), "{reply:?}");
    let shown = reply.body;
    let begun = shown.find("1 source added; 20 could not be used, among them: ").expect("the message");
    let message = shown[begun..].split("</").next().unwrap();
    assert!(message.len() < MAX_MESSAGE_BYTES, "{} bytes", message.len());
    assert_eq!(shown.matches("cannot be used").count(), 3, "{shown}");
}

#[test]
fn a_pressed_button_of_a_story_that_goes_on_takes_the_feedback_back() {
    let (mut radar, stories) = story_that_goes_on(Engine::Sqlite);
    let [first, second] = stories.each_ref().map(|story| story["id"].as_str().unwrap());
    let site = Site::start(&mut radar);
    let story = |id: &str| site.get(&format!("/stories/{id}"));
    let send = |id: &str, field: &str| site.post_form(&format!("/stories/{id}/feedback"), &story(id), field).status;
    let is_pressed = |id: &str, kind: &str| story(id).body.contains(&format!("name=\"undo\" value=\"{kind}\""));
    assert_eq!(send(first, "kind=like"), 303);
    assert!(is_pressed(second, "like"));
    assert_eq!(send(second, "undo=like"), 303);
    assert!(!is_pressed(first, "like") && !is_pressed(second, "like"));
    assert_eq!(send(first, "kind=like"), 303);
    assert_eq!(send(second, "kind=dislike"), 303);
    assert!(is_pressed(second, "dislike") && !is_pressed(second, "like"));
}

#[test]
fn the_api_tells_that_feedback_on_a_story_that_goes_on_was_given_before() {
    let (mut radar, stories) = story_that_goes_on(Engine::Sqlite);
    let [first, second] = stories.each_ref().map(|story| story["id"].as_str().unwrap());
    let site = Site::start(&mut radar);
    let path = |id: &str| format!("/api/v1/stories/{id}/feedback");
    let like = |id: &str| site.send("POST", &path(id), &[JSON], &json!({ "kind": "like" }).to_string()).json();
    let changed = |reply: &Value| (reply["change"]["changed"].clone(), reply["change"]["item_id"].clone());
    let item = &stories[0]["sources"][0]["item_id"];
    assert_eq!(changed(&like(first)), (true.into(), item.clone()));
    let again = like(second);
    assert_eq!(changed(&again), (false.into(), item.clone()));
    assert!(again["change"]["effect_points"].is_null(), "{again}");
    let undone = site.send("DELETE", &format!("{}/like", path(second)), &[], "").json();
    assert_eq!(changed(&undone), (true.into(), item.clone()));
    assert_eq!(site.get(&format!("/api/v1/stories/{first}")).json()["feedback"], json!([]));
}

#[test]
fn a_weight_of_any_number_of_decimals_can_be_saved_from_its_page() {
    let mut radar = Radar::at(NOW);
    radar.ok(&["init"]);
    let site = Site::start(&mut radar);
    let new = json!({ "locations": ["https://a.example/feed.xml"], "weight": 1.25, "as_is": true });
    assert_eq!(site.send("POST", "/api/v1/sources", &[JSON], &new.to_string()).json()["added"], 1);
    let listed = site.get("/api/v1/sources?topic=default").json();
    let path = format!("/sources/{}", listed["sources"][0]["id"].as_str().unwrap());
    let page = site.get(&path);
    let input = "name=\"weight\" type=\"number\" min=\"0.1\" max=\"3\" step=\"any\" value=\"1.25\"";
    assert!(page.body.contains(input), "{}", page.body);
    assert_eq!(site.post_form(&path, &page, "enabled=1&weight=0.375").status, 303);
    assert!(site.get(&path).body.contains("value=\"0.375\""));
}

#[test]
fn a_cost_that_cannot_be_recorded_stays_in_the_form_of_its_call() {
    let mut radar = Radar::at(NOW);
    radar.ok(&["init"]);
    let ids = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"];
    for id in ids {
        let call = format!(
            "INSERT INTO provider_calls (id, purpose, provider, model, prompt_id, attempt, state, error_kind,
                 reserved_microcredits, started_at)
             VALUES ('{id}', 'triage', 'p', 'm', 'p', 1, 'unsettled', 'timed_out', 500, 5)"
        );
        rows::execute(&radar, &call);
    }
    let site = Site::start(&mut radar);
    let page = site.get("/spend");
    let send = |id: &str, credits: &str| {
        let fields = format!("call={id}&credits={credits}&reason=the+%22bill%22");
        site.post_form("/spend/adjust", &page, &fields)
    };
    let wrong = send(ids[0], "much");
    assert_eq!((wrong.status, wrong.body.matches("role=\"alert\"").count()), (422, 1), "{}", wrong.body);
    let cards: Vec<&str> = wrong.body.split("<section class=\"card\">").skip(1).collect();
    let [own, other] = ids.map(|id| *cards.iter().find(|card| card.contains(id)).unwrap());
    let reason = "name=\"reason\" value=\"the &#34;bill&#34;\"";
    for shown in ["name=\"credits\" value=\"much\"", reason, "at most six decimals"] {
        assert!(own.contains(shown) && !other.contains(shown), "{shown}: {}", wrong.body);
    }
    let unknown = send("33333333-3333-4333-8333-333333333333", "1");
    assert!(unknown.status == 422 && unknown.body.contains("No call begins with 33333333"), "{}", unknown.body);
    assert_eq!(send(ids[0], "0.5").status, 303);
}
