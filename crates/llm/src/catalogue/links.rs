//! References between models: which model serves which task, and its fallbacks. Every name must exist, and fallbacks
//! must not form a cycle.

use std::collections::BTreeMap;

use aha_core::model::ModelRef;
use aha_core::topic::BudgetTier;
use aha_yaml::{Node, Value, shown};

use super::entry::CatalogueEntry;
use super::raw::{At, RawEntry};
use super::reader::{CatalogueReader, below};
use crate::tasks::{self, Task};

/// The models of a task: one for all tiers, or one per tier.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskModels {
    by_tier: [Option<ModelRef>; 3],
}

impl TaskModels {
    /// Returns all of them, repeated as often as they are named.
    pub(super) fn all(&self) -> impl Iterator<Item = &ModelRef> {
        self.by_tier.iter().flatten()
    }

    /// Returns the model of the tier, else of the nearest lower tier, else of the nearest higher one.
    #[must_use]
    pub fn of(&self, tier: BudgetTier) -> Option<&ModelRef> {
        let (lower, upper) = self.by_tier.split_at(tier as usize + 1);
        lower.iter().rev().chain(upper).flatten().next()
    }
}

/// The key for embedding models among the tasks. It is not a text task.
pub(super) const EMBED: &str = "embed";

/// The models of each task.
#[derive(Default)]
pub(super) struct Tasks {
    pub(super) by_task: BTreeMap<Task, TaskModels>,
    pub(super) embed: Option<At<TaskModels>>,
}

/// Checks that every fallback is an entry and that no fallback leads back to its origin.
pub(super) fn fallbacks(reader: &mut CatalogueReader<'_>, raws: &BTreeMap<ModelRef, (String, RawEntry)>) {
    for (name, (path, raw)) in raws {
        let path = below(path, "fallbacks");
        for fallback in &raw.fallbacks {
            if !raws.contains_key(&fallback.value) {
                reader.problem(fallback.line, &path, missing(&fallback.value), "");
            } else if let Some(cycle) = path_between(raws, &fallback.value, name, &mut Vec::new()) {
                let cycle: Vec<String> = cycle.iter().map(ToString::to_string).collect();
                let what = format!("fallbacks go in a circle: {name} → {}", cycle.join(" → "));
                reader.problem(fallback.line, &path, what, "");
            }
        }
    }
}

/// Returns the path from one model to another along fallbacks, including both ends.
fn path_between<'a>(
    raws: &'a BTreeMap<ModelRef, (String, RawEntry)>,
    from: &'a ModelRef,
    to: &ModelRef,
    visited: &mut Vec<&'a ModelRef>,
) -> Option<Vec<&'a ModelRef>> {
    if from == to {
        return Some(vec![from]);
    }
    if visited.contains(&from) {
        return None;
    }
    visited.push(from);
    let (_, raw) = raws.get(from)?;
    raw.fallbacks.iter().find_map(|next| {
        let rest = path_between(raws, &next.value, to, visited)?;
        Some([vec![from], rest].concat())
    })
}

pub(super) fn tasks(
    reader: &mut CatalogueReader<'_>,
    node: &Node,
    raws: &BTreeMap<ModelRef, (String, RawEntry)>,
) -> Tasks {
    let names: Vec<&str> = tasks::ALL.iter().map(|task| task.as_str()).chain([EMBED]).collect();
    let mut tasks = Tasks::default();
    for pair in reader.map(node, "tasks", ("tasks with the model of each", "tasks: { triage: openai/gpt-5-mini }")) {
        let path = below("tasks", &pair.key);
        if pair.key == EMBED {
            tasks.embed = Some(At { line: pair.line, value: models(reader, &pair.node, &path, raws) });
            continue;
        }
        let Some(task) = tasks::by_name(&pair.key) else {
            reader.unknown(pair, &path, &names);
            continue;
        };
        tasks.by_task.insert(task, models(reader, &pair.node, &path, raws));
    }
    tasks
}

fn models(
    reader: &mut CatalogueReader<'_>,
    node: &Node,
    path: &str,
    raws: &BTreeMap<ModelRef, (String, RawEntry)>,
) -> TaskModels {
    let expected = ("a model of this file, or one for each of low, normal and high", "triage: openai/gpt-5-mini");
    let mut models = TaskModels::default();
    if let Value::Map(pairs) = &node.value {
        for pair in pairs {
            let path = below(path, &pair.key);
            match pair.key.parse::<BudgetTier>() {
                Ok(tier) => models.by_tier[tier as usize] = model(reader, &pair.node, &path, expected, raws),
                Err(()) => reader.unknown(pair, &path, &["low", "normal", "high"]),
            }
        }
    } else {
        models.by_tier = std::array::from_fn(|_| model(reader, node, path, expected, raws));
    }
    models
}

fn model(
    reader: &mut CatalogueReader<'_>,
    node: &Node,
    path: &str,
    expected: (&str, &str),
    raws: &BTreeMap<ModelRef, (String, RawEntry)>,
) -> Option<ModelRef> {
    let text = reader.text(node, path, expected)?;
    let (_, name) = reader.model(text.trim(), node.line, path)?;
    if !raws.contains_key(&name) {
        reader.problem(node.line, path, missing(&name), "");
        return None;
    }
    Some(name)
}

fn missing(name: &ModelRef) -> String {
    format!("{} is no model of this file", shown(&name.to_string()))
}

/// Returns a model and its fallbacks, each once, in depth-first order.
pub(super) fn chain<'a>(
    entries: &'a BTreeMap<ModelRef, CatalogueEntry>,
    first: &ModelRef,
) -> Vec<(&'a ModelRef, &'a CatalogueEntry)> {
    let (mut chain, mut pending): (Vec<(&ModelRef, &CatalogueEntry)>, _) = (Vec::new(), vec![first]);
    while let Some(next) = pending.pop() {
        let Some((name, entry)) = entries.get_key_value(next) else { continue };
        if chain.iter().all(|(known, _)| *known != name) {
            chain.push((name, entry));
            pending.extend(entry.fallbacks.iter().rev());
        }
    }
    chain
}
