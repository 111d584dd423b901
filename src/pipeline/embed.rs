//! Stage 4: turns texts into vectors, once a text. In the `local` space these are sparse counts (`stories::features`), which all
//! items get; where a provider's model is configured, the newest get a dense one as well ([`super::vectors`]).

use futures::{StreamExt as _, TryStreamExt as _};

use crate::store::{ItemText, NewEmbedding};
use crate::stories::features::{Counts, LOCAL_SPACE};

use super::{RunContext, RunError, RunState, Stage, vectors};

/// Items read and committed at a time.
const COMMIT_ITEMS: i64 = 512;
/// Items counted by one thread at a time.
const CHUNK_ITEMS: usize = 64;
const THREADS: usize = 8;

pub(super) async fn run(context: &RunContext, state: &mut RunState) -> Result<(), RunError> {
    context.progress.begin(Stage::Embed, 0);
    let embedded = count_words(context).await?;
    vectors::run(context, state).await?;
    context.progress.end(Stage::Embed, &format!("{embedded} texts"));
    Ok(())
}

async fn count_words(context: &RunContext) -> Result<usize, RunError> {
    let mut embedded = 0;
    loop {
        context.check()?;
        let texts = context.store().items_to_embed(context.topic.id, LOCAL_SPACE, COMMIT_ITEMS).await?;
        if texts.is_empty() {
            break;
        }
        embedded += texts.len();
        let vectors = embed(texts).await?;
        context.store().commit_embeddings(&context.lease, LOCAL_SPACE, &vectors).await?;
    }
    Ok(embedded)
}

async fn embed(texts: Vec<ItemText>) -> Result<Vec<NewEmbedding>, RunError> {
    let chunks: Vec<Vec<ItemText>> = texts.chunks(CHUNK_ITEMS).map(<[ItemText]>::to_vec).collect();
    let counted = futures::stream::iter(chunks)
        .map(|chunk| tokio::task::spawn_blocking(move || chunk.iter().map(count).collect::<Vec<_>>()))
        .buffered(THREADS)
        .try_collect::<Vec<_>>()
        .await;
    // A counting thread only fails when the process is shutting down.
    Ok(counted.map_err(|_| RunError::Interrupted)?.into_iter().flatten().collect())
}

fn count(text: &ItemText) -> NewEmbedding {
    NewEmbedding {
        item: text.id,
        content_hash: text.content_hash.clone(),
        dimensions: None,
        vector: Counts::of(text.title.as_deref(), &text.body_text).to_bytes(),
    }
}
