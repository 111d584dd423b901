//! `deep-dive`: a pasted text is summarised, paid for once, and stored nowhere; its summary is kept or dropped.

use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::feeds::{Post, feed};
use crate::support::radar::{Engine, Radar, Ran};
use crate::support::responses::{Fault, MODEL, OpenAi, When};
use crate::support::rows;
use crate::support::site::{Reply, Site};

const NOW: &str = "2026-11-16T12:00:00Z";
const MARKER: &str = "zweckentfremdungsmarker";
const FAILED: i32 = 1;
const USAGE: i32 = 2;
const BUDGET_EXHAUSTED: i32 = 4;
const SPENT: &str = "SELECT sum(settled_microcredits) FROM budget_counters WHERE counter = 'day:2026-11-16'";

/// With a digest of two stories that `local` has made.
fn with_a_digest(engine: Engine) -> Radar {
    let radar = Radar::at(NOW).on(engine);
    let posts: Vec<Post> =
        (1..=2).map(|n| Post::about_nothing_else(&format!("post {n}"), "2026-11-16T05:00:00Z")).collect();
    std::fs::write(radar.folder().join("feed.json"), feed("The Feed", &posts)).unwrap();
    std::fs::write(radar.folder().join("text.txt"), text()).unwrap();
    radar.add(&["feed.json"]);
    radar.ok(&["run"]);
    radar
}

fn text() -> String {
    format!("The harbour was closed on Monday. Nobody knows of the {MARKER} in the middle. It opens again in May.")
}

fn dive(radar: &Radar, more: &[&str]) -> Ran {
    radar.run(&[&["deep-dive", "1", "--file", "text.txt"], more].concat())
}

fn reviews(radar: &Radar) -> Vec<String> {
    rows::query(radar, "SELECT decision || ' ' || coalesce(summary_json, '-') FROM content_item_deep_reviews")
}

fn the_same_text_is_paid_for_once_and_kept_nowhere(engine: Engine) {
    let api = OpenAi::start();
    let radar = api.serve(with_a_digest(engine));
    let ran = dive(&radar, &[])
        .exits(0)
        .says("One line by the mock")
        .says("Why it matters")
        .says(&format!("by openai/{MODEL}"));
    assert!(ran.stderr.contains("credits with gpt-mock"), "{ran:#?}");
    let [call] = &api.calls()[..] else { panic!("{:#?}", api.calls()) };
    assert!(call.prompt().contains(MARKER), "it was sent");
    let prompt = call.prompt();
    assert!(prompt.contains("text pasted by the user") && !prompt.contains("The Feed"), "{prompt}");
    assert_eq!(call.schema_name(), "manual_summary_v1");
    let bill = i64::try_from(api.bill().total.microcredits).unwrap();
    assert_eq!(rows::number(&radar, SPENT), bill);
    let row = "SELECT state || ' ' || CAST(run_id IS NULL AS TEXT) || ' ' || CAST(topic_id IS NULL AS TEXT)
        FROM provider_calls WHERE purpose = 'manual_summary'";
    assert!(["ok 1 0", "ok true false"].contains(&rows::query(&radar, row).concat().as_str()));

    dive(&radar, &[]).exits(0).says("One line by the mock").says("costs nothing");
    let again = radar.json(&["deep-dive", "1", "--file", "text.txt", "--json"]);
    assert_eq!((&again["microcredits"], &again["stored_before"]), (&0.into(), &true.into()));
    assert_eq!((&again["summary"]["provider"], &again["text_source"]), (&"openai".into(), &"pasted_by_user".into()));
    assert_eq!((api.calls().len(), rows::number(&radar, SPENT)), (1, bill));

    dive(&radar, &["--promote"]).exits(0);
    let everything = format!("{:?}", rows::all(&radar));
    assert!(everything.contains("One line by the mock") && !everything.contains(MARKER));
    if engine == Engine::Sqlite {
        let folder = std::fs::read_dir(radar.folder()).unwrap().map(|entry| entry.unwrap().path());
        let files: Vec<_> = folder.filter(|path| path.is_file() && !path.ends_with("text.txt")).collect();
        assert!(files.len() >= 2, "{files:?}");
        for file in files {
            let bytes = std::fs::read(&file).unwrap();
            assert!(!bytes.windows(MARKER.len()).any(|part| part == MARKER.as_bytes()), "{}", file.display());
        }
    }
}

#[test]
fn the_same_text_is_paid_for_once_and_kept_nowhere_on_sqlite() {
    the_same_text_is_paid_for_once_and_kept_nowhere(Engine::Sqlite);
}

