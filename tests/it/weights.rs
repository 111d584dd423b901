//! Vectors from a folder of weights: what it may look like, what is said of one that is of no use, and whole runs with
//! them.

use std::path::Path;

use aha_analysis::static_model::{Weights, WeightsError};
use aha_analysis::text::dense::DenseVector;
use aha_analysis::text::space::Space as _;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::kill::on_both_databases;
use crate::support::feeds::{Post, feed};
use crate::support::radar::{Engine, Radar, repository};
use crate::support::responses::OpenAi;
use crate::support::rows;
use crate::support::site::Site;
use crate::support::weights::{file, table, tokenizer, write};

const NOW: &str = "2026-11-19T07:00:00Z";
const WORDS: [&str; 7] = ["[UNK]", "ferry", "boat", "tax", "pump", "waits", "the"];

/// "ferry" and "boat" lean one way, "tax" and "pump" another.
fn leaning() -> Vec<Vec<f32>> {
    let rows = [
        [0.1, 0.1, 0.1],
        [1.0, 0.0, 0.1],
        [0.9, 0.1, 0.1],
        [0.0, 1.0, 0.1],
        [0.1, 0.9, 0.0],
        [0.0, 0.0, 0.2],
        [0.0, 0.0, 0.1],
    ];
    rows.map(Vec::from).to_vec()
}

fn load(folder: &Path) -> Result<Weights, WeightsError> {
    rows::block_on(|| async { Weights::load(folder).await })
}

fn folder(weights: &[u8], tokenizer: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), weights, tokenizer);
    folder
}

fn usual() -> TempDir {
    folder(&table("embeddings", &leaning()), &tokenizer(&WORDS))
}

#[test]
fn texts_of_one_sense_are_alike() {
    let weights = load(usual().path()).unwrap();
    let dense = |text| DenseVector::from_bytes(&weights.vector(None, text).unwrap().0).unwrap();
    let [ferry, boat, tax] = ["the ferry waits", "The BOAT waits", "tax pump"].map(dense);
    assert!(ferry.cosine(&boat).unwrap() > 0.95 && ferry.cosine(&tax).unwrap() < 0.3);
    assert_eq!((weights.dimensions(), weights.tokens), (3, 7));
    assert_eq!(weights.vector(Some(" "), ""), None);
    assert_eq!(weights.vector(None, "unbekannt"), None, "no known word, no direction");
}

#[test]
fn a_space_is_named_by_what_is_in_the_files() {
    let id = |folder: &TempDir| load(folder.path()).unwrap().id().to_owned();
    let known = id(&usual());
    assert!(known.starts_with("static/") && known.ends_with("#first512_v1/3"), "{known}");
    assert_eq!(id(&usual()), known, "wherever the folder is");
    let mut other = leaning();
    other[1][0] = 0.5;
    assert_ne!(id(&folder(&table("embeddings", &other), &tokenizer(&WORDS))), known);
    assert_ne!(id(&folder(&table("embeddings", &leaning()), &tokenizer(&WORDS[..6]))), known);
}

/// As the Python package lays it out.
#[test]
fn a_folder_of_wordllama_is_read_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    for (inner, name, bytes) in [
        ("weights", "l2_supercat_256.safetensors", table("embedding.weight", &leaning())),
        ("tokenizers", "l2_supercat_tokenizer_config.json", tokenizer(&WORDS).into_bytes()),
    ] {
        std::fs::create_dir(folder.path().join(inner)).unwrap();
        std::fs::write(folder.path().join(inner).join(name), bytes).unwrap();
    }
    assert_eq!(load(folder.path()).unwrap().dimensions(), 3);
    std::fs::write(folder.path().join("weights/other.safetensors"), "").unwrap();
    let refused = load(folder.path()).unwrap_err().to_string();
    assert!(refused.contains("weights: it contains 2 candidate files"), "{refused}");
}

