//! `aha-radar llm questionnaire`: two files that belong together, and an interruption that nobody can tell afterwards.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::kill::comparison::{rounds, seed};
use crate::support::conversation_server::{ConversationServer, PlannedAnswer, price};
use crate::support::feeds::Random;
use crate::support::radar::{Radar, Ran, finish, signal};
use crate::support::rows;

const NOW: &str = "2026-11-17T05:00:00Z";
const MODELS: &str = "openai/a,openai/b,openai/c";

/// `count` questions in sections of four.
fn questions(count: usize) -> Value {
    let question = |number: usize| {
        let (id, text) = (format!("q{number}"), format!("What do you make of thing {number}?"));
        if number.is_multiple_of(2) {
            json!({"id": id, "text": text, "type": "rating", "min": 1, "max": 5})
        } else {
            json!({"id": id, "text": text, "type": "choice", "options": ["a lot", "little", "nothing"]})
        }
    };
    let sections: Vec<Value> = (0..count.div_ceil(4))
        .map(|section| {
            let own: Vec<Value> = (section * 4..count.min(section * 4 + 4)).map(question).collect();
            json!({"id": format!("s{section}"), "instructions": "Answer for yourself.", "questions": own})
        })
        .collect();
    json!({"title": "Things", "system_prompt": "You are asked about things.", "sections": sections})
}

fn radar(server: &ConversationServer, count: usize) -> Radar {
    let radar = server.serve(Radar::at(NOW));
    std::fs::write(radar.folder().join("things.yaml"), questions(count).to_string()).unwrap();
    radar
}

const COMMAND: [&str; 7] = ["llm", "questionnaire", "things.yaml", "--models", MODELS, "--out", "answers"];

/// The lines of a file, without the ledger's ids.
fn lines(radar: &Radar, name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(radar.folder().join("answers").join(name)).unwrap();
    let parsed = text.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line.as_object_mut().unwrap().remove("calls");
        line
    });
    parsed.collect()
}

fn files(radar: &Radar) -> (Vec<Value>, Vec<Value>, String) {
    let report = std::fs::read_to_string(radar.folder().join("answers/report.md")).unwrap();
    (lines(radar, "responses.jsonl"), lines(radar, "metadata.jsonl"), report)
}

/// Each asks for leave to answer with thousands of tokens and uses 110: were it not corrected, this would take a
/// quarter of an hour.
#[test]
fn a_limit_of_tokens_a_minute_goes_by_those_that_were_used() {
    let server = ConversationServer::start(&[], Duration::ZERO);
    let radar = radar(&server, 16).with("AHA_LLM_CONFIG", "models.yaml");
    let (name, base) = ("OPENAI_BASE_URL", server.settings());
    let (_, base) = base.into_iter().find(|(known, _)| known == name).unwrap();
    let catalogue = format!(
        "models:\n  openai/a: {{ endpoint: '{base}/v1', concurrency: 4, tokens_per_minute: 12000, max_tokens: 4000, \
         prices: {{ input: 1, output: 1 }} }}\n"
    );
    std::fs::write(radar.folder().join("models.yaml"), catalogue).unwrap();
    let begun = std::time::Instant::now();
    radar.run(&["llm", "questionnaire", "things.yaml", "--models", "openai/a", "--out", "answers"]).exits(0);
    assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", begun.elapsed());
    assert_eq!(lines(&radar, "responses.jsonl").len(), 16);
}

#[test]
fn every_answer_has_its_line_in_both_files() {
    let server = ConversationServer::start(&[], Duration::ZERO);
    let radar = radar(&server, 6);
    let told = radar
        .run(&[&COMMAND[..], &["--archive", "kept"]].concat())
        .exits(0)
        .says("6 questions to 3 models, in 6 conversations");
    assert!(told.stdout.contains("6 of 6"), "{told:#?}");
    let archive = std::fs::read_to_string(radar.folder().join("kept/003-openai_b-s0.json")).unwrap();
    let archive: Value = serde_json::from_str(&archive).unwrap();
    assert_eq!((&archive["config_snapshot"]["model"], archive["turns"].as_array().unwrap().len()), (&"b".into(), 4));
    let (responses, metadata, report) = files(&radar);
    assert_eq!((responses.len(), metadata.len()), (18, 18));
    for (response, metadata) in responses.iter().zip(&metadata) {
        for part in ["model", "section", "question"] {
            assert_eq!(response[part], metadata[part]);
        }
        let answer = &response["answer"];
        assert!(answer.as_i64().is_some_and(|n| (1..=5).contains(&n)) || answer.is_string(), "{response}");
        assert_eq!((&metadata["attempts"], &metadata["cost_microcredits"]), (&1.into(), &price().into()));
    }
    assert_eq!((&responses[0]["model"], &responses[17]["question"]), (&"openai/a".into(), &"q5".into()));
    assert!(report.contains("| q0: What do you make of thing 0? |"), "{report}");
    let second = server.requests().into_iter().find(|asked| asked["input"].as_array().unwrap().len() == 3).unwrap();
    assert_eq!(second["input"][1]["role"], "assistant", "a section is one conversation");

    let before = files(&radar);
    radar.run(&COMMAND).exits(0);
    assert_eq!((server.requests().len(), files(&radar)), (18, before), "asked again, it asks nobody");
}