#[test]
fn the_same_text_is_paid_for_once_and_kept_nowhere_on_postgres() {
    the_same_text_is_paid_for_once_and_kept_nowhere(Engine::Postgres);
}

#[test]
fn a_summary_is_kept_or_dropped() {
    let api = OpenAi::start();
    let radar = api.serve(with_a_digest(Engine::Sqlite));
    for decision in ["--promote", "--drop"] {
        radar.run(&["deep-dive", "1", decision]).exits(USAGE).says("no text has been summarised").says("with --file");
    }
    dive(&radar, &[]).exits(0).says("--promote");
    assert_eq!(reviews(&radar), Vec::<String>::new());
    radar.run(&["deep-dive", "2", "--promote"]).exits(USAGE).says("no text has been summarised");
    radar.run(&["deep-dive", "1", "--promote"]).exits(0).says("promoted");
    let kept = reviews(&radar).concat();
    assert!(kept.starts_with("promoted {") && kept.contains("One line by the mock"), "{kept}");
    let item = radar.digest()["stories"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(radar.json(&["deep-dive", &item, "--drop", "--json"])["decision"], "dropped");
    assert_eq!(reviews(&radar), ["dropped -"]);
    // The same text for the other story is not paid for again, and can be kept there too.
    radar.run(&["deep-dive", "2", "--file", "text.txt", "--promote"]).exits(0);
    assert_eq!((reviews(&radar).len(), api.calls().len()), (2, 1));
}

#[test]
fn an_estimate_asks_nobody() {
    let api = OpenAi::start();
    let radar = api.serve(with_a_digest(Engine::Sqlite));
    let before = rows::all(&radar);
    dive(&radar, &["--estimate"]).exits(0).says("credits with gpt-mock");
    let json = dive(&radar, &["--estimate", "--json"]).exits(0).json();
    assert!(json["estimate"]["microcredits"].as_i64().unwrap() > 0, "{json:#}");
    assert_eq!(json["characters"], text().chars().count());
    assert_eq!((rows::all(&radar), api.calls().len()), (before, 0));
}

#[test]
fn what_is_too_long_empty_or_no_text_is_refused() {
    let api = OpenAi::start();
    let mut radar = api.serve(with_a_digest(Engine::Sqlite));
    let write = |bytes: &[u8]| std::fs::write(radar.folder().join("text.txt"), bytes).unwrap();
    write("x".repeat(60_001).as_bytes());
    dive(&radar, &[]).exits(USAGE).says("60001 characters, more than 60,000");
    write(b" \n");
    dive(&radar, &[]).exits(USAGE).says("there is no text");
    write(&[0xff, 0xfe, 0x00]);
    dive(&radar, &[]).exits(USAGE).says("UTF-8");
    radar.run(&["deep-dive", "1"]).exits(USAGE).says("there is no text");
    radar.run(&["deep-dive", "1", "--file", "nowhere.txt"]).exits(FAILED).says("nowhere.txt");
    radar.run(&["deep-dive", "9"]).exits(USAGE).says("the ranks 1 to 2");
    assert_eq!(api.calls().len(), 0);
    write(format!("{}{MARKER}", "begin ".repeat(40)).as_bytes());
    radar.set("OPENAI_MANUAL_SUMMARY_MAX_INPUT_CHARS", "100");
    dive(&radar, &[]).exits(0).says("only the first 100 of 263 characters");
    let sent = api.calls()[0].prompt();
    assert!(sent.contains("begin begin") && !sent.contains(MARKER), "{sent}");
}

#[test]
fn a_text_comes_from_standard_input_too() {
    let api = OpenAi::start();
    let radar = api.serve(with_a_digest(Engine::Sqlite));
    for arguments in [&["deep-dive", "1"][..], &["deep-dive", "1", "--file", "-"]] {
        let mut command = radar.command(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text().as_bytes()).unwrap();
        Ran::from(child.wait_with_output().unwrap()).exits(0).says("One line by the mock");
    }
    assert!(api.calls()[0].prompt().contains(MARKER));
    assert_eq!(api.calls().len(), 1);
}

#[test]
fn without_budget_it_is_refused_and_nothing_is_sent() {
    let api = OpenAi::start();
    let radar = api.serve(with_a_digest(Engine::Sqlite)).with("AHA_BUDGET_DAILY_CREDITS", "0.000001");
    dive(&radar, &[]).exits(BUDGET_EXHAUSTED).says("0.000001 credits are left of the daily budget");
    assert_eq!(api.calls().len(), 0);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM provider_calls WHERE purpose = 'manual_summary'"), 0);
}

#[test]
fn a_failure_is_no_summary() {
    let api = OpenAi::start();
    let radar = api.serve(with_a_digest(Engine::Sqlite));
    api.fault(When::always(), Fault::Refusal);
    dive(&radar, &[]).exits(FAILED).says("there is no summary");
    radar.run(&["deep-dive", "1", "--promote"]).exits(USAGE).says("no text has been summarised");
    api.recover();
    dive(&radar, &[]).exits(0).says("One line by the mock");
    let states = "SELECT state FROM provider_calls WHERE purpose = 'manual_summary' ORDER BY state DESC LIMIT 1";
    assert_eq!(rows::query(&radar, states), ["ok"]);
}

#[test]
fn without_a_model_local_quotes_from_it_for_nothing() {
    let radar = with_a_digest(Engine::Sqlite);
    let ran = dive(&radar, &[]).exits(0).says("answered by `local`, free").says("cost: nothing").says("by local/");
    assert!(ran.stdout.contains('“'), "{ran:#?}");
    assert!(ran.stdout.starts_with("summary of the text you pasted") && !ran.stdout.contains("The Feed"), "{ran:#?}");
    let quotes: String = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(quotes.contains("— text pasted by the user"), "{ran:#?}");
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM budget_counters"), 0);
    radar.run(&["deep-dive", "1", "--promote"]).exits(USAGE).says("give it one with --file");
    dive(&radar, &["--promote"]).exits(0);
    let [kept] = &reviews(&radar)[..] else { panic!("{:?}", reviews(&radar)) };
    assert!(kept.contains("text pasted by the user") && !kept.contains("The Feed"), "{kept}");
    radar.run(&["deep-dive", "1", "--drop"]).exits(0);
    assert_eq!(reviews(&radar), ["dropped -"]);
}

/// Of a short text `local` quotes all.
fn what_local_quotes_is_stored_nowhere_unless_it_is_kept(engine: Engine) {
    let radar = with_a_digest(engine);
    let everything = || format!("{:?}", rows::all(&radar));
    dive(&radar, &[]).exits(0).says(MARKER).says("stored nowhere");
    assert!(!everything().contains(MARKER));
    dive(&radar, &["--promote"]).exits(0);
    assert!(everything().contains(MARKER), "it was asked for");
    radar.run(&["deep-dive", "1", "--drop"]).exits(0).says("dropped");
    assert!(!everything().contains(MARKER));
}

#[test]
fn what_local_quotes_is_stored_nowhere_unless_it_is_kept_on_sqlite() {
    what_local_quotes_is_stored_nowhere_unless_it_is_kept(Engine::Sqlite);
}

#[test]
fn what_local_quotes_is_stored_nowhere_unless_it_is_kept_on_postgres() {
    what_local_quotes_is_stored_nowhere_unless_it_is_kept(Engine::Postgres);
}

fn what_is_kept_is_shown(engine: Engine) {
    let api = OpenAi::start();
    let radar = api.serve(with_a_digest(engine));
    let shown = |command: &[&str]| radar.ok(command).contains("One line by the mock");
    let commands: [&[&str]; 4] =
        [&["item", "1"], &["digest"], &["digest", "--format", "html"], &["digest", "--format", "rss"]];
    dive(&radar, &[]).exits(0);
    assert!(commands.iter().all(|command| !shown(command)), "nothing is decided yet");
    radar.ok(&["deep-dive", "1", "--promote"]);
    for command in commands {
        assert!(shown(command), "{command:?}");
    }
    assert!(radar.ok(&["digest", "--format", "md"]).contains("summary of a text you pasted, by openai/"));
    assert_eq!(radar.json(&["item", "1", "--json"])["kept_summary"]["provider"], "openai");
    assert!(radar.digest()["stories"][1].get("kept_summary").is_none());
    radar.ok(&["deep-dive", "1", "--drop"]);
    assert!(commands.iter().all(|command| !shown(command)));
}

#[test]
fn what_is_kept_is_shown_on_sqlite() {
    what_is_kept_is_shown(Engine::Sqlite);
}

#[test]
fn what_is_kept_is_shown_on_postgres() {
    what_is_kept_is_shown(Engine::Postgres);
}

#[test]
fn a_paid_answer_is_stored_although_its_client_disconnects() {
    let api = OpenAi::start();
    let mut radar = api.serve(with_a_digest(Engine::Sqlite));
    let story = radar.digest()["stories"][0]["id"].as_str().unwrap().to_owned();
    let site = Site::start(&mut radar);
    api.fault(When::always(), Fault::Late(Duration::from_secs(1)));
    let path = format!("/api/v1/stories/{story}/deep-dive");
    let headers = [("content-type", "application/json"), ("idempotency-key", "once")];
    let body = serde_json::json!({ "text": text() }).to_string();
    let connection = site.begin("POST", &path, &headers, &body);
    let started = Instant::now();
    let wait = || {
        std::thread::sleep(Duration::from_millis(50));
        started.elapsed() < Duration::from_mins(1)
    };
    while api.calls().is_empty() {
        assert!(wait(), "nothing is asked: {:?}", Reply::receive(connection));
    }
    drop(connection);
    let answered = loop {
        let reply = site.send("POST", &path, &headers, &body);
        if reply.status != 409 {
            break reply;
        }
        assert!(wait(), "{reply:?}");
    };
    assert_eq!((answered.status, answered.headers.contains_key("idempotency-replayed")), (200, true), "{answered:?}");
    let bill = i64::try_from(api.bill().total.microcredits).unwrap();
    assert_eq!((api.calls().len(), answered.json()["microcredits"].as_i64()), (1, Some(bill)));
    assert_eq!(rows::query(&radar, "SELECT state FROM provider_calls WHERE purpose = 'manual_summary'"), ["ok"]);
}

#[test]
fn requests_at_the_same_time_pay_once_for_the_same_text() {
    let api = OpenAi::start();
    let mut radar = api.serve(with_a_digest(Engine::Sqlite));
    let story = radar.digest()["stories"][0]["id"].as_str().unwrap().to_owned();
    let site = Site::start(&mut radar);
    api.fault(When::always(), Fault::Late(Duration::from_secs(1)));
    let path = format!("/api/v1/stories/{story}/deep-dive");
    let body = serde_json::json!({ "text": text() }).to_string();
    let connections = [(); 3].map(|()| site.begin("POST", &path, &[("content-type", "application/json")], &body));
    let replies = connections.map(|connection| Reply::receive(connection).json());
    let bill = i64::try_from(api.bill().total.microcredits).unwrap();
    let paid: Vec<i64> = replies.iter().map(|reply| reply["microcredits"].as_i64().unwrap()).collect();
    assert_eq!((api.calls().len(), paid.iter().sum::<i64>()), (1, bill), "{paid:?}");
    assert_eq!(replies.iter().filter(|reply| reply["stored_before"] == true).count(), 2);
}

/// Of several texts, and of a text that was summarised for another story first.
#[test]
fn the_summary_that_was_shown_is_kept() {
    let api = OpenAi::start();
    let mut radar = api.serve(with_a_digest(Engine::Sqlite));
    let digest = radar.digest();
    let [first, second] = [0, 1].map(|place| digest["stories"][place]["id"].as_str().unwrap().to_owned());
    let site = Site::start(&mut radar);
    let headers = [("content-type", "application/json")];
    let send = |method: &str, story: &str, body: serde_json::Value| {
        site.send(method, &format!("/api/v1/stories/{story}/deep-dive"), &headers, &body.to_string())
    };
    let summarise = |story: &str, text: &str| {
        let reply = send("POST", story, serde_json::json!({ "text": text })).json();
        (reply["call_id"].clone(), reply["item_id"].clone())
    };
    let ((one, item), (other, _)) = (summarise(&first, "One text."), summarise(&first, "Another text."));
    assert_ne!(one, other);
    assert_eq!(summarise(&first, "One text.").0, one, "it is shown again");
    assert_eq!(send("PUT", &first, serde_json::json!({ "keep": true, "call_id": one })).status, 200);
    let kept = "SELECT content_item_id || ' ' || provider_call_id FROM content_item_deep_reviews";
    let line = |item: &serde_json::Value, call: &serde_json::Value| {
        format!("{} {}", item.as_str().unwrap(), call.as_str().unwrap())
    };
    assert_eq!(rows::query(&radar, kept), [line(&item, &one)]);
    let (shared, item_of_second) = summarise(&second, "Another text.");
    assert_eq!(shared, other, "the same text is not paid for again");
    let without_call = send("PUT", &second, serde_json::json!({ "keep": true }));
    assert_eq!(without_call.status, 404);
    assert_eq!(send("PUT", &second, serde_json::json!({ "keep": true, "call_id": shared })).status, 200);
    assert!(rows::query(&radar, kept).contains(&line(&item_of_second, &other)));
    assert_eq!(send("PUT", &second, serde_json::json!({ "keep": true, "call_id": "none" })).status, 404);

    // The page names the call as well.
    let page = site.get(&format!("/stories/{first}/deep-dive"));
    let shown = site.post_form(&format!("/stories/{first}/deep-dive"), &page, "do=summarise&text=Another+text.").body;
    assert!(shown.contains(&format!("name=\"call\" value={other}")), "{shown}");
}
