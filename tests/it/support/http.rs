//! A small scripted HTTP server: paths to answers, requests recorded.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// An answer. `{base}` in a header's value becomes the server's address.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    delay: Duration,
    /// Send only so many bytes of the body, then say no more (`Stall`) or hang up (`Cut`).
    end: End,
    /// Answer 304 to a request that holds this header.
    not_modified_if: Option<(String, String)>,
}

#[derive(Debug, Clone, Copy, Default)]
enum End {
    #[default]
    Whole,
    Stall(usize),
    Cut(usize),
}

impl Answer {
    pub fn new(status: u16) -> Self {
        Self { status, ..Self::default() }
    }

    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self { status: 200, body: body.into(), ..Self::default() }
    }

    pub fn with_body(mut self, body: &str) -> Self {
        self.body = body.as_bytes().to_vec();
        self
    }

    pub fn redirect(status: u16, to: &str) -> Self {
        Self::new(status).header("location", to)
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    pub fn stalling_after(mut self, bytes: usize) -> Self {
        self.end = End::Stall(bytes);
        self
    }

    pub fn cut_after(mut self, bytes: usize) -> Self {
        self.end = End::Cut(bytes);
        self
    }

    pub fn not_modified_if(mut self, header: &str, value: &str) -> Self {
        self.not_modified_if = Some((header.to_owned(), value.to_owned()));
        self
    }
}

/// A request as it arrived; header names in lower case.
#[derive(Debug, Clone)]
pub struct Request {
    pub path: String,
    pub headers: HashMap<String, String>,
    pub began: Instant,
}

/// The server; it ends with the test.
#[derive(Debug)]
pub struct Server {
    pub base: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub async fn start(answers: Vec<(&str, Answer)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let answers: Arc<HashMap<String, Answer>> =
            Arc::new(answers.into_iter().map(|(p, a)| (p.to_owned(), a)).collect());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (log, address) = (Arc::clone(&requests), base.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answers, log, address) = (Arc::clone(&answers), Arc::clone(&log), address.clone());
                tokio::spawn(async move { serve(stream, &answers, &log, &address).await });
            }
        });
        Self { base, requests }
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, answers: &HashMap<String, Answer>, log: &Mutex<Vec<Request>>, base: &str) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let mut lines = head.lines();
    let path = lines.next().and_then(|l| l.split(' ').nth(1)).unwrap_or_default().to_owned();
    let headers: HashMap<String, String> = lines
        .filter_map(|l| l.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let mut answer = answers.get(&path).cloned().unwrap_or_else(|| Answer::new(404));
    if let Some((name, value)) = &answer.not_modified_if
        && headers.get(name) == Some(value)
    {
        answer = Answer::new(304);
    }
    log.lock().unwrap().push(Request { path, headers, began: Instant::now() });
    tokio::time::sleep(answer.delay).await;
    let _ = send(&mut stream, &answer, base).await;
}

async fn send(stream: &mut TcpStream, answer: &Answer, base: &str) -> std::io::Result<()> {
    let mut head = format!("HTTP/1.1 {} X\r\nconnection: close\r\n", answer.status);
    if answer.status != 304 {
        let _ = write!(head, "content-length: {}\r\n", answer.body.len());
    }
    for (name, value) in &answer.headers {
        let _ = write!(head, "{name}: {}\r\n", value.replace("{base}", base));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).await?;
    match answer.end {
        End::Whole => stream.write_all(&answer.body).await?,
        End::Cut(bytes) => stream.write_all(&answer.body[..bytes]).await?,
        End::Stall(bytes) => {
            stream.write_all(&answer.body[..bytes]).await?;
            stream.flush().await?;
            tokio::time::sleep(Duration::from_mins(1)).await;
        }
    }
    stream.shutdown().await
}