#[test]
fn a_rating_given_as_a_number_is_accepted_at_once() {
    let server = ConversationServer::start(&[PlannedAnswer::Number], Duration::ZERO);
    let radar = radar(&server, 1);
    let one = ["llm", "questionnaire", "things.yaml", "--models", "openai/a", "--out", "answers"];
    radar.run(&one).exits(0);
    let (responses, metadata, _) = files(&radar);
    assert!(responses[0]["answer"].as_i64().is_some_and(|number| (1..=5).contains(&number)), "{responses:?}");
    assert_eq!(metadata[0]["attempts"], 1);
    radar.run(&one).exits(0);
    assert_eq!(server.requests().len(), 1, "it is stored");
    let schema = &server.requests()[0]["text"]["format"]["schema"];
    assert_eq!(schema["properties"]["answer"]["type"], "string", "all providers can enforce it");
}

#[test]
fn what_got_no_accepted_answer_is_reported_with_its_cost_and_asked_again_on_demand_alone() {
    let server =
        ConversationServer::start(&[PlannedAnswer::Prose, PlannedAnswer::Prose, PlannedAnswer::Prose], Duration::ZERO);
    let radar = radar(&server, 2);
    let one = ["llm", "questionnaire", "things.yaml", "--models", "openai/a", "--out", "answers"];
    radar.run(&one).exits(3).says("1 of 2 answered");
    let (responses, metadata, _) = files(&radar);
    assert_eq!(responses[0]["answer"], Value::Null);
    assert!(metadata[0]["error"].as_str().unwrap().contains("no answer that is accepted in 3 tries"), "{metadata:?}");
    assert_eq!((&metadata[0]["attempts"], &metadata[0]["cost_microcredits"]), (&3.into(), &(3 * price()).into()));
    assert_eq!(metadata[0]["verification_errors"].as_array().unwrap().len(), 3);
    assert!(responses[1]["answer"].is_string(), "the rest of the section is asked");
    let of_report = |ran: &Ran| {
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        report["models"][0]["cost_microcredits"].as_i64().unwrap()
    };
    let json = [&one[..], &["--json"]].concat();
    let again = radar.run(&json).exits(3);
    assert_eq!(server.requests().len(), 4, "what was rejected is not paid for again");
    let (_, remembered, _) = files(&radar);
    assert_eq!(remembered[0]["error"], metadata[0]["error"]);
    let spend = || radar.json(&["spend", "--json"])["total"]["microcredits"].as_i64().unwrap();
    assert_eq!((of_report(&again), spend()), (4 * price(), 4 * price()), "report and spend are one sum");
    radar.run(&[&json[..], &["--again"]].concat()).exits(0);
    assert_eq!(server.requests().len(), 6, "the rejected question, and what was said after it");
    assert!(files(&radar).0.iter().all(|line| !line["answer"].is_null()));
    radar.run(&one).exits(0);
    assert_eq!(server.requests().len(), 6);
}

#[test]
fn a_budget_that_is_used_up_is_told_apart_from_answers_that_are_missing() {
    let server = ConversationServer::start(&[], Duration::ZERO);
    let radar = radar(&server, 6).with("AHA_BUDGET_DAILY_CREDITS", "0.001");
    radar.run(&COMMAND).exits(4).says("AHA_BUDGET_DAILY_CREDITS");
    assert_eq!(server.requests().len(), 0);
    assert!(lines(&radar, "responses.jsonl").iter().all(|line| line["answer"].is_null()));
}

