//! Tests complete files, valid and invalid.

use aha_core::money::Price;
use secrecy::ExposeSecret as _;

use super::*;
use crate::tasks::{deep_summary, manual_summary, triage};

const ENVIRONMENT: [(&str, &str); 4] = [
    ("OPENAI_API_KEY", "sk-openai-0123456789abcdef"),
    ("MY_KEY", "sk-secret-fedcba9876543210"),
    ("GPU", "gpu.local:8000"),
    ("SECONDS", "45"),
];

fn load_with(text: &str, pairs: &[(&str, &str)]) -> Result<Catalogue, Vec<CatalogueProblem>> {
    load_within(text, pairs, None)
}

fn load_within(text: &str, pairs: &[(&str, &str)], timeout: Option<u64>) -> Result<Catalogue, Vec<CatalogueProblem>> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let pairs: Vec<(String, String)> = pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    Catalogue::load(file.path(), &Environment::of(&pairs), timeout)
}

fn load(text: &str) -> Result<Catalogue, Vec<CatalogueProblem>> {
    load_with(text, &ENVIRONMENT)
}

#[track_caller]
fn entry(catalogue: &Catalogue, name: &str) -> CatalogueEntry {
    let (provider, model) = name.split_once('/').unwrap();
    catalogue.entries[&ModelRef { provider: provider.to_owned(), model: model.to_owned() }].clone()
}

/// Returns line, path and description of each problem.
fn problems(text: &str) -> Vec<(usize, String, String)> {
    let problems = load(text).expect_err(text);
    problems.into_iter().map(|problem| (problem.line.unwrap(), problem.path, problem.what)).collect()
}

#[track_caller]
fn has(problems: &[(usize, String, String)], line: usize, path: &str, what: &str) {
    let found = problems.iter().any(|(at, where_, why)| *at == line && where_ == path && why.contains(what));
    assert!(found, "line {line}, {path}, {what:?} is missing in {problems:#?}");
}

const WHOLE: &str = "\
timeout_seconds: ${SECONDS}
retry: { max_attempts: 4, jitter: 0.1 }
prices: { input: 0.25, output: 2 }
provider_specific: { service_tier: flex, store: false }
models:
  openai/gpt-5-mini:
    prices: { cached_input: 0.025 }
    retry: { max_attempts: 2 }
    fallbacks: [openai_compatible/meta/llama-4]
  openai_compatible/meta/llama-4:
    endpoint: http://${GPU}/v1
    api_key: ${MY_KEY}
    model: llama4:latest
    timeout_seconds: 900
    first_byte_seconds: 400.5
    response_format: text
    temperature: 0.7
    top_p: 1
    max_tokens: 2048
    system_prompt: |
      Be brief.
    headers: { X-Team: radar }
    provider_specific: { store: ~, options: { num_ctx: 8192, stop: ['1', a] } }
    capabilities: { strict_schema: false, streaming_only: true }
    prices: { input: 0, output: 0 }
    requests_per_minute: 60
    tokens_per_minute: 100000
    metadata: { note: 'runs in ${GPU}' }
tasks:
  triage: openai/gpt-5-mini
  deep_summary: { low: openai_compatible/meta/llama-4, high: openai/gpt-5-mini }
";

