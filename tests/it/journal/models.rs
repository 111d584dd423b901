//! The three phases through a model, from the notes to the written page, by both wire forms; and what is said of a
//! model that fails.

use std::fs;

use serde_json::{Value, json};

use super::Notes;
use crate::support::exchanges::{Player, cases, differences};
use crate::support::radar::Radar;
use crate::support::rows;
use crate::support::site::Site;

const TASKS: [&str; 3] = ["journal_classify", "journal_reword", "journal_integrate"];

const DAY: &str = "area:: [[Work]]\n\n- Standup\n\t- Mara is away until Thursday\n\t- Learned today that a tokio task that is dropped at an await point never runs the rest, because nothing polls it\n- TODO buy bread & <b>milk</b>\n- tokio steals work between its threads\n- Tugs pull 65 tonnes\n";

pub(super) fn notes(player: &Player, form: &str) -> Notes {
    let notes = Notes::new();
    notes.write("journals/2026_03_02.md", DAY);
    let Notes { radar, folder } = notes;
    Notes { radar: player.serve(radar, form, &TASKS), folder }
}

#[test]
fn the_phases_are_exact_by_both_wire_forms() {
    let mut wrong = Vec::new();
    for (form, case) in cases("journal") {
        let player = Player::start();
        let notes = notes(&player, &form);
        player.play(&case["exchanges"]);
        let made = notes.radar.run(&["journal", "extract", "2026-03-02", "--json"]).exits(0).json();
        wrong.extend(differences(&case["plan"], &made["plan"], &form));
        player.is_through(&form);
        check_requests(&player, &form, &mut wrong);

        // What was answered is stored: the plan is made again without a request, and carried out.
        player.play(&json!([]));
        notes.radar.run(&["journal", "extract", "2026-03-02", "--plan", &notes.plan()]).exits(0);
        notes.radar.run(&["journal", "extract", "--apply", "--plan", &notes.plan()]).exits(0).says("1 written");
        player.is_through(&form);
        let page = notes.text("pages/Rust___Async.md");
        let text =
            "A tokio task that is dropped at an await point never runs the rest, because nothing polls it any more.";
        assert!(page.starts_with(&format!("- Cancellation\r\n\t- {text}\r\n\t  id:: ")), "{form}: {page}");
        assert!(page.ends_with("- Executors\r\n\t- tokio steals work between threads"), "{form}: {page}");
        let day = notes.text("journals/2026_03_02.md");
        assert_eq!(day.matches("extracted-to:: [Rust/Async](((").count(), 1, "{form}: {day}");
        notes.radar.run(&["journal", "undo"]).exits(0);
        assert_eq!(notes.text("journals/2026_03_02.md"), DAY, "{form}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// By the contract of the journal's answers, a connection that is closed ends them.
#[test]
fn answers_whose_servers_only_close_the_connection_are_complete() {
    for (form, mut case) in cases("journal") {
        let player = Player::start();
        let notes = notes(&player, &form);
        for exchange in case["exchanges"].as_array_mut().unwrap() {
            let is_end = |part: &&str| ["\"stop\"", "\"usage\"", "[DONE]"].iter().any(|end| part.contains(end));
            let parts = exchange["body"].as_str().unwrap().split_inclusive('\n').filter(|part| !is_end(part));
            let body: String = parts.collect();
            exchange["body"] = body.into();
        }
        player.play(&case["exchanges"]);
        let made = notes.radar.run(&["journal", "extract", "2026-03-02", "--json"]).exits(0).json();
        let wrong = differences(&case["plan"], &made["plan"], &form);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        player.is_through(&form);
        notes.radar.run(&["journal", "extract", "2026-03-02"]).exits(0);
        player.is_through(&form);
        let states = rows::query(&notes.radar, "SELECT DISTINCT state FROM provider_calls");
        assert_eq!(states, ["ok"], "{form}: the server is free");

        // Closed within a line, it is asked again once.
        let complete = case["exchanges"][0].clone();
        let mut cut = complete.clone();
        let body = cut["body"].as_str().unwrap();
        cut["body"] = json!(&body[..body.len() - 10]);
        player.play(&json!([cut, complete]));
        let ran = notes.radar.run(&["journal", "extract", "2026-03-02", "--rejudge"]);
        let classified = player.asked().iter().filter(|one| one.task == "journal_classify").count();
        assert_eq!(classified, 2, "{form}: {}", ran.stdout);
    }
}

#[test]
fn the_web_s_forms_go_the_same_way() {
    let (form, case) = cases("journal").remove(0);
    let player = Player::start();
    let mut notes = notes(&player, &form);
    let page = notes.text("pages/Rust___Async.md");
    player.play(&case["exchanges"]);
    let site = Site::start(&mut notes.radar);
    let start = site.get("/journal");
    let statements = site.post_form("/journal", &start, "day=2026-03-02").headers["location"].clone();
    let mut shown = site.get(&statements);
    for _ in 0..200 {
        if !shown.body.contains("Reading your notes") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
        shown = site.get(&statements);
    }
    player.is_through(&form);
    let text = "A tokio task that is dropped at an await point never runs the rest, because nothing polls it any more.";
    assert!(shown.body.contains(text) && shown.body.contains("name=\"keep_0\""), "{}", shown.body);
    let places = site.post_form(&statements, &start, "keep_0=1").headers["location"].clone();
    assert!(site.get(&places).body.contains("Rust/Async"), "{}", site.get(&places).body);
    let diff = site.post_form(&places, &start, "place_0_0=1").headers["location"].clone();
    assert!(site.get(&diff).body.contains("pages/Rust___Async.md"), "{}", site.get(&diff).body);
    assert_eq!((notes.text("pages/Rust___Async.md"), notes.text("journals/2026_03_02.md").as_str()), (page, DAY));
    let written = site.post_form(&diff, &start, "");
    assert!(written.body.contains("Written to Rust/Async."), "{}", written.body);
    assert!(notes.text("pages/Rust___Async.md").contains(text));
    let spent = notes.radar.run(&["spend", "--json"]).exits(0).json();
    assert_eq!(spent["total"]["calls"], 4, "each request is in the ledger: {spent}");

    // What a model refuses is said on the page, with the next step.
    let refused = json!([{ "task": "journal_classify", "status": 401,
                           "body": { "error": { "message": "Incorrect API key provided", "type": "invalid_request_error" } } }]);
    player.play(&refused);
    let failed = site.post_form("/journal", &start, "day=2026-03-03").headers["location"].clone();
    let says = |part: &str| {
        (0..200).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            site.get(&failed).body.contains(part)
        })
    };
    assert!(says("Suggested Action: Check OPENAI_API_KEY"), "{}", site.get(&failed).body);
}

#[test]
fn a_server_that_stops_ends_the_request_under_way_and_sends_no_further_one() {
    let (form, case) = cases("journal").remove(0);
    let player = Player::start();
    let mut notes = notes(&player, &form);
    let mut exchanges = case["exchanges"].clone();
    exchanges[0]["after_ms"] = json!(1_500);
    player.play(&exchanges);
    let site = Site::start(&mut notes.radar);
    let start = site.get("/journal");
    assert_eq!(site.post_form("/journal", &start, "day=2026-03-02").status, 303);
    for _ in 0..200 {
        if !player.asked().is_empty() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
    }
    drop(site);
    assert_eq!(player.asked().len(), 1);
    assert_eq!(rows::query(&notes.radar, "SELECT state FROM provider_calls"), ["ok"]);
}

/// Temperatures, streams, the size of the context, XML with short ids, and text that cannot end its fence.
fn check_requests(player: &Player, form: &str, wrong: &mut Vec<String>) {
    let asked = player.asked();
    let temperatures: Vec<&Value> = asked
        .iter()
        .map(|one| if form == "ollama_chat" { &one.body["options"]["temperature"] } else { &one.body["temperature"] })
        .collect();
    let expected = [json!(0.3), json!(0.5), json!(0.4), json!(0.4)];
    if temperatures != expected.iter().collect::<Vec<_>>() {
        wrong.push(format!("{form}: temperatures {temperatures:?}"));
    }
    for one in &asked {
        if one.body["stream"] != true {
            wrong.push(format!("{form}: {} is no stream", one.task));
        }
        if form == "ollama_chat" && one.body["options"]["num_ctx"] != 32_768 {
            wrong.push(format!("{form}: {}", one.body["options"]));
        }
    }
    let text = asked[0].text();
    for part in [
        "<journal date=",
        "area:: [[Work]]",
        "- Standup\n  id:: b1",
        "\t- Mara is away until Thursday\n\t  id:: b2",
        "&lt;b&gt;milk&lt;/b&gt;",
    ] {
        if !text.contains(part) {
            wrong.push(format!("{form}: the classification lacks {part:?}:\n{text}"));
        }
    }
    let text = asked[2].text();
    for part in [
        "<original_journal_context>",
        "<refined_content>A tokio task",
        "<page name=\"Rust/Async\">",
        "- Cancellation\n  id:: t1",
    ] {
        if !text.contains(part) {
            wrong.push(format!("{form}: the integration lacks {part:?}:\n{text}"));
        }
    }
}

#[test]
fn a_model_that_refuses_is_said_with_reason_and_next_step() {
    let player = Player::start();
    let notes = notes(&player, "chat_completions");
    let refused = json!([{ "task": "journal_classify", "status": 401,
                           "body": { "error": { "message": "Incorrect API key provided", "type": "invalid_request_error" } } }]);
    player.play(&refused);
    let ran = notes.radar.run(&["journal", "extract", "2026-03-02"]).exits(3);
    for part in [
        "Error: LLM request failed (classification of Mar 2nd, 2026)",
        "Reason: Invalid API key (401 Unauthorized: Incorrect API key provided), by openai_compatible/m",
        "Suggested Action: Check OPENAI_API_KEY",
        "Options: [Retry]",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    assert!(ran.stdout.contains("nothing was found by models, as requests failed"), "{}", ran.stdout);
    // A server that is overloaded is the person's to try again: one request, no more.
    player.play(&json!([{ "task": "journal_classify", "status": 503, "body": { "error": { "message": "busy" } } }]));
    notes.radar.run(&["journal", "extract", "2026-03-02"]).exits(3).says("Reason: LLM service down (503");
    player.is_through("503");
}

#[test]
fn requests_are_logged_by_the_names_of_the_contract() {
    let (form, case) = cases("journal").remove(0);
    let player = Player::start();
    let mut notes = notes(&player, &form);
    notes.radar.set("AHA_LOG", "aha_radar=debug");
    notes.radar.set("AHA_LOG_FORMAT", "json");
    player.play(&case["exchanges"]);
    let ran = notes.radar.run(&["journal", "extract", "2026-03-02", "--json"]).exits(0);
    let lines: Vec<Value> = ran.stderr.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let fields = |line: &Value| if line["event"].is_string() { line.clone() } else { line["fields"].clone() };
    let of = |event: &str| lines.iter().map(fields).filter(|line| line["event"] == event).collect::<Vec<_>>();
    let started = of("llm_request_started");
    let phases: Vec<(&str, u64)> =
        started.iter().map(|one| (one["phase"].as_str().unwrap(), one["num_blocks"].as_u64().unwrap())).collect();
    assert_eq!(phases, [("classification", 6), ("rewording", 3), ("integration", 1), ("integration", 1)]);
    assert!(started[0]["messages"].as_str().unwrap().contains("Standup") && started[0]["model"] == "m");
    assert!(started[0]["endpoint"].as_str().unwrap().ends_with("/v1/chat/completions"));
    let of_first = |event: &str| {
        of(event).into_iter().filter(|one| one["request_id"] == started[0]["request_id"]).collect::<Vec<_>>()
    };
    let chunks = of_first("llm_response_chunk");
    assert_eq!(chunks.iter().map(|one| one["chunk_num"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 2, 3, 4]);
    let data: Value = serde_json::from_str(chunks[0]["data"].as_str().unwrap()).unwrap();
    assert_eq!(data["block_id"], "b3");
    let completed = of_first("llm_request_completed");
    assert!(completed[0]["total_chunks"] == 4 && completed[0]["duration_ms"].is_u64(), "{completed:?}");
    assert!(of("malformed_json_line").iter().any(|one| one["line"].as_str().unwrap().contains("oops")));
    let dropped = of("dropped_line");
    let reasons: Vec<(&str, &str)> =
        dropped.iter().map(|one| (one["phase"].as_str().unwrap(), one["reason"].as_str().unwrap())).collect();
    let (no_block, no_page) =
        ("the block is not one of those to choose from", "the page is not one of those to choose from");
    let expected =
        [("classification", no_block), ("rewording", no_block), ("integration", no_page), ("integration", no_block)];
    assert_eq!(reasons, expected, "{dropped:?}");
    assert!(dropped[0]["line"].as_str().unwrap().contains("b99"), "{dropped:?}");
}

#[test]
fn init_asks_the_server_for_its_models_and_masks_the_key() {
    let player = Player::start();
    let notes = notes(&player, "ollama_chat");
    let probed = |radar: &Radar| radar.run(&["journal", "init", "--json"]).exits(0).json()["models"][0].clone();
    let found = probed(&notes.radar);
    assert_eq!(
        (&found["model"], &found["answers"], &found["key"]),
        (&json!("ollama/m"), &json!(false), &json!("…6789"))
    );
    player.lists_models(&json!({ "models": [{ "name": "m:latest" }, { "name": "other" }] }));
    let found = probed(&notes.radar);
    assert_eq!((&found["answers"], &found["knows_model"], &found["models"]), (&json!(true), &json!(true), &json!(2)));
    notes.radar.run(&["journal", "init"]).exits(0).says("answers, and lists 2 models");
    player.lists_models(&json!({ "models": [] }));
    notes.radar.run(&["journal", "init"]).exits(0).says("it does not list \"m\"");
    let ran = notes.radar.run(&["journal", "init"]);
    assert!(!ran.stdout.contains("exchanges-0123456789"), "{}", ran.stdout);
    fs::metadata(notes.folder.path()).unwrap();
}
