//! Vectors from a folder of weights (`AHA_EMBED_MODEL_DIR`): a static model, which has a vector a token and gives a text the mean of its
//! tokens'. Free, without a network, and fast enough for every text.
//!
//! Comes in: a folder as model2vec publishes them, or as the Python package `wordllama` is laid out. Goes out: a space that makes vectors, or
//! what is wrong with the folder. Called by the stage `embed`, `calibrate` and `doctor`. The crate model2vec-rs reads tokens and adds them up.

mod check;
mod files;

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};

use aha_core::thresholds::STATIC_WEIGHTS;
use files::Files;
use model2vec_rs::model::StaticModel;
use thiserror::Error;

use crate::stories::dense::DenseVector;
use crate::stories::space::{Space, dense_text};

/// What is made of a text before: title, line break, body, of which the first tokens are read. A change is a new name, and so a new space.
const PREPARATION: &str = "first512_v1";
/// Of a text: as model2vec does by default.
const MAX_TOKENS: usize = 512;
/// More are not handed on; so many make more than [`MAX_TOKENS`].
const MAX_CHARS: usize = 16_000;

/// Why a folder of weights is of no use.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{}: {why}; AHA_EMBED_MODEL_DIR wants a folder with the model.safetensors and tokenizer.json that model2vec publishes, or the folder `wordllama` of that Python package",
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

/// A folder's weights, ready.
pub struct Weights {
    model: StaticModel,
    id: String,
    /// Tokens that have a vector.
    pub tokens: usize,
    /// The file they came from.
    pub file: PathBuf,
}

impl fmt::Debug for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Weights").field("id", &self.id).field("file", &self.file).finish_non_exhaustive()
    }
}

impl Weights {
    /// Reads a folder, off the async threads.
    ///
    /// # Errors
    /// When a file is missing or is not what it should be, by name.
    pub async fn load(folder: &Path) -> Result<Self, WeightsError> {
        let folder = folder.to_owned();
        let reading = tokio::task::spawn_blocking({
            let folder = folder.clone();
            move || Self::read(&folder)
        });
        // What a library gives up on, it is not to take the process with.
        reading.await.unwrap_or_else(|_| Err(WeightsError::new(&folder, "its files cannot be used")))
    }

    fn read(folder: &Path) -> Result<Self, WeightsError> {
        let files = Files::read(folder)?;
        let shape = check::weights(&files.weights)?;
        check::tokenizer(&files.tokenizer, &shape)?;
        // How long a vector is does not matter here, so neither does the third file, which says whether it is to be of length 1.
        let model = StaticModel::from_bytes(&files.tokenizer.bytes, &files.weights.bytes, b"{}", None)
            .map_err(|error| WeightsError::new(&files.tokenizer.path, format!("it cannot be used: {error:#}")))?;
        let id = format!("{STATIC_WEIGHTS}{}#{PREPARATION}/{}", files.hash(), shape.dimensions);
        Ok(Self { model, id, tokens: shape.tokens, file: files.weights.path })
    }

    /// Numbers of a vector.
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
        // A tokenizer may promise tokens that the weights do not have; then the library panics.
        let encoded = std::panic::catch_unwind(AssertUnwindSafe(|| {
            self.model.encode_with_args(&[text], Some(MAX_TOKENS), 1).pop()
        }));
        let Ok(numbers) = encoded else {
            tracing::warn!(file = %self.file.display(), "the weights do not fit a text; it gets no vector");
            return None;
        };
        let numbers = numbers?;
        let bytes = DenseVector::to_bytes(&numbers);
        // A text without a known token has no direction.
        DenseVector::from_bytes(&bytes)?;
        Some((bytes, Some(numbers.len())))
    }
}
