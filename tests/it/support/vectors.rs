//! Servers that make vectors, in the dialects of catalogues: the same vector for the same text, and what came is
//! remembered.

use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::http::{HeaderMap, Uri};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use super::responses::embeddings::vector;

/// Of every text, as a server counts them.
pub const TOKENS: i64 = 3;
/// Where the request does not say.
const USUAL_LENGTH: usize = 24;

/// From the server's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Compatible,
    Gemini,
    Ollama,
}

/// A request that came.
#[derive(Debug, Clone)]
pub struct Asked {
    pub path: String,
    pub headers: HeaderMap,
    pub body: Value,
    pub texts: Vec<String>,
}

/// The server, which goes with the value.
#[derive(Debug)]
pub struct Vectors {
    pub base: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    _runtime: tokio::runtime::Runtime,
}

impl Vectors {
    /// `numbers`: how many a vector has, whatever is asked for; `None`: as is asked for.
    pub fn start(dialect: Dialect, numbers: Option<usize>) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&asked);
        let answer = move |uri: Uri, headers: HeaderMap, body: Bytes| {
            let body: Value = serde_json::from_slice(&body).unwrap();
            let asked = Asked { path: uri.to_string(), headers, texts: dialect.texts(&body), body };
            let said = dialect.said(&asked, numbers);
            noted.lock().unwrap().push(asked);
            async move { said }
        };
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let app = axum::Router::new().fallback(answer);
        runtime.spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { base, asked, _runtime: runtime }
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

impl Dialect {
    fn texts(self, body: &Value) -> Vec<String> {
        let words = |value: &Value| value.as_str().unwrap().to_owned();
        match self {
            Self::Compatible | Self::Ollama => body["input"].as_array().unwrap().iter().map(words).collect(),
            Self::Gemini => {
                let requests = body["requests"].as_array().unwrap().iter();
                requests.map(|request| words(&request["content"]["parts"][0]["text"])).collect()
            }
        }
    }

    fn said(self, asked: &Asked, numbers: Option<usize>) -> Response {
        let wanted = match self {
            Self::Compatible | Self::Ollama => &asked.body["dimensions"],
            Self::Gemini => &asked.body["requests"][0]["outputDimensionality"],
        };
        let wanted = wanted.as_u64().map_or(USUAL_LENGTH, |wanted| usize::try_from(wanted).unwrap());
        let length = numbers.unwrap_or(wanted);
        let vectors: Vec<Vec<f64>> = asked.texts.iter().map(|text| vector(text, length)).collect();
        let tokens = TOKENS * i64::try_from(vectors.len()).unwrap();
        let body = match self {
            Self::Compatible => {
                let data = vectors.into_iter().enumerate();
                let data: Vec<Value> = data.map(|(index, one)| json!({ "index": index, "embedding": one })).collect();
                json!({ "object": "list", "data": data, "usage": { "prompt_tokens": tokens, "total_tokens": tokens } })
            }
            Self::Gemini => {
                let embeddings: Vec<Value> = vectors.into_iter().map(|values| json!({ "values": values })).collect();
                json!({ "embeddings": embeddings })
            }
            Self::Ollama => json!({ "model": "m", "embeddings": vectors, "prompt_eval_count": tokens }),
        };
        ([("content-type", "application/json")], body.to_string()).into_response()
    }
}
