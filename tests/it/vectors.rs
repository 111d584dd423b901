//! Runs with vectors of a catalogue's model, in each dialect that makes any: who is asked how, what stands in the
//! ledger, and that stories are grouped by shared words only where there are none.

use std::collections::BTreeSet;
use std::time::SystemTime;

use aha_llm::provider::{EmbedRequest, embedder_by_name};
use aha_llm::transport::WireResponse;
use serde_json::{Map, Value};

use crate::support::feeds::{Post, feed};
use crate::support::radar::{Radar, Ran, repository};
use crate::support::responses::recorded;
use crate::support::rows;
use crate::support::vectors::{Asked, Dialect, TOKENS, Vectors};

const NOW: &str = "2026-11-19T07:00:00Z";
const WINDOW: &str = "2026-11-16..2026-11-19";
const KEY: &str = "sk-vectors-0123456789abcdef";
const PARTIAL: i32 = 3;

/// A dialect, where it is said to be in the catalogue, where it is asked, and the header with the key.
struct Way {
    dialect: Dialect,
    provider: &'static str,
    endpoint: &'static str,
    path: &'static str,
    key: (&'static str, &'static str),
}

const BEARER: (&str, &str) = ("authorization", "Bearer ");
const COMPATIBLE: Way = Way {
    dialect: Dialect::Compatible,
    provider: "openai_compatible",
    endpoint: "/v1",
    path: "/v1/embeddings",
    key: BEARER,
};
const GEMINI: Way = Way {
    dialect: Dialect::Gemini,
    provider: "gemini",
    endpoint: "/v1beta",
    path: "/v1beta/models/on-the-wire:batchEmbedContents",
    key: ("x-goog-api-key", ""),
};
const OLLAMA: Way = Way { dialect: Dialect::Ollama, provider: "ollama", endpoint: "", path: "/api/embed", key: BEARER };

/// An installation whose vectors are made by a model of a catalogue; `terms` are its other lines.
fn with(way: &Way, base: &str, terms: &str) -> Radar {
    let radar = Radar::at(NOW).with("VECTOR_KEY", KEY).with("AHA_LLM_CONFIG", "models.yaml");
    let radar = radar.with("OPENAI_EMBED_MAX_ITEMS_PER_RUN", "1000");
    let (provider, endpoint) = (way.provider, way.endpoint);
    let catalogue = format!(
        "models:\n  {provider}/short:\n    endpoint: {base}{endpoint}\n    api_key: ${{VECTOR_KEY}}\n    \
         model: on-the-wire\n    retry: {{ max_attempts: 1 }}\n    {terms}\ntasks: {{ embed: {provider}/short }}\n"
    );
    std::fs::write(radar.folder().join("models.yaml"), catalogue).unwrap();
    radar
}

fn run(radar: &Radar) -> Ran {
    radar.run(&["--run-once", "--import", &repository("examples/sources.opml"), "--window", WINDOW])
}

/// The ledger's rows about vectors: state, provider and model, cost of all.
fn ledger(radar: &Radar) -> Vec<String> {
    let row = "SELECT state || ' ' || provider || '/' || model || ' ' || coalesce(sum(cost_microcredits), -1)";
    rows::query(radar, &format!("{row} FROM provider_calls WHERE purpose = 'embed' GROUP BY state, provider, model"))
}

fn vectors_of(radar: &Radar, space: &str) -> i64 {
    rows::number(radar, &format!("SELECT count(*) FROM embeddings WHERE space = '{space}' AND dimensions = 16"))
}

fn the_key_is_in_its_header_alone(way: &Way, asked: &Asked) {
    let (name, before) = way.key;
    for (header, value) in &asked.headers {
        let value = value.to_str().unwrap();
        assert_eq!(value.contains(KEY), header == name, "{header}: {value}");
    }
    assert_eq!(asked.headers[name].to_str().unwrap().strip_prefix(before), Some(KEY));
    assert!(!asked.path.contains(KEY) && !asked.body.to_string().contains(KEY), "{asked:?}");
}

