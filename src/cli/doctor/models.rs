//! What `doctor` says of models: who is asked for what, where, at what price, within which budget.

use anyhow::Result;
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use crate::config::{Config, OpenAiSettings, TaskSettings};
use crate::domain::budget::BudgetPolicy;
use crate::domain::money::Price;
use crate::domain::task::Task;
use crate::domain::topic::BudgetTier;
use crate::llm::prompt::Prompts;
use crate::store::{CallFilter, SharedStore};

use super::super::spend::budget::Budget;
use super::Findings;

const TIERS: [BudgetTier; 3] = [BudgetTier::Low, BudgetTier::Normal, BudgetTier::High];
/// A shorter key could be guessed from its end.
const MASKED_FROM: usize = 20;
const SHOWN: usize = 4;
/// Unsettled calls that are counted.
const COUNTED: i64 = 1000;

pub(super) fn settings(config: &Config, findings: &mut Findings) {
    match &config.llm.openai {
        Some(openai) => provider(openai, findings),
        None => {
            findings
                .ok("model", "no provider is configured: stories are judged by `local`, free and without a network");
        }
    }
    config.llm.notes.iter().for_each(|note| findings.note("model", note.clone()));
    match Prompts::load(config.llm.prompts.as_deref()) {
        Ok(prompts) => {
            for task in Task::ALL.into_iter().filter(|task| prompts.id(*task) != task.prompt_id()) {
                findings.note("prompt", format!("{} is asked by your own, {}", task.as_str(), prompts.id(task)));
            }
        }
        Err(error) => findings.wrong("prompt", error.to_string()),
    }
    budget(config, findings);
}

fn provider(openai: &OpenAiSettings, findings: &mut Findings) {
    let seconds = openai.timeout.as_secs();
    findings.ok(
        "model",
        format!("requests go to {}, {}; a call fails after {seconds} s", place(&openai.endpoint), masked(&openai.key)),
    );
    for task in Task::ALL {
        let name = task.as_str();
        let setting = format!("OPENAI_{}_MODEL", name.to_uppercase());
        match openai.tasks.get(&task).map(|settings| (settings, models(settings))) {
            None => findings.ok("model", format!("{name}: not done; {setting} turns it on")),
            Some((_, None)) => findings.note("model", format!("{name}: no model; set OPENAI_MODEL or {setting}")),
            Some((settings, Some(models))) => {
                let text = format!("{name}: {models}; {}", price(settings.price));
                if settings.price.is_some() { findings.ok("model", text) } else { findings.note("model", text) }
            }
        }
    }
}

/// The models of each tier, the first of a chain and those asked when it fails.
fn models(settings: &TaskSettings) -> Option<String> {
    let chains = TIERS.map(|tier| settings.chain(tier).join(", then "));
    if chains.iter().all(String::is_empty) {
        return None;
    }
    if chains.iter().all(|chain| *chain == chains[0]) {
        return Some(format!("openai/{}", chains[0]));
    }
    let named = TIERS.iter().zip(&chains).filter(|(_, chain)| !chain.is_empty());
    Some(named.map(|(tier, chain)| format!("{} openai/{chain}", tier.as_str())).collect::<Vec<_>>().join("; "))
}

fn price(price: Option<Price>) -> String {
    match price {
        None => "no price set: spend cannot be told (OPENAI_CREDITS_PER_1K_INPUT_TOKENS, _OUTPUT_TOKENS)".to_owned(),
        Some(price) if price.is_free() => "free, as its price of 0 says".to_owned(),
        Some(price) => format!(
            "{} credits for 1,000 tokens in, {} out",
            per_thousand(price.input_microcredits_per_million),
            per_thousand(price.output_microcredits_per_million)
        ),
    }
}

/// Micro-credits for a million tokens as credits for a thousand, exactly.
fn per_thousand(rate: i64) -> String {
    let text = format!("{}.{:09}", rate / 1_000_000_000, rate % 1_000_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Without what may be secret: user, password, query.
fn place(endpoint: &Url) -> String {
    let host = endpoint.host_str().unwrap_or_default();
    let port = endpoint.port().map_or_else(String::new, |port| format!(":{port}"));
    format!("{}://{host}{port}{}", endpoint.scheme(), endpoint.path())
}

fn masked(key: &SecretString) -> String {
    let key: Vec<char> = key.expose_secret().chars().collect();
    if key.len() < MASKED_FROM {
        return "with a key".to_owned();
    }
    format!("with the key that ends in {}", key[key.len() - SHOWN..].iter().collect::<String>())
}

fn budget(config: &Config, findings: &mut Findings) {
    let caps = config.budget.caps;
    let policy = match config.budget.policy {
        BudgetPolicy::Warn => "warn: the tier is kept until a cap is reached",
        BudgetPolicy::FallbackLow => "fallback_low: from 80 % of a cap on the low tier's models are asked",
        BudgetPolicy::Stop => "stop: no paid stage begins once a cap is reached",
    };
    let named: Vec<String> = [("a run", caps.run), ("a day", caps.day), ("a month", caps.month)]
        .into_iter()
        .filter_map(|(name, cap)| Some(format!("{name} {} credits", cap?)))
        .collect();
    if !named.is_empty() {
        findings.ok("budget", format!("at most {}; policy {policy}", named.join(", ")));
    } else if config.llm.openai.is_some() {
        let text = "no cap is set; AHA_BUDGET_DAILY_CREDITS, _MONTHLY_CREDITS and _RUN_CREDITS set them";
        findings.note("budget", text);
    }
}

/// What the ledger says: how much of the caps is used, and what nobody knows the outcome of.
pub(super) async fn ledger(store: &SharedStore, config: &Config, findings: &mut Findings) -> Result<()> {
    let budget = Budget::of(store, &config.budget, config.clock.now()).await?;
    budget.alerts().into_iter().for_each(|alert| findings.note("budget", alert));
    let filter = CallFilter { state: Some("unsettled".to_owned()), limit: COUNTED, ..CallFilter::default() };
    let unsettled = store.calls(&filter).await?.len();
    if unsettled > 0 {
        findings.note(
            "ledger",
            format!(
                "what became of {unsettled} calls is not known; they count at the most they can have cost (`aha-radar calls --state unsettled`)"
            ),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_a_long_key_is_shown() {
        assert_eq!(masked(&"sk-0123456789abcdefWXYZ".to_owned().into()), "with the key that ends in WXYZ");
        assert_eq!(masked(&"sk-0123456789abcdef".to_owned().into()), "with a key");
    }

    #[test]
    fn an_address_is_shown_without_its_secrets() {
        let url = Url::parse("https://me:secret@llm.example:8443/v1/responses?key=secret").unwrap();
        assert_eq!(place(&url), "https://llm.example:8443/v1/responses");
    }

    #[test]
    fn prices_are_shown_as_they_are_set() {
        assert_eq!(
            [per_thousand(250_000), per_thousand(2_000_000_000), per_thousand(1)],
            ["0.00025", "2", "0.000000001"]
        );
    }
}
