//! The provider's mind: a request goes in, it is written down, answered and charged, and a reply comes out.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::answer::{self, Scores, draw};
use super::call::Call;
use super::charges::{Bill, Line, Price};
use super::embeddings;
use super::envelope::{self, Draft, Ending, Tokens};
use super::errors::Refused;
use super::fault::Fault;
use super::fault_effects;
use super::recorded;
use super::script::Script;
use super::server::KEY;
use super::strict;
use super::wire::{End, Reply, Request};

/// All that a test has set and all that has happened.
#[derive(Debug)]
pub struct Provider {
    pub script: Script,
    pub scores: Scores,
    pub latency: Duration,
    /// Answers wait until so many calls have come.
    pub together: usize,
    pub dimension: usize,
    pub usual_price: Price,
    pub prices: BTreeMap<String, Price>,
    pub calls: Vec<Call>,
    pub bill: Bill,
    pub breaches: Vec<String>,
}

impl Default for Provider {
    fn default() -> Self {
        Self {
            script: Script::default(),
            scores: Scores::new(),
            latency: Duration::ZERO,
            together: 0,
            dimension: 64,
            usual_price: Price::USUAL,
            prices: BTreeMap::new(),
            calls: Vec::new(),
            bill: Bill::default(),
            breaches: Vec::new(),
        }
    }
}

/// What a call comes to.
struct Outcome {
    fault: Option<Fault>,
    answer: Value,
    reply: Reply,
}

impl From<Refused> for Outcome {
    fn from(refused: Refused) -> Self {
        let (answer, reply) = refused.reply();
        Self { fault: None, answer, reply }
    }
}

impl Provider {
    /// `elsewhere` is the other host that a redirection leads to.
    pub fn receive(&mut self, request: Request, in_flight: usize, elsewhere: &str) -> Reply {
        let mut call = Call {
            number: self.calls.len() + 1,
            path: request.path,
            headers: request.headers,
            body: serde_json::from_slice(&request.body).unwrap_or_default(),
            bytes: request.body.len(),
            arrived: Instant::now(),
            in_flight,
            fault: None,
            status: 0,
            answer: Value::Null,
        };
        let outcome = match self.objection(&request.method, &call) {
            Some(refused) => refused.into(),
            None => self.outcome(&call, elsewhere),
        };
        let mut reply = outcome.reply;
        reply.after += self.latency;
        reply.headers.push(("x-request-id", envelope::id("req", &call)));
        reply.headers.push(("openai-version", "2020-10-01".to_owned()));
        (call.fault, call.status, call.answer) = (outcome.fault, reply.status, outcome.answer);
        self.calls.push(call);
        reply
    }

    /// What every server would object to, and what ours notes besides.
    fn objection(&mut self, method: &str, call: &Call) -> Option<Refused> {
        let authorization = call.headers.get("authorization").map_or("", String::as_str);
        if authorization.strip_prefix("Bearer ") != Some(KEY) {
            return Some(Refused::wrong_key(authorization));
        }
        let is_known = call.path.ends_with("/responses") || call.is_embedding();
        let breaches = match (method, is_known, call.body.is_object()) {
            ("POST", true, true) => strict::breaches(call),
            ("POST", true, false) => vec![format!("call {}: the body is no JSON object", call.number)],
            _ => vec![format!("call {}: {method} {} is not served here", call.number, call.path)],
        };
        if !breaches.is_empty() {
            let refused = Refused::invalid(&breaches.join("; "));
            self.breaches.extend(breaches);
            return Some(refused);
        }
        let chats = call.is_embedding() && !call.model().contains("embed");
        let message = "You are not allowed to generate embeddings from this model";
        chats.then(|| Refused::new(403, "invalid_request_error", None, message))
    }

    fn outcome(&mut self, call: &Call, elsewhere: &str) -> Outcome {
        let earlier = self.calls.iter().filter(|other| other.path == call.path && other.body == call.body).count();
        let fault = self.script.fault_for(call, earlier);
        let outcome = match refusal(fault.as_ref(), call) {
            Some(refused) => refused.into(),
            None if fault == Some(Fault::Redirect) => redirection(&format!("{elsewhere}{}", call.path)),
            None => self.answered(call, fault.as_ref(), earlier),
        };
        Outcome { fault, ..outcome }
    }

