//! What a digest cost, or what judging it by a model would cost.
//!
//! Input: a digest or one of its stories. Output: one line each. Called by `view`.

use std::collections::BTreeSet;

use aha_content::numbers::count;
use aha_core::digest::{Cost, Digest, DigestStory, Estimate};
use aha_core::model::LOCAL_PROVIDER;
use aha_core::money::MicroCredits;

use super::format::list;
use super::sanitise::short_text;

/// Formats `cost: 0.12 credits, judged by openai/gpt-5-mini; 83 % of the daily budget of 2 credits is used`, with the
/// number of calls whose cost is unknown or more than was reserved, if there are any. Without a model, an estimate of
/// its cost.
pub(super) fn of_digest(digest: &Digest) -> String {
    let overcharged = match digest.cost.overcharged_calls {
        0 => None,
        calls => Some(format!("{} cost more than was reserved", count(calls, "call", "calls"))),
    };
    let unsettled = match digest.cost.unsettled_calls {
        0 => None,
        1 => Some("1 call of unknown cost is in it, at the most that was set aside for it".to_owned()),
        calls => Some(format!("{calls} calls of unknown cost are in it, at the most that was set aside for them")),
    };
    let warnings = unsettled.into_iter().chain(overcharged).chain(digest.cost.near_cap.clone());
    std::iter::once(with_judges(digest)).chain(warnings).collect::<Vec<_>>().join("; ")
}

/// Formats the total and who judged.
fn with_judges(digest: &Digest) -> String {
    let cost = format!("cost: {}", total(&digest.cost));
    let fallbacks = digest.cost.local_fallbacks;
    match models(digest).as_slice() {
        _ if digest.stories.iter().all(|story| story.triage.is_none() && story.summary.is_none()) => cost,
        [] if fallbacks > 0 => format!("{cost}, judged locally because no model answered"),
        models if fallbacks > 0 => {
            let stories = count(fallbacks, "story", "stories");
            format!("{cost}, judged by {}; {stories} judged locally because no model answered", list(models, 4))
        }
        [] => match with_a_model(&digest.cost.with_a_model) {
            Some(estimate) => format!("{cost}, judged locally; {estimate}"),
            None => format!("{cost}, judged locally"),
        },
        models => format!("{cost}, judged by {}", list(models, 4)),
    }
}

/// Formats `score and summary by openai/gpt-5-mini, 0.0012 credits`.
pub(super) fn of_story(story: &DigestStory) -> Option<String> {
    let named = |provider: &str, model: &str| short_text(&format!("{provider}/{model}"), 80);
    let triage = story.triage.as_ref().filter(|verdict| verdict.provider != LOCAL_PROVIDER);
    let summary =
        story.summary.as_ref().filter(|summary| summary.provider != LOCAL_PROVIDER && story.kept_summary.is_none());
    let of_text = story.kept_summary.as_ref().map(|kept| named(&kept.provider, &kept.model));
    let who = match (triage.map(|t| named(&t.provider, &t.model)), summary.map(|s| named(&s.provider, &s.model))) {
        (None, None) => None,
        (Some(score), None) => Some(format!("score by {score}")),
        (None, Some(summary)) => Some(format!("summary by {summary}")),
        (Some(score), Some(summary)) if score == summary => Some(format!("score and summary by {score}")),
        (Some(score), Some(summary)) => Some(format!("score by {score}, summary by {summary}")),
    };
    let of_text = of_text.map(|by| format!("summary of a text you pasted, by {by}"));
    let who = who.into_iter().chain(of_text).collect::<Vec<_>>().join(", ");
    if who.is_empty() {
        return None;
    }
    let cost = story.cost.triage_microcredits.0 + story.cost.summary_microcredits.0;
    Some(if cost == 0 { who } else { format!("{who}, {}", credits(MicroCredits(cost))) })
}

/// Formats the total of a run; calls without a price have an unknown part in it.
fn total(cost: &Cost) -> String {
    let unpriced = count(cost.unpriced_calls, "call without a price", "calls without a price");
    match (cost.microcredits, cost.unpriced_calls) {
        (amount, 0) => credits(amount),
        (MicroCredits::ZERO, _) => format!("unknown ({unpriced})"),
        (amount, _) => format!("{} and an unknown amount ({unpriced})", credits(amount)),
    }
}

fn credits(amount: MicroCredits) -> String {
    match amount {
        MicroCredits::ZERO => "nothing".to_owned(),
        MicroCredits(MicroCredits::PER_CREDIT) => "1 credit".to_owned(),
        amount => format!("{amount} credits"),
    }
}

/// Formats `a model (gpt-5-mini, for example) would take about 0.03 credits: triage 4 calls, deep summary 6 calls`.
fn with_a_model(estimates: &[Estimate]) -> Option<String> {
    let first = estimates.first()?;
    let parts: Vec<String> = estimates
        .iter()
        .map(|one| format!("{} {}", one.task.replace('_', " "), count(one.calls, "call", "calls")))
        .collect();
    let total: Option<i64> = estimates.iter().map(|one| one.microcredits.map(|amount| amount.0)).sum();
    let cost = total.map_or_else(String::new, |total| format!(" about {}:", credits(rounded(total))));
    let example = if first.configured { "" } else { ", for example" };
    Some(format!("a model ({}{example}) would take{cost} {}", short_text(&first.model, 80), parts.join(", ")))
}

/// Rounds to three decimals, as this is an estimate.
fn rounded(amount: i64) -> MicroCredits {
    MicroCredits((amount + 999) / 1000 * 1000)
}

/// Returns the models, except `local`, that made the judgements and summaries shown.
fn models(digest: &Digest) -> Vec<String> {
    let verdicts = digest.stories.iter().filter_map(|story| story.triage.as_ref());
    let summaries = digest.stories.iter().filter_map(|story| story.summary.as_ref());
    let names: BTreeSet<String> = verdicts
        .map(|verdict| (&verdict.provider, &verdict.model))
        .chain(summaries.map(|summary| (&summary.provider, &summary.model)))
        .filter(|(provider, _)| *provider != LOCAL_PROVIDER)
        .map(|(provider, model)| short_text(&format!("{provider}/{model}"), 80))
        .collect();
    names.into_iter().collect()
}
