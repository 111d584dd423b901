//! Signing in and out.

use std::time::Instant;

use askama::Template;
use axum::Router;
use axum::extract::FromRequest as _;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use serde::Deserialize;

use super::super::guard::address;
use super::super::guard::csrf::{self, FORM_COOKIE, SESSION_COOKIE};
use super::super::{Failure, WebState};
use super::{Shell, html};
use crate::services::accounts;
use crate::web::form::SentForm;

pub(super) fn routes() -> Router<WebState> {
    Router::new().route("/sign-in", get(page).post(sign_in)).route("/sign-out", post(sign_out))
}

#[derive(Template)]
#[template(path = "web/sign_in.html")]
struct SignInPage {
    shell: Shell,
    next: String,
    name: String,
    problem: Option<&'static str>,
}

#[derive(Debug, Default, Deserialize)]
struct Next {
    #[serde(default)]
    next: String,
}

async fn page(shell: Shell, Query(Next { next }): Query<Next>) -> Result<Response, Failure> {
    let page = SignInPage { shell, next, name: String::new(), problem: None };
    html(&page).map(IntoResponse::into_response)
}

async fn sign_in(State(state): State<WebState>, shell: Shell, request: Request) -> Result<Response, Failure> {
    let (from, now) = (address(&state, &request), Instant::now());
    let form = SentForm::from_request(request, &state).await?;
    if let Err(seconds) = state.throttle().attempt(from, now) {
        return Err(Failure::too_many("too many wrong passwords from this address; wait a minute", seconds));
    }
    let (name, password) = (form.text("name").to_owned(), form.exact("password").to_owned());
    let Some(account) = accounts::authenticate(state.app(), &name, password).await? else {
        tracing::warn!(%from, "a wrong name or password");
        let problem = Some("Name or password is wrong.");
        let page = html(&SignInPage { shell, next: form.text("next").to_owned(), name, problem })?;
        return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
    };
    state.throttle().succeed(from, now);
    let secret = csrf::new_secret();
    accounts::begin_session(state.app(), &account.name, &csrf::fingerprint(&secret)).await?;
    let age = i64::try_from(accounts::SESSION_AGE.as_secs()).ok();
    let cookie = csrf::set_cookie(&state, SESSION_COOKIE, &secret, age);
    let next = format!("{}{}", state.prefix(), form.next_or("/"));
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to(&next)).into_response())
}

async fn sign_out(State(state): State<WebState>, headers: HeaderMap, _form: SentForm) -> Result<Response, Failure> {
    if let Some(secret) = csrf::cookie(&headers, SESSION_COOKIE) {
        accounts::end_session(state.app(), &csrf::fingerprint(secret)).await?;
    }
    let gone =
        [SESSION_COOKIE, FORM_COOKIE].map(|name| (header::SET_COOKIE, csrf::set_cookie(&state, name, "", Some(0))));
    let next = format!("{}/sign-in", state.prefix());
    let mut response = Redirect::to(&next).into_response();
    for (name, value) in gone {
        response.headers_mut().append(name, value.parse().map_err(|_| Failure::unavailable("try again"))?);
    }
    Ok(response)
}
