//! The counters that a call is charged to, the cap of each, and how much of it is used up.

use aha_core::budget::{APPROACHING, Caps};
use aha_core::digest::Estimate;
use aha_core::ids::{RunId, TopicId};
use aha_core::money::MicroCredits;
use aha_core::time::Timestamp;
use aha_store::{Counter, CounterLimit, Exhausted, SharedStore, StoreError};

use super::call_scope::CallScope;
pub use super::spending_limit::{BudgetUse, ExhaustedLimit, Limit};
use crate::settings::BudgetSettings;

/// Returns the counters that a paid call increments: the topic's month and day, those of all topics, the run, and the
/// calls of a purpose in the run's pass.
#[must_use]
pub fn limits(
    budget: &BudgetSettings,
    scope: &CallScope,
    purpose: &str,
    max_calls_per_run: Option<u32>,
    now: Timestamp,
) -> Vec<CounterLimit> {
    let mut limits = spending(&budget.caps, &Spender::of(scope), now);
    if let Some(run) = scope.run {
        limits.push(CounterLimit {
            counter: format!("run:{run}:{}:{purpose}", scope.pass),
            cap_microcredits: None,
            max_calls: max_calls_per_run.map(i64::from),
        });
    }
    limits
}

/// The run and topic whose counters are charged.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spender {
    pub run: Option<RunId>,
    pub topic: Option<TopicId>,
    /// The topic's share of the daily and the monthly caps.
    pub share_percent: Option<u8>,
}

impl Spender {
    const fn of(scope: &CallScope) -> Self {
        Self { run: scope.run, topic: scope.topic, share_percent: scope.share_percent }
    }
}

/// Returns the counters of money spent: the day, the topic's share of it, the month, the topic's share of it, the run.
#[must_use]
pub fn spending(caps: &Caps, spender: &Spender, now: Timestamp) -> Vec<CounterLimit> {
    let date = now.to_utc();
    let mut limits = Vec::new();
    for (period, cap) in [
        (format!("day:{}", date.format("%Y-%m-%d")), caps.day),
        (format!("month:{}", date.format("%Y-%m")), caps.month),
    ] {
        limits.push(limit(period.clone(), cap));
        if let Some(topic) = spender.topic {
            limits
                .push(limit(format!("{period}:topic:{topic}"), cap.and_then(|cap| share(cap, spender.share_percent))));
        }
    }
    if let Some(run) = spender.run {
        limits.push(limit(format!("run:{run}"), caps.run));
    }
    limits
}

fn limit(counter: String, cap: Option<MicroCredits>) -> CounterLimit {
    CounterLimit { counter, cap_microcredits: cap.map(|cap| cap.0), max_calls: None }
}

/// Returns a topic's share of a cap; `None` when the topic has no share.
fn share(cap: MicroCredits, percent: Option<u8>) -> Option<MicroCredits> {
    percent.map(|percent| MicroCredits(cap.0 / 100 * i64::from(percent) + cap.0 % 100 * i64::from(percent) / 100))
}

/// Returns how much of the nearest cap is used up.
///
/// # Errors
/// When the store fails.
pub async fn used(
    store: &SharedStore,
    budget: &BudgetSettings,
    scope: &CallScope,
    now: Timestamp,
) -> Result<BudgetUse, StoreError> {
    if !budget.caps.is_set() {
        return Ok(BudgetUse::default());
    }
    let limits = spending(&budget.caps, &Spender::of(scope), now);
    let shares = uses(store, &limits).await?.into_iter().map(|(share, ..)| share);
    Ok(BudgetUse(shares.fold(0.0, f64::max)))
}

/// Whether a limit leaves less than the estimated calls may take.
///
/// # Errors
/// When the store fails.
pub async fn may_run_out(
    store: &SharedStore,
    limits: &[CounterLimit],
    estimate: &Estimate,
) -> Result<bool, StoreError> {
    let names: Vec<String> = limits.iter().map(|limit| limit.counter.clone()).collect();
    let calls = i64::try_from(estimate.calls).unwrap_or(i64::MAX);
    let most = estimate.most_microcredits.map_or(i64::MAX, |most| most.0);
    let counters = store.counters(&names).await?;
    Ok(limits.iter().zip(counters).any(|(limit, counter)| {
        let spent = counter.settled_microcredits.saturating_add(counter.reserved_microcredits);
        limit.cap_microcredits.is_some_and(|cap| cap.saturating_sub(spent) < most)
            || limit.max_calls.is_some_and(|max| max.saturating_sub(counter.calls) < calls)
    }))
}

