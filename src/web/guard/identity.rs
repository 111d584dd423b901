//! Identifies the user: by a token, by a session, or as the owner if only this machine can reach the server.
//!
//! Input: headers. Output: an [`Identity`] among the request's extensions, which the extractors [`Reader`], [`Editor`]
//! and [`Admin`] require. Without one, a submitted form's fields ([`Unsaved`]) among the response's extensions, for
//! [`super::super::error_forms`] to show.

use std::time::Duration;

use aha_core::account::Role;
use axum::body::Body;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::super::extract::body;
use super::super::extract::is_form;
use super::super::failure::{ErrorForm, FEEDS};
use super::super::{Failure, WebState};
use super::csrf::{self, FORM_COOKIE, SESSION_COOKIE};
use crate::services::accounts::{self, OWNER};
use crate::services::feed_tokens;
use crate::services::feedback::FeedbackUser;

/// The user who sends the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub name: String,
    pub role: Role,
    pub by: SignedInBy,
}

impl Identity {
    /// Returns the user whose feedback the request reads and writes.
    pub(in super::super) fn user(&self) -> FeedbackUser {
        FeedbackUser::new(&self.name, self.role)
    }
}

/// How the user was identified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignedInBy {
    /// Only this machine can reach the server.
    Loopback,
    Session,
    Token,
    /// By the token in a feed's address, which is valid for feeds only.
    FeedToken,
}

/// The browser's secret, with which its forms are verified.
#[derive(Debug, Clone)]
pub(in super::super) struct FormSecret(pub(in super::super) String);

/// The fields of a form that was sent without a valid session, or from a page of an earlier one.
#[derive(Debug, Clone)]
pub(in super::super) struct Unsaved(pub(in super::super) Vec<(String, String)>);

/// Names of hidden fields, and of the password, which must not be shown.
const NOT_SHOWN: [&str; 6] = ["csrf", "password", "key", "version", "next", "transcript"];

impl Unsaved {
    /// Keeps what the user typed.
    pub(in super::super) fn of(fields: impl IntoIterator<Item = (String, String)>) -> Self {
        let is_shown =
            |(name, value): &(String, String)| !NOT_SHOWN.contains(&name.as_str()) && !value.trim().is_empty();
        Self(fields.into_iter().filter(is_shown).collect())
    }
}

/// The layer that limits the time of a request comes later.
const MAX_READING: Duration = Duration::from_secs(30);

/// Reads a form that cannot be accepted, and returns its fields with the request as it was.
async fn unsaved(state: &WebState, request: Request) -> Result<(Unsaved, Request), Failure> {
    let (parts, sent) = request.into_parts();
    let reading = body(Request::from_parts(parts.clone(), sent), state);
    let late =
        |_| Failure::new(StatusCode::REQUEST_TIMEOUT, "timeout", "the form did not arrive in time; send it again");
    let bytes = tokio::time::timeout(MAX_READING, reading).await.map_err(late)??;
    let fields = Unsaved::of(url::form_urlencoded::parse(&bytes).into_owned());
    Ok((fields, Request::from_parts(parts, Body::from(bytes))))
}

pub(in super::super) async fn identify(State(state): State<WebState>, mut request: Request, next: Next) -> Response {
    let form = ErrorForm::of(request.method(), request.uri().path());
    let identity = match who(&state, request.headers(), request.uri(), form).await {
        Ok(identity) => identity,
        Err(failure) => return failure.into_response(),
    };
    let known = [SESSION_COOKIE, FORM_COOKIE].iter().find_map(|name| csrf::cookie(request.headers(), name));
    let wants_page = *request.method() == Method::GET && form == ErrorForm::Page;
    let (secret, is_new) = match known {
        Some(secret) => (secret.to_owned(), false),
        None => (csrf::new_secret(), wants_page),
    };
    let mut form_sent = None;
    if let Some(identity) = identity {
        request.extensions_mut().insert(identity);
    } else if form == ErrorForm::Page && is_form(&request) {
        match unsaved(&state, request).await {
            Ok((fields, unchanged)) => (form_sent, request) = (Some(fields), unchanged),
            Err(failure) => return failure.into_response(),
        }
    }
    request.extensions_mut().insert(FormSecret(secret.clone()));
    let mut response = next.run(request).await;
    if let Some(fields) = form_sent {
        response.extensions_mut().insert(fields);
    }
    let is_page =
        response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    if is_new && is_page {
        let cookie = csrf::set_cookie(&state, FORM_COOKIE, &secret, None);
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
    }
    response
}

