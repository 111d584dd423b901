//! Receives the rest of a request's body that nothing reads, as a refused request is answered before its body has
//! arrived.
//!
//! Input: the body of a request. Output: the same body. Called by `connections`. A connection that is closed before all
//! data on it was read is reset, and a client that is still sending loses the response; so every server that answers
//! early reads on for a while (nginx: `lingering_close`, for 30 seconds).

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Bytes, HttpBody};
use axum::http::{HeaderMap, header};
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::runtime::Handle;

/// A body whose rest is received and thrown away once it is dropped, for so long at most.
#[derive(Debug)]
pub(super) struct ReceivedWhole {
    /// None once dropped.
    body: Option<Incoming>,
    max_time: Duration,
    /// Whether the client sends the body only once it is asked for: `Expect: 100-continue`.
    is_awaited: bool,
}

impl ReceivedWhole {
    pub(super) fn new(body: Incoming, headers: &HeaderMap, max_time: Duration) -> Self {
        Self { body: Some(body), max_time, is_awaited: headers.contains_key(header::EXPECT) }
    }
}

impl HttpBody for ReceivedWhole {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        self.is_awaited = false;
        self.body.as_mut().map_or(Poll::Ready(None), |body| Pin::new(body).poll_frame(context))
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(SizeHint::default, HttpBody::size_hint)
    }
}

impl Drop for ReceivedWhole {
    fn drop(&mut self) {
        let rest = self.body.take().filter(|body| !self.is_awaited && !body.is_end_stream());
        if let (Some(mut rest), Ok(runtime)) = (rest, Handle::try_current()) {
            let receiving = async move {
                while let Some(Ok(_)) = std::future::poll_fn(|context| Pin::new(&mut rest).poll_frame(context)).await {}
            };
            runtime.spawn(tokio::time::timeout(self.max_time, receiving));
        }
    }
}
