//! Estimates a run's model calls, their cost, and whether the budget suffices.
//!
//! The run is made in a copy of the database (`scratch`), through a gateway that asks no model. Answers that are
//! already stored are in the copy, and so are not counted.

mod headroom;

use std::sync::Arc;

use aha_core::digest::{Digest, Estimate};
use aha_core::money::MicroCredits;
use aha_core::time::Timestamp;
use aha_core::topic::Topic;
use aha_llm::budget::{Spender, spending};
use aha_store::{Counter, CounterLimit};
use serde::Serialize;

pub use self::headroom::BudgetHeadroom;
use super::runs::{self, RunChoice};
use super::scratch::{self, ESTIMATES, Scratch};
use super::spending::Budget;
use super::{Result, topics};
use crate::app::App;
use crate::pipeline::StopSignal;
use crate::pipeline::progress::Silent;
use crate::pipeline::runner::RunOutcome;

#[derive(Debug, Serialize)]
pub struct RunEstimate {
    pub windows: Vec<EstimatedWindow>,
    /// Set if there was no window to read: the end of what the topic has read.
    #[serde(skip)]
    pub up_to_date: Option<Timestamp>,
    /// By task and model.
    pub estimates: Vec<Estimate>,
    pub total: EstimateTotal,
    /// What is left under each cap that is set.
    pub left: Vec<BudgetHeadroom>,
    pub budget: Budget,
}

/// A window that the run would read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct EstimatedWindow {
    pub window_start: Timestamp,
    pub window_end: Timestamp,
    pub items: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct EstimateTotal {
    pub calls: usize,
    pub input_tokens: i64,
    pub output_tokens: i64,
    /// `None` if a price is unknown.
    pub microcredits: Option<MicroCredits>,
    /// The amount reserved for all calls before they are sent. `None` if a price is unknown.
    pub most_microcredits: Option<MicroCredits>,
}

impl EstimateTotal {
    fn of(estimates: &[Estimate]) -> Self {
        let sum = |amount: fn(&Estimate) -> Option<MicroCredits>| {
            estimates.iter().map(|one| amount(one).map(|amount| amount.0)).sum::<Option<i64>>().map(MicroCredits)
        };
        Self {
            calls: estimates.iter().map(|one| one.calls).sum(),
            input_tokens: estimates.iter().map(|one| one.input_tokens).sum(),
            output_tokens: estimates.iter().map(|one| one.output_tokens).sum(),
            microcredits: sum(|one| one.microcredits),
            most_microcredits: sum(|one| one.most_microcredits),
        }
    }
}

impl RunEstimate {
    /// Returns whether no model is configured, so that the amounts are those of an example model.
    #[must_use]
    pub fn is_example(&self) -> bool {
        self.estimates.iter().any(|estimate| !estimate.configured)
    }
}

/// Estimates a run. The sources are fetched as in a real run, with the limits that all requests of this process share;
/// nothing is spent and nothing is stored.
///
/// # Errors
/// The same as for a run; also when too many estimates wait already.
pub async fn estimate(app: &App, choice: RunChoice) -> Result<RunEstimate> {
    let serving = app.clone();
    scratch::in_turn(app, &ESTIMATES, async move || estimated(&serving, &choice).await).await
}

async fn estimated(serving: &App, choice: &RunChoice) -> Result<RunEstimate> {
    let scratch = Scratch::new()?;
    let app = scratch.app(serving.config().clone()).await?.sharing(serving);
    let topic = topics::find(&app, &choice.topic).await?;
    let request = runs::to_run_request(&app, choice, Arc::new(Silent), StopSignal::default()).await?;
    let outcome = runs::run(&app, &request).await?;
    of_dry_run(&app, &topic, outcome).await
}

/// Estimates the calls of the windows' runs, and what is left under the caps, from a run that was made in a copy.
///
/// # Errors
/// When the store fails.
pub async fn of_dry_run(app: &App, topic: &Topic, outcome: RunOutcome) -> Result<RunEstimate> {
    let digests: Vec<Digest> = outcome.outputs.into_iter().map(|output| output.digest).collect();
    let (caps, now) = (app.config().budget.caps, app.clock().now());
    let (mut windows, mut estimates, mut of_runs) = (Vec::new(), Vec::new(), Vec::new());
    // In the order of the calls: all of a run, then those of the next.
    let mut in_order = Vec::new();
    for Digest { head, cost, .. } in &digests {
        let (window_start, window_end, items) = (head.window_start, head.window_end, head.items);
        windows.push(EstimatedWindow { window_start, window_end, items });
        cost.with_a_model.iter().for_each(|estimate| merge(&mut estimates, estimate));
        in_order.extend_from_slice(&cost.with_a_model);
        let run = Spender { run: Some(head.run_id), ..Spender::default() };
        let limits = spending(&caps, &run, now);
        of_runs.extend(headrooms(app, &limits[limits.len() - 1..], &cost.with_a_model).await?);
    }
    let of_topic = Spender { run: None, topic: Some(topic.id), share_percent: topic.budget_share_percent };
    let mut left: Vec<BudgetHeadroom> = BudgetHeadroom::tightest(of_runs.into_iter()).into_iter().collect();
    left.extend(headrooms(app, &spending(&caps, &of_topic, now), &in_order).await?);
    let budget = Budget::of(app.store(), &app.config().budget, now).await?;
    let total = EstimateTotal::of(&estimates);
    Ok(RunEstimate { windows, up_to_date: outcome.up_to_date, estimates, total, left, budget })
}

/// Returns what is left under the limits that are set.
async fn headrooms(app: &App, limits: &[CounterLimit], estimates: &[Estimate]) -> Result<Vec<BudgetHeadroom>> {
    let names: Vec<String> = limits.iter().map(|limit| limit.counter.clone()).collect();
    let estimates: Vec<&Estimate> = estimates.iter().collect();
    let counters = app.store().counters(&names).await?;
    let headroom = |(limit, counter): (&CounterLimit, Counter)| {
        let used = MicroCredits(counter.settled_microcredits + counter.reserved_microcredits);
        Some(BudgetHeadroom::of(kind(&limit.counter), MicroCredits(limit.cap_microcredits?), used, &estimates))
    };
    Ok(limits.iter().zip(counters).filter_map(headroom).collect())
}

fn kind(counter: &str) -> &'static str {
    match (counter.split(':').next(), counter.contains(":topic:")) {
        (Some("day"), false) => "day",
        (Some("day"), true) => "topic_day",
        (Some("month"), false) => "month",
        (Some("month"), true) => "topic_month",
        _ => "run",
    }
}

/// Adds an estimate to that of the same task, so that several windows give one line per task.
fn merge(all: &mut Vec<Estimate>, new: &Estimate) {
    let Some(known) = all.iter_mut().find(|one| one.task == new.task && one.model == new.model) else {
        return all.push(new.clone());
    };
    let sum = |one: Option<MicroCredits>, other: Option<MicroCredits>| {
        one.zip(other).map(|(one, other)| MicroCredits(one.0.saturating_add(other.0)))
    };
    known.stories += new.stories;
    known.calls += new.calls;
    known.input_tokens += new.input_tokens;
    known.output_tokens += new.output_tokens;
    known.microcredits = sum(known.microcredits, new.microcredits);
    known.most_microcredits = sum(known.most_microcredits, new.most_microcredits);
    known.dearest_microcredits = known.dearest_microcredits.max(new.dearest_microcredits);
}
