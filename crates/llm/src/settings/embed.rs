//! The `OPENAI_EMBED_*` settings: the embedding model, its server, the limits and the price.
//!
//! The limits also apply to the models of a catalogue. Without an embedding model, `OPENAI_MODEL` is used; if its
//! server refuses, it is not called again for a while (`llm/embedder`).

use std::fmt;
use std::time::Duration;

use aha_core::money::Price;
use aha_core::settings::{Reader, number, size};
use aha_core::topic::BudgetTier;
use aha_net::endpoint::{append_path, http_url, sibling, without_secrets};
use secrecy::SecretString;
use serde::Deserialize;
use url::Url;

use super::general::{Models, RawGeneral, address, section, time_allowed, trimmed};
use super::prices::rate;

/// Maximum texts that the API takes at once.
const MAX_TEXTS: u64 = 2048;

/// Limits of embedding, for any model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmbedLimits {
    /// 0: embedding is disabled.
    pub max_items_per_run: usize,
    /// Number of texts in one call.
    pub batch_size: usize,
    /// Maximum characters of a text that are sent.
    pub max_input_chars: usize,
}

/// The embedding server used where the catalogue names no model for embedding.
#[derive(Clone)]
pub struct EmbedSettings {
    /// Full URL of `/v1/embeddings`.
    pub endpoint: Url,
    pub key: SecretString,
    /// Timeout of a whole call.
    pub timeout: Duration,
    models: Models,
    /// `None` when unknown.
    pub price: Option<Price>,
}

/// Omits the address's query, which may hold a key.
impl fmt::Debug for EmbedSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (endpoint, key) = (without_secrets(&self.endpoint), &self.key);
        f.debug_struct("EmbedSettings").field("endpoint", &endpoint).field("key", key).finish_non_exhaustive()
    }
}

/// An embedding model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmbedModel<'a> {
    pub name: &'a str,
    /// It is `OPENAI_MODEL`, because no model was named for embedding; it may make no vectors at all.
    pub is_general: bool,
}

impl EmbedSettings {
    /// Returns the model of the topic's tier. A budget that is nearly used up does not change it, because vectors of
    /// two models cannot be compared.
    #[must_use]
    pub fn model(&self, tier: BudgetTier) -> Option<EmbedModel<'_>> {
        let name = self.models.of(tier)?;
        Some(EmbedModel { name, is_general: !self.models.is_named(tier) })
    }

    /// Whether a model was named for embedding, at any tier.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        BudgetTier::ALL.iter().any(|tier| self.models.is_named(*tier))
    }
}

/// The variables, without their prefix.
#[derive(Debug, Default, Deserialize)]
pub(super) struct RawEmbed {
    endpoint: Option<String>,
    model: Option<String>,
    model_low: Option<String>,
    model_normal: Option<String>,
    model_high: Option<String>,
    max_items_per_run: Option<String>,
    batch_size: Option<String>,
    max_input_chars: Option<String>,
    credits_per_1k_input_tokens: Option<String>,
    credits_per_1k_tokens: Option<String>,
}

/// Reads the section. Returns no settings where none of its models may be called: without a key, a model or an address,
/// or if embedding is disabled.
pub(super) fn read(
    pairs: &[(String, String)],
    general: &RawGeneral,
    key: Option<SecretString>,
    timeout: Option<u64>,
    reader: &mut Reader,
) -> Result<(EmbedLimits, Option<EmbedSettings>), envy::Error> {
    let mut raw: RawEmbed = section(pairs, "OPENAI_EMBED_")?;
    let limits = limits(&mut raw, reader);
    let models = Models {
        by_tier: [raw.model_low, raw.model_normal, raw.model_high].map(trimmed),
        of_task: trimmed(raw.model),
        of_all: trimmed(general.model.clone()),
    };
    let own = address(reader, raw.endpoint, ENDPOINT_VARIABLE, http_url);
    let input = rate(
        reader,
        [
            ("OPENAI_EMBED_CREDITS_PER_1K_INPUT_TOKENS", raw.credits_per_1k_input_tokens),
            ("OPENAI_EMBED_CREDITS_PER_1K_TOKENS", raw.credits_per_1k_tokens),
            ("OPENAI_CREDITS_PER_1K_INPUT_TOKENS", general.credits_per_1k_input_tokens.clone()),
        ],
    );
    let Some(key) = key.filter(|_| models.any() && limits.max_items_per_run > 0) else { return Ok((limits, None)) };
    let Some(endpoint) = own.or_else(|| endpoint(general)) else {
        if BudgetTier::ALL.iter().any(|tier| models.is_named(*tier)) {
            let (name, expected, example) = ENDPOINT_VARIABLE;
            reader.problem(name, None, &format!("{expected}, which cannot be made of OPENAI_ENDPOINT"), example);
        }
        return Ok((limits, None));
    };
    let settings = EmbedSettings {
        timeout: time_allowed(&endpoint, timeout),
        endpoint,
        key,
        models,
        price: input.map(|input| Price { input_microcredits_per_million: input, ..Price::default() }),
    };
    Ok((limits, Some(settings)))
}

