//! `aha-radar llm models`: lists the configured models with their terms, and those whose circuit is open in a running
//! daemon. Asks none of them.

use anyhow::Result;

use super::super::arguments::ModelsArguments;
use super::super::exit::Exit;
use super::super::listing::Listing;
use super::super::output;
use crate::config::Config;
use crate::services::models::configured::{ConfiguredModel, configured};

pub(super) async fn run(config: &Config, arguments: &ModelsArguments) -> Result<Exit> {
    let models = configured(config).await;
    if arguments.json {
        output::print_json(&models)?;
    } else if models.is_empty() {
        output::note(
            "no model is configured: stories are judged by `local`; AHA_LLM_CONFIG or OPENAI_MODEL names some",
        );
    } else {
        output::print(&output::one_safe_text(&table(&models)))?;
    }
    Ok(Exit::Ok)
}

const HEADINGS: [&str; 9] =
    ["model", "host", "key", "credits a million tokens", "limits", "can", "tasks", "steps in for", "not asked because"];

fn table(models: &[ConfiguredModel]) -> String {
    let mut table = Listing::new(&HEADINGS, &["not asked because", "steps in for", "tasks", "can", "limits"]);
    for model in models {
        table.add_row(vec![
            format!("{}/{}", model.provider, model.model),
            model.host.clone(),
            model.key.clone().unwrap_or_else(|| "none".to_owned()),
            model.price_in_words.clone(),
            model.limits.in_words(),
            model.capabilities.join(" "),
            model.tasks.join(" "),
            model.fallback_for.join(" "),
            model.not_asked(),
        ]);
    }
    table.to_string()
}
