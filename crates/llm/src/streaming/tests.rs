//! Tests streamed answers over recorded wire text in both formats, with a real ledger.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Mutex;

use aha_core::clock::Clock;
use aha_core::settings::Reader;
use aha_store::{CallFilter, CallRecord, CallState, OpenMode};
use async_trait::async_trait;
use bytes::Bytes;
use reqwest::header::HeaderMap;
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::GatewayParts;
use crate::breaker::{BreakerPolicy, Breakers};
use crate::catalogue::Environment;
use crate::prompt::Prompts;
use crate::retry_policy::{INTERACTIVE, RetryPolicy};
use crate::router::Router;
use crate::settings::{self, BudgetSettings, LlmSettings, RawSettings};
use crate::tasks::samples::{LINES, Note, TEXT};
use crate::tasks::{self, deep_summary};
use crate::transport::{Timeouts, Transport, WireRequest, WireResponse, WireStream};

const DIALECTS: [&str; 2] = ["openai_compatible", "ollama"];

/// The server's reaction to the next request.
enum Script {
    /// Sends the text as a stream of such pieces, and then ends or breaks.
    Stream {
        text: String,
        piece: usize,
        breaks: bool,
    },
    /// Sends these pieces as a stream, and then closes it without its final event.
    Closed(Vec<String>),
    Status(u16),
    /// Sends these events of the chat completions format, and then ends.
    Events(Vec<Value>),
}

fn whole(text: &str) -> Script {
    Script::Stream { text: text.to_owned(), piece: 7, breaks: false }
}

fn broken(text: &str) -> Script {
    Script::Stream { text: text.to_owned(), piece: 7, breaks: true }
}

fn closed(text: &str) -> Script {
    Script::Closed(divided(text, 7))
}

/// Sends only the event that begins a message, which has no text, and then closes the stream.
fn closed_after_role() -> Script {
    Script::Closed(vec![String::new()])
}

fn divided(text: &str, piece: usize) -> Vec<String> {
    text.chars().collect::<Vec<_>>().chunks(piece).map(|piece| piece.iter().collect()).collect()
}

/// A server with one of the two wire formats.
#[derive(Debug)]
struct Scripted {
    dialect: &'static str,
    scripts: Mutex<VecDeque<Script>>,
    requests: Mutex<Vec<Value>>,
}

impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Script")
    }
}

impl Scripted {
    fn event(&self, piece: &str) -> String {
        if self.dialect == "ollama" {
            return format!("{}\n", json!({"message": {"role": "assistant", "content": piece}, "done": false}));
        }
        let delta = json!({"role": "assistant", "content": piece});
        format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta}]}))
    }

    fn end(&self) -> String {
        if self.dialect == "ollama" {
            let end = json!({"message": {"content": ""}, "done": true, "done_reason": "stop",
                "prompt_eval_count": 9, "eval_count": 3});
            return format!("{end}\n");
        }
        let stop = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 3}});
        format!("data: {stop}\n\ndata: [DONE]\n\n")
    }
}

#[async_trait]
impl Transport for Scripted {
    async fn open(&self, request: &WireRequest, _: Timeouts) -> Result<WireStream, CallError> {
        self.requests.lock().unwrap().push(serde_json::from_slice(&request.body).unwrap());
        let script = self.scripts.lock().unwrap().pop_front().unwrap();
        let (pieces, end): (Vec<String>, Option<Result<Bytes, CallError>>) = match script {
            Script::Status(status) => {
                let body = json!({"error": {"message": "no"}}).to_string().into_bytes();
                return Ok(WireResponse { status, headers: HeaderMap::new(), body }.into());
            }
            Script::Events(events) => {
                let chunks = events.into_iter().map(|event| Ok(format!("data: {event}\n\n").into()));
                let chunks = futures::stream::iter(chunks.collect::<Vec<_>>()).boxed();
                return Ok(WireStream { status: 200, headers: HeaderMap::new(), chunks });
            }
            Script::Stream { text, piece, breaks: true } => {
                (divided(&text, piece), Some(Err(CallError::Interrupted("on order".to_owned()))))
            }
            Script::Stream { text, piece, breaks: false } => (divided(&text, piece), Some(Ok(self.end().into()))),
            Script::Closed(pieces) => (pieces, None),
        };
        let mut chunks: Vec<Result<Bytes, CallError>> =
            pieces.iter().map(|piece| Ok(self.event(piece).into())).collect();
        chunks.extend(end);
        Ok(WireStream { status: 200, headers: HeaderMap::new(), chunks: futures::stream::iter(chunks).boxed() })
    }
}