fn limits(raw: &mut RawEmbed, reader: &mut Reader) -> EmbedLimits {
    let mut limit = |text: &mut Option<String>, name: &str, expected: &str, default, example, range: (u64, u64)| {
        size(reader.or(text.take(), (name, expected, example), default, number(range.0, range.1)))
    };
    let (items, texts) = ("a number of items up to 1000000, 0 for none", "a number of texts from 1 to 2048");
    let chars = "a number of characters from 16 to 1000000";
    let (item_range, char_range) = ((0, 1_000_000), (16, 1_000_000));
    EmbedLimits {
        max_items_per_run: limit(
            &mut raw.max_items_per_run,
            "OPENAI_EMBED_MAX_ITEMS_PER_RUN",
            items,
            100,
            "100",
            item_range,
        ),
        batch_size: limit(&mut raw.batch_size, "OPENAI_EMBED_BATCH_SIZE", texts, 16, "16", (1, MAX_TEXTS)),
        max_input_chars: limit(
            &mut raw.max_input_chars,
            "OPENAI_EMBED_MAX_INPUT_CHARS",
            chars,
            8_000,
            "8000",
            char_range,
        ),
    }
}

const ENDPOINT_VARIABLE: (&str, &str, &str) =
    ("OPENAI_EMBED_ENDPOINT", "the full http(s) URL of /v1/embeddings", "https://api.openai.com/v1/embeddings");

/// Returns the endpoint below the base address; if only `OPENAI_ENDPOINT` is set, next to it; otherwise the provider's
/// default. `None` where it cannot be derived.
fn endpoint(general: &RawGeneral) -> Option<Url> {
    if let Some(base) = &general.base_url {
        return http_url(base.trim()).map(|base| append_path(&base, "v1", "embeddings"));
    }
    match &general.endpoint {
        Some(endpoint) => sibling(&http_url(endpoint.trim())?, &["/responses", "/chat/completions"], "/embeddings"),
        None => Url::parse(ENDPOINT_VARIABLE.2).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::openai;

    fn settings(pairs: &[(&str, &str)]) -> Option<EmbedSettings> {
        let pairs: Vec<(String, String)> = pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        let mut reader = Reader::default();
        let found = openai::read(&pairs, None, true, &mut reader).unwrap();
        assert_eq!(reader.problems, []);
        found.embed
    }

    const KEY: (&str, &str) = ("OPENAI_API_KEY", "k");
    const OWN: (&str, &str) = ("OPENAI_EMBED_MODEL", "e");

    #[test]
    fn vectors_want_a_key_and_a_model_and_may_be_turned_off() {
        assert!(settings(&[OWN]).is_none());
        assert!(settings(&[KEY]).is_none());
        assert!(settings(&[KEY, OWN]).unwrap().is_wanted());
        assert!(!settings(&[KEY, ("OPENAI_MODEL", "m")]).unwrap().is_wanted());
        assert!(settings(&[KEY, OWN, ("OPENAI_EMBED_MAX_ITEMS_PER_RUN", "0")]).is_none());
    }

    #[test]
    fn the_address_is_its_own_or_of_the_base_or_beside_that_of_answers() {
        let base = ("OPENAI_BASE_URL", "http://h/x/v1/");
        for (extra, endpoint) in [
            (vec![], "https://api.openai.com/v1/embeddings"),
            (vec![base], "http://h/x/v1/embeddings"),
            (vec![("OPENAI_BASE_URL", "http://h/v1/responses")], "http://h/v1/embeddings"),
            (vec![("OPENAI_ENDPOINT", "http://e/api/responses?version=2")], "http://e/api/embeddings?version=2"),
            (vec![base, ("OPENAI_ENDPOINT", "http://e/api/responses")], "http://h/x/v1/embeddings"),
            (vec![base, ("OPENAI_EMBED_ENDPOINT", "http://own/embed")], "http://own/embed"),
        ] {
            let settings = settings(&[&[KEY, OWN], extra.as_slice()].concat()).unwrap();
            assert_eq!(settings.endpoint.as_str(), endpoint);
        }
        assert!(settings(&[KEY, ("OPENAI_MODEL", "m"), ("OPENAI_ENDPOINT", "http://e/ask")]).is_none());
    }

    #[test]
    fn a_tier_s_model_beats_the_task_s_and_the_general_one_stands_in() {
        let tiered = settings(&[KEY, OWN, ("OPENAI_MODEL", "m"), ("OPENAI_EMBED_MODEL_LOW", "small")]).unwrap();
        assert_eq!(tiered.model(BudgetTier::Low), Some(EmbedModel { name: "small", is_general: false }));
        assert_eq!(tiered.model(BudgetTier::High), Some(EmbedModel { name: "e", is_general: false }));
        let general = settings(&[KEY, ("OPENAI_MODEL", "m"), ("OPENAI_EMBED_MODEL_HIGH", "big")]).unwrap();
        assert_eq!(general.model(BudgetTier::Normal), Some(EmbedModel { name: "m", is_general: true }));
    }

    #[test]
    fn the_preferred_price_beats_the_old_name_and_that_the_general_one() {
        let general = ("OPENAI_CREDITS_PER_1K_INPUT_TOKENS", "0.00025");
        let old = ("OPENAI_EMBED_CREDITS_PER_1K_TOKENS", "0.00002");
        let preferred = ("OPENAI_EMBED_CREDITS_PER_1K_INPUT_TOKENS", "0");
        let price = |extra: &[(&'static str, &'static str)]| settings(&[&[KEY, OWN], extra].concat()).unwrap().price;
        assert_eq!(price(&[]), None);
        assert_eq!(price(&[general]).unwrap().input_microcredits_per_million, 250_000);
        assert_eq!(price(&[general, old]).unwrap().input_microcredits_per_million, 20_000);
        assert!(price(&[general, old, preferred]).unwrap().is_free());
    }
}
