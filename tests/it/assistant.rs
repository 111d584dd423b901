//! The assistant from outside: a sentence is proposed and applied, in the terminal and over HTTP; repeated, undone,
//! streamed, resumed.

mod dates;
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

fn operations_go_over_http(engine: Engine) {
    let mut radar = radar(engine);
    let server = Served::start(&mut radar, &[]);
    let message = json!({ "message": "add call Ann on Friday at 3pm", "options": { "mode": "auto" } });
    let (status, answer) = server.post("/api/assistant/message", &message);
    assert_eq!((status, &answer["operations"][0]["op"]["timeOfDay"]), (200, &json!("15:00")), "{answer}");
    let body = json!({ "operations": answer["operations"], "version": answer["version"] });
    let send = |key: &str, body: &Value| {
        server.send("POST /api/llm/apply", &format!("idempotency-key: {key}\r\n"), &body.to_string())
    };
    let first = send("k1", &body);
    assert_eq!(first.status, 200, "{}", first.body);
    let again = send("k1", &body);
    assert_eq!((again.status, &again.body), (200, &first.body));
    assert!(again.head.contains("idempotency-replayed: true"));
    let code = |reply: &Reply| serde_json::from_str::<Value>(&reply.body).unwrap()["error"]["code"].clone();
    let other = send("k1", &json!({ "operations": [create("x")] }));
    assert_eq!((other.status, code(&other)), (422, json!("idempotency_key_reused")));
    let stale = send("k2", &body);
    assert_eq!((stale.status, code(&stale)), (409, json!("state_changed")));
    let many = send("k3", &json!({ "operations": vec![create("x"); 21] }));
    assert_eq!((many.status, code(&many)), (400, json!("too_many_operations")));
    let bulk = json!({ "operations": [create("x"), { "op": "bulk_delete" }] });
    let (status, refused) = server.post("/api/llm/apply", &bulk);
    assert_eq!((status, &refused["detail"]["results"][1]["errors"][0]), (400, &json!("bulk_operations_removed")));
    let (status, checked) = server.post("/api/llm/dryrun", &bulk);
    assert_eq!((status, &checked["validCount"], &checked["invalidCount"]), (200, &json!(1), &json!(1)));
    // An id beside `ids` or `where` does not make it an operation on one record.
    for many in [json!({ "ids": [1, 2] }), json!({ "where": { "completed": false } })] {
        let mut one = json!({ "kind": "todo", "action": "delete", "id": 1 });
        one.as_object_mut().unwrap().extend(many.as_object().unwrap().clone());
        let body = json!({ "operations": [one] });
        let (status, refused) = server.post("/api/llm/apply", &body);
        assert_eq!((status, &refused["detail"]["results"][0]["errors"][0]), (400, &json!("bulk_operations_removed")));
        let (_, checked) = server.post("/api/llm/dryrun", &body);
        assert_eq!(
            (&checked["valid"], &checked["results"][0]["errors"]),
            (&json!(false), &json!(["bulk_operations_removed"]))
        );
    }
    assert_eq!(server.get("/api/todos")["todos"].as_array().unwrap().len(), 1);
    let batch: Value = serde_json::from_str(&first.body).unwrap();
    let (status, undone) = server.post("/api/llm/undo", &json!({ "batchId": batch["batchId"] }));
    assert_eq!((status, &undone["restored"]), (200, &json!(1)));
    assert_eq!(server.post("/api/llm/undo", &json!({ "batchId": batch["batchId"] })).0, 409);
    // A misspelled field does not take back the newest batch instead.
    assert_eq!(server.post("/api/llm/undo", &json!({ "id": batch["batchId"] })).0, 422);
    assert_eq!(server.get("/api/todos")["todos"], json!([]));
    let large = json!({ "operations": [create(&"x".repeat(300_000))] });
    assert_eq!(server.send("POST /api/llm/apply", "", &large.to_string()).status, 413);
}

fn records_have_addresses(engine: Engine) {
    let mut radar = radar(engine);
    let server = Served::start(&mut radar, &[]);
    let habit = json!({ "title": "run", "scheduledFor": "2026-11-16", "recurrence": { "type": "daily" } });
    let (status, made) = server.post("/api/habits", &habit);
    assert_eq!((status, &made["habit"]["id"]), (200, &json!(1)), "{made}");
    assert_eq!(server.post("/api/todos", &json!({ "title": "x" })).1["error"]["code"], "missing_recurrence");
    let patch = |path: &str, body: Value| server.send(&format!("PATCH {path}"), "", &body.to_string()).status;
    assert_eq!(patch("/api/habits/1", json!({ "title": "run far" })), 200);
    assert_eq!(patch("/api/habits/1/occurrence", json!({ "occurrenceDate": "2026-11-18" })), 200);
    assert_eq!(patch("/api/habits/1/occurrence", json!({ "occurrenceDate": "2026-11-10" })), 400);
    assert_eq!(patch("/api/habits/9", json!({ "title": "x" })), 404);
    let habit = server.get("/api/habits/1")["habit"].clone();
    assert_eq!(
        (&habit["title"], &habit["recurrence"]["type"], &habit["completedDates"]),
        (&json!("run far"), &json!("daily"), &json!(["2026-11-18"]))
    );
    let days = server.get("/api/agenda?from=2026-11-18&to=2026-11-19")["days"].clone();
    assert_eq!((&days[0]["completed"], &days[1]["completed"]), (&json!(true), &json!(false)));
    assert_eq!((&days[0]["date"], &days[0]["title"]), (&json!("2026-11-18"), &json!("run far")));
    for left_out in ["notes", "completedDates"] {
        assert!(habit.get(left_out).is_some() && days[0].get(left_out).is_none(), "{left_out}: {days}");
    }
    assert!(server.send("GET /api/calendar.ics", "", "").body.contains("EXDATE;VALUE=DATE:20261118"));
    assert_eq!(server.get("/api/habits?from=2026-11-20&to=2026-11-20")["habits"].as_array().unwrap().len(), 1);
    assert_eq!(server.send("DELETE /api/habits/1", "", "").status, 200);
    assert_eq!(server.send("GET /api/habits/1", "", "").status, 404);
    assert_eq!(server.send("GET /api/letters", "", "").status, 404);
}

