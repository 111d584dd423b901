//! Applies the user's rules before any credit is spent. Muted items leave the run; boosted ones raise their story.

use std::collections::{HashMap, HashSet};

use aha_core::ids::{ItemId, SourceId};
use aha_core::item::Item;
use aha_core::source::Source;
use aha_core::topic::{Rule, RuleAction, RuleField};
use regex::Regex;

use super::assign::Assigned;
use super::ingest::ReadSources;
use super::{RunContext, RunError, Stage};

/// The rules pinned when the run began.
pub(super) struct Rules(Vec<Compiled>);

struct Compiled {
    rule: Rule,
    pattern: Regex,
}

/// The run's items after the user's rules.
#[derive(Debug, Default)]
pub(super) struct InScope {
    /// Items that are not muted.
    pub(super) items: Vec<ItemId>,
    pub(super) late: HashSet<ItemId>,
    pub(super) muted: HashSet<ItemId>,
    /// The items that a rule boosts, each with the rule, as `topic unboost` takes it.
    pub(super) boosted: HashMap<ItemId, String>,
}

pub(super) async fn run(context: &RunContext, sources: &ReadSources, assigned: Assigned) -> Result<InScope, RunError> {
    let Assigned { items, late } = assigned;
    let mut scope = InScope { items, late, ..InScope::default() };
    let rules = Rules::of(context)?;
    if rules.0.is_empty() {
        return Ok(scope);
    }
    context.progress.begin(Stage::Rules, 0);
    let by_id = sources.by_id();
    for (item, _) in context.store().load_items(context.topic.id, &scope.items).await? {
        if rules.hit(RuleAction::Mute, &item, &by_id) {
            scope.muted.insert(item.id);
        } else if let Some(rule) = rules.first(RuleAction::Boost, &item, &by_id) {
            scope.boosted.insert(item.id, name(rule));
        }
    }
    let muted = &scope.muted;
    scope.items.retain(|item| !muted.contains(item));
    context.progress.end(Stage::Rules, &format!("{} muted, {} boosted", scope.muted.len(), scope.boosted.len()));
    Ok(scope)
}

impl Rules {
    pub(super) fn of(context: &RunContext) -> Result<Self, RunError> {
        Ok(Self(context.run.settings.rules.iter().map(compile).collect::<Result<_, _>>()?))
    }

    /// Whether a rule with that action matches the item.
    pub(super) fn hit(&self, action: RuleAction, item: &Item, sources: &HashMap<SourceId, &Source>) -> bool {
        self.first(action, item, sources).is_some()
    }

    /// Returns the first rule with that action that matches the item.
    fn first(&self, action: RuleAction, item: &Item, sources: &HashMap<SourceId, &Source>) -> Option<&Rule> {
        let source = sources.get(&item.source_id).copied();
        let mut of_action = self.0.iter().filter(|compiled| compiled.rule.action == action);
        of_action.find(|compiled| matches(compiled, item, source)).map(|compiled| &compiled.rule)
    }
}

/// Formats `source:LWN`: a rule without its action.
fn name(rule: &Rule) -> String {
    let written = rule.to_string();
    written.split_once(' ').map_or_else(|| written.clone(), |(_, name)| name.to_owned())
}

fn compile(rule: &Rule) -> Result<Compiled, RunError> {
    Ok(Compiled { rule: rule.clone(), pattern: rule.compile()? })
}

fn matches(compiled: &Compiled, item: &Item, source: Option<&Source>) -> bool {
    let pattern = &compiled.pattern;
    match compiled.rule.field {
        RuleField::Word => {
            item.title.as_deref().is_some_and(|t| pattern.is_match(t)) || pattern.is_match(&item.body_text)
        }
        RuleField::Author => item.author.as_deref().is_some_and(|author| pattern.is_match(author)),
        RuleField::Source => source.is_some_and(|source| source.is_found_by(pattern)),
    }
}
