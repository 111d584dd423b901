//! What an estimate says: calls, tokens and credits by task, and whether the budget reaches.

use anyhow::Result;
use serde::Serialize;
use serde_json::json;

use crate::domain::digest::Estimate;
use crate::domain::money::MicroCredits;
use crate::domain::time::Timestamp;
use crate::domain::window::Window;
use crate::pipeline::runner::RunOutcome;
use crate::text::numbers::count;

use super::super::output;
use super::super::spend::budget::Budget;

pub(super) struct Report {
    windows: Vec<Read>,
    up_to_date: Option<Timestamp>,
    estimates: Vec<Estimate>,
    budget: Budget,
}

/// A window that the run would read.
#[derive(Debug, Serialize)]
struct Read {
    window_start: Timestamp,
    window_end: Timestamp,
    items: usize,
}

/// A limit of the budget, and what is left of it.
#[derive(Debug, Serialize)]
struct Room {
    of: &'static str,
    left_microcredits: MicroCredits,
    fits: bool,
}

impl Report {
    pub(super) fn of(outcome: RunOutcome, budget: Budget) -> Self {
        let digests = outcome.made.into_iter().map(|made| made.digest);
        let (mut windows, mut estimates) = (Vec::new(), Vec::new());
        for digest in digests {
            let head = digest.digest;
            windows.push(Read { window_start: head.window_start, window_end: head.window_end, items: head.items });
            digest.cost.with_a_model.into_iter().for_each(|estimate| merge(&mut estimates, estimate));
        }
        Self { windows, up_to_date: outcome.up_to_date, estimates, budget }
    }

    /// `None` where a price is not known.
    fn total(&self) -> Option<MicroCredits> {
        let amounts = self.estimates.iter().map(|estimate| estimate.microcredits.map(|amount| amount.0));
        amounts.sum::<Option<i64>>().map(MicroCredits)
    }

    fn rooms(&self) -> Vec<Room> {
        let total = self.total();
        let left = [
            ("run", self.budget.run_cap_microcredits),
            ("day", self.budget.day.left()),
            ("month", self.budget.month.left()),
        ];
        let room = |(of, left): (&'static str, Option<MicroCredits>)| {
            let left = left?;
            Some(Room { of, left_microcredits: left, fits: total.is_some_and(|total| total <= left) })
        };
        left.into_iter().filter_map(room).collect()
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
            },
            "left": self.rooms(),
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
        for room in self.rooms() {
            let left = room.left_microcredits;
            lines.push(if room.fits {
                format!("The {} budget has {left} credits left: {total} fit.", in_words(room.of))
            } else {
                format!(
                    "The {} budget has {left} credits left, less than {total}: some would be left out.",
                    in_words(room.of)
                )
            });
        }
        lines
    }
}

fn in_words(of: &str) -> &'static str {
    match of {
        "day" => "daily",
        "month" => "monthly",
        _ => "run's",
    }
}

/// Two windows make one line a task.
fn merge(all: &mut Vec<Estimate>, new: Estimate) {
    let Some(known) = all.iter_mut().find(|one| one.task == new.task && one.model == new.model) else {
        return all.push(new);
    };
    known.stories += new.stories;
    known.calls += new.calls;
    known.input_tokens += new.input_tokens;
    known.output_tokens += new.output_tokens;
    known.microcredits = known.microcredits.zip(new.microcredits).map(|(known, new)| MicroCredits(known.0 + new.0));
}