/// A run in which every text is asked about once, in the dialect's own way; then one in which nothing is left to ask.
fn texts_get_their_vectors(way: &Way) -> (Radar, Vec<Asked>) {
    let server = Vectors::start(way.dialect, None);
    let radar = with(way, &server.base, "prices: { input: 1, output: 1 }\n    dimensions: 16");
    run(&radar).exits(0);
    let asked = server.asked();
    assert!(asked.iter().all(|one| one.path == way.path && one.texts.len() <= 16), "{asked:#?}");
    for one in &asked {
        the_key_is_in_its_header_alone(way, one);
    }
    let texts: Vec<&String> = asked.iter().flat_map(|one| &one.texts).collect();
    assert_eq!(texts.iter().collect::<BTreeSet<_>>().len(), texts.len());
    let with_text = "SELECT count(*) FROM content_items WHERE title <> '' OR body_text <> ''";
    let space = format!("{}/short=on-the-wire#text_v1/16", way.provider);
    assert_eq!(vectors_of(&radar, &space), rows::number(&radar, with_text));
    run(&radar).exits(0);
    assert_eq!(server.asked().len(), asked.len(), "nothing is asked for again");
    radar.run(&["doctor"]).says(&format!("{}/short, at {}", way.provider, server.base));
    let models = radar.json(&["llm", "models", "--json"]);
    assert_eq!((&models[0]["tasks"][0], &models[0]["limits"]["dimensions"]), (&"embed".into(), &16.into()));
    (radar, asked)
}

fn cost(asked: &[Asked]) -> i64 {
    asked.iter().map(|one| TOKENS * i64::try_from(one.texts.len()).unwrap()).sum()
}

#[test]
fn a_compatible_server_makes_vectors() {
    let (radar, asked) = texts_get_their_vectors(&COMPATIBLE);
    assert_eq!(ledger(&radar), [format!("ok openai_compatible/short {}", cost(&asked))]);
    assert!(asked.iter().all(|one| one.body["encoding_format"] == "float" && one.body["model"] == "on-the-wire"));
}

#[test]
fn ollama_makes_vectors() {
    let (radar, asked) = texts_get_their_vectors(&OLLAMA);
    assert_eq!(ledger(&radar), [format!("ok ollama/short {}", cost(&asked))]);
    assert!(asked.iter().all(|one| one.body["model"] == "on-the-wire"));
}

/// Gemini does not say what it took: what was reserved stands.
#[test]
fn gemini_makes_vectors() {
    let (radar, asked) = texts_get_their_vectors(&GEMINI);
    assert_eq!(ledger(&radar), ["unsettled gemini/short -1"]);
    assert!(asked.iter().all(|one| one.body["requests"][0]["model"] == "models/on-the-wire"));
    let kept = "SELECT count(*) FROM provider_calls WHERE purpose = 'embed' AND reserved_microcredits > 0";
    assert_eq!(rows::number(&radar, kept), i64::try_from(asked.len()).unwrap());
}

#[test]
fn a_server_of_one_s_own_is_free_whatever_it_tells() {
    let server = Vectors::start(GEMINI.dialect, None);
    let radar = with(&GEMINI, &server.base, "prices: { input: 0, output: 0 }").with("AHA_BUDGET_DAILY_CREDITS", "1");
    run(&radar).exits(0);
    assert_eq!(ledger(&radar), ["ok gemini/short 0"]);
}

#[test]
fn no_more_texts_are_sent_at_once_than_the_interface_takes() {
    let server = Vectors::start(GEMINI.dialect, None);
    let radar = with(&GEMINI, &server.base, "prices: { input: 0, output: 0 }").with("OPENAI_EMBED_BATCH_SIZE", "2048");
    for name in ["one", "two", "three"] {
        let post = |number| Post::about_nothing_else(&format!("{name} {number}"), "2026-11-19T05:00:00Z");
        let posts: Vec<Post> = (0..40).map(post).collect();
        std::fs::write(radar.folder().join(format!("{name}.json")), feed(name, &posts)).unwrap();
    }
    radar.add(&["one.json", "two.json", "three.json"]);
    radar.ok(&["run"]);
    let sizes: Vec<usize> = server.asked().iter().map(|one| one.texts.len()).collect();
    assert_eq!(sizes, [100, 20]);
}

