//! Chat completions (`POST …/chat/completions`): OpenAI's older API, which nearly every other server also implements.
//!
//! Implementations differ in what they omit, so decoding requires little of an answer, and a request contains only the
//! fields that are needed.

mod decode;
mod encode;
mod stream;

use std::time::SystemTime;

use super::{Dialect, KeyHeader, ModelRequest, Reply, Server, StreamReader, effort};
use crate::error::CallError;
use crate::stream::Framing;
use crate::transport::{WireRequest, WireResponse};

pub const NAME: &str = "openai_compatible";

/// The dialect. The endpoint is the complete address.
#[derive(Debug)]
pub struct ChatCompletions;

impl Dialect for ChatCompletions {
    fn encode(&self, request: &ModelRequest, server: &Server) -> Result<WireRequest, CallError> {
        server.request(server.endpoint.clone(), KeyHeader::Bearer, encode::body(request, &server.endpoint))
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
