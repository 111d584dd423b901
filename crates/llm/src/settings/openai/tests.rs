use crate::catalogue::Environment;
use crate::settings::{self, RawSettings};
use crate::tasks::{deep_summary, entity_extract, signal_parse, triage};

use super::*;

fn settings(pairs: &[(&str, &str)]) -> Option<OpenAiSettings> {
    let pairs: Vec<(String, String)> = pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let mut reader = Reader::default();
    let section = read(&pairs, None, true, &mut reader).unwrap();
    assert_eq!(reader.problems, []);
    section.openai
}

#[test]
fn a_key_alone_asks_no_model() {
    assert!(settings(&[("OPENAI_API_KEY", "sk-1")]).is_none());
    assert!(settings(&[("OPENAI_MODEL", "m")]).is_none());
    assert!(settings(&[("OPENAI_API_KEY", "sk-1"), ("OPENAI_MODEL", "m")]).is_some());
}

#[test]
fn a_task_that_is_done_only_on_request_is_asked_for_by_any_tier_s_model() {
    let keyed = [("OPENAI_API_KEY", "k"), ("OPENAI_TRIAGE_MODEL", "m")];
    let names = |settings: &OpenAiSettings, task, tier| {
        let chain = settings.tasks.get(&task).map(|task| task.chain(tier)).unwrap_or_default();
        chain.iter().map(|model| model.name.to_owned()).collect::<Vec<_>>()
    };
    for (setting, low, normal, high) in [
        ("MODEL_LOW", &["e"][..], &["e"][..], &["e"][..]),
        ("MODEL_NORMAL", &[], &["e"], &[]),
        ("MODEL_HIGH", &[], &[], &["e"]),
    ] {
        for task in [entity_extract::TASK, signal_parse::TASK] {
            let name = format!("{}{setting}", task_prefix(task));
            let settings = settings(&[&keyed[..], &[(name.as_str(), "e")]].concat()).unwrap();
            let found = BudgetTier::ALL.map(|tier| names(&settings, task, tier));
            assert_eq!(found, [low, normal, high], "{name}");
        }
    }
    assert!(!settings(&keyed).unwrap().tasks.contains_key(&entity_extract::TASK));
}

#[test]
fn the_address_is_the_endpoint_or_made_of_the_base() {
    let keyed = [("OPENAI_API_KEY", "k"), ("OPENAI_MODEL", "m")];
    for (extra, endpoint) in [
        (vec![], "https://api.openai.com/v1/responses"),
        (vec![("OPENAI_BASE_URL", "http://h:1")], "http://h:1/v1/responses"),
        (vec![("OPENAI_BASE_URL", "http://h/x/v1/")], "http://h/x/v1/responses"),
        (vec![("OPENAI_BASE_URL", "http://h/x/v1/responses")], "http://h/x/v1/responses"),
        (
            vec![("OPENAI_BASE_URL", "http://h"), ("OPENAI_ENDPOINT", "http://e/api/responses")],
            "http://e/api/responses",
        ),
    ] {
        let settings = settings(&[keyed.as_slice(), extra.as_slice()].concat()).unwrap();
        assert_eq!(settings.endpoint.as_str(), endpoint);
    }
}

#[test]
fn a_server_of_one_s_own_is_asked_one_thing_at_a_time_unless_told_otherwise() {
    for (base, number, concurrency) in [
        ("http://127.0.0.1:8080", None, 1),
        ("http://192.168.1.7:8080", None, 1),
        ("http://127.0.0.1:8080", Some("3"), 3),
        ("https://llm.example", None, 4),
    ] {
        let pairs = [("OPENAI_API_KEY", "k"), ("OPENAI_MODEL", "m"), ("OPENAI_BASE_URL", base)];
        let pairs: Vec<(String, String)> = pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        let number = number.map(|number: &str| ("AHA_LLM_CONCURRENCY".to_owned(), number.to_owned()));
        let mut raw: RawSettings = envy::from_iter(number).unwrap();
        let (mut reader, mut problems) = (Reader::default(), Vec::new());
        let environment = Environment::of(&pairs);
        let llm = settings::read(&mut reader, &mut problems, &mut raw, &pairs, &environment).unwrap();
        assert_eq!(llm.concurrency, concurrency, "{base}");
    }
}

#[test]
fn a_tier_beats_the_task_and_the_task_the_general_one() {
    let settings = settings(&[
        ("OPENAI_API_KEY", "k"),
        ("OPENAI_MODEL", "general"),
        ("OPENAI_TRIAGE_MODEL", "task"),
        ("OPENAI_TRIAGE_MODEL_LOW", "small"),
    ])
    .unwrap();
    let chain = |task, tier| -> Vec<String> {
        settings.tasks[&task].chain(tier).iter().map(|model| model.name.to_owned()).collect()
    };
    assert_eq!(chain(triage::TASK, BudgetTier::High), ["task", "small", "general"]);
    assert_eq!(chain(triage::TASK, BudgetTier::Low), ["small", "general"]);
    assert_eq!(chain(deep_summary::TASK, BudgetTier::High), ["general"]);
    assert!(!settings.tasks.contains_key(&entity_extract::TASK));
}

#[test]
fn prices_are_exact_and_a_task_s_own_beats_the_general_one() {
    let settings = settings(&[
        ("OPENAI_API_KEY", "k"),
        ("OPENAI_MODEL", "m"),
        ("OPENAI_CREDITS_PER_1K_INPUT_TOKENS", "0.00025"),
        ("OPENAI_CREDITS_PER_1K_OUTPUT_TOKENS", "0.002"),
        ("OPENAI_TRIAGE_CREDITS_PER_1K_OUTPUT_TOKENS", "0.0004"),
    ])
    .unwrap();
    let price = |task| settings.tasks[&task].chain(BudgetTier::Normal)[0].price.unwrap();
    let triage = price(triage::TASK);
    assert_eq!((triage.input_microcredits_per_million, triage.output_microcredits_per_million), (250_000, 400_000));
    assert_eq!(price(deep_summary::TASK).output_microcredits_per_million, 2_000_000);
}

