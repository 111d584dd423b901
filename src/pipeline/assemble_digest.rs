//! Assembles the digest and stores it in one transaction, together with everything that ends the run.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use aha_content::numbers::count;
use aha_core::digest::{
    Cost, Digest, DigestHead, DigestStatus, DigestStory, ReadBefore, Section, Since, Skipped, SourceReport, StoryCost,
    StorySource,
};
use aha_core::fetch::SourceStatus;
use aha_core::ids::{ClusterId, DigestId, DigestItemId, ItemId, SourceId};
use aha_core::item::{TimeBasis, first_words};
use aha_core::money::MicroCredits;
use aha_core::run::RunMode;
use aha_core::source::Source;
use aha_core::story::{Story, StoryMember};
use aha_core::summary::Summary;
use aha_core::verdict::Verdict;
use aha_store::{CallCost, CallRecord, CallState, DigestCommit};

use super::deep_summary::discussions;
use super::rank::Ranked;
use super::reasons::reason;
use super::results::Results;
use super::task_batch::{Skip, TaskResult, calls};
use super::{RunContext, RunError, Stage};
use aha_llm::breaker::without_pause;
use aha_llm::budget::{self, Spender};
use aha_llm::tasks::{deep_summary, triage};

/// Maximum length of the excerpt under a title, in characters.
const EXCERPT_CHARS: usize = 280;

/// Reading speed (Brysbaert 2019 finds 238 words a minute in silent reading).
const WORDS_A_MINUTE: usize = 230;

pub(super) async fn run(context: &RunContext, results: &Results) -> Result<Digest, RunError> {
    context.progress.begin(Stage::Digest, 0);
    let names = Names::of(&results.sources.all);
    let id = DigestId::of(&[&context.run.id.to_string()]);
    let shown: Vec<&Ranked> = results.ranked.iter().filter(|ranked| ranked.section.is_some()).collect();
    let costs = Costs::of(context, results, &shown).await?;
    let cost = Cost { near_cap: near_cap(context, &costs).await?, ..cost(context, results, &costs, &shown) };
    let mut stories: Vec<DigestStory> = shown
        .iter()
        .enumerate()
        .map(|(index, ranked)| DigestStory { rank: index + 1, ..story(results, &names, &costs, id, ranked) })
        .collect();
    add_read_before(context, results, &shown, &mut stories).await?;
    let too_few_sources = too_few_sources(context, results).await?;
    let digest = Digest {
        head: head(context, results, id, &stories, &cost, too_few_sources),
        sources: source_reports(results, &shown),
        skipped: skipped(results, &shown, context.run.settings.sizes.at_least),
        cost,
        stories,
    };
    let cursor_run = context.run.mode == RunMode::Cursor;
    // A story whose judgement failed is not marked as delivered, so that the next run asks about it again.
    let is_delivered = |ranked: &&&Ranked| {
        let judgement = results.judged.by_story.get(&results.selected.stories[ranked.story].cluster_id);
        cursor_run && judgement.is_some_and(|judgement| judgement.state() != TaskResult::FAILED)
    };
    let delivered = shown.iter().filter(is_delivered).map(|ranked| {
        let story = &results.selected.stories[ranked.story];
        (story.cluster_id, i64::try_from(story.distinct_sources().len()).unwrap_or(i64::MAX))
    });
    let now = context.app.clock().now();
    let commit = DigestCommit {
        run: context.run.id,
        topic: context.topic.id,
        attempt: context.attempt,
        delivered: delivered.collect(),
        // A run that began while the clock was ahead may be finished once it is right.
        cursor: cursor_run.then_some(context.run.window.end.min(now.floor_to_minute())),
        digest,
        now,
    };
    context.check()?;
    context.store().commit_digest(&context.lease, &commit).await?;
    context.progress.end(Stage::Digest, &count(commit.digest.stories.len(), "story", "stories"));
    let mut digest = commit.digest;
    digest.add_kept(&context.store().kept_summaries().await?);
    Ok(digest)
}

/// Names of the topic's sources.
struct Names(HashMap<SourceId, String>);

