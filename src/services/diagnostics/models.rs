//! Findings about models: which one is asked for which task, where, at what price, within which budget.

use aha_analysis::static_model::Weights;
use aha_analysis::text::space::Space as _;
use aha_content::numbers::count;
use aha_core::budget::BudgetPolicy;
use aha_core::money::{MicroCredits, Price};
use aha_core::topic::BudgetTier;
use aha_llm::Router;
use aha_llm::Task;
use aha_llm::embedder::{EmbedRoute, EmbedRouter, PURPOSE, is_refusal};
use aha_llm::prompt::Prompts;
use aha_llm::settings::{Egress, OpenAiSettings, PricedModel, TaskSettings};
use aha_net::endpoint::without_secrets;
use aha_store::{CallFilter, SharedStore};

use super::super::Result;
use super::super::models::configured;
use super::super::models::terms::keyed;
use super::super::spending::Budget;
use super::Findings;
use crate::config::Config;
use aha_llm::tasks;

const TIERS: [BudgetTier; 3] = [BudgetTier::Low, BudgetTier::Normal, BudgetTier::High];
/// Unsettled calls that are counted at most.
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
    let fallback: Vec<&str> = config.llm.local_fallback.iter().map(|task| task.as_str()).collect();
    if !fallback.is_empty() && config.llm.has_models() {
        let text = format!("`local` does {} where every model fails (AHA_LLM_LOCAL_FALLBACK)", fallback.join(", "));
        findings.ok("model", text);
    }
    if config.llm.egress == Egress::Local {
        findings.ok("egress", "AHA_EGRESS=local: only models on this host or a private network are asked");
    }
    vectors(config, &EmbedRouter::configured(&config.llm, &router), findings);
    search(config, findings);
    config.llm.notes.iter().for_each(|note| findings.note("model", note.clone()));
    match Prompts::load(config.llm.prompts.as_deref()) {
        Ok(prompts) => {
            for task in tasks::ALL.iter().copied().filter(|task| prompts.id(*task) != task.prompt_id()) {
                findings.note("prompt", format!("{} is asked by your own, {}", task.as_str(), prompts.id(task)));
            }
        }
        Err(error) => findings.wrong("prompt", error.to_string()),
    }
    budget(config, findings);
}

/// Adds each model of the catalogue, and the tasks that it leaves to `local`.
fn catalogue(config: &Config, findings: &mut Findings) {
    let Some(catalogue) = &config.llm.catalogue else { return };
    let (file, entries) = (catalogue.file.display(), catalogue.entries.len());
    findings.ok("model", format!("{file} describes {} (AHA_LLM_CONFIG)", count(entries, "model", "models")));
    for model in configured::list(config).iter().take(entries) {
        match &model.unusable {
            Some(why) => findings.note("model", format!("{}; not asked: {why}", model.in_words())),
            None if model.price_in_words == "no price" => {
                findings.note("model", format!("{}: the spend is unknown", model.in_words()));
            }
            None => findings.ok("model", model.in_words()),
        }
    }
    let is_left = |task: &Task| !catalogue.serves(*task) && config.llm.openai.is_none();
    let left: Vec<&str> = tasks::ALL.iter().copied().filter(is_left).map(Task::as_str).collect();
    if !left.is_empty() {
        let text = format!("{file} names no model for {}: `local` does what it can of that", left.join(", "));
        findings.note("model", text);
    }
}

/// Adds the tasks all of whose models are refused: these fail.
fn chains(router: &Router, findings: &mut Findings) {
    for task in tasks::ALL.iter().copied() {
        let is_empty =
            |tier: &BudgetTier| !router.candidates(task, *tier).is_empty() && router.choose(task, *tier).is_empty();
        if let Some(tier) = TIERS.iter().find(|tier| is_empty(tier)) {
            findings.wrong("model", router.why_no_model(task, *tier));
        }
    }
}

fn provider(openai: &OpenAiSettings, router: &Router, findings: &mut Findings) {
    let seconds = openai.timeout.as_secs();
    findings.ok(
        "model",
        format!(
            "requests go to {}, {}; a call fails after {seconds} s",
            without_secrets(&openai.endpoint),
            keyed(Some(&openai.key))
        ),
    );
    for task in tasks::ALL.iter().copied().filter(|task| !router.is_listed(*task)) {
        let name = task.as_str();
        let setting = format!("OPENAI_{}_MODEL", name.to_uppercase());
        match openai.tasks.get(&task).map(|settings| (settings, models(settings))) {
            None => findings.ok("model", format!("{name}: not done; {setting} turns it on")),
            Some((_, None)) => {
                let text = format!("{name}: no model, so `local` does it; OPENAI_MODEL or {setting} names one");
                findings.note("model", text);
            }
            Some((settings, Some(models))) => {
                let (text, is_priced) = prices(settings);
                let text = format!("{name}: {models}; {text}");
                if is_priced { findings.ok("model", text) } else { findings.note("model", text) }
            }
        }
    }
}

