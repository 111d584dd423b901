//! Stage 3: the owner's rules, before a credit is spent. Muted items leave the run; boosted ones raise their story.

use aha_core::item::Item;
use aha_core::source::Source;
use aha_core::topic::{Rule, RuleAction, RuleField};
use regex::Regex;

use super::{RunContext, RunError, RunState, Stage};

/// The rules that the run began with.
pub(super) struct Rules(Vec<Compiled>);

struct Compiled {
    rule: Rule,
    pattern: Regex,
}

pub(super) async fn run(context: &RunContext, state: &mut RunState) -> Result<(), RunError> {
    let rules = Rules::of(context)?;
    if rules.0.is_empty() {
        return Ok(());
    }
    context.progress.begin(Stage::Rules, 0);
    for (item, _) in context.store().load_items(context.topic.id, &state.scope).await? {
        if rules.hit(RuleAction::Mute, &item, &state.sources) {
            state.muted.push(item.id);
        } else if rules.hit(RuleAction::Boost, &item, &state.sources) {
            state.boosted.push(item.id);
        }
    }
    let muted = &state.muted;
    state.scope.retain(|item| !muted.contains(item));
    context.progress.end(Stage::Rules, &format!("{} muted, {} boosted", state.muted.len(), state.boosted.len()));
    Ok(())
}

impl Rules {
    pub(super) fn of(context: &RunContext) -> Result<Self, RunError> {
        Ok(Self(context.run.settings.rules.iter().map(compile).collect::<Result<_, _>>()?))
    }

    /// Whether one of the rules with that action is about the item.
    pub(super) fn hit(&self, action: RuleAction, item: &Item, sources: &[Source]) -> bool {
        let source = sources.iter().find(|source| source.id == item.source_id);
        self.0.iter().any(|compiled| compiled.rule.action == action && matches(compiled, item, source))
    }
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
        RuleField::Source => {
            source.is_some_and(|source| pattern.is_match(&source.display_name()) || pattern.is_match(&source.url))
        }
    }
}