impl Names {
    fn of(sources: &[Source]) -> Self {
        Self(sources.iter().map(|source| (source.id, source.display_name())).collect())
    }

    fn get(&self, source: SourceId) -> String {
        self.0.get(&source).cloned().unwrap_or_else(|| "a removed source".to_owned())
    }
}

/// Whether unreadable sources make the digest partial: at least the configured share of them, or one that had items in
/// the previous digest. Among many sources there is always one that fails; its items come with a later digest.
async fn too_few_sources(context: &RunContext, results: &Results) -> Result<bool, RunError> {
    let failures = results.sources.outcomes.iter().filter(|outcome| outcome.status.is_failure());
    let failed: HashSet<SourceId> = failures.map(|outcome| outcome.source).collect();
    if failed.is_empty() {
        return Ok(false);
    }
    let all = results.sources.all.iter().filter(|source| source.enabled || failed.contains(&source.id)).count();
    if failed.len() * 100 >= context.app.config().partial_from_percent * all {
        return Ok(true);
    }
    let (topic, run) = (context.topic.id, &context.run);
    let before = context.store().sources_before(topic, run.mode, run.window.start).await?;
    Ok(before.iter().any(|source| source.items > 0 && failed.contains(&source.id)))
}

fn head(
    context: &RunContext,
    results: &Results,
    id: DigestId,
    stories: &[DigestStory],
    cost: &Cost,
    too_few_sources: bool,
) -> DigestHead {
    let items = results.items.items.len() + results.items.muted.len();
    let unjudged = stories.iter().any(|story| story.triage.is_none() && story.state != "skipped_noise");
    let unsummarised = cost.summaries_failed + cost.summaries_skipped > 0;
    let has_omissions = cost.judgements_skipped > 0 || !cost.calls_used_up.is_empty();
    let unfinished = unjudged || unsummarised || has_omissions || cost.lexical_only.is_some();
    let status = if too_few_sources || unfinished {
        DigestStatus::Partial
    } else if items == 0 {
        DigestStatus::Quiet
    } else {
        DigestStatus::Complete
    };
    DigestHead {
        id,
        run_id: context.run.id,
        topic: context.topic.name.clone(),
        mode: context.run.mode,
        window_start: context.run.window.start,
        window_end: context.run.window.end,
        timezone: context.run.settings.timezone.clone(),
        status,
        items,
        sources: sources_with_items(results).len(),
        reading_minutes: reading_minutes(stories),
    }
}

fn sources_with_items(results: &Results) -> BTreeSet<SourceId> {
    results.selected.items_by_source.keys().copied().collect()
}

/// Builds a story of the digest; the caller sets its rank.
fn story(results: &Results, names: &Names, costs: &Costs, digest: DigestId, ranked: &Ranked) -> DigestStory {
    let story = &results.selected.stories[ranked.story];
    let item = story.representative();
    let judgement = results.judged.by_story.get(&story.cluster_id);
    let verdict: Option<Verdict> = judgement.and_then(TaskResult::read);
    let summary = results.summaries.by_story.get(&story.cluster_id);
    DigestStory {
        id: DigestItemId::of(&[&digest.to_string(), &story.cluster_id.to_string()]),
        rank: 0,
        section: ranked.section.unwrap_or(Section::Scan),
        label: ranked.label,
        title: item.display_title(),
        url: item.url.clone(),
        aha_score: verdict.as_ref().map(|verdict| verdict.aha_score),
        final_score: ranked.debug.final_score,
        percentile: ranked.percentile,
        reason: reason(verdict.as_ref(), judgement, ranked),
        since: since(names, story),
        published_at: story.latest(),
        // Added for all stories after they are built.
        read_before: None,
        author: item.author.clone(),
        teaser: story.members.iter().all(|member| member.item.is_teaser()),
        excerpt: first_words(&item.body_text, EXCERPT_CHARS),
        state: judgement.map_or(TaskResult::FAILED, TaskResult::state).to_owned(),
        cost: StoryCost { triage_microcredits: costs.share(judgement), summary_microcredits: costs.share(summary) },
        triage: verdict,
        summary: summary.and_then(TaskResult::read::<Summary>),
        // Added for all stories at once after the digest is stored.
        kept_summary: None,
        entities: match results.entities.by_model.by_story.get(&story.cluster_id) {
            Some(judgement) => judgement.answer.clone(),
            None => results.entities.by_rules.get(&story.cluster_id).cloned(),
        },
        sources: members(results, names, story),
        discussions: discussions(story),
        cluster_id: story.cluster_id,
        score_debug: ranked.debug.clone(),
    }
}