#[test]
fn what_is_wrong_is_said_by_file() {
    let (whole, usual) = (table("embeddings", &leaning()), tokenizer(&WORDS));
    let with = |number: f32| {
        let mut rows = leaning();
        rows[3][2] = number;
        table("embeddings", &rows)
    };
    let of_kind = |kind: &str, shape: &[usize], data: &[u8]| {
        file(&json!({ "embeddings": { "dtype": kind, "shape": shape, "data_offsets": [0, data.len()] } }), data)
    };
    let (weights, tokens) = ("model.safetensors", "tokenizer.json");
    for (bytes, tokenizer, name, why) in [
        (&whole[..whole.len() - 1], &*usual, weights, "not whole"),
        (&[0xff; 64], &usual, weights, "not whole"),
        (&[], &usual, weights, "not whole"),
        (&table("other", &leaning()), &usual, weights, "no table of vectors"),
        (&of_kind("F32", &[2], &[1; 8]), &usual, weights, "its table has 1 dimensions"),
        (&of_kind("F32", &[0, 4], &[]), &usual, weights, "0 vectors of 4 numbers"),
        (&of_kind("F32", &[1, 9000], &vec![1; 36_000]), &usual, weights, "1 vectors of 9000 numbers"),
        (&of_kind("I64", &[1, 1], &[1; 8]), &usual, weights, "the kind I64"),
        (&of_kind("F16", &[2, 1], &[0, 0x3c, 0, 0x7e]), &usual, weights, "NaN"),
        (&with(f32::NAN), &usual, weights, "NaN"),
        (&with(f32::INFINITY), &usual, weights, "NaN"),
        (&table("embeddings", &vec![vec![0.0; 3]; 7]), &usual, weights, "all of its numbers are 0"),
        (&table("embeddings", &leaning()[..4]), &usual, tokens, "knows a token 6, but the weights have vectors for 4"),
        (&whole, &usual[..usual.len() / 2], tokens, "not whole"),
        (&whole, "{}", tokens, "no list of tokens"),
        (&whole, r#"{"model":{"vocab":{"a":0}}}"#, tokens, "it cannot be used"),
    ] {
        let folder = folder(bytes, tokenizer);
        let told = load(folder.path()).unwrap_err().to_string();
        let file = folder.path().join(name).display().to_string();
        assert!(told.starts_with(&file) && told.contains(why), "{file}: {why} is missing in {told}");
        assert!(told.contains("AHA_EMBED_MODEL_DIR expects a folder"), "{told}");
    }
}

#[test]
fn a_missing_folder_or_file_is_said_by_name() {
    let told = |folder: &Path| load(folder).unwrap_err().to_string();
    assert!(told(Path::new("/nowhere/at/all")).starts_with("/nowhere/at/all: it is no folder"));
    for name in ["model.safetensors", "tokenizer.json"] {
        let folder = usual();
        let file = folder.path().join(name);
        std::fs::remove_file(&file).unwrap();
        assert!(told(folder.path()).starts_with(&format!("{}: it is missing", file.display())));
        std::fs::create_dir(&file).unwrap();
        assert!(told(folder.path()).starts_with(&format!("{}: it ", file.display())));
    }
}

/// The words of the posts below: those of the ferry's matter lean one way, each other post's its own.
fn vocabulary() -> Vec<String> {
    let ferry = ["[UNK]", "ferry", "vessel", "stranded", "aground", "harbour"].map(str::to_owned);
    ferry.into_iter().chain((0..20).map(|n| format!("matter{n}"))).collect()
}

/// With vectors that are so much longer than they have to be.
fn write_for_posts(radar: &Radar, name: &str, extra: usize) {
    let words = vocabulary();
    let rows: Vec<Vec<f32>> = (0..words.len())
        .map(|place| {
            let mut row = vec![0.0; 21 + extra];
            row[place.saturating_sub(5)] = 1.0;
            row
        })
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    write(&radar.folder().join(name), &table("embeddings", &rows), &tokenizer(&words));
}

fn post(n: usize, published: &str) -> Post {
    Post::new(&format!("p{n}"), &format!("matter{n} thing{n} stuff{n}"), "", published)
}

fn write_posts(radar: &Radar, name: &str, posts: &[Post]) {
    std::fs::write(radar.folder().join(name), feed(name, posts)).unwrap();
}

/// Two sources tell one thing in other words, among twelve other things.
fn told_twice(radar: &Radar) {
    let at = "2026-11-19T05:00:00Z";
    let mut posts: Vec<Post> = (0..12).map(|n| post(n, at)).collect();
    posts.push(Post::new("a", "ferry stranded harbour", "", at));
    write_posts(radar, "one.json", &posts);
    write_posts(radar, "other.json", &[Post::new("b", "harbour vessel aground", "", at)]);
    radar.add(&["one.json", "other.json"]);
}

fn what_weights_find_alike_is_one_story(engine: Engine) {
    let words = Radar::at(NOW).on(engine);
    told_twice(&words);
    words.ok(&["run"]);
    assert_eq!(rows::number(&words, "SELECT count(*) FROM clusters"), 14);
    let radar = Radar::at(NOW).on(engine).with("AHA_EMBED_MODEL_DIR", "small");
    write_for_posts(&radar, "small", 0);
    told_twice(&radar);
    radar.ok(&["run"]);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM clusters"), 13);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM embeddings WHERE dimensions = 21"), 14);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM provider_calls WHERE purpose = 'embed'"), 0);
    assert!(radar.digest()["cost"].get("words_alone").is_none());
    radar.run(&["doctor"]).says("small/model.safetensors, 21 numbers for each of 26 tokens (static/");
}