/// Adds the folder of the embedding model, and whether it can be used.
pub(super) async fn weights(config: &Config, findings: &mut Findings) {
    let Some(folder) = &config.llm.embed_model_dir else { return };
    match Weights::load(folder).await {
        Ok(weights) => {
            let (file, tokens, numbers) = (weights.file.display(), weights.tokens, weights.dimensions());
            let what = "free and without a network; no provider is asked for vectors";
            let space = weights.id();
            findings.ok(
                "vectors",
                format!("made by {file}, {numbers} numbers for each of {tokens} tokens ({space}): {what}"),
            );
        }
        Err(error) => findings.wrong("vectors", format!("stories are grouped by shared words only: {error}")),
    }
}

/// Adds the sentence model, and whether it can be used.
pub(super) async fn sentences(config: &Config, findings: &mut Findings) {
    let Some(folder) = config.llm.sentence_model_dir.clone() else { return };
    match crate::sentences::load(folder).await {
        Ok(model) => findings
            .ok("sentences", format!("questions and interests are compared by a sentence model ({})", model.id())),
        Err(why) => {
            findings.wrong("sentences", format!("questions and interests are compared without it: {why}"));
        }
    }
}

/// Adds the models that compute vectors, by tier where they differ.
fn vectors(config: &Config, router: &EmbedRouter, findings: &mut Findings) {
    let mut groups: Vec<(Vec<&str>, &std::result::Result<EmbedRoute, String>)> = Vec::new();
    for (tier, route) in TIERS.into_iter().filter_map(|tier| Some((tier.as_str(), router.at(tier)?))) {
        match groups.iter_mut().find(|(_, known)| same(known, route)) {
            Some((tiers, _)) => tiers.push(tier),
            None => groups.push((vec![tier], route)),
        }
    }
    if groups.is_empty() && config.llm.embed_model_dir.is_none() {
        findings.ok("vectors", "no model is configured: stories are put together by the words of their texts");
    }
    for (tiers, route) in groups {
        let tiers = if tiers.len() == TIERS.len() { String::new() } else { format!("{}: ", tiers.join(", ")) };
        match route {
            Err(why) => findings.note("vectors", format!("{tiers}stories are grouped by shared words only: {why}")),
            Ok(route) => maker(config, &tiers, route, findings),
        }
    }
}

fn same(one: &std::result::Result<EmbedRoute, String>, other: &std::result::Result<EmbedRoute, String>) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => one.space() == other.space() && one.is_general == other.is_general,
        (Err(one), Err(other)) => one == other,
        _ => false,
    }
}

fn maker(config: &Config, tiers: &str, route: &EmbedRoute, findings: &mut Findings) {
    let (model, place, price) = (&route.model, without_secrets(&route.server.endpoint), vector_price(route.price));
    if route.is_general {
        let what = "if it makes none, stories are then grouped by shared words only. Name a model that makes vectors in \
                    OPENAI_EMBED_MODEL, or set OPENAI_EMBED_MAX_ITEMS_PER_RUN=0";
        let name = &model.model;
        let text = format!("{tiers}OPENAI_MODEL ({name}) is asked for them, at {place}; {price}; {what}");
        return findings.note("vectors", text);
    }
    let limits = config.llm.embed_limits;
    let (items, texts) = (limits.max_items_per_run, route.batch_size(limits.batch_size));
    let text = format!("{tiers}{model}, at {place}; {price}; at most {items} items a run, {texts} in a call");
    if route.price.is_some() { findings.ok("vectors", text) } else { findings.note("vectors", text) }
}

fn vector_price(price: Option<Price>) -> String {
    match price {
        None => "no price set: the spend is unknown (OPENAI_EMBED_CREDITS_PER_1K_INPUT_TOKENS)".to_owned(),
        Some(price) if price.is_free() => "free, as its price of 0 says".to_owned(),
        Some(price) => format!("{} credits for 1,000 tokens", per_thousand(price.input_microcredits_per_million)),
    }
}

/// Adds the search service that sources `signal:WORDS` use, and its price.
fn search(config: &Config, findings: &mut Findings) {
    let Some(provider) = &config.sources.search else { return };
    let (service, key) = (provider.host(), keyed(provider.key.as_ref()));
    match provider.price {
        Some(price) if price.is_free() => findings.ok("search", format!("{service}, {key}: free")),
        Some(price) => findings.ok(
            "search",
            format!("{service}, {key}: {} credits a search, {} a result", price.per_search, price.per_result),
        ),
        None => findings.note(
            "search",
            format!(
                "{service}, {key}: no price set, the spend is unknown (AHA_SIGNAL_CREDITS_PER_SEARCH, _PER_RESULT)"
            ),
        ),
    }
}

