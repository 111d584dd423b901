//! Whether the budget suffices for the calls of a run.

use aha_core::digest::Estimate;
use aha_core::money::MicroCredits;
use aha_llm::tasks;
use serde::Serialize;

/// A cap, and what is left under it.
#[derive(Debug, Clone, Serialize)]
pub struct BudgetHeadroom {
    /// `run`, `day`, `month`; `topic_day` and `topic_month` are the topic's share of these.
    pub of: &'static str,
    pub left_microcredits: MicroCredits,
    /// True if all calls fit whatever their answers cost, unless calls have to be repeated.
    pub fits: bool,
    /// True if all calls fit with answers of typical length. While a call is in progress, the most that it can cost is
    /// reserved.
    pub likely_fits: bool,
    #[serde(skip)]
    cap: MicroCredits,
}

impl BudgetHeadroom {
    /// Computes what is left of a cap, and whether it suffices for `estimates`, in the order of the stages.
    pub(super) fn of(of: &'static str, cap: MicroCredits, used: MicroCredits, estimates: &[&Estimate]) -> Self {
        let most = |one: &Estimate| one.most_microcredits.or(one.microcredits);
        let usual = |one: &Estimate| one.microcredits;
        let dearest = |one: &Estimate| one.dearest_microcredits;
        Self {
            of,
            left_microcredits: MicroCredits((cap.0 - used.0).max(0)),
            fits: fits_within(cap, used, estimates, most, |_| Some(MicroCredits::ZERO)),
            likely_fits: fits_within(cap, used, estimates, usual, dearest),
            cap,
        }
    }

    /// Returns the headroom of the run with the least, of several runs that each have such a cap.
    pub(super) fn tightest(headrooms: impl Iterator<Item = Self>) -> Option<Self> {
        headrooms.min_by_key(|headroom| (headroom.fits, headroom.likely_fits, headroom.left_microcredits))
    }

    /// Describes the headroom, compared with the estimated cost.
    #[must_use]
    pub fn line(&self, total: MicroCredits, most: Option<MicroCredits>) -> String {
        let whose = match self.of {
            "run" => "run's budget",
            "day" => "daily budget",
            "topic_day" => "topic's share of the daily budget",
            "topic_month" => "topic's share of the monthly budget",
            _ => "monthly budget",
        };
        let left = self.left_microcredits;
        let most = most.map_or_else(String::new, |most| format!(" and at most {most}"));
        let verdict = if self.fits {
            format!("{total}{most} fit")
        } else if self.likely_fits {
            format!("{total} fit, if answers have their usual length{}", most.replace(" and", ";"))
        } else if total > left {
            format!("less than {total}: some would be left out")
        } else {
            format!(
                "too little for {total}, as the most that a call can cost is set aside while it is under way, and the last fifth of a cap \
                 ({}) is kept for judging: some would be left out",
                MicroCredits(self.cap.0 / 5)
            )
        };
        format!("The {whose} has {left} credits left: {verdict}.")
    }
}

/// Returns whether each task begins before its share of the cap is used, and none exceeds the cap.
fn fits_within(
    cap: MicroCredits,
    used: MicroCredits,
    estimates: &[&Estimate],
    cost: impl Fn(&Estimate) -> Option<MicroCredits>,
    beyond: impl Fn(&Estimate) -> Option<MicroCredits>,
) -> bool {
    let mut spent = used;
    for estimate in estimates {
        let is_late = |share: f64| spent.as_credits() >= cap.as_credits() * share;
        let task = tasks::by_name(&estimate.task);
        let is_spared = task.and_then(|task| task.spec().skipped_above_share).is_some_and(is_late);
        let Some(cost) = cost(estimate).filter(|_| !is_spared) else { return false };
        let needed = spent.0.saturating_add(cost.0).saturating_add(beyond(estimate).unwrap_or_default().0);
        if needed > cap.0 {
            return false;
        }
        spent = MicroCredits(spent.0 + cost.0);
    }
    true
}

#[cfg(test)]
mod tests {
    use aha_llm::Task;
    use aha_llm::tasks::{deep_summary, entity_extract, triage};

    use super::*;

    fn estimate(task: Task, usual: i64, most: i64, dearest: i64) -> Estimate {
        Estimate {
            task: task.as_str().to_owned(),
            model: "m".to_owned(),
            configured: true,
            stories: 1,
            calls: 1,
            input_tokens: 0,
            output_tokens: 0,
            microcredits: Some(MicroCredits(usual)),
            most_microcredits: Some(MicroCredits(most)),
            dearest_microcredits: Some(MicroCredits(dearest)),
        }
    }

    fn fits(cap: i64, used: i64, estimates: &[Estimate]) -> (bool, bool) {
        let all: Vec<&Estimate> = estimates.iter().collect();
        let headroom = BudgetHeadroom::of("run", MicroCredits(cap), MicroCredits(used), &all);
        (headroom.fits, headroom.likely_fits)
    }

    #[test]
    fn what_may_cost_most_fits_for_certain_and_what_is_usual_only_beside_one_reservation() {
        let triage = [estimate(triage::TASK, 30, 200, 20)];
        assert_eq!(fits(200, 0, &triage), (true, true));
        assert_eq!(fits(199, 0, &triage), (false, true));
        assert_eq!(fits(50, 0, &triage), (false, true));
        assert_eq!(fits(49, 0, &triage), (false, false), "the last call finds no room for its reservation");
        assert_eq!(fits(200, 1, &triage), (false, true));
    }

    #[test]
    fn summaries_and_entities_are_left_out_near_the_cap() {
        let all = [
            estimate(triage::TASK, 80, 80, 1),
            estimate(deep_summary::TASK, 5, 5, 1),
            estimate(entity_extract::TASK, 5, 5, 1),
        ];
        assert_eq!(fits(100, 0, &all), (false, false), "entities begin at 85 of 100");
        assert_eq!(fits(100, 0, &all[..2]), (true, true));
        assert_eq!(fits(100, 16, &all[..2]), (false, false), "summaries begin at 96 of 100");
        assert_eq!(fits(107, 0, &all), (true, true));
    }
}
