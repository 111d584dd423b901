//! Puts one section to one model.

use std::sync::Arc;

use aha_core::purpose;
use aha_llm::conversation::{
    Answer, AnsweredQuestion, Archive, Conversation, ConversationError, ConversationSettings, Validate,
};
use aha_llm::provider::AnswerFormat;
use aha_llm::router::Route;
use aha_llm::{CallScope, Gateway};
use aha_store::{SharedStore, StoreError};

use super::files::{Line, Metadata, Response};
use super::{Question, Questionnaire, Section, accepted_schema, answer_schema};

/// What all conversations share.
#[derive(Debug, Clone)]
pub struct Respondent {
    pub gateway: Arc<Gateway>,
    pub store: SharedStore,
    pub scope: CallScope,
    /// Whether questions without an accepted answer are asked again.
    pub retries_rejected: bool,
}

/// One section for one model.
#[derive(Debug, Clone)]
pub struct Unit<'a> {
    /// Position in the output.
    pub number: usize,
    pub route: Route,
    pub section: &'a Section,
}

/// Returns all sections for all models, in the order of the output: by model, then as in the file.
#[must_use]
pub fn units<'a>(questionnaire: &'a Questionnaire, routes: &[Route]) -> Vec<Unit<'a>> {
    let pairs = routes.iter().flat_map(|route| questionnaire.sections.iter().map(move |section| (route, section)));
    pairs.enumerate().map(|(number, (route, section))| Unit { number, route: route.clone(), section }).collect()
}

impl Respondent {
    /// Asks all questions of a section in one conversation, and ends it. Returns one line per question, in order; a
    /// line without an answer contains the reason.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn put(
        &self,
        questionnaire: &Questionnaire,
        unit: &Unit<'_>,
    ) -> Result<(Vec<Line>, Archive), ConversationError> {
        let system = Some(questionnaire.system_prompt.clone()).filter(|prompt| !prompt.is_empty());
        let terms = ConversationSettings {
            format: AnswerFormat::Schema { name: "answer".to_owned(), schema: answer_schema().into() },
            accepts: Some(accepted_schema().into()),
            stores_answers: true,
            retries_rejected: self.retries_rejected,
            ..ConversationSettings::of(unit.route.clone(), system, purpose::QUESTIONNAIRE)
        };
        let (gateway, store) = (Arc::clone(&self.gateway), Arc::clone(&self.store));
        let mut conversation = Conversation::begin(gateway, store, self.scope.clone(), terms)?;
        let mut lines = Vec::new();
        // Why the rest of the section is not asked.
        let mut ended: Option<String> = None;
        let mut budget_exhausted = false;
        for (index, question) in unit.section.questions.iter().enumerate() {
            if let Some(why) = &ended {
                lines.push(Line { budget_exhausted, ..Line::unasked(Metadata::of(unit, question), why) });
                continue;
            }
            let outcome = match conversation.ask(&worded(unit.section, index, question), Some(validate(question))).await
            {
                Ok(answer) => Ok(answer),
                Err(ConversationError::Store(error)) => return Err(error.into()),
                Err(error) => {
                    let why = error.to_string();
                    budget_exhausted = matches!(error, ConversationError::NoBudget(_));
                    if !matches!(error, ConversationError::ValidationFailed { .. }) {
                        ended = Some(why.clone());
                    }
                    Err(why)
                }
            };
            let metadata = match conversation.history().last() {
                Some(turn) => self.metadata(unit, question, turn).await?,
                None => Metadata::of(unit, question),
            };
            lines.push(Line { budget_exhausted, ..line(question, metadata, outcome) });
        }
        Ok((lines, conversation.archive()))
    }

    /// Returns how an outcome was obtained. The cost is that of all attempts.
    async fn metadata(
        &self,
        unit: &Unit<'_>,
        question: &Question,
        turn: &AnsweredQuestion,
    ) -> Result<Metadata, StoreError> {
        let costs = self.store.costs_of_calls(&turn.calls).await?;
        Ok(Metadata {
            asked_at: Some(turn.asked_at),
            answered_at: Some(turn.answered_at),
            attempts: u32::try_from(turn.calls.len()).unwrap_or(u32::MAX),
            verification_errors: turn.verification_errors.clone(),
            cost_microcredits: costs.iter().map(|cost| cost.microcredits).sum(),
            calls: turn.calls.clone(),
            ..Metadata::of(unit, question)
        })
    }
}

impl Metadata {
    fn of(unit: &Unit<'_>, question: &Question) -> Self {
        Self {
            model: unit.route.model.to_string(),
            section: unit.section.id.clone(),
            question: question.id.clone(),
            ..Self::default()
        }
    }
}

impl Line {
    fn unasked(metadata: Metadata, why: &str) -> Self {
        let response = Response {
            model: metadata.model.clone(),
            section: metadata.section.clone(),
            question: metadata.question.clone(),
            answer: None,
            reason: None,
        };
        let metadata = Metadata { error: Some(why.to_owned()), ..metadata };
        Self { response, metadata, budget_exhausted: false }
    }
}

fn line(question: &Question, metadata: Metadata, outcome: Result<Answer, String>) -> Line {
    match outcome {
        Ok(answer) => {
            let object = answer.object.unwrap_or_default();
            let reason = object.get("reason").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
            let (input_tokens, output_tokens) = (answer.input_tokens, answer.output_tokens);
            let mut line = Line::unasked(Metadata { input_tokens, output_tokens, ..metadata }, "");
            line.metadata.error = None;
            (line.response.answer, line.response.reason) = (question.read(&object).ok(), Some(reason));
            line
        }
        Err(why) => Line::unasked(metadata, &why),
    }
}

fn worded(section: &Section, index: usize, question: &Question) -> String {
    let preface = if index == 0 { section.instructions.trim() } else { "" };
    if preface.is_empty() { question.prompt() } else { format!("{preface}\n\n{}", question.prompt()) }
}

fn validate(question: &Question) -> Validate {
    let question = question.clone();
    Arc::new(move |_, object| object.map_or(Ok(()), |object| question.read(object).map(drop)))
}
