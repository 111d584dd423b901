//! The provider's part of stage 5: dense vectors for items without a story and for items that may belong to the same
//! stories.
//!
//! Input: items with their word counts. Output: [`EmbedOutcome::space`], which the stage `cluster` compares in
//! addition. If a vector that is due cannot be obtained, the whole run compares words only. Items beyond
//! `OPENAI_EMBED_MAX_ITEMS_PER_RUN` are compared by words, the others by both.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use aha_analysis::text::features::LOCAL_SPACE;
use aha_analysis::text::space::dense_text;
use aha_core::ids::ItemId;
use aha_core::time::{DAY_MS, Timestamp};
use aha_core::topic::RuleAction;
use aha_llm::budget::ExhaustedLimit;
use aha_llm::embedder::{EmbedJob, EmbedRoute, EmbedText, Embedded, PREPARATION, PURPOSE};
use aha_store::EmbeddedItem;
use futures::StreamExt as _;

use super::EmbedOutcome;
use crate::pipeline::cluster::FOREVER;
use crate::pipeline::ingest::ReadSources;
use crate::pipeline::rules::Rules;
use crate::pipeline::spans::unplaced_spans;
use crate::pipeline::task_batch::{scope_for, until_stopped};
use crate::pipeline::{RunContext, RunError};

/// An item without a vector gets one if it is at most this many days from an item without a story: most of a story's
/// items appear within a week, and vectors cost money. Older items without a vector are compared by words only.
const VECTOR_DAYS: i64 = 7;

pub(super) async fn run(context: &RunContext, sources: &ReadSources) -> Result<EmbedOutcome, RunError> {
    let (embedder, scope) = (context.app.embedder(), scope_for(context, PREPARATION.to_owned()));
    let Some(route) = embedder.route(scope.tier) else { return Ok(EmbedOutcome::default()) };
    let space = route.as_ref().map(EmbedRoute::space).unwrap_or_default();
    let Some(due) = Due::find(context, &space).await? else { return Ok(EmbedOutcome::default()) };
    let route = match route {
        Ok(route) => route,
        Err(why) => return Ok(EmbedOutcome::without_vectors(why.clone())),
    };
    let job = embedder.job(route, scope, due.some_known);
    if let Some(why) = embedder.refused(context.store(), &job).await? {
        tracing::info!(model = %job.route.model, %why, "it makes no vectors, and is not asked for any for a while");
        return Ok(EmbedOutcome::default());
    }
    let texts = due.texts(context, sources, &job).await?;
    if embedder.is_dry_run() {
        // Whether a general model can compute vectors is only known after it has.
        let is_certain = !job.route.is_general || job.is_known;
        let estimate = embedder.estimate(&job, &texts).filter(|_| is_certain);
        return Ok(EmbedOutcome { estimate, ..EmbedOutcome::default() });
    }
    match until_stopped(context, embed_all(context, &job, &texts)).await? {
        Embedded::Stored { left_out } => {
            tracing::debug!(texts = texts.len(), left_out, space = %job.space, "vectors are there");
            Ok(EmbedOutcome::space(job.space))
        }
        Embedded::Failed(why) | Embedded::NoBudget(ExhaustedLimit { why, .. }) => {
            tracing::warn!(%why, "texts are compared by their words alone in this run");
            // A general model may make no vectors at all, unless it has made some.
            let is_missing = !job.route.is_general || job.is_known;
            Ok(if is_missing { EmbedOutcome::without_vectors(why) } else { EmbedOutcome::default() })
        }
        Embedded::Interrupted => Err(context.stop.ended().await),
    }
}

/// Items that need a vector of their current text.
pub(super) struct Due {
    /// Newest first, with the hash of the text.
    pub(super) items: Vec<(ItemId, String)>,
    /// Whether other items have a vector already.
    some_known: bool,
}

