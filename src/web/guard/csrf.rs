//! Forms are answered only where they came from a page of ours.
//!
//! Each browser holds a secret in a cookie: its session, or else one made for forms alone. A form carries the fingerprint of that
//! secret, which a page of another site can neither read nor reckon. Nothing of it is stored.

use axum::http::HeaderMap;
use axum::http::header;
use sha2::{Digest as _, Sha256};

use super::super::WebState;

pub(in super::super) const SESSION_COOKIE: &str = "aha_session";
pub(in super::super) const FORM_COOKIE: &str = "aha_form";

/// The value of a cookie.
pub(in super::super) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(';')).find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
}

/// What goes into `Set-Cookie`. Without an age it ends with the browser.
pub(in super::super) fn set_cookie(state: &WebState, name: &str, value: &str, max_age_s: Option<i64>) -> String {
    let path = if state.prefix().is_empty() { "/" } else { state.prefix() };
    let age = max_age_s.map(|seconds| format!("; Max-Age={seconds}")).unwrap_or_default();
    let secure = if state.is_https() { "; Secure" } else { "" };
    format!("{name}={value}; Path={path}; HttpOnly; SameSite=Lax{age}{secure}")
}

/// What a form carries for the secret of its browser.
pub(in super::super) fn token(secret: &str) -> String {
    hex(&Sha256::digest(format!("form\u{1f}{secret}")))
}

/// A secret that cannot be guessed.
pub(in super::super) fn new_secret() -> String {
    hex(&rand::random::<[u8; 32]>())
}

/// Under which a session is stored: who reads the database cannot take it over.
pub(in super::super) fn fingerprint(secret: &str) -> String {
    hex(&Sha256::digest(format!("session\u{1f}{secret}")))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).filter_map(|n| char::from_digit(n.into(), 16)).collect()
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
