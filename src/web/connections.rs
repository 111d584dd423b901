//! Accepts connections and answers their requests: so many at a time that files are left for the database and for
//! fetches, and none that stays silent.

use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use aha_core::failpoint;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use rustix::process::{Resource, getrlimit};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tower::{Service, ServiceExt as _};
use tower_http::timeout::TimeoutBody;

use super::unread::ReceivedWhole;

/// Maximum number of connections at a time, if the process may open twice as many files. Further ones wait.
const MAX_CONNECTIONS: usize = 512;
/// A connection is closed if the head of a request, also of the next one, has not arrived after this time, or if no more
/// of a body arrives for so long. The body of a refused request is received for so long at most.
const MAX_SILENCE: Duration = Duration::from_secs(30);
/// Pause after no connection could be accepted, as when too many files are open.
const PAUSE: Duration = Duration::from_secs(1);

/// Answers requests until `closing`, then waits for those that are being answered.
pub(super) async fn answer_all<S>(listener: TcpListener, service: S, closing: CancellationToken)
where
    S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    let (open, places) = (GracefulShutdown::new(), Arc::new(Semaphore::new(max_connections())));
    let mut http = http1::Builder::new();
    let max_silence = failpoint::pause("AHA_HTTP_SILENCE_MS", MAX_SILENCE);
    http.timer(TokioTimer::new()).header_read_timeout(max_silence);
    loop {
        let (stream, peer, place) = tokio::select! {
            biased;
            () = closing.cancelled() => break,
            accepted = accept(&listener, &places) => accepted,
        };
        let service = service.clone();
        let answer = service_fn(move |request: hyper::Request<Incoming>| {
            let (head, body) = request.into_parts();
            let body = ReceivedWhole::new(body, &head.headers, max_silence);
            let mut request = Request::from_parts(head, Body::new(TimeoutBody::new(max_silence, body)));
            request.extensions_mut().insert(ConnectInfo(peer));
            service.clone().oneshot(request)
        });
        let connection = open.watch(http.serve_connection(TokioIo::new(stream), answer));
        tokio::spawn(async move {
            let _place = place;
            if let Err(error) = connection.await {
                tracing::debug!(%peer, %error, "a connection ended");
            }
        });
    }
    // Refuses connections from now on.
    drop(listener);
    open.shutdown().await;
}

fn max_connections() -> usize {
    let files = getrlimit(Resource::Nofile).current;
    files
        .and_then(|files| usize::try_from(files / 2).ok())
        .map_or(MAX_CONNECTIONS, |half| half.clamp(1, MAX_CONNECTIONS))
}

/// Waits for a place, and for a connection that takes it.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> (TcpStream, SocketAddr, Option<OwnedSemaphorePermit>) {
    // The semaphore is never closed; if it were, continuing would be right.
    let place = Arc::clone(places).acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => return (stream, peer, place),
            // The client has gone already.
            Err(error) if matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset) => {}
            Err(error) => {
                tracing::error!(%error, "no connection can be accepted; trying again");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}