struct Fixture {
    gateway: Arc<Gateway>,
    store: SharedStore,
    server: Arc<Scripted>,
    _folder: TempDir,
}

/// Returns settings with a model of that dialect for the sample tasks, which no catalogue can name.
fn llm_settings(folder: &Path, dialect: &str) -> LlmSettings {
    let file = folder.join("models.yaml");
    let model = format!("{dialect}/m");
    let text = format!(
        "models:\n  {model}:\n    endpoint: http://127.0.0.1:9/v1/x\n    prices: {{ input: 1, output: 1 }}\ntasks: {{ deep_summary: {model} }}\n"
    );
    std::fs::write(&file, text).unwrap();
    let pairs = [("AHA_LLM_CONFIG".to_owned(), file.display().to_string())];
    let (mut reader, mut problems) = (Reader::default(), Vec::new());
    let mut raw: RawSettings = envy::from_iter(pairs.iter().cloned()).unwrap();
    let environment = Environment::of(&pairs);
    let mut llm = settings::read(&mut reader, &mut problems, &mut raw, &pairs, &environment).unwrap();
    assert_eq!((reader.problems.len(), problems.len()), (0, 0), "{problems:?}");
    let catalogue = llm.catalogue.as_mut().unwrap();
    for sample in [LINES, TEXT] {
        let models = catalogue.tasks[&deep_summary::TASK].clone();
        catalogue.tasks.insert(sample, models);
        llm.tasks.insert(sample, llm.tasks[&deep_summary::TASK].clone());
    }
    llm
}

async fn fixture(dialect: &'static str, scripts: impl IntoIterator<Item = Script>) -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("aha-radar.db").display());
    let store = aha_store::open(&url, OpenMode::CreateIfMissing).await.unwrap();
    let scripts = Mutex::new(scripts.into_iter().collect());
    let server = Arc::new(Scripted { dialect, scripts, requests: Mutex::default() });
    let all: Vec<Task> = tasks::ALL.iter().copied().chain([LINES, TEXT]).collect();
    let gateway = Arc::new(Gateway::new(GatewayParts {
        router: Router::configured(&llm_settings(folder.path(), dialect)),
        prompts: Arc::new(Prompts::of(&all, None).unwrap()),
        transport: Arc::clone(&server) as Arc<dyn Transport>,
        clock: Clock::default(),
        budget: BudgetSettings::default(),
        language: String::new(),
        retry_override: Some(RetryPolicy { base: Duration::ZERO, ..INTERACTIVE }),
        breakers: Arc::new(Breakers::new(BreakerPolicy::default())),
        jitter: Arc::new(|| 0.0),
        dry_run: false,
    }));
    Fixture { gateway, store, server, _folder: folder }
}

impl Fixture {
    fn stream(&self, task: Task) -> AnswerStream {
        let input = TaskInput::new(task, Note { note: "the sea" });
        self.gateway.stream(&self.store, self.gateway.standalone(task, BudgetTier::Normal), input)
    }

    /// Returns all events, and the result.
    async fn events(&self, task: Task) -> (Vec<StreamEvent>, StreamedAnswer) {
        let mut events: Vec<StreamEvent> = self.stream(task).map(Result::unwrap).collect().await;
        let Some(StreamEvent::Finished(answer)) = events.pop() else { panic!("{events:?}") };
        (events, answer)
    }

    async fn rows(&self) -> Vec<CallRecord> {
        self.store.calls(&CallFilter { limit: 99, ..CallFilter::default() }).await.unwrap()
    }
}