/// Returns the exhausted limit with an explanation.
#[must_use]
pub fn exhausted_limit(exhausted: &Exhausted) -> ExhaustedLimit {
    let Some(cap) = exhausted.cap_microcredits.map(MicroCredits) else {
        let task = exhausted.counter.rsplit(':').next().unwrap_or_default();
        let setting = format!("OPENAI_{}_MAX_CALLS_PER_RUN", task.to_uppercase());
        return ExhaustedLimit { limit: Limit::Calls, why: format!("the calls that {setting} allows are made") };
    };
    let left = MicroCredits(exhausted.left_microcredits);
    let needed = MicroCredits(exhausted.needed_microcredits);
    let (whose, setting) = named(&exhausted.counter);
    let why = if left == MicroCredits::ZERO {
        format!("the {whose} of {cap} credits is used up ({setting})")
    } else {
        let what_is_left = format!("{left} credits are left of the {whose} of {cap} credits");
        format!("{what_is_left}, but the next call may cost {needed} ({setting})")
    };
    ExhaustedLimit { limit: Limit::Credits, why }
}

/// Returns the name of a counter's budget, such as `topic's share of the daily budget`, and the setting of its cap.
fn named(counter: &str) -> (String, &'static str) {
    let (span, setting) = match counter.split(':').next() {
        Some("day") => ("daily", "AHA_BUDGET_DAILY_CREDITS"),
        Some("month") => ("monthly", "AHA_BUDGET_MONTHLY_CREDITS"),
        _ => ("run's", "AHA_BUDGET_RUN_CREDITS"),
    };
    let whose = if counter.contains(":topic:") { "topic's share of the " } else { "" };
    (format!("{whose}{span} budget"), setting)
}

/// Describes the cap of which most is used, if that is [`APPROACHING`] or more.
///
/// # Errors
/// When the store fails.
pub async fn near_cap(
    store: &SharedStore,
    caps: &Caps,
    spender: &Spender,
    now: Timestamp,
) -> Result<Option<String>, StoreError> {
    let limits = spending(caps, spender, now);
    let nearest = uses(store, &limits).await?.into_iter().max_by(|(one, ..), (other, ..)| one.total_cmp(other));
    Ok(nearest.filter(|(share, ..)| *share >= APPROACHING).map(|(share, counter, cap)| {
        let (whose, setting) = named(counter);
        format!("{:.0} % of the {whose} of {cap} credits is used ({setting})", (share * 100.0).floor())
    }))
}

/// Returns the used share of each cap that is set, including reservations, with its counter and the cap.
async fn uses<'l>(
    store: &SharedStore,
    limits: &'l [CounterLimit],
) -> Result<Vec<(f64, &'l str, MicroCredits)>, StoreError> {
    let names: Vec<String> = limits.iter().map(|limit| limit.counter.clone()).collect();
    let counters = store.counters(&names).await?;
    let share = |(limit, counter): (&'l CounterLimit, Counter)| {
        let cap = MicroCredits(limit.cap_microcredits?);
        let spent = MicroCredits(counter.settled_microcredits + counter.reserved_microcredits);
        let share = if cap == MicroCredits::ZERO { 1.0 } else { spent.as_credits() / cap.as_credits() };
        Some((share, limit.counter.as_str(), cap))
    };
    Ok(limits.iter().zip(counters).filter_map(share).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_exact_and_rounded_down() {
        assert_eq!(share(MicroCredits(1_000_001), Some(50)), Some(MicroCredits(500_000)));
        assert_eq!(share(MicroCredits(i64::MAX), Some(100)), Some(MicroCredits(i64::MAX)));
        assert_eq!(share(MicroCredits(5), None), None);
    }

    #[test]
    fn an_exhausted_limit_is_named_with_its_setting() {
        let full = |counter: &str, cap, left, needed| {
            exhausted_limit(&Exhausted {
                counter: counter.to_owned(),
                cap_microcredits: cap,
                left_microcredits: left,
                needed_microcredits: needed,
            })
        };
        let day = full("day:2026-11-22", Some(2_500_000), 0, 1);
        assert_eq!(day.why, "the daily budget of 2.5 credits is used up (AHA_BUDGET_DAILY_CREDITS)");
        let share = full("day:2026-11-22:topic:x", Some(10_000), 6_735, 6_851).why;
        let left = "0.006735 credits are left of the topic's share of the daily budget of 0.01 credits";
        assert_eq!(share, format!("{left}, but the next call may cost 0.006851 (AHA_BUDGET_DAILY_CREDITS)"));
        assert!(full("month:2026-11:topic:x", Some(1), 0, 1).why.contains("topic's share of the monthly budget"));
        assert!(full("run:x", Some(1), 1, 2).why.contains("AHA_BUDGET_RUN_CREDITS"));
        let calls = full("run:x:1:triage", None, 0, 1);
        assert!(calls.why.contains("OPENAI_TRIAGE_MAX_CALLS_PER_RUN"));
        assert_eq!(calls.limit, Limit::Calls);
    }
}
