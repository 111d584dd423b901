//! `aha-radar llm ask` and `llm check`: every try on the ledger, every answer checked, every key kept.

use std::sync::Arc;
use std::time::Duration;

use aha_core::purpose;
use aha_core::topic::BudgetTier;
use aha_llm::conversation::{Conversation, ConversationError, ConversationSettings};
use aha_llm::provider::AnswerFormat;
use aha_llm::{CallScope, CallState, ModelRef};
use aha_radar::app::App;
use aha_radar::config::Config;

use crate::support::conversation_server::{ConversationServer, KEY, MANY_TOKENS, PlannedAnswer, TOKENS, price};
use crate::support::http::Answer;
use crate::support::radar::{Radar, finish, signal};
use crate::support::rows;
use crate::support::web::Web;

const NOW: &str = "2026-11-17T05:00:00Z";
const USAGE: i32 = 2;
const PARTIAL: i32 = 3;
const BUDGET: i32 = 4;

const ROWS: &str = "SELECT purpose || ' ' || state || ' ' || coalesce(error_kind, '-') || ' ' || coalesce(CAST(cost_microcredits AS TEXT), '?')
    FROM provider_calls ORDER BY attempt, started_at";

fn radar(server: &ConversationServer) -> Radar {
    server.serve(Radar::at(NOW))
}

fn quick(fates: &[PlannedAnswer]) -> ConversationServer {
    ConversationServer::start(fates, Duration::ZERO)
}

#[test]
fn a_question_is_answered_and_charged() {
    let server = quick(&[]);
    let radar = radar(&server);
    let said =
        radar.json(&["llm", "ask", "--model", "openai/other", "--system", "Be brief.", "--json", "Why is it wet?"]);
    assert_eq!(said["answer"], "You asked: Why is it wet?");
    assert_eq!((&said["provider"], &said["model"], &said["attempts"]), (&"openai".into(), &"other".into(), &1.into()));
    assert_eq!((&said["usage"]["input_tokens"], &said["cost_microcredits"]), (&100.into(), &price().into()));
    assert_eq!(rows::query(&radar, ROWS), [format!("{} ok - {}", purpose::ASK, price())]);
    let [request] = &server.requests()[..] else { panic!("{:#?}", server.requests()) };
    assert_eq!((&request["instructions"], &request["store"]), (&"Be brief.".into(), &false.into()));
    assert!(radar.json(&["calls", "--purpose", "llm_ask", "--json"]).as_array().unwrap().len() == 1);
    radar.run(&["llm", "ask", "--model", "other", "?"]).exits(USAGE).says("provider/model");
    radar.run(&["llm", "ask", "--model", "nobody/other", "?"]).exits(USAGE).says("not configured");
    radar.run(&["llm", "ask", " "]).exits(USAGE).says("no question");
}

#[test]
fn what_a_model_without_a_price_costs_is_unknown_and_not_nothing() {
    let server = quick(&[]);
    let unset = |radar: Radar, name| radar.with(name, "");
    let prices = ["OPENAI_CREDITS_PER_1K_INPUT_TOKENS", "OPENAI_CREDITS_PER_1K_OUTPUT_TOKENS"];
    let radar = prices.into_iter().fold(radar(&server), unset);
    let said = radar.json(&["llm", "ask", "--json", "Why is it wet?"]);
    assert!(said["cost_microcredits"].is_null(), "{said:#}");
    radar.run(&["llm", "ask", "Why is it cold?"]).exits(0).says("cost unknown, as the model has no price");
    let checked = radar.json(&["llm", "check", "--json"]);
    assert!(checked[0]["cost_microcredits"].is_null(), "{checked:#}");
}

