//! Sends requests and receives responses; all I/O with providers is here. It follows no redirects, does not retry and
//! knows no dialect.

use std::fmt::{self, Debug};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use aha_net::address::{AddressRules, CheckedResolver, ResolveFailure};
use aha_net::endpoint::without_secrets;
use async_trait::async_trait;
use bytes::Bytes;
use futures::stream::{BoxStream, StreamExt as _};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use tokio::time::Instant;
use url::{Host, Url};

use super::error::CallError;
use crate::settings::Egress;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// An answer has some kilobytes; this leaves room for embeddings.
pub(crate) const MAX_BODY_MIB: usize = 32;

/// A request encoded by a dialect.
#[derive(Clone)]
pub struct WireRequest {
    pub url: Url,
    /// Include the key.
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// Omits the address's query, which may hold a key; headers with keys are marked as sensitive.
impl Debug for WireRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WireRequest")
            .field("url", &without_secrets(&self.url))
            .field("headers", &self.headers)
            .field("body_bytes", &self.body.len())
            .finish()
    }
}

/// Timeouts of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Until its answer begins.
    pub first_byte: Duration,
    /// Between two pieces of it.
    pub idle: Duration,
    /// Until it is complete.
    pub whole: Duration,
}

impl Timeouts {
    /// Returns timeouts that only limit the whole call.
    #[must_use]
    pub const fn of(whole: Duration) -> Self {
        Self { first_byte: whole, idle: whole, whole }
    }
}

/// A response with any status.
#[derive(Clone, Default)]
pub struct WireResponse {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl WireResponse {
    /// Returns a header as text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok().map(str::trim).filter(|value| !value.is_empty())
    }
}

/// Omits the body and headers, which may quote a key.
impl Debug for WireResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.body.len();
        f.debug_struct("WireResponse").field("status", &self.status).field("body_bytes", &bytes).finish_non_exhaustive()
    }
}

/// A response whose body is still being received.
pub struct WireStream {
    pub status: u16,
    pub headers: HeaderMap,
    /// An error ends it.
    pub chunks: BoxStream<'static, Result<Bytes, CallError>>,
}

impl Debug for WireStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WireStream").field("status", &self.status).finish_non_exhaustive()
    }
}

impl From<WireResponse> for WireStream {
    fn from(WireResponse { status, headers, body }: WireResponse) -> Self {
        let chunks = futures::stream::iter([Ok(Bytes::from(body))]).boxed();
        Self { status, headers, chunks }
    }
}

