//! Ollama's own interface (`POST …/api/chat`): its streams are a JSON object a line, and it alone lets the context's size be chosen.
//!
//! An endpoint that ends with `/generate` is asked by the older form of one prompt (`POST …/api/generate` with `format: "json"`).

mod decode;
mod embeddings;
mod encode;
mod generate;
mod stream;

use std::time::SystemTime;

use super::{Dialect, KeyHeader, ModelRequest, Reply, Server, StreamReader};
use crate::error::CallError;
use crate::stream::Framing;
use crate::transport::{WireRequest, WireResponse};

pub(super) use embeddings::Embed;

pub const NAME: &str = "ollama";

/// The dialect. The endpoint is the whole address; a key is needed only where something stands in front of the server.
#[derive(Debug)]
pub struct Ollama;

impl Dialect for Ollama {
    fn encode(&self, request: &ModelRequest, server: &Server) -> Result<WireRequest, CallError> {
        let body = if generate::is_asked(&server.endpoint) { generate::body(request) } else { encode::body(request) };
        server.request(server.endpoint.clone(), KeyHeader::Bearer, body)
    }

    fn decode(&self, request: &ModelRequest, response: &WireResponse, now: SystemTime) -> Reply {
        decode::reply(request, response, now)
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn reader<'a>(&self, request: &'a ModelRequest) -> Box<dyn StreamReader + 'a> {
        Box::new(stream::Reader::new(request))
    }
}
