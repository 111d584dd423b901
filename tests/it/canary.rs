//! Keys appear nowhere: not in logs at their loudest, not in panics that show what is at hand, not in rows, files
//! and answers, whatever a server says.

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use crate::support::feeds::{Post, feed};
use crate::support::http::Answer;
use crate::support::radar::{Radar, Ran};
use crate::support::rows;
use crate::support::web::Web;

const NOW: &str = "2026-11-19T07:00:00Z";
/// In the key's header, in a header of the owner's, in the address.
const KEYS: [&str; 3] = ["sk-canary/4f9d-7b1e+2c", "hdr-canary/9a02+c3", "query-canary-77d1f0"];
/// A panic that nobody catches.
const PANICKED: i32 = 101;

/// Provider, its path, as it is asked for answers and for vectors.
const WAYS: [(&str, &str, &str, Option<&str>); 5] = [
    ("openai", "/v1/responses", "/v1/responses", Some("/v1/embeddings")),
    ("openai_compatible", "/v1/chat/completions", "/v1/chat/completions", Some("/v1/embeddings")),
    ("anthropic", "/v1/messages", "/v1/messages", None),
    ("gemini", "/v1beta", "/v1beta/models/m:generateContent", Some("/v1beta/models/m:batchEmbedContents")),
    ("ollama", "/api/chat", "/api/chat", Some("/api/embed")),
];

/// An installation with one model, for everything that it can do, with keys wherever there can be any.
fn radar(base: &str, (provider, endpoint, _, embeds): (&str, &str, &str, Option<&str>)) -> Radar {
    let mut radar = Radar::at(NOW).with("AHA_LLM_CONFIG", "models.yaml").with("AHA_LOG", "debug,trace");
    for (name, key) in ["KEY_OF_SERVER", "KEY_IN_HEADER", "KEY_IN_ADDRESS"].into_iter().zip(KEYS) {
        radar.set(name, key);
    }
    let embed = if embeds.is_some() { format!("  embed: {provider}/m\n") } else { String::new() };
    let catalogue = format!(
        "retry: {{ max_attempts: 1 }}\ntimeout_seconds: 2\nmodels:\n  {provider}/m:\n    endpoint: {base}{endpoint}?code=${{KEY_IN_ADDRESS}}\n    \
         api_key: ${{KEY_OF_SERVER}}\n    headers: {{ api-key: '${{KEY_IN_HEADER}}' }}\ntasks:\n  triage: {provider}/m\n{embed}"
    );
    std::fs::write(radar.folder().join("models.yaml"), catalogue).unwrap();
    let posts = [Post::about_nothing_else("one", "2026-11-19T05:00:00Z")];
    std::fs::write(radar.folder().join("feed.json"), feed("A", &posts)).unwrap();
    radar
}

/// The key, and how it reads in JSON and in an address.
fn spellings(key: &str) -> [String; 3] {
    [key.to_owned(), key.replace('/', "\\/"), key.replace('/', "%2F").replace('+', "%2B")]
}

fn holds_a_key(bytes: &[u8]) -> Option<String> {
    let spelled = KEYS.into_iter().flat_map(spellings);
    spelled.into_iter().find(|key| bytes.windows(key.len()).any(|window| window == key.as_bytes()))
}

/// All files below a folder: the database, what its log still holds, digests.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
    found
}

#[track_caller]
fn no_key_is_seen(what: &str, radar: &Radar, ran: &Ran) {
    for (place, bytes) in [("stdout", ran.stdout.as_bytes()), ("stderr", ran.stderr.as_bytes())] {
        let found = holds_a_key(bytes);
        let lines = ran.stderr.lines().chain(ran.stdout.lines());
        let line = lines.into_iter().find(|line| holds_a_key(line.as_bytes()).is_some());
        assert_eq!(found, None, "{what}, {place}: {line:?}");
    }
    for (name, bytes) in files(radar.folder()) {
        assert_eq!(holds_a_key(&bytes), None, "{what}, {name}");
    }
}

/// What a careless server says: all keys, wherever there is room for words.
fn careless() -> Vec<(&'static str, Answer)> {
    let words = format!("no: {}", KEYS.join(" "));
    let error = json!({ "error": { "message": words, "type": words, "code": "odd", "status": words } }).to_string();
    let escaped = error.replace('/', "\\/");
    let id = |answer: Answer| answer.header("x-request-id", &KEYS.join(" ")).header("content-type", "application/json");
    vec![
        ("refused", id(Answer::new(400).with_body(&escaped))),
        ("a wrong key", id(Answer::new(401).with_body(&error))),
        ("failed", id(Answer::new(500).with_body(&escaped))),
        ("an error in a success", id(Answer::ok(error))),
        ("no answer of the interface", id(Answer::ok(format!("{{\"odd\": \"{words}\"}}")))),
        ("no JSON", id(Answer::ok(words))),
        ("cut off", id(Answer::ok(escaped)).cut_after(20)),
        ("a redirect", Answer::redirect(307, &format!("http://127.0.0.2:9/?key={}", KEYS.join("&key=")))),
    ]
}

