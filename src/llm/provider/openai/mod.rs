//! The Responses API (`POST /v1/responses`): one request, one structured answer, nothing kept by the provider.

mod decode;
mod encode;

use std::time::SystemTime;

use super::{Dialect, ModelRequest, Reply};
use crate::llm::transport::WireResponse;

pub const NAME: &str = "openai";

/// The dialect.
#[derive(Debug)]
pub struct OpenAi;

impl Dialect for OpenAi {
    fn encode(&self, request: &ModelRequest) -> Vec<u8> {
        encode::body(request)
    }

    fn decode(&self, request: &ModelRequest, response: &WireResponse, now: SystemTime) -> Reply {
        decode::reply(request, response, now)
    }
}