#[test]
fn a_whole_file_is_read_with_its_defaults() {
    let catalogue = load(WHOLE).unwrap();
    let mini = entry(&catalogue, "openai/gpt-5-mini");
    assert_eq!(mini.endpoint.as_str(), "https://api.openai.com/v1/responses");
    assert_eq!(mini.key.as_ref().unwrap().expose_secret(), ENVIRONMENT[0].1);
    assert_eq!((mini.model.as_str(), mini.timeouts.whole.as_secs()), ("gpt-5-mini", 45));
    let price = Price {
        input_microcredits_per_million: 250_000,
        cached_input_microcredits_per_million: Some(25_000),
        output_microcredits_per_million: 2_000_000,
    };
    assert_eq!(mini.price, Some(price));
    let retry = mini.retry.unwrap();
    assert_eq!((retry.max_attempts, retry.jitter, retry.multiplier), (Some(2), Some(0.1), None));
    assert_eq!((&mini.limits, mini.response_format), (&LimitSettings::default(), ResponseFormat::Json));
    assert_eq!(mini.provider_specific["service_tier"], "flex");

    let llama = entry(&catalogue, "openai_compatible/meta/llama-4");
    assert_eq!(llama.endpoint.as_str(), "http://gpu.local:8000/v1/chat/completions");
    assert_eq!(llama.key.as_ref().unwrap().expose_secret(), ENVIRONMENT[1].1);
    assert_eq!((llama.model.as_str(), llama.system_prompt.as_deref()), ("llama4:latest", Some("Be brief.\n")));
    assert_eq!((llama.timeouts.first_byte.as_millis(), llama.timeouts.idle.as_secs()), (400_500, 900));
    assert_eq!((llama.response_format, llama.temperature, llama.top_p), (ResponseFormat::Text, Some(0.7), Some(1.0)));
    assert!(!llama.capabilities.strict_schema && llama.capabilities.streaming_only);
    assert!(llama.capabilities.reasoning_effort && llama.capabilities.usage_in_streams);
    assert_eq!((llama.limits.requests_per_minute, llama.limits.concurrency), (Some(60), Some(1)));
    let specific =
        serde_json::json!({"service_tier": "flex", "store": null, "options": {"num_ctx": 8192, "stop": ["1", "a"]}});
    assert_eq!(serde_json::Value::from(llama.provider_specific), specific);
    assert_eq!(llama.metadata["note"], "runs in gpu.local:8000");
    assert_eq!(llama.headers["x-team"], "radar");
    assert!(llama.price.unwrap().is_free());
}

#[test]
fn a_task_has_a_model_for_each_tier_and_fallbacks() {
    let catalogue = load(WHOLE).unwrap();
    let chain = |task, tier| catalogue.chain(task, tier).iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>();
    let (mini, llama) = ("openai/gpt-5-mini", "openai_compatible/meta/llama-4");
    assert_eq!(chain(triage::TASK, BudgetTier::Low), [mini, llama]);
    assert_eq!(chain(deep_summary::TASK, BudgetTier::Low), [llama]);
    assert_eq!(chain(deep_summary::TASK, BudgetTier::Normal), [llama], "the nearest tier below");
    assert_eq!(chain(deep_summary::TASK, BudgetTier::High), [mini, llama]);
    assert!(chain(manual_summary::TASK, BudgetTier::High).is_empty());
    let high = load("models: { openai/a: {} }\ntasks: { triage: { high: openai/a } }").unwrap();
    assert_eq!(high.chain(triage::TASK, BudgetTier::Low).len(), 1, "the nearest tier above where there is none below");
}

