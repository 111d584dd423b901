//! User feedback on answers: whether they, or refusals, are right. Those rated right become questions of a benchmark.

use aha_store::AnswerFeedback;
use serde::Serialize;

use super::{AskError, MAX_QUESTION_CHARS, cleaned};
use crate::app::App;
use crate::services::ServiceError;

/// Ample for an answer of 60 words, or one written by a model.
const MAX_ANSWER_CHARS: usize = 8_000;

/// Stores a user's rating of an answer, which replaces their earlier one of that question. `answer` is `None` for a
/// refusal.
///
/// # Errors
/// When the question is empty or too long, or the store fails.
pub async fn record(
    app: &App,
    user: &str,
    question: &str,
    answer: Option<&str>,
    is_right: bool,
) -> Result<(), AskError> {
    let question = cleaned(question);
    if question.is_empty() {
        return Err(AskError::Empty);
    }
    if question.chars().count() > MAX_QUESTION_CHARS {
        return Err(AskError::TooLong);
    }
    let answer = answer.map(cleaned).filter(|answer| !answer.is_empty());
    let feedback = AnswerFeedback {
        user: user.to_owned(),
        question,
        answer: answer.map(|answer| answer.chars().take(MAX_ANSWER_CHARS).collect()),
        is_right,
        given_at: app.clock().now(),
    };
    app.store().put_answer_feedback(&feedback).await.map_err(ServiceError::from)?;
    Ok(())
}

/// A user's rating of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerRating {
    pub question: String,
    /// `None` where the question was refused.
    pub answer: Option<String>,
    pub is_right: bool,
}

/// Lists the ratings of one user, or of all, the oldest first.
///
/// # Errors
/// When the store fails.
pub async fn list(app: &App, user: Option<&str>) -> Result<Vec<AnswerRating>, AskError> {
    let stored = app.store().answer_feedback().await.map_err(ServiceError::from)?;
    let rating =
        |one: AnswerFeedback| AnswerRating { question: one.question, answer: one.answer, is_right: one.is_right };
    Ok(stored.into_iter().filter(|one| user.is_none_or(|user| one.user == user)).map(rating).collect())
}

/// A ground truth file, as `aha-radar benchmark` reads it.
#[derive(Debug, Serialize)]
pub struct GroundTruth {
    version: &'static str,
    created: String,
    description: &'static str,
    questions: Vec<ExportedQuestion>,
}

#[derive(Debug, Serialize)]
struct ExportedQuestion {
    id: String,
    category: &'static str,
    question: String,
    /// Null if a refusal is right.
    expected_answer: Option<String>,
    variations: Vec<String>,
    citation_required: bool,
    tags: Vec<&'static str>,
}

/// Returns the answers and refusals that any user rated right.
///
/// # Errors
/// When the store fails.
pub async fn ground_truth(app: &App) -> Result<GroundTruth, AskError> {
    let ratings = list(app, None).await?;
    let questions = ratings.into_iter().filter(|one| one.is_right).enumerate().map(|(number, one)| ExportedQuestion {
        id: format!("q{:03}", number + 1),
        category: if one.answer.is_some() { "answered" } else { "refused" },
        citation_required: one.answer.is_some(),
        question: one.question,
        expected_answer: one.answer,
        variations: Vec::new(),
        tags: vec!["feedback"],
    });
    Ok(GroundTruth {
        version: "1.0",
        created: app.clock().now().to_utc().format("%Y-%m-%d").to_string(),
        description: "Answers that were called right",
        questions: questions.collect(),
    })
}
