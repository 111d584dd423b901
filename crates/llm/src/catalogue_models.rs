//! The models of a catalogue, made ready to be asked. The router takes its chains from here.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use aha_core::model::ModelRef;
use aha_core::money::Price;
use aha_core::topic::BudgetTier;
use tokio::sync::Semaphore;

use super::egress;
use super::pace::{Pace, slots_for};
use super::provider::{self, Capabilities, Sampling, Server};
use super::router::{Candidate, Reach, Route, Traits, Wire};
use super::streaming_only::StreamingOnly;
use super::tasks::Task;
use super::transport::Timeouts;
use crate::catalogue::{Catalogue, CatalogueEntry};
use crate::settings::{Egress, TaskSettings};

/// What an answer may have where neither a task nor the entry says: some pages.
const USUAL_OUTPUT_TOKENS: u32 = 4_096;

/// All models of a catalogue.
#[derive(Debug)]
pub(super) struct CatalogueModels {
    catalogue: Catalogue,
    /// How each task is asked.
    tasks: BTreeMap<Task, TaskSettings>,
    /// Each of them, or why it cannot be asked.
    models: BTreeMap<ModelRef, Result<Model, String>>,
}

#[derive(Debug)]
struct Model {
    wire: Arc<Wire>,
    traits: Traits,
    price: Option<Price>,
}

impl CatalogueModels {
    pub(super) fn new(catalogue: &Catalogue, tasks: &BTreeMap<Task, TaskSettings>, egress: Egress) -> Self {
        // A server of the owner's does not get quicker by being asked for two of its models at once.
        let mut shared: BTreeMap<(String, u32), Arc<Semaphore>> = BTreeMap::new();
        let mut slots = |entry: &CatalogueEntry| {
            let calls = entry.limits.concurrency.filter(|_| entry.is_own())?;
            let server = (entry.endpoint.origin().ascii_serialization(), calls);
            Some(Arc::clone(shared.entry(server).or_insert_with(|| slots_for(calls))))
        };
        let models = catalogue.entries.iter();
        let models = models.map(|(name, entry)| (name.clone(), Model::of(entry, egress, slots(entry)))).collect();
        Self { models, catalogue: catalogue.clone(), tasks: tasks.clone() }
    }

    pub(super) fn serves(&self, task: Task) -> bool {
        self.catalogue.serves(task)
    }

    pub(super) fn serves_any(&self) -> bool {
        !self.catalogue.tasks.is_empty()
    }

    /// The chain of a task, refused ones among it.
    pub(super) fn candidates(&self, task: Task, tier: BudgetTier) -> Vec<Candidate> {
        let chain = self.catalogue.chain(task, tier).into_iter();
        chain
            .map(|(name, _)| Candidate { model: name.clone(), route: self.route(name, self.tasks.get(&task)) })
            .collect()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &ModelRef> {
        self.models.keys()
    }

    /// A model by its name, for a conversation.
    pub(super) fn named(&self, name: &ModelRef) -> Result<Route, String> {
        self.route(name, None)
    }

    fn route(&self, name: &ModelRef, task: Option<&TaskSettings>) -> Result<Route, String> {
        let model = self.models.get(name).ok_or_else(|| format!("{name} is no model of the catalogue"))?;
        let Model { wire, traits, price } = model.as_ref().map_err(Clone::clone)?;
        let usual = traits.max_tokens.unwrap_or(USUAL_OUTPUT_TOKENS);
        Ok(Route {
            model: name.clone(),
            reach: Reach::Wire(Arc::clone(wire)),
            price: *price,
            max_output_tokens: task.map_or(usual, |task| task.max_output_tokens),
            max_input_chars: task.map_or(usize::MAX, |task| task.max_input_chars),
            max_title_chars: task.map_or(usize::MAX, |task| task.max_title_chars),
            max_calls_per_run: task.and_then(|task| task.max_calls_per_run),
            effort: task.and_then(|task| task.effort),
            traits: traits.clone(),
        })
    }

    pub(super) fn refused(&self) -> impl Iterator<Item = (&ModelRef, &str)> {
        self.models.iter().filter_map(|(name, model)| Some((name, model.as_ref().err()?.as_str())))
    }
}

impl Model {
    fn of(entry: &CatalogueEntry, egress: Egress, slots: Option<Arc<Semaphore>>) -> Result<Self, String> {
        if let Some(why) = egress::refusal(egress, &entry.endpoint) {
            return Err(why);
        }
        let provider = entry.provider.as_str();
        let dialect = provider::by_name(provider)
            .ok_or_else(|| format!("this version does not speak the interface of {provider:?} yet"))?;
        let server =
            Server { endpoint: entry.endpoint.clone(), key: entry.key.clone(), headers: entry.headers.clone() };
        let times = entry.timeouts;
        let timeouts = Timeouts { first_byte: times.first_byte, idle: times.idle, whole: times.whole };
        let can = entry.capabilities;
        let traits = Traits {
            capabilities: Capabilities {
                strict_schema: can.strict_schema,
                streaming_only: can.streaming_only,
                reasoning_effort: can.reasoning_effort,
                usage_in_streams: can.usage_in_streams,
            },
            sampling: Sampling { temperature: entry.temperature, top_p: entry.top_p },
            provider_specific: entry.provider_specific.clone(),
            provider_specific_as_written: entry.provider_specific_as_written.clone(),
            name: Some(entry.model.clone()),
            max_tokens: entry.max_tokens,
            system_prompt: entry.system_prompt.clone(),
            response_format: entry.response_format,
            metadata: entry.metadata.clone(),
            retry: entry.retry,
            pace: Some(Arc::new(Pace::of(&entry.limits, slots, Instant::now))),
        };
        let wire = Wire { dialect, server, timeouts, streaming_only: StreamingOnly::default() };
        Ok(Self { wire: Arc::new(wire), traits, price: entry.price })
    }
}

#[cfg(test)]
mod tests {
    use aha_core::model::Provider;

    use super::*;

    #[test]
    fn every_provider_that_a_catalogue_may_name_is_spoken() {
        for provider in Provider::ALL {
            assert!(provider::by_name(provider.as_str()).is_some(), "{provider:?}");
        }
    }
}
