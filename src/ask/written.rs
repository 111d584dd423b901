//! Answers that a model writes from numbered passages (task `answer`). Each sentence is checked against those it cites
//! and removed if unsupported; if none is left, that is a refusal. The same question on the same passages is paid for
//! once.

use std::collections::BTreeSet;
use std::time::Duration;

use aha_analysis::retrieval::CandidatePassage;
use aha_core::time::Timestamp;
use aha_llm::tasks::answer::{AnswerInput, NumberedPassage, TASK, input};
use aha_llm::{Outcome, TaskItem};
use aha_net::hash::hex32;
use serde::Deserialize;

use super::support::is_supported;
use crate::app::App;

/// The result of asking a model.
pub(super) enum Written {
    /// The supported sentences, each with the indices of the passages it cites.
    Answer(Vec<(String, Vec<usize>)>),
    /// According to the model or the check of its sentences, the passages do not answer the question.
    Refused,
    /// The model could not be asked, or did not answer in time: why.
    Unavailable(String),
}

#[derive(Deserialize)]
struct ModelAnswer {
    is_answered: bool,
    sentences: Vec<ModelSentence>,
}

#[derive(Deserialize)]
struct ModelSentence {
    text: String,
    passages: Vec<i64>,
}

/// Returns whether a model is configured for the task.
pub(super) fn is_configured(app: &App) -> bool {
    app.gateway().can_do(TASK, app.config().budget_tier)
}

/// Asks the model about these passages, the most likely first, within the time limit. A call that takes longer goes on in
/// the background: it is settled, and its answer stored for the next time.
pub(super) async fn write(app: &App, question: &str, candidates: &[&CandidatePassage<'_>], limit: Duration) -> Written {
    let numbered = |(at, candidate): (usize, &&CandidatePassage<'_>)| NumberedPassage {
        number: at + 1,
        document: candidate.document.to_owned(),
        section: candidate.section.to_owned(),
        date: Timestamp::from_millis(candidate.dated).to_string().chars().take(10).collect(),
        text: candidate.blocks.iter().map(|block| block.text).collect::<Vec<_>>().join("\n"),
    };
    let asked =
        AnswerInput { question: question.to_owned(), passages: candidates.iter().enumerate().map(numbered).collect() };
    let texts: Vec<String> = asked.passages.iter().map(|passage| passage.text.clone()).collect();
    let known = asked.passages.iter().map(|p| format!("{}\n{}\n{}", p.document, p.section, p.text));
    let fingerprint =
        hex32(std::iter::once(question.to_owned()).chain(known).collect::<Vec<_>>().join("\n\n").as_bytes());
    let item = TaskItem { fingerprint, members: Vec::new(), input: input(asked) };
    match tokio::time::timeout(limit, called(app, item)).await {
        Err(_) => Written::Unavailable("the model took too long".to_owned()),
        Ok(Outcome::Failed { reason } | Outcome::Skipped { reason }) => Written::Unavailable(reason),
        Ok(Outcome::Answered { answer, .. }) => match serde_json::from_value::<ModelAnswer>(answer) {
            Ok(answer) => supported(question, answer, &texts),
            Err(error) => Written::Unavailable(error.to_string()),
        },
    }
}

/// Makes the call in a task of its own, which continues if the caller stops waiting. The same question on the same
/// passages in the meantime waits for the same call.
async fn called(app: &App, item: TaskItem) -> Outcome {
    let (key, of_task) = (item.fingerprint.clone(), app.clone());
    let calling = async move { call(&of_task, &item).await };
    let outcome = app.answers_in_progress().join(key, calling, |call| drop(app.spawn(call))).await;
    outcome.unwrap_or_else(|| failed(&"the call ended without an outcome"))
}

async fn call(app: &App, item: &TaskItem) -> Outcome {
    let scope = app.gateway().standalone(TASK, app.config().budget_tier);
    app.gateway().answer_item(app.store(), TASK, &scope, item).await.unwrap_or_else(|error| failed(&error))
}

fn failed(error: &dyn std::fmt::Display) -> Outcome {
    Outcome::Failed { reason: error.to_string() }
}

/// Keeps the supported sentences. Citations of passages that were not sent are ignored.
fn supported(question: &str, answer: ModelAnswer, texts: &[String]) -> Written {
    if !answer.is_answered {
        return Written::Refused;
    }
    let mut kept = Vec::new();
    let mut words = 0;
    for sentence in answer.sentences {
        let places = sentence.passages.iter().filter_map(|number| usize::try_from(*number).ok()?.checked_sub(1));
        let mut seen = BTreeSet::new();
        let cited: Vec<usize> = places.filter(|place| *place < texts.len() && seen.insert(*place)).collect();
        let passages: Vec<&str> = cited.iter().map(|place| texts[*place].as_str()).collect();
        let length = sentence.text.split_whitespace().count();
        let fits = words + length <= aha_analysis::retrieval::extract::MAX_WORDS;
        if fits && !cited.is_empty() && is_supported(&sentence.text, question, &passages) {
            words += length;
            kept.push((sentence.text, cited));
        } else {
            tracing::info!(
                cited = cited.len(),
                "a sentence of an answer is not supported by what it cites, and was cut"
            );
        }
    }
    if kept.is_empty() { Written::Refused } else { Written::Answer(kept) }
}
