//! What the daemon serves over HTTP.

pub mod health;

use axum::Router;
use axum::routing::get;
use tokio::net::TcpListener;

use crate::app::App;

/// Serves until the task is ended.
pub async fn serve(listener: TcpListener, app: App) {
    if let Err(error) = axum::serve(listener, router(app)).await {
        tracing::error!(%error, "the web server ended; /health does not answer any more");
    }
}

pub fn router(app: App) -> Router {
    Router::new().route("/health", get(health::health)).with_state(app)
}
