//! Reads the weights in `model.safetensors` into an encoder.

use std::fmt::Write as _;
use std::path::Path;

use ndarray::{Array1, Array2};
use safetensors::SafeTensors;
use safetensors::tensor::Dtype;
use sha2::{Digest as _, Sha256};

use super::SentenceError;
use super::config::Config;
use super::encoder::{Embeddings, Encoder};
use super::folder::{MAX_WEIGHTS_BYTES, required};
use super::layer::{Dense, Layer, Norm};

/// Of every `HASHED_EVERY` bytes, the first `HASHED_BYTES` are hashed: different weights differ everywhere, and hashing
/// a hundred megabytes would slow each start.
const HASHED_EVERY: usize = 16_384;
const HASHED_BYTES: usize = 256;
/// Bytes of the hash that appear in the name of a space.
const SHOWN_BYTES: usize = 8;

/// Returns the encoder, and a hash that identifies its weights.
pub(crate) fn read(folder: &Path, config: &Config) -> Result<(Encoder, String), SentenceError> {
    let path = folder.join("model.safetensors");
    let bytes = required(&path, MAX_WEIGHTS_BYTES)?;
    let tensors = SafeTensors::deserialize(&bytes)
        .map_err(|error| SentenceError::new(&path, format!("it is no safetensors file, or not whole: {error:?}")))?;
    let prefix = if tensors.tensor("embeddings.word_embeddings.weight").is_ok() { "" } else { "bert." };
    let file = Tensors { path: &path, all: tensors, prefix };
    Ok((file.encoder(config)?, hash(&bytes)))
}

fn hash(bytes: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update((bytes.len() as u64).to_le_bytes());
    for block in bytes.chunks(HASHED_EVERY) {
        hash.update(&block[..block.len().min(HASHED_BYTES)]);
    }
    hash.finalize().iter().take(SHOWN_BYTES).fold(String::new(), |mut shown, byte| {
        let _ = write!(shown, "{byte:02x}");
        shown
    })
}

struct Tensors<'f> {
    path: &'f Path,
    all: SafeTensors<'f>,
    /// Prepended to each tensor name.
    prefix: &'static str,
}

