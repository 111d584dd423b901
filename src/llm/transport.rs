//! Sends bytes and brings bytes back; it alone does. It follows no redirect, retries nothing and knows no dialect.

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt as _;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use super::error::CallError;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// An answer is some kilobytes; this leaves room for embeddings.
const MAX_BODY_MIB: usize = 32;

/// What a dialect made of a request.
#[derive(Debug, Clone)]
pub struct WireRequest {
    pub endpoint: Url,
    pub key: SecretString,
    pub body: Vec<u8>,
}

/// What came back, whatever its status.
#[derive(Debug, Clone, Default)]
pub struct WireResponse {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl WireResponse {
    /// A header as text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok().map(str::trim).filter(|value| !value.is_empty())
    }
}

/// The way to a server.
#[async_trait]
pub trait Transport: Debug + Send + Sync {
    /// # Errors
    /// When no whole answer came; an answer with an error's status is an answer.
    async fn send(&self, request: &WireRequest) -> Result<WireResponse, CallError>;
}

/// HTTP.
#[derive(Debug)]
pub struct Http {
    client: reqwest::Client,
    timeout: Duration,
}

impl Http {
    /// # Errors
    /// When the TLS backend cannot be started.
    pub fn new(timeout: Duration) -> Result<Self, reqwest::Error> {
        let client = reqwest::Client::builder()
            .user_agent(concat!("aha-radar/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .build()?;
        Ok(Self { client, timeout })
    }

    async fn exchange(&self, request: &WireRequest) -> Result<WireResponse, CallError> {
        let bearer = format!("Bearer {}", request.key.expose_secret());
        let mut bearer = HeaderValue::from_str(&bearer)
            .map_err(|_| CallError::Unauthorized("the key holds characters that no header can carry".to_owned()))?;
        bearer.set_sensitive(true);
        let sending = self
            .client
            .post(request.endpoint.clone())
            .header(AUTHORIZATION, bearer)
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .body(request.body.clone());
        let response = sending.send().await.map_err(|error| failure(&error))?;
        crate::failpoint::hit("call.after_send");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        if response.status().is_redirection() {
            return Err(CallError::Redirected(target(&headers)));
        }
        let mut body = Vec::new();
        let mut stream = response.bytes_stream();
        while let Some(chunk) = stream.next().await {
            let chunk = chunk.map_err(|error| failure(&error))?;
            if body.len() + chunk.len() > MAX_BODY_MIB << 20 {
                return Err(CallError::TooLarge(MAX_BODY_MIB));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(WireResponse { status, headers, body })
    }
}

#[async_trait]
impl Transport for Http {
    async fn send(&self, request: &WireRequest) -> Result<WireResponse, CallError> {
        let late = || CallError::TimedOut(self.timeout.as_secs());
        tokio::time::timeout(self.timeout, self.exchange(request)).await.unwrap_or_else(|_| Err(late()))
    }
}

/// The host that a redirect names, and no more of it: the rest may be made to look like a message.
fn target(headers: &HeaderMap) -> String {
    let location = headers.get(LOCATION).and_then(|value| value.to_str().ok());
    let host = location.and_then(|text| Url::parse(text).ok()).and_then(|url| url.host_str().map(str::to_owned));
    host.unwrap_or_else(|| "another address".to_owned())
}

fn failure(error: &reqwest::Error) -> CallError {
    let why = innermost(error);
    if error.is_connect() {
        return CallError::Connect(why);
    }
    if error.is_timeout() {
        return CallError::TimedOut(CONNECT_TIMEOUT.as_secs());
    }
    CallError::Interrupted(why)
}

/// The cause at the bottom: the ones above it only say that something failed, and name the address.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}