#[test]
fn vectors_of_another_length_than_was_asked_for_are_not_used() {
    for way in [COMPATIBLE, GEMINI, OLLAMA] {
        let server = Vectors::start(way.dialect, Some(24));
        let radar = with(&way, &server.base, "prices: { input: 1, output: 1 }\n    dimensions: 16");
        run(&radar).exits(PARTIAL).says("words alone");
        assert_eq!(server.asked().len(), 2, "once more, as after any answer that cannot be used");
        let dense = "SELECT count(*) FROM embeddings WHERE dimensions IS NOT NULL";
        assert_eq!(rows::number(&radar, dense), 0);
        let words = radar.digest()["cost"]["words_alone"].as_str().unwrap().to_owned();
        assert!(words.starts_with(&format!("{}/short: ", way.provider)), "{words}");
        assert!(words.ends_with("vectors of 24 numbers came, where 16 were asked for"), "{words}");
    }
}

#[test]
fn with_local_egress_no_text_goes_elsewhere_and_the_digest_says_why() {
    for way in [COMPATIBLE, GEMINI, OLLAMA] {
        let radar = with(&way, "https://vectors.example", "").with("AHA_EGRESS", "local");
        run(&radar).exits(PARTIAL);
        let words = radar.digest()["cost"]["words_alone"].as_str().unwrap().to_owned();
        assert!(words.contains("AHA_EGRESS=local") && words.contains("vectors.example"), "{words}");
        assert_eq!(ledger(&radar), Vec::<String>::new());
        radar.run(&["doctor"]).says("grouped by shared words only: AHA_EGRESS=local");
    }
}

#[test]
fn a_model_that_makes_no_vectors_is_refused_when_the_file_is_read() {
    let radar = Radar::at(NOW).with("ANTHROPIC_API_KEY", KEY).with("AHA_LLM_CONFIG", "models.yaml");
    let catalogue = "models:\n  anthropic/a: {}\n  openai_compatible/b: { endpoint: 'http://h/ask' }\n\
                     tasks:\n  embed: { low: anthropic/a, high: openai_compatible/b }\n";
    std::fs::write(radar.folder().join("models.yaml"), catalogue).unwrap();
    let ran = radar.run(&["doctor"]).exits(2);
    ran.says("models.yaml:5: tasks.embed").says("anthropic's interface makes no vectors").says("/v1/embeddings");
}

/// What llama.cpp's server answers with `--embeddings`; it takes no notice of `dimensions`.
#[test]
fn a_recorded_answer_is_read() {
    let (status, body) = recorded::read("llama_cpp_embeddings_made");
    let response =
        |status, body: &Value| WireResponse { status, body: body.to_string().into_bytes(), ..WireResponse::default() };
    let nothing = Map::new();
    let texts = ["A ferry sails at noon.", "The tide turns."];
    let asked = EmbedRequest { model: "smollm2", texts: &texts, dimensions: None, provider_specific: &nothing };
    let dialect = embedder_by_name("openai_compatible").unwrap();
    let read =
        |asked: &EmbedRequest<'_>, status, body| dialect.decode(asked, &response(status, body), SystemTime::UNIX_EPOCH);
    let reply = read(&asked, status, &body);
    let vectors = reply.outcome.unwrap();
    assert_eq!((vectors.len(), vectors[0].len(), vectors[1].len()), (2, 576, 576));
    let length: f32 = vectors[0].iter().map(|number| number * number).sum();
    assert!((length - 1.0).abs() < 1e-4, "{length}");
    assert_eq!(reply.usage.unwrap().input_tokens, 10);
    let shorter = EmbedRequest { dimensions: Some(64), ..asked };
    assert_eq!(read(&shorter, status, &body).outcome.unwrap_err().kind(), "invalid_answer");
    let (status, body) = recorded::read("llama_cpp_embeddings");
    assert_eq!(read(&asked, status, &body).outcome.unwrap_err().kind(), "server_error");
}
