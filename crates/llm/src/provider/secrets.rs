//! The secrets of a server: removed from its error messages, which may quote them, and the key as it may be shown.

use std::cmp::Reverse;

use aha_net::redact::Redactor;
use secrecy::{ExposeSecret as _, SecretString};

use super::Server;

/// Removes a server's secrets from its error messages: the key, the values of headers, with and without the name of a
/// scheme, and those of the address's query, as written and decoded. Answers keep the values of headers and of the
/// query, which may be ordinary words.
///
/// Of the key also each beginning of at least [`MIN_BEGINNING_CHARS`] characters is removed from texts, since servers
/// quote keys cut off. Of the other secrets only the whole is, because headers and queries begin like ordinary texts
/// (`https://`).
pub(crate) struct Secrets {
    key: Option<SecretString>,
    texts: Vec<SecretString>,
}

/// A shorter beginning may be an ordinary word.
const MIN_BEGINNING_CHARS: usize = 8;

impl Secrets {
    pub(crate) fn of(server: &Server) -> Self {
        let mut texts: Vec<String> = server.key.iter().map(|key| key.expose_secret().to_owned()).collect();
        for value in server.headers.values().filter_map(|value| value.to_str().ok()) {
            texts.extend(value.split_once(' ').map(|(_, rest)| rest.trim().to_owned()));
            texts.push(value.to_owned());
        }
        let written = server.endpoint.query().unwrap_or_default().split('&');
        texts.extend(written.filter_map(|pair| Some(pair.split_once('=')?.1.to_owned())));
        texts.extend(server.endpoint.query_pairs().map(|(_, value)| value.into_owned()));
        // The longest first, since one may contain another.
        texts.sort_by_key(|text| Reverse(text.len()));
        Self { key: server.key.clone(), texts: texts.into_iter().map(SecretString::from).collect() }
    }

    pub(crate) fn bytes(&self, body: &mut Vec<u8>) {
        for redactor in self.redactors() {
            redactor.bytes(body);
        }
    }

    pub(crate) fn text(&self, text: String) -> String {
        let text = self.redactors().fold(text, |text, redactor| redactor.text(text));
        match &self.key {
            Some(key) => without_beginnings(text, key.expose_secret()),
            None => text,
        }
    }

    fn redactors(&self) -> impl Iterator<Item = Redactor<'_>> {
        self.texts.iter().map(|secret| Redactor::of(Some(secret)))
    }
}

fn without_beginnings(text: String, key: &str) -> String {
    let Some((head_bytes, _)) = key.char_indices().nth(MIN_BEGINNING_CHARS) else { return text };
    let head = &key[..head_bytes];
    if !text.contains(head) {
        return text;
    }
    let (mut shown, mut rest) = (String::with_capacity(text.len()), text.as_str());
    while let Some(at) = rest.find(head) {
        shown.push_str(&rest[..at]);
        shown.push_str("***");
        let same = rest[at..].chars().zip(key.chars()).take_while(|(quoted, own)| quoted == own);
        rest = &rest[at + same.map(|(quoted, _)| quoted.len_utf8()).sum::<usize>()..];
    }
    shown + rest
}

/// A shorter key could be guessed from its last characters.
const MASKED_FROM: usize = 20;
const SHOWN: usize = 4;

/// Returns the last characters of a key, or a mask only if the key is too short to show any of it.
#[must_use]
pub fn masked(key: &SecretString) -> String {
    let key: Vec<char> = key.expose_secret().chars().collect();
    if key.len() < MASKED_FROM {
        return "…".to_owned();
    }
    format!("…{}", key[key.len() - SHOWN..].iter().collect::<String>())
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderMap, HeaderValue};

    use super::*;

    #[test]
    fn all_secrets_of_a_server_are_removed_in_every_spelling() {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", HeaderValue::from_static("Bearer header-secret-1"));
        headers.insert("api-key", HeaderValue::from_static("header-secret-2"));
        let endpoint = "http://h/v1?code=query%2Fsecret%2B1&v=1".parse().unwrap();
        let secrets = Secrets::of(&Server { endpoint, key: Some("sk-secret-1".into()), headers });
        let quoted = "sk-secret-1, Bearer header-secret-1, header-secret-1, header-secret-2, query%2Fsecret%2B1, \
                      query/secret+1, v=1";
        assert_eq!(secrets.text(quoted.to_owned()), "***, ***, ***, ***, ***, ***, v=1");
        let mut body = b"no: header-secret-2".to_vec();
        secrets.bytes(&mut body);
        assert_eq!(body, b"no: ***");
    }

    #[test]
    fn only_the_end_of_a_long_key_is_shown() {
        let masked = |text: &str| masked(&text.into());
        assert_eq!([masked("sk-0123456789abcdefWXYZ"), masked("sk-0123456789abcdef")], ["…WXYZ", "…"]);
    }

    #[test]
    fn a_key_that_is_quoted_cut_off_is_removed() {
        let endpoint = "http://h/v1".parse().unwrap();
        let mut headers = HeaderMap::new();
        headers.insert("http-referer", HeaderValue::from_static("https://radar.example"));
        let secrets = Secrets::of(&Server { endpoint, key: Some("sk-test-SECRET-1".into()), headers });
        let quoted = "bad key sk-test-SECRE... (sk-test-, sk-test-SECRET-1, sk-test-SECRETS); sk-test; https://docs";
        assert_eq!(secrets.text(quoted.to_owned()), "bad key ***... (***, ***, ***S); sk-test; https://docs");
    }
}
