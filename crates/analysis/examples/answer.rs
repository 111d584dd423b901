//! Answers questions about a folder of documents: `answer FOLDER [WEIGHTS] < questions`, a question a line; a line of JSON each.
//!
//! What `scripts/ask/` tunes with: nothing is stored, so a change of a weight is seen at once.

use std::io::{BufRead as _, Write as _};
use std::path::Path;

use aha_analysis::retrieval::{Block, Meaning, Question, Source, answer};
use aha_analysis::static_model::Weights;
use aha_analysis::stories::space::Space;
use aha_content::documents::{Document, read};
use aha_content::sentences::sentences;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = arguments.first().ok_or("usage: answer FOLDER [WEIGHTS] < questions")?;
    let mut paths: Vec<_> = std::fs::read_dir(folder)?.flatten().map(|file| file.path()).collect();
    paths.sort();
    let mut documents: Vec<(String, Document)> = Vec::new();
    for path in paths {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        documents.push((name.clone(), read(&name, &std::fs::read(&path)?)?));
    }
    let weights = match arguments.get(1) {
        Some(folder) => Some(tokio::runtime::Runtime::new()?.block_on(Weights::load(Path::new(folder)))?),
        None => None,
    };
    let meaning = Meaning::with(weights.as_ref().map(|weights| weights as &dyn Space), None);
    let sources: Vec<Source<'_>> = documents.iter().flat_map(|(name, document)| passages(name, document)).collect();
    for question in std::io::stdin().lock().lines() {
        let found = answer(&Question::new(&question?), &sources, &meaning, None).filter(|found| found.is_answered);
        let quotes = found.as_ref().map(|found| {
            let quote = |quote: &aha_analysis::retrieval::Quote| {
                let source = &sources[quote.passage];
                serde_json::json!({"document": source.document, "section": source.section})
            };
            found.quotes.iter().map(quote).collect::<Vec<_>>()
        });
        let answer = found.map(|found| found.text());
        writeln!(std::io::stdout(), "{}", serde_json::json!({"answer": answer, "citations": quotes}))?;
    }
    Ok(())
}

fn passages<'d>(name: &'d str, document: &'d Document) -> impl Iterator<Item = Source<'d>> {
    let dated = document.standing.dated.and_then(|date| date.and_hms_opt(0, 0, 0));
    let dated = dated.map_or(0, |date| date.and_utc().timestamp_millis());
    document.passages.iter().map(move |passage| Source {
        document: name,
        title: document.title.as_deref(),
        section: &passage.section,
        blocks: passage.text.lines().map(|text| Block { text, sentences: sentences(text) }).collect(),
        dated,
        is_replaced: document.standing.is_replaced,
    })
}
