//! Answers by a model, over the repository's own questions: a model that answers correctly from the passages it is
//! given is right in the end, and what it invents is cut.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aha_benchmark::ground_truth::{GroundTruth, Question};
use aha_benchmark::matching::{Thresholds, compare};
use axum::Json;
use axum::routing::post;
use serde_json::{Value, json};

use crate::support::radar::Radar;

const INVENTED: &str = "The harbour master pays 999 crowns for it.";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/ask")
}

fn questions() -> Vec<Question> {
    let text = std::fs::read_to_string(folder().join("ground_truth.yaml")).unwrap();
    GroundTruth::parse(&text).unwrap().questions
}

fn accepted(question: &Question) -> Vec<String> {
    question.expected_answer.iter().chain(&question.variations).cloned().collect()
}

/// What a model says that knows the answers, but only says what stands in a passage. It cites that, and adds what no
/// passage says, and what it cites a passage for that it was not given.
fn said(questions: &[Question], prompt: &str) -> Value {
    let between = |from: &str, to: &str| {
        let start = prompt.find(from).unwrap() + from.len();
        prompt[start..start + prompt[start..].find(to).unwrap()].trim().to_owned()
    };
    let asked: String = serde_json::from_str(&between("<question>", "</question>")).unwrap();
    let passages: Vec<Value> = serde_json::from_str(&between("<passages>", "</passages>")).unwrap();
    let question = questions.iter().find(|question| question.question == asked).unwrap();
    for answer in accepted(question) {
        let says = |passage: &&Value| passage["text"].as_str().unwrap().to_lowercase().contains(&answer.to_lowercase());
        if let Some(passage) = passages.iter().find(says) {
            let number = passage["number"].as_i64().unwrap();
            return json!({"is_answered": true, "sentences": [
                {"text": answer, "passages": [number]},
                {"text": INVENTED, "passages": [number]},
                {"text": answer, "passages": [99]},
            ]});
        }
    }
    json!({"is_answered": false, "sentences": []})
}

fn model(runtime: &tokio::runtime::Runtime) -> SocketAddr {
    let questions = Arc::new(questions());
    let answer = move |Json(body): Json<Value>| {
        let prompt = body["input"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap().to_owned();
        let text = said(&questions, &prompt).to_string();
        async move {
            Json(
                json!({"id": "resp_1", "object": "response", "status": "completed", "error": null, "model": "correct-1",
                "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}],
                "usage": {"input_tokens": 900, "output_tokens": 40, "total_tokens": 940}}),
            )
        }
    };
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    let app = axum::Router::new().route("/v1/responses", post(answer));
    runtime.spawn(async move { axum::serve(listener, app).await.unwrap() });
    address
}

#[test]
fn a_model_that_answers_correctly_is_right_in_the_end_and_what_it_invents_is_cut() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let radar = Radar::at("2026-11-19T07:00:00Z")
        .with("OPENAI_BASE_URL", &format!("http://{}", model(&runtime)))
        .with("OPENAI_API_KEY", "sk-answers")
        .with("OPENAI_ANSWER_MODEL", "correct")
        .with("OPENAI_CREDITS_PER_1K_INPUT_TOKENS", "1")
        .with("OPENAI_CREDITS_PER_1K_OUTPUT_TOKENS", "2");
    let documents = folder().join("documents");
    radar.run(&["source", "add", documents.to_str().unwrap(), "--type", "documents"]).exits(0);
    let answerable: Vec<Question> = questions().into_iter().filter(|q| q.expected_answer.is_some()).collect();
    let (mut right, mut wrong) = (0, Vec::new());
    for question in &answerable {
        let answered = radar.run(&["ask", "--json", &question.question]);
        if answered.code != Some(0) {
            wrong.push(question.question.clone());
            continue;
        }
        let answer = answered.json();
        let text = answer["answer"].as_str().unwrap();
        assert!(!text.contains("999") && answer["degraded"].is_null(), "{answer}");
        assert!(!answer["citations"].as_array().unwrap().is_empty(), "{answer}");
        if compare(text, &accepted(question), Thresholds::default()).is_match {
            right += 1;
        } else {
            wrong.push(format!("{}: {text}", question.question));
        }
    }
    assert!(right * 5 >= answerable.len() * 4, "{right} of {}: {wrong:#?}", answerable.len());
}
