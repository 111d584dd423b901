//! What is known of every sentence of a folder of documents for every question, a question a line as JSON, for `scripts/ask/fit.py`.
//!
//! usage: `ask_features DOCUMENTS QUESTIONS.json [--static FOLDER] [--model FOLDER]`

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

use aha_analysis::retrieval::extract::describe;
use aha_analysis::retrieval::{Block, Meaning, Question, SentenceVectors, Source};
use aha_analysis::static_model::Weights;
use aha_analysis::stories::space::Space;
use aha_content::documents::{Document, read};
use aha_content::sentences::sentences;
use aha_sentence::SentenceModel;
use serde_json::json;

/// Each text is encoded once.
struct Cached {
    model: SentenceModel,
    known: Mutex<HashMap<String, Vec<f32>>>,
}

impl SentenceVectors for Cached {
    fn vectors(&self, texts: &[String]) -> Vec<Vec<f32>> {
        let mut known = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let new: Vec<String> = texts.iter().filter(|text| !known.contains_key(*text)).cloned().collect();
        let made = self.model.encode(&new);
        known.extend(new.into_iter().zip(made));
        texts.iter().map(|text| known[text].clone()).collect()
    }
}

type Failure = Box<dyn std::error::Error>;

#[tokio::main]
#[expect(clippy::print_stdout, reason = "it is an example")]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, questions, ..] = arguments.as_slice() else {
        return Err("DOCUMENTS and QUESTIONS.json are wanted".into());
    };
    let option =
        |name: &str| arguments.iter().position(|argument| argument == name).and_then(|at| arguments.get(at + 1));
    let weights = match option("--static") {
        Some(folder) => Some(Weights::load(folder.as_ref()).await?),
        None => None,
    };
    let model = option("--model").map(|folder| SentenceModel::load(folder.as_ref())).transpose()?;
    let model = model.map(|model| Cached { model, known: Mutex::default() });
    let meaning = Meaning::with(
        weights.as_ref().map(|weights| weights as &dyn Space),
        model.as_ref().map(|model| model as &dyn SentenceVectors),
    );
    let documents = documents(folder.as_ref())?;
    let sources: Vec<Source<'_>> = documents.iter().flat_map(|(name, document)| sources(name, document)).collect();
    let questions: Vec<String> = serde_json::from_slice(&std::fs::read(questions)?)?;
    for question in questions {
        let asked = Question::new(&question);
        let described = describe(&asked, &sources, &meaning);
        let sentence = |one: &aha_analysis::retrieval::extract::Described| {
            let source = &sources[one.passage];
            json!({"passage": one.passage, "document": source.document, "section": source.section, "text": one.text,
                "may_answer": one.may_answer, "features": one.features, "evidence": one.evidence})
        };
        let sentences: Vec<_> = described.iter().map(sentence).collect();
        println!("{}", json!({"question": question, "sentences": sentences}));
    }
    Ok(())
}

fn documents(folder: &Path) -> Result<Vec<(String, Document)>, Failure> {
    let mut documents = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        documents.push((name.clone(), read(&name, &std::fs::read(entry.path())?)?));
    }
    documents.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(documents)
}

fn sources<'d>(name: &'d str, document: &'d Document) -> impl Iterator<Item = Source<'d>> {
    let dated = document
        .standing
        .dated
        .and_then(|date| date.and_hms_opt(0, 0, 0))
        .map_or(0, |at| at.and_utc().timestamp_millis());
    document.passages.iter().map(move |passage| Source {
        document: name,
        title: document.title.as_deref(),
        section: &passage.section,
        blocks: passage.text.lines().map(|text| Block { text, sentences: sentences(text) }).collect(),
        dated,
        is_replaced: document.standing.is_replaced,
    })
}
