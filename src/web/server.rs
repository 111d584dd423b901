//! The HTTP server, for `aha-radar serve` and for the daemon.
//!
//! Input: the application. Output: a server on `AHA_LISTEN`, or why it cannot start. Called by `cli::serve` and
//! `daemon`.

use std::net::SocketAddr;
use std::time::Duration;

use axum::extract::Request;
use axum::http::Uri;
use axum::http::uri::PathAndQuery;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower::Layer as _;
use tower::util::MapRequestLayer;

use super::connections::answer_all;
use super::{WebState, router};
use crate::app::App;
use crate::services::accounts::{self, AccountError};
use crate::services::runs::Runs;

/// How long a closing server sends the rest of its responses. A stream that has not ended by then is cut off.
const MAX_CLOSING: Duration = Duration::from_secs(1);

/// Why the server cannot start.
#[derive(Debug, Error)]
pub enum ServeError {
    #[error("the server cannot listen on {address}: {reason}; set AHA_LISTEN to a free address and port")]
    Listen { address: SocketAddr, reason: std::io::Error },
    #[error("the server does not start: {why}")]
    Unprotected { why: String },
    #[error(transparent)]
    Accounts(#[from] AccountError),
}

/// A server that is bound to its address and does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    state: WebState,
}

impl Server {
    /// Binds to the address of `AHA_LISTEN`.
    ///
    /// # Errors
    /// When the address is in use, and when others could reach a server without authentication.
    pub async fn bind(app: App, runs: Runs) -> Result<Self, ServeError> {
        let address = app.config().listen;
        let state = WebState::new(app, runs);
        check_protection(state.app()).await?;
        let listener = TcpListener::bind(address).await.map_err(|reason| ServeError::Listen { address, reason })?;
        Ok(Self { listener, state })
    }

    /// Returns the address for browsers.
    #[must_use]
    pub fn url(&self) -> String {
        let config = self.state.app().config();
        config.web.public_url.as_ref().map_or_else(|| format!("http://{}/", config.listen), ToString::to_string)
    }

    /// Answers requests until `closing`, then sends the rest of the responses that are ready.
    pub async fn run(self, closing: CancellationToken) {
        let prefix = self.state.prefix().to_owned();
        let service = MapRequestLayer::new(move |request| with_contract_path(without_prefix(request, &prefix)))
            .layer(router(&self.state));
        let answering = answer_all(self.listener, service, closing.clone());
        let late = async {
            closing.cancelled().await;
            tokio::time::sleep(MAX_CLOSING).await;
        };
        tokio::select! {
            () = answering => {}
            () = late => {}
        }
    }
}

async fn check_protection(app: &App) -> Result<(), ServeError> {
    match accounts::why_unprotected(app).await? {
        Some(why) => Err(ServeError::Unprotected { why }),
        None => Ok(()),
    }
}

/// Removes the prefix, if a reverse proxy has not done so: both forms lead to the same routes.
fn without_prefix(request: Request, prefix: &str) -> Request {
    let Some(rest) = request.uri().path().strip_prefix(prefix).filter(|_| !prefix.is_empty()) else { return request };
    if !rest.is_empty() && !rest.starts_with('/') {
        return request;
    }
    let path = if rest.is_empty() { "/".to_owned() } else { rest.to_owned() };
    with_path(request, &path)
}

/// Paths of the question API's contract.
const CONTRACT_PATHS: [&str; 3] = ["/ask", "/v1/ask", "/health"];

/// Removes slashes around these paths: a client makes `//ask` of a base address that ends with a slash, or `/ask/`.
fn with_contract_path(request: Request) -> Request {
    let path = request.uri().path();
    let plain = path.trim_matches('/');
    match CONTRACT_PATHS.iter().find(|known| &known[1..] == plain && **known != path) {
        Some(known) => with_path(request, known),
        None => request,
    }
}

/// Replaces the path and keeps the query.
fn with_path(mut request: Request, path: &str) -> Request {
    let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
    let Ok(path_and_query) = format!("{path}{query}").parse::<PathAndQuery>() else { return request };
    let mut parts = request.uri().clone().into_parts();
    parts.path_and_query = Some(path_and_query);
    if let Ok(uri) = Uri::from_parts(parts) {
        *request.uri_mut() = uri;
    }
    request
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    #[test]
    fn the_prefix_is_taken_off_where_it_is_one() {
        let path = |uri: &str| {
            without_prefix(Request::builder().uri(uri).body(Body::empty()).unwrap(), "/radar").uri().to_string()
        };
        assert_eq!(path("/radar"), "/");
        assert_eq!(path("/radar/topics?a=1"), "/topics?a=1");
        assert_eq!(path("/radars"), "/radars");
        assert_eq!(path("/topics"), "/topics");
    }

    #[test]
    fn slashes_around_a_path_of_the_contract_are_taken_off() {
        let path =
            |uri: &str| with_contract_path(Request::builder().uri(uri).body(Body::empty()).unwrap()).uri().to_string();
        for (given, expected) in [
            ("/ask/", "/ask"),
            ("//ask", "/ask"),
            ("/v1/ask//", "/v1/ask"),
            ("/health/?a=1", "/health?a=1"),
            ("/ask", "/ask"),
            ("/topics/", "/topics/"),
            ("/ask/more", "/ask/more"),
            ("/", "/"),
        ] {
            assert_eq!(path(given), expected);
        }
    }
}
