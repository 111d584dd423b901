//! Extractors for handlers. Any error is a [`Failure`] that names the field.

mod wrong_field;

use std::error::Error;
use std::fmt;
use std::marker::PhantomData;

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use tower_http::timeout::TimeoutError;

use self::wrong_field::{WrongField, wrong_variant};
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
        if has_stopped_arriving(&rejection) {
            let message = "the body stopped arriving before its end; send it again";
            return Failure::new(StatusCode::REQUEST_TIMEOUT, "timeout", message);
        }
        Failure::new(StatusCode::BAD_REQUEST, "bad_request", rejection.body_text())
    })
}

fn has_stopped_arriving(error: &(dyn Error + 'static)) -> bool {
    error.is::<TimeoutError>() || error.source().is_some_and(has_stopped_arriving)
}

/// Deserialises a field that has to be an object; serde would also accept a list, as the fields in their order.
pub(super) fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_map(ObjectVisitor(PhantomData))
}

/// Like [`object`], but null counts as absent.
pub(super) fn object_or_null<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let object = Option::<Object<T>>::deserialize(deserializer)?;
    Ok(object.map(|Object(value)| value))
}

struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        object(deserializer).map(Self)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(fields))
    }
}

/// A mark that some programs write before a text. RFC 8259 allows a reader of JSON to ignore it.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns the JSON of a body, without a byte order mark before it.
pub(super) fn unmarked(body: &[u8]) -> &[u8] {
    body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(body)
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Failure> {
    let bytes = unmarked(bytes);
    if bytes.trim_ascii_start().starts_with(b"[") {
        return Err(Failure::invalid("body", "the body is an object, and this is a list"));
    }
    let no_json = |error: &serde_json::Error| {
        Failure::new(StatusCode::BAD_REQUEST, "invalid_json", format!("the body is no JSON: {error}"))
    };
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        // Of some types serde_json reports a value of another type as wrong syntax.
        let is_json = error.inner().is_data() || serde_json::from_slice::<Value>(bytes).is_ok();
        if !is_json {
            return no_json(error.inner());
        }
        let wrong = WrongField::of(&error.path().to_string(), &error.inner().to_string());
        Failure::invalid(wrong.field, wrong.message)
    })?;
    reader.end().map_err(|error| no_json(&error))?;
    Ok(value)
}

/// Reads a value of a body, which is at the path `place`.
///
/// # Errors
/// The message names the field and what is expected.
pub(super) fn read_value<T: DeserializeOwned>(value: &Value, place: &str) -> Result<T, String> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = match error.path().to_string().as_str() {
            "." => place.to_owned(),
            path if path.starts_with('[') => format!("{place}{path}"),
            path => format!("{place}.{path}"),
        };
        WrongField::of(&path, &error.inner().to_string()).message
    })
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
    let why = if is_number_wanted {
        "it must be a whole number within its range".to_owned()
    } else {
        wrong_variant(why).map_or_else(|| why.to_owned(), |why| format!("it must be {why}"))
    };
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
            (
                "by: unknown variant `foo`, expected `both` or `words`",
                "by",
                r#"it must be `both` or `words`, and this is \"foo\""#,
            ),
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
