//! The vectors by which stories are compared with feedback: those of an embedding model, otherwise those of the table
//! of word vectors.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use aha_analysis::preferences::VectorKind;
use aha_analysis::text::dense::{Baseline, DenseVector};
use aha_core::ids::ItemId;
use aha_core::item::Item;
use aha_core::story::Story;
use aha_core::time::Timestamp;
use aha_core::window::Window;
use aha_llm::embedder::EmbedRoute;
use aha_store::StoreError;

use super::super::word_vectors::{centered_vectors, readable};
use super::super::{RunContext, RunError};

/// The vectors of items.
#[derive(Default)]
pub(super) struct ItemVectors {
    pub(super) of_item: HashMap<ItemId, Arc<DenseVector>>,
    pub(super) baseline: Option<Baseline>,
    pub(super) kind: VectorKind,
}

impl ItemVectors {
    /// Returns the vectors of the stories' items and of the items with feedback.
    pub(super) async fn of<'a>(
        context: &RunContext,
        stories: &'a [Story],
        with_feedback: impl Iterator<Item = &'a Item>,
    ) -> Result<Self, RunError> {
        let by_model = Self::by_model(context).await?;
        if !by_model.of_item.is_empty() {
            return Ok(by_model);
        }
        let of_stories = stories.iter().flat_map(|story| &story.members).map(|member| &member.item);
        let items: BTreeMap<ItemId, Item> =
            of_stories.chain(with_feedback).map(|item| (item.id, readable(item))).collect();
        let computing = tokio::task::spawn_blocking(move || Self::by_words(&items));
        Ok(computing.await?)
    }

    /// Reads the vectors of the space of the run's model, of any time, because items liked long ago have one, too.
    async fn by_model(context: &RunContext) -> Result<Self, StoreError> {
        let route = context.app.embedder().route(context.run.settings.tier).and_then(|route| route.as_ref().ok());
        let Some(space) = route.map(EmbedRoute::space) else { return Ok(Self::default()) };
        let window = Window { start: Timestamp::from_millis(0), end: context.run.window.end };
        let mut stored = context.store().vectors(context.topic.id, &space, window).await?;
        stored.sort_by_key(|(id, _)| *id);
        let read = stored.into_iter().filter_map(|(id, bytes)| Some((id, DenseVector::from_bytes(&bytes)?)));
        Ok(Self::in_order(read, VectorKind::Model))
    }

    fn by_words(items: &BTreeMap<ItemId, Item>) -> Self {
        let centered = centered_vectors(&items.values().collect::<Vec<_>>());
        let vectors = items.keys().enumerate().filter_map(|(place, id)| Some((*id, centered.vector(place)?)));
        Self::in_order(vectors, VectorKind::Words)
    }

    /// Takes vectors in an order that does not change between runs, as the baseline is estimated from a sample.
    fn in_order(vectors: impl Iterator<Item = (ItemId, DenseVector)>, kind: VectorKind) -> Self {
        let vectors: Vec<(ItemId, Arc<DenseVector>)> = vectors.map(|(id, vector)| (id, Arc::new(vector))).collect();
        let baseline = Baseline::of(&vectors.iter().map(|(_, vector)| &**vector).collect::<Vec<_>>());
        Self { of_item: vectors.into_iter().collect(), baseline, kind }
    }
}
