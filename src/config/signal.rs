//! Settings of the search service: `AHA_SIGNAL_*`.

use aha_core::money::MicroCredits;
use aha_core::settings::{number, size};
use aha_llm::settings::BudgetSettings;
use aha_net::secret;
use serde_json::Value;
use url::Url;

use super::{Raw, SettingsReader};
use crate::sources::signal::{SearchPrice, SearchProvider};

/// Default and maximum number of results taken from one response.
const DEFAULT_RESULTS: u64 = 20;
const MAX_RESULTS: u64 = 100;

/// The variables that are checked together: name, expected value, example.
const URL_VARIABLE: (&str, &str, &str) = (
    "AHA_SIGNAL_URL",
    "an http(s) address without {key} in its path; {query} has to stand in it or in AHA_SIGNAL_BODY, which has to be \
     JSON",
    "https://api.example/search?q={query}&n={count}",
);
const BODY_VARIABLE: (&str, &str, &str) =
    ("AHA_SIGNAL_BODY", "a JSON document, once {query}, {count} and {key} are replaced", r#"{"query": "{query}"}"#);
/// Replaces an unset address where only the other variables are checked.
const UNSET_URL: &str = "https://unset.invalid/?q={query}";

impl SettingsReader {
    /// Returns the search service, if its address is set. The other variables are checked in any case.
    pub(super) fn search(&mut self, raw: &mut Raw) -> Option<SearchProvider> {
        let url = raw.aha_signal_url.take();
        let provider = self.search_provider(raw, url.as_deref().unwrap_or(UNSET_URL).trim().to_owned());
        if !provider.is_usable() {
            // The value is not shown: URL and body may contain a key.
            let (variable, expected, example) = if url.is_some() { URL_VARIABLE } else { BODY_VARIABLE };
            self.variables.problem(variable, Some("…".to_owned()), expected, example);
        }
        url.map(|_| provider)
    }

    fn search_provider(&mut self, raw: &mut Raw, url: String) -> SearchProvider {
        let (given, file) = (raw.aha_signal_key.take(), raw.aha_signal_key_file.take());
        let key = secret::of(&mut self.variables, "AHA_SIGNAL_KEY", given, file);
        let headers = ("AHA_SIGNAL_HEADERS", "NAME: VALUE pairs, separated by semicolons", "x-api-key: {key}");
        let link = ("AHA_SIGNAL_LINK", "an http(s) address that holds {id}", "https://x.com/i/status/{id}");
        let max_results = ("AHA_SIGNAL_MAX_RESULTS", "a whole number from 1 to 100", "20");
        let lists = ("AHA_SIGNAL_RELATED", "JSON pointers, separated by commas", "/includes/users");
        let per_search = self.fee(raw.aha_signal_credits_per_search.take(), "AHA_SIGNAL_CREDITS_PER_SEARCH");
        let per_result = self.fee(raw.aha_signal_credits_per_result.take(), "AHA_SIGNAL_CREDITS_PER_RESULT");
        SearchProvider {
            url,
            body: raw.aha_signal_body.take(),
            headers: self.variables.or(raw.aha_signal_headers.take(), headers, Vec::new(), pairs),
            key,
            results: self.variables.maybe(
                raw.aha_signal_results.take(),
                ("AHA_SIGNAL_RESULTS", "a JSON pointer", "/data"),
                pointer,
            ),
            related: self
                .variables
                .or(raw.aha_signal_related.take(), lists, Vec::new(), |text| text.split(',').map(pointer).collect()),
            link: self.variables.maybe(raw.aha_signal_link.take(), link, |text| is_link(text).then(|| text.to_owned())),
            max_results: size(self.variables.or(
                raw.aha_signal_max_results.take(),
                max_results,
                DEFAULT_RESULTS,
                number(1, MAX_RESULTS),
            )),
            price: (per_search.is_some() || per_result.is_some()).then(|| SearchPrice {
                per_search: per_search.unwrap_or_default(),
                per_result: per_result.unwrap_or_default(),
            }),
        }
    }

    fn fee(&mut self, text: Option<String>, name: &str) -> Option<MicroCredits> {
        self.variables.maybe(text, (name, "credits, of at most six decimals", "0.005"), MicroCredits::parse_credits)
    }

    /// As with models: a cap cannot be enforced without a price.
    pub(super) fn priced_search(&mut self, budget: &BudgetSettings, search: Option<&SearchProvider>) {
        if budget.caps.is_set() && search.is_some_and(|search| search.price.is_none()) {
            let expected = "what the service charges (0 where that is nothing), because a budget is set";
            self.variables.problem("AHA_SIGNAL_CREDITS_PER_SEARCH or _PER_RESULT", None, expected, "0.005");
        }
    }
}

fn pairs(text: &str) -> Option<Vec<(String, String)>> {
    let pairs = text.split(';').map(str::trim).filter(|pair| !pair.is_empty());
    let read = |pair: &str| {
        let (name, value) = pair.split_once(':')?;
        let name = name.trim().to_ascii_lowercase();
        let is_name = reqwest::header::HeaderName::try_from(&name).is_ok();
        let is_value = reqwest::header::HeaderValue::try_from(value.trim()).is_ok();
        (is_name && is_value).then(|| (name, value.trim().to_owned()))
    };
    pairs.map(read).collect()
}

fn pointer(text: &str) -> Option<String> {
    let text = text.trim();
    (text.starts_with('/') && Value::Null.pointer(text).is_none()).then(|| text.to_owned())
}

fn is_link(text: &str) -> bool {
    let url = Url::parse(&text.replace("{id}", "1"));
    text.contains("{id}") && url.is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

#[cfg(test)]
mod tests {
    use aha_core::money::MicroCredits;

    use crate::config::Config;

    fn load(pairs: &[(&str, &str)]) -> Result<Config, String> {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Config::from_pairs(pairs).map_err(|error| error.to_string())
    }

    #[test]
    fn a_search_is_read_and_its_key_is_never_shown() {
        let url = ("AHA_SIGNAL_URL", "https://api.example/search?q={query}");
        let key = ("AHA_SIGNAL_KEY", "hush-hush-1");
        let headers = ("AHA_SIGNAL_HEADERS", "X-Api-Key: {key}; accept: application/json");
        let config = load(&[url, key, headers, ("AHA_SIGNAL_RELATED", "/includes/users, /includes/media")]).unwrap();
        let search = config.sources.search.clone().unwrap();
        assert_eq!(search.headers[0], ("x-api-key".to_owned(), "{key}".to_owned()));
        assert_eq!((search.related.len(), search.max_results, search.results), (2, 20, None));
        assert!(!format!("{config:?}").contains("hush"));
        assert!(load(&[]).unwrap().sources.search.is_none());
    }

    #[test]
    fn a_budget_requires_the_price_of_a_search() {
        let (url, cap) =
            (("AHA_SIGNAL_URL", "https://api.example/search?q={query}"), ("AHA_BUDGET_DAILY_CREDITS", "1"));
        let said = load(&[url, cap]).unwrap_err();
        assert!(said.contains("AHA_SIGNAL_CREDITS_PER_SEARCH or _PER_RESULT is not set"), "{said}");
        let price = |variable| {
            let config = load(&[url, cap, (variable, "0.005")]).unwrap();
            config.sources.search.unwrap().price.unwrap().of(3)
        };
        assert_eq!(price("AHA_SIGNAL_CREDITS_PER_SEARCH"), MicroCredits(5_000));
        assert_eq!(price("AHA_SIGNAL_CREDITS_PER_RESULT"), MicroCredits(15_000));
    }

    #[test]
    fn unusable_search_settings_are_reported() {
        let url = "https://api.example/search?q={query}";
        for (name, value) in [
            ("AHA_SIGNAL_URL", "https://api.example/search?token=hush"),
            ("AHA_SIGNAL_URL", "ftp://api.example/{query}"),
            ("AHA_SIGNAL_BODY", "{\"q\": {query}}"),
            ("AHA_SIGNAL_HEADERS", "a header"),
            ("AHA_SIGNAL_RESULTS", "data"),
            ("AHA_SIGNAL_LINK", "https://x.example/"),
            ("AHA_SIGNAL_MAX_RESULTS", "0"),
            ("AHA_SIGNAL_CREDITS_PER_SEARCH", "half a cent"),
        ] {
            let mut pairs = vec![("AHA_SIGNAL_URL", url)];
            pairs.retain(|(known, _)| *known != name);
            pairs.push((name, value));
            let said = load(&pairs).unwrap_err();
            assert!(said.contains("AHA_SIGNAL_") && !said.contains("hush"), "{said}");
        }
    }

    #[test]
    fn a_value_that_cannot_be_used_is_reported_without_an_address_too() {
        for (name, value) in [
            ("AHA_SIGNAL_BODY", "{\"q\": {query}}"),
            ("AHA_SIGNAL_HEADERS", "a header"),
            ("AHA_SIGNAL_RESULTS", "data"),
            ("AHA_SIGNAL_RELATED", "users"),
            ("AHA_SIGNAL_LINK", "https://x.example/"),
            ("AHA_SIGNAL_MAX_RESULTS", "-1"),
            ("AHA_SIGNAL_CREDITS_PER_SEARCH", "half a cent"),
            ("AHA_SIGNAL_CREDITS_PER_RESULT", "-1"),
        ] {
            let said = load(&[(name, value)]).unwrap_err();
            assert!(said.starts_with(name) && said.contains("cannot be used"), "{said}");
        }
        let good = load(&[("AHA_SIGNAL_MAX_RESULTS", "50"), ("AHA_SIGNAL_BODY", "{\"q\": \"{query}\"}")]).unwrap();
        assert!(good.sources.search.is_none());
    }
}
