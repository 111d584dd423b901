//! Builds the tokenizer from `tokenizer.json`, or from the word-piece list in `vocab.txt`.

use std::path::Path;

use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::processors::bert::BertProcessing;
use tokenizers::{Tokenizer, TruncationParams};

use super::SentenceError;
use super::config::Config;
use super::folder::{MAX_TEXT_BYTES, read, required};

/// Returns a tokenizer that truncates to the model's maximum and does not pad.
pub(crate) fn tokenizer(folder: &Path, config: &Config) -> Result<Tokenizer, SentenceError> {
    let path = folder.join("tokenizer.json");
    let invalid = |why: String| SentenceError::new(&path, why);
    let mut tokenizer = match read(&path, MAX_TEXT_BYTES)? {
        Some(bytes) => Tokenizer::from_bytes(bytes).map_err(|error| invalid(format!("it cannot be used: {error}")))?,
        None => from_vocabulary(&folder.join("vocab.txt"), config)?,
    };
    tokenizer.with_padding(None);
    let truncation = TruncationParams { max_length: config.max_tokens, ..TruncationParams::default() };
    tokenizer.with_truncation(Some(truncation)).map_err(|error| invalid(format!("it cannot be used: {error}")))?;
    Ok(tokenizer)
}

/// Reads a word-piece list with one token per line; the token's id is the line number.
fn from_vocabulary(path: &Path, config: &Config) -> Result<Tokenizer, SentenceError> {
    let invalid = |why: &str| SentenceError::new(path, why);
    required(path, MAX_TEXT_BYTES)?;
    let name = path.to_str().ok_or_else(|| invalid("its path is no text in UTF-8"))?;
    let model = WordPiece::from_file(name)
        .unk_token("[UNK]".to_owned())
        .build()
        .map_err(|error| invalid(&format!("it is no list of word pieces: {error}")))?;
    let mut tokenizer = Tokenizer::new(model);
    let special = |token: &str| tokenizer.token_to_id(token).map(|id| (token.to_owned(), id));
    let (Some(start), Some(end)) = (special("[CLS]"), special("[SEP]")) else {
        return Err(invalid("it lacks the tokens [CLS] and [SEP]"));
    };
    tokenizer.with_normalizer(Some(BertNormalizer::new(true, true, None, config.is_lower_case)));
    tokenizer.with_pre_tokenizer(Some(BertPreTokenizer));
    tokenizer.with_post_processor(Some(BertProcessing::new(end, start)));
    Ok(tokenizer)
}