/// Returns the members on which the story was judged: the representative first, then by time.
fn members(results: &Results, names: &Names, story: &Story) -> Vec<StorySource> {
    let others = (0..story.members.len()).filter(|index| *index != story.representative);
    std::iter::once(story.representative)
        .chain(others)
        .map(|index| member(results, names, story, &story.members[index]))
        .collect()
}

fn member(results: &Results, names: &Names, story: &Story, member: &StoryMember) -> StorySource {
    let item = &member.item;
    StorySource {
        item_id: item.id,
        name: names.get(item.source_id),
        url: item.url.clone(),
        title: item.display_title(),
        published_at: item.time,
        dated: item.time_basis == TimeBasis::Published,
        copy: story.is_copy(item),
        late: results.items.late.contains(&item.id),
        also_from: member.sources.iter().filter(|s| **s != item.source_id).map(|s| names.get(*s)).collect(),
    }
}

/// Marks a cursor run's stories from before its window of which an earlier run of the topic had read all items. What a
/// run reads itself, it reads after the end of its window; what another topic had read is new to this one.
async fn add_read_before(
    context: &RunContext,
    results: &Results,
    shown: &[&Ranked],
    stories: &mut [DigestStory],
) -> Result<(), RunError> {
    let (store, window) = (context.store(), context.run.window);
    let is_older = |story: &&Story| context.run.mode == RunMode::Cursor && story.latest() < window.start;
    let older: Vec<&Story> =
        shown.iter().map(|ranked| &results.selected.stories[ranked.story]).filter(is_older).collect();
    if older.is_empty() {
        return Ok(());
    }
    let items: Vec<ItemId> = older.iter().flat_map(|story| story.in_scope()).map(|member| member.item.id).collect();
    let seen = store.items_seen_before(context.topic.id, &items, window.end).await?;
    let seen: HashSet<ItemId> = seen.into_iter().collect();
    let is_read = |story: &&&Story| story.in_scope().all(|member| seen.contains(&member.item.id));
    let read: Vec<ClusterId> = older.iter().filter(is_read).map(|story| story.cluster_id).collect();
    let not_judged = store.stories_not_judged(&read, window.end).await?;
    for story in stories.iter_mut().filter(|story| read.contains(&story.cluster_id)) {
        let is_judged = !not_judged.contains(&story.cluster_id);
        story.read_before = Some(if is_judged { ReadBefore::EarlierRun } else { ReadBefore::NotJudged });
    }
    Ok(())
}

/// Returns what has been added to a story since it was delivered.
fn since(names: &Names, story: &Story) -> Option<Since> {
    let delivery = story.delivered.as_ref()?;
    let before: HashSet<SourceId> =
        story.members.iter().filter(|m| m.item.time < delivery.at && !m.in_scope).map(|m| m.item.source_id).collect();
    let mut new_sources: Vec<String> = Vec::new();
    let fresh = |m: &&StoryMember| !story.is_copy(&m.item) && !before.contains(&m.item.source_id);
    for member in story.members.iter().filter(fresh) {
        let name = names.get(member.item.source_id);
        if !new_sources.contains(&name) {
            new_sources.push(name);
        }
    }
    Some(Since { delivered_at: delivery.at, sources_before: delivery.sources, new_sources })
}

