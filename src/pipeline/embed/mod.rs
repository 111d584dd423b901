//! Computes vectors of texts, once per text. All items get a sparse vector of counts in the `local` space
//! (`stories::features`). If a folder of weights is configured, the items to compare also get a dense vector
//! (`weights`); if a provider's model is configured, the newest items do (`vectors`).

mod vectors;
mod weights;

use std::sync::Arc;

use aha_analysis::text::features::LOCAL_SPACE;
use aha_analysis::text::space::{Space, Words};
use aha_content::numbers::count;
use aha_core::digest::Estimate;
use aha_store::{ItemText, NewEmbedding};
use futures::{StreamExt as _, TryStreamExt as _};

use super::ingest::ReadSources;
use super::{RunContext, RunError, Stage};

/// Items read and committed at a time.
const COMMIT_ITEMS: usize = 512;
/// Items that one thread processes at a time.
const CHUNK_ITEMS: usize = 64;
const THREADS: usize = 8;

/// Vectors that the stage `cluster` compares in addition to words.
#[derive(Debug, Default)]
pub(super) struct EmbedOutcome {
    /// The space of the dense vectors, if all that were due exist.
    pub(super) space: Option<String>,
    /// Why only words are compared although an embedding model was configured.
    pub(super) lexical_only: Option<String>,
    /// Estimated cost of using an embedding model, if none was used.
    pub(super) estimate: Option<Estimate>,
}

impl EmbedOutcome {
    fn without_vectors(why: String) -> Self {
        Self { lexical_only: Some(why), ..Self::default() }
    }

    fn space(space: String) -> Self {
        Self { space: Some(space), ..Self::default() }
    }
}

pub(super) async fn run(context: &RunContext, sources: &ReadSources) -> Result<EmbedOutcome, RunError> {
    context.progress.begin(Stage::Embed, 0);
    let texts = count_words(context).await?;
    let embedded = match &context.app.config().llm.embed_model_dir {
        Some(folder) => weights::run(context, folder).await?,
        None => vectors::run(context, sources).await?,
    };
    context.progress.end(Stage::Embed, &count(texts, "text", "texts"));
    Ok(embedded)
}

async fn count_words(context: &RunContext) -> Result<usize, RunError> {
    let at_a_time = i64::try_from(COMMIT_ITEMS).unwrap_or(i64::MAX);
    let mut embedded = 0;
    loop {
        context.check()?;
        let texts = context.store().items_to_embed(context.topic.id, LOCAL_SPACE, at_a_time).await?;
        if texts.is_empty() {
            break;
        }
        embedded += texts.len();
        let vectors = embed(&Arc::new(Words), texts).await?;
        context.store().commit_embeddings(&context.lease, LOCAL_SPACE, &vectors).await?;
    }
    Ok(embedded)
}

/// Computes vectors on several threads, in the order of the texts. Texts without a vector are omitted.
async fn embed<S: Space + 'static>(space: &Arc<S>, texts: Vec<ItemText>) -> Result<Vec<NewEmbedding>, RunError> {
    let chunks: Vec<Vec<ItemText>> = texts.chunks(CHUNK_ITEMS).map(<[ItemText]>::to_vec).collect();
    let made = futures::stream::iter(chunks)
        .map(|chunk| {
            let space = Arc::clone(space);
            tokio::task::spawn_blocking(move || chunk.iter().filter_map(|text| one(&*space, text)).collect::<Vec<_>>())
        })
        .buffered(THREADS)
        .try_collect::<Vec<_>>()
        .await;
    Ok(made?.into_iter().flatten().collect())
}

fn one(space: &impl Space, text: &ItemText) -> Option<NewEmbedding> {
    let (vector, length) = space.vector(text.title.as_deref(), &text.body_text)?;
    Some(NewEmbedding {
        item: text.id,
        content_hash: text.content_hash.clone(),
        dimensions: length.and_then(|length| i64::try_from(length).ok()),
        vector,
    })
}