#[test]
fn a_file_that_cannot_be_used_is_refused_before_anybody_is_asked() {
    let server = ConversationServer::start(&[], Duration::ZERO);
    let radar = radar(&server, 2);
    std::fs::write(radar.folder().join("things.yaml"), r#"{"sections": [{"id": "s", "questions": [{"id": "q"}]}]}"#)
        .unwrap();
    radar.run(&COMMAND).exits(2).says("text");
    radar
        .run(&["llm", "questionnaire", "none.yaml", "--models", MODELS, "--out", "answers"])
        .exits(1)
        .says("none.yaml");
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn the_example_can_be_put_to_a_model() {
    let server = ConversationServer::start(&[], Duration::ZERO);
    let radar = radar(&server, 1);
    let file = crate::support::radar::repository("examples/questionnaire.yaml");
    let told = radar.json(&["llm", "questionnaire", &file, "--models", "openai/a", "--out", "answers", "--json"]);
    assert_eq!((&told["questions"], &told["models"][0]["answered"]), (&5.into(), &5.into()), "{told:#}");
}

/// The archive states the settings under which an answer was given.
#[test]
fn an_answer_under_other_settings_is_asked_for_again() {
    let server = ConversationServer::start(&[], Duration::ZERO);
    let radar = Radar::at(NOW).with("AHA_LLM_CONFIG", "models.yaml");
    std::fs::write(radar.folder().join("things.yaml"), questions(1).to_string()).unwrap();
    let command = ["llm", "questionnaire", "things.yaml", "--models", "openai/a", "--out", "answers"];
    for (temperature, asked) in [("0.2", 1), ("1.7", 2), ("0.2", 2)] {
        let models =
            format!("endpoint: '{}/v1'\nmodels:\n  openai/a: {{ temperature: {temperature} }}\n", server.base());
        std::fs::write(radar.folder().join("models.yaml"), models).unwrap();
        radar.run(&command).exits(0);
        assert_eq!(server.requests().len(), asked, "{temperature}");
    }
}

/// Killed after some requests, and in the middle of an answer, again and again, the files are as if it never had been,
/// and no answer is paid for twice. `AHA_QUESTIONNAIRE_KILLS` says how often, `AHA_QUESTIONNAIRE_QUESTIONS` how long it
/// is.
#[test]
fn a_killed_questionnaire_goes_on_where_it_was() {
    let (kills, count) = (rounds("AHA_QUESTIONNAIRE_KILLS", 4), rounds("AHA_QUESTIONNAIRE_QUESTIONS", 12) as usize);
    let undisturbed = {
        let server = ConversationServer::start(&[], Duration::ZERO);
        let radar = radar(&server, count);
        radar.run(&COMMAND).exits(0);
        files(&radar)
    };
    let server = ConversationServer::start(&[], Duration::from_millis(20));
    let radar = radar(&server, count);
    let mut random = Random(seed());
    // Were they spread over all the answers, the later ones would find nothing left to ask for.
    let share = (count as u64 * 3).div_ceil(u64::from(kills).max(1) * 2);
    let mut struck = 0;
    for _ in 0..kills {
        let wanted = server.requests().len() + usize::try_from(random.below(share.max(1))).unwrap();
        let mut asking = radar.start(&COMMAND);
        while server.requests().len() < wanted && asking.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(random.below(25)));
        signal_if_alive(&asking);
        let ran = finish(asking);
        struck += u32::from(ran.signal.is_some());
        assert!(ran.signal.is_some() || ran.code == Some(0), "{ran:#?}");
        assert_aligned(&radar);
    }
    let last: Ran = radar.run(&COMMAND).exits(0);
    assert!(struck > 0, "no kill came in time: {last:#?}");
    assert_eq!(files(&radar), undisturbed, "AHA_TEST_SEED={}", seed());
    let answered = i64::try_from(count * 3).unwrap();
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM provider_calls WHERE state = 'ok'"), answered);
    let (requests, calls) =
        (i64::try_from(server.requests().len()).unwrap(), rows::number(&radar, "SELECT count(*) FROM provider_calls"));
    assert!(requests <= calls, "every request has its row: {requests} of {calls}");
    assert!(requests - answered <= i64::from(struck * 4), "only what was under way is asked again: {requests}");
}

fn signal_if_alive(child: &std::process::Child) {
    if Path::new(&format!("/proc/{}", child.id())).exists() {
        signal(child, "KILL");
    }
}

/// Whatever the moment, each file is whole.
fn assert_aligned(radar: &Radar) {
    let folder = radar.folder().join("answers");
    for name in ["responses.jsonl", "metadata.jsonl"] {
        let Ok(text) = std::fs::read_to_string(folder.join(name)) else { continue };
        assert!(text.ends_with('\n'));
        assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{name}");
    }
}
