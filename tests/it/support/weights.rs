//! Folders of weights that are made for a test: few words, few numbers.

use std::path::Path;

use serde_json::{Map, Value, json};

/// A tokenizer that knows whole words, by their places.
pub fn tokenizer(words: &[&str]) -> String {
    let vocabulary: Map<String, Value> =
        words.iter().zip(0..).map(|(word, id)| ((*word).to_owned(), id.into())).collect();
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "post_processor": null, "decoder": null,
        "normalizer": { "type": "Lowercase" }, "pre_tokenizer": { "type": "Whitespace" },
        "model": { "type": "WordLevel", "vocab": vocabulary, "unk_token": words[0] },
    })
    .to_string()
}

/// A file as safetensors lays it out, with a table of 32-bit floats.
pub fn table(name: &str, rows: &[Vec<f32>]) -> Vec<u8> {
    let data: Vec<u8> = rows.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
    let shape = [rows.len(), rows[0].len()];
    file(&json!({ name: { "dtype": "F32", "shape": shape, "data_offsets": [0, data.len()] } }), &data)
}

pub fn file(header: &Value, data: &[u8]) -> Vec<u8> {
    let header = header.to_string();
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
}

/// Puts both into a folder as model2vec does.
pub fn write(folder: &Path, weights: &[u8], tokenizer: &str) {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join("model.safetensors"), weights).unwrap();
    std::fs::write(folder.join("tokenizer.json"), tokenizer).unwrap();
}
