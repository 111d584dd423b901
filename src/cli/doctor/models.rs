//! What `doctor` says of models: who is asked for what, where, at what price, within which budget.

use anyhow::Result;

use crate::config::{Config, Egress, EmbedSettings, OpenAiSettings, TaskSettings};
use crate::domain::budget::BudgetPolicy;
use crate::domain::money::Price;
use crate::domain::task::Task;
use crate::domain::topic::BudgetTier;
use crate::llm::Router;
use crate::llm::embedder::{PURPOSE, is_refusal};
use crate::llm::prompt::Prompts;
use crate::store::{CallFilter, SharedStore};

use super::super::llm::models::listed;
use super::super::model_terms::{keyed, place};
use super::super::spend::budget::Budget;
use super::Findings;

const TIERS: [BudgetTier; 3] = [BudgetTier::Low, BudgetTier::Normal, BudgetTier::High];
/// Unsettled calls that are counted.
const COUNTED: i64 = 1000;

pub(super) fn settings(config: &Config, findings: &mut Findings) {
    let router = Router::configured(&config.llm);
    catalogue(config, findings);
    match &config.llm.openai {
        Some(openai) => provider(openai, &router, findings),
        None if !config.llm.has_models() => {
            findings
                .ok("model", "no provider is configured: stories are judged by `local`, free and without a network");
        }
        None => {}
    }
    chains(&router, findings);
    if config.llm.egress == Egress::Local {
        findings.ok("egress", "AHA_EGRESS=local: only models on this host or a private network are asked");
    }
    match &config.llm.embed {
        Some(embed) => vectors(embed, findings),
        None => findings.ok("vectors", "no model is configured: stories are put together by the words of their texts"),
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

/// Each model of the file, and the tasks that it leaves to `local`.
fn catalogue(config: &Config, findings: &mut Findings) {
    let Some(catalogue) = &config.llm.catalogue else { return };
    let (file, count) = (catalogue.file.display(), catalogue.entries.len());
    let noun = if count == 1 { "model" } else { "models" };
    findings.ok("model", format!("{file} describes {count} {noun} (AHA_LLM_CONFIG)"));
    for model in listed(config).iter().take(count) {
        match &model.unusable {
            Some(why) => findings.note("model", format!("{}; not asked: {why}", model.in_words())),
            None if model.price_in_words == "no price" => {
                findings.note("model", format!("{}: spend cannot be told", model.in_words()));
            }
            None => findings.ok("model", model.in_words()),
        }
    }
    let is_left = |task: &Task| !catalogue.serves(*task) && config.llm.openai.is_none();
    let left: Vec<&str> = Task::ALL.into_iter().filter(is_left).map(Task::as_str).collect();
    if !left.is_empty() {
        let text = format!("{file} names no model for {}: `local` does what it can of that", left.join(", "));
        findings.note("model", text);
    }
}

/// Tasks all of whose models are refused: they fail.
fn chains(router: &Router, findings: &mut Findings) {
    for task in Task::ALL {
        let is_empty =
            |tier: &BudgetTier| !router.candidates(task, *tier).is_empty() && router.choose(task, *tier).is_empty();
        if let Some(tier) = TIERS.iter().find(|tier| is_empty(tier)) {
            findings.wrong("model", router.why_nobody(task, *tier));
        }
    }
}

fn provider(openai: &OpenAiSettings, router: &Router, findings: &mut Findings) {
    let seconds = openai.timeout.as_secs();
    findings.ok(
        "model",
        format!(
            "requests go to {}, {}; a call fails after {seconds} s",
            place(&openai.endpoint),
            keyed(Some(&openai.key))
        ),
    );
    for task in Task::ALL.into_iter().filter(|task| !router.is_listed(*task)) {
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

fn vectors(embed: &EmbedSettings, findings: &mut Findings) {
    let named: Vec<(BudgetTier, &str)> = BudgetTier::ALL
        .into_iter()
        .filter_map(|tier| Some((tier, embed.model(tier).filter(|model| !model.is_general)?.name)))
        .collect();
    let general = BudgetTier::ALL.iter().filter_map(|tier| embed.model(*tier)).find(|model| model.is_general);
    if let Some((_, first)) = named.first() {
        let models = if named.len() == BudgetTier::ALL.len() && named.iter().all(|(_, name)| name == first) {
            format!("openai/{first}")
        } else {
            named.iter().map(|(tier, name)| format!("{} openai/{name}", tier.as_str())).collect::<Vec<_>>().join("; ")
        };
        let text = format!(
            "{models}, at {}; {}; at most {} items a run, {} in a call",
            place(&embed.endpoint),
            vector_price(embed.price),
            embed.max_items_per_run,
            embed.batch_size
        );
        if embed.price.is_some() { findings.ok("vectors", text) } else { findings.note("vectors", text) }
    }
    if let Some(model) = general {
        findings.note(
            "vectors",
            format!(
                "OPENAI_MODEL ({}) is asked for them, at {}; {}; where it makes none, words alone serve. Name a model that does in OPENAI_EMBED_MODEL, or set OPENAI_EMBED_MAX_ITEMS_PER_RUN=0",
                model.name,
                place(&embed.endpoint),
                vector_price(embed.price)
            ),
        );
    }
}

fn vector_price(price: Option<Price>) -> String {
    match price {
        None => "no price set: spend cannot be told (OPENAI_EMBED_CREDITS_PER_1K_INPUT_TOKENS)".to_owned(),
        Some(price) if price.is_free() => "free, as its price of 0 says".to_owned(),
        Some(price) => format!("{} credits for 1,000 tokens", per_thousand(price.input_microcredits_per_million)),
    }
}

/// The models of each tier, the first of a chain and those asked when it fails.
fn models(settings: &TaskSettings) -> Option<String> {
    let chains = BudgetTier::ALL.map(|tier| settings.chain(tier).join(", then "));
    if chains.iter().all(String::is_empty) {
        return None;
    }
    if chains.iter().all(|chain| *chain == chains[0]) {
        return Some(format!("openai/{}", chains[0]));
    }
    let named = BudgetTier::ALL.iter().zip(&chains).filter(|(_, chain)| !chain.is_empty());
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
    } else if config.llm.has_models() || config.llm.embed.is_some() {
        let text = "no cap is set; AHA_BUDGET_DAILY_CREDITS, _MONTHLY_CREDITS and _RUN_CREDITS set them";
        findings.note("budget", text);
    }
}

/// What the ledger says: how much of the caps is used, and what nobody knows the outcome of.
pub(super) async fn ledger(store: &SharedStore, config: &Config, findings: &mut Findings) -> Result<()> {
    let budget = Budget::of(store, &config.budget, config.clock.now()).await?;
    budget.alerts().into_iter().for_each(|alert| findings.note("budget", alert));
    refused_vectors(store, config, findings).await?;
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

/// Whether the last call for vectors was refused.
async fn refused_vectors(store: &SharedStore, config: &Config, findings: &mut Findings) -> Result<()> {
    if config.llm.embed.is_none() {
        return Ok(());
    }
    let filter = CallFilter { purpose: Some(PURPOSE.to_owned()), limit: 1, ..CallFilter::default() };
    let last = store.calls(&filter).await?.into_iter().next();
    if let Some(call) = last.filter(|call| is_refusal(call.error_kind.as_deref())) {
        let (model, why) = (call.model, call.error.unwrap_or_default());
        findings.note(
            "vectors",
            format!("openai/{model} refused the last call ({why}), so words alone served; set OPENAI_EMBED_MODEL to a model that makes vectors"),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_shown_as_they_are_set() {
        assert_eq!(
            [per_thousand(250_000), per_thousand(2_000_000_000), per_thousand(1)],
            ["0.00025", "2", "0.000000001"]
        );
    }
}
