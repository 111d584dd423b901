//! The assistant from outside: a sentence is proposed and applied, in the terminal and over HTTP; repeated, undone,
//! streamed, resumed.

mod dates;
mod http;
mod models;
mod questions;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::kill::on_both_databases;
use crate::support::radar::{Engine, Radar};

/// A Thursday.
const NOW: &str = "2026-11-19T07:00:00Z";

fn radar(engine: Engine) -> Radar {
    let radar = Radar::at(NOW).with("AHA_TIMEZONE", "UTC").on(engine);
    // Without a database there is nothing that a sentence could be compared with.
    radar.ok(&["init"]);
    radar
}

/// `aha-radar serve`, ended with the value.
struct Served {
    child: Child,
    address: SocketAddr,
}

struct Reply {
    status: u16,
    head: String,
    body: String,
}

impl Served {
    fn start(radar: &mut Radar, environment: &[(&str, &str)]) -> Self {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        radar.set("AHA_LISTEN", &address.to_string());
        let mut command = radar.command(&["serve"]);
        command.envs(environment.iter().copied());
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let served = Self { child, address };
        for _ in 0..300 {
            if TcpStream::connect(address).is_ok() {
                return served;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("15 s have passed and nobody listens on {address}");
    }

    /// `None` where the connection broke.
    fn try_send(&self, request: &str, headers: &str, body: &str) -> Option<Reply> {
        let mut stream = TcpStream::connect(self.address).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let length = body.len();
        write!(
            stream,
            "{request} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n{headers}\r\n{body}",
            self.address
        )
        .ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok()?;
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some(Reply { status, head: head.to_lowercase(), body: body.to_owned() })
    }

    #[track_caller]
    fn send(&self, request: &str, headers: &str, body: &str) -> Reply {
        self.try_send(request, headers, body).unwrap_or_else(|| panic!("no answer to {request}"))
    }

    #[track_caller]
    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let reply = self.send(&format!("POST {path}"), "", &body.to_string());
        (reply.status, serde_json::from_str(&reply.body).unwrap_or_else(|_| panic!("{}", reply.body)))
    }

    #[track_caller]
    fn get(&self, path: &str) -> Value {
        let reply = self.send(&format!("GET {path}"), "", "");
        assert_eq!(reply.status, 200, "{}", reply.body);
        serde_json::from_str(&reply.body).unwrap()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn create(title: &str) -> Value {
    json!({ "kind": "todo", "action": "create", "title": title, "recurrence": { "type": "none" } })
}

fn a_sentence_changes_nothing_until_it_is_applied(engine: Engine) {
    let radar = radar(engine);
    let sentence = "add buy stamps tomorrow and water the plants every 3 days";
    let proposed = radar.json(&["assistant", sentence, "--json"]);
    assert_eq!((&proposed["decision"], proposed["operations"].as_array().unwrap().len()), (&json!("plan"), 2));
    assert!(proposed["text"].as_str().unwrap().contains("\"buy stamps\" on 2026-11-20"), "{proposed}");
    assert_eq!(radar.json(&["todo", "list", "--json"]), json!([]));
    radar.ok(&["assistant", sentence, "--apply"]);
    let todos = radar.json(&["todo", "list", "--json"]);
    assert_eq!((&todos[0]["title"], &todos[1]["title"]), (&json!("water the plants"), &json!("buy stamps")));
    radar.ok(&["todo", "done", "1", "2"]);
    let agenda = radar.json(&["agenda", "--from", "2026-11-19", "--to", "2026-11-25", "--json"]);
    let days: Vec<(&str, bool)> = agenda["days"]
        .as_array()
        .unwrap()
        .iter()
        .map(|day| (day["date"].as_str().unwrap(), day["completed"] == true))
        .collect();
    assert_eq!(days, [("2026-11-19", true), ("2026-11-20", true), ("2026-11-22", false), ("2026-11-25", false)]);
    radar.ok(&["todo", "undo"]);
    assert_eq!(radar.json(&["todo", "list", "--json"]), todos);
    assert!(radar.ok(&["agenda", "--ical"]).contains("RRULE:FREQ=DAILY;INTERVAL=3"));
    let asked = radar.json(&["assistant", "delete the thing", "--json", "--apply"]);
    assert_eq!((&asked["requiresClarification"], &asked["applied"]), (&json!(true), &Value::Null));
    radar.run(&["todo", "add", "rent every month"]).exits(2).says("cannot be kept");
}

on_both_databases!(a_sentence_changes_nothing_until_it_is_applied);

/// The names of events in their order.
fn events(body: &str) -> Vec<&str> {
    body.lines().filter_map(|line| line.strip_prefix("event: ")).collect()
}

#[test]
fn a_stream_has_the_events_of_its_decision_and_can_be_resumed() {
    let mut radar = radar(Engine::Sqlite);
    let server = Served::start(&mut radar, &[]);
    let stream = |query: &str, headers: &str| {
        server.send(&format!("GET /api/assistant/message/stream?message={query}"), headers, "")
    };
    let plan = stream("add%20buy%20milk%20tomorrow", "");
    assert_eq!(events(&plan.body), ["stage", "stage", "ops", "stage", "summary", "result", "done"], "{}", plan.body);
    for part in ["proposing", "validating", "summarizing", "\"validCount\":1", "\"invalidCount\":0", "\"version\":0"] {
        assert!(plan.body.contains(part), "{part}: {}", plan.body);
    }
    assert_eq!(events(&stream("hello&mode=auto", "").body), ["summary", "done"]);
    assert_eq!(events(&stream("hello&mode=chat", "").body), ["summary", "done"]);
    let asked = stream("move%20it&mode=auto", "");
    assert_eq!(events(&asked.body), ["stage", "clarify", "result", "done"], "{}", asked.body);
    for part in ["\"decision\":\"clarify\"", "\"operations\":[]"] {
        assert!(asked.body.contains(part), "{part}: {}", asked.body);
    }
    let ids = || plan.body.lines().filter_map(|line| line.strip_prefix("id: "));
    // The first id is that of the stream, before any event.
    let named = ids().next().unwrap();
    let from_start = stream("x", &format!("last-event-id: {named}\r\n"));
    assert_eq!(events(&from_start.body), events(&plan.body), "{}", from_start.body);
    let third = ids().nth(3).unwrap();
    let resumed = stream("add%20buy%20milk%20tomorrow", &format!("last-event-id: {third}\r\n"));
    assert_eq!(events(&resumed.body), ["stage", "summary", "result", "done"], "{}", resumed.body);
    let last = ids().next_back().unwrap();
    assert_eq!(stream("x", &format!("last-event-id: {last}\r\n")).status, 204);
    assert_eq!(stream("", "").status, 400);
    assert_eq!(stream("hello", "sec-fetch-site: cross-site\r\n").status, 403);
}

#[test]
fn what_was_chosen_answers_the_question() {
    let mut radar = radar(Engine::Sqlite);
    let server = Served::start(&mut radar, &[]);
    let operations = json!({ "operations": [create("review budget"), create("review contract")] });
    server.post("/api/llm/apply", &operations);
    let ask = |clarify: Value| {
        let body = json!({ "message": "move the review to Friday", "options": { "mode": "auto", "clarify": clarify } });
        server.post("/api/assistant/message", &body).1
    };
    let asked = ask(Value::Null);
    assert_eq!(
        (&asked["requiresClarification"], asked["options"].as_array().unwrap().len()),
        (&json!(true), 2),
        "{asked}"
    );
    let chosen = asked["options"][1]["id"].clone();
    let planned = ask(json!({ "question": asked["question"], "selection": { "ids": [chosen] } }));
    assert_eq!(
        (&planned["operations"][0]["op"]["id"], planned["operations"].as_array().unwrap().len()),
        (&chosen, 1),
        "{planned}"
    );
}

#[test]
fn questions_are_answered_with_the_list() {
    let radar = radar(Engine::Sqlite);
    radar.ok(&["todo", "add", "buy stamps tomorrow"]);
    radar.ok(&["todo", "add", "pay the rent"]);
    for (question, answer) in [
        ("what's on tomorrow", "Planned on Fri 2026-11-20: buy stamps."),
        ("what do I have on Friday", "Planned on Fri 2026-11-20: buy stamps."),
        ("what's due this week", "Planned from Thu 2026-11-19 to Sun 2026-11-22: Fri 2026-11-20 buy stamps."),
        ("what's on on Monday?", "Nothing is planned on Mon 2026-11-23."),
        ("did I pay the rent?", "\"pay the rent\" is open."),
        ("what did I finish on Monday?", "Nothing that was planned on Mon 2026-11-16 is marked as done."),
        ("what did I do tomorrow", "Nothing is done on Fri 2026-11-20 yet, since that is still to come."),
        ("what is planned from 2026-11-20 to 2026-11-21", "Planned from Fri 2026-11-20 to Sat 2026-11-21:"),
        ("show my todos", "Open, 2 in all: buy stamps on Fri 2026-11-20; pay the rent."),
        ("is anything overdue?", "Nothing is overdue."),
    ] {
        for mode in ["plan", "auto", "chat"] {
            let answered = radar.json(&["assistant", question, "--mode", mode, "--apply", "--json"]);
            assert_eq!((&answered["decision"], &answered["applied"]), (&json!("chat"), &Value::Null), "{question}");
            assert!(answered["text"].as_str().unwrap().starts_with(answer), "{question}: {answered}");
        }
    }
    radar.ok(&["todo", "done", "2"]);
    assert!(radar.ok(&["assistant", "have I paid the rent"]).starts_with("\"pay the rent\" is done."));
}

#[test]
fn what_is_done_twice_is_undone_once_and_its_day_is_said() {
    let mut radar = radar(Engine::Sqlite);
    radar.ok(&["todo", "add", "stretch every day"]);
    let done = |words: &str| radar.ok(&["todo", "done", words]).trim().to_owned();
    assert_eq!(done("stretch"), "complete_occurrence: todo #1 stretch (on Thu 2026-11-19)");
    assert_eq!(done("stretch"), "already done: todo #1 stretch (on Thu 2026-11-19)");
    radar.ok(&["todo", "undo"]);
    let days = radar.json(&["todo", "list", "--json"])[0]["completedDates"].clone();
    assert_eq!(days, json!([]));
    radar.ok(&["todo", "add", "team call every Tuesday"]);
    // A Wednesday.
    radar.set("AHA_NOW", "2026-11-25T07:00:00Z");
    assert!(radar.ok(&["assistant", "what is overdue"]).contains("team call (Tue 2026-11-24)"));
    assert!(radar.ok(&["todo", "list"]).contains("2026-11-24"));
    let done = radar.ok(&["todo", "done", "team call"]);
    assert_eq!(done.trim(), "complete_occurrence: todo #2 team call (on Tue 2026-11-24)");
    assert!(!radar.ok(&["assistant", "what is overdue"]).contains("team call"));
}

#[test]
fn a_list_shows_the_next_day_of_what_repeats() {
    let radar = radar(Engine::Sqlite);
    radar.ok(&["todo", "add", "water the plants every 3 days"]);
    radar.ok(&["todo", "add", "sweep the yard on Saturday"]);
    assert!(radar.ok(&["todo", "list"]).contains("2026-11-19"));
    radar.ok(&["todo", "done", "1"]);
    let listed = radar.ok(&["todo", "list"]);
    assert!(listed.contains("2026-11-22") && !listed.contains("2026-11-19"), "{listed}");
    assert!(listed.find("sweep the yard") < listed.find("water the plants"), "{listed}");
    let asked = radar.json(&["assistant", "cancel the plants on Monday", "--json"]);
    assert_eq!(asked["options"][0]["scheduledFor"], "2026-11-22", "{asked}");
}

#[test]
fn what_is_understood_is_proposed_and_the_rest_is_named() {
    let radar = radar(Engine::Sqlite);
    let both = "add oat milk tomorrow and delete the unicorn";
    for mode in ["plan", "auto"] {
        let answer = radar.json(&["assistant", both, "--mode", mode, "--json"]);
        let text = answer["text"].as_str().unwrap();
        assert_eq!(
            (&answer["decision"], answer["operations"].as_array().unwrap().len()),
            (&json!("plan"), 1),
            "{text}"
        );
        assert!(text.contains("\"oat milk\" on 2026-11-20") && text.contains("\"delete the unicorn\""), "{text}");
        assert!(answer["notPlanned"].as_str().unwrap().starts_with("Not planned: \"delete the unicorn\"."), "{answer}");
    }
    radar.ok(&["assistant", both, "--apply"]);
    // What was not understood could take the deletion back.
    let deleted = radar.json(&["assistant", "delete oat milk and delete the unicorn", "--apply", "--json"]);
    assert_eq!((&deleted["operations"][0]["op"]["action"], &deleted["applied"]), (&json!("delete"), &Value::Null));
    radar.run(&["todo", "add", "buy bread. pay the rent every month"]).exits(0).says("cannot be kept");
    let todos = radar.json(&["todo", "list", "--json"]);
    let titles: Vec<_> = todos.as_array().unwrap().iter().map(|todo| todo["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["oat milk", "buy bread"]);
}

#[test]
fn adding_a_todo_changes_nothing_that_is_there() {
    let radar = radar(Engine::Sqlite);
    radar.ok(&["todo", "add", "book the appointment"]);
    let before = radar.json(&["todo", "list", "--json"]);
    let both = "email the clinic and cancel the appointment";
    radar.run(&["todo", "add", both]).exits(2).says("that would change what is there; use `aha-radar assistant`");
    assert_eq!(radar.json(&["todo", "list", "--json"]), before);
}

/// Another process holds the database for longer than a request may wait: the key is under way elsewhere, as far as
/// this request can tell.
#[test]
fn a_request_that_cannot_get_at_the_records_in_time_is_told_to_come_again() {
    let mut radar = radar(Engine::Sqlite);
    let server = Served::start(&mut radar, &[]);
    let body = json!({ "operations": [create("once")] }).to_string();
    let url = radar.database_url();
    let held = crate::support::rows::block_on(|| async move {
        use sqlx::Connection as _;
        let mut held = sqlx::SqliteConnection::connect(&url).await.unwrap();
        sqlx::query("BEGIN IMMEDIATE").execute(&mut held).await.unwrap();
        held
    });
    let reply = server.send("POST /api/llm/apply", "idempotency-key: k\r\n", &body);
    let answer: Value = serde_json::from_str(&reply.body).unwrap();
    assert_eq!((reply.status, &answer["error"]["code"]), (409, &json!("request_in_flight")), "{answer}");
    assert!(reply.head.contains("retry-after: "), "{}", reply.head);
    drop(held);
    let reply = server.send("POST /api/llm/apply", "idempotency-key: k\r\n", &body);
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(server.get("/api/todos")["todos"].as_array().unwrap().len(), 1);
}
