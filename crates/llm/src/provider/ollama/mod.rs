//! Ollama's native API (`POST …/api/chat`). Its streams contain one JSON object per line, and only here can the context
//! size be chosen.
//!
//! An endpoint that ends with `/generate` uses the older single-prompt API (`POST …/api/generate` with `format:
//! "json"`).

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

/// The dialect. The endpoint is the complete address; a key is needed only if a proxy in front of the server requires
/// one.
#[derive(Debug)]
pub struct Ollama;

impl Dialect for Ollama {
    fn encode(&self, request: &ModelRequest, server: &Server) -> Result<WireRequest, CallError> {
        let body = if generate::is_generate_endpoint(&server.endpoint) {
            generate::body(request)
        } else {
            encode::body(request)
        };
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
