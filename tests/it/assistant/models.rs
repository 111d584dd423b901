//! The whole way of a message through a model, over exchanges written in the forms that go over the wire: each case in
//! one piece and as events, with what the model was sent.

use serde_json::{Value, json};

use super::{Served, create, radar};
use crate::support::exchanges::{Asked, Player, cases, differences};
use crate::support::radar::Engine;

const TASKS: [&str; 5] =
    ["assistant_route", "assistant_propose", "assistant_repair", "assistant_summary", "assistant_chat"];

/// 1 and 2 are reviews of which the first is of high priority, 3 repeats, 4 has no day, 5 is a goal.
fn records() -> Value {
    let on = |title: &str, day: &str, priority: &str| {
        let mut todo = create(title);
        todo["scheduledFor"] = json!(day);
        todo["priority"] = json!(priority);
        todo
    };
    let plants = json!({ "kind": "todo", "action": "create", "title": "Water the plants", "scheduledFor": "2026-11-17",
                         "recurrence": { "type": "every_n_days", "intervalDays": 3 } });
    json!({ "operations": [on("Review budget", "2026-11-20", "high"), on("Review contract", "2026-11-24", "medium"), plants,
                           create("Call Ann"), { "kind": "goal", "action": "create", "title": "Learn Spanish" }] })
}

struct Case {
    name: String,
    script: Value,
    player: Player,
    server: Served,
    wrong: Vec<String>,
}

impl Case {
    fn start(name: String, case: Value) -> Self {
        let player = Player::start();
        let mut radar = player.serve(radar(Engine::Sqlite), case["form"].as_str().unwrap(), &TASKS);
        let server = Served::start(&mut radar, &[]);
        assert_eq!(server.post("/api/llm/apply", &records()).0, 200);
        // The folder has to last as long as the server.
        std::mem::forget(radar);
        Self { name, script: case, player, server, wrong: Vec::new() }
    }

    fn in_one_piece(&mut self) {
        self.player.play(&self.script["exchanges"]);
        let (status, answer) = self.server.post("/api/assistant/message", &self.script["request"]);
        assert_eq!(status, 200, "{}: {answer}", self.name);
        self.wrong.extend(differences(&self.script["answer"], &answer, &self.name));
        self.player.is_through(&self.name);
        self.check_what_was_asked();
    }

    fn check_what_was_asked(&mut self) {
        let asked = self.player.asked();
        for (task, expected) in self.script["asked"].as_object().into_iter().flatten() {
            let text: String = asked.iter().filter(|one| one.task == *task).map(Asked::text).collect();
            let parts = |name: &str| expected[name].as_array().cloned().unwrap_or_default();
            for part in parts("has").iter().filter_map(Value::as_str).filter(|part| !text.contains(part)) {
                self.wrong.push(format!("{}: {task} was not told {part}:\n{text}", self.name));
            }
            for part in parts("lacks").iter().filter_map(Value::as_str).filter(|part| text.contains(part)) {
                self.wrong.push(format!("{}: {task} was told {part}:\n{text}", self.name));
            }
        }
    }