fn source_reports(results: &Results, shown: &[&Ranked]) -> Vec<SourceReport> {
    let outcomes: HashMap<SourceId, _> = results.sources.outcomes.iter().map(|o| (o.source, o)).collect();
    let sources_by_story: Vec<BTreeSet<SourceId>> = shown
        .iter()
        .map(|ranked| results.selected.stories[ranked.story].members.iter().map(|m| m.item.source_id).collect())
        .collect();
    let enabled = results.sources.all.iter().filter(|source| source.enabled || outcomes.contains_key(&source.id));
    enabled
        .map(|source| {
            let outcome = outcomes.get(&source.id);
            SourceReport {
                id: source.id,
                name: source.display_name(),
                url: source.url.clone(),
                items: results.selected.items_by_source.get(&source.id).copied().unwrap_or(0),
                late: results.selected.late_by_source.get(&source.id).copied().unwrap_or(0),
                shown: sources_by_story.iter().filter(|story| story.contains(&source.id)).count(),
                status: outcome.map_or(SourceStatus::Ok, |outcome| outcome.status),
                error: outcome.and_then(|o| o.error.clone()),
            }
        })
        .collect()
}

/// `minimum` is the score below which the topic shows no story.
fn skipped(results: &Results, shown: &[&Ranked], minimum: u8) -> Skipped {
    let in_scope = |ranked: &Ranked| results.selected.stories[ranked.story].in_scope().count();
    let total: usize = shown.iter().map(|ranked| in_scope(ranked)).sum();
    let (low, lower): (Vec<&Ranked>, Vec<&Ranked>) = results
        .ranked
        .iter()
        .filter(|ranked| ranked.section.is_none())
        .partition(|ranked| ranked.debug.final_score < f64::from(minimum));
    Skipped {
        folded: total - shown.len(),
        muted: results.items.muted.len(),
        already_delivered: results.selected.already_delivered,
        ranked_lower: lower.into_iter().map(in_scope).sum(),
        below_minimum: low.into_iter().map(in_scope).sum(),
        not_considered: results.selected.not_considered,
    }
}

/// The costs of the answers that the run used, by call, and the run's total cost.
struct Costs {
    calls: HashMap<String, CallCost>,
    /// Ledger total of the run, whatever the outcomes: including failed tries, searches and vectors. A call with an
    /// unknown outcome counts at its reserved amount.
    total: i64,
    unpriced_calls: usize,
    overcharged_calls: usize,
    unsettled_calls: usize,
}

impl Costs {
    async fn of(context: &RunContext, results: &Results, shown: &[&Ranked]) -> Result<Self, RunError> {
        let judged = results.judged.by_story.values();
        let shown = shown.iter().map(|ranked| &results.selected.stories[ranked.story].cluster_id);
        let of_shown = shown.flat_map(|id| {
            results.summaries.by_story.get(id).into_iter().chain(results.entities.by_model.by_story.get(id))
        });
        let mut ids: Vec<String> = judged.chain(of_shown).filter_map(|j| j.call_id.clone()).collect();
        ids.sort();
        ids.dedup();
        let costs = context.store().costs_of_calls(&ids).await?;
        let made = calls(context, None).await?;
        let charged = |call: &CallRecord| call.cost_microcredits.or(call.reserved_microcredits);
        Ok(Self {
            calls: costs.into_iter().map(|cost| (cost.id.clone(), cost)).collect(),
            total: made.iter().filter_map(charged).sum(),
            unpriced_calls: made.iter().filter(|call| charged(call).is_none()).count(),
            overcharged_calls: made.iter().filter(|call| call.is_overcharged()).count(),
            unsettled_calls: made.iter().filter(|call| call.state == CallState::Unsettled).count(),
        })
    }

    fn total(&self) -> MicroCredits {
        MicroCredits(self.total)
    }

    /// Returns one story's share of a call about several, rounded up.
    fn share(&self, judgement: Option<&TaskResult>) -> MicroCredits {
        let call = judgement.and_then(|judgement| self.calls.get(judgement.call_id.as_ref()?));
        MicroCredits(call.map_or(0, |cost| {
            let (amount, stories) = (cost.microcredits.unwrap_or(0), cost.stories.max(1));
            amount / stories + i64::from(amount % stories > 0)
        }))
    }
}

