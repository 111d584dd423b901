//! The model's architecture and pooling, from `config.json`, `sentence_bert_config.json` and `1_Pooling/config.json`.
//! The last two are optional.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::SentenceError;
use super::folder::{MAX_TEXT_BYTES, read, required};

/// Maximum tokens of a text if the folder has no `max_seq_length`.
const DEFAULT_MAX_TOKENS: usize = 256;
const MAX_WIDTH: usize = 4_096;
const MAX_LAYERS: usize = 48;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pooling {
    Mean,
    First,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Config {
    pub(crate) hidden_size: usize,
    pub(crate) layers: usize,
    pub(crate) heads: usize,
    pub(crate) epsilon: f32,
    /// Per text, including the start and end tokens.
    pub(crate) max_tokens: usize,
    pub(crate) pooling: Pooling,
    pub(crate) is_lower_case: bool,
}

#[derive(Deserialize)]
struct RawConfig {
    #[serde(default)]
    model_type: String,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    #[serde(default = "gelu")]
    hidden_act: String,
    #[serde(default = "epsilon")]
    layer_norm_eps: f32,
    max_position_embeddings: usize,
    #[serde(default = "absolute")]
    position_embedding_type: String,
}

fn gelu() -> String {
    "gelu".to_owned()
}

const fn epsilon() -> f32 {
    1e-12
}

fn absolute() -> String {
    "absolute".to_owned()
}

#[derive(Default, Deserialize)]
struct RawLimits {
    max_seq_length: Option<usize>,
}

#[derive(Deserialize)]
struct RawCase {
    do_lower_case: Option<bool>,
}

#[derive(Default, Deserialize)]
struct RawPooling {
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
}

impl Config {
    pub(crate) fn read(folder: &Path) -> Result<Self, SentenceError> {
        if !folder.is_dir() {
            return Err(SentenceError::new(folder, "it is no folder that can be read"));
        }
        let path = folder.join("config.json");
        let raw: RawConfig = parse(&path, &required(&path, MAX_TEXT_BYTES)?)?;
        let invalid = |why: String| SentenceError::new(&path, why);
        if raw.model_type != "bert" {
            return Err(invalid(format!("its model_type is '{}'; 'bert' is wanted", raw.model_type)));
        }
        if raw.hidden_act != "gelu" || raw.position_embedding_type != "absolute" {
            return Err(invalid("only models with hidden_act gelu and absolute positions are read".to_owned()));
        }
        let is_even = raw.num_attention_heads > 0 && raw.hidden_size.is_multiple_of(raw.num_attention_heads);
        if !is_even || !(1..=MAX_WIDTH).contains(&raw.hidden_size) || !(1..=MAX_LAYERS).contains(&raw.num_hidden_layers)
        {
            return Err(invalid(format!(
                "{} layers of {} numbers in {} heads are not built",
                raw.num_hidden_layers, raw.hidden_size, raw.num_attention_heads
            )));
        }
        let limits: RawLimits = optional(&folder.join("sentence_bert_config.json"))?.unwrap_or_default();
        let pooling = optional::<RawPooling>(&folder.join("1_Pooling/config.json"))?;
        let pooling = match pooling {
            Some(RawPooling { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false }) => Pooling::First,
            Some(RawPooling { pooling_mode_mean_tokens: true, .. }) | None => Pooling::Mean,
            Some(_) => {
                return Err(invalid("1_Pooling/config.json asks for neither the mean nor the first token".to_owned()));
            }
        };
        let case: Option<RawCase> = optional(&folder.join("tokenizer_config.json"))?;
        Ok(Self {
            hidden_size: raw.hidden_size,
            layers: raw.num_hidden_layers,
            heads: raw.num_attention_heads,
            epsilon: raw.layer_norm_eps,
            max_tokens: limits.max_seq_length.unwrap_or(DEFAULT_MAX_TOKENS).min(raw.max_position_embeddings).max(2),
            pooling,
            is_lower_case: case.and_then(|case| case.do_lower_case).unwrap_or(true),
        })
    }

    /// Returns the text preparation (pooling, maximum tokens, version) as a part of the space's name.
    pub(crate) fn preparation(&self) -> String {
        let pooling = match self.pooling {
            Pooling::Mean => "mean",
            Pooling::First => "first",
        };
        format!("{pooling}{}_v1", self.max_tokens)
    }
}

fn optional<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, SentenceError> {
    read(path, MAX_TEXT_BYTES)?.map(|bytes| parse(path, &bytes)).transpose()
}

fn parse<T: DeserializeOwned>(path: &Path, bytes: &[u8]) -> Result<T, SentenceError> {
    serde_json::from_slice(bytes).map_err(|error| SentenceError::new(path, format!("it cannot be used: {error}")))
}
