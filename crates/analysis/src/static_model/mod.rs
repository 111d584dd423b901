//! Static embeddings from a folder of weights (`AHA_EMBED_MODEL_DIR`): each token has a vector, and a text's vector is
//! the mean of its tokens'. Free, offline, and fast enough for every text.
//!
//! Input: a folder in the format of model2vec, or of the Python package `wordllama`. Output: a space that computes
//! vectors, or what is wrong with the folder. Called by the stage `embed`, `calibrate` and `doctor`. The crate
//! model2vec-rs tokenises and sums.

mod check;
mod files;

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};

use aha_core::thresholds::STATIC_WEIGHTS;
use files::Files;
use model2vec_rs::model::StaticModel;
use thiserror::Error;

use crate::text::dense::DenseVector;
use crate::text::space::{Space, dense_text};

/// Text preparation: title, line break, body, limited to the first tokens. Any change needs a new name, and so a new
/// space.
const PREPARATION: &str = "first512_v1";
/// Per text, as in model2vec by default.
const MAX_TOKENS: usize = 512;
/// Longer texts are cut before tokenising; this is more than [`MAX_TOKENS`] tokens.
const MAX_CHARS: usize = 16_000;

/// Why a weights folder cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{}: {why}; AHA_EMBED_MODEL_DIR expects a folder with the model.safetensors and tokenizer.json that model2vec publishes, or the folder `wordllama` of that Python package",
    path.display()
)]
pub struct WeightsError {
    path: PathBuf,
    why: String,
}

impl WeightsError {
    fn new(path: &Path, why: impl Into<String>) -> Self {
        Self { path: path.to_owned(), why: why.into() }
    }
}

/// Loaded weights.
pub struct Weights {
    model: StaticModel,
    id: String,
    /// Number of tokens that have a vector.
    pub tokens: usize,
    /// The file they were loaded from.
    pub file: PathBuf,
}

impl fmt::Debug for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Weights").field("id", &self.id).field("file", &self.file).finish_non_exhaustive()
    }
}

impl Weights {
    /// Reads a folder on a blocking thread.
    ///
    /// # Errors
    /// When a file is missing or invalid; the error names the file.
    pub async fn load(folder: &Path) -> Result<Self, WeightsError> {
        let folder = folder.to_owned();
        let reading = tokio::task::spawn_blocking({
            let folder = folder.clone();
            move || Self::read(&folder)
        });
        // A panic of a library must not end the process.
        reading.await.unwrap_or_else(|_| Err(WeightsError::new(&folder, "its files cannot be used")))
    }

    fn read(folder: &Path) -> Result<Self, WeightsError> {
        let files = Files::read(folder)?;
        let shape = check::weights(&files.weights)?;
        check::tokenizer(&files.tokenizer, &shape)?;
        // The length of a vector does not matter here, so the third file, which requests normalisation, is not needed.
        let model = StaticModel::from_bytes(&files.tokenizer.bytes, &files.weights.bytes, b"{}", None)
            .map_err(|error| WeightsError::new(&files.tokenizer.path, format!("it cannot be used: {error:#}")))?;
        let id = format!("{STATIC_WEIGHTS}{}#{PREPARATION}/{}", files.hash(), shape.dimensions);
        Ok(Self { model, id, tokens: shape.tokens, file: files.weights.path })
    }

    /// Number of components of a vector.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.model.dim()
    }
}

impl Space for Weights {
    fn id(&self) -> &str {
        &self.id
    }

    fn vector(&self, title: Option<&str>, body: &str) -> Option<(Vec<u8>, Option<usize>)> {
        let text = dense_text(title, body, MAX_CHARS)?;
        // A tokenizer may produce tokens that the weights do not have; the library then panics.
        let encoded = std::panic::catch_unwind(AssertUnwindSafe(|| {
            self.model.encode_with_args(&[text], Some(MAX_TOKENS), 1).pop()
        }));
        let Ok(numbers) = encoded else {
            tracing::warn!(file = %self.file.display(), "the weights do not fit a text; it gets no vector");
            return None;
        };
        let numbers = numbers?;
        let bytes = DenseVector::to_bytes(&numbers);
        // A text without a known token has a zero vector.
        DenseVector::from_bytes(&bytes)?;
        Some((bytes, Some(numbers.len())))
    }
}
