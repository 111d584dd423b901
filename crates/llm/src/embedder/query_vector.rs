//! The vector of a query, which is compared with the stored vectors and not stored itself.

use aha_analysis::text::dense::DenseVector;
use aha_analysis::text::space::dense_text;
use aha_core::topic::BudgetTier;
use aha_net::hash::hex32;
use aha_store::{OrphanedCalls, SharedStore, StoreError};

use super::{EmbedRoute, EmbedText, Embedder, PREPARATION};
use crate::call_scope::CallScope;
use crate::metered_call::{Executed, NotSent};
use crate::spending_limit::ExhaustedLimit;

/// The result of asking for the vector of a query.
#[derive(Debug, Clone, PartialEq)]
pub enum QueryVector {
    Made(DenseVector),
    /// Why the model made none.
    Failed(String),
    NoBudget(ExhaustedLimit),
}

impl Embedder {
    /// Makes the vector of a query with the model of a tier, in one metered call outside of runs. It is not repeated: who
    /// searches does not wait for that.
    ///
    /// # Errors
    /// When the store fails; a provider's failure is a [`QueryVector`].
    pub async fn query_vector(
        &self,
        store: &SharedStore,
        route: &EmbedRoute,
        tier: BudgetTier,
        query: &str,
    ) -> Result<QueryVector, StoreError> {
        let failed = |why: &dyn std::fmt::Display| QueryVector::Failed(format!("{}: {why}", route.model));
        let Some(text) = dense_text(None, query, self.parts.limits.max_input_chars) else {
            return Ok(failed(&"there is no text"));
        };
        // Expired reservations of killed processes are settled before this call is admitted.
        store.settle_orphaned_calls(OrphanedCalls::Expired(self.parts.clock.wall())).await?;
        let scope = CallScope::outside_run(self.parts.clock, tier, PREPARATION.to_owned());
        let job = self.job(route, scope, true);
        let text = EmbedText { items: Vec::new(), content_hash: hex32(text.as_bytes()), text };
        Ok(match self.attempt(store, &job, &[text], 1).await? {
            Executed::Answered(vectors) => match vectors.first().and_then(|vector| DenseVector::of(vector)) {
                Some(vector) => QueryVector::Made(vector),
                None => failed(&"its vector is zero"),
            },
            Executed::NotSent(NotSent::NoBudget(limit)) => QueryVector::NoBudget(limit),
            Executed::NotSent(NotSent::CircuitOpen { why, .. } | NotSent::Unusable(why)) => failed(&why),
            Executed::NotSent(NotSent::Interrupted) => failed(&"it was not sent"),
            Executed::Failed(call) => failed(&call.error),
        })
    }
}
