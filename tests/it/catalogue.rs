//! Models out of a catalogue: who is asked, who steps in, what stands in the ledger, and who is never asked.

use serde_json::Value;

use crate::support::radar::{Radar, Ran, repository};
use crate::support::responses::{Fault, KEY, OpenAi, When, dated};
use crate::support::rows;

const NOW: &str = "2026-11-19T07:00:00Z";
const WINDOW: &str = "2026-11-16..2026-11-19";
const USAGE: i32 = 2;
const PARTIAL: i32 = 3;

/// Two models of one server that are the same to it, so that what it has read of the first is cached for the second.
fn two_models(endpoint: &str) -> String {
    format!(
        "\
endpoint: {endpoint}
api_key: ${{MOCK_KEY}}
retry: {{ max_attempts: 1 }}
models:
  openai/first:
    model: gpt-mock
    prices: {{ input: 9, output: 9 }}
    fallbacks: [openai/second]
  openai/second:
    model: gpt-mock
    prices: {{ input: 1, cached_input: 0.1, output: 4 }}
tasks:
  triage: openai/first
"
    )
}

fn with(catalogue: &str) -> Radar {
    let radar = Radar::at(NOW).with("MOCK_KEY", KEY).with("AHA_LLM_CONFIG", "models.yaml");
    std::fs::write(radar.folder().join("models.yaml"), catalogue).unwrap();
    radar
}

fn run(radar: &Radar) -> Ran {
    radar.run(&["--run-once", "--import", &repository("examples/sources.opml"), "--window", WINDOW])
}

fn number(row: &Value, field: &str) -> i64 {
    row[field].as_i64().unwrap_or_else(|| panic!("{field} in {row:#}"))
}

#[test]
fn a_task_goes_to_its_model_and_on_to_the_next_when_that_fails() {
    let api = OpenAi::start();
    api.fault(When::call(1), Fault::Status(500));
    let radar = with(&two_models(&format!("{}/v1/responses", api.base())));
    run(&radar).exits(0);
    let calls = radar.json(&["calls", "--purpose", "triage", "--limit", "1000", "--json"]);
    let calls = calls.as_array().unwrap();
    let of = |model: &str| calls.iter().filter(|call| call["model"] == model).collect::<Vec<_>>();
    let (first, second) = (of("first"), of("second"));
    assert_eq!(first.len() + second.len(), api.calls().len());
    let [step_in] = &second[..] else { panic!("{second:#?}") };
    assert!(first.iter().any(|call| call["state"] == "error" && call["error_kind"] == "server_error"));
    assert!(calls.iter().all(|call| call["provider"] == "openai"), "{calls:#?}");
    // What came from the cache is charged at its own price.
    let (input, cached, output) =
        (number(step_in, "input_tokens"), number(step_in, "cached_input_tokens"), number(step_in, "output_tokens"));
    assert!(cached > 0, "{step_in:#}");
    assert_eq!(number(step_in, "cost_microcredits"), ((input - cached) * 10 + cached + output * 40 + 9) / 10);
    let asked: Vec<String> = api.calls().iter().map(|call| call.model().to_owned()).collect();
    assert!(asked.iter().all(|model| model == "gpt-mock"), "{asked:?}");
    assert_eq!(api.max_in_flight(), 1, "a server of one's own is asked one thing at a time");
    let digest = radar.digest();
    let models: Vec<&Value> =
        digest["stories"].as_array().unwrap().iter().map(|story| &story["triage"]["model"]).collect();
    assert!(models.iter().all(|model| **model == dated("gpt-mock")), "as the server calls it: {models:?}");
    assert_eq!(digest["stories"][0]["summary"]["provider"], "local", "nobody else is there for it");
}

/// Three failed calls in a row, fewer than open its circuit.
#[test]
fn a_model_whose_server_fails_for_a_while_is_called_again_where_there_is_no_other() {
    let api = OpenAi::start();
    api.fault(When::always().schema("triage_v1").first(3), Fault::Status(503));
    let catalogue = format!(
        "\
endpoint: {}/v1/responses
api_key: ${{MOCK_KEY}}
retry: {{ max_attempts: 1 }}
models:
  openai/only:
    prices: {{ input: 1, output: 1 }}
tasks:
  triage: openai/only
",
        api.base()
    );
    let radar = with(&catalogue).with("AHA_TRIAGE_BATCH_SIZE", "5").with("AHA_LLM_CONCURRENCY", "1");
    run(&radar).exits(PARTIAL);
    assert!(api.calls().len() > 3, "{}", api.calls().len());
    let digest = radar.digest();
    assert!(digest["stories"].as_array().unwrap().iter().any(|story| story["state"] == "judged"), "{digest:#}");
    assert!(digest["cost"].get("given_up").is_none(), "{digest:#}");
}

