//! Extractors for handlers. Any error is a [`Failure`] that names the field.

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error as _};
use serde_json::{Map, Value};

use super::Failure;

/// A JSON body that is an object.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if !is_json(kind) {
            let message = "the body has to be JSON: send `Content-Type: application/json`";
            return Err(Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message));
        }
        parse(&body(request, state).await?).map(Self)
    }
}

fn is_json(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json") || kind.to_ascii_lowercase().ends_with("+json")
}

/// The content type of a form without a file.
pub(super) const FORM: &str = "application/x-www-form-urlencoded";

/// Returns whether a request's content type is that of a form.
pub(super) fn is_form(request: &Request) -> bool {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with(FORM))
}

/// Reads the whole body, or returns why it cannot be read.
pub(super) async fn body<S: Send + Sync>(request: Request, state: &S) -> Result<Bytes, Failure> {
    Bytes::from_request(request, state).await.map_err(|rejection| {
        if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
            let message = "the body is too large; send less at a time";
            return Failure::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message);
        }
        Failure::new(StatusCode::BAD_REQUEST, "bad_request", rejection.body_text())
    })
}

/// Deserialises a field that has to be an object; serde would also accept a list, as the fields in their order.
pub(super) fn object<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<T, D::Error> {
    let fields = Map::<String, Value>::deserialize(deserializer)?;
    serde_json::from_value(Value::Object(fields)).map_err(D::Error::custom)
}

/// Like [`object`], but null counts as absent.
pub(super) fn object_or_null<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let fields = Option::<Map<String, Value>>::deserialize(deserializer)?;
    fields.map(|fields| serde_json::from_value(Value::Object(fields)).map_err(D::Error::custom)).transpose()
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Failure> {
    if bytes.trim_ascii_start().starts_with(b"[") {
        return Err(Failure::invalid("body", "the body is an object, and this is a list"));
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let (path, inner) = (error.path().to_string(), error.into_inner());
        let message = inner.to_string();
        if inner.is_data() {
            return Failure::invalid(missing_field(&message).unwrap_or(path), message);
        }
        Failure::new(StatusCode::BAD_REQUEST, "invalid_json", format!("the body is no JSON: {message}"))
    })?;
    reader.end().map_err(|error| {
        Failure::new(StatusCode::BAD_REQUEST, "invalid_json", format!("the body is no JSON: {error}"))
    })?;
    Ok(value)
}

/// Returns the name of a missing field, which serde gives only in its message.
fn missing_field(message: &str) -> Option<String> {
    let (_, rest) = message.split_once("missing field `")?;
    Some(rest.split('`').next()?.to_owned())
}

/// A query string.
#[derive(Debug)]
pub struct JsonQuery<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for JsonQuery<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let query = Query::<T>::from_request_parts(parts, state).await;
        query.map(|Query(value)| Self(value)).map_err(|error| wrong_parameter(&error.body_text()))
    }
}

/// Returns the failure of a query string. The framework names the parameter only in its message: `…: limit: invalid
/// digit found in string`.
fn wrong_parameter(message: &str) -> Failure {
    let message = message.strip_prefix("Failed to deserialize query string: ").unwrap_or(message);
    let quoted = |start: &str| message.split_once(start).and_then(|(_, rest)| rest.split('`').next());
    if let Some(name) = quoted("missing field `") {
        return Failure::invalid(name, format!("the parameter {name} is missing; add it to the address"));
    }
    if let Some(name) = quoted("duplicate field `") {
        return Failure::invalid(name, format!("the parameter {name} is given more than once; give it once"));
    }
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let Some((name, why)) = message.split_once(": ").filter(|(name, _)| is_name(name)) else {
        return Failure::invalid("query", message);
    };
    let is_number_wanted = ["digit", "integer", "number"].iter().any(|word| why.contains(word));
    let why = if is_number_wanted { "it must be a whole number within its range" } else { why };
    Failure::invalid(name, format!("the parameter {name} cannot be read: {why}"))
}

/// Path parameters. A value that cannot be parsed is treated as not found.
#[derive(Debug)]
pub struct PathOf<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for PathOf<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let path = Path::<T>::from_request_parts(parts, state).await;
        path.map(|Path(value)| Self(value)).map_err(|_| Failure::not_found("there is nothing of that id"))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Wanted {
        #[expect(dead_code, reason = "only read")]
        urls: Vec<String>,
    }

    #[test]
    fn a_list_is_no_object() {
        #[derive(Debug, Deserialize)]
        struct Outer {
            #[serde(default, deserialize_with = "super::object_or_null")]
            inner: Option<Wanted>,
        }
        assert_eq!(parse::<Wanted>(b" [[]]").unwrap_err().status(), StatusCode::UNPROCESSABLE_ENTITY);
        assert!(parse::<Outer>(br#"{"inner":[["a"]]}"#).is_err());
        assert!(parse::<Outer>(br#"{"inner":{"urls":["a"]}}"#).unwrap().inner.is_some());
        assert!(parse::<Outer>(br#"{"inner":null}"#).unwrap().inner.is_none());
    }

    #[test]
    fn a_wrong_parameter_is_named() {
        for (message, field, said) in [
            ("limit: invalid digit found in string", "limit", "limit cannot be read: it must be a whole number"),
            ("limit: cannot parse integer from empty string", "limit", "it must be a whole number"),
            ("by: unknown variant `foo`, expected `both` or `words`", "by", "unknown variant `foo`, expected"),
            ("missing field `q`", "q", "the parameter q is missing"),
            ("duplicate field `limit`", "limit", "more than once"),
            ("what: else: happened?", "what", "happened"),
            ("no name: at all", "query", "no name: at all"),
        ] {
            let failure = format!("{:?}", wrong_parameter(&format!("Failed to deserialize query string: {message}")));
            assert!(failure.contains(&format!("Some({field:?})")) && failure.contains(said), "{message}: {failure}");
            assert!(!failure.contains("deserialize"), "{failure}");
        }
    }

    #[test]
    fn a_wrong_shape_names_its_field_and_what_is_no_json_is_said() {
        let field = |text: &str| format!("{:?}", parse::<Wanted>(text.as_bytes()).unwrap_err());
        assert!(field(r#"{"urls":["a",3]}"#).contains("urls[1]"), "{}", field(r#"{"urls":["a",3]}"#));
        assert!(field("{}").contains(r#"Some("urls")"#), "{}", field("{}"));
        for text in ["{", r#"{"urls":[]} x"#] {
            assert_eq!(parse::<Wanted>(text.as_bytes()).unwrap_err().status(), StatusCode::BAD_REQUEST);
        }
    }
}
