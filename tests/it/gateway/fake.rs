//! A provider that goes wrong in every way, by lot, and keeps its own books.

use std::collections::BTreeMap;
use std::sync::Mutex;

use aha_llm::error::CallError;
use aha_llm::transport::{Timeouts, Transport, WireRequest, WireResponse, WireStream};
use async_trait::async_trait;
use serde_json::{Value, json};

use super::PRICE;
use crate::support::feeds::Random;

/// What a request comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fate {
    Good,
    Dear,
    MissingStory,
    Prose,
    TwoObjects,
    BadScore,
    Truncated,
    Filtered,
    Refusal,
    NoUsage,
    NegativeUsage,
    HugeUsage,
    FailedInBody,
    Html,
    Status(u16),
    Connect,
    TimedOut,
    Interrupted,
    TooLarge,
    Redirected,
}

pub(super) const FATES: [Fate; 29] = [
    Fate::Good,
    Fate::Good,
    Fate::Good,
    Fate::Good,
    Fate::Dear,
    Fate::MissingStory,
    Fate::MissingStory,
    Fate::Prose,
    Fate::TwoObjects,
    Fate::BadScore,
    Fate::Truncated,
    Fate::Filtered,
    Fate::Refusal,
    Fate::NoUsage,
    Fate::NegativeUsage,
    Fate::HugeUsage,
    Fate::FailedInBody,
    Fate::Html,
    Fate::Status(429),
    Fate::Status(503),
    Fate::Status(500),
    Fate::Status(502),
    Fate::Status(400),
    Fate::Status(401),
    Fate::Connect,
    Fate::TimedOut,
    Fate::Interrupted,
    Fate::TooLarge,
    Fate::Redirected,
];

/// What the fake provider has done.
#[derive(Debug)]
pub(super) struct Books {
    random: Random,
    pub(super) fates: BTreeMap<Fate, usize>,
    /// What each exchange cost that tells its usage, by its id.
    pub(super) billed: BTreeMap<String, i64>,
    pub(super) requests: usize,
}

#[derive(Debug)]
pub(super) struct Fake(pub(super) Mutex<Books>);

impl Fake {
    pub(super) fn seeded(seed: u64) -> Self {
        Self(Mutex::new(Books { random: Random(seed), fates: BTreeMap::new(), billed: BTreeMap::new(), requests: 0 }))
    }
}

#[async_trait]
impl Transport for Fake {
    async fn open(&self, request: &WireRequest, _: Timeouts) -> Result<WireStream, CallError> {
        let answer = self.0.lock().unwrap().answer(request);
        tokio::task::yield_now().await;
        answer.map(WireStream::from)
    }
}

impl Books {
    fn answer(&mut self, request: &WireRequest) -> Result<WireResponse, CallError> {
        self.requests += 1;
        let fate = FATES[usize::try_from(self.random.below(FATES.len() as u64)).unwrap()];
        *self.fates.entry(fate).or_default() += 1;
        let why = || "on order".to_owned();
        let (status, body) = match fate {
            Fate::Connect => return Err(CallError::Connect(why())),
            Fate::TimedOut => return Err(CallError::TimedOut(1)),
            Fate::Interrupted => return Err(CallError::Interrupted(why())),
            Fate::TooLarge => return Err(CallError::TooLarge(32)),
            Fate::Redirected => return Err(CallError::Redirected(why())),
            Fate::Html => (200, "<html>".to_owned()),
            Fate::Status(status) => (status, json!({ "error": { "message": "on order" } }).to_string()),
            _ => (200, self.said(fate, request).to_string()),
        };
        Ok(WireResponse { status, body: body.into_bytes(), ..WireResponse::default() })
    }

    fn said(&mut self, fate: Fate, request: &WireRequest) -> Value {
        let asked: Value = serde_json::from_slice(&request.body).unwrap();
        let prompt = asked["input"][0]["content"].as_str().unwrap();
        let text = match fate {
            Fate::Prose => "I'd rather not {".to_owned(),
            Fate::TwoObjects => format!("{} {{\"results\": []}}", results(prompt, fate)),
            Fate::Truncated | Fate::Filtered => "{\"results\": [".to_owned(),
            _ => results(prompt, fate).to_string(),
        };
        let id = format!("resp_{}", self.requests);
        let most = asked["max_output_tokens"].as_i64().unwrap();
        let (input, output) = match fate {
            // More than can be: a server that counts otherwise than we do.
            Fate::Dear => (i64::try_from(request.body.len()).unwrap() * 3, most * 2),
            Fate::NegativeUsage => (-5, 10),
            Fate::HugeUsage => (1_000_000_000_000_000, 10),
            _ => (i64::try_from(request.body.len()).unwrap() / 4, 60),
        };
        if !matches!(fate, Fate::NoUsage | Fate::NegativeUsage | Fate::HugeUsage | Fate::FailedInBody) {
            self.billed.insert(id.clone(), input * PRICE.0 + output * PRICE.1);
        }
        let part = match fate {
            Fate::Refusal => json!({ "type": "refusal", "refusal": "No." }),
            _ => json!({ "type": "output_text", "text": text }),
        };
        let mut body = json!({
            "id": id, "status": "completed", "output": [{ "type": "message", "content": [part] }],
            "usage": { "input_tokens": input, "output_tokens": output },
        });
        match fate {
            Fate::NoUsage => body["usage"] = Value::Null,
            Fate::FailedInBody => {
                body["usage"] = Value::Null;
                body["error"] = json!({ "code": "server_error", "message": "on order" });
            }
            Fate::Truncated | Fate::Filtered => {
                let reason = if fate == Fate::Filtered { "content_filter" } else { "max_output_tokens" };
                body["status"] = json!("incomplete");
                body["incomplete_details"] = json!({ "reason": reason });
            }
            _ => {}
        }
        body
    }
}

/// One verdict for each story in the prompt, but for what goes wrong.
fn results(prompt: &str, fate: Fate) -> Value {
    let (_, rest) = prompt.rsplit_once("<stories>").unwrap();
    let stories: Vec<Value> = serde_json::from_str(rest.split_once("</stories>").unwrap().0).unwrap();
    let mut results: Vec<Value> = stories
        .iter()
        .map(|story| {
            json!({ "id": story["id"], "aha_score": 50, "reason": "r", "is_relevant": true, "is_novel": true,
                    "categories": [], "should_deep_summarize": false })
        })
        .collect();
    match fate {
        Fate::MissingStory => drop(results.remove(0)),
        Fate::BadScore => results[0]["aha_score"] = json!(101),
        _ => {}
    }
    json!({ "results": results })
}
