//! The generative language API of Google (`generateContent`).

mod decode;
mod embeddings;
mod encode;
mod failure;
mod stream;

use std::time::SystemTime;

use url::Url;

use super::{Dialect, KeyHeader, ModelRequest, Reply, Server, StreamReader};
use crate::error::CallError;
use crate::stream::Framing;
use crate::transport::{WireRequest, WireResponse};

pub(super) use embeddings::BatchEmbedContents;

pub const NAME: &str = "gemini";
/// The key goes into a header. The API also accepts it in the address, where logs and proxies would see it.
const KEY_HEADER: &str = "x-goog-api-key";

/// The dialect. Its server's endpoint is the base address, such as `https://generativelanguage.googleapis.com/v1beta`.
#[derive(Debug)]
pub struct Gemini;

impl Dialect for Gemini {
    fn encode(&self, request: &ModelRequest, server: &Server) -> Result<WireRequest, CallError> {
        server.request(url(request, &server.endpoint)?, KeyHeader::Named(KEY_HEADER), encode::body(request))
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

fn url(request: &ModelRequest, base: &Url) -> Result<Url, CallError> {
    let method = if request.stream { "streamGenerateContent" } else { "generateContent" };
    let mut url = address(base, &request.model, method)?;
    if request.stream {
        url.query_pairs_mut().append_pair("alt", "sse");
    }
    Ok(url)
}

/// Returns the URL of a method. The model's name is one path segment, whatever it contains.
fn address(base: &Url, model: &str, method: &str) -> Result<Url, CallError> {
    let model = model.strip_prefix("models/").unwrap_or(model);
    let mut url = base.clone();
    url.path_segments_mut()
        .map_err(|()| CallError::Connect("nothing can be added to the endpoint's address".to_owned()))?
        .pop_if_empty()
        .push("models")
        .push(&format!("{model}:{method}"));
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::AnswerFormat;

    fn asked(base: &str, model: &str, stream: bool) -> Result<WireRequest, CallError> {
        let question = ModelRequest::question(model, String::new(), "Why?".to_owned(), AnswerFormat::Text, 9);
        let headers = reqwest::header::HeaderMap::default();
        let server = Server { endpoint: base.parse().unwrap(), key: Some("secret-key".into()), headers };
        Gemini.encode(&ModelRequest { stream, ..question }, &server)
    }

    #[test]
    fn the_address_ends_with_model_and_method_and_has_no_key() {
        const BASE: &str = "https://generativelanguage.googleapis.com/v1beta";
        let whole = asked(BASE, "gemini-2.5-flash", false).unwrap();
        assert_eq!(whole.url.as_str(), format!("{BASE}/models/gemini-2.5-flash:generateContent"));
        assert_eq!(whole.headers["x-goog-api-key"], "secret-key");
        assert!(whole.headers["x-goog-api-key"].is_sensitive());
        let streamed = asked(&format!("{BASE}/"), "models/gemini-2.5-flash", true).unwrap();
        let expected = format!("{BASE}/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
        assert_eq!(streamed.url.as_str(), expected);
    }

    #[test]
    fn no_model_leads_out_of_the_path() {
        for model in ["../../admin", "a/../b", "..", "%2e%2e/x", "x?key=1", "x#y", "a\\..\\b", "@host", "", "ü\n\t\r"]
        {
            let url = asked("https://host/v1beta?tenant=7", model, false).unwrap().url;
            let segments: Vec<&str> = url.path_segments().unwrap().collect();
            assert_eq!(segments.len(), 3, "{url}");
            assert_eq!(segments[..2], ["v1beta", "models"], "{url}");
            assert!(segments[2].ends_with(":generateContent"), "{url}");
            assert_eq!((url.host_str(), url.query(), url.fragment()), (Some("host"), Some("tenant=7"), None), "{url}");
        }
        assert!(asked("mailto:someone", "m", false).is_err());
    }
}