fn line(id: &str) -> String {
    format!("{{\"id\":\"{id}\",\"confidence\":0.5}}\n")
}

fn ids(answer: &StreamedAnswer) -> Vec<&str> {
    answer.lines.iter().map(|line| line["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn lines_come_one_by_one_in_both_wire_forms_and_are_not_paid_for_again() {
    for dialect in DIALECTS {
        let text = format!("<think>hm {{</think>\n{}{{\"id\": 7}}\nso:\n{}", line("a"), line("b"));
        let fixture = fixture(dialect, [whole(&text)]).await;
        let (events, answer) = fixture.events(LINES).await;
        let kinds = events.iter().map(|event| match event {
            StreamEvent::Line(line) => line["id"].as_str().unwrap(),
            StreamEvent::BadLine { .. } => "bad",
            other => panic!("{other:?}"),
        });
        assert_eq!(kinds.collect::<Vec<_>>(), ["a", "bad", "b"], "{dialect}");
        assert_eq!((ids(&answer), answer.bad_lines, &answer.failure), (vec!["a", "b"], 1, &None), "{dialect}");
        let rows = fixture.rows().await;
        let error = rows[0].error.as_deref().unwrap_or_default();
        assert!(rows.len() == 1 && error.starts_with("1 line could not be used: "), "{dialect}: {rows:?}");
        let sent = fixture.server.requests.lock().unwrap()[0].clone();
        let temperature = if dialect == "ollama" { &sent["options"]["temperature"] } else { &sent["temperature"] };
        assert_eq!((temperature, &sent["stream"]), (&json!(0.3), &json!(true)), "{dialect}: {sent}");
        let (events, again) = fixture.events(LINES).await;
        assert!(again.was_stored && events.len() == 2, "{dialect}: {events:?}");
        assert_eq!((&again.lines, &again.calls), (&answer.lines, &answer.calls), "{dialect}");
        assert_eq!(fixture.rows().await.len(), 1, "{dialect}");
    }
}

#[tokio::test]
async fn what_was_complete_when_the_stream_broke_is_returned_and_the_whole_is_asked_again() {
    for dialect in DIALECTS {
        let (first, second) = (line("a") + "{\"id\":\"cut", line("a") + &line("b"));
        let scripts = [broken(&first), broken(&second), whole(&(line("b") + &line("c")))];
        let fixture = fixture(dialect, scripts).await;
        let (events, answer) = fixture.events(LINES).await;
        let retries = events.iter().filter(|event| matches!(event, StreamEvent::Retry { attempt: 2, .. })).count();
        assert_eq!((retries, events.len()), (1, 3), "a line that comes again is given once: {events:?}");
        assert_eq!((ids(&answer), answer.bad_lines), (vec!["a", "b"], 0));
        let Some(StreamFailure::Provider { error: CallError::Interrupted(_), .. }) = &answer.failure else {
            panic!("{answer:?}")
        };
        assert_eq!(answer.calls.len(), 2);
        let (_, whole) = fixture.events(LINES).await;
        assert_eq!((ids(&whole), whole.was_stored, &whole.failure), (vec!["b", "c"], false, &None));
        assert_eq!(fixture.rows().await.len(), 3);
    }
}

#[tokio::test]
async fn complete_lines_are_an_answer_when_the_connection_is_closed_after_them() {
    for dialect in DIALECTS {
        let text = line("a") + &line("b");
        let fixture = fixture(dialect, [closed(&text)]).await;
        let (events, answer) = fixture.events(LINES).await;
        assert_eq!((ids(&answer), events.len(), &answer.failure), (vec!["a", "b"], 2, &None), "{dialect}");
        let rows = fixture.rows().await;
        assert_eq!((rows.len(), rows[0].output_tokens, rows[0].cost_microcredits), (1, None, None), "{rows:?}");
        // The model has a price and the usage is unknown: the call stays charged at its reservation.
        assert_eq!(rows[0].state, CallState::Unsettled, "{rows:?}");
        assert!(rows[0].reserved_microcredits.is_some_and(|reserved| reserved > 0), "{rows:?}");
        let costs = fixture.store.costs_of_calls(&answer.calls).await.unwrap();
        assert_eq!(costs[0].microcredits, rows[0].reserved_microcredits, "{costs:?}");
        let (_, again) = fixture.events(LINES).await;
        assert!(again.was_stored && again.lines == answer.lines, "{dialect}: {again:?}");
    }
}

#[tokio::test]
async fn a_last_line_without_its_end_is_an_answer_when_the_connection_is_closed_after_it() {
    for dialect in DIALECTS {
        let fixture = fixture(dialect, [closed(line("a").trim_end())]).await;
        let (_, answer) = fixture.events(LINES).await;
        assert_eq!((ids(&answer), &answer.failure), (vec!["a"], &None), "{dialect}");
    }
}

#[tokio::test]
async fn a_connection_that_is_closed_before_any_usable_line_is_not_an_answer() {
    let unusable = "{\"id\": 7}\n";
    for dialect in DIALECTS {
        for (scripts, lines, bad_lines) in [
            ([broken(&line("a")), closed_after_role()], &["a"][..], 0),
            ([closed_after_role(), closed_after_role()], &[], 0),
            ([closed_after_role(), closed(unusable)], &[], 1),
        ] {
            let whole_answer = whole(&(line("a") + &line("b")));
            let fixture = fixture(dialect, scripts.into_iter().chain([whole_answer])).await;
            let (events, answer) = fixture.events(LINES).await;
            let Some(StreamFailure::Provider { error: CallError::Interrupted(_), .. }) = &answer.failure else {
                panic!("{dialect}: {answer:?}")
            };
            assert_eq!((ids(&answer).as_slice(), answer.bad_lines), (lines, bad_lines), "{dialect}: {events:?}");
            let (_, again) = fixture.events(LINES).await;
            assert_eq!((ids(&again), again.was_stored, &again.failure), (vec!["a", "b"], false, &None), "{dialect}");
        }
    }
}

#[tokio::test]
async fn a_connection_that_is_closed_within_an_answer_is_asked_again_with_its_lines_kept() {
    for dialect in DIALECTS {
        let cut = line("a") + "{\"id\":\"cut";
        let fixture = fixture(dialect, [closed(&cut), whole(&line("b"))]).await;
        let (events, answer) = fixture.events(LINES).await;
        let retries = events.iter().filter(|event| matches!(event, StreamEvent::Retry { .. })).count();
        assert_eq!((retries, ids(&answer), &answer.failure), (1, vec!["a", "b"], &None), "{dialect}: {events:?}");
    }
    // Nothing at all, unfinished thinking, and a plain text, whose end no line marks.
    for (text, task) in [("", LINES), ("<think>Hm", LINES), ("The sea.", TEXT)] {
        let fixture = fixture("ollama", [closed(text), closed(text)]).await;
        let (_, answer) = fixture.events(task).await;
        let Some(StreamFailure::Provider { error: CallError::Interrupted(_), .. }) = &answer.failure else {
            panic!("{text}: {answer:?}")
        };
    }
}

#[tokio::test]
async fn lines_of_a_broken_stream_do_not_make_a_later_attempt_an_answer() {
    let unusable = "{\"id\": 7}\n";
    let fixture = fixture("ollama", [broken(&line("a")), whole(unusable), whole(unusable), whole(unusable)]).await;
    let (_, answer) = fixture.events(LINES).await;
    let Some(StreamFailure::Provider { error: CallError::Invalid(_), .. }) = &answer.failure else {
        panic!("{answer:?}")
    };
    assert_eq!(ids(&answer), ["a"]);
    let (_, again) = fixture.events(LINES).await;
    assert!(!again.was_stored, "{again:?}");
}

#[tokio::test]
async fn what_a_server_refuses_is_an_error_by_its_kind_after_one_call() {
    for (status, kind) in [(401, "unauthorized"), (429, "rate_limited"), (500, "server_error"), (503, "overloaded")] {
        let fixture = fixture("openai_compatible", [Script::Status(status)]).await;
        let answer = fixture.stream(LINES).finished().await.unwrap();
        let Some(StreamFailure::Provider { error, .. }) = &answer.failure else { panic!("{answer:?}") };
        assert_eq!((error.kind(), fixture.rows().await.len()), (kind, 1), "{status}");
    }
}

#[tokio::test]
async fn a_stream_that_fails_after_reasoning_may_have_been_charged() {
    let thought = json!({"choices": [{"index": 0, "delta": {"reasoning_content": "The sea is large."}}]});
    let failure = json!({"error": {"code": "server_error", "message": "no"}});
    for (events, cost) in [(vec![failure.clone()], Some(0)), (vec![thought, failure], None)] {
        let fixture = fixture("openai_compatible", [Script::Events(events)]).await;
        let answer = fixture.stream(LINES).finished().await.unwrap();
        assert!(answer.failure.is_some(), "{answer:?}");
        let rows = fixture.rows().await;
        assert_eq!(rows[0].cost_microcredits, cost, "{rows:?}");
    }
}

#[tokio::test]
async fn that_nothing_fits_is_an_answer_and_that_no_line_can_be_used_is_none() {
    let fixture = fixture("ollama", [whole(""), whole("{\"id\": 7}\n{\"x\"")]).await;
    let answer = fixture.stream(LINES).finished().await.unwrap();
    assert_eq!((answer.lines.len(), answer.bad_lines, answer.failure), (0, 0, None));
    let input = TaskInput::new(LINES, Note { note: "the land" });
    let scope = fixture.gateway.standalone(LINES, BudgetTier::Normal);
    let answer = fixture.gateway.stream(&fixture.store, scope, input).finished().await.unwrap();
    let failure = answer.failure.map(|failure| failure.to_string()).unwrap_or_default();
    assert!(answer.bad_lines == 2 && failure.contains("sample_lines_v1"), "{failure}");
}

#[tokio::test]
async fn words_come_without_thoughts_and_are_stored() {
    let text = "<think>What sea?</think>\n<response>The North Sea.</response>";
    let fixture = fixture("openai_compatible", [broken("<think>What"), whole(text)]).await;
    let (events, answer) = fixture.events(TEXT).await;
    let shown: String = events
        .iter()
        .filter_map(|event| match event {
            StreamEvent::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!((shown.as_str(), answer.text.as_str(), answer.failure), ("The North Sea.", "The North Sea.", None));
    let again = fixture.stream(TEXT).finished().await.unwrap();
    assert!(again.was_stored && again.text == "The North Sea.", "{again:?}");
}

#[tokio::test]
async fn who_stops_reading_changes_nothing_about_the_row() {
    let fixture = fixture("ollama", [whole(&line("a").repeat(3))]).await;
    let mut stream = fixture.stream(LINES);
    assert!(matches!(stream.next().await, Some(Ok(StreamEvent::Line(_)))));
    drop(stream);
    fixture.gateway.wait_until_settled().await;
    let rows = fixture.rows().await;
    assert_eq!((rows.len(), rows[0].output_tokens), (1, Some(3)), "{rows:?}");
}

#[tokio::test]
async fn a_call_that_is_not_sent_is_not_among_the_calls() {
    let failures = BreakerPolicy::default().failures;
    let fixture = fixture("openai_compatible", (0..failures).map(|_| Script::Status(503))).await;
    for _ in 0..failures {
        let answer = fixture.stream(LINES).finished().await.unwrap();
        assert_eq!(answer.calls.len(), 1, "{answer:?}");
    }
    let answer = fixture.stream(LINES).finished().await.unwrap();
    let Some(StreamFailure::NotSent(_)) = &answer.failure else { panic!("{answer:?}") };
    assert_eq!(answer.calls, Vec::<String>::new());
    assert_eq!(fixture.rows().await.len(), usize::try_from(failures).unwrap());
}
