//! SHA-256 fingerprints.

use sha2::{Digest as _, Sha256};

/// Returns the first 32 hexadecimal digits of the SHA-256 of `bytes`.
#[must_use]
pub fn hex32(bytes: &[u8]) -> String {
    hexadecimal(bytes, 16)
}

/// Returns all 64 hexadecimal digits of the SHA-256 of `bytes`.
#[must_use]
pub fn hex64(bytes: &[u8]) -> String {
    hexadecimal(bytes, 32)
}

fn hexadecimal(bytes: &[u8], count: usize) -> String {
    let mut text = String::with_capacity(2 * count);
    for byte in Sha256::digest(bytes).iter().take(count) {
        text.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or('0'));
        text.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
    }
    text
}