#[test]
fn no_answer_of_a_server_brings_a_key_to_light() {
    // Each way meets a refusal, and each answer comes by one of them; every other pair is for `model_faults`.
    let (refused, others) = (careless().swap_remove(0), careless());
    let pairs = WAYS.into_iter().map(|way| (way, refused.clone())).chain(WAYS.into_iter().cycle().skip(1).zip(others));
    for (way, (what, answer)) in pairs {
        let (_, _, path, embeds) = way;
        let path = format!("{path}?code={}", KEYS[2]);
        let vectors = embeds.map_or_else(String::new, |path| format!("{path}?code={}", KEYS[2]));
        let web = Web::serve(vec![(&path, answer.clone()), (&vectors, answer)]);
        let radar = radar(&web.url(""), way);
        let what = format!("{what}, {}", way.0);
        let ran = radar.run(&["llm", "ask", "--attempts", "1", "--model", &format!("{}/m", way.0), "Why?"]);
        assert!(ran.stderr.contains("TRACE") && ran.stderr.contains("llm_request_completed"), "{what}: {ran:#?}");
        no_key_is_seen(&what, &radar, &ran);
        radar.add(&["feed.json"]);
        let ran = radar.run(&["run"]);
        assert!(web.requests(&path).len() >= 2, "{what}: {ran:#?}");
        assert_eq!(!web.requests(&vectors).is_empty(), embeds.is_some(), "{what}: {ran:#?}");
        no_key_is_seen(&what, &radar, &ran);
        for command in [&["doctor"][..], &["calls", "--json"], &["llm", "models", "--json"], &["runs", "--json"]] {
            no_key_is_seen(&what, &radar, &radar.run(command));
        }
    }
}

/// A panic in the middle of a call shows the call, the model, the server and the gateway; but not their keys.
#[test]
fn no_panic_in_a_call_brings_a_key_to_light() {
    for (turn, way) in WAYS.into_iter().enumerate() {
        let (provider, _, path, embeds) = way;
        let path = format!("{path}?code={}", KEYS[2]);
        let vectors = embeds.map_or_else(String::new, |path| format!("{path}?code={}", KEYS[2]));
        let refusal = || Answer::new(400).with_body(&json!({ "error": { "message": KEYS.join(" ") } }).to_string());
        let web = Web::serve(vec![(&path, refusal()), (&vectors, refusal())]);
        for (place, point) in ["call.after_reserve", "call.after_send", "call.after_answer"].into_iter().enumerate() {
            let (radar, model) = (radar(&web.url(""), way), format!("{provider}/m"));
            radar.add(&["feed.json"]);
            // With a model for vectors the run's first call is for these; a question is asked in a task of its own.
            let commands = [(&["run"][..], PANICKED), (&["llm", "ask", "--model", &model, "Why?"], 1)];
            let (command, code) = commands[(turn + place) % 2];
            let mut armed = radar.command(command);
            let armed = armed.env("AHA_FAILPOINT", point).env("AHA_FAILPOINT_SIGNAL", "PANIC");
            let ran = Ran::from(armed.output().unwrap());
            let what = format!("{point}, {command:?}, {provider}");
            assert!(ran.stderr.contains("a failpoint struck: "), "{what}: {ran:#?}");
            assert_eq!(ran.code, Some(code), "{what}");
            no_key_is_seen(&what, &radar, &ran);
        }
    }
}

/// Nobody there, and nobody who says anything.
#[test]
fn no_lost_connection_brings_a_key_to_light() {
    let path = format!("/v1/responses?code={}", KEYS[2]);
    let silent = Web::serve(vec![(&path, Answer::ok("").after(Duration::from_secs(30)))]);
    for (base, kind) in [("http://127.0.0.3:9".to_owned(), "connect"), (silent.url(""), "timed_out")] {
        let mut radar = radar(&base, WAYS[0]);
        radar.set("AHA_LOG_FORMAT", "json");
        radar.add(&["feed.json"]);
        let ran = radar.run(&["run"]);
        let failed = rows::query(&radar, "SELECT error_kind FROM provider_calls WHERE purpose = 'triage'");
        assert!(!failed.is_empty() && failed.iter().all(|found| found == kind), "{base}: {failed:?}, {ran:#?}");
        assert!(ran.stderr.contains("llm_request_completed"), "{base}: it is told of: {ran:#?}");
        no_key_is_seen(&base, &radar, &ran);
    }
}
