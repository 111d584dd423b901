//! The assistant: a sentence in, a proposal out. Nothing is changed here; what the owner accepts goes through `services::planner::apply`.
//!
//! Comes in: a [`Message`] with the mode, the last turns, and what the owner chose when asked. Goes out: [`Event`]s while it works and an
//! [`Answer`]. Called by the command line and the web. [`STAGES`] is the order of work; a model is asked by [`model`] where one is
//! configured for the task, else `local` reads the sentence by rules (`aha_planner::language`).

mod chat;
mod context;
mod model;
mod propose;
mod repair;
mod route;
mod summarise;

use aha_planner::apply::State;
use aha_planner::language::{Question, Selection, Today};
use aha_planner::matching::ClarifyOption;
use aha_planner::shape::infer_operation_shape;
use aha_planner::validate::{CheckedOperation, Validation, validate_proposal};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::app::App;
use crate::services::{Result, ServiceError, planner};

/// Below it a route becomes a question.
pub const CLARIFY_THRESHOLD: f64 = 0.45;
/// Below it a plan becomes a chat.
pub const CHAT_THRESHOLD: f64 = 0.70;
/// So many turns of the conversation count.
pub const TURNS_KEPT: usize = 3;
/// A longer message is refused.
pub const MAX_MESSAGE_CHARS: usize = 4_000;

/// What the owner wants of the assistant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Operations.
    #[default]
    Plan,
    /// An answer in words, and no operations.
    Chat,
    /// Whichever fits.
    Auto,
}

/// What was said before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    pub role: String,
    pub text: String,
}

/// A sentence of the owner's, and what belongs to it.
#[derive(Debug, Clone, Default)]
pub struct Message {
    pub text: String,
    pub mode: Mode,
    /// Only the last [`TURNS_KEPT`] count.
    pub transcript: Vec<Turn>,
    /// The question that this answers.
    pub question: Option<String>,
    pub selection: Selection,
}

/// What was made of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    Plan,
    Chat,
    Clarify,
}

/// What happens, as it happens.
#[derive(Debug, Clone)]
pub enum Event {
    /// A stage begins.
    Stage(&'static str),
    Clarify(Question),
    Ops(Ops),
    Summary(String),
}

/// Operations as they stand after validation or repair.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ops {
    /// The version of the records that they are proposed for.
    pub version: i64,
    pub operations: Vec<CheckedOperation>,
    pub valid_count: usize,
    pub invalid_count: usize,
}

/// What the owner is answered.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    pub decision: Decision,
    pub text: String,
    /// To be applied to this version of the records.
    pub version: i64,
    pub operations: Vec<CheckedOperation>,
    pub requires_clarification: bool,
    pub question: Option<String>,
    pub options: Vec<ClarifyOption>,
    /// Who read the message: `local`, or the provider of a model.
    pub provider: String,
    /// What was done without the model that is configured for it, and why.
    pub warnings: Vec<String>,
}

/// The order of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Plan, chat or question.
    Route,
    /// Operations for the message.
    Propose,
    /// Each operation in its one form.
    Shape,
    /// What is wrong with each.
    Validate,
    /// Once: by rules, then by a model; where that leaves something invalid, what was valid before it stays.
    Repair,
    /// The operations in words.
    Summarise,
}

pub const STAGES: [Stage; 6] =
    [Stage::Route, Stage::Propose, Stage::Shape, Stage::Validate, Stage::Repair, Stage::Summarise];

impl Stage {
    /// As clients are told; `None` for what takes no time.
    #[must_use]
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::Route => Some("routing"),
            Self::Propose => Some("proposing"),
            Self::Shape => None,
            Self::Validate => Some("validating"),
            Self::Repair => Some("repairing"),
            Self::Summarise => Some("summarizing"),
        }
    }
}

/// What the stages hand on.
#[derive(Debug)]
struct Draft<'a> {
    message: &'a Message,
    state: State,
    version: i64,
    today: Today,
    zone: String,
    decision: Decision,
    question: Option<Question>,
    proposed: Vec<Value>,
    checked: Option<Validation>,
    /// How many of the proposed could not be used.
    dropped: usize,
    text: String,
    provider: String,
    /// Records that the router found named.
    focus: Vec<i64>,
    warnings: Vec<String>,
}

