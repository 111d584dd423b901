//! What the gateway adds to a call: beside a bare request to the same server in the same run.
//!
//! `cargo bench --bench gateway`. Each way makes the same number of calls, 16 at a time, to a server in this process: to one that
//! answers after 50 ms, which tells what a call costs, and to one that answers at once, which tells how many calls a second there
//! can be. Then 640 calls of 200 ms, 32 at a time, beside the time that these would take with nothing in between.
//!
//! The ledger is on SQLite, and on an empty Postgres database too where `AHA_TEST_POSTGRES_URL` names one:
//! `scripts/postgres.sh cargo bench --bench gateway`.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints, and a failure ends it")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use aha_radar::app::App;
use aha_radar::config::Config;
use aha_radar::domain::digest::Evidence;
use aha_radar::domain::topic::BudgetTier;
use aha_radar::llm::input::{MemberInput, TaskInput, TriageInput};
use aha_radar::llm::provider::{Dialect, OPENAI};
use aha_radar::llm::router::{Reach, Route};
use aha_radar::llm::transport::{Http, Timeouts, Transport as _, WireRequest};
use aha_radar::llm::{Ask, CallScope, Gate, Outcome, Router, Task, answer, request};
use aha_radar::store::{self, OpenMode};
use axum::routing::post;
use futures::StreamExt as _;
use serde_json::json;

const CALLS: usize = 2_000;
const AT_ONCE: usize = 16;
const USUAL: Duration = Duration::from_millis(50);

const SLOW_CALLS: usize = 640;
const SLOW_AT_ONCE: usize = 32;
const SLOW: Duration = Duration::from_millis(200);

#[tokio::main]
async fn main() {
    for delay in [USUAL, Duration::ZERO] {
        compare(delay).await;
    }
    slow_calls().await;
}

async fn compare(delay: Duration) {
    let base = serve(delay).await;
    let folder = tempfile::tempdir().unwrap();
    let app = app(&base, folder.path()).await;
    let (plain, wire, ledger) = (bare(&app).await, without_ledger(&app).await, with_ledger(&app, CALLS, AT_ONCE).await);
    let mut ways = vec![("without the ledger", wire), ("with the ledger (SQLite)", ledger)];
    if let Ok(url) = std::env::var("AHA_TEST_POSTGRES_URL") {
        let app = app_on(&base, &url).await;
        ways.push(("with the ledger (Postgres)", with_ledger(&app, CALLS, AT_ONCE).await));
        sqlx::query("TRUNCATE answers, provider_calls, budget_counters CASCADE")
            .execute(&sqlx::PgPool::connect(&url).await.unwrap())
            .await
            .unwrap();
    }
    println!("{CALLS} calls, {AT_ONCE} at once, each about one story, answered after {} ms", delay.as_millis());
    println!("{:28} {:>9} {:>9}", "", "p50 ms", "p99 ms");
    println!("{:28} {:9.3} {:9.3}", "a bare request", at(&plain, 50), at(&plain, 99));
    for (name, times) in &ways {
        println!("{name:28} {:9.3} {:9.3}", at(times, 50), at(times, 99));
    }
    for (name, times) in &ways {
        let added = [50, 99].map(|percent| at(times, percent) - at(&plain, percent));
        println!("{:28} {:9.3} {:9.3}", format!("added {name}"), added[0], added[1]);
    }
}

async fn slow_calls() {
    let folder = tempfile::tempdir().unwrap();
    let app = app(&serve(SLOW).await, folder.path()).await;
    let begun = Instant::now();
    with_ledger(&app, SLOW_CALLS, SLOW_AT_ONCE).await;
    let (took, least) = (begun.elapsed(), SLOW * u32::try_from(SLOW_CALLS.div_ceil(SLOW_AT_ONCE)).unwrap());
    println!(
        "{SLOW_CALLS} calls of {} ms, {SLOW_AT_ONCE} at once: {:.2} s, {:.3} times the least possible",
        SLOW.as_millis(),
        took.as_secs_f64(),
        took.as_secs_f64() / least.as_secs_f64()
    );
}

/// A server that answers every request with the same good verdict.
async fn serve(after: Duration) -> String {
    let verdict = json!({"results": [{"id": "s1", "aha_score": 61, "reason": "It says something new.", "is_relevant": true,
        "is_novel": true, "categories": ["bench"], "should_deep_summarize": false}]});
    let body = json!({"id": "resp_1", "object": "response", "status": "completed", "error": null, "model": "bench",
        "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": verdict.to_string()}]}],
        "usage": {"input_tokens": 900, "output_tokens": 60, "total_tokens": 960}})
    .to_string();
    let answer = move |_: axum::body::Bytes| {
        let body = body.clone();
        async move {
            tokio::time::sleep(after).await;
            ([("content-type", "application/json")], body)
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let server = axum::Router::new().route("/v1/responses", post(answer));
    tokio::spawn(async move { axum::serve(listener, server).await.unwrap() });
    base
}

async fn app(base: &str, folder: &std::path::Path) -> App {
    app_on(base, &format!("sqlite://{}/bench.db", folder.display())).await
}

async fn app_on(base: &str, database: &str) -> App {
    let pairs = [
        ("OPENAI_BASE_URL", base),
        ("OPENAI_API_KEY", "bench"),
        ("OPENAI_MODEL", "bench"),
        ("OPENAI_CREDITS_PER_1K_INPUT_TOKENS", "0.00025"),
        ("OPENAI_CREDITS_PER_1K_OUTPUT_TOKENS", "0.002"),
        ("AHA_BUDGET_DAILY_CREDITS", "1000000"),
    ];
    let config = Config::from_pairs(pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))).unwrap();
    App::new(config, store::open(database, OpenMode::CreateIfMissing).await.unwrap()).unwrap()
}

