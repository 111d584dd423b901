//! The assistant turns a sentence into a proposal. It changes nothing; what the user accepts goes through
//! `services::planner::apply`.
//!
//! Input: a [`Message`] with the mode, the last turns, and the user's answer to a question. Output: [`Event`]s during
//! the work and an [`Answer`]. Called by the command line and the web. [`STAGES`] is the order of work. A model is
//! asked by `model` if one is configured for the task; otherwise `local` parses the sentence by rules
//! (`aha_planner::language`).

mod chat;
mod context;
mod model;
mod plain_text;
mod propose;
mod repair;
mod route;
mod summarise;

use aha_core::model::LOCAL_PROVIDER;
use aha_planner::apply::State;
use aha_planner::language::{Question, Selection, Today};
use aha_planner::matching::ClarifyOption;
use aha_planner::shape::infer_operation_shape;
use aha_planner::unknown_fields;
use aha_planner::validate::{CheckedOperation, Validation, validate_proposal};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use context::overdue;

use crate::app::App;
use crate::services::{Result, ServiceError, planner};

/// Below this confidence the assistant asks a question.
pub const CLARIFY_THRESHOLD: f64 = 0.45;
/// Below this confidence the assistant answers in words instead of planning.
pub const CHAT_THRESHOLD: f64 = 0.70;
/// Turns of the conversation that are taken into account.
pub const TURNS_KEPT: usize = 3;
/// A longer message is rejected.
pub const MAX_MESSAGE_CHARS: usize = 4_000;

/// The kind of result that the user wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Operations.
    #[default]
    Plan,
    /// An answer in words, and no operations.
    Chat,
    /// Whichever the message calls for.
    Auto,
}

/// An earlier message or answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    pub role: String,
    pub text: String,
}

/// A message of the user, with its context.
#[derive(Debug, Clone, Default)]
pub struct Message {
    pub text: String,
    pub mode: Mode,
    /// Only the last [`TURNS_KEPT`] are used.
    pub transcript: Vec<Turn>,
    /// The assistant's question that this message answers.
    pub question: Option<String>,
    pub selection: Selection,
}

/// How a message is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    Plan,
    Chat,
    Clarify,
}

/// Progress and results, as they occur.
#[derive(Debug, Clone)]
pub enum Event {
    /// A stage begins.
    Stage(&'static str),
    Clarify(Question),
    Ops(Ops),
    Summary(String),
}

/// Operations after validation or repair.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ops {
    /// The version of the records that they are proposed for.
    pub version: i64,
    pub operations: Vec<CheckedOperation>,
    pub valid_count: usize,
    pub invalid_count: usize,
}

/// The answer to the user.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    pub decision: Decision,
    pub text: String,
    /// The version of the records that the operations apply to.
    pub version: i64,
    pub operations: Vec<CheckedOperation>,
    pub requires_clarification: bool,
    pub question: Option<String>,
    pub options: Vec<ClarifyOption>,
    /// The parts of the message that are not among the operations because they were not understood, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_planned: Option<String>,
    /// Who proposed the operations, asked the question or answered in words: the provider of a model, or `local` for
    /// rules.
    pub provider: String,
    /// Tasks that were done without their configured model, and why; fields of the operations that are not used.
    pub warnings: Vec<String>,
}

/// The order of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Plan, chat or question.
    Route,
    /// Operations for the message.
    Propose,
    /// Convert each operation to its canonical form.
    Shape,
    /// Find what is wrong with each operation.
    Validate,
    /// One repair: by rules, then by a model. If anything is still invalid, the valid operations from before the repair
    /// are used.
    Repair,
    /// Describe the operations in words.
    Summarise,
}

pub const STAGES: [Stage; 6] =
    [Stage::Route, Stage::Propose, Stage::Shape, Stage::Validate, Stage::Repair, Stage::Summarise];

