//! Part of stage 5: computes dense vectors from a folder of weights, for items without a story and for items that may
//! belong to the same stories.
//!
//! Input: items with their word counts. Output: [`EmbedOutcome::space`], which the stage `cluster` compares in
//! addition. It is set only once all vectors exist, so that a change of the weights takes effect at once. If the folder
//! is unusable, words only are compared, and the digest reports it.

use std::collections::HashMap;
use std::path::Path;

use aha_analysis::static_model::Weights;
use aha_analysis::text::features::LOCAL_SPACE;
use aha_analysis::text::space::Space as _;
use aha_core::ids::ItemId;
use aha_store::ItemText;

use super::vectors::Due;
use super::{COMMIT_ITEMS, EmbedOutcome, embed};
use crate::pipeline::{RunContext, RunError};

pub(super) async fn run(context: &RunContext, folder: &Path) -> Result<EmbedOutcome, RunError> {
    if context.store().oldest_unclustered(context.topic.id, LOCAL_SPACE).await?.is_none() {
        return Ok(EmbedOutcome::default());
    }
    // The same as those that a search of this process uses.
    let weights = match context.app.weights().get(folder, Weights::load(folder)).await {
        Ok(weights) => weights,
        Err(error) => {
            tracing::warn!(%error, "texts are compared by their words alone in this run");
            return Ok(EmbedOutcome::without_vectors(error.to_string()));
        }
    };
    let Some(due) = Due::find(context, weights.id()).await? else { return Ok(EmbedOutcome::default()) };
    tracing::debug!(texts = due.items.len(), space = weights.id(), "vectors are made from weights");
    for items in due.items.chunks(COMMIT_ITEMS) {
        context.check()?;
        let vectors = embed(&weights, texts(context, items).await?).await?;
        context.store().commit_embeddings(&context.lease, weights.id(), &vectors).await?;
    }
    Ok(EmbedOutcome::space(weights.id().to_owned()))
}

/// Returns the texts that belong to the hashes.
async fn texts(context: &RunContext, items: &[(ItemId, String)]) -> Result<Vec<ItemText>, RunError> {
    let ids: Vec<ItemId> = items.iter().map(|(id, _)| *id).collect();
    let hashes: HashMap<&ItemId, &String> = items.iter().map(|(id, hash)| (id, hash)).collect();
    let loaded = context.store().load_items(context.topic.id, &ids).await?.into_iter();
    let texts = loaded.filter_map(|(item, _)| {
        let content_hash = (*hashes.get(&item.id)?).clone();
        Some(ItemText { id: item.id, content_hash, title: item.title, body_text: item.body_text })
    });
    Ok(texts.collect())
}