#[test]
fn everything_wrong_is_said_at_once_with_line_path_wish_and_example() {
    let text = "\
temperature: 3
timout_seconds: 9
models:
  openai/a:
    api_key: sk-live-1234567890
    retry: { max_attempts: 0, tries: 2 }
    prices: { input: 1e3, output: 1 }
    headers: { Authorization: Bearer abc }
    endpoint: ftp://host/x
  openai_compatible/b: {}
  closed/c: {}
  nothing: {}
  openai/d:
    max_tokens: many
    system_prompt: ${NOBODY}
    top_p: '2'
    capabilities: { strict_schema: maybe }
    fallbacks: [openai/e, d]
    fallback: openai/a
tasks:
  triag: openai/a
  triage: openai/z
  deep_summary: { middling: openai/a }
";
    let found = problems(text);
    for (line, path, what) in [
        (1, "temperature", "from 0 to 2"),
        (2, "timout_seconds", "did you mean timeout_seconds?"),
        (5, "models.openai/a.api_key", "no key stands in the file"),
        (6, "models.openai/a.retry.max_attempts", "1 to 20"),
        (6, "models.openai/a.retry.tries", "not known"),
        (7, "models.openai/a.prices.input", "at most six decimals"),
        (8, "models.openai/a.headers.Authorization", "from a variable"),
        (9, "models.openai/a.endpoint", "http(s) URL"),
        (10, "models.openai_compatible/b.endpoint", "missing"),
        (11, "models.closed/c", "one of openai, openai_compatible, anthropic, gemini, ollama"),
        (12, "models.nothing", "PROVIDER/MODEL"),
        (14, "models.openai/d.max_tokens", "whole number"),
        (15, "models.openai/d.system_prompt", "NOBODY is not set"),
        (16, "models.openai/d.top_p", "from 0 to 1"),
        (17, "models.openai/d.capabilities.strict_schema", "true or false"),
        (18, "models.openai/d.fallbacks", "\"openai/e\" is no model"),
        (18, "models.openai/d.fallbacks.1", "PROVIDER/MODEL"),
        (19, "models.openai/d.fallback", "did you mean fallbacks?"),
        (21, "tasks.triag", "did you mean triage?"),
        (22, "tasks.triage", "no model of this file"),
        (23, "tasks.deep_summary.middling", "not known"),
    ] {
        has(&found, line, path, what);
    }
    assert_eq!(found.iter().filter(|(_, _, what)| what.contains("from 0 to 2")).count(), 1, "a default is wrong once");
    let said: Vec<String> = load(text).unwrap_err().iter().map(ToString::to_string).collect();
    let said = said.join("\n");
    assert!(said.contains(":1: temperature: \"3\" cannot be used") && said.contains("for example temperature: 0.2"));
    assert!(!said.contains("sk-live") && !said.contains("Bearer abc"), "{said}");
}

#[test]
fn an_entry_may_repeat_its_provider() {
    let text = "models:\n  openai/a:\n    provider: openai\n    endpoint: http://127.0.0.1:1/v1/responses\n";
    assert_eq!(entry(&load(text).unwrap(), "openai/a").model, "a");
    has(&problems(&text.replace("provider: openai", "provider: gemini")), 3, "models.openai/a.provider", "is openai");
    let for_all = text.replace("models:", "provider: openai\nmodels:");
    has(&problems(&for_all), 1, "provider", "belongs to an entry below models");
}

#[test]
fn keys_stand_in_no_error_and_in_no_debug_output() {
    let text = "models:\n  openai/a:\n    temperature: ${MY_KEY}\n    endpoint: 'https://me:${MY_KEY}@host'\n    headers: { X-Key: \"a\\u0001${MY_KEY}\" }\n    model: ${MY_KEY\n";
    let said = format!("{:?}", load(text).unwrap_err());
    assert!(!said.contains("fedcba") && said.contains("${MY_KEY}"), "{said}");
    let fine = load("models:\n  openai/a:\n    headers: { X-Key: \"${MY_KEY}\" }\n    provider_specific: { key: \"${MY_KEY}\" }\n    endpoint: http://box/?key=${MY_KEY}\n").unwrap();
    let shown = format!("{fine:?} {:?}", entry(&fine, "openai/a").headers);
    assert!(!shown.contains("fedcba") && !shown.contains("0123456789"), "{shown}");
}

