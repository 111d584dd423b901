//! Which provider and model serve a task at a budget tier, and on what terms.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderMap;
use serde_json::{Map, Value};
use thiserror::Error;

use super::provider::{self, AnswerFormat, Capabilities, ModelRequest, Sampling, Server, local};
use super::transport::Timeouts;
use crate::config::{Effort, OpenAiSettings, TaskSettings};
pub use crate::domain::model::ModelRef;
use crate::domain::money::Price;
use crate::domain::task::Task;
use crate::domain::topic::BudgetTier;

/// How a model is reached.
#[derive(Debug, Clone)]
pub enum Reach {
    /// In this process.
    Local,
    Wire(Arc<Wire>),
}

/// A server and the dialect it speaks.
#[derive(Debug)]
pub struct Wire {
    pub dialect: &'static dyn provider::Dialect,
    pub server: Server,
    pub timeouts: Timeouts,
}

/// A model of a chain, and how much it may be sent and answer.
#[derive(Debug, Clone)]
pub struct Route {
    pub model: ModelRef,
    pub reach: Reach,
    /// `None`: unknown.
    pub price: Option<Price>,
    /// For one story.
    pub max_output_tokens: u32,
    pub max_input_chars: usize,
    pub max_title_chars: usize,
    pub max_calls_per_run: Option<u32>,
    pub effort: Option<Effort>,
    pub traits: Traits,
}

/// What is particular to a model, whatever it is asked.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Traits {
    pub capabilities: Capabilities,
    pub sampling: Sampling,
    /// Fields of the provider's own, sent with every request.
    pub provider_specific: Map<String, Value>,
}

impl Route {
    #[must_use]
    pub const fn is_local(&self) -> bool {
        matches!(self.reach, Reach::Local)
    }

    /// A question to this model, on its terms.
    #[must_use]
    pub fn request(&self, system: String, user: String, format: AnswerFormat, max_output_tokens: u32) -> ModelRequest {
        let Traits { capabilities, sampling, provider_specific } = self.traits.clone();
        ModelRequest {
            effort: self.effort,
            capabilities,
            sampling,
            provider_specific,
            stream: capabilities.streaming_only,
            ..ModelRequest::question(&self.model.model, system, user, format, max_output_tokens)
        }
    }

    /// How long an answer may take.
    #[must_use]
    pub fn longest(&self) -> Duration {
        match &self.reach {
            Reach::Local => Duration::ZERO,
            Reach::Wire(wire) => wire.timeouts.whole,
        }
    }
}

/// Chooses; the first of a chain is asked first, the others when it fails.
#[derive(Debug, Clone, Default)]
pub struct Router {
    openai: Option<(OpenAiSettings, Arc<Wire>)>,
}

impl Router {
    #[must_use]
    pub fn new(openai: Option<&OpenAiSettings>) -> Self {
        let openai = openai.map(|settings| {
            let key = Some(settings.key.clone());
            let server = Server { endpoint: settings.endpoint.clone(), key, headers: HeaderMap::new() };
            let wire = Wire { dialect: &provider::OPENAI, server, timeouts: Timeouts::of(settings.timeout) };
            (settings.clone(), Arc::new(wire))
        });
        Self { openai }
    }

    /// The chain for a task at a tier: with no provider configured `local` alone; empty for a task that nobody can do.
    /// `local` is never a stand-in for a model that fails.
    #[must_use]
    pub fn choose(&self, task: Task, tier: BudgetTier) -> Vec<Route> {
        let Some((settings, wire)) = &self.openai else {
            return local(task).into_iter().collect();
        };
        let Some(limits) = settings.tasks.get(&task) else { return Vec::new() };
        limits.chain(tier).into_iter().map(|model| openai_route(model, limits, wire)).collect()
    }

    /// A model by its name, for a conversation with it: on the terms of texts that are given by hand.
    #[must_use]
    pub fn named(&self, name: &ModelRef) -> Option<Route> {
        let (settings, wire) = self.openai.as_ref()?;
        let limits = settings.tasks.get(&Task::ManualSummary)?;
        (name.provider == provider::OPENAI_NAME).then(|| openai_route(&name.model, limits, wire))
    }

    /// Whether anything but `local` may be asked.
    #[must_use]
    pub const fn has_models(&self) -> bool {
        self.openai.is_some()
    }
}

fn openai_route(model: &str, limits: &TaskSettings, wire: &Arc<Wire>) -> Route {
    Route {
        model: ModelRef { provider: provider::OPENAI_NAME.to_owned(), model: model.to_owned() },
        reach: Reach::Wire(Arc::clone(wire)),
        price: limits.price,
        max_output_tokens: limits.max_output_tokens,
        max_input_chars: limits.max_input_chars,
        max_title_chars: limits.max_title_chars,
        max_calls_per_run: limits.max_calls_per_run,
        effort: limits.effort,
        traits: Traits::default(),
    }
}

/// `local` names no entities: it would have to guess.
fn local(task: Task) -> Option<Route> {
    (task != Task::EntityExtract).then(|| Route {
        model: ModelRef { provider: local::PROVIDER.to_owned(), model: local::MODEL.to_owned() },
        reach: Reach::Local,
        price: Some(Price::default()),
        max_output_tokens: 0,
        max_input_chars: usize::MAX,
        max_title_chars: usize::MAX,
        max_calls_per_run: None,
        effort: None,
        traits: Traits::default(),
    })
}