/// From weights to others, to a provider's model and back: new items and what they may be told with get vectors of what
/// is set now, which alone are compared.
fn a_change_is_another_space_at_once(engine: Engine) {
    let model = OpenAi::start();
    let mut radar = Radar::at(NOW).on(engine).with("AHA_EMBED_MODEL_DIR", "small");
    write_for_posts(&radar, "small", 0);
    write_for_posts(&radar, "large", 4);
    let mut posts: Vec<Post> = (1..=12).map(|n| post(n, "2026-11-19T05:00:00Z")).collect();
    posts.push(post(0, "2026-11-10T05:00:00Z"));
    write_posts(&radar, "feed.json", &posts);
    radar.add(&["feed.json"]);
    radar.ok(&["run"]);
    let spaces = "SELECT dimensions || ' ' || count(*) FROM embeddings WHERE dimensions > 0
                  GROUP BY space, dimensions ORDER BY dimensions";
    assert_eq!(rows::query(&radar, spaces), ["21 13"]);
    let mut next_day = |radar: &mut Radar, day: u32, n: usize, settings: &[(&str, &str)]| {
        for (name, value) in settings {
            radar.set(name, value);
        }
        radar.set("AHA_NOW", &format!("2026-11-{day}T07:00:00Z"));
        posts.push(post(n, &format!("2026-11-{day}T05:00:00Z")));
        write_posts(radar, "feed.json", &posts);
        radar.ok(&["run"]);
        rows::query(radar, spaces)
    };
    let found = next_day(&mut radar, 20, 13, &[("AHA_EMBED_MODEL_DIR", "large")]);
    assert_eq!(found, ["21 13", "25 13"], "the new one, and those of the seven days before it");
    let mut radar = model.serve_vectors(radar);
    assert_eq!(next_day(&mut radar, 21, 14, &[("AHA_EMBED_MODEL_DIR", "")]), ["21 13", "25 13", "64 14"]);
    let asked = model.calls().len();
    let found = next_day(&mut radar, 22, 15, &[("AHA_EMBED_MODEL_DIR", "small")]);
    assert_eq!(found, ["21 16", "25 13", "64 14"], "those that have a vector of its own keep it");
    assert_eq!(model.calls().len(), asked, "no provider is asked beside weights");
    let words = [("AHA_EMBED_MODEL_DIR", ""), ("OPENAI_EMBED_MAX_ITEMS_PER_RUN", "0")];
    assert_eq!(next_day(&mut radar, 23, 16, &words), ["21 16", "25 13", "64 14"]);
}

#[test]
fn where_the_weights_are_of_no_use_words_alone_serve_and_it_is_said() {
    let radar = Radar::at(NOW).with("AHA_EMBED_MODEL_DIR", "small");
    write_for_posts(&radar, "small", 0);
    let file = radar.folder().join("small/model.safetensors");
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    told_twice(&radar);
    radar.run(&["run"]).exits(3);
    let why = radar.digest()["cost"]["words_alone"].as_str().unwrap().to_owned();
    assert!(why.starts_with("small/model.safetensors: it is no safetensors file, or not whole"), "{why}");
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM clusters"), 14);
    radar
        .run(&["doctor"])
        .exits(1)
        .says("grouped by shared words only: small/model.safetensors: it is no safetensors file");
}