/// Returns who sends the request; `None` if nothing identifies them.
///
/// # Errors
/// 401 when the API's token or that of a feed is wrong. On pages a wrong token of the API is ignored, as a reverse
/// proxy may have passed on its own: the session counts, and without one the sign-in page is reached.
async fn who(state: &WebState, headers: &HeaderMap, uri: &Uri, form: ErrorForm) -> Result<Option<Identity>, Failure> {
    if let Some(token) = bearer(headers) {
        if state.is_token(&token) {
            return Ok(Some(Identity { name: OWNER.to_owned(), role: Role::Admin, by: SignedInBy::Token }));
        }
        if form != ErrorForm::Page {
            let message = "the token is not that of AHA_API_TOKEN; send `Authorization: Bearer TOKEN`";
            return Err(Failure::unauthorised(message));
        }
    }
    if let Some(secret) = csrf::cookie(headers, SESSION_COOKIE)
        && let Some(account) = accounts::account_of_session(state.app(), &csrf::fingerprint(secret)).await?
    {
        return Ok(Some(Identity { name: account.name, role: account.role, by: SignedInBy::Session }));
    }
    if let Some(token) = feed_token(uri) {
        let name = feed_tokens::user_of(state.app(), &token).await?;
        let name = name.ok_or_else(|| Failure::unauthorised("the token of this feed was revoked; create a new one"))?;
        return Ok(Some(Identity { name, role: Role::Reader, by: SignedInBy::FeedToken }));
    }
    let owner = || Identity { name: OWNER.to_owned(), role: Role::Admin, by: SignedInBy::Loopback };
    Ok((!state.sign_in_required()).then(owner))
}

/// Returns the token in the address of a feed; other addresses have none.
fn feed_token(uri: &Uri) -> Option<String> {
    let query = uri.query().filter(|_| uri.path().starts_with(FEEDS))?;
    url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "token").map(|(_, token)| token.into_owned())
}

/// Returns the token of the header `Authorization`; `None` if it is absent or of another scheme, which is not ours to
/// check.
fn bearer(headers: &HeaderMap) -> Option<String> {
    let given = String::from_utf8_lossy(headers.get(header::AUTHORIZATION)?.as_bytes());
    let (scheme, token) = given.split_once(' ').unwrap_or((&*given, ""));
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
}

/// A user who may read.
#[derive(Debug, Clone)]
pub struct Reader(pub Identity);

/// A user who may give feedback, change sources and topics, and start runs.
#[derive(Debug, Clone)]
pub struct Editor(pub Identity);

/// A user who may do everything.
#[derive(Debug, Clone)]
pub struct Admin(pub Identity);

fn at_least(parts: &Parts, role: Role) -> Result<Identity, Failure> {
    let identity = parts.extensions.get::<Identity>();
    let unknown = || Failure::unauthorised("sign in first, or send `Authorization: Bearer TOKEN` (AHA_API_TOKEN)");
    let identity = identity.ok_or_else(unknown)?;
    if identity.role < role {
        let message = format!("this takes the role {}; yours is {}", role.as_str(), identity.role.as_str());
        return Err(Failure::forbidden(message));
    }
    Ok(identity.clone())
}

macro_rules! extracted {
    ($name:ident, $role:expr) => {
        impl<S: Send + Sync> FromRequestParts<S> for $name {
            type Rejection = Failure;

            async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
                at_least(parts, $role).map(Self)
            }
        }
    };
}

extracted!(Reader, Role::Reader);
extracted!(Editor, Role::Editor);
extracted!(Admin, Role::Admin);
