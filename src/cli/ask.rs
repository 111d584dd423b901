//! `aha-radar ask`.

use aha_content::documents::row_cells;
use aha_core::shell;
use anyhow::Result;
use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

use super::arguments::QuestionArguments;
use super::exit::{self, Exit};
use super::late_calls;
use super::listing::hang;
use super::output;
use crate::app::App;
use crate::ask::{Answer, AskError, AskRequest, Citation, CitedSentence, ask, feedback, is_written, load_models};
use crate::digest::wrap::wrap;
use crate::services::search::suggested_query;

/// Columns before a source or a note.
const INDENT: usize = 2;
/// Columns before the further cells of a row.
const CELL_INDENT: usize = 4;
/// Stands for a space at which no line is broken.
const JOINER: char = '\u{e000}';

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
        Err(error) => refuse(app, error, &request, json).await,
    };
    late_calls::finish(app, "its answer is stored and its cost known").await;
    shown
}

/// Reports why there is no answer; if no text answers the question, how to search for those of its words that occur. As
/// JSON, an object like that of `POST /ask` is printed as well.
async fn refuse(app: &App, error: AskError, request: &AskRequest, json: bool) -> Result<Exit> {
    if let (Some(code), true) = (error.code(), json) {
        output::print_json(&Refusal { error: code, message: error.to_string() })?;
    }
    let AskError::Unanswered { read_as, note } = &error else { return Err(error.into()) };
    // The refusal is to be reported also if the words cannot be counted.
    let query = suggested_query(app, read_as.as_ref().unwrap_or(&request.question)).await.unwrap_or_default();
    let how_read = note.clone();
    let error = anyhow::Error::from(error);
    output::error(&error);
    if let Some(note) = how_read {
        output::note(&note);
    }
    if let Some(query) = query {
        output::note(&format!("to see what has any of its words: aha-radar search {}", shell::word(&query)));
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

/// Said of an answer that no model wrote.
const CAUTION: &str = "quoted without a model, so it may be about something only similar";

/// Formats an answer with the numbers of its sources behind each sentence, and these sources below it. A row of a
/// table, and sentences of another document, begin a new line. `is_quoted`: no model wrote it.
fn formatted(answer: &Answer, is_quoted: bool, width: usize) -> String {
    let safe = output::one_safe_text;
    let document = |sentence: &CitedSentence| {
        sentence.citations.first().and_then(|place| answer.citations.get(*place)).map(|citation| &citation.document)
    };
    let is_row = |sentence: &CitedSentence| row_cells(&sentence.text).is_some();
    let is_like = |one: &CitedSentence, next: &CitedSentence| is_row(one) == is_row(next);
    let mut text = String::new();
    for of_one in answer.sentences.chunk_by(|one, next| document(one) == document(next) && is_like(one, next)) {
        let sentences = of_one.iter().map(|sentence| (safe(&sentence.text), sentence.numbers()));
        let lines: Vec<String> = if of_one.first().is_some_and(is_row) {
            sentences.flat_map(|(row, numbers)| row_lines(&row, &numbers, width)).collect()
        } else {
            let paragraph: Vec<String> = sentences.map(|(text, numbers)| marked(&text, &numbers, width)).collect();
            wrapped(&paragraph.join(" "), width)
        };
        text.extend(lines.into_iter().map(|line| line + "\n"));
    }
    text.push('\n');
    for (number, citation) in (1..).zip(&answer.citations) {
        let number = format!("{:INDENT$}[{number}] ", "");
        let named = safe(&source(citation)).replace('\n', " ");
        text.extend(hang(&format!("{number}{named}"), number.width(), Some(width)).into_iter().map(|line| line + "\n"));
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

/// Adds the numbers of its sources to a sentence, so that [`wrapped`] leaves them beside its last word, of which a part
/// goes to the next line if it is too long for one.
fn marked(sentence: &str, numbers: &str, width: usize) -> String {
    let sentence = sentence.trim_end();
    let (before, last) = sentence.rsplit_once(char::is_whitespace).unwrap_or(("", sentence));
    let room = width.saturating_sub(numbers.width() + 1);
    let last = if last.width() > room { wrap(last, room).join(" ") } else { last.to_owned() };
    format!("{before} {last}{JOINER}{numbers}")
}

fn wrapped(text: &str, width: usize) -> Vec<String> {
    wrap(text, width).into_iter().map(|line| line.replace(JOINER, " ")).collect()
}

/// Returns a row in one line or, if it is too long, with a line for each cell, those after the first indented.
fn row_lines(row: &str, numbers: &str, width: usize) -> Vec<String> {
    let row = row.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = format!("{row} {numbers}");
    if line.width() <= width {
        return vec![line];
    }
    let cells = row_cells(&row).unwrap_or_else(|| vec![row.as_str()]);
    let mut cells: Vec<String> = cells.into_iter().map(str::to_owned).collect();
    let inner = width.saturating_sub(CELL_INDENT);
    if let Some(last) = cells.last_mut() {
        *last = marked(last, numbers, inner);
    }
    let mut lines = Vec::new();
    for (number, cell) in cells.iter().enumerate() {
        let indent = if number == 0 { 0 } else { CELL_INDENT };
        let of_cell = wrapped(cell, if number == 0 { width } else { inner });
        lines.extend(of_cell.into_iter().map(|line| format!("{:indent$}{line}", "")));
    }
    lines
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

    /// An answer of these sentences, each with the first source.
    fn answer_of(sentences: &[&str], document: &str) -> Answer {
        let sentence = |text: &&str| CitedSentence { text: (*text).to_owned(), citations: vec![0] };
        let citation = Citation {
            document: document.to_owned(),
            section: "How it is going at the low end".to_owned(),
            relevance_score: 0.5,
            url: None,
            time: None,
            item: None,
            title: None,
        };
        let sentences: Vec<CitedSentence> = sentences.iter().map(sentence).collect();
        let answer = sentences.iter().map(|sentence| sentence.text.as_str()).collect::<Vec<_>>().join(" ");
        Answer { answer, sentences, citations: vec![citation], ..Answer::default() }
    }

    #[test]
    fn the_number_of_a_source_stays_beside_its_sentence() {
        let answer = answer_of(&["We start the year with 612 pupils.", "日本語日本語日本語日本語日本語。"], "a.md");
        for width in 12..60 {
            let shown = formatted(&answer, false, width);
            let text = shown.split("\n\n").next().unwrap();
            assert_eq!(text.matches("[1]").count(), 2, "{shown}");
            assert!(text.lines().all(|line| line.width() <= width && !line.trim().starts_with("[1]")), "{shown}");
        }
    }

    #[test]
    fn a_source_is_wrapped_behind_its_number() {
        let shown = formatted(&answer_of(&["It rains."], "how-is-math-going.md"), false, 40);
        let list = "  [1] how-is-math-going.md, \"How it is\n      going at the low end\"\n";
        assert_eq!(shown, format!("It rains. [1]\n\n{list}"));
    }

    #[test]
    fn each_row_is_a_line_of_its_own_or_has_one_for_each_cell() {
        let rows = ["Prices:", "lesson: half an hour · adults: £318", "lesson: an hour · adults: £468", "So it is."];
        let answer = answer_of(&rows, "fees.md");
        let text = |width| formatted(&answer, false, width).split("\n\n").next().unwrap().to_owned();
        let rows = "lesson: half an hour · adults: £318 [1]\nlesson: an hour · adults: £468 [1]";
        assert_eq!(text(60), format!("Prices: [1]\n{rows}\nSo it is. [1]"));
        let cells = "lesson: half an hour\n    adults: £318 [1]\nlesson: an hour\n    adults: £468 [1]";
        assert_eq!(text(24), format!("Prices: [1]\n{cells}\nSo it is. [1]"));
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
        let first = Citation { section: "Paragraph 1".to_owned(), ..citation };
        assert_eq!(source(&first), "rules.md, \"Paragraph 1\"");
        assert_eq!(source(&Citation { item: Some(aha_core::ids::ItemId::of(&["rules"])), ..first }), "rules.md");
    }
}