#[test]
fn a_key_comes_from_its_variable_or_from_a_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "sk-filed\n").unwrap();
    let path = file.path().to_str().unwrap();
    let text = "models:\n  anthropic/claude: {}\n  gemini/flash: { api_key: '${G}' }\n";
    let catalogue = load_with(text, &[("ANTHROPIC_API_KEY_FILE", path), ("G_FILE", path)]).unwrap();
    for (name, host) in
        [("anthropic/claude", "api.anthropic.com"), ("gemini/flash", "generativelanguage.googleapis.com")]
    {
        let entry = entry(&catalogue, name);
        assert_eq!(entry.key.unwrap().expose_secret(), "sk-filed");
        assert_eq!(entry.endpoint.host_str(), Some(host));
    }
    let missing = load_with(text, &[]).unwrap_err();
    assert!(missing[0].what.contains("ANTHROPIC_API_KEY_FILE"), "{missing:?}");
    assert!(missing[1].what.contains("variable G is not set"), "{missing:?}");
    let lost = load_with(text, &[("ANTHROPIC_API_KEY_FILE", "/nowhere"), ("G", "x")]).unwrap_err();
    assert!(lost[0].what.contains("can be read"), "{lost:?}");
}

#[test]
fn a_server_of_one_s_own_needs_no_key_and_is_given_time_and_one_call_at_once() {
    let text = "models:\n  openai/a: { endpoint: http://127.0.0.1:8080 }\n  ollama/qwen3:8b: {}\n  ollama/slow: { first_byte_seconds: 20, concurrency: 3 }\n";
    let catalogue = load_with(text, &[("OLLAMA_BASE_URL", "http://gpu:11434/")]).unwrap();
    let here = entry(&catalogue, "openai/a");
    assert_eq!(here.endpoint.as_str(), "http://127.0.0.1:8080/v1/responses");
    let ollama = entry(&catalogue, "ollama/qwen3:8b");
    assert_eq!(ollama.endpoint.as_str(), "http://gpu:11434/api/chat");
    for entry in [here, ollama] {
        assert!(entry.key.is_none() && entry.timeouts.first_byte.as_secs() >= 300);
        assert_eq!(entry.limits.concurrency, Some(1));
    }
    let said = entry(&catalogue, "ollama/slow");
    assert_eq!((said.timeouts.first_byte.as_secs(), said.limits.concurrency), (20, Some(3)));
    let default = load_with("models: { ollama/a: {} }", &[]).unwrap();
    assert_eq!(entry(&default, "ollama/a").endpoint.as_str(), "http://127.0.0.1:11434/api/chat");
}

#[test]
fn the_general_timeout_holds_for_a_server_of_one_s_own_as_for_any_other() {
    let text = "models: { ollama/a: {}, ollama/b: { timeout_seconds: 900 }, openai/c: {} }";
    let catalogue = load_within(text, &ENVIRONMENT, Some(20)).unwrap();
    for (name, seconds) in [("ollama/a", 20), ("ollama/b", 900), ("openai/c", 20)] {
        let timeouts = entry(&catalogue, name).timeouts;
        assert_eq!((timeouts.whole.as_secs(), timeouts.first_byte.as_secs()), (seconds, seconds), "{name}");
    }
}

#[test]
fn an_endpoint_is_completed_where_its_method_is_missing() {
    for (provider, given, whole) in [
        ("openai", "http://box", "http://box/v1/responses"),
        ("openai", "http://box/x/v1/", "http://box/x/v1/responses"),
        ("openai", "http://box/x/responses", "http://box/x/responses"),
        ("openai_compatible", "http://box:1", "http://box:1/v1/chat/completions"),
        ("openai_compatible", "http://box/openai/v1", "http://box/openai/v1/chat/completions"),
        ("openai_compatible", "http://box/api/paas/v4/chat/completions", "http://box/api/paas/v4/chat/completions"),
        ("openai_compatible", "http://box/v1?a=b", "http://box/v1/chat/completions?a=b"),
        ("anthropic", "http://box/v1", "http://box/v1/messages"),
        ("gemini", "http://box", "http://box/v1beta"),
        ("gemini", "http://box/v1beta", "http://box/v1beta"),
        ("ollama", "http://box:11434/", "http://box:11434/api/chat"),
        ("ollama", "http://box/api", "http://box/api/chat"),
    ] {
        let catalogue = load(&format!("models: {{ {provider}/a: {{ endpoint: '{given}' }} }}")).unwrap();
        assert_eq!(entry(&catalogue, &format!("{provider}/a")).endpoint.as_str(), whole, "{provider} {given}");
    }
}

