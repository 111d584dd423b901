//! Part of stage 2: calls a search service, which charges for it like a model. The results are stored together with
//! their cost, so an attempt that continues after a kill does not search again. Called by the search stage, and by
//! `source test`.

use aha_core::money::MicroCredits;
use aha_core::purpose;
use aha_core::source::{Source, Validators};
use aha_core::topic::BudgetTier;
use aha_llm::{CallScope, Cost, Executed, ServiceCall, ServiceCharge};
use aha_store::{AnswerKey, NewAnswer, StoreError};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::sources::fetch::{FetchError, Freshness};
use crate::sources::signal::{SearchProvider, SearchResponse};
use crate::sources::{Connector as _, FetchOutcome, FetchResult};

/// The operation, stored in the ledger instead of a model's name.
const OPERATION: &str = "search";
/// Version of the stored format.
const VERSION: &str = "search_v1";

/// The stored results of a search until they have been read: one row per source.
#[derive(Debug, Serialize, Deserialize)]
struct CachedSearch {
    /// The run and pass for which it was made.
    made_for: String,
    http_status: Option<u16>,
    bytes: u64,
    found: SearchResponse,
}

/// Fetches a source that is a search, unless that was already done for this run.
///
/// # Errors
/// When the store fails or the lease is lost. A failure of the search itself is returned within the result.
pub(crate) async fn search(
    app: &App,
    scope: &CallScope,
    source: &Source,
) -> Result<Executed<Result<FetchResult, FetchError>>, StoreError> {
    let fetching = app.connectors().signal().fetch(source, app.fetcher());
    // Without a provider the connector reports what is missing and makes no request.
    let Some(provider) = &app.config().sources.search else { return Ok(Executed::Answered(fetching.await)) };
    if let Some(cached) = cached(app, scope, source).await? {
        return Ok(Executed::Answered(Ok(cached.into())));
    }
    let call = ServiceCall {
        scope,
        purpose: purpose::SIGNAL_SEARCH,
        provider: service(provider),
        operation: OPERATION,
        words: &source.url,
        at_most: provider.price.map(|price| price.of(provider.max_results)),
        results: provider.max_results,
    };
    app.gateway()
        .execute_service(app.store(), &call, fetching, |fetched| charge(provider, scope, source, fetched))
        .await
}

/// Returns the service's name in the ledger: its host.
fn service(provider: &SearchProvider) -> String {
    let origin = provider.host();
    origin.split_once("://").map_or(origin.as_str(), |(_, host)| host).to_owned()
}

/// Returns the results stored for this run's pass. Without a run, every search is made anew.
async fn cached(app: &App, scope: &CallScope, source: &Source) -> Result<Option<CachedSearch>, StoreError> {
    let Some(made_for) = made_for(scope) else { return Ok(None) };
    let stored = app.store().answer(&key(source), scope.run).await?;
    let cached = stored.map(|stored| serde_json::from_str::<CachedSearch>(&stored.answer_json)).transpose()?;
    Ok(cached.filter(|cached| cached.made_for == made_for))
}

fn made_for(scope: &CallScope) -> Option<String> {
    scope.run.map(|run| format!("{run}:{}", scope.pass))
}

fn key(source: &Source) -> AnswerKey {
    AnswerKey {
        task: purpose::SIGNAL_SEARCH,
        tier: BudgetTier::Normal,
        prompt_id: String::new(),
        schema_version: VERSION,
        fingerprint: source.id.to_string(),
    }
}

fn charge(
    provider: &SearchProvider,
    scope: &CallScope,
    source: &Source,
    fetched: &Result<FetchResult, FetchError>,
) -> ServiceCharge {
    match fetched {
        Ok(fetched) => ServiceCharge {
            cost: provider.price.map_or(Cost::Unpriced, |price| Cost::Known(price.of(returned(fetched)))),
            failure: None,
            answer: made_for(scope).and_then(|made_for| answer(made_for, provider, source, fetched)),
        },
        Err(error) => ServiceCharge {
            cost: match provider.price {
                _ if !error.may_be_charged() => Cost::Known(MicroCredits::ZERO),
                Some(price) if price.is_free() => Cost::Known(MicroCredits::ZERO),
                Some(_) => Cost::Unknown,
                None => Cost::Unpriced,
            },
            failure: Some((error.kind().as_str(), error.to_string())),
            answer: None,
        },
    }
}

fn returned(fetched: &FetchResult) -> usize {
    match &fetched.outcome {
        FetchOutcome::Results(found) => found.returned,
        FetchOutcome::NotModified | FetchOutcome::Feed(_) => 0,
    }
}

fn answer(made_for: String, provider: &SearchProvider, source: &Source, fetched: &FetchResult) -> Option<NewAnswer> {
    let FetchOutcome::Results(found) = &fetched.outcome else { return None };
    let cached =
        CachedSearch { made_for, http_status: fetched.http_status, bytes: fetched.bytes, found: found.clone() };
    Some(NewAnswer {
        key: key(source),
        provider: service(provider),
        model: OPERATION.to_owned(),
        input_hash: String::new(),
        // The values came from JSON and text, so serialising them cannot fail.
        answer_json: serde_json::to_string(&cached).ok()?,
        members: Vec::new(),
    })
}

impl From<CachedSearch> for FetchResult {
    fn from(cached: CachedSearch) -> Self {
        Self {
            outcome: FetchOutcome::Results(cached.found),
            http_status: cached.http_status,
            bytes: cached.bytes,
            validators: Validators::default(),
            moved_to: None,
            freshness: Freshness::default(),
        }
    }
}
