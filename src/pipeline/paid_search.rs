//! Part of stage 2: asks a search service, which charges for it as a model does. What it found is stored with what that has cost: an
//! attempt that goes on after a kill does not search again. Called by the search stage, and by `source test`.

use aha_core::money::MicroCredits;
use aha_core::source::{Source, Validators};
use aha_core::task::purpose;
use aha_core::topic::BudgetTier;
use aha_llm::{CallScope, Cost, Executed, ServiceCall, ServiceCharge};
use aha_store::{AnswerKey, NewAnswer, StoreError};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::sources::fetch::{FetchError, Freshness};
use crate::sources::signal::{Found, SearchProvider};
use crate::sources::{Connector as _, FetchOutcome, FetchResult};

/// What of a service is asked, as on the ledger where a model's name stands.
const OPERATION: &str = "search";
/// Of what is stored.
const VERSION: &str = "search_v1";

/// The result of a search as it is stored until it has been read: one a source.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    /// The run and its pass, for which it was made.
    made_for: String,
    http_status: Option<u16>,
    bytes: u64,
    found: Found,
}

/// Fetches a source that is a search, unless that was done for this run.
///
/// # Errors
/// When the store fails or the lease is lost; that the search fails is within.
pub(crate) async fn search(
    app: &App,
    scope: &CallScope,
    source: &Source,
) -> Result<Executed<Result<FetchResult, FetchError>>, StoreError> {
    let ask = app.connectors().signal().fetch(source, app.fetcher());
    // Without one it says what is missing, and asks nobody.
    let Some(provider) = &app.config().sources.search else { return Ok(Executed::Answered(ask.await)) };
    if let Some(kept) = kept(app, scope, source).await? {
        return Ok(Executed::Answered(Ok(kept.into())));
    }
    let call = ServiceCall {
        scope,
        purpose: purpose::SIGNAL_SEARCH,
        provider: service(provider),
        operation: OPERATION,
        words: &source.url,
        at_most: provider.price.map(|price| price.of(provider.most)),
        results: provider.most,
    };
    app.gateway().execute_service(app.store(), &call, ask, |fetched| charge(provider, scope, source, fetched)).await
}

/// The service's name on the ledger: its host.
fn service(provider: &SearchProvider) -> String {
    let origin = provider.host();
    origin.split_once("://").map_or(origin.as_str(), |(_, host)| host).to_owned()
}

/// What is stored of this run's pass; by hand each search is one of its own.
async fn kept(app: &App, scope: &CallScope, source: &Source) -> Result<Option<Kept>, StoreError> {
    let Some(made_for) = made_for(scope) else { return Ok(None) };
    let stored = app.store().answer(&key(source), scope.run).await?;
    let kept = stored.map(|stored| serde_json::from_str::<Kept>(&stored.answer_json)).transpose()?;
    Ok(kept.filter(|kept| kept.made_for == made_for))
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
            failure: Some((error.kind(), error.to_string())),
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
    let kept = Kept { made_for, http_status: fetched.http_status, bytes: fetched.bytes, found: found.clone() };
    Some(NewAnswer {
        key: key(source),
        provider: service(provider),
        model: OPERATION.to_owned(),
        input_hash: String::new(),
        // Values that came as JSON and texts: it cannot fail.
        answer_json: serde_json::to_string(&kept).ok()?,
        members: Vec::new(),
    })
}

impl From<Kept> for FetchResult {
    fn from(kept: Kept) -> Self {
        Self {
            outcome: FetchOutcome::Results(kept.found),
            http_status: kept.http_status,
            bytes: kept.bytes,
            validators: Validators::default(),
            moved_to: None,
            freshness: Freshness::default(),
        }
    }
}
