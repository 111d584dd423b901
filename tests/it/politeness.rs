//! What an unchanged source costs, and what is said when nothing succeeds any more.

use serde_json::json;

use crate::support::feeds::{Post, feed};
use crate::support::http::Answer;
use crate::support::radar::Radar;
use crate::support::rows;
use crate::support::site::Site;
use crate::support::web::Web;

const SOURCES: usize = 30;

/// All that is made of items.
fn kept(radar: &Radar) -> [Vec<String>; 6] {
    ["content_items", "content_item_sources", "embeddings", "clusters", "cluster_items", "topic_items"]
        .map(|table| rows::table(radar, table, &[]))
}

#[test]
fn an_unchanged_source_costs_a_check_and_no_more() {
    let now = "2026-11-18T06:00:00Z";
    let paths: Vec<String> = (0..SOURCES).map(|n| format!("/{n}/feed")).collect();
    let answer = |n: usize| {
        let document =
            feed(&format!("S{n}"), &[Post::about_nothing_else(&format!("post {n}"), "2026-11-18T05:00:00Z")]);
        Answer::ok(document).header("etag", "\"1\"").not_modified_if("if-none-match", "\"1\"")
    };
    let web = Web::serve(paths.iter().enumerate().map(|(n, path)| (path.as_str(), answer(n))).collect());
    let mut radar = Radar::at(now).with("AHA_FETCH_ALLOW", "127.0.0.1").with("AHA_FETCH_HOST_GAP_MS", "0");
    let urls: Vec<String> = paths.iter().map(|path| web.url(path)).collect();
    radar.add(&urls.iter().map(String::as_str).collect::<Vec<_>>());
    radar.run(&["run"]).exits(0);
    let before = kept(&radar);
    assert_eq!(before[0].len(), SOURCES);
    radar.set("AHA_NOW", "2026-11-18T07:00:00Z");
    radar.run(&["run"]).exits(0);
    assert_eq!(kept(&radar), before);
    for path in &paths {
        let conditional: Vec<bool> =
            web.requests(path).iter().map(|request| request.headers.contains_key("if-none-match")).collect();
        assert_eq!(conditional, [false, true], "{path}");
    }
    let looks = "SELECT count(*) FROM fetch_runs WHERE status = 'not_modified' AND http_status = 304 AND bytes = 0";
    assert_eq!(rows::number(&radar, looks), i64::try_from(SOURCES).unwrap());
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM fetch_runs"), i64::try_from(2 * SOURCES).unwrap());
}

#[test]
fn a_topic_without_a_successful_run_is_overdue() {
    let mut radar = Radar::at("2026-11-18T06:00:00Z").with("AHA_ALERT_HOURS", "36");
    let path = radar.folder().join("feed.json");
    std::fs::write(path, feed("A", &[Post::about_nothing_else("one", "2026-11-18T05:00:00Z")])).unwrap();
    radar.add(&["feed.json"]);
    radar.run(&["doctor"]).exits(0);
    radar.run(&["run"]).exits(0);
    radar.set("AHA_NOW", "2026-11-19T17:59:00Z");
    radar.run(&["doctor"]).exits(0);
    radar.set("AHA_NOW", "2026-11-19T18:01:00Z");
    radar.run(&["doctor"]).exits(1).says("within AHA_ALERT_HOURS (last at 2026-11-18T06:00:00Z)");
    radar.run(&["healthcheck"]).exits(1);
    let site = Site::start(&mut radar);
    let health = site.get("/health").json();
    let reason = "no run succeeded within AHA_ALERT_HOURS (last at 2026-11-18T06:00:00Z)";
    assert_eq!(health["problems"], json!([{ "topic": "default", "reason": reason }]));
    radar.run(&["healthcheck"]).exits(1).says("error").says(&format!("topic \"default\": {reason}"));
    drop(site);
    // The daemon does not run a topic without an enabled source.
    let source = rows::query(&radar, "SELECT url FROM sources").remove(0);
    radar.ok(&["source", "disable", &source]);
    let doctor = radar.run(&["doctor"]).exits(1).says("has no enabled source");
    assert!(!doctor.stdout.contains("AHA_ALERT_HOURS"), "{doctor:?}");
}