/// Answers a message, and says what it does on the way.
pub async fn answer(app: &App, message: &Message, mut emit: impl FnMut(Event) + Send) -> Result<Answer> {
    check(message)?;
    let planner = planner::planner(app).await?;
    let mut draft = Draft {
        message,
        state: planner.state,
        version: planner.version,
        today: planner::today(app).await?,
        zone: planner::zone(app).await?.name().to_owned(),
        decision: if message.mode == Mode::Chat { Decision::Chat } else { Decision::Plan },
        question: None,
        proposed: Vec::new(),
        checked: None,
        dropped: 0,
        text: String::new(),
        provider: model::LOCAL.to_owned(),
        focus: message.selection.ids.clone(),
        warnings: Vec::new(),
    };
    for stage in STAGES {
        if draft.decision == Decision::Plan && stage.is_due(&draft) {
            // What turns out to be talk has its summary alone: the stage of routing is announced once that is known.
            let announced = stage.name().filter(|_| stage != Stage::Route);
            if let Some(name) = announced {
                emit(Event::Stage(name));
            }
            stage.run(app, &mut draft, &mut emit).await?;
            let late = stage.name().filter(|_| stage == Stage::Route && draft.decision != Decision::Chat);
            if let Some(name) = late {
                emit(Event::Stage(name));
            }
        }
    }
    match draft.decision {
        Decision::Chat => {
            chat::run(app, &mut draft).await?;
            emit(Event::Summary(draft.text.clone()));
        }
        Decision::Clarify => emit(Event::Clarify(draft.asked())),
        Decision::Plan => {}
    }
    Ok(draft.into_answer())
}

fn check(message: &Message) -> Result<()> {
    let chars = message.text.chars().count();
    if message.text.trim().is_empty() || chars > MAX_MESSAGE_CHARS {
        let text = format!("a message has 1 to {MAX_MESSAGE_CHARS} characters");
        return Err(ServiceError::invalid("message", text));
    }
    Ok(())
}

impl Stage {
    fn is_due(self, draft: &Draft<'_>) -> bool {
        match self {
            Self::Route => draft.message.mode == Mode::Auto,
            Self::Repair => draft.checked.as_ref().is_some_and(|checked| !checked.is_valid()),
            Self::Propose | Self::Shape | Self::Validate | Self::Summarise => true,
        }
    }

    async fn run(self, app: &App, draft: &mut Draft<'_>, emit: &mut (impl FnMut(Event) + Send)) -> Result<()> {
        match self {
            Self::Route => route::run(app, draft).await?,
            Self::Propose => propose::run(app, draft).await?,
            Self::Shape => {
                let shaped = |one: &Value| infer_operation_shape(one).map_or_else(|| one.clone(), Value::Object);
                draft.proposed = draft.proposed.iter().map(shaped).collect();
            }
            Self::Validate => {
                draft.checked = Some(validate_proposal(&draft.proposed, &draft.state));
                emit(Event::Ops(draft.ops()));
            }
            Self::Repair => {
                repair::run(app, draft).await?;
                emit(Event::Ops(draft.ops()));
            }
            Self::Summarise => {
                summarise::run(app, draft).await?;
                emit(Event::Summary(draft.text.clone()));
            }
        }
        Ok(())
    }
}

impl Draft<'_> {
    /// Turns to a question; nothing is proposed.
    fn ask(&mut self, question: Question) {
        self.decision = Decision::Clarify;
        self.proposed.clear();
        self.question = Some(question);
    }

    fn asked(&self) -> Question {
        self.question.clone().unwrap_or_else(|| Question::new("What should be planned?", Vec::new()))
    }

    fn ops(&self) -> Ops {
        let operations = self.checked.as_ref().map(|checked| checked.results.clone()).unwrap_or_default();
        let invalid_count = operations.iter().filter(|result| result.operation.is_none()).count();
        Ops { version: self.version, valid_count: operations.len() - invalid_count, operations, invalid_count }
    }

    fn into_answer(self) -> Answer {
        let question = (self.decision == Decision::Clarify).then(|| self.asked());
        let operations = self.checked.map(|checked| checked.results).filter(|_| self.decision == Decision::Plan);
        Answer {
            decision: self.decision,
            text: question.as_ref().map_or(self.text, |question| question.question.clone()),
            version: self.version,
            operations: operations.unwrap_or_default(),
            requires_clarification: question.is_some(),
            options: question.as_ref().map(|question| question.options.clone()).unwrap_or_default(),
            question: question.map(|question| question.question),
            provider: self.provider,
            warnings: self.warnings,
        }
    }
}
