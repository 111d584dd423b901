use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::daemon::Daemon;
use crate::support::feeds::{Post, feed};
use crate::support::http::Answer;
use crate::support::radar::Radar;
use crate::support::rows;
use crate::support::site::{Reply, Site};
use crate::support::web::Web;

const NOW: &str = "2026-11-19T07:00:00Z";
const JSON: (&str, &str) = ("content-type", "application/json");
const ESTIMATE: &str = "/api/v1/runs/estimate";

/// With a source that answers at once, and one that does not for long.
fn with_a_slow_source() -> (Radar, Web) {
    let posts = [Post::about_nothing_else("one", "2026-11-19T05:00:00Z")];
    let web = Web::serve(vec![("/slow", Answer::ok(feed("Slow", &posts)).after(Duration::from_secs(25)))]);
    let radar = Radar::at(NOW).with("AHA_FETCH_ALLOW", "127.0.0.1").with("AHA_FETCH_HOST_GAP_MS", "0");
    std::fs::write(radar.folder().join("feed.json"), feed("A", &posts)).unwrap();
    radar.add(&["feed.json", &web.url("/slow")]);
    (radar, web)
}

/// Loads a page until it shows a text.
#[track_caller]
fn wait_for(site: &Site, path: &str, text: &str) -> Reply {
    for _ in 0..200 {
        let page = site.get(path);
        if page.body.contains(text) {
            return page;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("20 s have passed and {path} does not show {text:?}: {}", site.get(path).body);
}

#[test]
fn a_run_is_started_watched_and_stopped_and_retried_after_a_restart() {
    let (mut radar, web) = with_a_slow_source();
    let site = Site::start(&mut radar);
    let page = site.get("/runs");
    assert_eq!(site.post_form("/runs", &page, "topic=default").status, 303);
    web.wait_for("/slow");
    let running = wait_for(&site, "/runs", "Under way");
    assert!(running.body.contains("ingest"), "{}", running.body);
    assert!(!running.body.contains(">Retry<"), "it is under way");
    let again = site.post_form("/runs", &page, "topic=default");
    assert!(again.status == 409 && again.body.contains("is being run by this process"), "{}", again.body);
    let events = std::thread::scope(|scope| {
        let events = scope.spawn(|| site.get("/runs/default/events").body);
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(site.post_form("/runs/default/stop", &page, "").status, 303);
        events.join().unwrap()
    });
    assert!(events.contains("event: run") && events.contains("event: end"), "{events}");
    assert!(wait_for(&site, "/runs", "stopped").body.contains(">Retry<"));
    assert_eq!(site.post_form("/runs/default/stop", &page, "").status, 404, "there is nothing to stop");
    drop(site);

    radar.ok(&["source", "remove", &web.url("/slow")]);
    let site = Site::start(&mut radar);
    let id = rows::query(&radar, "SELECT id FROM runs").concat();
    let path = format!("/runs/default/{id}");
    let page = site.get(&path);
    assert!(page.status == 200 && page.body.contains("interrupted") && page.body.contains("Retry"), "{}", page.body);
    assert_eq!(site.get("/runs/default/00000000-0000-0000-0000-000000000000").status, 404);
    assert_eq!(site.post_form("/runs", &page, "topic=default&window=").status, 303);
    wait_for(&site, &path, "Its digest");
    assert_eq!(rows::query(&radar, "SELECT outcome FROM run_attempts ORDER BY attempt"), ["interrupted", "done"]);
    assert!(!site.get(&path).body.contains("Retry"));
}

#[test]
fn a_window_that_no_run_can_be_started_with_stays_in_its_form() {
    let mut radar = Radar::at(NOW);
    radar.ok(&["init"]);
    let site = Site::start(&mut radar);
    let page = site.get("/runs");
    let wrong = site.post_form("/runs", &page, "topic=default&window=2026-11-18..%3Csoon%3E");
    assert_eq!((wrong.status, wrong.token()), (422, page.token()), "the form can be sent again");
    for shown in ["name=\"window\" value=\"2026-11-18..&#60;soon&#62;\"", "is neither a date"] {
        assert!(wrong.body.contains(shown), "{shown}: {}", wrong.body);
    }
    rows::hold_elsewhere(&radar);
    let held = site.post_form("/runs", &page, "topic=default&window=2026-11-17..2026-11-18");
    assert_eq!(held.status, 409);
    for shown in ["name=\"window\" value=\"2026-11-17..2026-11-18\"", "is being run by elsewhere pid:7"] {
        assert!(held.body.contains(shown), "{shown}: {}", held.body);
    }
    assert_eq!(site.post_form("/runs", &page, "topic=nothing").status, 404);
}

#[test]
fn a_scheduled_run_of_the_daemon_is_seen_and_stopped_from_its_page() {
    let (mut radar, web) = with_a_slow_source();
    let daemon = Daemon::start(&mut radar);
    web.wait_for("/slow");
    let site = Site::at(daemon.address());
    let page = wait_for(&site, "/runs", "Under way");
    assert!(page.body.contains("data-live=\"/runs/default/events\""), "{}", page.body);
    assert_eq!(site.post_form("/runs/default/stop", &page, "").status, 303);
    wait_for(&site, "/runs", "stopped");
    rows::wait_for(&radar, "SELECT count(*) FROM run_attempts WHERE outcome = 'interrupted'");
    daemon.end().0.exits(0);
}

#[test]
fn a_run_that_was_started_from_a_page_and_failed_is_logged() {
    let mut radar = Radar::at(NOW);
    std::fs::write(radar.output(), "no folder").unwrap();
    let posts = [Post::about_nothing_else("one", "2026-11-17T05:00:00Z")];
    std::fs::write(radar.folder().join("feed.json"), feed("A", &posts)).unwrap();
    radar.add(&["feed.json"]);
    let log = radar.folder().join("log");
    let site = Site::start_with_log(&mut radar, &log);
    let page = site.get("/runs");
    assert_eq!(site.post_form("/runs", &page, "topic=default&window=2026-11-17..2026-11-18").status, 303);
    wait_for(&site, "/runs", "its files could not be written");
    let logged = std::fs::read_to_string(log).unwrap();
    assert!(logged.contains("run failed; start it again to continue it"), "{logged}");
}

#[test]
fn days_are_chosen_for_a_run_and_one_that_could_read_nothing_says_so() {
    let web = Web::serve(vec![("/a", Answer::new(500)), ("/b", Answer::new(500))]);
    let mut radar = Radar::at(NOW).with("AHA_FETCH_ALLOW", "127.0.0.1").with("AHA_FETCH_HOST_GAP_MS", "0");
    radar.add(&[&web.url("/a"), &web.url("/b")]);
    let site = Site::start(&mut radar);
    let page = site.get("/runs");
    assert!(page.body.contains("type=\"date\" name=\"first\""), "{}", page.body);
    let wrong = site.post_form("/runs", &page, "topic=default&first=2026-11-18&last=2026-11-16");
    assert_eq!(wrong.status, 422);
    for kept in ["name=\"first\" value=\"2026-11-18\"", "name=\"last\" value=\"2026-11-16\"", "exchange them"] {
        assert!(wrong.body.contains(kept), "{kept}: {}", wrong.body);
    }
    assert_eq!(site.post_form("/runs", &page, "topic=default&first=2026-11-16&last=2026-11-18").status, 303);
    let failed = "Nothing could be read: all 2 sources failed";
    let runs = wait_for(&site, "/runs", failed);
    assert!(runs.body.contains("16 Nov 2026 00:00 – 19 Nov 2026 00:00"), "{}", runs.body);
    let (_, row) = runs.body.split_once("<a href=\"/runs/default/").unwrap();
    let run = site.get(&format!("/runs/default/{}", row.split('"').next().unwrap())).body;
    let (_, why) = run.split_once(">What failed</h2>").unwrap();
    assert!(why.contains(failed), "{run}");
    for path in ["/", "/archive"] {
        let page = site.get(path).body;
        assert!(page.contains(failed), "{path}: {page}");
        assert!(!page.contains("Enjoy the silence") && !page.contains("A quiet day"), "{path}: {page}");
    }
}

/// Two are made at a time, and eight wait.
#[test]
fn estimates_beyond_those_that_wait_are_refused_and_keep_no_replay_waiting() {
    let posts = [Post::about_nothing_else("one", "2026-11-18T05:00:00Z")];
    let web = Web::serve(vec![("/slow", Answer::ok(feed("Slow", &posts)).after(Duration::from_mins(2)))]);
    let mut radar = Radar::at(NOW).with("AHA_FETCH_ALLOW", "127.0.0.1").with("AHA_FETCH_HOST_GAP_MS", "0");
    std::fs::write(radar.folder().join("feed.json"), feed("A", &posts)).unwrap();
    radar.add(&["feed.json"]);
    let choice = json!({ "topic": "default", "window": "2026-11-18..2026-11-19" });
    radar.ok(&["run", "--window", "2026-11-18..2026-11-19"]);
    radar.add(&[&web.url("/slow")]);
    let site = Site::start(&mut radar);
    let (sender, replies) = mpsc::channel();
    for _ in 0..14 {
        let (connection, sender) = (site.begin("POST", ESTIMATE, &[JSON], &choice.to_string()), sender.clone());
        std::thread::spawn(move || sender.send(Reply::receive(connection)));
    }
    drop(sender);
    for _ in 0..4 {
        let refused = replies.recv_timeout(Duration::from_secs(20)).unwrap();
        assert!(refused.status == 429 && refused.headers["retry-after"] == "10", "{refused:?}");
        assert_eq!(refused.json()["error"]["code"], "too_many_requests");
        assert!(refused.body.contains("too many estimates are waiting already"), "{refused:?}");
    }
    let replay = site.send("POST", "/api/v1/topics/default/replay", &[JSON], "{}");
    assert_eq!(replay.status, 200, "{replay:?}");
    assert_eq!(site.get("/health").status, 200);
    drop(site);
    let others: Vec<u16> = replies.iter().map(|reply| reply.status).collect();
    let stopped = others.iter().filter(|status| **status == 503).count();
    // On a busy machine the time of the first two may be over before.
    assert!(others.len() == 10 && stopped >= 8, "{others:?}");
}

#[test]
fn asked_to_stop_the_server_ends_an_estimate_at_once() {
    let (mut radar, web) = with_a_slow_source();
    let log = radar.folder().join("serve.log");
    let site = Site::start_with_log(&mut radar, &log);
    let estimate = site.begin("POST", ESTIMATE, &[JSON], &json!({ "topic": "default" }).to_string());
    web.wait_for("/slow");
    let begun = Instant::now();
    drop(site);
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(10), "{took:?}");
    let reply = Reply::receive(estimate);
    assert!(reply.status == 503 && reply.body.contains("the server is stopping"), "{reply:?}");
    let log = std::fs::read_to_string(log).unwrap();
    assert!(!log.contains("panicked") && !log.contains("did not end"), "{log}");
}

#[test]
fn a_run_and_estimates_of_it_send_a_host_one_request_at_a_time() {
    const TAKES: Duration = Duration::from_millis(500);
    let posts = [Post::about_nothing_else("one", "2026-11-19T05:00:00Z")];
    let paths = ["/one", "/two"];
    let web = Web::serve(paths.map(|path| (path, Answer::ok(feed(path, &posts)).after(TAKES))).to_vec());
    let mut radar = Radar::at(NOW).with("AHA_FETCH_ALLOW", "127.0.0.1").with("AHA_FETCH_HOST_GAP_MS", "0");
    radar.add(&paths.map(|path| web.url(path)).each_ref().map(String::as_str));
    let site = Site::start(&mut radar);
    let choice = json!({ "topic": "default" }).to_string();
    let estimates = [(); 2].map(|()| site.begin("POST", ESTIMATE, &[JSON], &choice));
    assert_eq!(site.send("POST", "/api/v1/runs", &[JSON], &choice).status, 202);
    for estimate in estimates {
        let reply = Reply::receive(estimate);
        assert_eq!(reply.status, 200, "{reply:?}");
    }
    wait_for(&site, "/api/v1/topics/default/run", "\"outcome\":\"made\"");
    let mut began: Vec<Instant> = paths.iter().flat_map(|path| web.requests(path)).map(|one| one.began).collect();
    began.sort();
    assert!(began.len() >= 4, "{} requests", began.len());
    for pair in began.windows(2) {
        assert!(pair[1] - pair[0] >= TAKES, "{began:?}");
    }
}