#[test]
fn fallbacks_that_go_in_a_circle_are_refused() {
    let circle = "models:\n  openai/a: { fallbacks: [openai/b] }\n  openai/b: { fallbacks: [openai/c] }\n  openai/c:\n    fallbacks: [openai/a]\n";
    let found = problems(circle);
    has(&found, 5, "models.openai/c.fallbacks", "openai/c → openai/a → openai/b → openai/c");
    has(&problems("models: { openai/a: { fallbacks: [openai/a] } }"), 1, "models.openai/a.fallbacks", "circle");
    let diamond = "models:\n  openai/a: { fallbacks: [openai/b, openai/c] }\n  openai/b: { fallbacks: [openai/d] }\n  openai/c: { fallbacks: [openai/d] }\n  openai/d: {}\ntasks: { triage: openai/a }\n";
    let catalogue = load(diamond).unwrap();
    let chain = catalogue.chain(triage::TASK, BudgetTier::Normal);
    assert_eq!(chain.iter().map(|(name, _)| &*name.model).collect::<Vec<_>>(), ["a", "b", "d", "c"]);
}

#[test]
fn prices_have_two_sides_and_a_cache_that_is_no_dearer() {
    for (prices, what) in
        [("{ input: 1 }", "two sides"), ("{ input: 1, output: 2, cached_input: 1.5 }", "at most input")]
    {
        let text = format!("models:\n  openai/a:\n    prices: {prices}\n");
        has(&problems(&text), 3, "models.openai/a.prices", what);
    }
    let catalogue = load("models: { openai/a: {}, openai/b: { prices: { input: 0, output: 0 } } }").unwrap();
    assert_eq!(catalogue.unpriced().len(), 1);
}

#[test]
fn a_file_that_is_no_catalogue_is_refused() {
    let nowhere = Catalogue::load(Path::new("/nowhere.yaml"), &Environment::of(&[]), None).unwrap_err();
    assert!(nowhere[0].to_string().starts_with("/nowhere.yaml: AHA_LLM_CONFIG expects"), "{nowhere:?}");
    let folder = Catalogue::load(Path::new("/tmp"), &Environment::of(&[]), None).unwrap_err();
    assert!(folder[0].what.contains("no file"));
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(100 << 20).unwrap();
    let huge = Catalogue::load(file.path(), &Environment::of(&[]), None).unwrap_err();
    assert!(huge[0].what.contains("larger than"), "{huge:?}");
    for (text, what) in [
        ("", "it is missing"),
        ("models:", "names no model"),
        ("- a\n- b", "models by name"),
        ("models: [openai/a]", "models by name"),
        ("models:\n  openai/a: fine\n", "the model's settings"),
        ("models:\n  openai/a: {}\n  openai/a: {}\n", "twice"),
        ("models: {openai/a: {}}\nmodel: x", "belongs to an entry"),
        ("models: {openai/a: {", "no YAML"),
    ] {
        let found = load(text).unwrap_err();
        assert!(found.iter().any(|problem| problem.what.contains(what)), "{text:?}: {found:?}");
    }
}

#[test]
fn the_examples_that_are_shipped_can_be_used_as_they_stand() {
    let keys = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "LITELLM_API_KEY"].map(|name| (name, "a-key"));
    let pairs = [&keys[..], &[("LITELLM_URL", "http://127.0.0.1:4000")]].concat();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/llms");
    let mut count = 0;
    for example in std::fs::read_dir(folder).unwrap() {
        let path = example.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let catalogue = load_with(&text, &pairs).unwrap_or_else(|problems| panic!("{path:?}: {problems:#?}"));
        for task in catalogue.tasks.keys() {
            for tier in [BudgetTier::Low, BudgetTier::Normal, BudgetTier::High] {
                assert!(!catalogue.chain(*task, tier).is_empty(), "{path:?}");
            }
        }
        assert!(catalogue.serves(triage::TASK) && path.to_string_lossy().ends_with(".yaml.example"), "{path:?}");
        count += 1;
    }
    assert_eq!(count, 6);
}

