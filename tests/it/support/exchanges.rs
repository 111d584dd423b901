//! A model server that plays the exchanges of a file, in any wire form: each request gets the next answer of its task.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use super::radar::{Radar, repository};

/// One answer of a model.
#[derive(Debug, Clone)]
struct Exchange {
    task: String,
    status: u16,
    content_type: &'static str,
    body: Vec<u8>,
    after: Duration,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Asked {
    pub task: String,
    pub path: String,
    pub body: Value,
}

impl Asked {
    /// All that the model is told, as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        gather(&self.body, &mut text);
        text
    }
}

fn gather(value: &Value, text: &mut String) {
    match value {
        Value::String(part) => {
            text.push_str(part);
            text.push('\n');
        }
        Value::Array(parts) => parts.iter().for_each(|part| gather(part, text)),
        Value::Object(fields) => fields.values().for_each(|part| gather(part, text)),
        _ => {}
    }
}

#[derive(Debug, Default)]
struct State {
    left: Vec<Exchange>,
    asked: Vec<Asked>,
    strays: Vec<String>,
    /// What a request for the list of models gets.
    models: Option<Value>,
}

/// The server, which goes with the value.
#[derive(Debug)]
pub struct Player {
    state: Arc<Mutex<State>>,
    base: String,
    _runtime: tokio::runtime::Runtime,
}

impl Player {
    pub fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let state = Arc::new(Mutex::new(State::default()));
        let answering = Arc::clone(&state);
        let app = axum::Router::new().fallback(move |uri: Uri, body: Bytes| {
            let answering = Arc::clone(&answering);
            async move {
                let (answer, after) = answer(&answering, &uri, &body);
                tokio::time::sleep(after).await;
                answer
            }
        });
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        runtime.spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { state, base, _runtime: runtime }
    }

    /// The exchanges to be played from now on.
    pub fn play(&self, exchanges: &Value) {
        let exchange = |exchange: &Value| Exchange {
            task: exchange["task"].as_str().unwrap().to_owned(),
            status: u16::try_from(exchange["status"].as_u64().unwrap_or(200)).unwrap(),
            after: Duration::from_millis(exchange["after_ms"].as_u64().unwrap_or(0)),
            content_type: match &exchange["body"] {
                Value::String(text) if text.starts_with("data:") => "text/event-stream",
                Value::String(_) => "application/x-ndjson",
                _ => "application/json",
            },
            body: match &exchange["body"] {
                Value::String(text) => text.clone().into_bytes(),
                body => body.to_string().into_bytes(),
            },
        };
        let left = exchanges.as_array().unwrap().iter().map(exchange).collect();
        *self.state.lock().unwrap() = State { left, ..State::default() };
    }

    /// What a request for the list of models gets from now on; before that it is refused.
    pub fn lists_models(&self, models: &Value) {
        self.state.lock().unwrap().models = Some(models.clone());
    }

    /// The requests since then, in their order.
    pub fn asked(&self) -> Vec<Asked> {
        self.state.lock().unwrap().asked.clone()
    }

    /// All was played, and nothing else was asked for.
    #[track_caller]
    pub fn is_through(&self, name: &str) {
        let state = self.state.lock().unwrap();
        assert!(state.strays.is_empty(), "{name}: asked for without an answer: {:?}", state.strays);
        let left: Vec<&String> = state.left.iter().map(|exchange| &exchange.task).collect();
        assert!(left.is_empty(), "{name}: not asked for: {left:?}");
    }

    /// The installation asks this server for everything that begins with `tasks`, in a wire form.
    pub fn serve(&self, radar: Radar, form: &str, tasks: &[&str]) -> Radar {
        let (provider, path) = match form {
            "responses" => ("openai", "/v1/responses"),
            "chat_completions" => ("openai_compatible", "/v1/chat/completions"),
            "ollama_chat" => ("ollama", "/api/chat"),
            "ollama_generate" => ("ollama", "/api/generate"),
            other => panic!("{other} is no wire form"),
        };
        let lines: Vec<String> = tasks.iter().map(|task| format!("  {task}: {provider}/m\n")).collect();
        let catalogue = format!(
            "endpoint: {}{path}\napi_key: ${{MODEL_KEY}}\nprices: {{ input: 0, output: 0 }}\n\
             models:\n  {provider}/m: {{}}\ntasks:\n{}",
            self.base,
            lines.concat()
        );
        std::fs::write(radar.folder().join("models.yaml"), catalogue).unwrap();
        radar.with("AHA_LLM_CONFIG", "models.yaml").with("MODEL_KEY", "sk-exchanges-0123456789")
    }
}

/// The answer to a request, and how long it takes.
fn answer(state: &Mutex<State>, uri: &Uri, body: &Bytes) -> (Response, Duration) {
    if body.is_empty() {
        let models = match &state.lock().unwrap().models {
            Some(models) => ([("content-type", "application/json")], models.to_string()).into_response(),
            None => StatusCode::NOT_FOUND.into_response(),
        };
        return (models, Duration::ZERO);
    }
    let body: Value = serde_json::from_slice(body).unwrap();
    let asked = Asked { task: String::new(), path: uri.path().to_owned(), body };
    let task = task_of(&asked.text());
    let mut state = state.lock().unwrap();
    let found = state.left.iter().position(|exchange| exchange.task == task);
    let exchange = found.map(|at| state.left.remove(at));
    state.asked.push(Asked { task: task.clone(), ..asked });
    let Some(exchange) = exchange else {
        state.strays.push(task);
        let error = json!({ "error": { "message": "there is no answer to this left", "code": "none_left" } });
        let none = (StatusCode::BAD_REQUEST, [("content-type", "application/json")], error.to_string());
        return (none.into_response(), Duration::ZERO);
    };
    let status = StatusCode::from_u16(exchange.status).unwrap();
    let answer = (status, [("content-type", exchange.content_type)], Body::from(exchange.body));
    (answer.into_response(), exchange.after)
}

/// The task whose system prompt begins as this one does.
fn task_of(text: &str) -> String {
    for entry in std::fs::read_dir(repository("prompts")).unwrap() {
        let path = entry.unwrap().path();
        let Ok(system) = std::fs::read_to_string(path.join("system.md")) else { continue };
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if text.contains(system.lines().next().unwrap()) {
            return name.rsplit_once("_v").map_or(name.clone(), |(task, _)| task.to_owned());
        }
    }
    "unknown".to_owned()
}

/// The cases of a folder below `tests/data/exchanges`, by name.
pub fn cases(folder: &str) -> Vec<(String, Value)> {
    let mut cases: Vec<(String, Value)> = std::fs::read_dir(repository(&format!("tests/data/exchanges/{folder}")))
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            (name, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        })
        .collect();
    cases.sort_by(|(a, _), (b, _)| a.cmp(b));
    cases
}

/// Whether `found` holds all that `expected` does: fields of objects, and lists element by element. What differs, by
/// its place.
pub fn differences(expected: &Value, found: &Value, place: &str) -> Vec<String> {
    match (expected, found) {
        (Value::Object(fields), Value::Object(_)) => fields
            .iter()
            .flat_map(|(name, expected)| differences(expected, &found[name], &format!("{place}.{name}")))
            .collect(),
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().flat_map(|(i, (a, b))| differences(a, b, &format!("{place}[{i}]"))).collect()
        }
        (expected, found) if expected == found => Vec::new(),
        (expected, found) => vec![format!("{place}: {found} instead of {expected}")],
    }
}
