//! Operations and records over HTTP: applied, refused, repeated, undone.

use std::thread;

use serde_json::{Value, json};

use super::{Reply, Served, create, radar};
use crate::kill::on_both_databases;
use crate::support::radar::Engine;

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
    assert_eq!(
        patch("/api/habits/1", json!({ "title": "run" , "recurrence": null })),
        200,
        "an empty rule is the current one"
    );
    assert_eq!(patch("/api/habits/1", json!({ "title": "run far" })), 200);
    let todo = json!({ "title": "sweep", "scheduledFor": "2026-11-20", "recurrence": { "type": "none" } });
    assert_eq!(server.post("/api/todos", &todo).1["id"], 2);
    assert_eq!(
        patch("/api/todos/2", json!({ "recurrence": { "type": "weekly" } })),
        200,
        "it begins on the todo's day"
    );
    assert_eq!(server.get("/api/todos/2")["todo"]["recurrence"]["type"], "weekly");
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

/// A change of the title has the recurrence of the record added, and must not put back an earlier one.
fn changes_at_the_same_time_keep_each_other(engine: Engine) {
    let mut radar = radar(engine);
    let server = Served::start(&mut radar, &[]);
    let patch = |body: &Value| server.send("PATCH /api/habits/1", "", &body.to_string()).status;
    let rule = |kind: &str| json!({ "recurrence": { "type": kind }, "scheduledFor": "2026-11-16" });
    server.post(
        "/api/habits",
        &json!({ "title": "run", "scheduledFor": "2026-11-16", "recurrence": { "type": "daily" } }),
    );
    for (round, kind) in ["weekly", "daily", "weekly", "daily"].into_iter().enumerate() {
        thread::scope(|scope| {
            let titles = (0..3).map(|_| scope.spawn(|| patch(&json!({ "title": format!("run {round}") }))));
            let titles: Vec<_> = titles.collect();
            assert_eq!(patch(&rule(kind)), 200, "{kind}");
            for title in titles {
                assert_eq!(title.join().unwrap(), 200, "{kind}");
            }
        });
        let habit = server.get("/api/habits/1")["habit"].clone();
        assert_eq!((&habit["title"], &habit["recurrence"]["type"]), (&json!(format!("run {round}")), &json!(kind)));
    }
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
    operations_go_over_http,
    records_have_addresses,
    a_killed_apply_is_repeated_without_a_second_effect,
    a_repeated_request_may_have_its_fields_in_another_order,
    a_field_that_is_not_used_is_said,
    changes_at_the_same_time_keep_each_other,
);
