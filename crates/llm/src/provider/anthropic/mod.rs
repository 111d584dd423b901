//! The Messages API (`POST /v1/messages`). Where a model's server enforces no schema, a single tool that the model has
//! to call replaces it: the arguments of the call are the answer.

mod decode;
mod encode;
mod failure;
mod stream;

use std::time::SystemTime;

use reqwest::header::{HeaderName, HeaderValue};

use super::{AnswerFormat, Dialect, KeyHeader, ModelRequest, Reply, Server, StreamReader};
use crate::error::CallError;
use crate::stream::Framing;
use crate::transport::{WireRequest, WireResponse};

pub const NAME: &str = "anthropic";
const KEY_HEADER: &str = "x-api-key";
const VERSION_HEADER: HeaderName = HeaderName::from_static("anthropic-version");
const VERSION: HeaderValue = HeaderValue::from_static("2023-06-01");

/// The dialect. Its server's endpoint is the complete address, including `/v1/messages`.
#[derive(Debug)]
pub struct Anthropic;

impl Dialect for Anthropic {
    fn encode(&self, request: &ModelRequest, server: &Server) -> Result<WireRequest, CallError> {
        let key_header = KeyHeader::Named(KEY_HEADER);
        let mut encoded = server.request(server.endpoint.clone(), key_header, encode::body(request))?;
        encoded.headers.entry(VERSION_HEADER).or_insert(VERSION);
        Ok(encoded)
    }

    fn takes_temperature(&self, model: &str) -> bool {
        encode::takes_temperature(model)
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

/// Returns the name and the schema of the tool that defines the answer's format, if one is used.
fn tool(request: &ModelRequest) -> Option<(&str, &serde_json::Value)> {
    match &request.format {
        AnswerFormat::Schema { name, schema } if !request.capabilities.strict_schema => Some((name, schema)),
        AnswerFormat::Text | AnswerFormat::Json | AnswerFormat::Schema { .. } => None,
    }
}
