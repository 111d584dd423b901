//! `aha-radar ask`.

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::Result;
use serde::Serialize;

use super::arguments::QuestionArguments;
use super::exit::{self, Exit};
use super::output;
use crate::app::App;
use crate::ask::{
    Answer, AskError, AskRequest, Citation, CitedSentence, ask, feedback, is_written, load_models, search_query,
};
use crate::digest::wrap::wrap;
use crate::services::models;

/// Waiting that is longer than this is explained.
const NOTE_AFTER: Duration = Duration::from_millis(200);
/// Columns before a source or a note.
const INDENT: usize = 2;

pub(super) async fn run(app: &App, arguments: QuestionArguments) -> Result<Exit> {
    let QuestionArguments { question, topic, source, since, json, export } = arguments;
    if export {
        output::print_json(&feedback::ground_truth(app).await?)?;
        return Ok(Exit::Ok);
    }
    let request = AskRequest { question: question.join(" "), topic, sources: source, since };
    // The time limit is that of a server, which loads them once for all questions.
    load_models(app).await;
    let shown = match ask(app, &request).await {
        Ok(answer) if json => output::print_json(&answer).map(|()| Exit::Ok),
        Ok(answer) => {
            let is_quoted = answer.degraded.is_some() || !is_written(app);
            output::print(&formatted(&answer, is_quoted, output::width())).map(|()| Exit::Ok)
        }
        Err(error) => refuse(error, &request, json),
    };
    finish(app).await;
    shown
}

/// Reports why there is no answer; if no text answers the question, how to search for its words. As JSON, an object
/// like that of `POST /ask` is printed as well.
fn refuse(error: AskError, request: &AskRequest, json: bool) -> Result<Exit> {
    if let (Some(code), true) = (error.code(), json) {
        output::print_json(&Refusal { error: code, message: error.to_string() })?;
    }
    let AskError::Unanswered { read_as, note } = &error else { return Err(error.into()) };
    let query = search_query(read_as.as_ref().unwrap_or(&request.question));
    let how_read = note.clone();
    let error = anyhow::Error::from(error);
    output::error(&error);
    if let Some(note) = how_read {
        output::note(&note);
    }
    if let Some(query) = query {
        output::note(&format!("to see what has any of its words: aha-radar search {}", output::shell_word(&query)));
    }
    if request.is_narrowed() {
        output::note("to ask about everything, leave out --topic, --source and --since");
    }
    Ok(exit::of(&error))
}

/// Why there is no answer, as JSON.
#[derive(Serialize)]
struct Refusal {
    error: &'static str,
    message: String,
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

/// Said of an answer that no model wrote.
const CAUTION: &str = "quoted without a model, so it may be about something only similar";

/// Formats an answer with the numbers of its sources behind each sentence, and these sources below it. Sentences of
/// another document begin a new line. `is_quoted`: no model wrote it.
fn formatted(answer: &Answer, is_quoted: bool, width: usize) -> String {
    let safe = output::one_safe_text;
    let document = |sentence: &CitedSentence| {
        sentence.citations.first().and_then(|place| answer.citations.get(*place)).map(|citation| &citation.document)
    };
    let mut text = String::new();
    for of_document in answer.sentences.chunk_by(|one, next| document(one) == document(next)) {
        let sentence = |sentence: &CitedSentence| format!("{} {}", safe(&sentence.text), sentence.numbers());
        let paragraph = of_document.iter().map(sentence).collect::<Vec<_>>().join(" ");
        for line in wrap(&paragraph, width) {
            text.extend([line.as_str(), "\n"]);
        }
    }
    text.push('\n');
    for (number, citation) in (1..).zip(&answer.citations) {
        let _ = writeln!(text, "  [{number}] {}", safe(&source(citation)));
    }
    let caution = is_quoted.then_some(CAUTION);
    for note in [answer.note.as_deref(), answer.degraded.as_deref(), caution].into_iter().flatten() {
        let note = format!("Note: {}", safe(note));
        for line in wrap(&note, width.saturating_sub(INDENT)) {
            text.extend(["  ", line.as_str(), "\n"]);
        }
    }
    text
}

/// `rules.md, "Mooring Fees", 2026-03-01`, with the address of an item behind it.
fn source(citation: &Citation) -> String {
    let section = citation.shown_section().map(|section| format!("\"{section}\""));
    let date = citation.time.map(|time| time.to_utc().format("%Y-%m-%d").to_string());
    let parts: Vec<String> = [Some(citation.document.clone()), section, date].into_iter().flatten().collect();
    let named = parts.join(", ");
    match &citation.url {
        Some(url) => format!("{named} {url}"),
        None => named,
    }
}

#[cfg(test)]
mod tests {
    use aha_core::time::Timestamp;

    use super::*;

    #[test]
    fn each_sentence_has_the_number_of_its_source() {
        let sentence =
            |text: &str, citations: &[usize]| CitedSentence { text: text.to_owned(), citations: citations.to_vec() };
        let citation = |document: &str, section: &str, url: Option<&str>, time: Option<i64>| Citation {
            document: document.to_owned(),
            section: section.to_owned(),
            relevance_score: 0.5,
            url: url.map(str::to_owned),
            time: time.map(Timestamp::from_millis),
            item: None,
            title: Some("The Rules".to_owned()),
        };
        let answer = Answer {
            answer: "One\u{1b}[2J. Two.".to_owned(),
            sentences: vec![sentence("One\u{1b}[2J.", &[0, 1]), sentence("Two.", &[1])],
            citations: vec![
                citation("rules.md", "Mooring Fees", None, Some(1_772_323_200_000)),
                citation("Ferry strikes quay", "", Some("https://wire.example/1"), None),
            ],
            note: Some("old is older".to_owned()),
            degraded: None,
        };
        let shown = "One. [1][2]\nTwo. [2]\n\n  [1] rules.md, \"Mooring Fees\", 2026-03-01\n  \
                     [2] Ferry strikes quay https://wire.example/1\n  Note: old is older\n";
        assert_eq!(formatted(&answer, false, 80), shown);
        let narrow = formatted(&answer, true, 30);
        assert!(
            narrow.ends_with("  Note: quoted without a\n  model, so it may be about\n  something only similar\n"),
            "{narrow}"
        );
    }

    #[test]
    fn a_section_that_repeats_the_title_is_not_shown() {
        let citation = Citation {
            document: "rules.md".to_owned(),
            section: "Harbour Rules".to_owned(),
            relevance_score: 0.5,
            url: None,
            time: None,
            item: None,
            title: Some("Harbour Rules".to_owned()),
        };
        assert_eq!(source(&citation), "rules.md");
    }
}