    /// What a model has worked on.
    fn answered(&mut self, call: &Call, fault: Option<&Fault>, earlier: usize) -> Outcome {
        let (status, mut answer, input, output) = self.said(call, fault, earlier);
        if fault.is_none_or(Fault::is_billed) {
            self.charge(call, input, output);
        }
        if let Some(fault) = fault {
            fault_effects::spoil_usage(fault, &mut answer);
        }
        let headers = vec![("content-type", "application/json".to_owned())];
        let body = answer.to_string().into_bytes();
        let mut reply = Reply { status, headers, body, after: Duration::ZERO, end: End::Whole };
        if let Some(fault) = fault {
            fault_effects::spoil_reply(fault, &mut reply);
        }
        Outcome { fault: None, answer, reply }
    }

    /// The status, the body, and the tokens used, in and out.
    fn said(&self, call: &Call, fault: Option<&Fault>, earlier: usize) -> (u16, Value, u64, u64) {
        if let Some(Fault::Recorded(name)) = fault {
            let (status, body) = recorded::read(name);
            let (input, output) = recorded::tokens(&body);
            return (status, body, input, output);
        }
        let input = u64::try_from(call.bytes.div_ceil(4)).unwrap();
        if call.is_embedding() {
            return (200, embeddings::response(call, self.dimension, input, fault), input, 0);
        }
        let draft = draft(call, &self.scores, fault, Tokens::for_input(input, earlier > 0));
        (200, envelope::response(call, &draft), input, draft.tokens.output)
    }

    fn charge(&mut self, call: &Call, input_tokens: u64, output_tokens: u64) {
        let price = self.prices.get(call.model()).copied().unwrap_or(self.usual_price);
        let microcredits = price.cost(input_tokens, output_tokens);
        self.bill.charge(
            call.model(),
            call.schema_name(),
            Line { calls: 1, input_tokens, output_tokens, microcredits },
        );
    }
}

fn refusal(fault: Option<&Fault>, call: &Call) -> Option<Refused> {
    Some(match fault? {
        Fault::Status(status) => Refused::usual(*status, call),
        Fault::ModelNotFound => Refused::model_not_found(call),
        Fault::RateLimited(retry_after) => Refused::rate_limited(retry_after.clone()),
        Fault::InsufficientQuota => Refused::insufficient_quota(),
        _ => return None,
    })
}

fn redirection(location: &str) -> Outcome {
    let headers = vec![("location", location.to_owned())];
    let reply = Reply { status: 307, headers, body: Vec::new(), after: Duration::ZERO, end: End::Whole };
    Outcome { fault: None, answer: Value::Null, reply }
}

/// What the model says, never longer than allowed: what does not fit is cut off, as the provider does.
fn draft(call: &Call, scores: &Scores, fault: Option<&Fault>, mut tokens: Tokens) -> Draft {
    let cap = call.max_output_tokens();
    let mut object = answer::object(call, scores);
    if let (Some(fault), Some(object)) = (fault, &mut object) {
        fault_effects::spoil_object(fault, object);
    }
    let text = object.map_or_else(|| format!("Text by the mock ({}).", draw(&call.prompt()) % 1000), |o| o.to_string());
    let ending = Ending::Completed;
    let mut draft = Draft { text, refusal: None, message: true, ending, tokens };
    if let Some(fault) = fault {
        fault_effects::spoil_draft(fault, &mut draft);
    }
    let said = u64::try_from(draft.text.len().div_ceil(4)).unwrap();
    tokens.reasoning = if draw(&call.prompt()).is_multiple_of(4) { 8.min(cap.saturating_sub(said)) } else { 0 };
    tokens.output = (said + tokens.reasoning).min(cap);
    if said > cap {
        draft.text.truncate(draft.text.floor_char_boundary(usize::try_from(cap * 4).unwrap()));
        draft.ending = Ending::Incomplete("max_output_tokens");
    }
    if matches!(fault, Some(Fault::Incomplete | Fault::CutAtCap)) {
        tokens.output = cap;
    }
    Draft { tokens, ..draft }
}

impl Tokens {
    /// A prompt that came before is read from the cache in blocks of 128 tokens, from 1024 on.
    fn for_input(input: u64, came_before: bool) -> Self {
        let cached = if came_before && input >= 1024 { input / 128 * 128 } else { 0 };
        Self { input, cached, output: 0, reasoning: 0 }
    }
}
