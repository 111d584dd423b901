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
    hex(Sha256::digest(bytes).get(..count).unwrap_or_default())
}

/// Returns the bytes as hexadecimal digits, two a byte.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).filter_map(|n| char::from_digit(n.into(), 16)).collect()
}