fn cost(context: &RunContext, results: &Results, costs: &Costs, shown: &[&Ranked]) -> Cost {
    let summaries: Vec<&TaskResult> = shown
        .iter()
        .filter_map(|ranked| results.summaries.by_story.get(&results.selected.stories[ranked.story].cluster_id))
        .filter(|judgement| judgement.answer.is_none())
        .collect();
    Cost {
        microcredits: costs.total(),
        unpriced_calls: costs.unpriced_calls,
        overcharged_calls: costs.overcharged_calls,
        unsettled_calls: costs.unsettled_calls,
        near_cap: None,
        budget_exhausted: context.call_state.exhausted_credits(),
        calls_used_up: context.call_state.exhausted_calls(),
        judgements_skipped: results
            .judged
            .by_story
            .values()
            .filter(|judgement| judgement.skipped == Some(Skip::Budget))
            .count(),
        judgement_failure: judgement_failure(results, shown),
        summaries_skipped: summaries.iter().filter(|judgement| judgement.skipped.is_some()).count(),
        summaries_failed: summaries.iter().filter(|judgement| judgement.skipped.is_none()).count(),
        lexical_only: results.vectors.lexical_only.clone(),
        local_fallbacks: shown.iter().filter(|ranked| is_by_fallback(context, results, ranked)).count(),
        given_up: context.call_state.given_up(),
        with_a_model: results.estimates(),
    }
}

/// Returns the most frequent reason why the judgement of a shown story failed.
fn judgement_failure(results: &Results, shown: &[&Ranked]) -> Option<String> {
    let judgement = |ranked: &&Ranked| results.judged.by_story.get(&results.selected.stories[ranked.story].cluster_id);
    let failed = shown.iter().filter_map(judgement).filter(|judgement| judgement.state() == TaskResult::FAILED);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for reason in failed.filter_map(|judgement| judgement.failure.as_deref()) {
        *counts.entry(without_pause(reason)).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(reason, _)| reason)
}

/// Describes the cap that a run which has paid for something comes near to.
async fn near_cap(context: &RunContext, costs: &Costs) -> Result<Option<String>, RunError> {
    if context.is_replay || costs.total == 0 {
        return Ok(None);
    }
    let topic = &context.topic;
    let spender =
        Spender { run: Some(context.run.id), topic: Some(topic.id), share_percent: topic.budget_share_percent };
    let (caps, now) = (&context.app.config().budget.caps, context.app.clock().now());
    Ok(budget::near_cap(context.store(), caps, &spender, now).await?)
}

/// Whether a story should have been judged or summarised by a model but was processed by `local`.
fn is_by_fallback(context: &RunContext, results: &Results, ranked: &Ranked) -> bool {
    let (gateway, tier) = (context.app.gateway(), context.run.settings.tier);
    let cluster = results.selected.stories[ranked.story].cluster_id;
    let by_task = [(triage::TASK, &results.judged.by_story), (deep_summary::TASK, &results.summaries.by_story)];
    (context.is_replay || !gateway.is_dry_run())
        && by_task.into_iter().any(|(task, judgements)| {
            let judgement = judgements.get(&cluster).filter(|judgement| judgement.answer.is_some());
            judgement.is_some_and(|judgement| !judgement.is_paid()) && gateway.router().falls_back_to_local(task, tier)
        })
}

fn reading_minutes(stories: &[DigestStory]) -> usize {
    let words = |text: &str| text.split_whitespace().count();
    let total: usize = stories
        .iter()
        .map(|story| {
            let summary = story.summary.as_ref().filter(|_| story.section == Section::Top).map_or(0, |summary| {
                let lists = [&summary.bullets, &summary.why_it_matters, &summary.risks_or_caveats];
                words(&summary.one_liner) + lists.into_iter().flatten().map(|line| words(line)).sum::<usize>()
            });
            let names: usize = story.sources.iter().map(|source| words(&source.name)).sum();
            words(&story.title) + words(&story.reason) + summary + names
        })
        .sum();
    total.div_ceil(WORDS_A_MINUTE)
}
