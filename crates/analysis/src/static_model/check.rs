//! Validates the files of a weights folder before they are used.

use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};
use serde_json::Value;

use super::WeightsError;
use super::files::Content;

/// Names of the embedding tensor in model2vec, sentence-transformers and wordllama.
const NAMES: [&str; 3] = ["embeddings", "0", "embedding.weight"];
const MAX_DIMENSIONS: usize = 8_192;

/// The dimensions of the embedding table.
pub(super) struct Shape {
    /// Components of a vector.
    pub(super) dimensions: usize,
    /// Tokens that have a vector.
    pub(super) tokens: usize,
}

/// Checks that the file is complete and contains one table of finite numbers.
pub(super) fn weights(content: &Content) -> Result<Shape, WeightsError> {
    let invalid = |why: String| WeightsError::new(&content.path, why);
    let tensors = SafeTensors::deserialize(&content.bytes)
        .map_err(|error| invalid(format!("it is no safetensors file, or not whole: {error:?}")))?;
    let table = NAMES.iter().find_map(|name| tensors.tensor(name).ok());
    let table = table.ok_or_else(|| invalid(format!("it has no table of vectors ({})", NAMES.join(", "))))?;
    let &[rows, dimensions] = table.shape() else {
        return Err(invalid(format!("its table has {} dimensions; 2 are wanted", table.shape().len())));
    };
    if rows == 0 || !(1..=MAX_DIMENSIONS).contains(&dimensions) {
        return Err(invalid(format!(
            "its table is of {rows} vectors of {dimensions} numbers; 1 to {MAX_DIMENSIONS} are wanted"
        )));
    }
    if table.data().iter().all(|byte| *byte == 0) {
        return Err(invalid("all of its numbers are 0".to_owned()));
    }
    for tensor in [Some(table), tensors.tensor("weights").ok()].into_iter().flatten() {
        are_finite(&tensor).map_err(invalid)?;
    }
    // If tokens share vectors, `mapping` assigns them.
    let tokens = tensors.tensor("mapping").ok().and_then(|mapping| mapping.shape().first().copied());
    Ok(Shape { dimensions, tokens: tokens.unwrap_or(rows) })
}

fn are_finite(tensor: &TensorView<'_>) -> Result<(), String> {
    let data = tensor.data();
    let finite = match tensor.dtype() {
        Dtype::F64 => data.as_chunks::<8>().0.iter().all(|bytes| f64::from_le_bytes(*bytes).is_finite()),
        Dtype::F32 => data.as_chunks::<4>().0.iter().all(|bytes| f32::from_le_bytes(*bytes).is_finite()),
        // An exponent of all ones is an infinity or NaN.
        Dtype::F16 => data.as_chunks::<2>().0.iter().all(|bytes| u16::from_le_bytes(*bytes) & 0x7c00 != 0x7c00),
        Dtype::I8 => true,
        other => return Err(format!("its numbers are of the kind {other:?}, which is not read; F32, F16 and I8 are")),
    };
    if finite { Ok(()) } else { Err("some of its numbers are infinite or no numbers (NaN)".to_owned()) }
}

/// Checks that the tokenizer belongs to the weights: each of its tokens has a vector.
pub(super) fn tokenizer(content: &Content, shape: &Shape) -> Result<(), WeightsError> {
    let invalid = |why: String| WeightsError::new(&content.path, why);
    let read: Value = serde_json::from_slice(&content.bytes)
        .map_err(|error| invalid(format!("it is no tokenizer in JSON, or not whole: {error}")))?;
    let last = match &read["model"]["vocab"] {
        Value::Object(tokens) => tokens.values().filter_map(Value::as_u64).max(),
        Value::Array(tokens) => tokens.len().checked_sub(1).map(|last| last as u64),
        _ => None,
    };
    let last = last.ok_or_else(|| invalid("it has no list of tokens (model.vocab)".to_owned()))?;
    if last >= shape.tokens as u64 {
        let known = shape.tokens;
        return Err(invalid(format!(
            "it knows a token {last}, but the weights have vectors for {known}: both must be of one model"
        )));
    }
    Ok(())
}