impl Stage {
    /// Returns the name sent to clients; `None` for stages that take no time.
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

/// The state that the stages share.
#[derive(Debug)]
struct Draft<'a> {
    message: &'a Message,
    state: State,
    version: i64,
    today: Today,
    zone: Tz,
    decision: Decision,
    question: Option<Question>,
    proposed: Vec<Value>,
    checked: Option<Validation>,
    /// The number of proposed operations that could not be used.
    dropped: usize,
    /// The parts of the message that were not understood, beside the proposal.
    not_planned: Option<String>,
    /// The days that were taken for phrases that name none.
    assumed: Vec<String>,
    text: String,
    provider: String,
    /// Records that the message names, according to the router.
    focus: Vec<i64>,
    warnings: Vec<String>,
}

/// Answers a message, and emits events while working.
pub async fn answer(app: &App, message: &Message, mut emit: impl FnMut(Event) + Send) -> Result<Answer> {
    check(message)?;
    let planner = planner::planner(app).await?;
    let mut draft = Draft {
        message,
        state: planner.state,
        version: planner.version,
        today: planner::today(app).await?,
        zone: planner::zone(app).await?,
        decision: if message.mode == Mode::Chat { Decision::Chat } else { Decision::Plan },
        question: None,
        proposed: Vec::new(),
        checked: None,
        dropped: 0,
        not_planned: None,
        assumed: Vec::new(),
        text: String::new(),
        provider: LOCAL_PROVIDER.to_owned(),
        focus: message.selection.ids.clone(),
        warnings: Vec::new(),
    };
    for stage in STAGES {
        if draft.decision == Decision::Plan && stage.is_due(&draft) {
            // A chat emits only its summary, so the routing stage is announced once it is known not to be one.
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
                draft.leave_out_skipped_times();
                draft.emit_operations(emit);
            }
            Self::Repair => {
                repair::run(app, draft).await?;
                draft.leave_out_skipped_times();
                draft.emit_operations(emit);
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
    /// Notes that a model gave what the answer consists of.
    fn made_by_model(&mut self, answer: &Value) {
        answer["provider"].as_str().unwrap_or(LOCAL_PROVIDER).clone_into(&mut self.provider);
    }

    /// Changes the decision to a question and discards the proposal.
    fn ask(&mut self, mut question: Question) {
        // The first day of an item that repeats is mostly past.
        for option in &mut question.options {
            if let Some(item) = self.state.item(option.kind, option.id) {
                option.scheduled_for = item.next_day(self.today.date);
            }
        }
        self.decision = Decision::Clarify;
        self.proposed.clear();
        self.question = Some(question);
    }

    /// Leaves out the operations at a time that a clock change skips, and says so. If no operation is left, asks.
    fn leave_out_skipped_times(&mut self) {
        let Some(checked) = &mut self.checked else { return };
        let mut skipped: Vec<String> = Vec::new();
        let (zone, state) = (self.zone, &self.state);
        checked.results.retain(|result| {
            let why = result.operation.as_ref().and_then(|operation| planner::skipped_time(zone, operation, state));
            let is_kept = why.is_none();
            skipped.extend(why);
            is_kept
        });
        if skipped.is_empty() {
            return;
        }
        let said: Vec<String> = self.not_planned.take().into_iter().chain(skipped).collect();
        if checked.results.is_empty() {
            self.ask(Question::new(&said.join(" "), Vec::new()));
        } else {
            self.not_planned = Some(said.join(" "));
        }
    }

    fn emit_operations(&self, emit: &mut impl FnMut(Event)) {
        if self.decision == Decision::Plan {
            emit(Event::Ops(self.ops()));
        }
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
        let operations = operations.unwrap_or_default();
        let mut warnings = self.warnings;
        warnings.extend(unknown_fields::warnings(operations.iter().map(|operation| &operation.op)));
        Answer {
            decision: self.decision,
            text: question.as_ref().map_or(self.text, |question| question.question.clone()),
            version: self.version,
            operations,
            requires_clarification: question.is_some(),
            options: question.as_ref().map(|question| question.options.clone()).unwrap_or_default(),
            question: question.map(|question| question.question),
            not_planned: self.not_planned,
            provider: self.provider,
            warnings,
        }
    }
}
