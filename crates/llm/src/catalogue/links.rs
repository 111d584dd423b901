//! Which model serves which task, and who is asked when it fails: names that have to lead somewhere, and never in a circle.

use std::collections::BTreeMap;

use aha_core::model::ModelRef;
use aha_core::topic::BudgetTier;

use super::entry::CatalogueEntry;
use super::raw::{At, RawEntry};
use super::sheet::{Sheet, below};
use super::tree::{Node, Value};
use crate::tasks::{self, Task};

/// The models of a task: one for all tiers, or some of the tiers' own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskModels {
    by_tier: [Option<ModelRef>; 3],
}

impl TaskModels {
    /// All of them, each as often as it is named.
    pub(super) fn all(&self) -> impl Iterator<Item = &ModelRef> {
        self.by_tier.iter().flatten()
    }

    /// The tier's own, else that of the nearest tier below, else above.
    #[must_use]
    pub fn of(&self, tier: BudgetTier) -> Option<&ModelRef> {
        let (lower, upper) = self.by_tier.split_at(tier as usize + 1);
        lower.iter().rev().chain(upper).flatten().next()
    }
}

/// What is asked for vectors, among the tasks: no text is asked of it.
pub(super) const EMBED: &str = "embed";

/// The models of each task.
#[derive(Default)]
pub(super) struct Tasks {
    pub(super) by_task: BTreeMap<Task, TaskModels>,
    pub(super) embed: Option<At<TaskModels>>,
}

/// Every fallback is an entry, and none leads back to where it came from.
pub(super) fn fallbacks(sheet: &mut Sheet<'_>, raws: &BTreeMap<ModelRef, (String, RawEntry)>) {
    for (name, (path, raw)) in raws {
        let path = below(path, "fallbacks");
        for fallback in &raw.fallbacks {
            if !raws.contains_key(&fallback.value) {
                sheet.problem(fallback.line, &path, missing(&fallback.value), "");
            } else if let Some(round) = way(raws, &fallback.value, name, &mut Vec::new()) {
                let round: Vec<String> = round.iter().map(ToString::to_string).collect();
                let what = format!("fallbacks go in a circle: {name} → {}", round.join(" → "));
                sheet.problem(fallback.line, &path, what, "");
            }
        }
    }
}

/// The way from one model to another by fallbacks, both ends included.
fn way<'a>(
    raws: &'a BTreeMap<ModelRef, (String, RawEntry)>,
    from: &'a ModelRef,
    to: &ModelRef,
    seen: &mut Vec<&'a ModelRef>,
) -> Option<Vec<&'a ModelRef>> {
    if from == to {
        return Some(vec![from]);
    }
    if seen.contains(&from) {
        return None;
    }
    seen.push(from);
    let (_, raw) = raws.get(from)?;
    raw.fallbacks.iter().find_map(|next| {
        let rest = way(raws, &next.value, to, seen)?;
        Some([vec![from], rest].concat())
    })
}

pub(super) fn tasks(sheet: &mut Sheet<'_>, node: &Node, raws: &BTreeMap<ModelRef, (String, RawEntry)>) -> Tasks {
    let names: Vec<&str> = tasks::ALL.iter().map(|task| task.as_str()).chain([EMBED]).collect();
    let mut tasks = Tasks::default();
    for pair in sheet.map(node, "tasks", ("tasks with the model of each", "tasks: { triage: openai/gpt-5-mini }")) {
        let path = below("tasks", &pair.key);
        if pair.key == EMBED {
            tasks.embed = Some(At { line: pair.line, value: models(sheet, &pair.node, &path, raws) });
            continue;
        }
        let Some(task) = tasks::by_name(&pair.key) else {
            sheet.unknown(pair, &path, &names);
            continue;
        };
        tasks.by_task.insert(task, models(sheet, &pair.node, &path, raws));
    }
    tasks
}

fn models(sheet: &mut Sheet<'_>, node: &Node, path: &str, raws: &BTreeMap<ModelRef, (String, RawEntry)>) -> TaskModels {
    let wants = ("a model of this file, or one for each of low, normal and high", "triage: openai/gpt-5-mini");
    let mut models = TaskModels::default();
    if let Value::Map(pairs) = &node.value {
        for pair in pairs {
            let path = below(path, &pair.key);
            match pair.key.parse::<BudgetTier>() {
                Ok(tier) => models.by_tier[tier as usize] = model(sheet, &pair.node, &path, wants, raws),
                Err(()) => sheet.unknown(pair, &path, &["low", "normal", "high"]),
            }
        }
    } else {
        models.by_tier = std::array::from_fn(|_| model(sheet, node, path, wants, raws));
    }
    models
}

fn model(
    sheet: &mut Sheet<'_>,
    node: &Node,
    path: &str,
    wants: (&str, &str),
    raws: &BTreeMap<ModelRef, (String, RawEntry)>,
) -> Option<ModelRef> {
    let text = sheet.text(node, path, wants)?;
    let (_, name) = sheet.model(text.trim(), node.line, path)?;
    if !raws.contains_key(&name) {
        sheet.problem(node.line, path, missing(&name), "");
        return None;
    }
    Some(name)
}

fn missing(name: &ModelRef) -> String {
    format!("{} is no model of this file", super::problem::shown(&name.to_string()))
}

/// A model and those asked when it fails, each once: before a second fallback come those of the first.
pub(super) fn chain<'a>(
    entries: &'a BTreeMap<ModelRef, CatalogueEntry>,
    first: &ModelRef,
) -> Vec<(&'a ModelRef, &'a CatalogueEntry)> {
    let (mut chain, mut open): (Vec<(&ModelRef, &CatalogueEntry)>, _) = (Vec::new(), vec![first]);
    while let Some(next) = open.pop() {
        let Some((name, entry)) = entries.get_key_value(next) else { continue };
        if chain.iter().all(|(known, _)| *known != name) {
            chain.push((name, entry));
            open.extend(entry.fallbacks.iter().rev());
        }
    }
    chain
}
