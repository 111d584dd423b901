//! Builds every HTTP client. [`builder`] installs `ring` as the TLS crypto provider, because reqwest is compiled here
//! without one. `ring` builds from a few C files; reqwest's default, `aws-lc-rs`, is a large C library that would slow
//! the build.

use std::sync::Once;

/// Returns [`reqwest::Client::builder`] with the crypto provider installed.
#[expect(clippy::disallowed_methods, reason = "the one place that calls it")]
pub fn builder() -> reqwest::ClientBuilder {
    install_crypto_provider();
    reqwest::Client::builder()
}

/// Installs the crypto provider. For clients that another crate builds.
pub fn install_crypto_provider() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Fails if another provider is already installed, which works as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_client_that_encrypts_is_built_any_number_of_times() {
        for _ in 0..2 {
            assert!(super::builder().https_only(true).build().is_ok());
        }
    }
}
