//! Sentence vectors from a BERT-family model in a folder, computed on the CPU.
//!
//! Input: a folder as published by sentence-transformers (`config.json`, `model.safetensors`, `tokenizer.json` or
//! `vocab.txt`), and texts. Output: a unit vector for each text, or what is wrong with the folder. Called by
//! `src/sentences.rs`, which stores the vectors that `ask` and `search` compare. The texts of one call are spread over
//! all processors.
//!
//! ```no_run
//! let model = aha_sentence::SentenceModel::load("all-MiniLM-L6-v2".as_ref())?;
//! let vectors = model.encode(&["How many berths are there?", "The quay has forty berths."]);
//! assert_eq!(vectors[0].len(), model.dimensions());
//! # Ok::<(), aha_sentence::SentenceError>(())
//! ```

mod config;
mod encoder;
mod folder;
mod layer;
mod tensors;
mod words;

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use thiserror::Error;
use tokenizers::Tokenizer;

use config::{Config, Pooling};
use encoder::Encoder;

/// Tokens per batch: enough to read the weights from memory rarely, few enough to fit the processor's caches.
const TOKENS_AT_ONCE: usize = 256;

/// Why a model folder cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{}: {why}; AHA_SENTENCE_MODEL_DIR expects a folder with the config.json, model.safetensors and tokenizer.json (or vocab.txt) of a sentence model of the BERT family",
    path.display()
)]
pub struct SentenceError {
    path: PathBuf,
    why: String,
}

impl SentenceError {
    fn new(path: &Path, why: impl Into<String>) -> Self {
        Self { path: path.to_owned(), why: why.into() }
    }
}

/// A loaded model. It is large: share it.
pub struct SentenceModel {
    encoder: Encoder,
    tokenizer: Tokenizer,
    pooling: Pooling,
    id: String,
}

impl std::fmt::Debug for SentenceModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SentenceModel").field("id", &self.id).finish_non_exhaustive()
    }
}

impl SentenceModel {
    /// Reads a model folder. It takes some hundred milliseconds: do not call it on an async thread.
    ///
    /// # Errors
    /// When a file is missing or invalid; the error names the file.
    pub fn load(folder: &Path) -> Result<Self, SentenceError> {
        let config = Config::read(folder)?;
        let tokenizer = words::tokenizer(folder, &config)?;
        let (encoder, weights) = tensors::read(folder, &config)?;
        let last = tokenizer.get_vocab(true).into_values().max().unwrap_or(0) as usize;
        if last >= encoder.tokens() {
            let known = encoder.tokens();
            let why =
                format!("it knows a token {last}, but the weights have vectors for {known}: both must be of one model");
            return Err(SentenceError::new(&folder.join("tokenizer.json"), why));
        }
        let id = format!("sentence/{weights}#{}/{}", config.preparation(), config.hidden_size);
        Ok(Self { encoder, tokenizer, pooling: config.pooling, id })
    }

    /// Returns the name of the vector space: weights, text preparation and dimensions. Only vectors with the same id
    /// can be compared.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Number of components of a vector.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.encoder.width()
    }

    /// Returns a unit vector for each text, in order. A text that cannot be tokenised gets a zero vector, which is
    /// similar to nothing. A text longer than the model's maximum is truncated.
    #[must_use]
    pub fn encode<T: AsRef<str> + Sync>(&self, texts: &[T]) -> Vec<Vec<f32>> {
        let tokens: Vec<Vec<u32>> = texts.par_iter().map(|text| self.tokens(text.as_ref())).collect();
        let encoded: Vec<Vec<Vec<f32>>> = batches(&tokens, TOKENS_AT_ONCE)
            .into_par_iter()
            .map(|batch| self.encoder.encode(&tokens[batch], self.pooling))
            .collect();
        encoded.into_iter().flatten().collect()
    }

    /// Returns the token ids, including the start and end tokens.
    fn tokens(&self, text: &str) -> Vec<u32> {
        self.tokenizer.encode_fast(text, true).map(|encoding| encoding.get_ids().to_vec()).unwrap_or_default()
    }
}

/// Splits consecutive texts into batches of about `at_once` tokens, or fewer if a processor would otherwise be idle.
fn batches(tokens: &[Vec<u32>], at_once: usize) -> Vec<std::ops::Range<usize>> {
    let total: usize = tokens.iter().map(Vec::len).sum();
    let at_once = at_once.min(total.div_ceil(rayon::current_num_threads())).max(1);
    let mut batches = Vec::new();
    let (mut from, mut size) = (0, 0);
    for (number, text) in tokens.iter().enumerate() {
        size += text.len();
        if size >= at_once {
            batches.push(from..number + 1);
            (from, size) = (number + 1, 0);
        }
    }
    if from < tokens.len() {
        batches.push(from..tokens.len());
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::batches;

    #[test]
    fn batches_hold_every_text_once() {
        let tokens: Vec<Vec<u32>> = [3, 0, 5, 9, 1].iter().map(|count| vec![0; *count]).collect();
        let found = batches(&tokens, 4);
        assert_eq!(found.iter().flat_map(Clone::clone).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        assert!(found.len() > 1 && batches(&[], 4).is_empty());
    }
}
