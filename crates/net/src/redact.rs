//! Removes a server's API key from its responses, since error messages may quote it.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};

/// In bytes. Shorter keys could be ordinary words of an answer.
const MIN_KEY_BYTES: usize = 8;
const REPLACEMENT: &str = "***";

/// Replaces a key in texts with `***`. Keys shorter than `MIN_KEY_BYTES` bytes are not replaced.
#[derive(Clone, Copy)]
pub struct Redactor<'a>(Option<&'a str>);

/// Omits the key.
impl fmt::Debug for Redactor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor").finish_non_exhaustive()
    }
}

impl<'a> Redactor<'a> {
    pub fn of(key: Option<&'a SecretString>) -> Self {
        Self(key.map(ExposeSecret::expose_secret).filter(|key| key.len() >= MIN_KEY_BYTES))
    }

    pub fn bytes(self, body: &mut Vec<u8>) {
        let Some(key) = self.0 else { return };
        if body.windows(key.len()).any(|window| window == key.as_bytes()) {
            *body = String::from_utf8_lossy(body).replace(key, REPLACEMENT).into_bytes();
        }
    }

    #[must_use]
    pub fn text(self, text: String) -> String {
        match self.0 {
            Some(key) if text.contains(key) => text.replace(key, REPLACEMENT),
            _ => text,
        }
    }

    /// Returns the part of a streamed text that can be shown. A tail that may be the beginning of the key remains in
    /// `pending`.
    pub fn ready(self, pending: &mut String) -> String {
        let mut text = self.text(std::mem::take(pending));
        if let Some(key) = self.0 {
            let is_end = |length: &usize| key.get(..*length).is_some_and(|head| text.ends_with(head));
            let held = (1..key.len()).rev().find(is_end).unwrap_or(0);
            *pending = text.split_off(text.len() - held);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_in_pieces_is_hidden_and_what_only_begins_like_it_is_not() {
        let key = SecretString::from("sk-söcret-1");
        let redactor = Redactor::of(Some(&key));
        let stream = "ask sk-s no: sk-sk-söcret-1 and sk-söcret-";
        for size in 1..8 {
            let (mut pending, mut shown) = (String::new(), String::new());
            for piece in stream.chars().collect::<Vec<_>>().chunks(size) {
                pending.extend(piece);
                shown.push_str(&redactor.ready(&mut pending));
            }
            assert_eq!(shown + &pending, "ask sk-s no: sk-*** and sk-söcret-", "pieces of {size}");
        }
        assert_eq!(redactor.text("sk-söcret-1".to_owned()), "***");
        let short = SecretString::from("sk-1");
        assert_eq!(Redactor::of(Some(&short)).text("sk-1".to_owned()), "sk-1");
    }
}
