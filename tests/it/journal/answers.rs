//! How a day becomes requests, and how the answers to them are read: long days, escaped text, places that are only
//! proposed.

use std::fs;

use serde_json::{Value, json};

use super::Notes;
use super::models::notes;
use crate::support::exchanges::Player;

const FORM: &str = "chat_completions";

/// An answer of these lines.
fn answer(task: &str, lines: &[Value]) -> Value {
    let text = lines.iter().map(|line| format!("{line}\n")).collect::<Vec<_>>().concat();
    let piece = json!({ "choices": [{ "index": 0, "delta": { "content": text } }] });
    let stop = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }],
                       "usage": { "prompt_tokens": 9, "completion_tokens": 3 } });
    json!({ "task": task, "body": format!("data: {piece}\n\ndata: {stop}\n\ndata: [DONE]\n\n") })
}

fn found(block: &str) -> Value {
    json!({ "block_id": block, "confidence": 0.9, "reason": "It lasts." })
}

fn reworded(block: &str, text: &str) -> Value {
    json!({ "block_id": block, "reworded_content": text })
}

fn place(page: &str, action: &str, target: Option<&str>, confidence: f64) -> Value {
    json!({ "knowledge_block_id": "b1", "target_page": page, "action": action, "target_block_id": target,
            "target_block_title": null, "confidence": confidence, "reasoning": "It fits." })
}

/// Of a day with this text, the models find the first block, and propose these places for it.
fn proposed(player: &Player, day: &str, text: &str, places: &[Value]) -> Notes {
    let notes = notes(player, FORM);
    notes.write("journals/2026_03_02.md", day);
    player.play(&json!([
        answer("journal_classify", &[found("b1")]),
        answer("journal_reword", &[reworded("b1", text)]),
        answer("journal_integrate", places),
    ]));
    notes
}

#[test]
fn text_that_a_model_repeats_as_it_was_escaped_is_written_as_it_is_in_the_journal() {
    let player = Player::start();
    let day = "- Learned at [[R&D]]: a Vec<T> owns its elements & drops them, because \"own\" means that\n";
    let text = "A Vec&lt;T&gt; owns its elements &amp; drops them, because &quot;own&quot; means that.";
    let notes = proposed(&player, day, text, &[place("R&amp;D", "add_section", None, 0.9)]);
    notes.write("pages/R&D.md", "- Budget\n");
    notes.radar.run(&["journal", "extract", "2026-03-02", "--apply"]).exits(0).says("1 written");
    player.is_through(FORM);
    assert!(player.asked()[2].text().contains("<page name=\"R&amp;D\">"));
    let page = notes.text("pages/R&D.md");
    let written = "- A Vec<T> owns its elements & drops them, because \"own\" means that.\n";
    assert!(page.contains(written), "{page}");
}

#[test]
fn of_a_long_day_only_the_part_that_failed_is_asked_again() {
    let player = Player::start();
    let notes = notes(&player, FORM);
    let day = (0..45).map(|n| format!("- Bollard {n} holds a ship of 65 tonnes\n")).collect::<Vec<_>>().concat();
    notes.write("journals/2026_03_02.md", &day);
    player.play(&json!([
        answer("journal_classify", &[found("b1")]),
        answer("journal_classify", &[found("b20")]),
        { "task": "journal_classify", "status": 503, "body": { "error": { "message": "busy" } } },
        answer("journal_reword", &[reworded("b1", "Bollards hold ships.")]),
        answer("journal_reword", &[reworded("b1", "Bollards hold ships of 65 tonnes.")]),
    ]));
    let ran = notes.radar.run(&["journal", "extract", "2026-03-02"]).exits(3);
    ran.says("2 blocks with knowledge").says("classification of Mar 2nd, 2026, part 3 of 3");
    player.is_through("in parts");
    let asked = player.asked();
    let blocks: Vec<usize> = asked[..3].iter().map(|one| one.text().matches("- Bollard ").count()).collect();
    assert_eq!(blocks, [20, 20, 5]);
    assert!(asked[1].text().contains("- Bollard 20 holds a ship of 65 tonnes\n  id:: b1\n"), "{}", asked[1].text());

    player.play(&json!([answer("journal_classify", &[])]));
    notes.radar.run(&["journal", "extract", "2026-03-02"]).exits(0).says("2 blocks with knowledge");
    player.is_through("only what failed");
}

#[test]
fn a_block_that_is_too_long_for_an_answer_is_reported_and_the_others_are_read() {
    let player = Player::start();
    let notes = notes(&player, FORM);
    let long = "Bollards hold ships. ".repeat(1_000);
    notes.write("journals/2026_03_02.md", &format!("- {long}\n- Bollards hold ships of 65 tonnes\n"));
    player.play(&json!([
        answer("journal_classify", &[found("b1")]),
        answer("journal_reword", &[reworded("b1", "Bollards hold ships of 65 tonnes.")]),
    ]));
    let ran = notes.radar.run(&["journal", "extract", "2026-03-02"]).exits(3).says("1 block with knowledge");
    ran.says("longer than 16000 characters").says("Divide it into several blocks");
    player.is_through("without the long one");
}

#[test]
fn a_replacement_is_made_only_if_it_is_chosen() {
    let player = Player::start();
    let day = "- Learned today that tokio steals work between its worker threads, because idle ones look for it\n";
    let text = "Idle threads of tokio steal work.";
    let places = [place("Rust/Async", "replace", Some("t3"), 0.9)];
    let notes = proposed(&player, day, text, &places);
    let before = notes.text("pages/Rust___Async.md");
    notes.radar.run(&["journal", "extract", "2026-03-02", "--apply"]).exits(0).says("you have to choose yourself");
    player.is_through(FORM);
    assert_eq!(notes.text("pages/Rust___Async.md"), before);

    player.play(&json!([]));
    notes.radar.run(&["journal", "extract", "2026-03-02", "--plan", &notes.plan()]).exits(0);
    let mut plan: Value = serde_json::from_str(&fs::read_to_string(notes.plan()).unwrap()).unwrap();
    plan["blocks"][0]["apply"] = true.into();
    plan["blocks"][0]["decisions"][0]["apply"] = true.into();
    fs::write(notes.plan(), plan.to_string()).unwrap();
    notes.radar.run(&["journal", "extract", "--apply", "--plan", &notes.plan()]).exits(0).says("1 written");
    assert!(notes.text("pages/Rust___Async.md").contains(&format!("\t- {text}\r\n")));
}

#[test]
fn an_answer_of_which_nothing_can_be_used_is_noted() {
    let player = Player::start();
    let day = "- Learned today that tokio steals work between its worker threads, because idle ones look for it\n";
    let places = [place("Made up", "add_section", None, 0.9), place("Rust/Async", "add_under", Some("t9"), 0.8)];
    let notes = proposed(&player, day, "Idle threads of tokio steal work.", &places);
    let ran = notes.radar.run(&["journal", "extract", "2026-03-02"]).exits(0);
    ran.says("nothing in the model's answer can be used");
    player.is_through(FORM);
}
