//! What the mock does when nothing goes wrong.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::requests::{ask, embed, object, post, triage, wanting};
use crate::support::radar::Radar;
use crate::support::responses::{Bill, Call, KEY, Line, MODEL, OpenAi, Price, Story};

#[tokio::test]
async fn each_story_gets_the_same_result_in_any_batch() {
    let api = OpenAi::start();
    api.score("Lighthouse", 97);
    let both = ask(&api, &triage(&["A <b>tram</b> was late", "Lighthouse found"])).await.unwrap().object();
    let alone = ask(&api, &triage(&["Lighthouse found"])).await.unwrap().object();
    assert_eq!((&both["results"][0]["id"], &both["results"][1]["id"]), (&json!("s1"), &json!("s2")));
    assert_eq!(alone["results"][0]["aha_score"], 97);
    assert_eq!(without_id(&both["results"][1]), without_id(&alone["results"][0]));
    assert!(both["results"][0]["aha_score"].as_u64().unwrap() <= 100);
    let told = Story { id: "s1".to_owned(), title: "A <b>tram</b> was late".to_owned() };
    assert_eq!(api.calls()[0].stories().unwrap()[0], told);
    api.finish();
}

fn without_id(result: &Value) -> Value {
    let mut result = result.clone();
    result["id"] = Value::Null;
    result
}

#[tokio::test]
async fn other_schemas_get_one_object_that_fits() {
    let api = OpenAi::start();
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let mut schema = object(&json!({ "one_liner": { "type": "string" }, "bullets": texts, "odd": { "anyOf": [
        { "$ref": "#/$defs/odd" }, { "type": "null" } ] } }));
    schema["$defs"] = json!({ "odd": object(&json!({ "kind": { "type": "string", "enum": ["b", "c"] } })) });
    let answered = ask(&api, &wanting("deep_summary_v1", &schema, "Sum up.", "A text.")).await.unwrap();
    assert!(jsonschema::is_valid(&schema, &answered.object()), "{answered:?}");
    assert_eq!(answered.object()["odd"]["kind"], "b");
    assert_eq!(answered.json()["model"], "gpt-mock-2026-01-01");
    assert!(answered.headers.contains_key("x-request-id"));
}

#[tokio::test]
async fn the_bill_is_the_usage_at_the_price() {
    let api = OpenAi::start();
    api.price("dear", Price { input: 3_000_000, output: 5_000_001 });
    let mut asked = triage(&["One", "Two"]);
    asked["model"] = json!("dear");
    let usage = ask(&api, &asked).await.unwrap().json()["usage"].clone();
    let (input, output) = (usage["input_tokens"].as_u64().unwrap(), usage["output_tokens"].as_u64().unwrap());
    assert_eq!(input, u64::try_from(asked.to_string().len()).unwrap().div_ceil(4));
    let microcredits = (input * 3_000_000 + output * 5_000_001).div_ceil(1_000_000);
    let line = Line { calls: 1, input_tokens: input, output_tokens: output, microcredits };
    let bill: Bill = api.bill();
    assert_eq!((bill.total, bill.by_model["dear"], bill.by_schema["triage_v1"]), (line, line, line));
}

#[tokio::test]
async fn an_answer_that_is_too_long_is_cut_off() {
    let api = OpenAi::start();
    let mut asked = triage(&["One", "Two"]);
    asked["max_output_tokens"] = json!(16);
    let answered = ask(&api, &asked).await.unwrap();
    assert_eq!(answered.json()["status"], "incomplete");
    assert_eq!(answered.json()["incomplete_details"]["reason"], "max_output_tokens");
    assert_eq!(answered.json()["usage"]["output_tokens"], 16);
    assert_eq!(answered.text().len(), 64);
}

