//! The daemon from outside: it runs what is due, tells how it is, and ends when asked.

use std::net::TcpListener;
use std::time::Duration;

use serde_json::json;

use crate::support::daemon::Daemon;
use crate::support::exchanges::Player;
use crate::support::feeds::{Post, feed};
use crate::support::http::Answer;
use crate::support::radar::{Radar, repository, signal};
use crate::support::responses::{Fault, OpenAi, When};
use crate::support::rows;
use crate::support::site::{Reply, Site};
use crate::support::web::Web;

const NOW: &str = "2026-11-19T07:00:00Z";

fn is_free(radar: &Radar) -> bool {
    rows::number(radar, "SELECT count(*) FROM topics WHERE lease_holder IS NOT NULL") == 0
}

#[test]
fn it_runs_what_is_due_tells_its_health_and_ends_when_asked() {
    let mut radar = Radar::at(NOW).with("AHA_SCHEDULE", "every 6h");
    radar.ok(&["opml", "import", &repository("examples/sources.opml")]);
    let daemon = Daemon::start(&mut radar);
    let health = daemon.wait_for("done with its first run", |health| health["last_run"]["outcome"] == "done");
    assert_eq!(health["status"], "ok");
    assert_eq!(health["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&health["last_run"]["topic"], &health["last_run"]["window_end"]), (&"default".into(), &NOW.into()));
    assert_eq!(radar.ok(&["healthcheck"]), "ok\n");
    rows::wait_for(&radar, "SELECT count(*) FROM topics WHERE next_run_at = 1795089600000");
    let (ran, took) = daemon.end();
    let ran = ran.exits(0).says("daemon stopped");
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert!(!ran.stderr.contains("ERROR") && !ran.stderr.contains('\u{1b}'), "{ran:#?}");
    assert!(is_free(&radar));
    assert_eq!(radar.digest()["digest"]["mode"], "cursor");
    assert_eq!(radar.digest()["digest"]["window_start"], "2026-11-19T01:00:00Z");
    assert_eq!(radar.files().len(), 6);
    radar.run(&["healthcheck"]).exits(1).says("no daemon answers");
}

#[test]
fn doctor_shows_what_a_running_daemon_leaves_alone_and_until_when() {
    let api = OpenAi::start();
    api.fault(When::always(), Fault::Status(500));
    let mut radar = api.serve(Radar::at(NOW)).with("AHA_TRIAGE_BATCH_SIZE", "1").with("AHA_LLM_CONCURRENCY", "8");
    radar.set("AHA_CIRCUIT_PAUSE_MS", "30000");
    let post = |number: usize| Post::about_nothing_else(&format!("post {number}"), "2026-11-19T05:00:00Z");
    std::fs::write(radar.folder().join("feed.json"), feed("A", &(0..8).map(post).collect::<Vec<_>>())).unwrap();
    radar.add(&["feed.json"]);
    let daemon = Daemon::start(&mut radar);
    daemon.wait_for("leaving its model alone", |health| health["left_alone"][0]["provider"] == "openai");
    let text = radar.run(&["doctor"]).exits(0).stdout;
    let line = text.lines().find(|line| line.contains("breakers")).unwrap();
    assert!(line.contains("has paused openai for ") && line.contains(" s more, until 20"), "{line}");
    assert!(text.contains(&format!("version {} answers at http://127.0.0.1", env!("CARGO_PKG_VERSION"))), "{text}");
    let model = radar.json(&["llm", "models", "--json"])[0].clone();
    assert!(model["left_alone_seconds"].as_u64().is_some_and(|seconds| seconds <= 30), "{model:#}");
    let table = radar.ok(&["llm", "models"]).split_whitespace().collect::<String>();
    assert!(table.contains("paused"), "{table}");
    radar.run(&["healthcheck"]).says("openai is paused for ").says("as its server failed repeatedly");
    // The run waits for the pause's end, though not once the daemon is to end.
    assert_eq!(rows::query(&radar, "SELECT outcome FROM run_attempts"), ["running"]);
    let (ran, took) = daemon.end();
    ran.exits(0);
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert_eq!(rows::query(&radar, "SELECT outcome FROM run_attempts"), ["interrupted"]);
    assert!(radar.json(&["llm", "models", "--json"])[0]["left_alone_seconds"].is_null());
    radar.run(&["doctor"]).exits(0).says("none answers at http://127.0.0.1").says("only a running daemon knows");
}

#[test]
fn doctor_is_not_taken_in_by_another_program_at_the_daemon_s_address() {
    for body in ["<html>hello</html>".to_owned(), "{\"status\": \"".to_owned() + &"o".repeat(1 << 20) + "\"}"] {
        let web = Web::serve(vec![("/health", Answer::ok(body))]);
        let address = web.url("").trim_start_matches("http://").trim_end_matches('/').to_owned();
        let radar = Radar::at(NOW).with("AHA_LISTEN", &address);
        radar.run(&["doctor"]).says("is no daemon of Aha Radar");
        radar.run(&["healthcheck"]).exits(1).says("is no daemon of Aha Radar");
    }
    let odd = r#"{"status": "ok", "version": "9\u001b[31m", "left_alone": [{"provider": "open\u0007ai", "seconds": 3}],
            "problems": [{"topic": "a\u001b[1m", "reason": "\u0007"}]}"#;
    let web = Web::serve(vec![("/health", Answer::ok(odd))]);
    let address = web.url("").trim_start_matches("http://").trim_end_matches('/').to_owned();
    let radar = Radar::at(NOW).with("AHA_LISTEN", &address);
    for command in ["doctor", "healthcheck"] {
        let said = radar.run(&[command]).stdout;
        assert!(!said.contains('\u{1b}') && !said.contains('\u{7}'), "{said:?}");
    }
}

#[test]
fn a_failing_source_makes_it_degraded_and_no_less_alive() {
    let mut radar = Radar::at(NOW);
    std::fs::write(
        radar.folder().join("feed.json"),
        feed("A", &[Post::about_nothing_else("a", "2026-11-19T05:00:00Z")]),
    )
    .unwrap();
    radar.add(&["feed.json", "http://127.0.0.1:9/feed"]);
    let daemon = Daemon::start(&mut radar);
    daemon.wait_for("done with its first run", |health| health["last_run"]["outcome"] == "done");
    assert_eq!(radar.ok(&["healthcheck"]), "degraded\n");
    daemon.end().0.exits(0);
}

/// With a source of each of two topics, of which `boats` comes first.
fn with_two_topics() -> Radar {
    let radar = Radar::at(NOW);
    let posts = [Post::about_nothing_else("a", "2026-11-19T05:00:00Z")];
    std::fs::write(radar.folder().join("feed.json"), feed("A", &posts)).unwrap();
    radar.add(&["feed.json"]);
    radar.ok(&["topic", "add", "boats"]);
    radar.ok(&["source", "add", "--as-is", "--topic", "boats", "feed.json"]);
    radar
}

#[test]
fn a_topic_whose_sources_cannot_be_read_keeps_no_other_from_running() {
    let mut radar = with_two_topics();
    let boats = "topic_id = (SELECT id FROM topics WHERE name = 'boats')";
    rows::execute(&radar, &format!("UPDATE sources SET kind = 'none' WHERE {boats}"));
    let daemon = Daemon::start(&mut radar);
    let health = daemon.wait_for("done with the other", |health| health["last_run"]["outcome"] == "done");
    assert_eq!(health["last_run"]["topic"], "default", "{health}");
    daemon.end().0.exits(0).says("the topic cannot be scheduled");
}

#[test]
fn a_row_that_cannot_be_read_is_a_problem_of_its_topic_alone() {
    let mut radar = with_two_topics();
    radar.ok(&["run"]);
    radar.ok(&["run", "--topic", "boats"]);
    let boats = "topic_id = (SELECT id FROM topics WHERE name = 'boats')";
    rows::execute(&radar, &format!("UPDATE runs SET settings_json = '1' WHERE {boats}"));
    let daemon = Daemon::start(&mut radar);
    let health = daemon.wait_for("up", |health| health["last_run"].is_object());
    assert_eq!((&health["status"], &health["last_run"]["topic"]), (&"degraded".into(), &"default".into()), "{health}");
    assert_eq!(health["problems"][0]["topic"], "boats", "{health}");
    let reason = health["problems"][0]["reason"].as_str().unwrap();
    assert!(reason.starts_with("its rows cannot be read: a stored run's settings cannot be read"), "{reason}");
    daemon.end().0.exits(0);
}

/// A window to come is refused; earlier versions made runs of such.
#[test]
fn a_window_to_come_hides_no_failure_of_a_later_run() {
    let mut radar = Radar::at("2026-11-19T06:00:00Z");
    let posts = [Post::about_nothing_else("a", "2026-11-19T05:00:00Z")];
    std::fs::write(radar.folder().join("feed.json"), feed("A", &posts)).unwrap();
    radar.add(&["feed.json"]);
    radar.ok(&["run", "--window", "2026-11-18..2026-11-19"]);
    rows::execute(&radar, "UPDATE runs SET window_end = 4102444800000 WHERE mode = 'window'");
    rows::execute(&radar, "UPDATE digests SET window_end = 4102444800000");
    radar.set("AHA_NOW", NOW);
    radar.ok(&["run"]);
    let failed = "UPDATE run_attempts SET outcome = 'failed', error = 'the disk is full'
                  WHERE run_id IN (SELECT id FROM runs WHERE mode = 'cursor')";
    rows::execute(&radar, failed);
    let daemon = Daemon::start(&mut radar);
    let health = daemon.wait_for("up", |health| health["last_run"].is_object());
    assert_eq!((&health["status"], &health["last_run"]["outcome"]), (&"degraded".into(), &"failed".into()), "{health}");
    assert_eq!(health["last_run"]["error"], "the disk is full");
    let problem = json!({ "topic": "default", "reason": "its last run failed: the disk is full" });
    assert_eq!(health["problems"], json!([problem]));
    daemon.end().0.exits(0);
    // A run that began while the clock was ahead is no later one.
    rows::execute(&radar, "UPDATE run_attempts SET started_at = 4102444800000 WHERE outcome = 'done'");
    let daemon = Daemon::start(&mut radar);
    let health = daemon.wait_for("up", |health| health["last_run"].is_object());
    assert_eq!(health["last_run"]["outcome"], "failed", "{health}");
    daemon.end().0.exits(0);
}

#[test]
fn asked_to_end_in_the_middle_of_a_run_it_ends_soon_and_the_next_start_goes_on() {
    let posts = [Post::about_nothing_else("one", "2026-11-19T05:00:00Z")];
    let web = Web::serve(vec![("/slow", Answer::ok(feed("Slow", &posts)).after(Duration::from_secs(15)))]);
    let mut radar = Radar::at(NOW).with("AHA_FETCH_ALLOW", "127.0.0.1").with("AHA_FETCH_HOST_GAP_MS", "0");
    std::fs::write(
        radar.folder().join("feed.json"),
        feed("A", &[Post::about_nothing_else("a", "2026-11-19T05:00:00Z")]),
    )
    .unwrap();
    radar.add(&["feed.json", &web.url("/slow")]);
    let daemon = Daemon::start(&mut radar);
    web.wait_for("/slow");
    daemon.wait_for("up", |health| health["status"] == "ok");
    let (ran, took) = daemon.end();
    ran.exits(0);
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert!(is_free(&radar));
    assert_eq!(rows::query(&radar, "SELECT outcome FROM run_attempts"), ["interrupted"]);
    radar.ok(&["source", "remove", &web.url("/slow")]);
    let daemon = Daemon::start(&mut radar);
    daemon.wait_for("done with the run", |health| health["last_run"]["outcome"] == "done");
    daemon.end().0.exits(0);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM runs"), 1);
}

const MESSAGE: &str = "/api/assistant/message/stream?message=hello&mode=chat";

/// A daemon whose model takes so long for the answer to a message, which was sent; and the server of the model.
fn with_a_call_under_way(answer_ms: u64) -> (Radar, Player, Daemon, std::net::TcpStream) {
    let player = Player::start();
    let message = json!({ "role": "assistant", "content": "Good morning." });
    let body = json!({ "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
                       "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }],
                       "usage": { "prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960 } });
    player.play(&json!([{ "task": "assistant_chat", "status": 200, "after_ms": answer_ms, "body": body }]));
    let mut radar = player.serve(Radar::at(NOW), "chat_completions", &["assistant_chat"]);
    let daemon = Daemon::start(&mut radar);
    daemon.wait_for("up", |health| health["status"] == "ok");
    let stream = Site::at(daemon.address()).begin("GET", MESSAGE, &[], "");
    for _ in 0..400 {
        if !player.asked().is_empty() {
            return (radar, player, daemon, stream);
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    panic!("10 s have passed and the model was not asked");
}

/// Asks the daemon to stop, and waits until it begins nothing new.
#[track_caller]
fn ask_to_stop(daemon: &mut Daemon) {
    signal(daemon.process(), "TERM");
    let site = Site::at(daemon.address());
    for _ in 0..100 {
        let reply = site.send("POST", "/api/v1/topics", &[("content-type", "application/json")], "{}");
        if reply.status == 503 {
            assert!(reply.body.contains("the server is stopping"), "{reply:?}");
            return;
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    panic!("it still accepts requests");
}

#[test]
fn asked_to_stop_it_answers_the_message_under_way_and_begins_nothing_else() {
    let (radar, player, mut daemon, stream) = with_a_call_under_way(4_000);
    ask_to_stop(&mut daemon);
    let site = Site::at(daemon.address());
    assert_eq!(site.get(MESSAGE).status, 503, "it would cost something");
    assert_eq!(site.get("/topics").status, 200, "what costs nothing is still shown");
    let reply = Reply::receive(stream);
    assert!(reply.body.contains("Good morning.") && reply.body.contains("event: done"), "{reply:?}");
    daemon.wait().exits(0).says("daemon stopped");
    player.is_through("the message");
    assert_eq!(rows::query(&radar, "SELECT state FROM provider_calls"), ["ok"]);
}

#[test]
fn asked_to_stop_a_second_time_it_ends_at_once() {
    let (radar, _player, mut daemon, _stream) = with_a_call_under_way(14_000);
    ask_to_stop(&mut daemon);
    std::thread::sleep(Duration::from_secs(1));
    let (ran, took) = daemon.end();
    ran.exits(130).says("asked to stop again");
    assert!(took < Duration::from_secs(5), "{took:?}");
    assert_eq!(rows::query(&radar, "SELECT state FROM provider_calls"), ["reserved"]);
}

#[test]
fn a_hangup_asks_it_to_stop_unless_it_was_started_so_as_to_ignore_it() {
    let mut radar = Radar::at(NOW);
    let mut daemon = Daemon::start_after("exec env --default-signal=HUP \"$0\" \"$@\"", &mut radar);
    daemon.wait_for("up", |health| health["status"] == "ok");
    signal(daemon.process(), "HUP");
    daemon.wait().exits(0).says("daemon stopped");
    let mut daemon = Daemon::start_after("trap '' HUP", &mut radar);
    daemon.wait_for("up", |health| health["status"] == "ok");
    signal(daemon.process(), "HUP");
    std::thread::sleep(Duration::from_secs(1));
    assert!(daemon.process().try_wait().unwrap().is_none(), "it ended as if it were not started by nohup");
    daemon.end().0.exits(0);
}

#[test]
fn a_taken_port_is_said_and_exits_with_1() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let radar = Radar::at(NOW).with("AHA_LISTEN", &address);
    radar
        .run(&["daemon"])
        .exits(1)
        .says(&format!("cannot listen on {address}"))
        .says("set AHA_LISTEN to a free address");
}
