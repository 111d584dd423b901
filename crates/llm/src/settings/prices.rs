//! What the models of a task cost, by the settings `OPENAI_…CREDITS_PER_1K_…`: of a tier's own model, of the task's, of `OPENAI_MODEL`. Called by
//! [`super::openai`] and [`super::embed`].

use aha_core::money::{Price, parse_decimal};
use aha_core::settings::Reader;
use aha_core::topic::BudgetTier;

const INPUT: &str = "CREDITS_PER_1K_INPUT_TOKENS";
const OUTPUT: &str = "CREDITS_PER_1K_OUTPUT_TOKENS";

/// `None`: unknown, so that no amount can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Prices {
    /// Of the tiers' own models, else what [`Prices::of_task`] is.
    by_tier: [Option<Price>; 3],
    /// Those that are named for the task, else what [`Prices::of_all`] is.
    pub(super) of_task: Option<Price>,
    /// `OPENAI_MODEL`.
    pub(super) of_all: Option<Price>,
}

/// Of a task or in general, as it is written: for what is sent and for what is answered.
pub(super) type Written = [Option<String>; 2];

impl Prices {
    /// Of a tier's model: of its own where it `is_named`, else of the task's.
    pub(super) fn of(&self, tier: BudgetTier, is_named: bool) -> Option<Price> {
        self.by_tier[tier as usize].filter(|_| is_named).or(self.of_task)
    }

    /// `prefix`: with which the task's settings begin.
    pub(super) fn read(
        reader: &mut Reader,
        prefix: &str,
        of_task: Written,
        by_tier: [Written; 3],
        general: Written,
    ) -> Self {
        let name = |rest: &str| format!("{prefix}{rest}");
        let general_name = |rest: &str| format!("OPENAI_{rest}");
        let mut of_tier = |tier: &str, [input, output]: Written| {
            let input = (&*name(&format!("{INPUT}_{tier}")), input);
            price(reader, [input], [(&*name(&format!("{OUTPUT}_{tier}")), output)])
        };
        let [low, normal, high] = by_tier;
        let by_tier = [of_tier("LOW", low), of_tier("NORMAL", normal), of_tier("HIGH", high)];
        let (input, output) = (general_name(INPUT), general_name(OUTPUT));
        let [general_input, general_output] = general;
        let (general_input, general_output) = ((&*input, general_input), (&*output, general_output));
        let [task_input, task_output] = of_task;
        let of_task = price(
            reader,
            [(&name(INPUT), task_input), general_input.clone()],
            [(&name(OUTPUT), task_output), general_output.clone()],
        );
        // What is wrong with them has been said.
        let of_all = price(&mut Reader::default(), [general_input], [general_output]);
        Self { by_tier, of_task, of_all }
    }
}

/// A price of which one half is missing is none.
fn price<const N: usize>(
    reader: &mut Reader,
    input: [(&str, Option<String>); N],
    output: [(&str, Option<String>); N],
) -> Option<Price> {
    let input = rate(reader, input)?;
    let output = rate(reader, output)?;
    Some(Price { input_microcredits_per_million: input, output_microcredits_per_million: output, ..Price::default() })
}

/// The first rate that is set, in micro-credits for a million tokens: credits for a thousand, times 10^9.
pub(super) fn rate<const N: usize>(reader: &mut Reader, given: [(&str, Option<String>); N]) -> Option<i64> {
    let mut first = None;
    for (name, text) in given {
        let what = (name, "credits for 1,000 tokens, of at most nine decimals", "0.00025");
        let read = reader.maybe(text, what, |text| parse_decimal(text, 9));
        first = first.or(read);
    }
    first
}
