//! `aha-radar ask`.

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::Result;

use super::arguments::QuestionArguments;
use super::exit::{self, Exit};
use super::output;
use crate::app::App;
use crate::ask::{Answer, AskError, AskRequest, Citation, CitedSentence, ask, feedback, load_models, search_query};
use crate::services::models;

/// Waiting that is longer than this is explained.
const NOTE_AFTER: Duration = Duration::from_millis(200);

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
        Ok(answer) => show(&answer, json).map(|()| Exit::Ok),
        Err(AskError::Unanswered) => Ok(refuse(&request)),
        Err(error) => Err(error.into()),
    };
    finish(app).await;
    shown
}

/// Reports that nothing answers the question, and how to search for its words.
fn refuse(request: &AskRequest) -> Exit {
    let error = anyhow::Error::from(AskError::Unanswered);
    output::error(&error);
    if let Some(query) = search_query(&request.question) {
        output::note(&format!("to see what has any of its words: aha-radar search {}", output::shell_word(&query)));
    }
    if request.is_narrowed() {
        output::note("to ask about everything, leave out --topic, --source and --since");
    }
    exit::of(&error)
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
    output::print(&formatted(answer))
}

/// Formats an answer with the numbers of its sources behind each sentence, and these sources below it.
fn formatted(answer: &Answer) -> String {
    let safe = output::one_safe_text;
    let sentence = |sentence: &CitedSentence| format!("{} {}", safe(&sentence.text), sentence.numbers());
    let sentences: Vec<String> = answer.sentences.iter().map(sentence).collect();
    let mut text = format!("{}\n\n", sentences.join(" "));
    for (number, citation) in (1..).zip(&answer.citations) {
        let _ = writeln!(text, "  [{number}] {}", safe(&source(citation)));
    }
    for note in [&answer.note, &answer.degraded].into_iter().flatten() {
        let _ = writeln!(text, "  Note: {}", safe(note));
    }
    text
}

/// `rules.md, "Mooring Fees", 2026-03-01`, with the address of an item behind it.
fn source(citation: &Citation) -> String {
    let has_section = !citation.section.is_empty() && citation.section != citation.document;
    let section = has_section.then(|| format!("\"{}\"", citation.section));
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
        let shown = "One. [1][2] Two. [2]\n\n  [1] rules.md, \"Mooring Fees\", 2026-03-01\n  \
                     [2] Ferry strikes quay https://wire.example/1\n  Note: old is older\n";
        assert_eq!(formatted(&answer), shown);
    }
}