/// A cheap model and a fallback of it, with their prices, at the same server.
fn with_fallback(api: &OpenAi, cheap: &str, other: &str, cap: &str) -> Radar {
    let catalogue = format!(
        "\
endpoint: {}/v1/responses
api_key: ${{MOCK_KEY}}
retry: {{ max_attempts: 1 }}
models:
  openai/cheap:
    prices: {{ input: {cheap}, output: {cheap} }}
    fallbacks: [openai/other]
  openai/other:
    prices: {{ input: {other}, output: {other} }}
tasks:
  triage: openai/cheap
",
        api.base()
    );
    with(&catalogue).with("AHA_BUDGET_RUN_CREDITS", cap)
}

#[test]
fn a_fallback_that_the_budget_does_not_reach_for_leaves_out_its_own_story_alone() {
    let api = OpenAi::start();
    api.fault(When::always().model("cheap").title("Ailsk Sound"), Fault::ContentFilter);
    let radar = with_fallback(&api, "1", "400", "1");
    run(&radar).exits(4).says("AHA_BUDGET_RUN_CREDITS");
    assert!(api.calls().iter().all(|call| call.model() == "cheap"));
    assert_eq!(radar.digest()["cost"]["judgements_skipped"], 1);
}

#[test]
fn a_free_fallback_is_called_where_credits_are_used_up() {
    for policy in ["warn", "stop"] {
        let api = OpenAi::start();
        let radar = with_fallback(&api, "1", "0", "0.012").with("AHA_BUDGET_POLICY", policy);
        run(&radar).exits(0);
        let of = |model: &str| api.calls().iter().filter(|call| call.model() == model).count();
        assert!(of("cheap") > 0 && of("other") > 0, "{policy}: {} {}", of("cheap"), of("other"));
        let cost = &radar.digest()["cost"];
        assert_eq!(cost.get("judgements_skipped").and_then(Value::as_u64).unwrap_or(0), 0, "{policy}");
        assert_eq!(cost.get("budget_exhausted"), None, "{policy}: nothing is left out");
    }
}

#[test]
fn a_digest_from_which_nothing_is_left_out_is_complete_however_little_budget_is_left() {
    let api = OpenAi::start();
    let mut radar = with_fallback(&api, "1", "1", "1000");
    run(&radar).exits(0);
    let spent = rows::number(&radar, "SELECT sum(cost_microcredits) FROM provider_calls");
    radar.set("AHA_BUDGET_RUN_CREDITS", &format!("0.{:06}", spent + spent / 50));
    run(&radar).exits(0);
    assert_eq!(radar.digest()["cost"].get("budget_exhausted"), None);
}

#[test]
fn openai_settings_serve_the_tasks_that_the_catalogue_leaves_out() {
    let api = OpenAi::start();
    let radar = api.serve(with(&two_models(&format!("{}/v1/responses", api.base())))).with("OPENAI_MODEL", "general");
    run(&radar).exits(0);
    let by = |model: &str| {
        rows::query(&radar, &format!("SELECT DISTINCT purpose FROM provider_calls WHERE model = '{model}'"))
    };
    assert_eq!((by("first"), by("general")), (vec!["triage".to_owned()], vec!["deep_summary".to_owned()]));
}

#[test]
fn all_that_is_wrong_is_said_at_once() {
    let catalogue = "models:\n  openai/a: { temperature: 9 }\n  openai/b:\n    api_key: ${NOBODY}\n";
    let radar = with(catalogue).with("OPENAI_API_KEY", KEY).with("AHA_TRIAGE_BATCH_SIZE", "0");
    let ran = radar.run(&["doctor"]).exits(USAGE).says("models.yaml:2: models.openai/a.temperature");
    ran.says("models.yaml:4: models.openai/b.api_key").says("AHA_TRIAGE_BATCH_SIZE").says("NOBODY is not set");
}

