//! The Responses API (`POST /v1/responses`): one request, one structured answer, nothing stored by the provider.

mod decode;
mod embeddings;
mod encode;
mod stream;

use std::time::SystemTime;

use super::{Dialect, KeyHeader, ModelRequest, Reply, Server, StreamReader, effort};
use crate::error::CallError;
use crate::stream::Framing;
use crate::transport::{WireRequest, WireResponse};

pub(super) use embeddings::Embeddings;

pub const NAME: &str = "openai";

/// The dialect.
#[derive(Debug)]
pub struct OpenAi;

impl Dialect for OpenAi {
    fn encode(&self, request: &ModelRequest, server: &Server) -> Result<WireRequest, CallError> {
        server.request(server.endpoint.clone(), KeyHeader::Bearer, encode::body(request))
    }

    fn takes_temperature(&self, model: &str) -> bool {
        !effort::is_openai_reasoner(model)
    }

    fn decode(&self, request: &ModelRequest, response: &WireResponse, now: SystemTime) -> Reply {
        decode::reply(request, response, now)
    }

    fn framing(&self) -> Framing {
        Framing::ServerSentEvents
    }

    fn reader<'a>(&self, request: &'a ModelRequest) -> Box<dyn StreamReader + 'a> {
        Box::new(stream::Reader::new(request))
    }
}
