//! One cell of the table: a server that does one thing in one dialect, and a call to it.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use aha_llm::error::{CallError, Charge};
use aha_llm::exchange::{EncodedRequest, ExchangeEvent, ExchangeResult};
use aha_llm::provider::{self, AnswerFormat, ModelRequest, Server};
use aha_llm::retry;
use aha_llm::retry_policy::STANDARD;
use aha_llm::router::Connection;
use aha_llm::streaming_only::StreamingOnly;
use aha_llm::transport::{Http, Timeouts};
use aha_llm::{ModelRef, answer};
use futures::StreamExt as _;
use reqwest::header::HeaderMap;
use secrecy::SecretString;
use tokio::io::BufReader;
use tokio::net::TcpListener;

use super::dialects::Dialect;
use super::rows::{self, Cost, Deed, Expected, Row, Then};
use crate::support::responses::wire::{self, End, Reply, Request};
use aha_llm::tasks::triage;

/// Used in all cells, said again by the servers wherever they can, and never to be seen in what comes out.
pub const KEY: &str = "sk-canary/4f9d-7b1e+2c";
/// 2026-11-22T08:00:00Z.
const NOW: Duration = Duration::from_hours(498_704);
const PAGE: &str = "<html>\n<head><title>Hello</title></head>\n<body>{\"a\": 1}</body>\n</html>\n";

pub struct Cell {
    pub row: Row,
    pub dialect: &'static dyn Dialect,
    pub stream: bool,
}

impl Cell {
    pub fn name(&self) -> String {
        let way = if self.stream { "streamed" } else { "whole" };
        format!("{}, {} {way}", self.row.name, self.dialect.name())
    }

    /// What came of it, and what was wrong on the way.
    pub async fn play(&self, http: &Http) -> (Expected, Vec<String>) {
        // A port that is given up may be another cell's next, so nobody is away where others listen.
        let is_away = matches!(self.row.deed, Deed::Away);
        let here = TcpListener::bind(if is_away { "127.0.0.3:0" } else { "127.0.0.1:0" }).await.unwrap();
        let there = TcpListener::bind("127.0.0.2:0").await.unwrap();
        let reply = self.reply(&format!("http://{}/v1", there.local_addr().unwrap()));
        let endpoint = format!("http://{}{}", here.local_addr().unwrap(), self.dialect.path());
        let (requests, strays) = (Arc::default(), Arc::default());
        let serving = if let Some(reply) = reply {
            vec![serve(here, reply, Arc::clone(&requests)), serve(there, lost(), Arc::clone(&strays))]
        } else {
            drop(here);
            Vec::new()
        };
        let called = call(http, self.dialect.name(), &endpoint, self.stream, self.row.timeouts()).await;
        serving.iter().for_each(tokio::task::JoinHandle::abort);
        let mut problems = self.key_problems(&called);
        problems.extend(self.request_problems(&requests.lock().unwrap(), !is_away));
        let strays = strays.lock().unwrap();
        problems.extend(strays.iter().map(|stray: &Request| format!("another host was asked: {stray:?}")));
        (called.judged(), problems)
    }

    /// A careless server quotes the key wherever there is room for it, and colours its words.
    fn message(&self) -> String {
        format!("no, \u{1b}[31m{KEY}\u{7} is not for {}", self.row.name)
    }

    /// None: it is not there.
    fn reply(&self, elsewhere: &str) -> Option<Reply> {
        let json = "application/json; charset=utf-8".to_owned();
        let answer_type = if self.stream { self.dialect.stream_type().to_owned() } else { json.clone() };
        // As some servers write it: the same JSON, in which nobody finds the key by looking for its letters.
        let body = |value: &serde_json::Value| value.to_string().replace('/', "\\/").into_bytes();
        let say = |answer| {
            if self.stream { self.dialect.stream(answer).into_bytes() } else { body(&self.dialect.whole(answer)) }
        };
        let mut end = End::Whole;
        let mut headers = vec![("x-request-id", format!("req-{KEY}"))];
        let (status, kind, body) = match &self.row.deed {
            Deed::Away => return None,
            Deed::Refuse(status, word, header) => {
                headers.extend(header.map(|(name, value)| (name, value.to_owned())));
                (*status, json, body(&self.dialect.error(*status, word, &self.message())))
            }
            Deed::Page(status) => (*status, "text/html".to_owned(), PAGE.as_bytes().to_vec()),
            Deed::Nothing => (200, answer_type, Vec::new()),
            Deed::Redirect => {
                headers.push(("location", elsewhere.to_owned()));
                (307, json, Vec::new())
            }
            Deed::Fail if self.stream => (200, answer_type, self.dialect.failing_stream(&self.message()).into_bytes()),
            Deed::Fail => (200, answer_type, body(&self.dialect.failing_whole(&self.message()))),
            Deed::Travel(how) => {
                end = *how;
                (200, answer_type, say(&rows::good(KEY)))
            }
            Deed::Say(answer) => (200, answer_type, say(answer)),
        };
        headers.push(("content-type", kind));
        Some(Reply { status, headers, body, after: Duration::ZERO, end })
    }

