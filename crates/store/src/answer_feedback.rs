//! What users say of answers to their questions: the operations, and their record.

use aha_core::time::Timestamp;
use async_trait::async_trait;

use crate::Result;

/// What a user said of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerFeedback {
    /// The user's name.
    pub user: String,
    pub question: String,
    /// `None` where the question was refused.
    pub answer: Option<String>,
    /// Whether the answer, or the refusal, is right.
    pub is_right: bool,
    pub given_at: Timestamp,
}

#[async_trait]
pub trait AnswerFeedbackStore: Send + Sync {
    /// Keeps it, in the place of what the user said of that question before.
    async fn put_answer_feedback(&self, feedback: &AnswerFeedback) -> Result<()>;
    /// All of it, the oldest first.
    async fn answer_feedback(&self) -> Result<Vec<AnswerFeedback>>;
}
