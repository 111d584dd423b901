//! Accepts forms only from this server's own pages.
//!
//! Each browser has a secret in a cookie: its session, or one made for forms only. A form contains the fingerprint of
//! that secret, which a page of another site can neither read nor compute. Nothing of it is stored.

use aha_net::hash::hex;
use axum::http::HeaderMap;
use axum::http::header;
use sha2::{Digest as _, Sha256};

use super::super::WebState;

pub(in super::super) const SESSION_COOKIE: &str = "aha_session";
pub(in super::super) const FORM_COOKIE: &str = "aha_form";

/// Returns the value of a cookie.
pub(in super::super) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(';')).find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
}

/// Returns the value of `Set-Cookie`. Without an age the cookie ends with the browser.
pub(in super::super) fn set_cookie(state: &WebState, name: &str, value: &str, max_age_s: Option<i64>) -> String {
    let path = if state.prefix().is_empty() { "/" } else { state.prefix() };
    let age = max_age_s.map(|seconds| format!("; Max-Age={seconds}")).unwrap_or_default();
    let secure = if state.is_https() { "; Secure" } else { "" };
    format!("{name}={value}; Path={path}; HttpOnly; SameSite=Lax{age}{secure}")
}

/// Returns the form token for a browser's secret.
pub(in super::super) fn token(secret: &str) -> String {
    hex(&Sha256::digest(format!("form\u{1f}{secret}")))
}

/// Returns a random secret.
#[expect(clippy::disallowed_methods, reason = "a secret must not be guessed, AHA_NOW or not")]
pub(in super::super) fn new_secret() -> String {
    hex(&rand::random::<[u8; 32]>())
}

/// Returns the fingerprint under which a session is stored, so that a reader of the database cannot take over a
/// session.
pub(in super::super) fn fingerprint(secret: &str) -> String {
    hex(&Sha256::digest(format!("session\u{1f}{secret}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_found_by_its_whole_name() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, "not_aha_form=1; aha_form=two".parse().unwrap());
        headers.append(header::COOKIE, "aha_session=three".parse().unwrap());
        assert_eq!(cookie(&headers, FORM_COOKIE), Some("two"));
        assert_eq!(cookie(&headers, SESSION_COOKIE), Some("three"));
        assert_eq!(cookie(&headers, "aha"), None);
    }

    #[test]
    fn secrets_differ_and_their_two_fingerprints_do_too() {
        let secret = new_secret();
        assert_eq!(secret.len(), 64);
        assert_ne!(secret, new_secret());
        assert_ne!(token(&secret), fingerprint(&secret));
    }
}
