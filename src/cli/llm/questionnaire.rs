//! `aha-radar llm questionnaire`: puts the same questions to several models.

use std::path::Path;

use aha_core::money::credits_or_unknown;
use aha_core::purpose;
use aha_llm::catalogue::yaml_to_json;
use aha_llm::router::Route;
use anyhow::{Context as _, Result};
use futures::StreamExt as _;

use super::super::arguments::QuestionnaireArguments;
use super::super::exit::{Exit, UsageError};
use super::super::listing::Listing;
use super::super::output;
use super::archives;
use crate::app::App;
use crate::questionnaire::{Line, Questionnaire, Report, Unit, units, write};
use crate::services::models as service;

/// Maximum size of a questionnaire in bytes.
const MAX_BYTES: u64 = 4 << 20;

pub(super) async fn run(app: &App, arguments: QuestionnaireArguments) -> Result<Exit> {
    let questionnaire = read(&arguments.file)?;
    let routes = arguments
        .models
        .iter()
        .map(|name| Ok(service::route(app, Some(name.as_str()))?))
        .collect::<Result<Vec<Route>>>()?;
    let models: Vec<String> = routes.iter().map(|route| route.model.to_string()).collect();
    let units = units(&questionnaire, &routes);
    output::note(&format!(
        "{} questions to {} models, in {} conversations",
        questionnaire.questions(),
        models.len(),
        units.len()
    ));
    let respondent = service::respondent(app, purpose::QUESTIONNAIRE, arguments.again);
    let mut done: Vec<Option<Vec<Line>>> = vec![None; units.len()];
    let at_once = usize::try_from(arguments.at_once).unwrap_or(1);
    let mut asking = futures::stream::iter(&units)
        .map(|unit| {
            let asking = respondent.put(&questionnaire, unit);
            async move { (unit, asking.await) }
        })
        .buffer_unordered(at_once);
    while let Some((unit, lines)) = asking.next().await {
        let (lines, archive) = match lines {
            Ok(done) => done,
            Err(error) => return super::failed(error),
        };
        if let Some(folder) = &arguments.archive {
            let name = format!("{:03}-{}-{}", unit.number + 1, unit.route.model, unit.section.id);
            archives::write(folder, &archives::file_name(&name), &archive)?;
        }
        output::note(&progress_line(unit, &lines));
        done[unit.number] = Some(lines);
        let lines: Vec<Line> = done.iter().flatten().flatten().cloned().collect();
        let report = Report::of(&questionnaire, &models, &lines);
        write(&arguments.out, &lines, &report.markdown())
            .with_context(|| format!("{} cannot be written to", arguments.out.display()))?;
    }
    let lines: Vec<Line> = done.into_iter().flatten().flatten().collect();
    let report = Report::of(&questionnaire, &models, &lines);
    if arguments.json {
        output::print_json(&report)?;
    } else {
        output::print(&table(&report))?;
        output::note(&format!("written to {}: responses.jsonl, metadata.jsonl, report.md", arguments.out.display()));
    }
    Ok(exit(&lines))
}

fn exit(lines: &[Line]) -> Exit {
    if lines.iter().any(|line| line.budget_exhausted) {
        Exit::BudgetExhausted
    } else if lines.iter().all(|line| line.response.answer.is_some()) {
        Exit::Ok
    } else {
        Exit::Partial
    }
}

fn progress_line(unit: &Unit<'_>, lines: &[Line]) -> String {
    let answered = lines.iter().filter(|line| line.response.answer.is_some()).count();
    let why = lines.iter().find_map(|line| line.metadata.error.as_ref());
    let why = why.map_or_else(String::new, |why| format!(": {why}"));
    format!("{} · {}: {answered} of {} answered{why}", unit.route.model, unit.section.id, lines.len())
}

fn read(path: &Path) -> Result<Questionnaire> {
    let unreadable = || format!("{} cannot be read", path.display());
    if std::fs::metadata(path).with_context(unreadable)?.len() > MAX_BYTES {
        return Err(UsageError(format!("{} is larger than 4 MiB", path.display())).into());
    }
    let text = std::fs::read_to_string(path).with_context(unreadable)?;
    let value = yaml_to_json(&text).map_err(|why| UsageError(format!("{}: {why}", path.display())))?;
    Questionnaire::from_value(value).map_err(|error| UsageError(format!("{}: {error}", path.display())).into())
}

fn table(report: &Report) -> String {
    let headings = ["model", "answered", "retries", "mean rating", "agreement", "credits"];
    let mut table = Listing::new(&headings, &["retries"]);
    let share = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"));
    for model in &report.models {
        table.add_row([
            model.model.clone(),
            format!("{} of {}", model.answered, report.questions),
            model.retries.to_string(),
            share(model.mean_rating),
            share(model.agreement),
            credits_or_unknown(model.cost_microcredits),
        ]);
    }
    table.to_string()
}
