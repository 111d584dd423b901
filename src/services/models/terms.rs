//! Formats a model's terms without its secrets: its host, its masked key, its price.

use aha_core::money::{MicroCredits, Price};
pub use aha_llm::provider::masked;
use secrecy::SecretString;
use url::Url;

/// Returns the host, with the port if it is not the default one.
#[must_use]
pub fn host(endpoint: &Url) -> String {
    let port = endpoint.port().map_or_else(String::new, |port| format!(":{port}"));
    format!("{}{port}", endpoint.host_str().unwrap_or_default())
}

/// Describes the masked key in words.
#[must_use]
pub fn keyed(key: Option<&SecretString>) -> String {
    match key.map(masked) {
        None => "without a key".to_owned(),
        Some(end) if end == "…" => "with a key".to_owned(),
        Some(end) => format!("with the key that ends in {}", end.trim_start_matches('…')),
    }
}

/// Formats the credits per million tokens: input, cached input, output.
#[must_use]
pub fn per_million(price: Option<Price>) -> String {
    let credits = |rate: i64| MicroCredits(rate).to_string();
    match price {
        None => "no price".to_owned(),
        Some(price) if price.is_free() => "free".to_owned(),
        Some(price) => {
            let cached = price.cached_input_microcredits_per_million.map(|rate| format!(" ({} cached)", credits(rate)));
            format!(
                "{}{} in, {} out",
                credits(price.input_microcredits_per_million),
                cached.unwrap_or_default(),
                credits(price.output_microcredits_per_million)
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_a_long_key_is_shown() {
        let key = |text: &str| SecretString::from(text.to_owned());
        assert_eq!(keyed(Some(&key("sk-0123456789abcdefWXYZ"))), "with the key that ends in WXYZ");
        assert_eq!(keyed(Some(&key("sk-0123456789abcdef"))), "with a key");
        assert_eq!([masked(&key("sk-0123456789abcdefWXYZ")), masked(&key("short"))], ["…WXYZ", "…"]);
    }

    #[test]
    fn a_host_is_shown_with_its_port() {
        let url = Url::parse("https://me:secret@llm.example:8443/v1/responses?key=secret").unwrap();
        assert_eq!(host(&url), "llm.example:8443");
    }

    #[test]
    fn prices_are_shown_as_they_are_set() {
        let price = Price {
            input_microcredits_per_million: 250_000,
            cached_input_microcredits_per_million: Some(25_000),
            output_microcredits_per_million: 2_000_000,
        };
        assert_eq!(per_million(Some(price)), "0.25 (0.025 cached) in, 2 out");
        assert_eq!([per_million(None), per_million(Some(Price::default()))], ["no price", "free"]);
    }
}