#[tokio::test]
async fn calls_at_once_are_counted_and_take_their_time() {
    let api = OpenAi::start();
    api.latency(Duration::from_millis(200));
    let (asked, start) = (triage(&["One"]), Instant::now());
    let answers = tokio::join!(ask(&api, &asked), ask(&api, &asked), ask(&api, &asked));
    assert!(answers.0.is_ok() && answers.1.is_ok() && answers.2.is_ok());
    let calls: Vec<Call> = api.calls();
    assert!(start.elapsed() >= Duration::from_millis(200) && calls[2].arrived >= calls[0].arrived);
    assert_eq!((api.max_in_flight(), api.bill().total.calls), (3, 3));
    api.wait_for_calls(3);
}

#[tokio::test]
async fn texts_that_share_words_are_alike() {
    let api = OpenAi::start();
    api.dimension(32);
    let texts = ["the lighthouse of Hook", "Lighthouse of hook, the", "the lighthouse at noon", "quarterly results"];
    let answer = embed(&api, "text-embedding-mock", &texts).await.unwrap().json();
    let vector = |place: usize| -> Vec<f64> {
        assert_eq!(answer["data"][place]["index"], place);
        serde_json::from_value(answer["data"][place]["embedding"].clone()).unwrap()
    };
    let likeness =
        |a: usize, b: usize| -> f64 { vector(a).iter().zip(vector(b)).map(|(left, right)| left * right).sum() };
    assert_eq!(vector(0).len(), 32);
    assert!((likeness(0, 1) - 1.0).abs() < 1e-9 && likeness(0, 2) > likeness(0, 3) + 0.2);
    assert_eq!(api.bill().by_schema["embeddings"].calls, 1);
    let refused = embed(&api, MODEL, &texts).await.unwrap();
    assert_eq!((refused.status, api.bill().total.calls), (403, 1));
}

#[tokio::test]
async fn requests_that_break_the_rules_are_refused_and_noted() {
    let api = OpenAi::start();
    let breaking = [
        (vec!["store"], json!(true), "store is not false"),
        (vec!["max_output_tokens"], json!(15), "max_output_tokens"),
        (vec!["text", "format", "strict"], json!(false), "strict is not true"),
        (vec!["text", "format", "name"], json!("triage v1"), "text.format.name"),
        (vec!["text", "format", "schema", "additionalProperties"], json!(true), "additionalProperties: false"),
        (vec!["text", "format", "schema", "required"], json!([]), "does not require results"),
        (vec!["text", "format", "schema", "properties", "results", "minLength"], json!(1), "minLength"),
        (vec!["input"], json!("Nothing to judge."), "<stories>"),
    ];
    for (path, value, said) in breaking {
        let mut asked = triage(&["One"]);
        *path.iter().fold(&mut asked, |part, name| &mut part[*name]) = value;
        let refused = ask(&api, &asked).await.unwrap();
        let breaches = api.take_breaches();
        assert!(refused.status == 400 && refused.body.contains(said), "{refused:?}");
        assert!(breaches.len() == 1 && breaches[0].contains(said), "{breaches:?}");
    }
    assert_eq!(post(&api, "/v1/v2", KEY, &json!({})).await.unwrap().status, 400);
    assert_eq!(api.take_breaches(), ["call 9: POST /v1/v2 is not served here"]);
    assert_eq!(post(&api, "/v1/responses", "sk-other", &triage(&["One"])).await.unwrap().status, 401);
    assert_eq!((api.bill().total, api.take_breaches().len()), (Line::default(), 0));
}

#[test]
fn an_installation_is_pointed_at_the_mock() {
    let api = OpenAi::start();
    let radar = api.serve(Radar::at("2026-01-01T00:00:00Z"));
    let command = radar.command(&[]);
    let set = |name: &str| {
        let value = command.get_envs().find(|(known, _)| *known == name).unwrap().1.unwrap();
        value.to_string_lossy().into_owned()
    };
    assert_eq!((set("OPENAI_BASE_URL"), set("OPENAI_API_KEY")), (api.base().to_owned(), KEY.to_owned()));
    assert_eq!(set("OPENAI_CREDITS_PER_1K_OUTPUT_TOKENS"), "0.004000000");
}
