//! Putting one section to one model.

use std::sync::Arc;

use super::files::{Line, Metadata, Response};
use super::{Question, Questionnaire, Section, answer_schema};
use crate::domain::task::purpose;
use crate::llm::conversation::{Answer, Archive, Conversation, ConversationError, Terms, Validate};
use crate::llm::provider::AnswerFormat;
use crate::llm::router::Route;
use crate::llm::{CallScope, Gateway};
use crate::store::{SharedStore, StoreError};

/// What all conversations share.
#[derive(Debug, Clone)]
pub struct Respondent {
    pub gateway: Arc<Gateway>,
    pub store: SharedStore,
    pub scope: CallScope,
}

/// One section for one model.
#[derive(Debug, Clone)]
pub struct Unit<'a> {
    /// In the order in which lines are written.
    pub number: usize,
    pub route: Route,
    pub section: &'a Section,
}

/// All sections for all models, in the order of the lines: by model, then as in the file.
#[must_use]
pub fn units<'a>(questionnaire: &'a Questionnaire, routes: &[Route]) -> Vec<Unit<'a>> {
    let pairs = routes.iter().flat_map(|route| questionnaire.sections.iter().map(move |section| (route, section)));
    pairs.enumerate().map(|(number, (route, section))| Unit { number, route: route.clone(), section }).collect()
}

impl Respondent {
    /// Asks all questions of a section in one conversation, and ends it. A line a question, in order; one without an answer says why.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn put(
        &self,
        questionnaire: &Questionnaire,
        unit: &Unit<'_>,
    ) -> Result<(Vec<Line>, Archive), ConversationError> {
        let system = Some(questionnaire.system_prompt.clone()).filter(|prompt| !prompt.is_empty());
        let terms = Terms {
            format: AnswerFormat::Schema { name: "answer".to_owned(), schema: answer_schema().into() },
            keeps_answers: true,
            ..Terms::of(unit.route.clone(), system, purpose::QUESTIONNAIRE)
        };
        let (gateway, store) = (Arc::clone(&self.gateway), Arc::clone(&self.store));
        let mut conversation = Conversation::begin(gateway, store, self.scope.clone(), terms)?;
        let mut lines = Vec::new();
        // Why the rest of the section is not asked.
        let mut ended: Option<String> = None;
        for (index, question) in unit.section.questions.iter().enumerate() {
            let outcome = match &ended {
                Some(why) => Err(why.clone()),
                None => match conversation
                    .ask(&worded(unit.section, index, question), Some(validate(question)), &mut |_| ())
                    .await
                {
                    Ok(answer) => Ok(answer),
                    Err(ConversationError::Store(error)) => return Err(error.into()),
                    Err(error) => {
                        let why = error.to_string();
                        if !matches!(error, ConversationError::ValidationFailed { .. }) {
                            ended = Some(why.clone());
                        }
                        Err(why)
                    }
                },
            };
            lines.push(self.line(unit, question, outcome).await?);
        }
        Ok((lines, conversation.archive()))
    }

    async fn line(
        &self,
        unit: &Unit<'_>,
        question: &Question,
        outcome: Result<Answer, String>,
    ) -> Result<Line, StoreError> {
        let model = unit.route.model.to_string();
        let (section, id) = (unit.section.id.clone(), question.id.clone());
        let response = |answer, reason| Response {
            model: model.clone(),
            section: section.clone(),
            question: id.clone(),
            answer,
            reason,
        };
        let metadata =
            Metadata { model: model.clone(), section: section.clone(), question: id.clone(), ..Metadata::default() };
        Ok(match outcome {
            Ok(answer) => {
                let costs = self.store.costs_of_calls(&answer.calls).await?;
                let object = answer.object.unwrap_or_default();
                let reason = object.get("reason").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
                Line {
                    response: response(question.read(&object).ok(), Some(reason)),
                    metadata: Metadata {
                        asked_at: Some(answer.asked_at),
                        answered_at: Some(answer.answered_at),
                        attempts: answer.attempts,
                        verification_errors: answer.verification_errors,
                        input_tokens: answer.input_tokens,
                        output_tokens: answer.output_tokens,
                        cost_microcredits: costs.iter().map(|cost| cost.microcredits).sum(),
                        calls: answer.calls,
                        ..metadata
                    },
                }
            }
            Err(why) => Line { response: response(None, None), metadata: Metadata { error: Some(why), ..metadata } },
        })
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
