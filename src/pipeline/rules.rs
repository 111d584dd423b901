//! Stage 3: the owner's rules, before a credit is spent. Muted items leave the run; boosted ones raise their story.

use regex::Regex;

use crate::domain::item::Item;
use crate::domain::source::Source;
use crate::domain::topic::{Rule, RuleAction, RuleField};

use super::{RunContext, RunError, RunState, Stage};

struct Compiled {
    rule: Rule,
    pattern: Regex,
}

pub(super) async fn run(context: &RunContext, state: &mut RunState) -> Result<(), RunError> {
    let rules = context.run.settings.rules.iter().map(compile).collect::<Result<Vec<_>, _>>()?;
    if rules.is_empty() {
        return Ok(());
    }
    context.progress.begin(Stage::Rules, 0);
    for (item, _) in context.store().load_items(context.topic.id, &state.scope).await? {
        let source = state.sources.iter().find(|source| source.id == item.source_id);
        let hit = |action| rules.iter().any(|c| c.rule.action == action && matches(c, &item, source));
        if hit(RuleAction::Mute) {
            state.muted.push(item.id);
        } else if hit(RuleAction::Boost) {
            state.boosted.push(item.id);
        }
    }
    let muted = &state.muted;
    state.scope.retain(|item| !muted.contains(item));
    context.progress.end(Stage::Rules, &format!("{} muted, {} boosted", state.muted.len(), state.boosted.len()));
    Ok(())
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