#[test]
fn a_server_searches_with_the_weights_that_the_folder_has_now() {
    let mut radar = Radar::at(NOW).with("AHA_EMBED_MODEL_DIR", "small");
    told_twice(&radar);
    let site = Site::start(&mut radar);
    let search = || site.get("/api/v1/search?q=ferry&by=meaning");
    let none = search();
    assert!(none.status == 422 && none.body.contains("small: it is no folder that can be read"), "{none:?}");
    write_for_posts(&radar, "small", 0);
    radar.ok(&["run"]);
    let found = search();
    assert!(found.body.contains("harbour vessel aground"), "{found:?}");
    write_for_posts(&radar, "small", 4);
    let at = "2026-11-20T05:00:00Z";
    write_posts(&radar, "other.json", &[Post::new("c", "vessel aground again", "", at)]);
    radar.set("AHA_NOW", "2026-11-20T07:00:00Z");
    radar.ok(&["run"]);
    let found = search();
    assert!(found.body.contains("vessel aground again"), "{found:?}");
}

#[test]
fn thresholds_are_found_and_kept_for_words_with_these_weights() {
    let radar = Radar::at(NOW).with("AHA_EMBED_MODEL_DIR", "small");
    write_for_posts(&radar, "small", 0);
    let line = |n: usize, story: &str, title: &str| {
        json!({ "id": n.to_string(), "story": story, "title": title, "text": "" }).to_string()
    };
    let mut lines: Vec<String> =
        (0..12).map(|n| line(n, &format!("s{n}"), &format!("matter{n} thing{n} stuff{n}"))).collect();
    lines.extend([line(12, "ferry", "ferry stranded harbour"), line(13, "ferry", "harbour vessel aground")]);
    std::fs::write(radar.folder().join("labelled.jsonl"), lines.join("\n")).unwrap();
    let calibrate = ["calibrate", "--input", "labelled.jsonl", "--json"];
    let found = radar.json(&[&calibrate[..], &["--tune"]].concat());
    let space = found["space"].as_str().unwrap();
    assert!(space.starts_with("local-sparse-v1+static/"), "{space}");
    assert_eq!((&found["bcubed"]["f1"], &found["clusters"]), (&json!(1.0), &json!(13)));
    assert_eq!(rows::query(&radar, "SELECT space FROM clustering_thresholds"), [space]);
    assert_eq!(radar.json(&calibrate)["thresholds"], found["thresholds"], "they are kept");
    let radar = radar.with("AHA_EMBED_MODEL_DIR", "");
    let by_words = radar.json(&calibrate);
    assert_eq!((&by_words["thresholds"]["origin"], &by_words["clusters"]), (&json!("shipped"), &json!(14)));
    radar.with("AHA_EMBED_MODEL_DIR", "nowhere").run(&calibrate).exits(2).says("nowhere: it is no folder");
}

on_both_databases!(what_weights_find_alike_is_one_story, a_change_is_another_space_at_once);

/// The sentence similarities of a digest's stories, made with this folder as the sentence model.
fn sentence_similarities(folder: &str) -> (Radar, Vec<Option<f64>>) {
    let radar = Radar::at(NOW).with("AHA_SENTENCE_MODEL_DIR", folder);
    radar.ok(&["opml", "import", &repository("examples/sources.opml")]);
    radar.ok(&["topic", "set", "default", "--interests", "ferries, heat pumps, no football"]);
    radar.ok(&["--run-once", "--window", "2026-11-16..2026-11-19"]);
    let digest = radar.digest();
    let of_story = |story: &Value| story["score_debug"]["evidence"]["relevance"]["sentence_similarity"].as_f64();
    let similarities = digest["stories"].as_array().unwrap().iter().map(of_story).collect();
    (radar, similarities)
}

#[test]
fn a_sentence_model_compares_stories_with_interests() {
    let (radar, similarities) = sentence_similarities(&repository("crates/sentence/tests/data/tiny"));
    let numbers: Vec<f64> = similarities.iter().copied().flatten().collect();
    assert!(numbers.len() == similarities.len() && numbers.iter().all(|number| number.abs() <= 1.0), "{numbers:?}");
    assert!(numbers.iter().any(|number| (number - numbers[0]).abs() > 0.001), "{numbers:?}");
    radar.run(&["doctor"]).exits(0).says("questions and interests are compared by a sentence model");
    assert!(radar.ok(&["item", "1"]).contains("sentence model "));
}

#[test]
fn without_a_usable_sentence_model_stories_are_compared_by_words() {
    let (radar, similarities) = sentence_similarities("nowhere");
    assert!(!similarities.is_empty() && similarities.iter().all(Option::is_none), "{similarities:?}");
    radar.run(&["doctor"]).exits(1).says("questions and interests are compared without it");
}
