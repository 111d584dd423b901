//! Users' feedback on answers to their questions: the operations and the record.

use aha_core::time::Timestamp;
use async_trait::async_trait;

use crate::Result;

/// A user's feedback on an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerFeedback {
    /// The user's name.
    pub user: String,
    pub question: String,
    /// `None` if the question was refused.
    pub answer: Option<String>,
    /// Whether the user considers the answer or the refusal right.
    pub is_right: bool,
    pub given_at: Timestamp,
}

#[async_trait]
pub trait AnswerFeedbackStore: Send + Sync {
    /// Stores feedback, replacing the user's earlier feedback on that question.
    async fn put_answer_feedback(&self, feedback: &AnswerFeedback) -> Result<()>;
    /// Returns all feedback, oldest first.
    async fn answer_feedback(&self) -> Result<Vec<AnswerFeedback>>;
}