impl WireStream {
    /// Receives the whole body.
    ///
    /// # Errors
    /// When it breaks off, or exceeds the maximum size.
    pub async fn collect(mut self) -> Result<WireResponse, CallError> {
        let mut body = Vec::new();
        while let Some(chunk) = self.chunks.next().await {
            let chunk = chunk?;
            if body.len() + chunk.len() > MAX_BODY_MIB << 20 {
                return Err(CallError::TooLarge(MAX_BODY_MIB));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(WireResponse { status: self.status, headers: self.headers, body })
    }
}

/// Sends requests to servers.
#[async_trait]
pub trait Transport: Debug + Send + Sync {
    /// Sends, and returns when the answer begins.
    ///
    /// # Errors
    /// When no answer began; a response with an error status is an answer.
    async fn open(&self, request: &WireRequest, timeouts: Timeouts) -> Result<WireStream, CallError>;

    /// Sends, and returns when the answer is complete.
    ///
    /// # Errors
    /// When no complete answer was received.
    async fn send(&self, request: &WireRequest, timeouts: Timeouts) -> Result<WireResponse, CallError> {
        self.open(request, timeouts).await?.collect().await
    }
}

/// HTTP.
#[derive(Debug)]
pub struct Http {
    /// Created for the first request: it loads all certificates of the machine, which takes longer than most commands.
    client: OnceLock<Result<reqwest::Client, String>>,
    /// `None`: any address is allowed.
    rules: Option<AddressRules>,
}

impl Http {
    /// Builds a transport. With local egress, it connects only to addresses of this machine and of private networks,
    /// whatever a name resolves to. It then uses no proxy from the environment, because the proxy would connect on its
    /// behalf.
    #[must_use]
    pub fn within(egress: Egress) -> Self {
        Self { client: OnceLock::new(), rules: (egress == Egress::Local).then(AddressRules::own_network) }
    }

    fn client(&self) -> Result<&reqwest::Client, CallError> {
        let made = self.client.get_or_init(|| client(self.rules.as_ref()).map_err(|error| error.to_string()));
        made.as_ref().map_err(|why| CallError::Connect(format!("the HTTP client cannot be made: {why}")))
    }

    /// Fetches a free resource, such as a server's list of models, with a timeout of ten seconds.
    ///
    /// # Errors
    /// When no complete answer was received; a response with an error status is an answer.
    pub async fn get(&self, request: &WireRequest) -> Result<WireResponse, CallError> {
        self.check(&request.url)?;
        let request_builder = self.client()?.get(request.url.clone()).headers(request.headers.clone());
        self.opened(request_builder, Timeouts::of(CONNECT_TIMEOUT)).await?.collect().await
    }

    /// Returns the response as soon as it begins.
    async fn opened(
        &self,
        request_builder: reqwest::RequestBuilder,
        timeouts: Timeouts,
    ) -> Result<WireStream, CallError> {
        let end = Instant::now() + timeouts.whole;
        let max_wait = timeouts.first_byte.min(timeouts.whole);
        let response = tokio::time::timeout(max_wait, request_builder.send())
            .await
            .map_err(|_| CallError::TimedOut(max_wait.as_secs()))?
            .map_err(|error| failure(&error))?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        if response.status().is_redirection() {
            return Err(CallError::Redirected(target(&headers)));
        }
        Ok(WireStream { status, headers, chunks: chunks(response, end, timeouts) })
    }

    /// Checks an address literal in a URL, which no resolver sees.
    fn check(&self, url: &Url) -> Result<(), CallError> {
        let address = match url.host() {
            Some(Host::Ipv4(address)) => address.into(),
            Some(Host::Ipv6(address)) => address.into(),
            Some(Host::Domain(_)) | None => return Ok(()),
        };
        match &self.rules {
            Some(rules) if !rules.permits(address) => Err(CallError::NotLocal(address.to_string())),
            Some(_) | None => Ok(()),
        }
    }
}

#[async_trait]
impl Transport for Http {
    async fn open(&self, request: &WireRequest, timeouts: Timeouts) -> Result<WireStream, CallError> {
        self.check(&request.url)?;
        let sending = self
            .client()?
            .post(request.url.clone())
            .headers(request.headers.clone())
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .body(request.body.clone());
        let opened = self.opened(sending, timeouts).await;
        if !matches!(opened, Err(CallError::TimedOut(_) | CallError::Connect(_) | CallError::Interrupted(_))) {
            aha_core::failpoint::hit_with("call.after_send", &(self, request));
        }
        opened
    }
}

fn client(rules: Option<&AddressRules>) -> Result<reqwest::Client, reqwest::Error> {
    let builder = aha_net::client::builder()
        .user_agent(concat!("aha-radar/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT);
    match rules {
        Some(rules) => builder.no_proxy().dns_resolver(Arc::new(CheckedResolver::of(rules.clone()))),
        None => builder,
    }
    .build()
}

/// Returns the chunks of the body, each within its timeout.
fn chunks(
    response: reqwest::Response,
    end: Instant,
    timeouts: Timeouts,
) -> BoxStream<'static, Result<Bytes, CallError>> {
    let body = response.bytes_stream().boxed();
    futures::stream::unfold(Some(body), move |body| async move {
        let mut body = body?;
        let max_wait = end.saturating_duration_since(Instant::now()).min(timeouts.idle);
        match tokio::time::timeout(max_wait, body.next()).await {
            Ok(Some(Ok(chunk))) => Some((Ok(chunk), Some(body))),
            Ok(Some(Err(error))) => Some((Err(failure(&error)), None)),
            Ok(None) => None,
            Err(_) if Instant::now() >= end => Some((Err(CallError::TimedOut(timeouts.whole.as_secs())), None)),
            Err(_) => Some((Err(CallError::Stalled(timeouts.idle.as_secs())), None)),
        }
    })
    .boxed()
}

/// Returns only the host of a redirect, because the rest could be crafted to look like a message.
fn target(headers: &HeaderMap) -> String {
    let location = headers.get(LOCATION).and_then(|value| value.to_str().ok());
    let host = location.and_then(|text| Url::parse(text).ok()).and_then(|url| url.host_str().map(str::to_owned));
    host.unwrap_or_else(|| "another address".to_owned())
}

fn failure(error: &reqwest::Error) -> CallError {
    let causes = std::iter::successors(Some(error as &(dyn std::error::Error + 'static)), |cause| cause.source());
    let refused = causes.filter_map(|cause| cause.downcast_ref()).find_map(|failure| match failure {
        ResolveFailure::Refused { host, address } => Some(format!("{host}, which is {address},")),
        ResolveFailure::Unknown { .. } => None,
    });
    if let Some(refused_target) = refused {
        return CallError::NotLocal(refused_target);
    }
    let why = innermost(error);
    if error.is_connect() {
        return CallError::Connect(why);
    }
    if error.is_timeout() {
        return CallError::TimedOut(CONNECT_TIMEOUT.as_secs());
    }
    CallError::Interrupted(why)
}

/// Returns the innermost cause: the outer ones only state that something failed, and contain the address.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, SocketAddr};

    use super::*;

    async fn sent(http: &Http, url: &str) -> Result<WireResponse, CallError> {
        let request = WireRequest { url: Url::parse(url).unwrap(), headers: HeaderMap::new(), body: "{}".into() };
        http.send(&request, Timeouts::of(Duration::from_secs(5))).await
    }

    /// Whether a client connects within 200 ms.
    async fn is_reached(listener: &tokio::net::TcpListener) -> bool {
        tokio::time::timeout(Duration::from_millis(200), listener.accept()).await.is_ok()
    }

    #[tokio::test]
    async fn local_egress_refuses_addresses_elsewhere() {
        let http = Http::within(Egress::Local);
        for url in ["http://203.0.113.7/", "https://8.8.8.8/v1", "http://[2606:4700::1]/", "http://169.254.169.254/"] {
            assert!(matches!(sent(&http, url).await, Err(CallError::NotLocal(_))), "{url}");
        }
    }

    /// The resolver is the machine's, whose results for remote names are unknown. So a name that resolves to this
    /// machine is checked against rules that treat this machine as remote.
    #[tokio::test]
    async fn a_name_that_leads_elsewhere_is_refused_before_a_byte_is_sent() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let rules = AddressRules::new(Vec::new());
        assert!(!rules.permits(IpAddr::from([127, 0, 0, 1])));
        let http = Http { client: OnceLock::new(), rules: Some(rules) };
        let error = sent(&http, &format!("http://localhost:{port}/")).await.unwrap_err();
        assert!(
            matches!(&error, CallError::NotLocal(refused_target) if refused_target.starts_with("localhost, which is ")),
            "{error}"
        );
        assert!(!is_reached(&listener).await);
    }

    #[tokio::test]
    async fn local_egress_reaches_names_of_this_machine() {
        let listener = tokio::net::TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let http = Http::within(Egress::Local);
        let url = format!("http://localhost:{port}/");
        tokio::select! {
            accepted = listener.accept() => assert!(accepted.is_ok()),
            ended = sent(&http, &url) => panic!("ended before it connected: {:?}", ended.err()),
        }
    }
}
