//! The same call made in different ways: by reqwest alone, without and with the ledger.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aha_core::digest::Evidence;
use aha_core::topic::BudgetTier;
use aha_llm::provider::ModelRequest;
use aha_llm::router::{Backend, Connection, Route};
use aha_llm::settings::Egress;
use aha_llm::transport::{Http, Timeouts, Transport as _, WireRequest};
use aha_llm::{CallScope, CallState, Outcome, TaskItem, answer, request};
use aha_radar::app::App;
use aha_radar::config::Config;
use aha_store::OpenMode;
use futures::StreamExt as _;
use url::Url;

use super::server::{NUMBERED, Pace};
use aha_llm::tasks::triage;
use aha_llm::tasks::triage::{MemberInput, TriageInput};

pub type Settings = Vec<(&'static str, String)>;

/// The server's Responses API.
pub fn of_settings(base: &str) -> Settings {
    vec![
        ("OPENAI_BASE_URL", base.to_owned()),
        ("OPENAI_API_KEY", "bench".to_owned()),
        ("OPENAI_MODEL", "bench".to_owned()),
        ("OPENAI_CREDITS_PER_1K_INPUT_TOKENS", "0.00025".to_owned()),
        ("OPENAI_CREDITS_PER_1K_OUTPUT_TOKENS", "0.002".to_owned()),
    ]
}

/// With a database in the folder and a cap that every call is held against.
pub async fn app(settings: &Settings, folder: &Path) -> App {
    app_on(settings, &format!("sqlite://{}/bench.db", folder.display())).await
}

/// On any database, without the calls of an earlier comparison.
pub async fn app_on(settings: &Settings, database: &str) -> App {
    let cap = ("AHA_BUDGET_DAILY_CREDITS", "1000000".to_owned());
    let pairs = settings.iter().chain([&cap]).map(|(name, value)| ((*name).to_owned(), value.clone()));
    let config = Config::from_pairs(pairs).unwrap();
    let store = aha_store::open(database, OpenMode::CreateIfMissing).await.unwrap();
    if database.starts_with("postgres") {
        let empty = "TRUNCATE answers, provider_calls, budget_counters CASCADE";
        sqlx::query(empty).execute(&sqlx::PgPool::connect(database).await.unwrap()).await.unwrap();
    }
    App::new(config, store).unwrap()
}

fn ask(number: usize) -> TaskItem {
    let evidence = Evidence { novelty: 0.5, ..Evidence::default() };
    TaskItem {
        fingerprint: format!("bench-{number}:0"),
        members: Vec::new(),
        input: triage::input(TriageInput {
            title: format!("{NUMBERED}{number} of a long day"),
            body: "A sentence of some length that says what happened and to whom. ".repeat(40),
            members: vec![MemberInput { title: "A title".into(), url: None, source: "A source".into() }],
            provenance: vec!["feed".into()],
            preference_summary: String::new(),
            interests: "ferries".into(),
            categories: Vec::new(),
            continues: None,
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
        call_state: Arc::new(CallState::default()),
    }
}

fn route(app: &App) -> Route {
    app.gateway().router().choose(triage::TASK, BudgetTier::Normal).remove(0)
}

fn wire(route: &Route) -> &Connection {
    let Backend::Wire(wire) = &route.backend else { unreachable!() };
    wire
}

fn encoded(app: &App, route: &Route, number: usize) -> (ModelRequest, WireRequest) {
    let ask = ask(number);
    let request =
        request::build(app.gateway().prompts(), triage::TASK, route, "", BudgetTier::Normal, &[&ask.input], None)
            .unwrap();
    let encoded = wire(route).dialect.encode(&request, &wire(route).server).unwrap();
    (request, encoded)
}

/// So many calls, so many of them at once, about stories from number `first` on, to a server that takes its time.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    pub first: usize,
    pub count: usize,
    pub at_once: usize,
    pub pace: Pace,
}

/// What the calls take beside the server's own time, sorted. Each is a task of its own.
async fn timed<F: Future<Output = ()> + Send + 'static>(load: Load, call: impl Fn(usize) -> F) -> Vec<Duration> {
    let calls = (load.first..load.first + load.count).map(|number| {
        let (call, after) = (call(number), load.pace.of(number));
        async move {
            let timing = tokio::spawn(async move {
                let begun = Instant::now();
                call.await;
                begun.elapsed()
            });
            timing.await.unwrap().saturating_sub(after)
        }
    });
    let mut times: Vec<Duration> = futures::stream::iter(calls).buffer_unordered(load.at_once).collect().await;
    times.sort();
    times
}

/// The same bytes to the same server, or to another address, by reqwest alone.
pub async fn bare(app: &App, elsewhere: Option<&Url>, load: Load) -> Vec<Duration> {
    let client = aha_net::client::builder().build().unwrap();
    timed(load, |number| {
        let (_, wire) = encoded(app, &route(app), number);
        let url = elsewhere.unwrap_or(&wire.url).clone();
        let json =
            [("content-type", "application/json")].map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        let sending = client.post(url).headers(wire.headers).headers(json.into_iter().collect()).body(wire.body);
        async move {
            let answer = sending.send().await.unwrap();
            let (status, body) = (answer.status(), answer.text().await.unwrap());
            assert!(status.is_success() && body.contains("aha_score"), "{status}: {body}");
        }
    })
    .await
}

/// Prompt, dialect, transport, validation; nothing stored.
pub async fn without_ledger(app: &App, load: Load) -> Vec<Duration> {
    let (http, route) = (Arc::new(Http::within(Egress::Any)), route(app));
    timed(load, |number| {
        let (app, http, route) = (app.clone(), Arc::clone(&http), route.clone());
        async move {
            let (request, encoded) = encoded(&app, &route, number);
            let response = http.send(&encoded, Timeouts::of(Duration::from_mins(1))).await.unwrap();
            let now = std::time::SystemTime::UNIX_EPOCH;
            let text = wire(&route).dialect.decode(&request, &response, now).outcome.unwrap();
            let answers = answer::read(triage::TASK, "triage_v1", &route.model, 1, &text, None).unwrap();
            assert!(answers[0].is_ok());
        }
    })
    .await
}

/// All of it: reserve, send, settle with the answer. No story may have been asked about before.
pub async fn with_ledger(app: &App, load: Load) -> Vec<Duration> {
    let scope = scope();
    timed(load, |number| {
        let (app, scope, ask) = (app.clone(), scope.clone(), ask(number));
        async move {
            let outcomes = app.gateway().call(app.store(), triage::TASK, &scope, &[ask]).await.unwrap();
            assert!(matches!(outcomes[0], Outcome::Answered { .. }), "{outcomes:?}");
        }
    })
    .await
}

/// A percentile in milliseconds.
pub fn at(sorted: &[Duration], percent: usize) -> f64 {
    sorted[(sorted.len() * percent / 100).min(sorted.len() - 1)].as_secs_f64() * 1000.0
}