/// By a server that applies no limit to its answers. What was not charged could be spent past every cap.
#[test]
fn a_usage_far_above_the_reservation_is_charged_as_reported_and_raises_an_alarm() {
    let server = quick(&[PlannedAnswer::ManyTokens]);
    let radar = radar(&server);
    let cost = MANY_TOKENS.0 * 1_000 + MANY_TOKENS.1 * 2_000;
    assert_eq!(radar.json(&["llm", "ask", "--json", "Why is it wet?"])["cost_microcredits"], cost);
    assert_eq!(rows::query(&radar, ROWS), [format!("{} ok - {cost}", purpose::ASK)]);
    let reserved = rows::number(&radar, "SELECT reserved_microcredits FROM provider_calls");
    assert!(reserved * 4 < cost, "{reserved} of {cost}");
    radar.run(&["doctor"]).says("1 call cost more than was reserved");
    let capped = radar.with("AHA_BUDGET_DAILY_CREDITS", "1000");
    capped.run(&["llm", "ask", "Why is it cold?"]).exits(4).says("AHA_BUDGET_DAILY_CREDITS");
    assert_eq!(server.requests().len(), 1, "the cap counts it");
}

#[test]
fn of_an_answer_with_words_around_it_the_object_alone_is_printed() {
    let server = quick(&[PlannedAnswer::Fenced]);
    let radar = radar(&server);
    std::fs::write(radar.folder().join("schema.json"), r#"{"type": "object", "required": ["answer"]}"#).unwrap();
    let said = radar.json(&["llm", "ask", "--schema", "schema.json", "Is it wet?"]);
    assert_eq!(said["answer"], "yes");
}

#[test]
fn an_answer_that_does_not_fit_is_asked_for_again_with_the_reason() {
    let server = quick(&[PlannedAnswer::Prose]);
    let radar = radar(&server);
    std::fs::write(radar.folder().join("schema.json"), r#"{"type": "object", "required": ["answer"]}"#).unwrap();
    let said = radar.json(&["llm", "ask", "--schema", "schema.json", "--json", "Is it wet?"]);
    assert_eq!((&said["answer"]["answer"], &said["attempts"]), (&"yes".into(), &2.into()));
    assert_eq!(said["cost_microcredits"], 2 * price(), "both tries are paid for");
    let second = server.requests()[1]["input"][0]["content"].as_str().unwrap().to_owned();
    assert!(second.contains("could not be used: the answer holds no JSON object"), "{second}");
    let rows = rows::query(&radar, ROWS);
    assert_eq!(rows, [format!("llm_ask error invalid_answer {}", price()), format!("llm_ask ok - {}", price())]);
}

#[test]
fn a_stream_is_shown_as_it_comes_and_one_cut_off_is_no_answer() {
    let server = quick(&[PlannedAnswer::Good, PlannedAnswer::CutStream, PlannedAnswer::CutStream]);
    let radar = radar(&server);
    let shown = radar.run(&["llm", "ask", "--stream", "Tell me."]).exits(0);
    assert_eq!(shown.stdout.trim_end(), "You asked: Tell me.");
    assert_eq!(server.requests()[0]["stream"], true);
    radar.run(&["llm", "ask", "--stream", "--attempts", "2", "Tell me."]).exits(1).says("ended before the answer did");
    let rows = rows::query(&radar, "SELECT state || ' ' || error_kind FROM provider_calls WHERE state <> 'ok'");
    assert_eq!(rows.len(), 2, "what it cost is not known: {rows:?}");
    assert!(rows.iter().all(|row| row == "unsettled interrupted"), "{rows:?}");
}

/// A catalogue beside the settings, with the server's address.
fn catalogue(server: &ConversationServer, models: &str) -> Radar {
    let radar = Radar::at(NOW).with("AHA_LLM_CONFIG", "models.yaml");
    let text = format!("endpoint: '{}/v1'\nmodels:\n{models}", server.base());
    std::fs::write(radar.folder().join("models.yaml"), text).unwrap();
    radar
}

#[test]
fn what_a_further_attempt_repeats_of_a_stream_is_printed_once() {
    let server = quick(&[PlannedAnswer::CutStream, PlannedAnswer::CutStream, PlannedAnswer::Good]);
    let radar = radar(&server);
    let shown = radar.run(&["llm", "ask", "--stream", "Tell me."]).exits(0).says("asking again");
    assert_eq!((shown.stdout.as_str(), server.requests().len()), ("You asked: Tell me.\n", 3));
}

#[test]
fn a_stream_in_json_is_a_line_an_event_and_then_the_whole() {
    let server = quick(&[PlannedAnswer::CutStream, PlannedAnswer::Good, PlannedAnswer::Status(401)]);
    let radar = radar(&server);
    let lines = |ran: &crate::support::radar::Ran| -> Vec<serde_json::Value> {
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let events = lines(&radar.run(&["llm", "ask", "--stream", "--json", "Tell me."]).exits(0));
    let names: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    let begun = names.iter().position(|name| *name == "retry").unwrap();
    assert!(names[..begun].iter().chain(&names[begun + 1..names.len() - 1]).all(|name| *name == "text"), "{names:?}");
    let text: String = events[begun + 1..].iter().filter_map(|event| event["text"].as_str()).collect();
    let whole = events.last().unwrap();
    assert_eq!((&whole["event"], &whole["answer"]), (&"answer".into(), &"You asked: Tell me.".into()));
    assert_eq!((text.as_str(), &whole["attempts"]), ("You asked: Tell me.", &2.into()));
    let refused = lines(&radar.run(&["llm", "ask", "--stream", "--json", "Tell me."]).exits(1));
    assert_eq!(refused.last().unwrap()["event"], "error", "{refused:?}");
}

#[test]
fn an_entry_s_max_attempts_hold_unless_others_are_given() {
    let server = quick(&[PlannedAnswer::Status(500), PlannedAnswer::Status(500), PlannedAnswer::Good]);
    let once = "  openai/once: { retry: { max_attempts: 1, initial_delay_seconds: 0 }, response_format: text }\n";
    let radar = catalogue(&server, once);
    radar.run(&["llm", "ask", "Why?"]).exits(1).says("500");
    assert_eq!(server.requests().len(), 1);
    radar.run(&["llm", "ask", "--attempts", "2", "Why?"]).exits(0);
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn an_archive_is_written_and_holds_no_secret() {
    const SECRETS: [&str; 2] = ["tenant-secret-0123456789", "query-secret-0123456789"];
    let server = quick(&[PlannedAnswer::Prose, PlannedAnswer::Good, PlannedAnswer::Status(401)]);
    let radar = Radar::at(NOW)
        .with("AHA_LLM_CONFIG", "models.yaml")
        .with("TENANT", SECRETS[0])
        .with("QUERY", SECRETS[1])
        .with("OWN_KEY", KEY);
    let text = format!(
        "models:\n  openai/a:\n    endpoint: '{}/v1/responses?code=${{QUERY}}'\n    api_key: ${{OWN_KEY}}\n    provider_specific: {{ \
         user: '${{TENANT}}', service_tier: flex }}\n    metadata: {{ note: ['paid by ${{OWN_KEY}}'] }}\n",
        server.base()
    );
    std::fs::write(radar.folder().join("models.yaml"), text).unwrap();
    std::fs::write(radar.folder().join("schema.json"), r#"{"type": "object", "required": ["answer"]}"#).unwrap();
    let archives = || {
        let folder = std::fs::read_dir(radar.folder().join("kept/here")).unwrap();
        let texts = folder.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
        texts.collect::<Vec<String>>()
    };
    let ask = ["llm", "ask", "--archive", "kept/here", "--schema", "schema.json", "Is it wet?"];
    radar.run(&ask).exits(0).says("archived in kept/here/");
    assert_eq!(server.requests()[0]["user"], SECRETS[0], "it is sent all the same");
    let [archive] = &archives()[..] else { panic!() };
    let json: serde_json::Value = serde_json::from_str(archive).unwrap();
    assert_eq!((&json["turns"][0]["retries"], &json["response_format"]), (&1.into(), &"json".into()));
    assert_eq!(json["config_snapshot"]["endpoint"], format!("{}/v1/responses", server.base()));
    let specific = serde_json::json!({"user": "${TENANT}", "service_tier": "flex"});
    assert_eq!(json["config_snapshot"]["provider_specific"], specific);
    assert_eq!(json["config_snapshot"]["metadata"]["note"][0], "paid by ***");
    radar.run(&ask).exits(1);
    let both = archives();
    assert_eq!(both.len(), 2, "a failure is archived too");
    for secret in SECRETS.iter().chain(&[KEY]) {
        assert!(both.iter().all(|archive| !archive.contains(secret)), "{secret}: {both:?}");
    }
}

#[test]
fn an_entry_says_in_what_form_it_answers() {
    let server = quick(&[]);
    let radar = catalogue(
        &server,
        "  openai/words: { response_format: text }\n  openai/object: { response_format: json }\n  openai/silent: {}\n",
    );
    for (model, format) in [("words", None), ("object", Some("json_object")), ("silent", Some("json_object"))] {
        radar.run(&["llm", "ask", "--model", model, "--attempts", "1", "?"]);
        let sent = server.requests().pop().unwrap();
        assert_eq!(sent["text"]["format"]["type"].as_str().filter(|kind| *kind != "text"), format, "{model}: {sent}");
    }
}

#[test]
fn as_much_of_a_name_is_enough_as_one_model_alone_is_called_by() {
    let server = quick(&[]);
    let radar = catalogue(
        &server,
        "  openai/dear: {}\n  openai/cheap: {}\n  openai/cheaper: {}\n\
         tasks: { manual_summary: { low: openai/cheap, high: openai/dear } }\nresponse_format: text\n",
    )
    .with("AHA_BUDGET_TIER", "high");
    for (typed, asked) in [("dear", "dear"), ("de", "dear"), ("cheap", "cheap"), ("openai/cheape", "cheaper")] {
        assert_eq!(radar.json(&["llm", "ask", "--model", typed, "--json", "?"])["model"], asked, "{typed}");
    }
    assert_eq!(radar.json(&["llm", "ask", "--json", "?"])["model"], "cheap", "no dear one by mistake");
    radar.run(&["llm", "ask", "--model", "che", "?"]).exits(USAGE).says("any of openai/cheap, openai/cheaper");
    let checked = radar.run(&["llm", "check", "--model", "dea", "--json"]).exits(0).json();
    assert_eq!(checked[0]["model"], "dear");
}

#[test]
fn a_server_that_does_not_stream_is_shown_all_the_same_and_one_that_counts_nothing_is_not_believed() {
    let server = quick(&[PlannedAnswer::Whole, PlannedAnswer::NoTokens]);
    let radar = radar(&server);
    let shown = radar.run(&["llm", "ask", "--stream", "Tell me."]).exits(0);
    assert_eq!(shown.stdout.trim_end(), "You asked: Tell me.");
    radar.run(&["llm", "ask", "Why?"]).exits(0).says("usage not reported");
    let last = rows::query(&radar, "SELECT state || ' ' || error FROM provider_calls WHERE state <> 'ok'");
    assert_eq!(last, ["unsettled the response reports no plausible token usage"]);
}

#[test]
fn a_model_that_answers_as_a_stream_alone_is_found_out_and_remembered() {
    let server = quick(&[
        PlannedAnswer::StreamAlone,
        PlannedAnswer::StreamAlone,
        PlannedAnswer::StreamAlone,
        PlannedAnswer::StreamAlone,
    ]);
    let radar = radar(&server).with("AHA_LOG", "warn");
    let answered = radar.run(&["llm", "ask", "--attempts", "1", "--json", "Tell me."]).exits(0);
    assert_eq!(answered.json()["answer"], "You asked: Tell me.");
    let streams =
        |server: &ConversationServer| server.requests().iter().map(|asked| asked["stream"] == true).collect::<Vec<_>>();
    assert_eq!(streams(&server), [false, true]);
    assert_eq!(
        rows::query(&radar, ROWS),
        ["llm_ask error streaming_only 0".to_owned(), format!("llm_ask ok - {}", price())]
    );
    let log = &answered.stderr;
    for part in [
        "llm_attempt_failed",
        "conversation_id",
        "provider",
        "conversation-model",
        "attempt",
        "streaming_only",
        "/v1/responses",
    ] {
        assert!(log.contains(part), "{part}: {log}");
    }
    assert!(!log.contains("Tell me"), "what is asked by hand is not logged: {log}");
    let questions = r#"{"sections": [{"id": "s", "questions": [
        {"id": "a", "text": "A?", "type": "rating", "min": 1, "max": 5}, {"id": "b", "text": "B?", "type": "rating", "min": 1, "max": 5}]}]}"#;
    std::fs::write(radar.folder().join("things.yaml"), questions).unwrap();
    radar.run(&["llm", "questionnaire", "things.yaml", "--models", "conversation-model", "--out", "answers"]).exits(0);
    assert_eq!(streams(&server)[2..], [false, true, true]);
}

#[test]
fn who_stops_waiting_is_charged_rightly() {
    let server = ConversationServer::start(&[], Duration::from_millis(150));
    let radar = radar(&server);
    let asking = radar.start(&["llm", "ask", "--stream", "Tell me something that takes a while to be told."]);
    rows_appear(&radar, &server);
    signal(&asking, "INT");
    finish(asking).exits(130).says("so that its cost is known");
    assert_eq!(rows::query(&radar, ROWS), [format!("llm_ask ok - {}", price())]);
}

fn rows_appear(radar: &Radar, server: &ConversationServer) {
    for _ in 0..600 {
        if !server.requests().is_empty() {
            return rows::wait_for(radar, "SELECT count(*) FROM provider_calls");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("nothing was asked in 12 s");
}

#[test]
fn a_refused_key_ends_it_at_once_and_is_shown_nowhere() {
    let server = quick(&[PlannedAnswer::Status(401)]);
    let radar = radar(&server).with("AHA_LOG", "trace");
    let refused = radar.run(&["llm", "ask", "Why?"]).exits(1).says("401");
    assert!(!refused.stderr.contains(KEY) && !refused.stdout.contains(KEY), "{refused:#?}");
    assert!(refused.stderr.contains("llm_request_started") && refused.stderr.contains("llm_request_completed"));
    assert!(!refused.stderr.contains("Why?"), "what is asked by hand is not logged");
    assert_eq!(
        (server.requests().len(), rows::query(&radar, ROWS)),
        (1, vec!["llm_ask error unauthorized 0".to_owned()])
    );
}

#[test]
fn a_budget_that_is_used_up_is_said() {
    let server = quick(&[]);
    let radar = radar(&server).with("AHA_BUDGET_DAILY_CREDITS", "0.001");
    radar.run(&["llm", "ask", "Why?"]).exits(BUDGET).says("AHA_BUDGET_DAILY_CREDITS");
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn a_check_asks_each_model_one_word() {
    let server = quick(&[PlannedAnswer::Good, PlannedAnswer::Status(500)]);
    let radar = radar(&server).with("OPENAI_TRIAGE_MODEL_LOW", "small");
    let checked = radar.run(&["llm", "check", "--json"]).exits(PARTIAL).json();
    let ok: Vec<bool> = checked.as_array().unwrap().iter().map(|check| check["ok"].as_bool().unwrap()).collect();
    assert_eq!((ok.len(), ok.iter().filter(|ok| **ok).count()), (2, 1), "{checked:#}");
    radar.run(&["llm", "check", "--model", "openai/conversation-model"]).exits(0).says("openai/conversation-model");
    Radar::at(NOW).run(&["llm", "check"]).exits(USAGE).says("no model is configured");
}

#[test]
fn a_check_that_failed_and_was_charged_shows_what_it_cost() {
    let cut_off = serde_json::json!({"id": "resp_1", "object": "response", "status": "incomplete", "error": null,
        "incomplete_details": {"reason": "max_output_tokens"}, "model": "conversation-model-1", "output": [],
        "usage": {"input_tokens": TOKENS.0, "output_tokens": TOKENS.1, "total_tokens": TOKENS.0 + TOKENS.1}});
    let answer = Answer::ok(cut_off.to_string()).header("content-type", "application/json");
    let web = Web::serve(vec![("/v1/responses", answer)]);
    let radar = radar(&quick(&[])).with("OPENAI_BASE_URL", &web.url(""));
    let checked = radar.run(&["llm", "check", "--json"]).exits(1).json();
    assert_eq!((&checked[0]["ok"], &checked[0]["cost_microcredits"]), (&false.into(), &price().into()), "{checked:#}");
}

#[test]
fn a_check_without_a_budget_is_told_apart_from_one_that_fails() {
    let server = quick(&[]);
    let radar = radar(&server).with("AHA_BUDGET_DAILY_CREDITS", "0.001");
    radar.run(&["llm", "check"]).exits(BUDGET);
    assert_eq!(server.requests().len(), 0);
}

/// A conversation with the server, in this process.
async fn conversation(radar: &Radar, server: &ConversationServer, max_attempts: u32) -> Conversation {
    let config = Config::from_pairs(server.settings().into_iter()).unwrap();
    let store = aha_store::open(&radar.database_url(), aha_store::OpenMode::CreateIfMissing).await.unwrap();
    let app = App::new(config, store).unwrap();
    let model: ModelRef = "openai/conversation-model".parse().unwrap();
    let terms = ConversationSettings {
        route: app.gateway().router().named(&model).unwrap(),
        system: "Be kind.".to_owned(),
        format: AnswerFormat::Text,
        accepts: None,
        streams: false,
        max_attempts,
        purpose: purpose::ASK,
        stores_answers: false,
        retries_rejected: false,
    };
    let scope = CallScope {
        lease: None,
        run: None,
        pass: 0,
        attempt: 1,
        topic: None,
        share_percent: None,
        tier: BudgetTier::Normal,
        prompt_id: purpose::ASK.to_owned(),
        rejudge: false,
        call_state: Arc::new(CallState::default()),
    };
    Conversation::begin(Arc::clone(app.gateway()), Arc::clone(app.store()), scope, terms).unwrap()
}

#[tokio::test]
async fn an_archive_has_all_that_was_said_and_no_key_and_nothing_is_asked_after_it() {
    let server = tokio::task::spawn_blocking(|| quick(&[])).await.unwrap();
    let radar = Radar::at(NOW);
    let mut conversation = conversation(&radar, &server, 2).await;
    let long = |text: &str, _: Option<&serde_json::Map<String, serde_json::Value>>| {
        if text.starts_with("You asked: Tell") { Ok(()) } else { Err("it says nothing of the sea".to_owned()) }
    };
    conversation.ask("Tell me of the sea.", Some(Arc::new(long))).await.unwrap();
    let refused = conversation.ask("?", Some(Arc::new(long))).await.unwrap_err();
    let ConversationError::ValidationFailed { attempts, reason, .. } = refused else { panic!("{refused}") };
    assert_eq!((attempts, reason.as_str()), (2, "it says nothing of the sea"));
    let last = server.requests().pop().unwrap();
    let roles: Vec<&str> =
        last["input"].as_array().unwrap().iter().map(|turn| turn["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "user"]);

    let archive = conversation.archive();
    let json = archive.to_json();
    assert_eq!((archive.turns().len(), archive.verification_summary().validator_failures), (2, 2));
    assert_eq!((&json["turns"][0]["retries"], &json["turns"][1]["answer"]), (&0.into(), &serde_json::Value::Null));
    assert_eq!(
        json["turns"][1]["verification_errors"],
        serde_json::json!(["it says nothing of the sea", "it says nothing of the sea"])
    );
    assert_eq!((&json["system_prompt"], &json["response_format"]), (&"Be kind.".into(), &"text".into()));
    assert_eq!(json["config_snapshot"]["api_key"], "…6789");
    assert!(!json.to_string().contains(KEY));
    let after = conversation.ask("One more?", None).await.unwrap_err();
    assert!(matches!(after, ConversationError::Archived), "{after}");
    tokio::task::spawn_blocking(move || drop(server)).await.unwrap();
}