    fn as_events(&mut self) {
        self.player.play(&self.script["exchanges"]);
        let request = &self.script["request"];
        let part = |name: &str, value: &Value| match value {
            Value::Null => String::new(),
            Value::String(text) => format!("&{name}={}", encoded(text)),
            value => format!("&{name}={}", encoded(&value.to_string())),
        };
        let query: String =
            ["message", "transcript", "options", "mode"].map(|name| part(name, &request[name])).concat();
        let reply = self.server.send(&format!("GET /api/assistant/message/stream?{}", &query[1..]), "", "");
        let events = events(&reply.body);
        let names: Vec<String> = events.iter().map(|(name, data)| labelled(name, data)).collect();
        let expected: Vec<&str> = self.script["events"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        if names != expected {
            self.wrong.push(format!("{}: events {names:?} instead of {expected:?}", self.name));
        }
        let answer = &self.script["answer"];
        for (name, data) in &events {
            let place = format!("{}, event {name}", self.name);
            self.wrong.extend(match name.as_str() {
                "result" => differences(answer, data, &place),
                "summary" if answer["text"].is_string() => differences(&answer["text"], &data["text"], &place),
                "clarify" => {
                    let expected = json!({ "question": answer["question"], "options": answer["options"] });
                    differences(&expected, data, &place)
                }
                _ => Vec::new(),
            });
        }
        if let Some((_, last)) = events.iter().rfind(|(name, _)| name == "ops") {
            let operations = answer["operations"].as_array().map_or(0, Vec::len);
            let counts = json!({ "operations": answer["operations"], "validCount": operations, "invalidCount": 0, "version": 1 });
            self.wrong.extend(differences(&counts, last, &format!("{}, event ops", self.name)));
        }
        self.player.is_through(&self.name);
    }
}

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// The events of a stream with their data.
fn events(body: &str) -> Vec<(String, Value)> {
    let names = body.lines().filter_map(|line| line.strip_prefix("event: "));
    let data = body.lines().filter_map(|line| line.strip_prefix("data: "));
    names.zip(data).map(|(name, data)| (name.to_owned(), serde_json::from_str(data).unwrap())).collect()
}

/// A stage by its name, else the event's.
fn labelled(name: &str, data: &Value) -> String {
    data["stage"].as_str().map_or_else(|| name.to_owned(), |stage| format!("{name}:{stage}"))
}

#[test]
fn a_message_goes_through_a_model_as_the_contract_says() {
    let mut wrong = Vec::new();
    for (name, case) in cases("assistant") {
        let mut case = Case::start(name, case);
        case.in_one_piece();
        case.as_events();
        wrong.append(&mut case.wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn one_prompt_is_sent_with_the_format_json() {
    let (name, case) = cases("assistant").into_iter().find(|(name, _)| name == "by_ollama_generate").unwrap();
    let mut case = Case::start(name, case);
    case.in_one_piece();
    let asked = case.player.asked();
    let summary: Vec<(&str, &Value, bool)> =
        asked.iter().map(|one| (one.path.as_str(), &one.body["format"], one.body["prompt"].is_string())).collect();
    let json = Value::from("json");
    let expected = [&json, &json, &json, &Value::Null].map(|format| ("/api/generate", format, true));
    assert_eq!(summary, expected);
    let system = asked[1].body["system"].as_str().unwrap();
    assert!(system.contains("It fits this JSON Schema:") && system.contains("\"operations\""), "{system}");
}

/// What was read by rules because the model failed is said; what it cost stands in the ledger.
#[test]
fn a_failed_model_is_named_in_the_answer() {
    let (name, case) = cases("assistant").into_iter().find(|(name, _)| name == "a_failing_model_is_said").unwrap();
    let case = Case::start(name, case);
    case.player.play(&case.script["exchanges"]);
    let (_, answer) = case.server.post("/api/assistant/message", &case.script["request"]);
    let warnings = answer["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 2, "{answer}");
    assert!(warnings[0].as_str().unwrap().starts_with("assistant_propose was done by rules"), "{answer}");
}

/// The answer of a task in a case, which is in the form `chat_completions`.
fn exchange(case: &str, task: &str) -> Value {
    let (_, script) = cases("assistant").into_iter().find(|(name, _)| name == case).unwrap();
    let exchanges = script["exchanges"].as_array().unwrap();
    exchanges.iter().find(|exchange| exchange["task"] == task).unwrap().clone()
}

/// The answer to a message, with these exchanges.
fn answered(case: &str, exchanges: &[Value], mode: &str) -> Value {
    let (name, script) = cases("assistant").into_iter().find(|(name, _)| name == case).unwrap();
    let case = Case::start(name, script);
    case.player.play(&json!(exchanges));
    let mut request = case.script["request"].clone();
    request["options"] = json!({ "mode": mode });
    let (status, answer) = case.server.post("/api/assistant/message", &request);
    assert_eq!(status, 200, "{answer}");
    answer
}

/// A model that only routed the message or described the operations did not propose them.
#[test]
fn the_provider_is_who_proposed_the_operations() {
    let route = exchange("auto_plan", "assistant_route");
    let summary = exchange("auto_plan", "assistant_summary");
    let propose = exchange("auto_plan", "assistant_propose");
    let failure = exchange("a_failing_model_is_said", "assistant_propose");
    let by_rules = answered("auto_plan", &[route.clone(), failure, summary.clone()], "auto");
    assert_eq!((&by_rules["provider"], &by_rules["decision"]), (&json!("local"), &json!("plan")), "{by_rules}");
    assert_eq!(by_rules["operations"].as_array().unwrap().len(), 1, "{by_rules}");
    assert!(by_rules["warnings"][0].as_str().unwrap().starts_with("assistant_propose was done by rules"));
    let by_model = answered("auto_plan", &[route, propose, summary], "auto");
    assert_eq!(by_model["provider"], "openai_compatible", "{by_model}");
    let question = exchange("auto_clarify_has_the_models_question", "assistant_route");
    let asked = answered("auto_plan", &[question], "auto");
    assert_eq!((&asked["provider"], &asked["decision"]), (&json!("openai_compatible"), &json!("clarify")), "{asked}");
    let mut nothing = exchange("auto_plan", "assistant_propose");
    nothing["body"]["choices"][0]["message"]["content"] = json!(r#"{"operations":[]}"#);
    let own = answered("auto_plan", &[nothing], "plan");
    assert_eq!((&own["provider"], &own["decision"]), (&json!("local"), &json!("clarify")), "{own}");
}

#[test]
fn what_a_model_writes_beside_the_fields_is_said() {
    let mut propose = exchange("auto_plan", "assistant_propose");
    let text = r#"{"operations":[{"kind":"todo","action":"create","title":"Dentist","time":"10:00",
                  "scheduledFor":"2026-11-20","recurrence":{"type":"none"}}]}"#;
    propose["body"]["choices"][0]["message"]["content"] = json!(text);
    let answer = answered("auto_plan", &[propose, exchange("auto_plan", "assistant_summary")], "plan");
    let warning = answer["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("operation 1: not used, because there are no such fields: time."), "{answer}");
}

#[test]
fn the_first_object_of_an_answer_is_the_proposal() {
    let mut propose = exchange("auto_plan", "assistant_propose");
    let content = &mut propose["body"]["choices"][0]["message"]["content"];
    *content = json!(format!("Here: {} trailing {{\"b\": 2}}", content.as_str().unwrap()));
    let answer = answered("auto_plan", &[propose, exchange("auto_plan", "assistant_summary")], "plan");
    assert_eq!((&answer["provider"], &answer["warnings"]), (&json!("openai_compatible"), &json!([])), "{answer}");
    assert_eq!(answer["operations"][0]["op"]["scheduledFor"], "2026-11-20", "{answer}");
}

#[test]
fn a_summary_is_plain_text() {
    let mut summary = exchange("auto_plan", "assistant_summary");
    let text = "# Title\n- **bold** item `code` [l](http://x), _soon_";
    summary["body"]["choices"][0]["message"]["content"] = json!(text);
    let answer = answered("auto_plan", &[exchange("auto_plan", "assistant_propose"), summary], "plan");
    assert_eq!(answer["text"], "Title bold item code l, soon", "{answer}");
}

/// While a slow model is waited for, a sign of life comes after ten seconds, and the sequence is the same beside it.
#[test]
fn a_slow_model_is_bridged_by_heartbeats() {
    let (name, script) = cases("assistant").into_iter().find(|(name, _)| name == "auto_chat").unwrap();
    let mut case = Case::start(name, script);
    case.script["exchanges"][1]["after_ms"] = json!(11_000);
    case.script["events"] = json!(["heartbeat", "summary", "done"]);
    case.as_events();
    assert!(case.wrong.is_empty(), "{}", case.wrong.join("\n"));
}