/// Formats the models of each tier: the first of a chain, and those asked when it fails.
fn models(settings: &TaskSettings) -> Option<String> {
    let chain_of = |tier| settings.chain(tier).iter().map(|model| model.name).collect::<Vec<_>>().join(", then ");
    let chains = BudgetTier::ALL.map(chain_of);
    if chains.iter().all(String::is_empty) {
        return None;
    }
    if chains.iter().all(|chain| *chain == chains[0]) {
        return Some(format!("openai/{}", chains[0]));
    }
    let named = BudgetTier::ALL.iter().zip(&chains).filter(|(_, chain)| !chain.is_empty());
    Some(named.map(|(tier, chain)| format!("{} openai/{chain}", tier.as_str())).collect::<Vec<_>>().join("; "))
}

/// Formats the prices of a task's models, with names where they differ. Returns also whether all prices are known.
fn prices(settings: &TaskSettings) -> (String, bool) {
    let mut models: Vec<PricedModel<'_>> = Vec::new();
    for model in BudgetTier::ALL.into_iter().flat_map(|tier| settings.chain(tier)) {
        if models.iter().all(|known| known.name != model.name) {
            models.push(model);
        }
    }
    let is_priced = models.iter().all(|model| model.price.is_some());
    let is_one = models.iter().all(|model| model.price == models[0].price);
    let each = |model: &PricedModel<'_>| format!("{}: {}", model.name, price(model.price));
    let text = if is_one {
        price(models.first().and_then(|model| model.price))
    } else {
        models.iter().map(each).collect::<Vec<_>>().join("; ")
    };
    (text, is_priced)
}

fn price(price: Option<Price>) -> String {
    match price {
        None => {
            let both = "OPENAI_CREDITS_PER_1K_INPUT_TOKENS and _OUTPUT_TOKENS";
            format!("no price set: the spend is unknown (a price is both, {both})")
        }
        Some(price) if price.is_free() => "free, as its price of 0 says".to_owned(),
        Some(price) => format!(
            "{} credits for 1,000 tokens in, {} out",
            per_thousand(price.input_microcredits_per_million),
            per_thousand(price.output_microcredits_per_million)
        ),
    }
}

/// Converts micro-credits per million tokens to credits per thousand, exactly.
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
    let cap = |(name, cap): (&str, Option<MicroCredits>)| {
        cap.map_or_else(|| format!("{name} no cap"), |cap| format!("{name} {cap} credits at most"))
    };
    let named: Vec<String> = [("a run", caps.run), ("a day", caps.day), ("a month", caps.month)].map(cap).into();
    if caps.is_set() {
        findings.ok("budget", format!("{}; policy {policy}", named.join(", ")));
    } else if config.llm.has_models() || config.llm.has_vectors() {
        let text = "no cap is set; AHA_BUDGET_DAILY_CREDITS, _MONTHLY_CREDITS and _RUN_CREDITS set them";
        findings.note("budget", text);
    }
}

/// Adds findings from the ledger: how much of the caps is used, and which calls have an unknown outcome.
pub(super) async fn ledger(store: &SharedStore, config: &Config, findings: &mut Findings) -> Result<()> {
    let budget = Budget::of(store, &config.budget, config.clock.now()).await?;
    budget.alerts().into_iter().for_each(|alert| findings.note("budget", alert));
    refused_vectors(store, config, findings).await?;
    let filter = CallFilter { state: Some("unsettled".to_owned()), limit: COUNTED, ..CallFilter::default() };
    let unsettled = store.calls(&filter).await?.len();
    if unsettled > 0 {
        let at_least = if i64::try_from(unsettled) == Ok(COUNTED) { "at least " } else { "" };
        let calls =
            count(unsettled, "call has an unknown outcome and counts", "calls have an unknown outcome and count");
        let text =
            format!("{at_least}{calls} at the most that can have been charged (`aha-radar calls --state unsettled`)");
        findings.note("ledger", text);
    }
    Ok(())
}

/// Adds a note if the last call for vectors was refused.
async fn refused_vectors(store: &SharedStore, config: &Config, findings: &mut Findings) -> Result<()> {
    if !config.llm.has_vectors() {
        return Ok(());
    }
    let filter = CallFilter { purpose: Some(PURPOSE.to_owned()), limit: COUNTED, ..CallFilter::default() };
    // Outside of runs only queries are embedded.
    let last = store.calls(&filter).await?.into_iter().find(|call| call.run_id.is_some());
    if let Some(call) = last.filter(|call| is_refusal(call.error_kind.as_deref())) {
        let (provider, model, why) = (call.provider, call.model, call.error.unwrap_or_default());
        findings.note(
            "vectors",
            format!(
                "{provider}/{model} refused the last call ({why}), so stories were grouped by shared words only; name a \
                 model that makes vectors: OPENAI_EMBED_MODEL, or the task embed of a catalogue"
            ),
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
