//! A tiny model whose vectors were made by `scripts/ask/reference.py`, and folders that are of no use.

use std::path::{Path, PathBuf};

use aha_sentence::SentenceModel;

fn tiny() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tiny")
}

#[derive(serde::Deserialize)]
struct Expected {
    text: String,
    vector: Vec<f32>,
}

#[test]
fn vectors_are_those_of_the_reference_whatever_stands_beside_them() {
    let model = SentenceModel::load(&tiny()).unwrap();
    let expected: Vec<Expected> =
        serde_json::from_slice(&std::fs::read(tiny().join("expected.json")).unwrap()).unwrap();
    let texts: Vec<&str> = expected.iter().map(|one| one.text.as_str()).collect();
    let together = model.encode(&texts);
    for (one, vector) in expected.iter().zip(&together) {
        assert_eq!(vector.len(), model.dimensions());
        let alone = model.encode(&[&one.text]).remove(0);
        for ((made, alone), expected) in vector.iter().zip(alone).zip(&one.vector) {
            assert!(
                (made - expected).abs() < 1e-4 && (alone - expected).abs() < 1e-4,
                "{}: {made} {expected}",
                one.text
            );
        }
    }
    assert!(model.encode::<&str>(&[]).is_empty());
    assert!(model.id().starts_with("sentence/") && model.id().ends_with("#mean20_v1/16"), "{}", model.id());
}

/// The message for a copy of the folder in which one file is another.
fn refused(name: &str, content: Option<&[u8]>) -> std::io::Result<String> {
    let folder = tempfile::tempdir()?;
    for file in ["config.json", "sentence_bert_config.json", "vocab.txt", "model.safetensors"] {
        std::fs::copy(tiny().join(file), folder.path().join(file))?;
    }
    match content {
        Some(content) => std::fs::write(folder.path().join(name), content)?,
        None => std::fs::remove_file(folder.path().join(name))?,
    }
    Ok(SentenceModel::load(folder.path()).map_or_else(|error| error.to_string(), |_| "it was read".to_owned()))
}

#[test]
fn a_folder_of_no_use_says_which_file_and_why() {
    let config = String::from_utf8(std::fs::read(tiny().join("config.json")).unwrap()).unwrap();
    let other = |from: &str, to: &str| config.replace(from, to).into_bytes();
    let weights = std::fs::read(tiny().join("model.safetensors")).unwrap();
    for (name, content, why) in [
        ("config.json", None, "config.json: it is missing"),
        ("config.json", Some(b"{".to_vec()), "it cannot be used"),
        ("config.json", Some(other("\"bert\"", "\"roberta\"")), "model_type is 'roberta'"),
        ("config.json", Some(other("\"num_attention_heads\": 4", "\"num_attention_heads\": 0")), "in 0 heads"),
        (
            "config.json",
            Some(other("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3")),
            "no tensor encoder.layer.2",
        ),
        ("config.json", Some(other("\"hidden_size\": 16", "\"hidden_size\": 12")), "[any, 12] is wanted"),
        ("model.safetensors", None, "model.safetensors: it is missing"),
        ("model.safetensors", Some(weights[..weights.len() / 2].to_vec()), "not whole"),
        ("vocab.txt", None, "vocab.txt: it is missing"),
        ("vocab.txt", Some(b"a\nb\n".to_vec()), "[CLS]"),
        ("tokenizer.json", Some(b"{}".to_vec()), "tokenizer.json: it cannot be used"),
    ] {
        let message = refused(name, content.as_deref()).unwrap();
        assert!(message.contains(why) && message.contains("AHA_SENTENCE_MODEL_DIR expects"), "{name}: {message}");
    }
    let longer = (0..40).map(|n| format!("word{n}\n")).collect::<Vec<_>>().concat();
    let longer = format!("[UNK]\n[CLS]\n[SEP]\n{longer}");
    let message = refused("vocab.txt", Some(longer.as_bytes())).unwrap();
    assert!(message.contains("both must be of one model"), "{message}");
    let nowhere = SentenceModel::load(Path::new("nowhere")).unwrap_err().to_string();
    assert!(nowhere.contains("nowhere: it is no folder"), "{nowhere}");
}
