//! The server: it answers each question in the way of the case that has its name.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aha_benchmark::citations::CitationStatus;
use aha_benchmark::report::Status;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::cases::{GOOD, OK};
use Behaviour::{Close, CloseOnce, Cut, Drip, Hang, HangOnce, Huge, NoHttp, Say};

/// What the server does with a question that is its name: status line and body, or something worse.
#[derive(Clone, Copy)]
pub(super) enum Behaviour {
    Say(&'static str, &'static str),
    Hang,
    Close,
    /// Promises more than it sends.
    Cut,
    /// Sends byte by byte, for longer than anybody waits.
    Drip,
    Huge,
    NoHttp,
    /// Closes the connection at the first attempt, answers at the second.
    CloseOnce,
    /// Is silent at the first attempt.
    HangOnce,
}

#[derive(Clone, Copy)]
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) behaviour: Behaviour,
    pub(super) status: Status,
    pub(super) citation: Option<CitationStatus>,
    pub(super) error: Option<&'static str>,
    pub(super) attempts: u32,
}

pub(super) const fn case(
    name: &'static str,
    behaviour: Behaviour,
    status: Status,
    citation: Option<CitationStatus>,
    error: Option<&'static str>,
    attempts: u32,
) -> Case {
    Case { name, behaviour, status, citation, error, attempts }
}

/// Serves until the runtime ends; returns its address.
pub(super) async fn serve(cases: &[Case]) -> url::Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let cases: Arc<HashMap<&str, Case>> = Arc::new(cases.iter().map(|case| (case.name, *case)).collect());
    let seen: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(answer(stream, Arc::clone(&cases), Arc::clone(&seen)));
        }
    });
    format!("http://{address}/").parse().unwrap()
}

async fn answer(mut stream: TcpStream, cases: Arc<HashMap<&str, Case>>, seen: Arc<Mutex<HashMap<String, usize>>>) {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    let body = loop {
        let read = stream.read(&mut buffer).await.unwrap_or(0);
        if read == 0 {
            return;
        }
        request.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&request).into_owned();
        if text.starts_with("GET /health") {
            return say(&mut stream, OK, r#"{"status":"ok"}"#).await;
        }
        assert!(text.starts_with("POST /ask "), "{text}");
        if let Some((_, body)) = text.split_once("\r\n\r\n").filter(|(_, body)| body.ends_with('}')) {
            break body.to_owned();
        }
    };
    let question: serde_json::Value = serde_json::from_str(&body).unwrap();
    let name = question["question"].as_str().unwrap().trim_end_matches('?').to_owned();
    let attempt = {
        let mut seen = seen.lock().unwrap();
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        *count
    };
    let behaviour = cases.get(name.as_str()).map_or(Say(OK, GOOD), |case| case.behaviour);
    match behaviour {
        CloseOnce | HangOnce if attempt > 1 => say(&mut stream, OK, GOOD).await,
        Say(status, body) => say(&mut stream, status, body).await,
        Huge => say(&mut stream, OK, &format!(r#"{{"answer":"{}","citations":[]}}"#, "x".repeat(6_000_000))).await,
        Cut => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"answer\":").await;
        }
        NoHttp => {
            let _ = stream.write_all(b"SSH-2.0-harbour\r\n").await;
        }
        Drip => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n").await;
            for _ in 0..100 {
                tokio::time::sleep(Duration::from_millis(50)).await;
                if stream.write_all(b" ").await.is_err() {
                    return;
                }
            }
        }
        Hang | HangOnce => tokio::time::sleep(Duration::from_mins(1)).await,
        Close | CloseOnce => {}
    }
}

async fn say(stream: &mut TcpStream, status: &str, body: &str) {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(head.as_bytes()).await;
    let _ = stream.write_all(body.as_bytes()).await;
}
