//! `aha-radar llm check`: asks each model one cheap question.

use aha_core::money::credits_or_unknown;
use anyhow::Result;

use super::super::arguments::CheckArguments;
use super::super::exit::Exit;
use super::super::listing::Listing;
use super::super::output;
use crate::app::App;
use crate::services::models;

pub(super) async fn run(app: &App, arguments: CheckArguments) -> Result<Exit> {
    let checked = models::check(app, &arguments.models).await?;
    if arguments.json {
        output::print_json(&checked)?;
    } else {
        let mut table = Listing::new(&["model", "state", "ms", "credits", "it says"], &["it says", "ms"]);
        for check in &checked {
            let answer = check.answer.as_deref().unwrap_or_default();
            let text = check.error.clone().unwrap_or_else(|| answer.trim().chars().take(40).collect());
            table.add_row([
                format!("{}/{}", check.provider, check.model),
                if check.ok { "ok" } else { "FAILED" }.to_owned(),
                check.latency_ms.to_string(),
                credits_or_unknown(check.cost_microcredits),
                text,
            ]);
        }
        output::print(&table.to_string())?;
    }
    let answering = checked.iter().filter(|check| check.ok).count();
    let exhausted = checked.iter().filter(|check| check.budget_exhausted).count();
    Ok(match answering {
        0 if exhausted < checked.len() => Exit::Failed,
        _ if exhausted > 0 => Exit::BudgetExhausted,
        n if n < checked.len() => Exit::Partial,
        _ => Exit::Ok,
    })
}
