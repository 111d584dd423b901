//! What an estimate says: calls, tokens and credits by task, and whether the budget reaches.

use aha_content::numbers::count;
use aha_core::digest::{Digest, Estimate};
use aha_core::money::MicroCredits;
use aha_core::time::Timestamp;
use aha_core::topic::Topic;
use aha_core::window::Window;
use aha_llm::budget::{Spender, spending};
use aha_store::{Counter, CounterLimit, StoreError};
use anyhow::Result;
use serde::Serialize;
use serde_json::json;

use super::super::output;
use super::super::spend::budget::Budget;
use super::room::Room;
use crate::app::App;
use crate::pipeline::runner::RunOutcome;

pub(super) struct Report {
    windows: Vec<Read>,
    up_to_date: Option<Timestamp>,
    estimates: Vec<Estimate>,
    rooms: Vec<Room>,
    budget: Budget,
}

/// A window that the run would read.
#[derive(Debug, Serialize)]
struct Read {
    window_start: Timestamp,
    window_end: Timestamp,
    items: usize,
}

impl Report {
    /// What the windows' runs ask for, and what is left under the caps.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) async fn of(app: &App, topic: &Topic, outcome: RunOutcome) -> Result<Self, StoreError> {
        let digests: Vec<Digest> = outcome.made.into_iter().map(|made| made.digest).collect();
        let (caps, now) = (app.config().budget.caps, app.clock().now());
        let (mut windows, mut estimates, mut of_runs) = (Vec::new(), Vec::new(), Vec::new());
        for Digest { digest: head, cost, .. } in &digests {
            windows.push(Read { window_start: head.window_start, window_end: head.window_end, items: head.items });
            cost.with_a_model.iter().for_each(|estimate| merge(&mut estimates, estimate));
            let run = Spender { run: Some(head.run_id), ..Spender::default() };
            let limits = spending(&caps, &run, now);
            of_runs.extend(rooms(app, &limits[limits.len() - 1..], &cost.with_a_model).await?);
        }
        let of_topic = Spender { run: None, topic: Some(topic.id), share_percent: topic.budget_share_percent };
        let mut found: Vec<Room> = Room::tightest(of_runs.into_iter()).into_iter().collect();
        found.extend(rooms(app, &spending(&caps, &of_topic, now), &estimates).await?);
        let budget = Budget::of(app.store(), &app.config().budget, now).await?;
        Ok(Self { windows, up_to_date: outcome.up_to_date, estimates, rooms: found, budget })
    }

    /// `None` where a price is not known.
    fn total(&self) -> Option<MicroCredits> {
        let amounts = self.estimates.iter().map(|estimate| estimate.microcredits.map(|amount| amount.0));
        amounts.sum::<Option<i64>>().map(MicroCredits)
    }

    /// What is set aside for all calls before they are sent. `None` where a price is not known.
    fn most(&self) -> Option<MicroCredits> {
        let amounts = self.estimates.iter().map(|estimate| estimate.most_microcredits.map(|amount| amount.0));
        amounts.sum::<Option<i64>>().map(MicroCredits)
    }

    fn is_example(&self) -> bool {
        self.estimates.iter().any(|estimate| !estimate.configured)
    }

    pub(super) fn print_json(&self) -> Result<()> {
        let sum = |count: fn(&Estimate) -> i64| self.estimates.iter().map(count).sum::<i64>();
        output::print_json(&json!({
            "windows": self.windows,
            "estimates": self.estimates,
            "total": {
                "calls": self.estimates.iter().map(|estimate| estimate.calls).sum::<usize>(),
                "input_tokens": sum(|estimate| estimate.input_tokens),
                "output_tokens": sum(|estimate| estimate.output_tokens),
                "microcredits": self.total(),
                "most_microcredits": self.most(),
            },
            "left": self.rooms,
            "budget": self.budget,
        }))
    }

    pub(super) fn print(&self) -> Result<()> {
        let mut lines: Vec<String> = self
            .windows
            .iter()
            .map(|read| {
                let window = Window { start: read.window_start, end: read.window_end };
                format!("{window}: {}", count(read.items, "item", "items"))
            })
            .collect();
        if let Some(until) = self.up_to_date.filter(|_| self.windows.is_empty()) {
            lines.push(format!("the topic has been read up to {until}: nothing to do before the next minute"));
        }
        if self.estimates.is_empty() {
            lines.push("No model would be asked: there is nothing new, or all is answered already.".to_owned());
        } else {
            lines.extend([String::new(), self.table(), String::new()]);
            lines.extend(self.words());
        }
        lines.push("Nothing was spent and nothing was stored.".to_owned());
        output::print(&output::one_safe_text(&lines.join("\n")))
    }

    fn table(&self) -> String {
        let mut table = output::table(&["task", "model", "stories", "calls", "tokens in", "out", "credits"]);
        let credits = |amount: Option<MicroCredits>| amount.map_or_else(|| "?".to_owned(), |a| a.to_string());
        for one in &self.estimates {
            let counts = [one.stories.to_string(), one.calls.to_string()];
            let tokens = [one.input_tokens.to_string(), one.output_tokens.to_string()];
            let named = [one.task.replace('_', " "), one.model.clone()];
            table.add_row(named.into_iter().chain(counts).chain(tokens).chain([credits(one.microcredits)]));
        }
        let calls: usize = self.estimates.iter().map(|one| one.calls).sum();
        let total = |count: fn(&Estimate) -> i64| self.estimates.iter().map(count).sum::<i64>().to_string();
        table.add_row(vec![
            "total".to_owned(),
            String::new(),
            String::new(),
            calls.to_string(),
            total(|one| one.input_tokens),
            total(|one| one.output_tokens),
            credits(self.total()),
        ]);
        table.to_string()
    }

    fn words(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.is_example() {
            let text =
                "No model is configured: stories are judged by `local`, free. This is what the example would take.";
            lines.push(text.to_owned());
        }
        lines.push(
            "An estimate: what is summarised follows from the judgement, here from that of `local`; answers may be longer."
                .to_owned(),
        );
        let Some(total) = self.total() else {
            lines.push(
                "No price is set, so no amount can be told (OPENAI_CREDITS_PER_1K_INPUT_TOKENS, _OUTPUT_TOKENS)."
                    .to_owned(),
            );
            return lines;
        };
        if let Some(most) = self.most().filter(|_| !self.is_example()) {
            lines.push(format!(
                "Between {total} credits, when answers have their usual length, and {most}, the most they can cost when no call is repeated."
            ));
        }
        lines.extend(self.rooms.iter().map(|room| room.line(total, self.most())));
        lines
    }
}

/// What is left under the limits that are set.
async fn rooms(app: &App, limits: &[CounterLimit], estimates: &[Estimate]) -> Result<Vec<Room>, StoreError> {
    let names: Vec<String> = limits.iter().map(|limit| limit.counter.clone()).collect();
    let estimates: Vec<&Estimate> = estimates.iter().collect();
    let counters = app.store().counters(&names).await?;
    let room = |(limit, counter): (&CounterLimit, Counter)| {
        let used = MicroCredits(counter.settled_microcredits + counter.reserved_microcredits);
        Some(Room::of(kind(&limit.counter), MicroCredits(limit.cap_microcredits?), used, &estimates))
    };
    Ok(limits.iter().zip(counters).filter_map(room).collect())
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

/// Two windows make one line a task.
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
