//! `aha-radar ask`.

use std::fmt::Write as _;

use anyhow::Result;

use super::arguments::QuestionArguments;
use super::exit::Exit;
use super::output;
use crate::app::App;
use crate::ask::{AskRequest, ask, feedback};

pub(super) async fn run(app: &App, arguments: QuestionArguments) -> Result<Exit> {
    let QuestionArguments { question, topic, since, json, export } = arguments;
    if export {
        output::print_json(&feedback::ground_truth(app).await?)?;
        return Ok(Exit::Ok);
    }
    let answer = ask(app, &AskRequest { question: question.join(" "), topic, since }).await?;
    if json {
        output::print_json(&answer)?;
        return Ok(Exit::Ok);
    }
    let safe = output::one_safe_text;
    let mut text = format!("{}\n\n", safe(&answer.answer));
    for citation in &answer.citations {
        let url = citation.url.as_ref().map(|url| format!(" {}", safe(url))).unwrap_or_default();
        let _ = writeln!(text, "  {}, \"{}\"{url}", safe(&citation.document), safe(&citation.section));
    }
    for note in [&answer.note, &answer.degraded].into_iter().flatten() {
        let _ = writeln!(text, "  Note: {}", safe(note));
    }
    output::print(&text)?;
    Ok(Exit::Ok)
}
