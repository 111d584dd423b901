//! Estimates tokens and cost of a task without calling a model.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use aha_core::digest::Estimate;
use aha_core::money::{MicroCredits, Price};
use aha_core::topic::BudgetTier;
use reqwest::header::HeaderMap;
use url::Url;

use super::gateway_parts::GatewayParts;
use super::ledger;
use super::provider::{self, Server};
use super::request;
use super::router::{Backend, Connection, ModelOptions, ModelRef, Route};
use super::streaming_only::StreamingOnly;
use super::task_item::TaskItem;
use super::tasks::Task;
use super::transport::Timeouts;

/// English text has about four bytes a token, with the tokenizers of 2024 to 2026.
pub(super) const BYTES_PER_TOKEN: usize = 4;

/// The example when no model is configured: a small model at its list price, at 1 credit per dollar.
const EXAMPLE_MODEL: &str = "gpt-5-mini";
const EXAMPLE_PRICE: Price = Price {
    input_microcredits_per_million: 250_000,
    cached_input_microcredits_per_million: None,
    output_microcredits_per_million: 2_000_000,
};

pub(super) fn estimate(
    parts: &GatewayParts,
    task: Task,
    tier: BudgetTier,
    items: &[&TaskItem],
    batch_size: usize,
) -> Option<Estimate> {
    if items.is_empty() {
        return None;
    }
    let configured = parts.router.choose(task, tier).into_iter().next().filter(|route| !route.is_local());
    let is_configured = configured.is_some();
    // An example uses the example's settings: the user's settings must not appear in a digest that no model has seen.
    let batch_size = if is_configured { batch_size } else { task.spec().limits.example_batch };
    let route = configured.unwrap_or_else(|| example(task));
    let Backend::Wire(wire) = &route.backend else { return None };
    let (mut calls, mut bytes, mut max_output_tokens) = (0, 0, 0_i64);
    let (mut reserved, mut max_bound) = (0_i64, 0_i64);
    for batch in items.chunks(batch_size.max(1)) {
        let inputs: Vec<_> = batch.iter().map(|item| &item.input).collect();
        let request = request::build(&parts.prompts, task, &route, &parts.language, tier, &inputs, None).ok()?;
        let body = wire.dialect.encode(&request, &wire.server).ok()?.body;
        calls += 1;
        bytes += body.len();
        if let Some(price) = route.price {
            let bound = ledger::upper_bound(price, &body, request.max_output_tokens);
            reserved = reserved.saturating_add(bound);
            max_bound = max_bound.max(bound);
        }
        max_output_tokens += i64::from(request.max_output_tokens);
    }
    let input_tokens = tokens(bytes);
    let stories = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let output_tokens =
        i64::from(task.spec().limits.typical_output_tokens).saturating_mul(stories).min(max_output_tokens);
    Some(Estimate {
        task: task.as_str().to_owned(),
        model: route.model.model.clone(),
        configured: is_configured,
        stories: items.len(),
        calls,
        input_tokens,
        output_tokens,
        microcredits: route.price.map(|price| price.cost(input_tokens, output_tokens)),
        most_microcredits: route.price.filter(|_| is_configured).map(|_| MicroCredits(reserved)),
        dearest_microcredits: route.price.filter(|_| is_configured).map(|_| MicroCredits(max_bound)),
    })
}

/// Returns the typical number of tokens of a text of that length.
pub(super) fn tokens(bytes: usize) -> i64 {
    i64::try_from(bytes / BYTES_PER_TOKEN).unwrap_or(i64::MAX)
}

static EXAMPLE_WIRE: LazyLock<Option<Arc<Connection>>> = LazyLock::new(|| {
    let endpoint = Url::parse("https://example.invalid/v1/responses").ok()?;
    let server = Server { endpoint, key: None, headers: HeaderMap::new() };
    let (timeouts, streaming_only) = (Timeouts::of(Duration::ZERO), StreamingOnly::default());
    Some(Arc::new(Connection { dialect: &provider::OPENAI, server, timeouts, streaming_only }))
});

fn example(task: Task) -> Route {
    let limits = task.spec().limits;
    Route {
        model: ModelRef { provider: provider::OPENAI_NAME.to_owned(), model: EXAMPLE_MODEL.to_owned() },
        backend: EXAMPLE_WIRE.as_ref().map_or(Backend::Local, |wire| Backend::Wire(Arc::clone(wire))),
        price: Some(EXAMPLE_PRICE),
        max_output_tokens: limits.output_tokens,
        max_input_chars: limits.input_chars,
        max_title_chars: limits.title_chars,
        max_calls_per_run: None,
        effort: None,
        options: ModelOptions::default(),
    }
}
