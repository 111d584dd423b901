//! Stage 8: a judgement for every candidate, paid once a story.

use std::collections::HashMap;

use crate::domain::ids::SourceId;
use crate::domain::source::Source;
use crate::domain::story::Story;
use crate::llm::input::{MemberInput, TaskInput, TriageInput};
use crate::llm::{Ask, Task};

use super::judge::judge;
use super::{RunContext, RunError, RunState, Stage};

/// Characters of the representative's body that are sent.
const BODY_CHARS: usize = 4_000;
const TITLE_CHARS: usize = 240;
/// Members named to the judge.
const MEMBERS: usize = 8;
/// Categories kept of the feeds' own.
const CATEGORIES: usize = 5;

pub(super) async fn run(context: &RunContext, state: &mut RunState) -> Result<(), RunError> {
    let sources: HashMap<SourceId, &Source> = state.sources.iter().map(|s| (s.id, s)).collect();
    let asks = state.stories.iter().map(|story| (story.cluster_id, ask(context, state, &sources, story))).collect();
    let batch_size = context.app.config().triage_batch_size;
    state.judgements = judge(context, Task::Triage, Stage::Triage, asks, batch_size).await?;
    Ok(())
}

fn ask(context: &RunContext, state: &RunState, sources: &HashMap<SourceId, &Source>, story: &Story) -> Ask {
    let item = story.representative();
    let first = &story.members[0].item;
    let mut kinds: Vec<String> =
        story.members.iter().filter_map(|m| sources.get(&m.item.source_id)).map(|s| s.kind.clone()).collect();
    kinds.sort();
    kinds.dedup();
    Ask {
        fingerprint: story.fingerprint(),
        members: story.member_ids(),
        input: TaskInput::Triage(TriageInput {
            title: item.display_title().chars().take(TITLE_CHARS).collect(),
            body: item.body_text.chars().take(BODY_CHARS).collect(),
            members: members(sources, story),
            provenance: kinds,
            preference_summary: String::new(),
            tier: context.run.settings.tier,
            interests: context.run.settings.interests.clone(),
            categories: categories(story),
            continues_since: (first.time < context.run.window.start).then_some(first.time),
            evidence: state.evidence.get(&story.cluster_id).cloned().unwrap_or_default(),
        }),
    }
}

/// The representative first, then the others by time.
fn members(sources: &HashMap<SourceId, &Source>, story: &Story) -> Vec<MemberInput> {
    let order = std::iter::once(story.representative)
        .chain((0..story.members.len()).filter(|index| *index != story.representative));
    order
        .take(MEMBERS)
        .map(|index| &story.members[index].item)
        .map(|item| MemberInput {
            title: item.display_title(),
            url: item.canonical_url.clone().or_else(|| item.url.clone()),
            source: sources.get(&item.source_id).map_or_else(|| "a removed source".to_owned(), |s| s.display_name()),
        })
        .collect()
}

fn categories(story: &Story) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for category in story.members.iter().flat_map(|m| &m.item.metadata.categories) {
        if !found.iter().any(|known| known.eq_ignore_ascii_case(category)) {
            found.push(category.clone());
        }
    }
    found.truncate(CATEGORIES);
    found
}