impl Tensors<'_> {
    fn encoder(&self, config: &Config) -> Result<Encoder, SentenceError> {
        let width = config.hidden_size;
        let token_types = self.matrix("embeddings.token_type_embeddings.weight", None, width)?;
        let embeddings = Embeddings {
            words: self.matrix("embeddings.word_embeddings.weight", None, width)?,
            positions: self.matrix("embeddings.position_embeddings.weight", None, width)?,
            // All texts have token type 0.
            token_type: token_types.row(0).to_owned(),
            norm: self.norm("embeddings.LayerNorm", config)?,
        };
        if embeddings.positions.nrows() < config.max_tokens {
            return Err(self.invalid("it has fewer positions than config.json says"));
        }
        let layers = (0..config.layers).map(|number| self.layer(number, config)).collect::<Result<_, _>>()?;
        Ok(Encoder::new(embeddings, layers))
    }

    fn layer(&self, number: usize, config: &Config) -> Result<Layer, SentenceError> {
        let width = config.hidden_size;
        let name = |part: &str| format!("encoder.layer.{number}.{part}");
        let square = |part: &str| self.dense(&name(part), Some(width), width);
        let intermediate = self.dense(&name("intermediate.dense"), None, width)?;
        Ok(Layer {
            heads: config.heads,
            queries: square("attention.self.query")?,
            keys: square("attention.self.key")?,
            values: square("attention.self.value")?,
            attention_output: square("attention.output.dense")?,
            attention_norm: self.norm(&name("attention.output.LayerNorm"), config)?,
            output: self.dense(&name("output.dense"), Some(width), intermediate.bias.len())?,
            intermediate,
            output_norm: self.norm(&name("output.LayerNorm"), config)?,
        })
    }

    fn norm(&self, name: &str, config: &Config) -> Result<Norm, SentenceError> {
        Ok(Norm {
            scale: self.vector(&format!("{name}.weight"), config.hidden_size)?,
            shift: self.vector(&format!("{name}.bias"), config.hidden_size)?,
            epsilon: config.epsilon,
        })
    }

    fn dense(&self, name: &str, rows: Option<usize>, columns: usize) -> Result<Dense, SentenceError> {
        let weight = self.matrix(&format!("{name}.weight"), rows, columns)?;
        let bias = self.vector(&format!("{name}.bias"), weight.nrows())?;
        Ok(Dense { weight, bias })
    }

    fn vector(&self, name: &str, length: usize) -> Result<Array1<f32>, SentenceError> {
        let (shape, numbers) = self.numbers(name)?;
        if shape != [length] {
            return Err(self.invalid(format!("{name} has the shape {shape:?}; [{length}] is wanted")));
        }
        Ok(Array1::from_vec(numbers))
    }

    fn matrix(&self, name: &str, rows: Option<usize>, columns: usize) -> Result<Array2<f32>, SentenceError> {
        let (shape, numbers) = self.numbers(name)?;
        let fits = matches!(*shape, [of_rows, of_columns] if of_columns == columns && of_rows > 0 && rows.is_none_or(|rows| rows == of_rows));
        let matrix = fits.then(|| Array2::from_shape_vec((shape[0], shape[1]), numbers).ok()).flatten();
        matrix.ok_or_else(|| {
            let rows = rows.map_or_else(|| "any".to_owned(), |rows| rows.to_string());
            self.invalid(format!("{name} has the shape {shape:?}; [{rows}, {columns}] is wanted"))
        })
    }

    fn numbers(&self, name: &str) -> Result<(Vec<usize>, Vec<f32>), SentenceError> {
        let name = format!("{}{name}", self.prefix);
        let tensor = self.all.tensor(&name).map_err(|_| self.invalid(format!("it has no tensor {name}")))?;
        let data = tensor.data();
        let numbers: Vec<f32> = match tensor.dtype() {
            Dtype::F32 => data.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(),
            Dtype::F16 => {
                data.as_chunks::<2>().0.iter().map(|bytes| f32_from_f16(u16::from_le_bytes(*bytes))).collect()
            }
            // BF16 is the upper half of an f32.
            Dtype::BF16 => {
                let wide = |bytes: &[u8; 2]| f32::from_bits(u32::from(u16::from_le_bytes(*bytes)) << 16);
                data.as_chunks::<2>().0.iter().map(wide).collect()
            }
            other => return Err(self.invalid(format!("{name} is of the kind {other:?}; F32, F16 and BF16 are read"))),
        };
        if numbers.iter().any(|number| !number.is_finite()) {
            return Err(self.invalid(format!("{name} has numbers that are infinite or none (NaN)")));
        }
        Ok((tensor.shape().to_vec(), numbers))
    }

    fn invalid(&self, why: impl Into<String>) -> SentenceError {
        SentenceError::new(self.path, why)
    }
}

/// Decodes IEEE 754 binary16: a sign bit, five bits of exponent, ten of fraction.
fn f32_from_f16(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from((bits >> 10) & 0x1f), f32::from(bits & 0x3ff) / 1024.0);
    let size = match exponent {
        0 => fraction * 2f32.powi(-14),
        0x1f => f32::INFINITY,
        _ => (1.0 + fraction) * 2f32.powi(exponent - 15),
    };
    if bits & 0x8000 == 0 { size } else { -size }
}

#[cfg(test)]
mod tests {
    use super::f32_from_f16;

    #[test]
    fn halves_become_whole() {
        let known = [(0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.333_251_95), (0x0001, 5.960_464_5e-8), (0, 0.0)];
        for (bits, number) in known {
            assert!((f32_from_f16(bits) - number).abs() < 1e-9, "{bits:x}");
        }
        assert!(f32_from_f16(0x7c01).is_infinite());
    }
}