/// The effect and the answer are one commit: a server that dies right after it has done both, and one that dies before
/// neither.
fn a_killed_apply_is_repeated_without_a_second_effect(engine: Engine) {
    let mut radar = radar(engine);
    let body = json!({ "operations": [create("once")] }).to_string();
    for (place, left) in [("apply_operations.before_commit", 0), ("apply_operations.after_commit", 1)] {
        let killed = Served::start(&mut radar, &[("AHA_FAILPOINT", place)]);
        assert!(killed.try_send("POST /api/llm/apply", "idempotency-key: k\r\n", &body).is_none(), "{place}");
        drop(killed);
        assert_eq!(radar.json(&["todo", "list", "--json"]).as_array().unwrap().len(), left, "{place}");
    }
    let server = Served::start(&mut radar, &[]);
    let answers = [(); 2].map(|()| server.send("POST /api/llm/apply", "idempotency-key: k\r\n", &body).body);
    assert_eq!(answers[0], answers[1]);
    assert_eq!(server.get("/api/todos")["todos"].as_array().unwrap().len(), 1);
}

/// A client's JSON library may write the fields of the same request in another order.
fn a_repeated_request_may_have_its_fields_in_another_order(engine: Engine) {
    let mut radar = radar(engine);
    let server = Served::start(&mut radar, &[]);
    let send = |body: &str| server.send("POST /api/llm/apply", "idempotency-key: k\r\n", body);
    let fields = r#""kind":"todo","action":"create","title":"once","recurrence":{"type":"none"}"#;
    let first = send(&format!(r#"{{"operations":[{{{fields},"tilte":"a","when":1}}],"version":0}}"#));
    let reordered = r#"{ "when": 1, "recurrence": { "type": "none" }, "tilte": "a", "title": "once",
                         "action": "create", "kind": "todo" }"#;
    let again = send(&format!(r#"{{ "version": 0, "operations": [ {reordered} ] }}"#));
    assert_eq!((first.status, again.status, &again.body), (200, 200, &first.body));
    assert!(again.head.contains("idempotency-replayed: true"), "{}", again.head);
    assert_eq!(server.get("/api/todos")["todos"].as_array().unwrap().len(), 1);
    let other = send(&format!(r#"{{"operations":[{{{fields},"tilte":"b","when":1}}],"version":0}}"#));
    assert_eq!(other.status, 422, "{}", other.body);
}

fn a_field_that_is_not_used_is_said(engine: Engine) {
    let mut radar = radar(engine);
    let server = Served::start(&mut radar, &[]);
    let mut dentist = create("Dentist");
    dentist["scheduled_for"] = json!("2026-12-24");
    let body = json!({ "operations": [create("x"), dentist] });
    let starts = "operation 2: not used, because there are no such fields: scheduled_for (did you mean scheduledFor?).";
    for path in ["/api/llm/dryrun", "/api/llm/apply"] {
        let (status, answer) = server.post(path, &body);
        let warnings = answer["warnings"].as_array().unwrap();
        assert_eq!((status, warnings.len()), (200, 1), "{path}: {answer}");
        assert!(warnings[0].as_str().unwrap().starts_with(starts), "{path}: {answer}");
    }
    let (_, clean) = server.post("/api/llm/dryrun", &json!({ "operations": [create("x")] }));
    assert_eq!(clean["warnings"], json!([]));
    let todo = json!({ "title": "y", "recurrence": { "type": "none" }, "due": "2026-12-24" });
    let (status, made) = server.post("/api/todos", &todo);
    assert_eq!((status, &made["todo"]["title"]), (200, &json!("y")), "{made}");
    let warning = made["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("not used, because there are no such fields: due. The fields of a record are title,"));
    let path = format!("/api/todos/{}", made["id"]);
    let record = server.get(&path)["todo"].clone();
    let reply = server.send(&format!("PATCH {path}"), "", &record.to_string());
    let same: Value = serde_json::from_str(&reply.body).unwrap();
    assert_eq!((reply.status, &same["todo"]["title"], same.get("warnings")), (200, &json!("y"), None), "{same}");
}

on_both_databases!(
    a_repeated_request_may_have_its_fields_in_another_order,
    a_field_that_is_not_used_is_said,
    a_sentence_changes_nothing_until_it_is_applied,
    operations_go_over_http,
    records_have_addresses,
    a_killed_apply_is_repeated_without_a_second_effect,
);

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
    let third = plan.body.lines().filter_map(|line| line.strip_prefix("id: ")).nth(2).unwrap();
    let resumed = stream("add%20buy%20milk%20tomorrow", &format!("last-event-id: {third}\r\n"));
    assert_eq!(events(&resumed.body), ["stage", "summary", "result", "done"], "{}", resumed.body);
    let last = plan.body.lines().filter_map(|line| line.strip_prefix("id: ")).next_back().unwrap();
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