    /// Where the key is seen, and what else is shown that must not be.
    fn key_problems(&self, called: &Called) -> Vec<String> {
        let error = called.exchanged.reply.outcome.as_ref().err().map(CallError::to_string).unwrap_or_default();
        let mut problems = Vec::new();
        for (place, text) in [("Debug", &called.shown), ("the error", &error)] {
            if text.contains(KEY) {
                problems.push(format!("the key is in {place}: {text}"));
            }
        }
        let quotes = matches!(self.row.deed, Deed::Refuse(..) | Deed::Fail);
        let said = called.exchanged.reply.outcome.as_ref().map_or(&error, |text| text);
        if (quotes || called.exchanged.reply.outcome.is_ok()) && !said.contains("***") {
            problems.push(format!("the key was not even quoted: {said}"));
        }
        if error.chars().any(char::is_control) {
            problems.push(format!("the error holds control characters: {error:?}"));
        }
        if self.stream && called.heard != called.exchanged.streamed {
            problems.push("what was heard is not what was streamed".to_owned());
        }
        problems
    }

    /// A call asks once, with the key in its header and nowhere else.
    fn request_problems(&self, requests: &[Request], expects_request: bool) -> Vec<String> {
        let mut problems = Vec::new();
        if requests.len() != usize::from(expects_request) {
            problems.push(format!("{} requests", requests.len()));
        }
        for request in requests {
            let (header, before) = self.dialect.key_header();
            if request.headers.get(header).and_then(|value| value.strip_prefix(before)) != Some(KEY) {
                problems.push(format!("the key is not in {header}: {:?}", request.headers));
            }
            let others = request.headers.iter().filter(|(name, _)| *name != header);
            let elsewhere = others.map(|(_, value)| value.as_str()).chain([request.path.as_str()]);
            let body = String::from_utf8_lossy(&request.body);
            if elsewhere.chain([&*body]).any(|text| text.contains(KEY)) {
                problems.push("the key is not in its header alone".to_owned());
            }
        }
        problems
    }
}

/// Asks a server, as the gateway would.
pub async fn call(http: &Http, dialect: &str, endpoint: &str, stream: bool, timeouts: Timeouts) -> Called {
    let dialect = provider::by_name(dialect).unwrap();
    let key = Some(SecretString::from(KEY));
    let server = Server { endpoint: endpoint.parse().unwrap(), key, headers: HeaderMap::new() };
    let wire = Connection { dialect, server, timeouts, streaming_only: StreamingOnly::default() };
    let format =
        AnswerFormat::Schema { name: "triage_v1".to_owned(), schema: serde_json::json!({"type": "object"}).into() };
    let question = ModelRequest::question("m", "Judge.".to_owned(), "[]".to_owned(), format, rows::MOST);
    let request = ModelRequest { stream, ..question };
    let encoded = EncodedRequest::new(&wire, request).unwrap();
    let now = SystemTime::UNIX_EPOCH + NOW;
    let mut events: Vec<_> = encoded.exchange(http, now).collect().await;
    let Some(ExchangeEvent::Ended(exchanged)) = events.pop() else { panic!("it did not end: {events:?}") };
    let heard = events.iter().map(|event| match event {
        ExchangeEvent::Text(piece) => piece.as_str(),
        ExchangeEvent::Ended(_) => panic!("it ended twice"),
    });
    let heard: String = heard.collect();
    let shown = format!("{wire:?} {encoded:?} {http:?} {exchanged:?} {heard}");
    Called { exchanged, heard, shown }
}

pub struct Called {
    pub exchanged: ExchangeResult,
    /// All pieces of a stream, as they were handed on.
    heard: String,
    /// What may come to be printed.
    shown: String,
}

impl Called {
    /// As the gateway goes on with it.
    fn judged(self) -> Expected {
        let by = ModelRef { provider: "p".to_owned(), model: "m".to_owned() };
        let reply = self.exchanged.reply;
        let at_limit = reply.at_limit(rows::MOST);
        let read = |text: String| answer::read(triage::TASK, "triage_v1", &by, rows::STORIES, &text, at_limit);
        match (reply.outcome.and_then(read), reply.usage) {
            (Ok(answers), usage) => {
                assert!(answers.iter().all(Result::is_ok), "{answers:?}");
                ("ok", Then::Use, if usage.is_some() { Cost::Told } else { Cost::Unknown })
            }
            (Err(error), usage) => {
                let next = retry::next(&STANDARD, STANDARD.all(), &error, rows::STORIES, 1.0);
                let cost = match (usage, error.charge()) {
                    (Some(_), _) => Cost::Told,
                    (None, Charge::Nothing) => Cost::Free,
                    (None, Charge::Unknown) => Cost::Unknown,
                };
                (error.kind(), next.into(), cost)
            }
        }
    }
}

/// Gives every request the same reply, until it is aborted.
pub fn serve(listener: TcpListener, reply: Reply, requests: Arc<Mutex<Vec<Request>>>) -> tokio::task::JoinHandle<()> {
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let mut stream = BufReader::new(stream);
            while let Some(request) = wire::read(&mut stream).await {
                requests.lock().unwrap().push(request);
                if !wire::send(&mut stream, &reply).await {
                    break;
                }
            }
        }
    })
}

/// What the other host would say.
fn lost() -> Reply {
    Reply { status: 404, headers: Vec::new(), body: Vec::new(), after: Duration::ZERO, end: End::Whole }
}
