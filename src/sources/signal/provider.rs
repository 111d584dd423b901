//! Configuration of a search service: URL, headers and optionally a body, with placeholders. Read from the settings
//! once.

use std::fmt;

use aha_core::money::MicroCredits;
use aha_net::redact::Redactor;
use secrecy::{ExposeSecret as _, SecretString};
use url::{Url, form_urlencoded};

use crate::sources::fetch::Request;

/// A search over HTTP (`AHA_SIGNAL_*`). The placeholders `{query}`, `{count}` and `{key}` of its templates are filled
/// in.
#[derive(Clone)]
pub struct SearchProvider {
    pub url: String,
    /// A JSON document to post; without one the request is a GET.
    pub body: Option<String>,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    pub key: Option<SecretString>,
    /// JSON pointer to the list of results; `None` for the common ones.
    pub results: Option<String>,
    /// JSON pointers to lists of objects that results refer to by id.
    pub related: Vec<String>,
    /// URL template of a result, with `{id}`, for services that return no URL.
    pub link: Option<String>,
    /// Maximum number of results taken from one response.
    pub max_results: usize,
    /// The service's price, if configured.
    pub price: Option<SearchPrice>,
}

/// The price of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SearchPrice {
    pub per_search: MicroCredits,
    pub per_result: MicroCredits,
}

impl SearchPrice {
    #[must_use]
    pub fn is_free(self) -> bool {
        self == Self::default()
    }

    /// The cost of a search with this number of results; a cost that is too large to represent becomes the largest
    /// amount.
    #[must_use]
    pub fn of(self, results: usize) -> MicroCredits {
        let results = i64::try_from(results).unwrap_or(i64::MAX);
        MicroCredits(self.per_search.0.saturating_add(self.per_result.0.saturating_mul(results)))
    }
}

/// Shows only the host, because other fields may contain a key.
impl fmt::Debug for SearchProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchProvider").field("host", &self.host()).finish_non_exhaustive()
    }
}

impl SearchProvider {
    /// The origin of its URL, for display.
    #[must_use]
    pub fn host(&self) -> String {
        Url::parse(&self.address("words")).map(|url| url.origin().ascii_serialization()).unwrap_or_default()
    }

    /// Whether the URL and the body are valid once filled in.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        let asks = self.url.contains("{query}") || self.body.as_ref().is_some_and(|body| body.contains("{query}"));
        let is_web = |text: &str| Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        let posts_json =
            || self.document("words").is_none_or(|body| serde_json::from_str::<serde_json::Value>(&body).is_ok());
        // Messages omit the query of an address, but not its path.
        let path = self.url.split('?').next().unwrap_or_default();
        asks && !path.contains("{key}") && is_web(&self.address("words")) && posts_json()
    }

    pub(super) fn request(&self, words: &str) -> Request {
        let mut request = Request::to(self.address(words));
        if let Some(document) = self.document(words) {
            request = request.posting_json(document);
        }
        for (name, value) in self.headers() {
            request = request.secret_header(&name, &value);
        }
        request
    }

    /// Removes the key from data that is stored and sent on.
    pub(super) fn redact(&self, bytes: &mut Vec<u8>) {
        Redactor::of(self.key.as_ref()).bytes(bytes);
    }

    fn address(&self, words: &str) -> String {
        let encoded =
            |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20");
        self.fill(&self.url, words, encoded)
    }

    fn document(&self, words: &str) -> Option<String> {
        let escaped = |text: &str| {
            let quoted = serde_json::Value::from(text).to_string();
            quoted[1..quoted.len() - 1].to_owned()
        };
        self.body.as_ref().map(|body| self.fill(body, words, escaped))
    }

    /// Returns the headers as configured; if no template contains the key, it is sent as a bearer token.
    fn headers(&self) -> Vec<(String, String)> {
        let templates = self.headers.iter().map(|(_, value)| value).chain([&self.url]).chain(&self.body);
        let is_carried = templates.into_iter().any(|template| template.contains("{key}"));
        let mut headers: Vec<(String, String)> =
            self.headers.iter().map(|(name, value)| (name.clone(), self.fill(value, "", str::to_owned))).collect();
        if let Some(key) = self.key.as_ref().filter(|_| !is_carried) {
            headers.push(("authorization".to_owned(), format!("Bearer {}", key.expose_secret())));
        }
        headers
    }

    /// Fills a template in one pass, so that placeholders within the words are not replaced.
    fn fill(&self, template: &str, words: &str, encoded: impl Fn(&str) -> String) -> String {
        let mut filled = String::with_capacity(template.len() + words.len());
        let mut rest = template;
        while let Some(at) = rest.find('{') {
            filled.push_str(&rest[..at]);
            rest = &rest[at..];
            let key = || self.key.as_ref().map_or("", |key| key.expose_secret());
            let (name, value) = if rest.starts_with("{query}") {
                ("{query}", encoded(words))
            } else if rest.starts_with("{count}") {
                ("{count}", self.max_results.to_string())
            } else if rest.starts_with("{key}") {
                ("{key}", encoded(key()))
            } else {
                ("{", "{".to_owned())
            };
            filled.push_str(&value);
            rest = &rest[name.len()..];
        }
        filled + rest
    }
}

#[cfg(test)]
pub(super) mod tests {
    use aha_core::money::MicroCredits;

    use super::{SearchPrice, SearchProvider};

    pub(in crate::sources::signal) fn provider(url: &str) -> SearchProvider {
        SearchProvider {
            url: url.to_owned(),
            body: None,
            headers: Vec::new(),
            key: Some("hush-hush-1".to_owned().into()),
            results: None,
            related: Vec::new(),
            link: None,
            max_results: 20,
            price: None,
        }
    }

    #[test]
    fn a_search_is_priced_by_its_results() {
        let price = SearchPrice { per_search: MicroCredits(200), per_result: MicroCredits(5_000) };
        assert_eq!([price.of(0), price.of(20)], [MicroCredits(200), MicroCredits(100_200)]);
        assert_eq!(SearchPrice { per_result: MicroCredits(i64::MAX), ..price }.of(2), MicroCredits(i64::MAX));
    }

    #[test]
    fn words_are_filled_in_but_not_expanded() {
        let get = provider("https://api.example/search?q={query}&n={count}");
        assert_eq!(get.address("a&b {key} ü"), "https://api.example/search?q=a%26b%20%7Bkey%7D%20%C3%BC&n=20");
        assert_eq!(get.headers(), [("authorization".to_owned(), "Bearer hush-hush-1".to_owned())]);
        let mut post = provider("https://api.example/search");
        assert!(!post.is_usable(), "nothing asks for the words");
        post.body = Some(r#"{"q": "{query}", "auth": "{key}", "n": {count}}"#.to_owned());
        assert!(post.is_usable() && post.headers().is_empty());
        let document: serde_json::Value = serde_json::from_str(&post.document("say \"{key}\"").unwrap()).unwrap();
        assert_eq!((document["q"].as_str(), document["n"].as_i64()), (Some("say \"{key}\""), Some(20)));
    }

    #[test]
    fn the_key_is_not_shown() {
        let mut shown = provider("https://api.example/search?key={key}&q={query}");
        shown.headers.push(("x-key".to_owned(), "{key}".to_owned()));
        assert_eq!(shown.headers()[0].1, "hush-hush-1");
        assert!(!format!("{shown:?}").contains("hush") && shown.host() == "https://api.example");
        assert!(shown.is_usable() && !provider("https://api.example/{key}/search?q={query}").is_usable());
    }
}