#[test]
fn a_cap_wants_the_price_of_every_model() {
    let radar = with("models:\n  openai/a: {}\n").with("OPENAI_API_KEY", KEY).with("AHA_BUDGET_DAILY_CREDITS", "1");
    radar.run(&["runs"]).exits(USAGE).says("models.yaml:2: models.openai/a.prices").says("because a budget is set");
}

#[test]
fn with_local_egress_nobody_elsewhere_is_asked_and_the_digest_says_why() {
    let radar = with(&two_models("https://llm.example/v1/responses")).with("AHA_EGRESS", "local");
    run(&radar).exits(PARTIAL);
    let digest = radar.digest();
    let story = &digest["stories"][0];
    assert!(story["aha_score"].is_null(), "`local` is no stand-in: {story:#}");
    let why = digest.to_string();
    assert!(why.contains("AHA_EGRESS=local") && why.contains("llm.example"), "{why}");
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM provider_calls WHERE provider <> 'local'"), 0);
    radar.run(&["doctor"]).says("AHA_EGRESS=local").says("llm.example");
    let radar = Radar::at(NOW)
        .with("OPENAI_API_KEY", KEY)
        .with("OPENAI_MODEL", "m")
        .with("OPENAI_BASE_URL", "https://llm.example")
        .with("AHA_EGRESS", "local");
    run(&radar).exits(PARTIAL);
    assert!(radar.digest().to_string().contains("llm.example is neither on this host"));
}

#[test]
fn with_local_egress_a_model_on_this_host_is_asked_past_any_proxy() {
    let api = OpenAi::start();
    let proxied =
        |radar: Radar| radar.with("HTTP_PROXY", "http://127.0.0.1:9").with("http_proxy", "http://127.0.0.1:9");
    let base = api.base().replace("127.0.0.1", "localhost");
    let radar = proxied(with(&two_models(&format!("{base}/v1/responses"))).with("AHA_EGRESS", "local"));
    run(&radar).exits(0);
    assert!(!api.calls().is_empty());
}

#[test]
fn models_are_listed_with_their_terms_and_without_their_keys() {
    let radar = with(&two_models("http://127.0.0.1:9/v1/responses?key=secret"));
    let models = radar.json(&["llm", "models", "--json"]);
    let [first, second] = &models.as_array().unwrap()[..] else { panic!("{models:#}") };
    assert_eq!((&first["provider"], &first["model"]), (&"openai".into(), &"first".into()));
    assert_eq!((&first["host"], &first["model_on_the_wire"]), (&"127.0.0.1:9".into(), &"gpt-mock".into()));
    assert_eq!((&first["tasks"][0], &second["steps_in_for"][0]), (&"triage".into(), &"triage".into()));
    assert_eq!(second["price"]["cached_input_microcredits_per_million"], 100_000);
    assert_eq!(first["unusable"], Value::Null);
    let text = radar.ok(&["llm", "models"]);
    let doctor = radar.run(&["doctor"]);
    for said in [&text, &doctor.stdout] {
        for part in ["openai/first", "127.0.0.1:9", &KEY[KEY.len() - 4..], "1 (0.1 cached) in, 4 out", "1 at once"] {
            assert!(said.contains(part), "{part} is missing in {said}");
        }
        assert!(!said.contains(&KEY[..KEY.len() - 4]) && !said.contains("secret"), "{said}");
    }
    doctor
        .says("models.yaml describes 2 models")
        .says("names no model for deep_summary, manual_summary, entity_extract");
}

#[test]
fn a_model_that_is_not_asked_is_listed_with_the_reason() {
    let radar = with(&two_models("https://llm.example/v1/responses")).with("AHA_EGRESS", "local");
    let models = radar.json(&["llm", "models", "--json"]);
    assert!(models[0]["unusable"].as_str().unwrap().contains("AHA_EGRESS=local"), "{models:#}");
    let api = OpenAi::start();
    let radar = api.serve(Radar::at(NOW));
    let models = radar.json(&["llm", "models", "--json"]);
    assert_eq!(models.as_array().unwrap().len(), 1);
    assert_eq!((&models[0]["model"], &models[0]["configured_by"]), (&"gpt-mock".into(), &"OPENAI_…".into()));
    Radar::at(NOW).run(&["llm", "models"]).exits(0).says("no model is configured");
}