fn ask(number: usize) -> Ask {
    let evidence = Evidence { novelty: 0.5, ..Evidence::default() };
    Ask {
        fingerprint: format!("bench-{number}:0"),
        members: Vec::new(),
        input: TaskInput::Triage(TriageInput {
            title: format!("Story {number} of a long day"),
            body: "A sentence of some length that says what happened and to whom. ".repeat(40),
            members: vec![MemberInput { title: "A title".into(), url: None, source: "A source".into() }],
            provenance: vec!["feed".into()],
            preference_summary: String::new(),
            tier: BudgetTier::Normal,
            interests: "ferries".into(),
            categories: Vec::new(),
            continues_since: None,
            evidence,
        }),
    }
}

fn scope() -> CallScope {
    CallScope {
        lease: None,
        run: None,
        pass: 1,
        attempt: 1,
        topic: None,
        share_percent: None,
        tier: BudgetTier::Normal,
        prompt_id: "triage_v1".into(),
        rejudge: false,
        gate: Arc::new(Gate::default()),
    }
}

fn route(app: &App) -> Route {
    Router::new(app.config().llm.openai.as_ref()).choose(Task::Triage, BudgetTier::Normal).remove(0)
}

fn wire_request(app: &App, number: usize) -> (aha_radar::llm::provider::ModelRequest, WireRequest) {
    let route = route(app);
    let ask = ask(number);
    let request = request::build(app.gateway().prompts(), Task::Triage, &route, "", &[&ask.input], None).unwrap();
    let Reach::Wire(wire) = &route.reach else { unreachable!() };
    let encoded = OPENAI.encode(&request, &wire.server).unwrap();
    (request, encoded)
}

/// Times of `count` calls, sorted.
async fn timed<F: Future<Output = ()>>(count: usize, at_once: usize, call: impl Fn(usize) -> F) -> Vec<Duration> {
    let calls = (0..count).map(|number| {
        let call = call(number);
        async move {
            let begun = Instant::now();
            call.await;
            begun.elapsed()
        }
    });
    let mut times: Vec<Duration> = futures::stream::iter(calls).buffer_unordered(at_once).collect().await;
    times.sort();
    times
}

/// The same bytes to the same server, by reqwest alone.
async fn bare(app: &App) -> Vec<Duration> {
    let client = reqwest::Client::new();
    let (_, wire) = wire_request(app, 0);
    timed(CALLS, AT_ONCE, |_| async {
        let sending = client.post(wire.url.clone()).headers(wire.headers.clone()).body(wire.body.clone());
        let body = sending.send().await.unwrap().bytes().await.unwrap();
        assert!(!body.is_empty());
    })
    .await
}

/// Prompt, dialect, transport, validation; nothing stored.
async fn without_ledger(app: &App) -> Vec<Duration> {
    let http = Http::new().unwrap();
    let model = route(app).model;
    timed(CALLS, AT_ONCE, |number| {
        let (http, model) = (&http, &model);
        async move {
            let (request, wire) = wire_request(app, number);
            let response = http.send(&wire, Timeouts::of(Duration::from_mins(1))).await.unwrap();
            let now = std::time::SystemTime::UNIX_EPOCH;
            let text = OPENAI.decode(&request, &response, now).outcome.unwrap();
            let answers = answer::read(Task::Triage, "triage_v1", model, 1, &text, 250).unwrap();
            assert!(answers[0].is_ok());
        }
    })
    .await
}

/// All of it: reserve, send, settle with the answer.
async fn with_ledger(app: &App, count: usize, at_once: usize) -> Vec<Duration> {
    let scope = scope();
    timed(count, at_once, |number| {
        let (scope, ask) = (&scope, ask(number));
        async move {
            let outcomes = app.gateway().call(app.store(), Task::Triage, scope, &[ask]).await.unwrap();
            assert!(matches!(outcomes[0], Outcome::Answered { .. }), "{outcomes:?}");
        }
    })
    .await
}

/// A percentile in milliseconds.
fn at(sorted: &[Duration], percent: usize) -> f64 {
    sorted[(sorted.len() * percent / 100).min(sorted.len() - 1)].as_secs_f64() * 1000.0
}