impl Due {
    /// Returns the items; `None` if every item has a story.
    pub(super) async fn find(context: &RunContext, space: &str) -> Result<Option<Self>, RunError> {
        let (store, topic) = (context.store(), context.topic.id);
        let spans = unplaced_spans(context).await?;
        if spans.is_empty() {
            return Ok(None);
        }
        let (mut due, mut some_known): (Vec<EmbeddedItem>, bool) = (Vec::new(), false);
        for window in spans.into_iter().map(|span| span.window(VECTOR_DAYS)) {
            let items = store.embedded_items(topic, LOCAL_SPACE, window, FOREVER).await?;
            let known: HashSet<ItemId> =
                store.vectors(topic, space, window).await?.into_iter().map(|(id, _)| id).collect();
            let new: Vec<Timestamp> =
                items.iter().filter(|item| item.cluster.is_none()).map(|item| item.time).collect();
            due.extend(items.into_iter().filter(|item| is_near(&new, item.time) && !known.contains(&item.id)));
            some_known |= !known.is_empty();
        }
        due.sort_by_key(|item| (std::cmp::Reverse(item.time), item.id));
        let items = due.into_iter().map(|item| (item.id, item.hash_text)).collect();
        Ok(Some(Self { items, some_known }))
    }

    /// Returns their texts, up to the run's remaining limit. Identical texts are merged, and muted items are omitted.
    async fn texts(
        self,
        context: &RunContext,
        sources: &ReadSources,
        job: &EmbedJob<'_>,
    ) -> Result<Vec<EmbedText>, RunError> {
        let (rules, by_id) = (Rules::of(context)?, sources.by_id());
        let ids: Vec<ItemId> = self.items.iter().map(|(id, _)| *id).collect();
        let items = context.store().load_items(context.topic.id, &ids).await?;
        let hashes: HashMap<ItemId, String> = self.items.into_iter().collect();
        let mut texts: Vec<EmbedText> = Vec::new();
        let mut indices: HashMap<String, usize> = HashMap::new();
        for (item, _) in items.into_iter().filter(|(item, _)| !rules.hit(RuleAction::Mute, item, &by_id)) {
            let text = dense_text(item.title.as_deref(), &item.body_text, job.max_chars());
            let (Some(hash), Some(text)) = (hashes.get(&item.id), text) else { continue };
            if let Some(index) = indices.get(hash) {
                texts[*index].items.push(item.id);
            } else {
                indices.insert(hash.clone(), texts.len());
                texts.push(EmbedText { items: vec![item.id], content_hash: hash.clone(), text });
            }
        }
        texts.truncate(job.max_items().saturating_sub(embedded_before(context).await?));
        Ok(texts)
    }
}

/// Whether an item of that time may belong to a story with one of the new items, whose times are ascending.
fn is_near(new: &[Timestamp], time: Timestamp) -> bool {
    let max_distance = VECTOR_DAYS * DAY_MS;
    let first = new.partition_point(|other| time - *other > max_distance);
    new.get(first).is_some_and(|other| *other - time <= max_distance)
}

/// Returns the number of texts embedded in earlier attempts at this pass of the run.
async fn embedded_before(context: &RunContext) -> Result<usize, RunError> {
    let texts = context.store().answered_in_pass(context.run.id, PURPOSE, context.run.pass_attempt).await?;
    Ok(usize::try_from(texts).unwrap_or(0))
}

/// Embeds all texts. The first batch shows whether the model is usable; then several run at a time. After a failure no
/// further batch begins.
async fn embed_all(context: &RunContext, job: &EmbedJob<'_>, texts: &[EmbedText]) -> Result<Embedded, RunError> {
    let failed = AtomicBool::new(false);
    let mut batches = texts.chunks(job.batch_size());
    let Some(first) = batches.next() else { return Ok(Embedded::Stored { left_out: 0 }) };
    let first = embed(context, job, first, &failed).await?;
    let mut calls = Vec::new();
    for batch in batches {
        calls.push(embed(context, job, batch, &failed));
    }
    let concurrency = context.app.config().llm.concurrency;
    // All are awaited, because the results of calls under way are paid for.
    let others: Vec<_> = futures::stream::iter(calls).buffered(concurrency).collect().await;
    others.into_iter().try_fold(first, |so_far, next| Ok(so_far.and(next?)))
}

async fn embed(
    context: &RunContext,
    job: &EmbedJob<'_>,
    batch: &[EmbedText],
    failed: &AtomicBool,
) -> Result<Embedded, RunError> {
    if failed.load(Ordering::SeqCst) {
        return Ok(Embedded::Stored { left_out: 0 });
    }
    let embedded = async {
        context.check()?;
        Ok(context.app.embedder().embed(context.store(), job, batch).await?)
    };
    let embedded = embedded.await;
    if !matches!(embedded, Ok(Embedded::Stored { .. })) {
        failed.store(true, Ordering::SeqCst);
    }
    embedded
}
