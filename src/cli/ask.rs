//! `aha-radar ask`.

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::Result;

use super::arguments::QuestionArguments;
use super::exit::Exit;
use super::output;
use crate::app::App;
use crate::ask::{Answer, AskRequest, ask, feedback};
use crate::services::models;

/// Waiting that is longer than this is explained.
const NOTE_AFTER: Duration = Duration::from_millis(200);

pub(super) async fn run(app: &App, arguments: QuestionArguments) -> Result<Exit> {
    let QuestionArguments { question, topic, since, json, export } = arguments;
    if export {
        output::print_json(&feedback::ground_truth(app).await?)?;
        return Ok(Exit::Ok);
    }
    let answered = ask(app, &AskRequest { question: question.join(" "), topic, since }).await;
    let shown = answered.map_err(Into::into).and_then(|answer| show(&answer, json));
    finish(app).await;
    shown.map(|()| Exit::Ok)
}

/// Waits for a model that took too long: it goes on writing, and its answer is stored for the next time.
async fn finish(app: &App) {
    tokio::select! {
        biased;
        () = models::settled(app) => return,
        () = tokio::time::sleep(NOTE_AFTER) => {}
    }
    output::note(
        "aha-radar: the model is late; waiting, so that its answer is stored and its cost known (Ctrl-C: leave at once)",
    );
    tokio::select! {
        () = models::settled(app) => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}

fn show(answer: &Answer, json: bool) -> Result<()> {
    if json {
        return output::print_json(answer);
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
    output::print(&text)
}
