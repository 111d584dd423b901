//! The mock and requests like ours held against the provider's specification, which is not part of the repository.

use std::path::PathBuf;

use serde_json::json;

use super::requests::{ask, embed, post, triage};
use crate::support::responses::{Fault, KEY, OpenAi, Reported, When};

fn specification() -> PathBuf {
    let name = "AHA_TEST_OPENAI_SPEC";
    PathBuf::from(std::env::var_os(name).unwrap_or_else(|| panic!("{name} is not set: the path of openai.json")))
}

#[tokio::test]
#[ignore = "needs AHA_TEST_OPENAI_SPEC; scripts/acceptance.sh sets it"]
async fn requests_and_answers_fit() {
    let api = OpenAi::start();
    let conform = [
        Fault::Incomplete,
        Fault::ContentFilter,
        Fault::CutAtCap,
        Fault::Refusal,
        Fault::EmptyText,
        Fault::NoOutput,
        Fault::Usage(Reported::Huge),
    ];
    for (place, fault) in conform.iter().enumerate() {
        assert!(fault.is_conform(), "{fault:?}");
        api.fault(When::call(place + 1), fault.clone());
    }
    for number in 0..conform.len() + 8 {
        ask(&api, &triage(&[&format!("Story {number}"), "Another"])).await.unwrap();
    }
    let mut plain = triage(&["One"]);
    plain.as_object_mut().unwrap().shift_remove("text");
    plain["input"] = json!([{ "role": "developer", "content": [{ "type": "input_text", "text": "Say hello." }] }]);
    plain["reasoning"] = json!({ "effort": "low" });
    assert_eq!(ask(&api, &plain).await.unwrap().status, 200);
    embed(&api, "text-embedding-mock", &["one", "two"]).await.unwrap();
    post(&api, "/v1/embeddings", KEY, &json!({ "model": "text-embedding-mock", "input": "one", "dimensions": 8 }))
        .await
        .unwrap();
    api.validate_against(&specification());
}

#[tokio::test]
#[ignore = "needs AHA_TEST_OPENAI_SPEC; scripts/acceptance.sh sets it"]
#[should_panic(expected = "call 1")]
async fn a_request_that_does_not_fit_is_found() {
    let api = OpenAi::start();
    let mut asked = triage(&["One"]);
    asked["truncation"] = json!("somehow");
    ask(&api, &asked).await.unwrap();
    api.validate_against(&specification());
}
