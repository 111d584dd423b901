//! `aha-radar journal`: extracts knowledge from daily notes. Nothing is written before its diff was shown.

mod report;
mod terminal;

use std::io::IsTerminal as _;

use aha_journal::{Day, Plan};
use aha_llm::Router;
use aha_notes::Undone;
use anyhow::Result;
use serde::Serialize;
use serde_json::json;

use super::arguments::{ExtractArguments, GraphArgument, JournalCommand};
use super::exit::Exit;
use super::output;
use crate::config::Config;
use crate::journal::phases::{self, ModelAccess};
use crate::journal::{Journal, JournalError};
use crate::services::database::Absent;
use terminal::{ByModels, ByRules};

pub(super) async fn run(config: Config, command: JournalCommand) -> Result<Exit> {
    let open = |graph: GraphArgument| {
        Journal::open(graph.graph.as_deref(), &config.journal, config.clock.now(), config.timezone)
    };
    match command {
        JournalCommand::Extract(arguments) => {
            let journal = open(GraphArgument { graph: arguments.graph.graph.clone() })?;
            return Box::pin(extract(config, journal, &arguments)).await;
        }
        JournalCommand::Search { words, limit, graph, json } => {
            let hits = open(graph)?.search(&words.join(" "), limit)?;
            show(json, &hits, || report::hits(&hits))?;
        }
        JournalCommand::Init { graph, json } => {
            let overview = open(graph)?.overview()?.with_models(crate::journal::models::probed(&config).await);
            show(json, &overview, || report::overview(&overview))?;
        }
        JournalCommand::Undo { graph, json } => {
            let undone = open(graph)?.undo()?;
            show(json, &report::undone_json(&undone), || report::undone(&undone))?;
            let is_whole = undone.iter().all(|one| !matches!(one, Undone::Skipped { .. }));
            return Ok(if is_whole { Exit::Ok } else { Exit::Partial });
        }
    }
    Ok(Exit::Ok)
}

fn show(as_json: bool, value: &impl Serialize, text: impl FnOnce() -> String) -> Result<()> {
    if as_json { output::print_json(value) } else { output::print(&text()) }
}

async fn extract(config: Config, journal: Journal, arguments: &ExtractArguments) -> Result<Exit> {
    let access = if arguments.local { None } else { model_access(config, arguments.rejudge).await? };
    let is_plain = arguments.json || arguments.apply || arguments.plan.is_some();
    if !is_plain && std::io::stdout().is_terminal() && std::io::stdin().is_terminal() {
        return on_terminal(&journal, access, arguments).await;
    }
    let plan = match (arguments.plan.as_deref().filter(|_| arguments.apply), access) {
        (Some(file), _) => Plan::read(file, journal.graph.root()).map_err(JournalError::from)?,
        (None, Some(access)) => {
            let days = requested_days(&journal, arguments)?;
            journal.extract_by_models(&access, &days).await?
        }
        (None, None) => journal.extract_by_rules(&requested_days(&journal, arguments)?)?,
    };
    if let Some(file) = arguments.plan.as_deref().filter(|_| !arguments.apply) {
        plan.write(file).map_err(JournalError::from)?;
        output::note(&format!(
            "the plan is in {}; carry it out with --apply --plan {}",
            file.display(),
            file.display()
        ));
    }
    let has_failed = carry_out(&journal, &plan, arguments)?;
    Ok(if has_failed || !plan.failures.is_empty() { Exit::Partial } else { Exit::Ok })
}

/// Returns the requested days, and says which are left out and why.
fn requested_days(journal: &Journal, arguments: &ExtractArguments) -> Result<Vec<Day>> {
    let (days, ignored) = journal.days_and_ignored(arguments.days.as_deref())?;
    for reason in ignored {
        output::note(&format!("a day is left out: {reason}"));
    }
    Ok(days)
}

/// Shows the phases on screens until the user leaves them.
async fn on_terminal(journal: &Journal, access: Option<ModelAccess>, arguments: &ExtractArguments) -> Result<Exit> {
    let days = requested_days(journal, arguments)?;
    let index = journal.index()?;
    let Some(access) = access else {
        let rules = ByRules { journal, days: &days };
        return terminal::show(journal, &rules, terminal::BY_RULES, arguments.today);
    };
    let models = ByModels::new(access, journal, days, index);
    let shown = tokio::task::block_in_place(|| terminal::show(journal, &models, phases::MADE_BY, arguments.today));
    models.finish().await;
    shown
}

/// Returns the access to models if one is configured for every phase, else `None`. The database is opened only in the
/// first case.
async fn model_access(config: Config, rejudge: bool) -> Result<Option<ModelAccess>> {
    let tier = config.budget_tier;
    if !ModelAccess::has_models(&Router::configured(&config.llm), tier) {
        return Ok(None);
    }
    let app = super::app(config, Absent::Create).await?;
    Ok(Some(ModelAccess::of(&app, tier, rejudge)))
}

/// Shows what the plan would write, and writes it if requested. Returns whether any part could not be written.
fn carry_out(journal: &Journal, plan: &Plan, arguments: &ExtractArguments) -> Result<bool> {
    let (previews, not_made) = journal.preview(plan)?;
    if !arguments.json {
        output::print(&report::plan(plan))?;
        output::print(&report::diffs(&previews, &not_made, plan))?;
    }
    if !arguments.apply {
        let files = previews.iter().map(|file| json!({ "file": file.file, "diff": file.diff() }));
        if arguments.json {
            output::print_json(&json!({ "plan": plan, "files": files.collect::<Vec<_>>() }))?;
        }
        return Ok(!not_made.is_empty());
    }
    let applied = journal.apply(plan, arguments.today)?;
    show(arguments.json, &report::applied_json(plan, &applied), || report::applied(&applied))?;
    Ok(report::has_failed(&applied))
}
