//! Where every HTTP client begins: [`builder`] names the library that encrypts, which reqwest leaves open here. `ring` is built from a few
//! C files; reqwest's default, `aws-lc-rs`, is a large library of C, which a build of this program would wait for.

use std::sync::Once;

/// A client's builder, as [`reqwest::Client::builder`] gives it.
#[expect(clippy::disallowed_methods, reason = "the one place that calls it")]
pub fn builder() -> reqwest::ClientBuilder {
    name_provider();
    reqwest::Client::builder()
}

/// Names the library, for clients that another crate builds.
pub fn name_provider() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // It fails where another was installed before, which does as well.
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