#[test]
fn a_model_that_stands_in_has_a_price_of_its_own_or_none() {
    let cheap = [
        ("OPENAI_API_KEY", "k"),
        ("OPENAI_MODEL", "big"),
        ("OPENAI_TRIAGE_MODEL", "cheap"),
        ("OPENAI_TRIAGE_CREDITS_PER_1K_INPUT_TOKENS", "0.00001"),
        ("OPENAI_TRIAGE_CREDITS_PER_1K_OUTPUT_TOKENS", "0.00002"),
    ];
    let big = [("OPENAI_CREDITS_PER_1K_INPUT_TOKENS", "1"), ("OPENAI_CREDITS_PER_1K_OUTPUT_TOKENS", "2")];
    let prices = |pairs: &[(&str, &str)]| -> Vec<(String, Option<i64>)> {
        let settings = settings(pairs).unwrap();
        let chain = settings.tasks[&triage::TASK].chain(BudgetTier::Normal);
        let price = |model: &PricedModel<'_>| model.price.map(|price| price.input_microcredits_per_million);
        chain.iter().map(|model| (model.name.to_owned(), price(model))).collect()
    };
    assert_eq!(prices(&cheap), [("cheap".to_owned(), Some(10_000)), ("big".to_owned(), None)]);
    let both = prices(&[cheap.as_slice(), big.as_slice()].concat());
    assert_eq!(both, [("cheap".to_owned(), Some(10_000)), ("big".to_owned(), Some(1_000_000_000))]);
}

#[test]
fn a_tier_s_model_has_a_price_of_its_own_or_the_task_s() {
    let settings = settings(&[
        ("OPENAI_API_KEY", "k"),
        ("OPENAI_TRIAGE_MODEL", "usual"),
        ("OPENAI_TRIAGE_MODEL_LOW", "small"),
        ("OPENAI_TRIAGE_MODEL_HIGH", "large"),
        ("OPENAI_TRIAGE_CREDITS_PER_1K_INPUT_TOKENS", "0.002"),
        ("OPENAI_TRIAGE_CREDITS_PER_1K_OUTPUT_TOKENS", "0.004"),
        ("OPENAI_TRIAGE_CREDITS_PER_1K_INPUT_TOKENS_LOW", "0.001"),
        ("OPENAI_TRIAGE_CREDITS_PER_1K_OUTPUT_TOKENS_LOW", "0.003"),
        // Half a price counts as none.
        ("OPENAI_TRIAGE_CREDITS_PER_1K_INPUT_TOKENS_HIGH", "0.009"),
    ])
    .unwrap();
    let of = |tier| -> Vec<(String, i64)> {
        let chain = settings.tasks[&triage::TASK].chain(tier);
        let price = |one: &PricedModel<'_>| one.price.unwrap().input_microcredits_per_million;
        chain.iter().map(|one| (one.name.to_owned(), price(one))).collect()
    };
    let small = ("small".to_owned(), 1_000_000);
    assert_eq!(of(BudgetTier::Low), std::slice::from_ref(&small));
    assert_eq!(of(BudgetTier::Normal), [("usual".to_owned(), 2_000_000), small.clone()]);
    assert_eq!(of(BudgetTier::High), [("large".to_owned(), 2_000_000), small]);
}

#[test]
fn a_price_that_cannot_be_read_is_reported_even_if_its_other_half_is_unset() {
    for prefix in ["OPENAI_", "OPENAI_TRIAGE_", "OPENAI_ANSWER_"] {
        for tier in ["", "_LOW", "_NORMAL", "_HIGH"] {
            for half in ["INPUT", "OUTPUT"] {
                let variable = format!("{prefix}CREDITS_PER_1K_{half}_TOKENS{tier}");
                if prefix == "OPENAI_" && !tier.is_empty() {
                    continue;
                }
                let pairs = [(variable.clone(), "0,002".to_owned())];
                let mut reader = Reader::default();
                read(&pairs, None, true, &mut reader).unwrap();
                let named = reader.problems.iter().filter(|problem| problem.variable == variable).count();
                assert!(named > 0 && named == reader.problems.len(), "{variable}: {:?}", reader.problems);
            }
        }
    }
}

#[test]
fn an_own_server_is_given_more_time() {
    for (base, seconds) in [("http://127.0.0.1:9", 600), ("http://box:9", 600), ("https://api.example.org", 120)] {
        let settings = settings(&[("OPENAI_API_KEY", "k"), ("OPENAI_MODEL", "m"), ("OPENAI_BASE_URL", base)]).unwrap();
        assert_eq!(settings.timeout.as_secs(), seconds, "{base}");
    }
}

#[test]
fn an_address_that_cannot_be_used_is_not_shown() {
    for variable in ["OPENAI_ENDPOINT", "OPENAI_BASE_URL", "OPENAI_EMBED_ENDPOINT"] {
        let pairs = [(variable.to_owned(), "ftp://h/?key=hush".to_owned())];
        let mut reader = Reader::default();
        read(&pairs, None, true, &mut reader).unwrap();
        let [problem] = &reader.problems[..] else { panic!("{:?}", reader.problems) };
        assert_eq!((problem.variable.as_str(), problem.value.as_deref()), (variable, Some("…")));
    }
}