#[test]
fn the_task_embed_has_models_of_its_own_and_their_addresses() {
    let catalogue = load(
        "models:
  openai/small: { dimensions: 256 }
  openai_compatible/own: { endpoint: 'http://gpu:8080/v1?tenant=7' }
  gemini/g: { api_key: '${MY_KEY}' }
  ollama/nomic: { endpoint: 'http://gpu/api/embed' }
tasks:
  triage: openai/small
  embed: { low: ollama/nomic, normal: openai_compatible/own, high: openai/small }
",
    )
    .unwrap();
    let place = |tier| catalogue.embedder(tier).unwrap().1.vectors_endpoint().unwrap().to_string();
    assert_eq!(place(BudgetTier::Low), "http://gpu/api/embed");
    assert_eq!(place(BudgetTier::Normal), "http://gpu:8080/v1/embeddings?tenant=7");
    assert_eq!(place(BudgetTier::High), "https://api.openai.com/v1/embeddings");
    assert_eq!(entry(&catalogue, "openai/small").dimensions, Some(256));
    let gemini = entry(&catalogue, "gemini/g").vectors_endpoint().unwrap();
    assert_eq!(gemini.as_str(), "https://generativelanguage.googleapis.com/v1beta");
    assert!(catalogue.serves(triage::TASK) && !catalogue.serves(deep_summary::TASK));
}

#[test]
fn delays_of_retries_have_two_names_and_those_of_a_model_count() {
    let catalogue = load(
        "retry: { initial_delay_seconds: 1, max_delay: 9 }\n\
         models:\n  openai/a:\n    \
         retry: { max_attempts: 3, initial_delay: 0.2, max_delay: 1, multiplier: 2, jitter: 0.5 }\n  \
         openai/b: {}\n",
    )
    .unwrap();
    let delays = |name: &str| {
        let retry = entry(&catalogue, name).retry.unwrap();
        (retry.initial_delay.unwrap().as_millis(), retry.max_delay.unwrap().as_millis())
    };
    assert_eq!((delays("openai/a"), delays("openai/b")), ((200, 1_000), (1_000, 9_000)));
}

#[test]
fn null_within_a_map_restores_the_default_and_drops_a_header() {
    let catalogue = load(
        "retry: { max_attempts: 4, jitter: 0.1 }\n\
         capabilities: { strict_schema: false, streaming_only: true }\n\
         headers: { X-Team: radar, X-Other: kept }\n\
         models:\n  openai/a:\n    retry: { jitter: ~ }\n    capabilities: { strict_schema: null }\n    \
         headers: { X-Team: ~ }\n  openai/b: { headers: { x-team: null } }\n",
    )
    .unwrap();
    let entry_a = entry(&catalogue, "openai/a");
    let retry = entry_a.retry.unwrap();
    assert_eq!((retry.max_attempts, retry.jitter), (Some(4), None));
    assert!(entry_a.capabilities.strict_schema && entry_a.capabilities.streaming_only);
    for name in ["openai/a", "openai/b"] {
        let headers = entry(&catalogue, name).headers;
        assert_eq!((headers.get("x-team"), headers.len()), (None, 1), "{name}");
    }
    let unknown = problems("models:\n  openai/a:\n    retry: { tries: ~ }\n");
    has(&unknown, 3, "models.openai/a.retry.tries", "not known");
}

#[test]
fn a_long_key_or_name_is_clipped_where_it_is_quoted() {
    let long = "K".repeat(900);
    let found = problems(&format!("{long}: 1\nmodels:\n  openai/a: {{ system_prompt: '${{{long}}}' }}\n"));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|(_, path, what)| path.len() < 300 && what.len() < 600), "{found:?}");
}
