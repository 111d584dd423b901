//! What the dialects send, held against the providers' own specifications, which are not part of the repository:
//! `scripts/acceptance.sh` names them.

use std::path::Path;

use aha_llm::provider::{self, AnswerFormat, Capabilities, EmbedRequest, ModelRequest, Role, Sampling, Server, Turn};
use aha_llm::schema;
use aha_llm::settings::Effort;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use crate::support::responses::Specification;
use aha_llm::tasks::{deep_summary, entity_extract, triage};

/// Requests that differ in everything that can differ.
fn requests() -> Vec<ModelRequest> {
    let schemas = [triage::TASK, deep_summary::TASK, entity_extract::TASK].map(|task| AnswerFormat::Schema {
        name: task.as_str().to_owned(),
        schema: schema::wire_schema(task).unwrap(),
    });
    let formats = schemas.into_iter().chain([AnswerFormat::Json, AnswerFormat::Text]);
    let efforts = [None, Some(Effort::None), Some(Effort::Low), Some(Effort::Medium), Some(Effort::High)];
    let mut requests = Vec::new();
    for (number, format) in formats.enumerate() {
        for (model, effort) in
            efforts.into_iter().flat_map(|effort| ["qwen3", "gpt-5.1", "gpt-oss"].map(|m| (m, effort)))
        {
            for stream in [false, true] {
                let mut request =
                    ModelRequest::question(model, "Judge.".to_owned(), "[]".to_owned(), format.clone(), 250);
                if stream {
                    let said = |role, content: &str| Turn { role, content: content.to_owned() };
                    request.turns.extend([said(Role::Assistant, "{}"), said(Role::User, "Not quite.")]);
                    request.sampling = Sampling { temperature: Some(0.5), top_p: Some(0.9) };
                }
                let capabilities = Capabilities { strict_schema: number != 1, ..Capabilities::default() };
                requests.push(ModelRequest { effort, stream, capabilities, ..request });
            }
        }
    }
    requests
}

/// Encodes all requests in a dialect, and holds the bodies against a schema of the specification that a variable names.
fn all_fit(dialect: &str, own: &Value, variable: &str, schema: &str) {
    let specification = Specification::read(Path::new(&std::env::var(variable).unwrap()));
    let dialect = provider::by_name(dialect).unwrap();
    let server = Server { endpoint: "http://127.0.0.1/".parse().unwrap(), key: None, headers: HeaderMap::new() };
    let known = specification.fields(schema);
    let mut problems = Vec::new();
    for mut request in requests() {
        request.provider_specific.clone_from(own.as_object().unwrap());
        let body: Value = serde_json::from_slice(&dialect.encode(&request, &server).unwrap().body).unwrap();
        let strange = body.as_object().unwrap().keys().filter(|name| !known.contains(*name));
        problems.extend(strange.map(|name| format!("{name} is no field of {schema}")));
        let found = specification.violations(schema, &body);
        problems.extend(found.into_iter().map(|violation| format!("{violation} in {body}")));
    }
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
#[ignore = "reads a file outside of the repository"]
fn every_response_request_fits() {
    all_fit("openai", &json!({"service_tier": "flex"}), "AHA_TEST_OPENAI_SPEC", "CreateResponse");
}

#[test]
#[ignore = "reads a file outside of the repository"]
fn every_chat_completion_request_fits() {
    all_fit("openai_compatible", &json!({"seed": 7}), "AHA_TEST_OPENAI_SPEC", "CreateChatCompletionRequest");
}

#[test]
#[ignore = "reads a file outside of the repository"]
fn every_ollama_request_fits() {
    let own = json!({"num_ctx": 32768, "keep_alive": "5m", "options": {"seed": 7}});
    all_fit("ollama", &own, "AHA_TEST_OLLAMA_SPEC", "ChatRequest");
}

/// The same of requests for vectors.
fn all_vectors_fit(dialect: &str, own: &Value, variable: &str, schema: &str) {
    let specification = Specification::read(Path::new(&std::env::var(variable).unwrap()));
    let server = Server { endpoint: "http://127.0.0.1/".parse().unwrap(), key: None, headers: HeaderMap::new() };
    let (known, own) = (specification.fields(schema), own.as_object().unwrap());
    for dimensions in [None, Some(256)] {
        let request = EmbedRequest { model: "m", texts: &["one", "two"], dimensions, provider_specific: own };
        let wire = provider::embedder_by_name(dialect).unwrap().encode(&request, &server).unwrap();
        let body: Value = serde_json::from_slice(&wire.body).unwrap();
        assert!(body.as_object().unwrap().keys().all(|name| known.contains(name)), "{body}");
        assert_eq!(specification.violations(schema, &body), Vec::<String>::new(), "{body}");
    }
}

#[test]
#[ignore = "reads a file outside of the repository"]
fn every_request_for_vectors_fits() {
    let (openai, ollama) = ("AHA_TEST_OPENAI_SPEC", "AHA_TEST_OLLAMA_SPEC");
    all_vectors_fit("openai", &json!({"user": "u"}), openai, "CreateEmbeddingRequest");
    all_vectors_fit("openai_compatible", &json!({}), openai, "CreateEmbeddingRequest");
    all_vectors_fit("ollama", &json!({"num_ctx": 2048, "keep_alive": "5m"}), ollama, "EmbedRequest");
}

/// A check that finds nothing wrong with anything would be none.
#[test]
#[ignore = "reads a file outside of the repository"]
fn what_does_not_fit_is_found() {
    for (variable, schema) in
        [("AHA_TEST_OPENAI_SPEC", "CreateChatCompletionRequest"), ("AHA_TEST_OLLAMA_SPEC", "ChatRequest")]
    {
        let specification = Specification::read(Path::new(&std::env::var(variable).unwrap()));
        let wrong = json!({"model": "m", "messages": [{"role": "user", "content": "?"}], "stream": "yes"});
        assert!(!specification.violations(schema, &wrong).is_empty(), "{schema}");
    }
}
